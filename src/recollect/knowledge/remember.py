"""The one write path: everything that becomes a memory, whoever brings it, is made and stored here."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache, partial
from typing import Any, Literal, TypeVar

from recollect.embedding import Vectors, spoken
from recollect.errors import InvalidInput, NotFound, RecollectError, StorageError
from recollect.knowledge.access import Access, everything
from recollect.knowledge.provenance import Workspace
from recollect.knowledge.transition import add_edge, check_linkable, supersede
from recollect.log import MemoryLog
from recollect.model.check import Checker
from recollect.model.clock import Clock, parse_time
from recollect.model.edge import REASON_LENGTH, Edge, EdgeType
from recollect.model.event import Event, EventKind
from recollect.model.ids import IdFactory, check_opaque_id
from recollect.model.memory import DEFAULT_IMPORTANCE, Kind, Memory, MemoryType, Sensitivity
from recollect.model.scope import Scope, Speaker
from recollect.model.source import Source
from recollect.model.status import Status
from recollect.model.terms import terms
from recollect.model.text import summarise
from recollect.storage.interface import NewMemory, Storage, Vector, Writer

_DURATION = re.compile(r"(\d{1,6})\s*(m|h|d|w|y)", re.IGNORECASE)
_UNITS = {
    "m": timedelta(minutes=1),
    "h": timedelta(hours=1),
    "d": timedelta(days=1),
    "w": timedelta(weeks=1),
    "y": timedelta(days=365),
}
T = TypeVar("T")

_BY_HAND = Source()

Outcome = Literal["stored", "merged", "refused"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """An edge to make from the new memory to one that is there."""

    to_memory_id: str
    edge_type: Any
    weight: Any = 1.0
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What a caller wants remembered, as given; nothing is checked until it becomes a memory.

    `found_by` is what it is searched by where that is not its content: a document is found by its parts.
    """

    content: Any
    type: Any = MemoryType.FACT
    importance: Any = DEFAULT_IMPORTANCE
    confidence: Any = 1.0
    summary: Any = None
    sensitivity: Any = Sensitivity.PUBLIC
    source: Source = _BY_HAND
    scope: Any = None
    observed_at: Any = None
    expires: Any = None
    valid_from: Any = None
    valid_to: Any = None
    links: Sequence[Link] = ()
    supersedes: Sequence[str] = ()
    reason: str | None = None
    key: str | None = None
    kind: Kind = Kind.MEMORY
    found_by: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """What became of one draft."""

    outcome: Outcome
    memory: Memory | None = None
    superseded: tuple[Memory, ...] = ()
    contradicts: tuple[Memory, ...] = ()
    people: tuple[Any, ...] = ()
    reason: str | None = None
    code: str | None = None


@dataclass(slots=True)
class _Ready:
    """A draft that has passed every check that needs no store."""

    memory: Memory
    links: Sequence[Edge]
    updates: Sequence[Edge]
    terms: list[str]
    key: str | None
    reason: str | None
    vector: Vector | None = None


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
    ) -> None:
        self._storage = storage
        self._clock = clock
        self._ids = ids
        self._workspace = workspace
        self._access = access
        self._log = log
        self._vectors = vectors

    def one(self, draft: Draft, speaker: Speaker) -> Receipt:
        """Stores one draft, or raises what is wrong with it."""
        ready = self._prepare(draft, self._ids.new(), speaker)
        self._embed([ready])
        (receipt,) = self._access.guarded(
            "remember", speaker, lambda: self._storage.write(lambda writer: self._store(writer, [ready], speaker))
        )
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
        ready = [item for item in prepared if isinstance(item, _Ready)]
        self._embed(ready)
        stored = iter(self._store_each(ready, speaker))
        receipts = [next(stored) if isinstance(item, _Ready) else item for item in prepared]
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

    def _store_each(self, ready: Sequence[_Ready], speaker: Speaker) -> list[Receipt]:
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

    def _prepare(self, draft: Draft, memory_id: str, speaker: Speaker) -> _Ready:
        """A valid memory from a draft: the clock is read once, ids are made, paths are checked on disk."""
        now = self._clock.now()
        memory = Memory(
            memory_id=memory_id,
            orchestrator_id=self._storage.orchestrator_id,
            type=draft.type,
            importance=draft.importance,
            content=draft.content,
            summary=draft.summary if draft.summary is not None else summarise(str(draft.content)),
            confidence=draft.confidence,
            source=draft.source,
            status=Status.ACTIVE,
            scope=_own_scope(speaker) if draft.scope is None else speaker.scope(draft.scope),
            sensitivity=draft.sensitivity,
            observed_at=now if draft.observed_at is None else draft.observed_at,
            created_at=now,
            updated_at=now,
            expires_at=None if draft.expires is None else expiry(draft.expires, now),
            valid_from=draft.valid_from,
            valid_to=draft.valid_to,
            kind=draft.kind,
        )
        self._workspace.check(memory.source)
        links, replaced, reason = _checked_extras(draft)
        updates = [Link(to_memory_id=old, edge_type=EdgeType.UPDATES, reason=reason) for old in replaced]
        edges = [self._edge(memory, link) for link in links]
        for edge in edges:
            check_linkable(edge)
        newer = [self._edge(memory, link) for link in updates]
        found_by = searchable(memory) if draft.found_by is None else terms(draft.found_by)
        return _Ready(memory, edges, newer, found_by, draft.key, reason)

    def _edge(self, memory: Memory, link: Link) -> Edge:
        return Edge(
            edge_id=self._ids.new(),
            from_memory_id=memory.memory_id,
            to_memory_id=link.to_memory_id,
            edge_type=link.edge_type,
            weight=link.weight,
            created_at=memory.created_at,
            reason=link.reason,
        )

    def _embed(self, ready: Sequence[_Ready]) -> None:
        texts = [spoken(item.memory.content, item.memory.source.speaker) for item in ready]
        for item, vector in zip(ready, self._vectors.for_writing(texts), strict=True):
            item.vector = vector

    def _store(self, writer: Writer, ready: Sequence[_Ready], speaker: Speaker) -> list[Receipt]:
        new, receipts = [], []
        keyed: dict[tuple[Scope, str], Memory] = {}
        for item in ready:
            earlier = self._earlier(writer, item, keyed)
            receipts.append(earlier)
            if earlier is None:
                new.append(item)
        awaits = self._vectors.embedder is not None
        writer.add_memories(
            [NewMemory(item.memory, item.terms, item.vector, item.key, awaits_vector=awaits) for item in new]
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
        return [
            earlier or self._store_edges(writer, item, speaker) for item, earlier in zip(ready, receipts, strict=True)
        ]

    def _store_one(self, writer: Writer, ready: _Ready, speaker: Speaker) -> Receipt:
        return self._store(writer, [ready], speaker)[0]

    def _earlier(self, writer: Writer, ready: _Ready, keyed: dict[tuple[Scope, str], Memory]) -> Receipt | None:
        """The receipt of an earlier write with the same key: a retry never makes a second memory."""
        if ready.key is None:
            return None
        place = (ready.memory.scope, ready.key)
        earlier = keyed.get(place) or writer.memory_by_key(*place)
        if earlier is None:
            keyed[place] = ready.memory
            return None
        if self._access.withheld(earlier):
            raise NotFound(f"no memory {earlier.memory_id}", memoryId=earlier.memory_id)
        return Receipt(outcome="merged", memory=earlier, reason="this key was used before")

    def _store_edges(self, writer: Writer, ready: _Ready, speaker: Speaker) -> Receipt:
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


@lru_cache(maxsize=1024)
def _own_scope(speaker: Speaker) -> Scope:
    """The scope a speaker writes to when none is named: the same for every fact of a batch."""
    return speaker.scope()


def searchable(memory: Memory) -> list[str]:
    """The terms a memory is found by: what was said, and by whom."""
    speaker = memory.source.speaker
    return terms(memory.content) if speaker is None else terms(speaker) + terms(memory.content)


def refusal(error: RecollectError) -> Receipt:
    """The receipt of something that was refused."""
    return Receipt(outcome="refused", reason=error.message, code=error.code)


def _checked_extras(draft: Draft) -> tuple[Sequence[Link], Sequence[str], str | None]:
    """The links, the superseded ids and the reason of a draft, checked for their kinds."""
    if not draft.links and not draft.supersedes and draft.reason is None and draft.key is None:
        return (), (), None  # nearly always, and on the path of every write
    check = Checker()
    for field, kind in (("links", Link), ("supersedes", str)):
        given = getattr(draft, field)
        if not isinstance(given, list | tuple) or not all(isinstance(item, kind) for item in given):
            check.fail("invalid_input", field, given, f"a list of {kind.__name__}")
    reason = check.optional_text(draft.reason, "reason", "invalid_reason", REASON_LENGTH)
    if draft.key is not None:
        check.attempt(check_opaque_id, draft.key, "key", "")
    check.done()
    return draft.links, draft.supersedes, reason


def expiry(value: Any, now: datetime) -> datetime:
    """When something expires: a time, a duration from now, or a text such as `14d`, `2w`, `36h` or a date."""
    try:
        if isinstance(value, str) and (match := _DURATION.fullmatch(value.strip())):
            value = int(match.group(1)) * _UNITS[match.group(2).lower()]
        moment = now + value if isinstance(value, timedelta) else parse_time(value, "expires")
    except OverflowError:
        raise InvalidInput.of("invalid_expiry", "expires", value, "before the year 9999") from None
    except InvalidInput as error:
        raise InvalidInput.of(
            "invalid_expiry", "expires", value, "a time or a duration", hint="for example 14d, 2w or 2026-12-24"
        ) from error
    if moment <= now:
        raise InvalidInput.of("invalid_expiry", "expires", value, "in the future")
    return moment
