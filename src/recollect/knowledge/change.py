"""How knowledge changes: edits, supersession, retraction, links; each explicit, each with its event."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Any, TypeVar

from recollect.errors import IllegalTransition
from recollect.knowledge.access import Access, everything
from recollect.knowledge.draft import expiry, refuse_secrets
from recollect.knowledge.evolve import Evolve
from recollect.knowledge.remember import searchable
from recollect.knowledge.secrets import masked
from recollect.knowledge.transition import add_edge, check_linkable, new_edge, set_status, supersede
from recollect.knowledge.understand import content_key
from recollect.log import MemoryLog
from recollect.model.check import Checker
from recollect.model.clock import Clock
from recollect.model.edge import REASON_LENGTH, Edge, EdgeType
from recollect.model.event import Event, EventKind
from recollect.model.ids import IdFactory, check_uuid
from recollect.model.memory import Kind, Memory
from recollect.model.scope import Speaker, Visibility
from recollect.model.status import Status
from recollect.model.text import summarise
from recollect.model.wire import dump
from recollect.storage.interface import Reader, Storage, Writer

T = TypeVar("T")

_EDITABLE = frozenset(
    ("content", "summary", "type", "importance", "confidence", "sensitivity", "expires", "valid_from", "valid_to")
)


class Change:
    """Changes what is known, within what the speaker may see, and records who did it and why."""

    def __init__(
        self, storage: Storage, clock: Clock, ids: IdFactory, access: Access, log: MemoryLog, *, awaits_vectors: bool
    ) -> None:
        self._storage = storage
        self._clock = clock
        self._ids = ids
        self._access = access
        self._log = log
        self._awaits_vectors = awaits_vectors
        self._evolve = Evolve(ids)

    def edit(self, memory_id: str, changes: dict[str, Any], speaker: Speaker, reason: str | None) -> Memory:
        """New values for some fields of an active memory; the old ones stay in the event."""
        _check_editable(changes)
        changes = dict(changes)
        for name in ("content", "summary"):
            if isinstance(changes.get(name), str):
                refuse_secrets(changes[name])
        if "summary" not in changes and "content" in changes:
            changes["summary"] = summarise(str(changes["content"]))
        if "expires" in changes:
            given = changes.pop("expires")
            changes["expires_at"] = None if given is None else expiry(given, self._clock.now())

        def work(writer: Writer, memory: Memory, now: datetime, reason: str | None) -> Memory:
            if memory.status is not Status.ACTIVE:
                raise IllegalTransition(
                    f"memory {memory.memory_id} is {memory.status.value} and cannot be edited",
                    memoryId=memory.memory_id,
                    status=memory.status.value,
                )
            edited = replace(memory, **changes, updated_at=now)
            before = {name: getattr(memory, name) for name in changes if getattr(memory, name) != getattr(edited, name)}
            writer.replace_memory(
                edited, searchable(edited) if "content" in before else None, awaits_vector=self._awaits_vectors
            )
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
            if "content" in before and edited.kind is Kind.MEMORY:
                writer.set_content_key(memory_id, content_key(edited.content))
                circle = self._evolve.circle(writer, speaker, now)
                self._evolve.take_in(writer, edited, speaker, circle, new=False)
            return edited

        return self._change("edit", memory_id, speaker, reason, work)

    def retract(self, memory_id: str, speaker: Speaker, reason: str | None) -> Memory:
        """Marks a memory as wrong. It stays in its history and is never recalled again."""

        def work(writer: Writer, memory: Memory, now: datetime, reason: str | None) -> Memory:
            return set_status(writer, memory, Status.RETRACTED, speaker.actor, now, reason)

        return self._change("retract", memory_id, speaker, reason, work)

    def restore(self, memory_id: str, speaker: Speaker, reason: str | None) -> Memory:
        """Lets a memory count again; what had taken its place is retracted."""

        def work(writer: Writer, memory: Memory, now: datetime, reason: str | None) -> Memory:
            restored = set_status(writer, memory, Status.ACTIVE, speaker.actor, now, reason)
            seen = everything(memory.orchestrator_id, speaker, now)
            for edge in writer.edges(seen, [memory_id]):
                newer = writer.memory(seen, edge.from_memory_id)
                replaced = edge.edge_type is EdgeType.UPDATES and edge.to_memory_id == memory_id
                if replaced and newer is not None and newer.status is Status.ACTIVE:
                    set_status(writer, newer, Status.RETRACTED, speaker.actor, now, f"undone: {memory_id} is restored")
            return restored

        return self._change("restore", memory_id, speaker, reason, work)

    def supersede(self, memory_id: str, by: str, speaker: Speaker, reason: str | None) -> tuple[Memory, Memory]:
        """Puts a newer memory in the place of an older one; returns (old, new)."""

        def work(writer: Writer, old: Memory, now: datetime, reason: str | None) -> tuple[Memory, Memory]:
            edge = new_edge(self._ids, by, memory_id, EdgeType.UPDATES, now, reason)
            new = self._access.visible(writer, everything(old.orchestrator_id, speaker, now), by)
            return supersede(writer, old, new, edge, speaker.actor), new

        return self._change("supersede", memory_id, speaker, reason, work)

    def link(
        self, start: str, end: str, edge_type: Any, speaker: Speaker, reason: str | None, weight: Any = 1.0
    ) -> Edge:
        """Relates two memories; a contradiction is such a relation and deletes nothing."""

        def work(writer: Writer, memory: Memory, now: datetime, reason: str | None) -> Edge:
            edge = new_edge(self._ids, start, end, edge_type, now, reason, weight)
            check_linkable(edge)
            self._access.visible(writer, everything(memory.orchestrator_id, speaker, now), end)
            add_edge(writer, edge, speaker.actor)
            return edge

        return self._change("link", start, speaker, reason, work)

    def show(self, memory_id: str, speaker: Speaker) -> Memory:
        """One memory in any status, if the speaker may see it."""
        return self._look("show", memory_id, speaker, lambda _reader, _seen, memory: memory)

    def edges(self, memory_id: str, speaker: Speaker) -> list[Edge]:
        """The edges of a memory whose other ends the speaker may see."""
        return self._look(
            "edges",
            memory_id,
            speaker,
            lambda reader, seen, _memory: [
                edge
                for edge in reader.edges(seen, [memory_id])
                if self._sees(reader, seen, _other_end(edge, memory_id))
            ],
        )

    def history(self, memory_id: str, speaker: Speaker) -> list[Event]:
        """What happened to a memory, oldest first; links to memories that the speaker may not see are left out."""

        def told(reader: Reader, seen: Visibility, _memory: Memory) -> list[Event]:
            ends = ("toMemoryId", "fromMemoryId", "by")
            return [
                event
                for event in reader.events(memory_id)
                if all(self._sees(reader, seen, event.detail[end]) for end in ends if end in event.detail)
            ]

        return self._look("history", memory_id, speaker, told)

    def _sees(self, reader: Reader, seen: Visibility, memory_id: str) -> bool:
        memory = reader.memory(seen, memory_id)
        return memory is not None and not self._access.withheld(memory)

    def _look(
        self, action: str, memory_id: str, speaker: Speaker, work: Callable[[Reader, Visibility, Memory], T]
    ) -> T:
        """Finds the memory and runs work on one view of the store."""
        check_uuid(memory_id, "memoryId")
        seen = everything(self._storage.orchestrator_id, speaker, self._clock.now())
        return self._access.guarded(
            action,
            speaker,
            lambda: self._storage.read(
                lambda reader: work(reader, seen, self._access.visible(reader, seen, memory_id))
            ),
        )

    def _change(
        self,
        action: str,
        memory_id: str,
        speaker: Speaker,
        reason: str | None,
        work: Callable[[Writer, Memory, datetime, str | None], T],
    ) -> T:
        """Finds the memory and runs work on it in one transaction."""
        check_uuid(memory_id, "memoryId")
        check = Checker()
        why = check.optional_text(reason, "reason", "invalid_reason", REASON_LENGTH)
        check.done()
        why = None if why is None else masked(why)
        now = self._clock.now()
        seen = everything(self._storage.orchestrator_id, speaker, now)
        result = self._access.guarded(
            action,
            speaker,
            lambda: self._storage.write(
                lambda writer: work(writer, self._access.visible(writer, seen, memory_id), now, why)
            ),
        )
        self._log.write(f"memory.{action}", memoryId=memory_id, actor=speaker.actor)
        return result


def _other_end(edge: Edge, memory_id: str) -> str:
    return edge.to_memory_id if edge.from_memory_id == memory_id else edge.from_memory_id


def _check_editable(changes: dict[str, Any]) -> None:
    check = Checker()
    if not changes:
        check.fail("invalid_input", "changes", None, "at least one new value")
    for name in sorted(set(changes) - _EDITABLE):
        check.fail("unknown_field", name, changes[name], "one of " + ", ".join(sorted(_EDITABLE)))
    check.done()
