"""Rewinding: a memory as it read at an earlier time, from the values that its edits replaced."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from recollect.model.event import EventKind
from recollect.model.memory import Memory
from recollect.model.status import Status
from recollect.storage.interface import Reader


def rewound(reader: Reader, memory: Memory, moment: datetime) -> Memory:
    """A memory with every change after a moment undone."""
    if memory.updated_at <= moment:
        return memory
    for event in reversed(reader.events(memory.memory_id)):
        if event.occurred_at <= moment:
            break
        if event.kind is EventKind.EDITED:
            memory = replace(memory, **event.detail["before"])
        elif event.kind is EventKind.STATUS_CHANGED:
            memory = replace(memory, status=Status(event.detail["from"]))
    return memory
