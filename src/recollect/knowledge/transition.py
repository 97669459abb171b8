"""Transitions inside a transaction: edges and changes of status, each with its event."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

from recollect.errors import IllegalTransition
from recollect.model.edge import Edge, EdgeType
from recollect.model.event import Event, EventKind
from recollect.model.ids import IdFactory
from recollect.model.memory import Memory
from recollect.model.status import Status, check_transition
from recollect.storage.interface import Writer


def new_edge(
    ids: IdFactory, start: str, end: str, kind: Any, now: datetime, reason: str | None = None, weight: Any = 1.0
) -> Edge:
    """An edge from one memory to another, with an id of its own."""
    return Edge(
        edge_id=ids.new(),
        from_memory_id=start,
        to_memory_id=end,
        edge_type=kind,
        weight=weight,
        created_at=now,
        reason=reason,
    )


def add_edge(writer: Writer, edge: Edge, actor: str) -> None:
    """Stores an edge between two memories; both remember it in their history."""
    writer.add_edge(edge)
    ends = (
        (edge.from_memory_id, {"toMemoryId": edge.to_memory_id}),
        (edge.to_memory_id, {"fromMemoryId": edge.from_memory_id}),
    )
    writer.add_events(
        Event(
            kind=EventKind.LINKED,
            actor=actor,
            occurred_at=edge.created_at,
            memory_id=memory_id,
            edge_id=edge.edge_id,
            reason=edge.reason,
            detail={"edgeType": edge.edge_type.value, **other},
        )
        for memory_id, other in ends
    )


def check_linkable(edge: Edge) -> None:
    """An `Updates` edge says that one memory took another's place, so only supersession makes it."""
    if edge.edge_type is EdgeType.UPDATES:
        raise IllegalTransition(
            "an Updates edge is made by superseding", hint="use supersede", toMemoryId=edge.to_memory_id
        )


def supersede(writer: Writer, old: Memory, new: Memory, edge: Edge, actor: str) -> Memory:
    """Puts `new` in the place of `old`, which is kept; `edge` is the `Updates` edge from new to old."""
    check_transition(old.memory_id, old.status, Status.SUPERSEDED)
    problem = None
    if new.status is not Status.ACTIVE:
        problem = f"memory {new.memory_id} is {new.status.value} and cannot supersede another"
    elif new.scope != old.scope:
        problem = f"a {new.scope.kind.value} memory cannot supersede one of another scope"
    elif writer.reaches(old.memory_id, new.memory_id, EdgeType.UPDATES.value):
        problem = "a memory cannot supersede what it was superseded by"
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
