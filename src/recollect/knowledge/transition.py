"""Transitions inside a transaction: edges and changes of status, each with its event."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

from recollect.errors import IllegalTransition
from recollect.model.edge import Edge, EdgeType
from recollect.model.event import Event, EventKind
from recollect.model.memory import Memory
from recollect.model.status import Status, check_transition
from recollect.storage.interface import Writer


def add_edge(writer: Writer, edge: Edge, actor: str) -> None:
    """Stores an edge between two memories; updates may not run in a circle."""
    start, end = edge.from_memory_id, edge.to_memory_id
    if edge.edge_type is EdgeType.UPDATES and writer.reaches(end, start, EdgeType.UPDATES.value):
        raise IllegalTransition("this edge would close a circle of updates", fromMemoryId=start, toMemoryId=end)
    writer.add_edge(edge)
    writer.add_events(
        [
            Event(
                kind=EventKind.LINKED,
                actor=actor,
                occurred_at=edge.created_at,
                memory_id=start,
                edge_id=edge.edge_id,
                reason=edge.reason,
                detail={"edgeType": edge.edge_type.value, "toMemoryId": end},
            )
        ]
    )


def supersede(writer: Writer, old: Memory, new: Memory, edge: Edge, actor: str) -> Memory:
    """Puts `new` in the place of `old`, which is kept; `edge` is the `Updates` edge from new to old."""
    check_transition(old.memory_id, old.status, Status.SUPERSEDED)
    problem = None
    if new.status is not Status.ACTIVE:
        problem = f"memory {new.memory_id} is {new.status.value} and cannot supersede another"
    elif new.scope != old.scope:
        problem = f"a {new.scope.kind.value} memory cannot supersede one of another scope"
    if problem:
        raise IllegalTransition(problem, memoryId=old.memory_id, by=new.memory_id)
    add_edge(writer, edge, actor)
    return set_status(writer, old, Status.SUPERSEDED, actor, edge.created_at, edge.reason, by=new.memory_id)


def set_status(
    writer: Writer,
    memory: Memory,
    status: Status,
    actor: str,
    now: datetime,
    reason: str | None,
    **detail: Any,
) -> Memory:
    """Changes a status, if it may change that way."""
    check_transition(memory.memory_id, memory.status, status)
    changed = replace(memory, status=status, updated_at=now)
    writer.replace_memory(changed)
    writer.add_events(
        [
            Event(
                kind=EventKind.STATUS_CHANGED,
                actor=actor,
                occurred_at=now,
                memory_id=memory.memory_id,
                reason=reason,
                detail={"from": memory.status.value, "to": status.value, **detail},
            )
        ]
    )
    return changed
