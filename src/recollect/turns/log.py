"""The turn log: the record of one turn, with its fingerprint, its summary, its entries and the feedback it got."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from recollect.model.clock import to_iso
from recollect.model.text import summarise
from recollect.model.turn import ItemKind, TurnFingerprint

MOST_ENTRIES = 200
_SUMMARY = 300


@dataclass(slots=True)
class TurnLog:
    """What happened in the turn that is going on. `state` holds the fingerprint once it is persisted."""

    state: dict[str, Any] = field(default_factory=dict)
    entries: list[dict[str, Any]] = field(default_factory=list)

    def note(self, area: str, message: str, at: datetime, level: str = "info", **data: Any) -> None:
        """Adds a line."""
        self.entries.append(entry(area, message, at, level, data))


def entry(
    area: str, message: str, at: datetime, level: str = "info", data: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """A line of a turn log."""
    return {"t": to_iso(at)[11:19], "area": area, "msg": message, "level": level, "data": dict(data or {})}


def document(
    log: TurnLog,
    fingerprint: TurnFingerprint,
    conversation_id: str,
    message: str,
    answer: str,
    earlier: Mapping[str, Any],
) -> dict[str, Any]:
    """What the index holds of a turn's log; feedback that an earlier writing of it got stays."""
    told = fingerprint.to_json()
    told_before = earlier.get("turn_log")
    before = told_before if isinstance(told_before, Mapping) else {}
    kept = [line for line in before.get("entries", []) if isinstance(line, Mapping) and line.get("area") == "feedback"]
    return {
        "turn_id": fingerprint.turn_id,
        "conversation_id": conversation_id,
        "turn_log": {
            "state": {**log.state, "fingerprint": told},
            "feedbacks": list(before.get("feedbacks", [])),
            "entries": [*log.entries, *kept][-MOST_ENTRIES:],
        },
        "turn_summary": {
            "objective": fingerprint.objective,
            "user_inquiry": summarise(message, _SUMMARY) if message else "",
            "assistant_answer": summarise(answer, _SUMMARY) if answer else "",
            "prefs": {name: told[name] for name in (ItemKind.ASSERTION.value, ItemKind.EXCEPTION.value)},
            "facts": told[ItemKind.FACT.value],
            "assistant_signals": told[ItemKind.SIGNAL.value],
        },
    }
