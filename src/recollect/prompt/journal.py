"""The journal of a turn: what a gate, a reconciler, downstream agents and the final answer each get to see."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from recollect.model.turn import ItemKind, Slot, TurnFingerprint
from recollect.prompt.blocks import (
    NEWEST_FIRST,
    format_assistant_signals_block,
    format_buckets_block,
    format_feedback_block,
    format_gate_memories_block,
    format_turn_memories_block,
    heading,
)
from recollect.prompt.lines import name, shown, spoken_time
from recollect.turns.memory import ConversationState

_LONGEST_MESSAGE = 2_000
_LONGEST_SUMMARY = 300
_MOST_CANDIDATES = 20
_MOST_PRIOR = 10
SMALLEST = 1_000
_NOTHING = "(none)"


class JournalView(StrEnum):
    """Who reads a journal."""

    GATE = "gate"
    RECONCILER = "reconciler"
    DOWNSTREAM = "downstream"
    FINAL_ANSWER = "final_answer"


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """An earlier turn that may be worth reading again, and why."""

    turn_id: str
    at: Any = None
    objective: str = ""
    queries: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Journal:
    """What a journal is made of. `selected` is None before anything was chosen: then everything is shown."""

    state: ConversationState
    turn_id: str
    message: str
    now: datetime
    fingerprint: TurnFingerprint | None = None
    selected: Sequence[str] | None = None
    candidates: Sequence[Candidate] = ()
    picked_buckets: Sequence[str] = ()


def render_journal(journal: Journal, view: JournalView, max_chars: int = 24_000) -> str:
    """A journal for one reader, in at most so many characters."""
    most = max(SMALLEST, max_chars)
    blocks = _final(journal, most) if view is JournalView.FINAL_ANSWER else _full(journal, view, most)
    text = "\n\n".join(blocks)
    return text if len(text) <= most else _cut(text, most)


def filtered(
    memories: Sequence[TurnFingerprint], selected: Sequence[str] | None, current: str
) -> list[TurnFingerprint]:
    """The memories that a reader sees: all where nothing was chosen, else those chosen and the turn's own."""
    if selected is None:
        return list(memories)
    wanted = {*selected, current}
    return [each for each in memories if each.turn_id in wanted]


def in_force(memories: Sequence[TurnFingerprint]) -> list[TurnFingerprint]:
    """Memories, newest first, without the items that a newer one has another value for."""
    taken: set[tuple[str, Slot]] = set()
    kept = []
    for each in memories:
        items: dict[str, Any] = {}
        for kind in (ItemKind.ASSERTION, ItemKind.EXCEPTION, ItemKind.FACT):
            acts = "facts" if kind is ItemKind.FACT else "acts"  # what is preferred, and what is to be avoided
            items[kind.value] = tuple(item for item in each.items(kind) if (acts, item.slot) not in taken)
        for kind in (ItemKind.ASSERTION, ItemKind.EXCEPTION, ItemKind.FACT):
            taken |= {("facts" if kind is ItemKind.FACT else "acts", item.slot) for item in each.items(kind)}
        kept.append(replace(each, **items))
    return kept


def _full(journal: Journal, view: JournalView, most: int) -> list[str]:
    memories = _memories(journal)
    part = most // 3
    if view is JournalView.DOWNSTREAM:
        shown_memories = filtered(in_force(memories), journal.selected, journal.turn_id)
        block = format_turn_memories_block(shown_memories, current_turn_id=journal.turn_id, max_chars=part)
    else:
        block = format_gate_memories_block(memories, current_turn_id=journal.turn_id, max_chars=part)
    head = heading("TURN MEMORIES", NEWEST_FIRST, "conversation")
    blocks = [
        _current(journal),
        _prior(journal, part // 2),
        _table(journal, part // 2),
        _feedback(journal, NEWEST_FIRST, part // 2),
        block or f"{head}\n{_NOTHING}",
    ]
    picked = [each for each in journal.state.buckets if each.get("bucket_id") in set(journal.picked_buckets)]
    if view is JournalView.DOWNSTREAM and picked:
        blocks.append(format_buckets_block(picked))
    return blocks


def _final(journal: Journal, most: int) -> list[str]:
    """Only what an answer is written from: chosen memories, feedback, and what was promoted before."""
    part = most // 3
    memories = filtered(in_force(_memories(journal)), journal.selected, journal.turn_id)
    block = format_turn_memories_block(memories, "selected", current_turn_id=journal.turn_id, max_chars=part)
    signals = format_assistant_signals_block(journal.state.signals, "", now=journal.now, max_chars=part)
    return [
        block or f"{heading('TURN MEMORIES', 'selected', 'conversation')}\n{_NOTHING}",
        _feedback(journal, "", part),
        signals or f"{heading('ASSISTANT SIGNALS', '', 'user_cross_conversation')}\n{_NOTHING}",
    ]


def _memories(journal: Journal) -> list[TurnFingerprint]:
    """The conversation's memories with the turn's own, as far as it is known."""
    own = journal.fingerprint
    others = [each for each in journal.state.memories if own is None or each.turn_id != own.turn_id]
    return others if own is None else [own, *others]


def _current(journal: Journal) -> str:
    lines = [
        "[CURRENT TURN]",
        f"turn_id={name(journal.turn_id)} | {spoken_time(journal.now)}",
        f"user: {shown(journal.message, _LONGEST_MESSAGE)}",
    ]
    return "\n".join(lines)


def _prior(journal: Journal, most: int) -> str:
    lines = [f"[PRIOR TURNS ({NEWEST_FIRST}) - COMPRESSED VIEWS]"]
    used = len(lines[0])
    for artifact in journal.state.prior_turns[:_MOST_PRIOR]:
        if artifact.turn_id == journal.turn_id:
            continue
        summary = artifact.content.get("turn_summary") if isinstance(artifact.content, Mapping) else None
        told = summary if isinstance(summary, Mapping) else {}
        entry = [f"- turn_id={name(artifact.turn_id)} | {spoken_time(artifact.created_at)}"]
        for label, field in (("user", "user_inquiry"), ("assistant", "assistant_answer"), ("objective", "objective")):
            if told.get(field):
                entry.append(f"  - {label}: {shown(told[field], _LONGEST_SUMMARY)}")
        used += sum(len(line) + 1 for line in entry)
        if used > most:
            break
        lines += entry
    return "\n".join(lines if len(lines) > 1 else [*lines, _NOTHING])


def _table(journal: Journal, most: int) -> str:
    lines = ["[TURNS CANDIDATES TABLE]"]
    used = len(lines[0])
    entries = []
    for each in journal.candidates[:_MOST_CANDIDATES]:
        found = " | ".join(shown(query, 80) for query in each.queries[:3])
        why = f"context_hit: {found}" if found else "recent_turn"
        entry = f"- {name(each.turn_id)} ({spoken_time(each.at).strip('()')}) | {why}"
        entry += f" | objective: {shown(each.objective, 120)}" if each.objective else ""
        used += len(entry) + 1
        if used > most:
            break
        entries.append(entry)
    lines += entries[::-1]  # chosen newest first, shown oldest first
    return "\n".join(lines if entries else [*lines, _NOTHING])


def _feedback(journal: Journal, order: str, most: int) -> str:
    block = format_feedback_block(journal.state.feedback, order, now=journal.now, max_chars=most)
    return block or f"{heading('USER FEEDBACK', order, 'conversation')}\n{_NOTHING}"


def _cut(text: str, most: int) -> str:
    """What is too long all the same ends with a whole line."""
    return text[: most - 2].rpartition("\n")[0] + "\n…"
