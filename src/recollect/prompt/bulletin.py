"""The bulletin: what to have in mind for a message, in six sections, every line citing its memory.

What does not depend on the message (goals, todos, decisions, preferences, conflicts) is the same byte for byte as long
as memory is: a prompt cache can keep it. Only the knowledge that answers the message changes with it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from recollect.embedding.tokens import TokenCounter, default_counter
from recollect.model.memory import Memory, MemoryType
from recollect.prompt.lines import one_line

KNOWLEDGE = "knowledge_summary"
GOALS = "active_goals"
TODOS = "open_todos"
DECISIONS = "recent_decisions"
PREFERENCES = "preference_profile"
CONFLICTS = "conflicts_and_uncertainties"
SECTIONS = (KNOWLEDGE, GOALS, TODOS, DECISIONS, PREFERENCES, CONFLICTS)
# What stays longest when there is too little room, and which headings go first when there is next to none.
_PRIORITY = (GOALS, TODOS, DECISIONS, CONFLICTS, PREFERENCES, KNOWLEDGE)
_DROPPED_FIRST = (CONFLICTS, PREFERENCES, KNOWLEDGE, DECISIONS, TODOS, GOALS)
MOST: Mapping[str, int] = {KNOWLEDGE: 12, GOALS: 6, TODOS: 8, DECISIONS: 6, PREFERENCES: 8, CONFLICTS: 6}
TYPES: Mapping[str, tuple[MemoryType, ...]] = {
    GOALS: (MemoryType.GOAL,),
    TODOS: (MemoryType.TODO,),
    DECISIONS: (MemoryType.DECISION,),
    PREFERENCES: (MemoryType.PREFERENCE, MemoryType.IDENTITY),
}
_LONGEST_LINE = 160
_DOUBTFUL = 0.5
_CITED = re.compile(r"\[([0-9a-f-]{36})\]")


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of a bulletin, and the memories it cites."""

    text: str
    memory_ids: tuple[str, ...]

    def render(self) -> str:
        """The line, with its citations at the end."""
        return f"- {self.text} {''.join(f'[{each}]' for each in self.memory_ids)}\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bulletin:
    """What an orchestrator should have in mind. `stable` changes only when memory does; `volatile` with the message.

    `fallback` says what this is where a bulletin could not be made: `previous_snapshot` or `empty_bulletin`.
    """

    text: str
    sections: dict[str, list[str]]
    citations: list[str]
    stable: str
    volatile: str
    stable_hash: str
    volatile_hash: str
    truncated: bool = False
    mode: str = "text-only"
    fallback: str | None = None
    warnings: list[str] = field(default_factory=list)

    @property
    def token_count(self) -> int:
        """How many tokens it has; counted when asked, since that takes as long as making it."""
        return default_counter().count(self.text)


def line_of(memory: Memory, mark: str = "") -> Entry:
    """A memory as a line: its content, or its summary where that is long. Outside text is marked as such."""
    content = memory.content if len(memory.content) <= _LONGEST_LINE else memory.summary
    outside = " (outside)" if memory.trust.value == "outside" else ""
    return Entry(one_line(content, _LONGEST_LINE) + mark + outside, (memory.memory_id,))


def conflict_of(one: Memory, other: Memory) -> Entry:
    """Two memories that contradict each other, as one line; in the order of their ids, so always the same."""
    first, second = sorted((one, other), key=lambda each: each.memory_id)
    half = _LONGEST_LINE // 2
    told = f"{one_line(first.content, half)} <> {one_line(second.content, half)}"
    return Entry(told, (first.memory_id, second.memory_id))


def compose(
    lines: Mapping[str, Sequence[Entry]], max_chars: int, counter: TokenCounter, max_tokens: int | None = None
) -> Bulletin:
    """A bulletin within bounds, in characters and in tokens. What matters most is taken in first.

    Headings are always all there, unless they alone are too long.
    """
    shown = list(SECTIONS)
    for name in _DROPPED_FIRST:
        if _fits(_text(shown, {}), max_chars, counter, max_tokens):
            break
        shown.remove(name)
    kept: dict[str, list[Entry]] = {name: [] for name in shown}
    used, tokens, truncated = _length(shown), _tokens(_text(shown, {}), counter, max_tokens), len(shown) < len(SECTIONS)
    for name in _PRIORITY:
        told = {memory_id for entries in kept.values() for entry in entries for memory_id in entry.memory_ids}
        fresh = [entry for entry in lines.get(name, ()) if name != KNOWLEDGE or not told.issuperset(entry.memory_ids)]
        truncated = truncated or len(fresh) > MOST[name]
        for entry in fresh[: MOST[name]]:
            line = entry.render()
            # An empty section shows a dash, which its first line takes the place of.
            cost = len(line) - (0 if kept.get(name) else len(_EMPTY))
            count = 0 if max_tokens is None else counter.count(line)
            if name not in kept or used + cost > max_chars or (max_tokens is not None and tokens + count > max_tokens):
                truncated = True
                break  # the rest of a section is less important than its beginning
            kept[name].append(entry)
            used += cost
            tokens += count
    text = _text(shown, kept)
    stable = _text([name for name in shown if name != KNOWLEDGE], kept)
    volatile = _text([name for name in shown if name == KNOWLEDGE], kept)
    cited = [memory_id for name in shown for entry in kept[name] for memory_id in entry.memory_ids]
    return Bulletin(
        text=text,
        sections={name: [entry.render().strip() for entry in kept[name]] for name in shown},
        citations=list(dict.fromkeys(cited)),
        stable=stable,
        volatile=volatile,
        stable_hash=_hash(stable),
        volatile_hash=_hash(volatile),
        truncated=truncated,
    )


def empty(warning: str) -> Bulletin:
    """A bulletin with nothing in it, and why."""
    return Bulletin(
        text="",
        sections={},
        citations=[],
        stable="",
        volatile="",
        stable_hash=_hash(""),
        volatile_hash=_hash(""),
        fallback="empty_bulletin",
        warnings=[warning],
    )


def only(
    bulletin: Bulletin, active: frozenset[str], max_chars: int, counter: TokenCounter, max_tokens: int | None
) -> Bulletin:
    """An earlier bulletin without what no longer counts, within bounds."""
    lines: dict[str, list[Entry]] = {}
    for name, told in bulletin.sections.items():
        for line in told:
            ids = tuple(_CITED.findall(line))
            text = _CITED.sub("", line.removeprefix("- ")).strip()
            if ids and active.issuperset(ids):
                lines.setdefault(name, []).append(Entry(text, ids))
    return replace(compose(lines, max_chars, counter, max_tokens), mode=bulletin.mode)


def is_doubtful(memory: Memory) -> bool:
    """Whether a memory is less sure than not."""
    return memory.confidence < _DOUBTFUL


_EMPTY = "-\n"


def _text(names: Sequence[str], kept: Mapping[str, Sequence[Entry]]) -> str:
    told = {name: "".join(entry.render() for entry in kept.get(name, ())) or _EMPTY for name in names}
    return "".join(f"{name}:\n{told[name]}" for name in SECTIONS if name in told)


def _length(names: Sequence[str]) -> int:
    return len(_text(names, {}))


def _tokens(text: str, counter: TokenCounter, most: int | None) -> int:
    return 0 if most is None else counter.count(text)


def _fits(text: str, max_chars: int, counter: TokenCounter, max_tokens: int | None) -> bool:
    return len(text) <= max_chars and _tokens(text, counter, max_tokens) <= (max_tokens or 0)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


KEPT = tuple(name for name in Bulletin.__dataclass_fields__ if name not in {"fallback", "warnings"})


def as_json(bulletin: Bulletin) -> dict[str, Any]:
    """What a snapshot holds of a bulletin."""
    return {name: getattr(bulletin, name) for name in KEPT}
