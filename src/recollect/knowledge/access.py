"""Access by id: what the caller may not see is simply not there, and reaching for it is recorded."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TypeVar

from recollect.errors import NotFound
from recollect.log import MemoryLog
from recollect.model.clock import Clock
from recollect.model.event import Event, EventKind
from recollect.model.memory import Memory
from recollect.model.scope import Speaker, Visibility, gate
from recollect.model.status import Status
from recollect.storage.interface import Reader, Storage

T = TypeVar("T")


def everything(orchestrator_id: str, speaker: Speaker, now: datetime) -> Visibility:
    """All that a caller may see, in any status, expired or not."""
    return gate(orchestrator_id, speaker, now, statuses=Status, include_expired=True)


def visible(reader: Reader, visibility: Visibility, memory_id: str) -> Memory:
    """A memory that the caller may see; anything else is not found."""
    memory = reader.memory(visibility, memory_id)
    if memory is None:
        raise NotFound(f"no memory {memory_id}", hint="`list` shows what there is", memoryId=memory_id)
    return memory


def recording_denials(
    storage: Storage, clock: Clock, log: MemoryLog, speaker: Speaker, action: str, work: Callable[[], T]
) -> T:
    """Runs work; when it reached for a memory that is there but hidden, the attempt is recorded."""
    try:
        return work()
    except NotFound as error:
        memory_id = error.details["memoryId"]
        if storage.read(lambda reader: reader.exists(memory_id)):
            denial = Event(
                kind=EventKind.DENIED,
                actor=speaker.actor,
                occurred_at=clock.now(),
                memory_id=memory_id,
                reason=f"{action}: outside the caller's scope",
            )
            storage.write(lambda writer: writer.add_events([denial]))
            log.write(
                "memory.access.denied",
                level="warning",
                memoryId=memory_id,
                actor=speaker.actor,
                action=action,
            )
        raise
