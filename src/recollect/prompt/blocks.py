"""The blocks of a journal: turn memories, feedback, assistant signals, buckets. Bounded, ordered, unforgeable."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from recollect.model.artifact import listed
from recollect.model.turn import ItemKind, TurnFingerprint
from recollect.prompt.lines import age, minute, name, one_line, quoted, shown, spoken_time
from recollect.turns.feedback import Feedback

NEWEST_FIRST = "newest->oldest"
LONGEST_BLOCK = 16_000
_LETTERS = ((ItemKind.ASSERTION, "A"), (ItemKind.EXCEPTION, "E"), (ItemKind.FACT, "F"))
_LONGEST_VALUE = 200
_LONGEST_OBJECTIVE = 200
_MOST_SHOWN = 16
_MOST_PER_KIND = 12
_GATE_VALUE = 80
_GATE_ITEMS = 6
_GATE_TOPICS = 4
_TOPICS = 8
_FEEDBACK_SHOWN = 32
_FEEDBACK_TEXT = 400
_SIGNALS_SHOWN = 32
_SIGNALS_PER_TURN = 8
_BUCKETS_SHOWN = 3
_NONE = "(none)"


def heading(title: str, order_label: str = "", scope_label: str = "") -> str:
    """The head of a block, with its order and scope where there are any."""
    parts = [one_line(order_label, 40), f"scope={one_line(scope_label, 60)}" if scope_label else ""]
    told = "; ".join(part for part in parts if part)
    return f"[{title} — CHRONOLOGICAL ({told})]" if told else f"[{title} — CHRONOLOGICAL]"


def format_turn_memories_block(
    turn_memories: Iterable[Any],
    order_label: str = NEWEST_FIRST,
    scope_label: str = "conversation",
    *,
    max_items: int = _MOST_SHOWN,
    current_turn_id: str | None = None,
    max_chars: int = LONGEST_BLOCK,
) -> str:
    """Turn memories, each on two lines; the newest where there are too many. Empty where there are none.

    Memories are fingerprints, or their documents, newest first; with an order label that begins with `oldest` they are
    shown the other way round.
    """
    entries = _rendered(
        _newest(_documents(turn_memories), max_items, "made_at"), lambda each: _memory(each, current_turn_id)
    )
    head = [heading("TURN MEMORIES", order_label, scope_label), "Legend: A=assertions, E=exceptions, F=facts"]
    return _block(head, entries, order_label, max_chars)


def format_gate_memories_block(
    turn_memories: Iterable[Any],
    *,
    current_turn_id: str | None = None,
    max_items: int = 25,
    max_chars: int = LONGEST_BLOCK,
) -> str:
    """Turn memories as a gate and a reconciler choose from them: one line each, without assistant signals."""
    entries = _rendered(
        _newest(_documents(turn_memories), max_items, "made_at"), lambda each: _gate_memory(each, current_turn_id)
    )
    return _block([heading("TURN MEMORIES", NEWEST_FIRST, "conversation")], entries, NEWEST_FIRST, max_chars)


def format_feedback_block(
    feedback_items: Iterable[Any],
    order_label: str = NEWEST_FIRST,
    scope_label: str = "conversation",
    *,
    max_items: int = _FEEDBACK_SHOWN,
    now: datetime | None = None,
    max_chars: int = LONGEST_BLOCK,
) -> str:
    """Feedback, newest where there is too much; never filtered by selection. Empty where there is none."""
    items = [_plain(each) for each in listed(feedback_items, "feedbackItems")]
    chosen = _newest([each for each in items if each], max_items, "ts")
    entries = _rendered(chosen, lambda each: _feedback(each, now))
    return _block([heading("USER FEEDBACK", order_label, scope_label)], entries, order_label, max_chars)


def format_assistant_signals_block(
    assistant_signals: Iterable[Any],
    order_label: str = NEWEST_FIRST,
    scope_label: str = "user_cross_conversation",
    *,
    max_items: int = _SIGNALS_SHOWN,
    now: datetime | None = None,
    max_chars: int = LONGEST_BLOCK,
) -> str:
    """What the assistant has already promoted, by turn; for the final answer only. Empty where there is nothing."""
    told = [each for each in _documents(assistant_signals) if _items(each, ItemKind.SIGNAL)]
    entries = _rendered(_newest(told, max_items, "made_at"), lambda each: _signals(each, now))
    return _block([heading("ASSISTANT SIGNALS", order_label, scope_label)], entries, order_label, max_chars)


def format_buckets_block(cards: Iterable[Any], *, max_items: int = _BUCKETS_SHOWN) -> str:
    """Buckets that were picked: their name, what weighs most in them, and their last slices."""
    chosen = [each for each in listed(cards, "cards") if isinstance(each, Mapping)][:max_items]
    entries = _rendered(chosen, _bucket)
    return _block(["[MEMORIES COLLECTED AND RELEVANT]"], entries, NEWEST_FIRST, LONGEST_BLOCK)


def _memory(data: Mapping[str, Any], current: str | None) -> str:
    topics = ", ".join(name(topic, 40) for topic in _list(data, "topics")[:_TOPICS])
    mark = " (current turn)" if current is not None and data.get("turn_id") == current else ""
    head = (
        f"- {name(data.get('turn_id'))}{mark} ({minute(data.get('made_at')).strip('()')}) "
        f"obj={quoted(data.get('objective') or '', _LONGEST_OBJECTIVE)} topics=[{topics}]"
    )
    parts = []
    for kind, letter in _LETTERS:
        items = [_item(each, _LONGEST_VALUE) for each in _items(data, kind)[:_MOST_PER_KIND]]
        parts.append(f"{letter}: {'; '.join(items) or _NONE}")
    return f"{head}\n  {' | '.join(parts)}"


def _gate_memory(data: Mapping[str, Any], current: str | None) -> str:
    mark = " (current turn)" if current is not None and data.get("turn_id") == current else ""
    parts = [f"objective={shown(data.get('objective') or '', _GATE_VALUE)}"]
    for kind, letter in _LETTERS:
        items = [
            f"{name(each.get('key'))}={shown(each.get('value'), _GATE_VALUE)}"
            for each in _items(data, kind)[:_GATE_ITEMS]
        ]
        parts.append(f"{letter}=[{', '.join(items)}]")
    topics = ", ".join(name(topic, 40) for topic in _list(data, "topics")[:_GATE_TOPICS])
    head = f"- {name(data.get('turn_id'))}{mark} ({spoken_time(data.get('made_at')).strip('()')})"
    return f"{head} {'; '.join(parts)}; topics=[{topics}]"


def _feedback(data: Mapping[str, Any], now: datetime | None) -> str:
    head = _about(data, "ts", now)
    head += [f"origin={name(data.get('origin') or 'unknown')}", f"reaction={name(data.get('reaction') or 'none')}"]
    lines = [" | ".join(head)]
    if data.get("objective"):
        lines.append(f"  - objective: {shown(data['objective'], _LONGEST_OBJECTIVE)}")
    if data.get("text"):
        lines.append(f"  - text: {shown(data['text'], _FEEDBACK_TEXT)}")
    return "\n".join(lines)


def _signals(data: Mapping[str, Any], now: datetime | None) -> str:
    lines = [" | ".join(_about(data, "made_at", now))]
    lines += [
        f"  - signal: {_item(each, _LONGEST_VALUE, ' = ')}"
        for each in _items(data, ItemKind.SIGNAL)[:_SIGNALS_PER_TURN]
    ]
    return "\n".join(lines)


def _about(data: Mapping[str, Any], when: str, now: datetime | None) -> list[str]:
    """Which turn, when, and how long ago; what is not known of it is left out."""
    told = [f"- turn_id={name(data.get('turn_id'))}"]
    at = minute(data.get(when))
    if at.startswith("("):
        return told
    since = None if now is None else age(data.get(when), now)
    return [*told, at, *([f"time_since={since}"] if since else [])]


def _bucket(data: Mapping[str, Any]) -> str:
    described = shown(data.get("short_desc") or "", _LONGEST_OBJECTIVE)
    lines = [f"- {name(data.get('name'))} — {described} (id={name(data.get('bucket_id'))})"]
    top = data.get("top_signals")
    for kind, letter in _LETTERS:
        weighty = [_item(each, _GATE_VALUE) for each in _list(top, kind.value)[:4] if isinstance(each, Mapping)]
        if weighty:
            lines.append(f"  {letter}: {'; '.join(weighty)}")
    for each in _list(data, "timeline")[-3:]:
        if isinstance(each, Mapping):
            span = f"{minute(each.get('ts_from'))}..{minute(each.get('ts_to'))}"
            lines.append(f"  · {span} {shown(each.get('objective_hint') or '', _LONGEST_OBJECTIVE)}")
    return "\n".join(lines)


def _item(data: Mapping[str, Any], longest: int, equals: str = "=") -> str:
    more = [name(data["severity"])] if data.get("severity") else []
    more += [f"{field}={name(data[field])}" for field in ("scope", "applies_to") if data.get(field)]
    told = f"{name(data.get('key'))}{equals}{shown(data.get('value'), longest)}"
    return f"{told} ({', '.join(more)})" if more else told


def _documents(memories: Iterable[Any]) -> list[Mapping[str, Any]]:
    given = [each.to_json() if isinstance(each, TurnFingerprint) else each for each in listed(memories, "turnMemories")]
    return [each for each in given if isinstance(each, Mapping)]


def _plain(item: Any) -> Mapping[str, Any]:
    if isinstance(item, Feedback):
        return item.to_json()
    return item if isinstance(item, Mapping) else {}


def _items(data: Mapping[str, Any], kind: ItemKind) -> list[Mapping[str, Any]]:
    return [each for each in _list(data, kind.value) if isinstance(each, Mapping) and each.get("key")]


def _list(data: Any, field: str) -> list[Any]:
    value = data.get(field) if isinstance(data, Mapping) else None
    return list(value) if isinstance(value, list | tuple) else []


def _newest(items: Sequence[Mapping[str, Any]], most: int, when: str) -> list[Mapping[str, Any]]:
    """The newest, newest first: what has no time is taken to be the oldest; those of one time keep their order."""
    return sorted(items, key=lambda each: _time(each, when), reverse=True)[: max(0, most)]


def _time(item: Mapping[str, Any], when: str) -> str:
    told = minute(item.get(when))
    return "" if told.startswith("(") else str(item[when])


def _rendered(items: Iterable[Mapping[str, Any]], render: Callable[[Mapping[str, Any]], str]) -> list[str]:
    return [render(each) for each in items]


def _block(head: list[str], entries: Sequence[str], order_label: str, max_chars: int) -> str:
    """A block within its bound: what does not fit is left out, the oldest first."""
    if not entries:
        return ""
    kept, used = [], sum(len(line) + 1 for line in head)
    for entry in entries:
        used += len(entry) + 1
        if used > max_chars:
            break
        kept.append(entry)
    ordered = kept[::-1] if order_label.lower().startswith("oldest") else kept
    return "\n".join([*head, *ordered]) if kept else ""
