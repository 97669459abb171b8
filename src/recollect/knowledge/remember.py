"""The one write path: everything that becomes a memory, whoever brings it, is made and stored here."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import lru_cache, partial
from typing import Any, TypeVar

from recollect.config import MemorySettings
from recollect.embedding import Vectors, spoken
from recollect.errors import NotFound, RecollectError, Refused, StorageError
from recollect.knowledge.access import Access, everything
from recollect.knowledge.batch import Batch, Ready
from recollect.knowledge.draft import (
    NEVER,
    Draft,
    Link,
    Receipt,
    checked_extras,
    expiry,
    is_turn,
    refusal,
    refuse_secrets,
    without_secrets,
)
from recollect.knowledge.evolve import Evolve
from recollect.knowledge.plain import is_plain
from recollect.knowledge.provenance import Workspace
from recollect.knowledge.secrets import masked
from recollect.knowledge.transition import add_edge, check_linkable, new_edge, set_status, supersede
from recollect.knowledge.understand import NOT_READ, content_key, corrected, correction, understand
from recollect.log import MemoryLog
from recollect.model.clock import Clock, parse_time, to_micros
from recollect.model.edge import Edge, EdgeType
from recollect.model.event import Event, EventKind
from recollect.model.ids import IdFactory
from recollect.model.memory import DEFAULT_IMPORTANCE, Kind, Memory, MemoryType
from recollect.model.scope import Scope, Speaker, gate
from recollect.model.source import CapturedBy
from recollect.model.status import Status
from recollect.model.terms import terms
from recollect.model.text import summarise
from recollect.model.wire import dump
from recollect.storage.interface import NewMemory, Storage, Vector, Writer

T = TypeVar("T")

# How many of the newest facts a correction without a subject may be about.
_LATELY = 50
EVICTED = "evicted: the cap is reached"
# What is longer is a text, not a fact: it is kept as it is.
_LONGEST_FACT = 2_000
_FIRST_PERSON = re.compile(r"\b(?:i|i'm|me|my|mine|we|us|our)\b", re.IGNORECASE)


class Remember:
    """Checks, makes and stores memories: one transaction for a memory with all that belongs to it."""

    def __init__(
        self,
        storage: Storage,
        clock: Clock,
        ids: IdFactory,
        workspace: Workspace,
        access: Access,
        log: MemoryLog,
        vectors: Vectors,
        settings: MemorySettings,
    ) -> None:
        self._storage = storage
        self._clock = clock
        self._ids = ids
        self._workspace = workspace
        self._access = access
        self._log = log
        self._vectors = vectors
        self._settings = settings
        self._evolve = Evolve(ids)

    def one(self, draft: Draft, speaker: Speaker) -> Receipt:
        """Stores one draft, or raises what is wrong with it; what may not be stored is refused by the receipt."""
        try:
            ready = self._prepare(draft, self._ids.new(), speaker)
            self._embed([ready])
            (receipt,) = self._access.guarded(
                "remember", speaker, lambda: self._storage.write(lambda writer: self._store(writer, [ready], speaker))
            )
        except Refused as error:
            receipt = refusal(error)
        self._logged([receipt])
        return receipt

    def many(self, drafts: Sequence[Draft | Receipt], speaker: Speaker) -> list[Receipt]:
        """Stores many in one transaction; each stands or falls alone and has its own receipt.

        A receipt among the drafts is one that was refused before it could become a draft.
        """
        prepared = [
            self._attempt(self._prepare, draft, memory_id, speaker) if isinstance(draft, Draft) else draft
            for draft, memory_id in zip(drafts, self._ids.several(len(drafts)), strict=True)
        ]
        ready = [item for item in prepared if isinstance(item, Ready)]
        self._embed(ready)
        stored = iter(self._store_each(ready, speaker))
        receipts = [next(stored) if isinstance(item, Ready) else item for item in prepared]
        self._logged(receipts)
        return receipts

    def vectors(self, texts: Sequence[tuple[str, str | None]]) -> list[Vector | None]:
        """Vectors of (content, speaker) for `within`: made before a transaction, never in it."""
        return self._vectors.for_writing([spoken(content, speaker) for content, speaker in texts])

    def within(self, writer: Writer, draft: Draft, vector: Vector | None, speaker: Speaker) -> Receipt:
        """Stores one draft as a part of somebody's transaction, or raises what is wrong with it."""
        ready = self._prepare(draft, self._ids.new(), speaker)
        ready.vector = vector
        return self._store_one(writer, ready, speaker)

    def _store_each(self, ready: Sequence[Ready], speaker: Speaker) -> list[Receipt]:
        # Savepoints cost more than the inserts between them, so they are only set once something was refused.
        try:
            return self._storage.write(lambda writer: self._store(writer, ready, speaker))
        except StorageError:
            raise
        except RecollectError:
            denied: list[str] = []
            receipts = self._storage.write(
                lambda writer: [
                    self._attempt(writer.attempt, partial(self._store_one, writer, item, speaker), denied=denied)
                    for item in ready
                ]
            )
            for memory_id in denied:
                self._access.record_denial("remember", speaker, memory_id)
            return receipts

    @staticmethod
    def _attempt(work: Callable[..., T], *values: Any, denied: list[str] | None = None) -> T | Receipt:
        """What work returns, or a receipt that says why it was refused."""
        try:
            return work(*values)
        except StorageError:
            raise
        except RecollectError as error:
            if denied is not None and isinstance(error, NotFound):
                denied.append(error.details["memoryId"])
            return refusal(error)

    def _prepare(self, draft: Draft, memory_id: str, speaker: Speaker) -> Ready:
        """A valid memory from a draft: the clock is read once, ids are made, paths are checked on disk."""
        now = self._clock.now()
        scope = _own_scope(speaker) if draft.scope is None else speaker.scope(draft.scope)
        facts = not draft.verbatim and draft.kind is Kind.MEMORY and not is_turn(draft.source)
        read = facts and not (
            isinstance(draft.content, str) and (len(draft.content) > _LONGEST_FACT or is_plain(draft.content))
        )
        if facts and not read and isinstance(draft.content, str) and len(draft.content) > _LONGEST_FACT:
            refuse_secrets(draft.content)
        if read or (facts and draft.type is not None):
            draft = self._understood(draft, scope, speaker, now)
        elif not facts:
            draft = without_secrets(draft)
        memory = Memory(
            memory_id=memory_id,
            orchestrator_id=self._storage.orchestrator_id,
            type=MemoryType.FACT if draft.type is None else draft.type,
            importance=DEFAULT_IMPORTANCE if draft.importance is None else draft.importance,
            content=draft.content,
            summary=_summary(draft),
            confidence=draft.confidence,
            source=draft.source,
            status=Status.ACTIVE,
            scope=scope,
            sensitivity=draft.sensitivity,
            observed_at=now if draft.observed_at is None else draft.observed_at,
            created_at=now,
            updated_at=now,
            expires_at=None if draft.expires is None or draft.expires == NEVER else expiry(draft.expires, now),
            valid_from=draft.valid_from,
            valid_to=draft.valid_to,
            kind=draft.kind,
        )
        self._workspace.check(memory.source)
        links, replaced, reason, about = checked_extras(draft)
        updates = [Link(to_memory_id=old, edge_type=EdgeType.UPDATES, reason=reason) for old in replaced]
        edges = [self._edge(memory, link) for link in links]
        for edge in edges:
            check_linkable(edge)
        newer = [self._edge(memory, link) for link in updates]
        found_by = searchable(memory) if draft.found_by is None else terms(draft.found_by)
        key = content_key(memory.content, _whose(memory, speaker)) if facts else NOT_READ
        return Ready(memory, edges, newer, found_by, draft.key, reason, content_key=key, about=about, read=read)

    def _understood(self, draft: Draft, scope: Scope, speaker: Speaker, now: datetime) -> Draft:
        """A draft with everything that its text tells and its caller did not."""
        if not isinstance(draft.content, str):
            return draft
        refuse_secrets(draft.content)
        observed = draft.observed_at
        said_at = now if observed is None else parse_time(observed, "observedAt")
        content, corrects = self._corrected(draft.content, scope, speaker, now)
        told = understand(content, said_at)
        expires = told.expires if draft.expires is None else draft.expires
        derived = getattr(draft.source, "captured_by", None) is not CapturedBy.USER
        if expires is None and (draft.type is not None or derived):
            expires = self._decay(told.type if draft.type is None else draft.type)
        return replace(
            draft,
            content=told.content,
            type=told.type if draft.type is None else draft.type,
            importance=told.importance if draft.importance is None else draft.importance,
            expires=expires,
            supersedes=(*draft.supersedes, corrects) if corrects else draft.supersedes,
        )

    def _decay(self, kind: Any) -> timedelta | None:
        """How long a memory of an ephemeral type is kept; None for good."""
        days = {
            MemoryType.OBSERVATION: self._settings.decay.observation_days,
            MemoryType.EVENT: self._settings.decay.event_days,
            MemoryType.TODO: self._settings.decay.todo_days,
        }.get(kind, 0)
        return timedelta(days=days) if days else None

    def _corrected(self, content: str, scope: Scope, speaker: Speaker, now: datetime) -> tuple[str, str | None]:
        """What "not 9, 10" says, in the words of the newest fact that it can be about, and which fact that is."""
        change = correction(content)
        if change is None:
            return content, None
        seen = gate(self._storage.orchestrator_id, speaker, now)
        found = self._storage.read(lambda reader: reader.memories(seen, limit=_LATELY, offset=0))
        for memory in found.memories:
            told = corrected(memory.content, *change) if memory.scope == scope else None
            if told is not None:
                return told, memory.memory_id
        return content, None

    def _edge(self, memory: Memory, link: Link) -> Edge:
        start, now = memory.memory_id, memory.created_at
        return new_edge(self._ids, start, link.to_memory_id, link.edge_type, now, link.reason, link.weight)

    def _embed(self, ready: Sequence[Ready]) -> None:
        texts = [spoken(item.memory.content, item.memory.source.speaker) for item in ready]
        for item, vector in zip(ready, self._vectors.for_writing(texts), strict=True):
            item.vector = vector

    def _store(self, writer: Writer, ready: Sequence[Ready], speaker: Speaker) -> list[Receipt]:
        new: list[Ready] = []
        receipts: list[Receipt | None] = []
        batch = Batch()
        batch.known = writer.known_keys(
            [(item.memory.scope, item.content_key) for item in ready if item.content_key != NOT_READ]
        )
        for item in ready:
            earlier = self._earlier(writer, item, batch) or self._twin(writer, item, batch, speaker)
            receipts.append(earlier)
            if earlier is None:
                new.append(item)
        awaits = self._vectors.embedder is not None
        writer.add_memories(
            [
                NewMemory(
                    item.memory, item.terms, item.vector, item.key, awaits_vector=awaits, content_key=item.content_key
                )
                for item in new
            ]
        )
        writer.add_events(
            Event(
                kind=EventKind.CREATED,
                actor=speaker.actor,
                occurred_at=item.memory.created_at,
                memory_id=item.memory.memory_id,
                reason=item.reason,
            )
            for item in new
        )
        taken = [
            earlier or self._take_in(writer, item, speaker, batch)
            for item, earlier in zip(ready, receipts, strict=True)
        ]
        return self._within_cap(writer, taken, speaker) if self._settings.max_entries else taken

    def _take_in(self, writer: Writer, item: Ready, speaker: Speaker, batch: Batch) -> Receipt:
        receipt = self._store_edges(writer, item, speaker)
        if item.content_key == NOT_READ or receipt.memory is None:
            return receipt
        memory = receipt.memory
        if not item.read and not item.about:
            return receipt
        twin = writer.twin(memory.scope, item.content_key, to_micros(memory.created_at)) if item.again else None
        if twin is not None and twin.memory_id != memory.memory_id:
            reason = f"the same as {twin.memory_id}"
            set_status(writer, memory, Status.ARCHIVED, speaker.actor, memory.created_at, reason)
            return Receipt(outcome="merged", memory=twin, reason="this was known already")
        if batch.circle is None:
            batch.circle = self._evolve.circle(writer, speaker, memory.created_at)
        kept = [edge.to_memory_id for edge in item.links if edge.edge_type is EdgeType.CONTRADICTS]
        effects = self._evolve.take_in(writer, memory, speaker, batch.circle, item.about, beside=kept)
        return replace(
            receipt,
            memory=effects.memory or memory,
            superseded=(*receipt.superseded, *effects.superseded),
            contradicts=(*receipt.contradicts, *effects.contradicts),
            people=effects.people,
            question=effects.question,
        )

    def _within_cap(self, writer: Writer, receipts: list[Receipt], speaker: Speaker) -> list[Receipt]:
        """Puts away what is least worth keeping, once all is stored; the last receipt of a scope tells of it."""
        last = {
            receipt.memory.scope: number
            for number, receipt in enumerate(receipts)
            if receipt.memory is not None and receipt.memory.kind is Kind.MEMORY
        }
        for number in last.values():
            receipt = receipts[number]
            assert receipt.memory is not None  # noqa: S101  chosen so
            archived = self._make_room(writer, receipt.memory, speaker)
            receipts[number] = replace(receipt, archived=archived)
            gone = {each.memory_id: each for each in archived}
            receipts = [
                replace(each, memory=gone[each.memory.memory_id])
                if each.memory is not None and each.memory.memory_id in gone
                else each
                for each in receipts
            ]
        return receipts

    def _make_room(self, writer: Writer, memory: Memory, speaker: Speaker) -> tuple[Memory, ...]:
        """Puts away what is least worth keeping where a scope holds more than it may."""
        most = self._settings.max_entries
        now = to_micros(memory.created_at)
        over = writer.count_active(memory.scope, now) - most
        if over <= 0:
            return ()
        going = [
            each for each in writer.least_valuable(memory.scope, now, over + 1) if each.memory_id != memory.memory_id
        ]
        return tuple(
            set_status(writer, each, Status.ARCHIVED, speaker.actor, memory.created_at, EVICTED)
            for each in going[:over]
        )

    def _store_one(self, writer: Writer, ready: Ready, speaker: Speaker) -> Receipt:
        return self._store(writer, [ready], speaker)[0]

    def _twin(self, writer: Writer, ready: Ready, batch: Batch, speaker: Speaker) -> Receipt | None:
        """The receipt where a memory that says the same is there: it gains a source and stays one."""
        key, memory = ready.content_key, ready.memory
        place = (memory.scope, key)
        if key == NOT_READ:
            return None
        if place not in batch.known and place not in batch.said:
            batch.remember(place, memory)
            return None
        _check_forgotten(writer, memory, key)
        # Who relates it to others means this one.
        related = bool(ready.updates or ready.links)
        twin = None if related else batch.said.get(place) or writer.twin(*place, to_micros(memory.created_at))
        if twin is None or self._access.withheld(twin):
            batch.remember(place, memory)
            return None
        if twin.memory_id in batch.ids and ready.read:
            ready.again = True  # what stands between may have replaced it: that is told when it is taken in
            return None
        return self._merged(writer, ready, twin, speaker, new_source=twin.memory_id not in batch.ids)

    def _merged(self, writer: Writer, ready: Ready, twin: Memory, speaker: Speaker, *, new_source: bool) -> Receipt:
        memory = ready.memory
        if new_source and twin.source != memory.source:
            writer.add_source(twin.memory_id, memory.source)
            writer.add_events(
                [
                    Event(
                        kind=EventKind.SOURCE_ADDED,
                        actor=speaker.actor,
                        occurred_at=memory.created_at,
                        memory_id=twin.memory_id,
                    )
                ]
            )
        refreshed = self._refreshed(writer, twin, memory, speaker.actor)
        if ready.key is not None:
            writer.set_key(twin.memory_id, ready.key)
        people = tuple(writer.subjects([twin.memory_id]).get(twin.memory_id, ()))
        return Receipt(outcome="merged", memory=refreshed, people=people, reason="this was known already")

    @staticmethod
    def _refreshed(writer: Writer, twin: Memory, memory: Memory, actor: str) -> Memory:
        """A memory that was said again: it holds as long, and matters as much, as the one that says so more."""
        expires = twin.expires_at and memory.expires_at and max(twin.expires_at, memory.expires_at)
        newer = replace(
            twin,
            expires_at=expires,
            importance=max(twin.importance, memory.importance),
            observed_at=max(twin.observed_at, memory.observed_at),
        )
        if newer != twin:
            newer = replace(newer, updated_at=memory.created_at)
            writer.replace_memory(newer)
            names = ("expires_at", "importance", "observed_at")
            before = {name: getattr(twin, name) for name in names if getattr(twin, name) != getattr(newer, name)}
            writer.add_events(
                [
                    Event(
                        kind=EventKind.EDITED,
                        actor=actor,
                        occurred_at=memory.created_at,
                        memory_id=twin.memory_id,
                        reason="said again",
                        detail={"before": dump(before)},
                    )
                ]
            )
        return newer

    def _earlier(self, writer: Writer, ready: Ready, batch: Batch) -> Receipt | None:
        """The receipt of an earlier write with the same key: a retry never makes a second memory."""
        if ready.key is None:
            return None
        place = (ready.memory.scope, ready.key)
        earlier = batch.keyed.get(place) or writer.memory_by_key(*place)
        if earlier is None:
            batch.keyed[place] = ready.memory
            return None
        if self._access.withheld(earlier):
            raise NotFound(f"no memory {earlier.memory_id}", memoryId=earlier.memory_id)
        return Receipt(outcome="merged", memory=earlier, reason="this key was used before")

    def _store_edges(self, writer: Writer, ready: Ready, speaker: Speaker) -> Receipt:
        memory = ready.memory
        if not ready.links and not ready.updates:
            return Receipt(outcome="stored", memory=memory)
        seen = everything(memory.orchestrator_id, speaker, memory.created_at)
        contradicted = []
        for edge in ready.links:
            end = self._access.visible(writer, seen, edge.to_memory_id)
            add_edge(writer, edge, speaker.actor)
            if edge.edge_type is EdgeType.CONTRADICTS:
                contradicted.append(end)
        gone = [
            supersede(writer, self._access.visible(writer, seen, edge.to_memory_id), memory, edge, speaker.actor)
            for edge in ready.updates
        ]
        return Receipt(outcome="stored", memory=memory, superseded=tuple(gone), contradicts=tuple(contradicted))

    def _logged(self, receipts: Sequence[Receipt]) -> None:
        """What was not stored as asked. What was has its event; a line on every write's path would cost too much."""
        outcomes = Counter(receipt.outcome for receipt in receipts if receipt.outcome != "stored")
        if outcomes:
            self._log.write("memory.remember", outcomes=dict(outcomes), of=len(receipts))


def _summary(draft: Draft) -> Any:
    if draft.summary is None:
        return summarise(str(draft.content))
    return masked(draft.summary) if isinstance(draft.summary, str) else draft.summary


def _check_forgotten(writer: Writer, memory: Memory, key: bytes) -> None:
    """What was forgotten for good is not learned again; being told it by the user lifts that."""
    if writer.is_forgotten(memory.scope, key):
        if memory.source.captured_by is not CapturedBy.USER or memory.source.source_path is not None:
            raise Refused("this was forgotten for good and is not learned again", code="forgotten")
        writer.drop_forgotten(memory.scope, key)


def _whose(memory: Memory, speaker: Speaker) -> str:
    """Whose a fact is where several share a scope: two may say the same of themselves."""
    personal = memory.scope.owner_user_id is not None
    return "" if personal or not _FIRST_PERSON.search(memory.content) else speaker.actor


@lru_cache(maxsize=1024)
def _own_scope(speaker: Speaker) -> Scope:
    """The scope a speaker writes to when none is named: the same for every fact of a batch."""
    return speaker.scope()


def searchable(memory: Memory) -> list[str]:
    """The terms a memory is found by: what was said, and by whom."""
    speaker = memory.source.speaker
    return terms(memory.content) if speaker is None else terms(speaker) + terms(memory.content)
