"""How knowledge changes: edits, supersession, retraction, links; each explicit, each with its event."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Any, TypeVar

from recollect.errors import IllegalTransition, NotFound
from recollect.knowledge.access import everything, recording_denials, visible
from recollect.knowledge.provenance import Workspace
from recollect.knowledge.transition import add_edge, set_status, supersede
from recollect.log import MemoryLog
from recollect.model.check import Checker
from recollect.model.clock import Clock
from recollect.model.edge import Edge, EdgeType
from recollect.model.event import Event, EventKind
from recollect.model.ids import IdFactory, check_uuid
from recollect.model.memory import Memory
from recollect.model.scope import Speaker
from recollect.model.status import Status
from recollect.model.terms import terms
from recollect.model.text import summarise
from recollect.model.wire import dump
from recollect.storage.interface import Storage, Writer

T = TypeVar("T")

_REASON_LENGTH = 1_000
_EDITABLE = frozenset(
    {
        "content",
        "summary",
        "type",
        "importance",
        "confidence",
        "sensitivity",
        "expires_at",
        "valid_from",
        "valid_to",
    }
)


class Change:
    """Changes what is known, within what the speaker may see, and records who did it and why."""

    def __init__(self, storage: Storage, clock: Clock, ids: IdFactory, workspace: Workspace, log: MemoryLog) -> None:
        self._storage = storage
        self._clock = clock
        self._ids = ids
        self._workspace = workspace
        self._log = log

    def edit(self, memory_id: str, changes: dict[str, Any], speaker: Speaker, reason: str | None) -> Memory:
        """New values for some fields of an active memory; the old ones stay in the event."""
        _check_editable(changes)
        if "summary" not in changes and isinstance(changes.get("content"), str):
            changes = {**changes, "summary": summarise(changes["content"]) or changes["content"]}

        def work(writer: Writer, memory: Memory, now: datetime) -> Memory:
            if memory.status is not Status.ACTIVE:
                raise IllegalTransition(
                    f"memory {memory.memory_id} is {memory.status.value} and cannot be edited",
                    memoryId=memory.memory_id,
                    status=memory.status.value,
                )
            edited = replace(memory, **changes, updated_at=now)
            before = {name: getattr(memory, name) for name in changes if getattr(memory, name) != getattr(edited, name)}
            writer.replace_memory(edited, terms(edited.content) if "content" in before else None)
            writer.add_events(
                [
                    Event(
                        kind=EventKind.EDITED,
                        actor=speaker.actor,
                        occurred_at=now,
                        memory_id=memory_id,
                        reason=reason,
                        detail={"before": dump(before)},
                    )
                ]
            )
            return edited

        return self._change("edit", memory_id, speaker, reason, work)

    def retract(self, memory_id: str, speaker: Speaker, reason: str | None) -> Memory:
        """Marks a memory as wrong. It stays in its history and is never recalled again."""

        def work(writer: Writer, memory: Memory, now: datetime) -> Memory:
            return set_status(writer, memory, Status.RETRACTED, speaker.actor, now, reason)

        return self._change("retract", memory_id, speaker, reason, work)

    def supersede(self, memory_id: str, by: str, speaker: Speaker, reason: str | None) -> tuple[Memory, Memory]:
        """Puts a newer memory in the place of an older one; returns (old, new)."""

        def work(writer: Writer, old: Memory, now: datetime) -> tuple[Memory, Memory]:
            edge = self._edge(by, memory_id, EdgeType.UPDATES, 1.0, now, reason)
            new = visible(writer, everything(old.orchestrator_id, speaker, now), by)
            return supersede(writer, old, new, edge, speaker.actor), new

        return self._change("supersede", memory_id, speaker, reason, work)

    def link(
        self, start: str, end: str, edge_type: Any, speaker: Speaker, reason: str | None, weight: Any = 1.0
    ) -> Edge:
        """Relates two memories; a contradiction is such a relation and deletes nothing."""

        def work(writer: Writer, memory: Memory, now: datetime) -> Edge:
            edge = self._edge(start, end, edge_type, weight, now, reason)
            visible(writer, everything(memory.orchestrator_id, speaker, now), end)
            add_edge(writer, edge, speaker.actor)
            return edge

        return self._change("link", start, speaker, reason, work)

    def show(self, memory_id: str, speaker: Speaker) -> Memory:
        """One memory in any status, if the speaker may see it and its source is still allowed."""
        check_uuid(memory_id, "memoryId")
        seen = everything(self._storage.orchestrator_id, speaker, self._clock.now())
        memory = self._guarded(
            "show", speaker, lambda: self._storage.read(lambda reader: visible(reader, seen, memory_id))
        )
        if self.withheld(memory):
            raise NotFound(f"no memory {memory_id}", memoryId=memory_id)
        return memory

    def withheld(self, memory: Memory) -> bool:
        """Whether a memory is kept back because its file no longer lies where sources may; that is logged."""
        path = memory.source.source_path
        if path is None or self._workspace.allows(path):
            return False
        self._log.write("memory.recall.source_path_denied", level="warning", memoryId=memory.memory_id)
        return True

    def history(self, memory_id: str, speaker: Speaker) -> list[Event]:
        """What happened to a memory, oldest first."""
        self.show(memory_id, speaker)
        return self._storage.read(lambda reader: reader.events(memory_id))

    def _edge(self, start: str, end: str, edge_type: Any, weight: Any, now: datetime, reason: str | None) -> Edge:
        return Edge(
            edge_id=self._ids.new(),
            from_memory_id=start,
            to_memory_id=end,
            edge_type=edge_type,
            weight=weight,
            created_at=now,
            reason=reason,
        )

    def _change(
        self,
        action: str,
        memory_id: str,
        speaker: Speaker,
        reason: str | None,
        work: Callable[[Writer, Memory, datetime], T],
    ) -> T:
        """Finds the memory and runs work on it in one transaction."""
        check_uuid(memory_id, "memoryId")
        check = Checker()
        check.optional_text(reason, "reason", "invalid_reason", _REASON_LENGTH)
        check.done()
        now = self._clock.now()
        seen = everything(self._storage.orchestrator_id, speaker, now)
        result = self._guarded(
            action,
            speaker,
            lambda: self._storage.write(lambda writer: work(writer, visible(writer, seen, memory_id), now)),
        )
        self._log.write(f"memory.{action}", memoryId=memory_id, actor=speaker.actor)
        return result

    def _guarded(self, action: str, speaker: Speaker, work: Callable[[], T]) -> T:
        return recording_denials(self._storage, self._clock, self._log, speaker, action, work)


def _check_editable(changes: dict[str, Any]) -> None:
    check = Checker()
    for name in sorted(set(changes) - _EDITABLE):
        check.fail("unknown_field", name, changes[name], "one of " + ", ".join(sorted(_EDITABLE)))
    check.done()
