"""Vector indexes in memory: caches of what the database holds, one per model and scope, rebuilt when lost.

A small scope is searched exactly. In a large one the vectors are grouped around centroids (an inverted file), and
only the groups nearest to a query are searched; what was added since is searched exactly until the next rebuild.
"""

from __future__ import annotations

import importlib.util
import threading
from collections import OrderedDict
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import apsw

from recollect.forking import fork_safe_lock
from recollect.storage.interface import Candidate
from recollect.storage.sql import queries

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Integers = NDArray[np.int64]

# Up to here a search is exact: what is found depends neither on the order in which vectors came nor on when they were
# loaded. Groups are quicker from some 5,000 on, but they depend on both.
EXACT_UP_TO = 20_000
# How much may be added before the groups are made anew, as a part of what is grouped.
_REGROUP_AT = 0.25
_SAMPLE = 40_000
_ROUNDS = 6
_PROBED = 0.02
_LEAST_PROBED = 16
_FEW_DEAD = 500
_MOST_BYTES = 4 * 1024**3

_SQL = queries("sqlite")


class Near(NamedTuple):
    """A memory near a query, and the entry of the vector that says so."""

    entry: int
    seq: int
    score: float

    def counts_for(self, candidate: Candidate) -> bool:
        """Whether this vector is still the stored one: an index in memory does not hear when an edit drops it."""
        return self.entry == candidate.entry


class VectorIndex:
    """The vectors of one model in one scope."""

    def __init__(self) -> None:
        import numpy as np

        self._np = np
        self.entry = 0
        self._seqs: Integers = np.empty(0, np.int64)
        self._vectors: Floats = np.empty((0, 0), np.float32)
        self._count = 0
        self._entries: Integers = np.empty(0, np.int64)
        self._latest: dict[int, int] = {}
        self._dead = 0
        self._groups: _Groups | None = None

    def __len__(self) -> int:
        return self._count

    @property
    def size(self) -> int:
        """How many bytes of memory it takes."""
        return int(self._vectors.nbytes) + (self._groups.size if self._groups else 0)

    def add(self, rows: list[tuple[int, int, bytes]]) -> None:
        """Adds rows of (entry, seq, vector); a newer vector of the same memory takes the older one's place."""
        np = self._np
        if not rows:
            return
        new = np.frombuffer(b"".join(row[2] for row in rows), np.float32).reshape(len(rows), -1)
        lengths = np.linalg.norm(new, axis=1, keepdims=True)
        new = new / np.where(lengths > 0, lengths, 1.0)
        self._reserve(len(rows), new.shape[1])
        self._vectors[self._count : self._count + len(rows)] = new
        for number, (entry, seq, _) in enumerate(rows, self._count):
            older = self._latest.get(seq)
            if older is not None:
                self._seqs[older] = -1
                self._dead += 1
            self._seqs[number] = seq
            self._entries[number] = entry
            self._latest[seq] = number
            self.entry = max(self.entry, entry)
        self._count += len(rows)
        if self._dead > max(_FEW_DEAD, self._count // 4):
            self._compact()
        grouped = self._groups.count if self._groups else 0
        if self._count > EXACT_UP_TO and self._count - grouped > max(EXACT_UP_TO, _REGROUP_AT * grouped):
            self._groups = _Groups(self._vectors[: self._count])

    def _compact(self) -> None:
        """Lets go of vectors whose places were taken by newer ones."""
        np = self._np
        alive = np.flatnonzero(self._seqs[: self._count] >= 0)
        self._vectors, self._seqs, self._entries = self._vectors[alive], self._seqs[alive], self._entries[alive]
        self._latest = {int(seq): number for number, seq in enumerate(self._seqs)}
        self._count, self._dead, self._groups = len(alive), 0, None

    def _reserve(self, count: int, dimension: int) -> None:
        np = self._np
        needed = self._count + count
        if needed <= len(self._seqs):
            return
        room = max(needed, int(1.5 * len(self._seqs)))
        vectors, seqs = np.empty((room, dimension), np.float32), np.full(room, -1, np.int64)
        entries = np.zeros(room, np.int64)
        if self._count:
            vectors[: self._count], seqs[: self._count] = self._vectors[: self._count], self._seqs[: self._count]
            entries[: self._count] = self._entries[: self._count]
        self._vectors, self._seqs, self._entries = vectors, seqs, entries

    def search(self, query: bytes, limit: int) -> list[Near]:
        """The nearest memories, best first."""
        np = self._np
        count, groups = self._count, self._groups  # another thread may be adding: what is counted is there
        vectors = self._vectors
        if not count:
            return []
        asked = np.frombuffer(query, np.float32)
        asked = asked / (np.linalg.norm(asked) or 1.0)
        if groups is None or limit > groups.count // 4:
            return self._best(None, vectors[:count] @ asked, limit)
        numbers, scores = groups.search(asked)
        if len(numbers) < 2 * limit:  # too few groups for what is asked
            return self._best(None, vectors[:count] @ asked, limit)
        numbers = np.concatenate([numbers, np.arange(groups.count, count)])
        return self._best(numbers, np.concatenate([scores, vectors[groups.count : count] @ asked]), limit)

    def similarities(self, query: bytes, seqs: Iterable[int]) -> list[Near]:
        """How similar some memories are to a query; those that are not here are left out."""
        np = self._np
        known = [(seq, number) for seq in seqs if (number := self._latest.get(seq)) is not None]
        if not known:
            return []
        asked = np.frombuffer(query, np.float32)
        asked = asked / (np.linalg.norm(asked) or 1.0)
        numbers = [number for _, number in known]
        scores = self._vectors[numbers] @ asked
        rows = zip(self._entries[numbers].tolist(), [seq for seq, _ in known], scores.tolist(), strict=True)
        return [Near(*row) for row in rows]

    def _best(self, numbers: Integers | None, scores: Floats, limit: int) -> list[Near]:
        np = self._np
        all_seqs = self._seqs[: len(scores)] if numbers is None else self._seqs[numbers]
        if self._dead:
            scores = np.where(all_seqs >= 0, scores, np.float32(-2.0))
        keep = min(len(scores), limit)
        top = np.argpartition(-scores, keep - 1)[:keep] if keep < len(scores) else np.arange(len(scores))
        seqs = all_seqs[top]
        entries = self._entries[top if numbers is None else numbers[top]]
        order = np.lexsort((seqs, -scores[top]))
        rows = zip(entries[order].tolist(), seqs[order].tolist(), scores[top][order].tolist(), strict=True)
        return [Near(*row) for row in rows if row[1] >= 0]


class _Groups:
    """Vectors in groups around centroids, each group's vectors side by side in memory."""

    def __init__(self, vectors: Floats) -> None:
        import numpy as np

        self._np = np
        self.count = len(vectors)
        groups = max(16, round(self.count**0.5))
        chance = np.random.default_rng(1)  # the same vectors make the same groups
        sample = vectors[chance.choice(self.count, min(self.count, _SAMPLE), replace=False)]
        self._centroids = sample[chance.choice(len(sample), groups, replace=False)].copy()
        for _ in range(_ROUNDS):
            nearest = np.argmax(sample @ self._centroids.T, axis=1)
            sums = np.zeros_like(self._centroids)
            np.add.at(sums, nearest, sample)
            lengths = np.linalg.norm(sums, axis=1, keepdims=True)
            self._centroids = np.where(lengths > 0, sums / np.where(lengths > 0, lengths, 1.0), self._centroids)
        belongs = np.concatenate(
            [np.argmax(part @ self._centroids.T, axis=1) for part in np.array_split(vectors, 1 + self.count // 20_000)]
        )
        self._numbers = np.argsort(belongs, kind="stable")
        self._starts = np.searchsorted(belongs[self._numbers], np.arange(groups + 1))
        self._vectors = vectors[self._numbers]
        self._probed = max(_LEAST_PROBED, round(groups * _PROBED))

    @property
    def size(self) -> int:
        """How many bytes of memory it takes."""
        return int(self._vectors.nbytes)

    def search(self, asked: Floats) -> tuple[Integers, Floats]:
        """Numbers and scores of all vectors in the groups nearest to a query."""
        np = self._np
        nearest = np.argpartition(-(self._centroids @ asked), self._probed)[: self._probed]
        spans = [(self._starts[group], self._starts[group + 1]) for group in nearest]
        numbers = np.concatenate([self._numbers[start:end] for start, end in spans])
        scores = np.concatenate([self._vectors[start:end] @ asked for start, end in spans])
        return numbers, scores


class VectorIndexes:
    """The indexes of one store, brought up to date when they are used, dropped when they take too much memory."""

    def __init__(self) -> None:
        self.usable = importlib.util.find_spec("numpy") is not None
        self._lock: threading.Lock = fork_safe_lock()
        self._indexes: OrderedDict[tuple[int, int], VectorIndex] = OrderedDict()

    def current(self, connection: apsw.Connection, model_id: int, scope_id: int) -> VectorIndex:
        """The index of a scope, as of the connection's view of the store."""
        key = (model_id, scope_id)
        with self._lock:
            index = self._indexes.pop(key, None)
            newest = connection.execute(_SQL["last_entry"]).fetchone()
            last = 0 if newest is None else int(newest[0])
            if index is None:
                index = VectorIndex()
                index.add(self._rows(connection, "vectors_of_scope", key, {}))
            elif index.entry < last:
                index.add(self._rows(connection, "vectors_since", key, {"entry": index.entry}))
            index.entry = max(index.entry, last)
            self._indexes[key] = index
            while len(self._indexes) > 1 and sum(each.size for each in self._indexes.values()) > _MOST_BYTES:
                self._indexes.popitem(last=False)
            return index

    @staticmethod
    def _rows(
        connection: apsw.Connection, query: str, key: tuple[int, int], more: dict[str, Any]
    ) -> list[tuple[int, int, bytes]]:
        rows: list[Any] = connection.execute(_SQL[query], {"model_id": key[0], "scope_id": key[1], **more}).fetchall()
        return rows
