"""Rows and values: how a memory, edge or event is laid out in columns, and how a damaged row is noticed."""

from __future__ import annotations

import hashlib
import json
from functools import lru_cache
from typing import Any

from recollect.errors import InvalidInput
from recollect.model.clock import from_micros, to_micros
from recollect.model.edge import Edge
from recollect.model.event import Event, EventKind
from recollect.model.memory import Kind, Memory, MemoryType, Sensitivity
from recollect.model.scope import Scope
from recollect.model.source import CapturedBy, Source, SourceType
from recollect.model.status import Status

Row = tuple[Any, ...]


class DamagedRow(Exception):
    """A row that was changed behind our back, or holds what no version of ours writes."""

    def __init__(self, memory_id: str, message: str) -> None:
        super().__init__(message)
        self.memory_id = memory_id
        self.message = message


# A memory's own columns, in the order in which `memory_values` begins.
MEMORY_COLUMNS = (
    "memory_id",
    "orchestrator_id",
    "type",
    "importance",
    "content",
    "summary",
    "confidence",
    "status",
    "sensitivity",
    "trust",
    "observed_at",
    "created_at",
    "updated_at",
    "expires_at",
    "valid_from",
    "valid_to",
)


def memory_values(memory: Memory) -> Row:
    """The columns of a memory that its digest covers, in the order of the `memory` fragment."""
    # Enum members are texts already; their `.value` would cost more than everything else here.
    source = memory.source
    scope = memory.scope
    created_at = to_micros(memory.created_at)
    values = (
        memory.memory_id,
        memory.orchestrator_id,
        memory.type,
        memory.importance,
        memory.content,
        memory.summary,
        memory.confidence,
        memory.status,
        memory.sensitivity,
        source.trust,
        created_at if memory.observed_at is memory.created_at else to_micros(memory.observed_at),
        created_at,
        created_at if memory.updated_at is memory.created_at else to_micros(memory.updated_at),
        None if memory.expires_at is None else to_micros(memory.expires_at),
        None if memory.valid_from is None else to_micros(memory.valid_from),
        None if memory.valid_to is None else to_micros(memory.valid_to),
        scope.kind,
        scope.owner_user_id,
        scope.chat_id,
        *source_values(source),
    )
    # Rows from before there were kinds have a digest without one.
    return values if memory.kind is Kind.MEMORY else (*values, memory.kind)


def source_values(source: Source) -> Row:
    """The columns of a source."""
    return (
        source.source_type,
        source.captured_by,
        source.source_path,
        source.conversation_id,
        source.workflow_run_id,
        source.step_id,
        source.message_id,
        source.speaker,
        source.position,
    )


def digest(values: Row) -> bytes:
    """A checksum of a memory's columns: SQLite's own integrity check misses most flipped bits in text."""
    return hashlib.sha256("\x1f".join(map(str, values)).encode("utf-8", "surrogatepass")).digest()


def read_memory(row: Row) -> Memory:
    """A memory from the columns of the `memory` fragment.

    Raises:
        DamagedRow: if its digest does not match or its values are not valid.
    """
    stored_digest, kind = row[16], row[29]
    values = row[:16] + row[17:29] if kind == "memory" else row[:16] + row[17:]
    if digest(values) != stored_digest:
        raise DamagedRow(str(row[0]), "the stored row does not match its digest")
    try:
        return _build_memory(values, _KINDS[kind])
    except (KeyError, TypeError, InvalidInput, OverflowError) as error:
        raise DamagedRow(str(row[0]), f"the stored row is not valid: {error!r}") from error


# A row whose digest matches was valid when it was written, so it is not checked all over again: recall reads dozens.
_new = object.__new__
_put = object.__setattr__
_TYPES = {member.value: member for member in MemoryType}
_STATUSES = {member.value: member for member in Status}
_SENSITIVITIES = {member.value: member for member in Sensitivity}
_KINDS = {member.value: member for member in Kind}
_SOURCE_TYPES = {member.value: member for member in SourceType}
_CAPTURERS = {member.value: member for member in CapturedBy}
_SOURCE_FIELDS = (
    "source_path", "conversation_id", "workflow_run_id", "step_id", "message_id", "speaker", "position"
)  # fmt: skip


def _build_memory(values: Row, kind: Kind) -> Memory:
    memory = _new(Memory)
    created = from_micros(values[11])
    for name, value in (
        ("memory_id", values[0]),
        ("orchestrator_id", values[1]),
        ("type", _TYPES[values[2]]),
        ("importance", values[3]),
        ("content", values[4]),
        ("summary", values[5]),
        ("confidence", values[6]),
        ("status", _STATUSES[values[7]]),
        ("sensitivity", _SENSITIVITIES[values[8]]),
        ("observed_at", created if values[10] == values[11] else from_micros(values[10])),
        ("created_at", created),
        ("updated_at", created if values[12] == values[11] else from_micros(values[12])),
        ("expires_at", None if values[13] is None else from_micros(values[13])),
        ("valid_from", None if values[14] is None else from_micros(values[14])),
        ("valid_to", None if values[15] is None else from_micros(values[15])),
        ("scope", _scope(values[17], values[18], values[16] == "shared")),
        ("source", _build_source(values)),
        ("kind", kind),
    ):
        _put(memory, name, value)
    return memory


@lru_cache(maxsize=4096)
def _scope(owner: str | None, chat: str | None, shared: bool) -> Scope:
    """Scopes are few and never change: one value serves all memories in it."""
    return Scope(owner_user_id=owner, chat_id=chat, shared=shared)


def _build_source(values: Row) -> Source:
    source = _new(Source)
    _put(source, "source_type", _SOURCE_TYPES[values[19]])
    _put(source, "captured_by", _CAPTURERS[values[20]])
    for name, value in zip(_SOURCE_FIELDS, values[21:28], strict=True):
        _put(source, name, value)
    return source


def read_edge(row: Row) -> Edge:
    """An edge from the columns of the `edges` query."""
    return Edge(
        edge_id=row[0],
        from_memory_id=row[1],
        to_memory_id=row[2],
        edge_type=row[3],
        weight=row[4],
        reason=row[5],
        created_at=from_micros(row[6]),
    )


def read_event(row: Row) -> Event:
    """An event from the columns of the `events` query."""
    return Event(
        sequence=row[0],
        occurred_at=from_micros(row[1]),
        kind=EventKind(row[2]),
        actor=row[3],
        memory_id=row[4],
        edge_id=row[5],
        reason=row[6],
        detail=json.loads(row[7]) if row[7] else {},
        person_id=row[8],
    )


def event_values(event: Event) -> Row:
    """The columns of an event, in the order of `add_event`."""
    return (
        to_micros(event.occurred_at),
        event.kind,
        event.actor,
        event.memory_id,
        event.edge_id,
        event.reason,
        json.dumps(event.detail, ensure_ascii=False) if event.detail else None,
        event.person_id,
    )
