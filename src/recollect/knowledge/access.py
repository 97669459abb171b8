"""Access by id: what the caller may not see is simply not there, and reaching for it is recorded."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import TypeVar

from recollect.errors import NotFound, StorageError
from recollect.knowledge.provenance import Workspace
from recollect.log import MemoryLog
from recollect.model.clock import Clock
from recollect.model.event import Event, EventKind
from recollect.model.memory import Kind, Memory
from recollect.model.scope import Speaker, Visibility, gate
from recollect.model.status import Status
from recollect.storage.interface import Reader, Storage

T = TypeVar("T")


def everything(
    orchestrator_id: str, speaker: Speaker, now: datetime, kinds: Iterable[Kind] = tuple(Kind)
) -> Visibility:
    """All that a caller may see, of some kinds, in any status, expired or not."""
    return gate(orchestrator_id, speaker, now, statuses=Status, include_expired=True, kinds=kinds)


class Access:
    """Finds memories by id for a speaker."""

    def __init__(self, storage: Storage, clock: Clock, workspace: Workspace, log: MemoryLog) -> None:
        self._storage = storage
        self._clock = clock
        self._workspace = workspace
        self._log = log

    def visible(self, reader: Reader, visibility: Visibility, memory_id: str) -> Memory:
        """A memory that the caller may see and whose source is still allowed; anything else is not found."""
        memory = reader.memory(visibility, memory_id)
        if memory is None or self.withheld(memory):
            raise NotFound(f"no memory {memory_id}", hint="`list` shows what there is", memoryId=memory_id)
        return memory

    def withheld(self, memory: Memory) -> bool:
        """Whether a memory is kept back because its file no longer lies where sources may; that is logged."""
        path = memory.source.source_path
        if path is None or self._workspace.allows(path):
            return False
        self._log.write("memory.recall.source_path_denied", level="warning", memoryId=memory.memory_id)
        return True

    def guarded(self, action: str, speaker: Speaker, work: Callable[[], T]) -> T:
        """Runs work; when it reached for a memory that is there but hidden, the attempt is recorded."""
        try:
            return work()
        except NotFound as error:
            self.record_denial(action, speaker, error.details["memoryId"])
            raise

    def record_denial(self, action: str, speaker: Speaker, memory_id: str) -> None:
        """Records that a speaker reached for a hidden memory; a missing one is only noted in the log.

        An id that another orchestrator has is missing here. The answer must not depend on whether the recording
        succeeds: that, too, would tell hidden from missing.
        """
        denial = Event(
            kind=EventKind.DENIED,
            actor=speaker.actor,
            occurred_at=self._clock.now(),
            memory_id=memory_id,
            reason=f"{action}: outside the caller's scope",
        )
        try:
            hidden = self._storage.read(lambda reader: reader.exists(memory_id))
            self._log.write(
                "memory.access.denied" if hidden else "memory.access.not_found",
                level="warning",
                memoryId=memory_id,
                actor=speaker.actor,
                action=action,
            )
            if hidden:
                self._storage.write(lambda writer: writer.add_events([denial]))
        except StorageError as error:
            self._log.write("memory.access.unrecorded", level="error", memoryId=memory_id, code=error.code)
