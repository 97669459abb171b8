"""Event: one line of the append-only record of what happened to a memory or a person, by whom and why."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any


class EventKind(StrEnum):
    """What can happen."""

    CREATED = "memory.created"
    EDITED = "memory.edited"
    STATUS_CHANGED = "memory.status_changed"
    LINKED = "edge.created"
    DENIED = "access.denied"
    SOURCE_ADDED = "memory.source_added"
    FORGOTTEN = "memory.forgotten"
    PERSON_CREATED = "person.created"
    PERSON_CHANGED = "person.changed"
    PERSON_MERGED = "person.merged"
    PERSON_SPLIT = "person.split"
    PERSON_FORGOTTEN = "person.forgotten"


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something that happened. `sequence` is given by the store and orders events whatever the clock did."""

    kind: EventKind
    actor: str
    occurred_at: datetime
    memory_id: str | None = None
    edge_id: str | None = None
    reason: str | None = None
    detail: dict[str, Any] = field(default_factory=dict)
    sequence: int | None = None
    person_id: str | None = None
