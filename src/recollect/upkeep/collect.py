"""Collecting what no longer counts: expired, superseded long ago, beyond a cap. It is put away, never lost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from recollect.knowledge.remember import EVICTED
from recollect.knowledge.transition import set_status
from recollect.model.clock import Clock, to_micros
from recollect.model.memory import Memory
from recollect.model.status import Status
from recollect.storage.interface import Reader, Storage, Writer

_BATCH = 1_000
_ACTOR = "system:upkeep"


@dataclass(frozen=True, slots=True, kw_only=True)
class Collected:
    """What was put away, or would be, by reason."""

    expired: tuple[Memory, ...] = ()
    superseded: tuple[Memory, ...] = ()
    evicted: tuple[Memory, ...] = ()
    artifacts: int = 0
    dry_run: bool = False

    @property
    def count(self) -> int:
        """How many in all."""
        return len(self.expired) + len(self.superseded) + len(self.evicted)


class Collector:
    """Puts memories away: archived, with the reason in their history."""

    def __init__(self, storage: Storage, clock: Clock, max_entries: int) -> None:
        self._storage = storage
        self._clock = clock
        self._max_entries = max_entries

    def expired(self) -> int:
        """Puts away what has expired; how many. Cheap enough for every start."""
        return len(self._each(self._find_expired, "expired"))

    def run(self, *, dry_run: bool, superseded_for: timedelta = timedelta(0)) -> Collected:
        """Puts everything away that no longer counts, or only tells what that would be."""
        if dry_run:
            return self._storage.read(lambda reader: self._preview(reader, superseded_for))
        before = to_micros(self._clock.now() - superseded_for)
        expired = self._each(self._find_expired, "expired")
        superseded = self._each(lambda reader: reader.superseded(before, _BATCH), "superseded")
        evicted = self._each(self._find_surplus, EVICTED)
        return Collected(expired=tuple(expired), superseded=tuple(superseded), evicted=tuple(evicted))

    def _preview(self, reader: Reader, superseded_for: timedelta) -> Collected:
        everything = 1_000_000
        now = to_micros(self._clock.now())
        expired = reader.expired(now, everything)
        superseded = reader.superseded(to_micros(self._clock.now() - superseded_for), everything)
        return Collected(
            expired=tuple(expired),
            superseded=tuple(superseded),
            evicted=tuple(self._find_surplus(reader)),
            dry_run=True,
        )

    def _find_expired(self, reader: Reader) -> Sequence[Memory]:
        return reader.expired(to_micros(self._clock.now()), _BATCH)

    def _find_surplus(self, reader: Reader) -> Sequence[Memory]:
        if not self._max_entries:
            return []
        now = to_micros(self._clock.now())
        surplus: list[Memory] = []
        for scope in reader.scopes():
            over = reader.count_active(scope, now) - self._max_entries
            if over > 0:
                surplus += reader.least_valuable(scope, now, over)
        return surplus

    def _each(self, find: Callable[[Reader], Sequence[Memory]], reason: str) -> list[Memory]:
        """Puts away what is found, batch by batch: other writers are not held up for long."""
        gone: list[Memory] = []

        def work(writer: Writer) -> list[Memory]:
            now = self._clock.now()
            return [set_status(writer, memory, Status.ARCHIVED, _ACTOR, now, reason) for memory in find(writer)]

        # Looked at first: opening a memory must not wait for those who are writing.
        while self._storage.read(find) and (batch := self._storage.write(work)):
            gone += batch
        return gone
