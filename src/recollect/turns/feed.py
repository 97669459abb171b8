"""From fingerprints to knowledge: what a turn told that lasts becomes memories that cite their turn."""

from __future__ import annotations

import hashlib
import json
from datetime import timedelta
from typing import Any

from recollect.knowledge import Draft
from recollect.model.memory import MemoryType
from recollect.model.source import CapturedBy, Source, SourceType
from recollect.model.turn import PASSING_SCOPES, Item, ItemKind, TurnFingerprint, tag_key
from recollect.turns.artifacts import Place

_LASTING = (ItemKind.ASSERTION, ItemKind.EXCEPTION, ItemKind.FACT)
_CONFIDENCE = 0.8
_FEWEST_WORDS = 3
_LONGEST = 1_000


def drafts(fingerprint: TurnFingerprint, place: Place, keep: timedelta | None = None) -> list[Draft]:
    """What a fingerprint has to say beyond its own conversation; what holds for one piece of work stays there.

    `keep` is how long something of this user may be kept; None for good.
    """
    return [
        _draft(item, kind, place, keep)
        for kind in _LASTING
        for item in fingerprint.items(kind)
        if item.scope not in PASSING_SCOPES and item.value not in (None, "")
    ]


def _draft(item: Item, kind: ItemKind, place: Place, keep: timedelta | None) -> Draft:
    told = json.dumps([kind.value, item.to_json()], sort_keys=True)
    digest = hashlib.sha256(f"{place.conversation_id} {place.turn_id} {told}".encode()).hexdigest()
    source = Source(
        source_type=SourceType.CHANNEL_TRANSCRIPT,
        captured_by=CapturedBy.EXTRACTOR,
        conversation_id=place.conversation_id,
        message_id=place.turn_id,
    )
    return Draft(
        content=sentence(item, kind)[:_LONGEST],
        type=None if kind is ItemKind.FACT else MemoryType.PREFERENCE,
        confidence=_CONFIDENCE,
        source=source,
        expires="never" if keep is None else keep,
        key=f"turn {digest}",
    )


def sentence(item: Item, kind: ItemKind) -> str:
    """An item in words. A value that is a sentence speaks for itself."""
    value = _worded(item.value)
    if isinstance(item.value, str) and len(value.split()) >= _FEWEST_WORDS:
        return value
    key = tag_key(item.key).replace("_", " ") or item.key
    where = f" for {item.applies_to}" if item.applies_to else ""
    if kind is ItemKind.FACT:
        return f"My {key}{where} is {value}"
    if kind is ItemKind.EXCEPTION:
        return f"I don't want {value} as {key}{where}"
    return f"My preferred {key}{where} is {value}"


def _worded(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return ", ".join(f"{name} {_worded(each)}" for name, each in value.items())
    if isinstance(value, list):
        return ", ".join(map(_worded, value))
    return str(value)
