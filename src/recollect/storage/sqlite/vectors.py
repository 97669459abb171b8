"""Vector indexes in memory: caches of what the database holds, one per model and scope, rebuilt when lost.

What a search finds depends on the vectors alone, not on the order in which they came nor on when they were loaded. A
small scope is searched exactly. In a large one a search first compares signs, 64 dimensions in one step, and only the
vectors that differ in the fewest are compared exactly. A vector's signs depend on no other vector: nothing is trained,
and nothing has to be made anew as a scope grows.
"""

from __future__ import annotations

import importlib.util
import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from itertools import islice
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
    Words = NDArray[np.uint64]

# For each vector that is wanted, so many are chosen by their signs and compared exactly (`benchmarks/vectors.py` has
# what that finds). Where there are not many times more, comparing all is as fast: they lie side by side in memory.
_CHOSEN_BY_SIGNS = 16
_MANY_TIMES = 16
# The same product differs by so much with the place of its row in a matrix.
_ROUNDING = 1e-5
_READ_AT_ONCE = 10_000
_SCANNED_AT_ONCE = 32_768
_MOST_BYTES = 4 * 1024**3

_SQL = queries("sqlite")


class Near(NamedTuple):
    """A memory near a query, and the entry of the vector that says so."""

    entry: int
    seq: int
    score: float

    def counts_for(self, candidate: Candidate) -> bool:
        """Whether this vector is the one that the caller's view of the store has."""
        return self.entry == candidate.entry


class VectorIndex:
    """The vectors of one model in one scope, each of length 1. Safe to share between threads."""

    def __init__(self) -> None:
        import numpy as np

        self._np = np
        self._lock: threading.Lock = fork_safe_lock()
        self._count = 0
        self._seqs: Integers = np.empty(0, np.int64)
        self._entries: Integers = np.empty(0, np.int64)
        self._vectors: Floats = np.empty((0, 0), np.float32)
        self._signs: Words = np.empty((0, 0), np.uint64)  # a row for each 64 dimensions
        self._numbers: dict[int, int] = {}  # where the vector of a memory is

    def __len__(self) -> int:
        return self._count

    @property
    def size(self) -> int:
        """How many bytes of memory it takes."""
        return int(self._vectors.nbytes + self._signs.nbytes)

    def add(self, rows: Iterable[tuple[int, int, bytes]]) -> None:
        """Adds rows of (entry, seq, vector); a newer vector of the same memory takes the older one's place."""
        newest = {row[1]: row for row in rows}
        if not newest:
            return
        np = self._np
        new = np.frombuffer(b"".join(row[2] for row in newest.values()), np.float32).reshape(len(newest), -1)
        lengths = np.linalg.norm(new, axis=1, keepdims=True)
        new = new / np.where(lengths > 0, lengths, 1.0)
        with self._lock:
            self._drop(newest)
            self._reserve(len(newest), new.shape[1])
            start, end = self._count, self._count + len(newest)
            self._vectors[start:end] = new
            self._signs[:, start:end] = self._signs_of(new).T
            self._entries[start:end] = [row[0] for row in newest.values()]
            self._seqs[start:end] = list(newest)
            self._numbers.update(zip(newest, range(start, end), strict=True))
            self._count = end

    def drop(self, seqs: Iterable[int]) -> None:
        """Lets go of the vectors of some memories."""
        with self._lock:
            self._drop(seqs)

    def _drop(self, seqs: Iterable[int]) -> None:
        """Each place that falls vacant is taken by the last vector: order means nothing here."""
        for seq in seqs:
            number = self._numbers.pop(seq, None)
            if number is None:
                continue
            self._count -= 1
            last = self._count
            if number != last:
                self._vectors[number], self._signs[:, number] = self._vectors[last], self._signs[:, last]
                self._seqs[number], self._entries[number] = self._seqs[last], self._entries[last]
                self._numbers[int(self._seqs[number])] = number

    def _reserve(self, count: int, dimension: int) -> None:
        np = self._np
        needed, kept = self._count + count, self._count
        if needed <= len(self._seqs):
            return
        room = max(needed, int(1.5 * len(self._seqs)))
        vectors, signs = np.empty((room, dimension), np.float32), np.empty((-(-dimension // 64), room), np.uint64)
        seqs, entries = np.empty(room, np.int64), np.empty(room, np.int64)
        if kept:
            vectors[:kept], signs[:, :kept] = self._vectors[:kept], self._signs[:, :kept]
            seqs[:kept], entries[:kept] = self._seqs[:kept], self._entries[:kept]
        self._vectors, self._signs, self._seqs, self._entries = vectors, signs, seqs, entries

    def _signs_of(self, vectors: Floats) -> Words:
        """Whether each number is positive, 64 in a word."""
        np = self._np
        bits = np.packbits(vectors > 0, axis=1)
        padded = np.zeros((len(vectors), -(-bits.shape[1] // 8) * 8), np.uint8)
        padded[:, : bits.shape[1]] = bits
        words: Words = padded.view(np.uint64)
        return words

    def search(self, query: bytes, limit: int) -> list[Near]:
        """The nearest memories, best first, and all that are as near as the last of them."""
        np = self._np
        asked = self._asked(query)
        with self._lock:
            if not self._count:
                return []
            chosen = self._chosen(asked, limit)
            scores = self._scores(chosen, asked)
            if len(chosen) > limit:
                near = np.flatnonzero(scores >= np.partition(scores, -limit)[-limit])
                chosen, scores = chosen[near], scores[near]
            order = np.argsort(-scores, kind="stable")
            return self._near(chosen[order], scores[order])

    def similarities(self, query: bytes, seqs: Iterable[int]) -> list[Near]:
        """How similar some memories are to a query; those that are not here are left out."""
        asked = self._asked(query)
        with self._lock:
            numbers = [number for seq in seqs if (number := self._numbers.get(seq)) is not None]
            return self._near(numbers, self._scores(numbers, asked)) if numbers else []

    def _asked(self, query: bytes) -> Floats:
        np = self._np
        asked = np.frombuffer(query, np.float32)
        unit: Floats = asked / np.float32(np.linalg.norm(asked) or 1.0)
        return unit

    def _chosen(self, asked: Floats, limit: int) -> Integers:
        """The numbers of the vectors that have to be compared exactly."""
        np = self._np
        count, wanted = self._count, _CHOSEN_BY_SIGNS * limit
        chosen: Integers
        if count <= limit:
            chosen = np.arange(count)
        elif count <= _MANY_TIMES * wanted:
            nearly = self._vectors[:count] @ asked
            chosen = np.flatnonzero(nearly >= np.partition(nearly, -limit)[-limit] - np.float32(_ROUNDING))
        else:
            differing, tally = self._differing(asked)
            chosen = np.flatnonzero(differing <= np.searchsorted(np.cumsum(tally), wanted))
        return chosen

    def _differing(self, asked: Floats) -> tuple[NDArray[np.uint16], Integers]:
        """In how many signs each vector differs from what is asked, and how many differ in that many.

        Some thousands at a time: what is between stays in the processor's cache, and no large block is asked for.
        """
        np = self._np
        words = self._signs_of(asked[np.newaxis])[0]
        differing, tally = np.zeros(self._count, np.uint16), np.zeros(64 * len(words) + 1, np.int64)
        mixed, ones = np.empty(_SCANNED_AT_ONCE, np.uint64), np.empty(_SCANNED_AT_ONCE, np.uint8)
        for start in range(0, self._count, _SCANNED_AT_ONCE):
            part = differing[start : start + _SCANNED_AT_ONCE]
            size = len(part)
            for signs, word in zip(self._signs, words, strict=True):
                np.bitwise_xor(signs[start : start + size], word, out=mixed[:size])
                part += np.bitwise_count(mixed[:size], out=ones[:size])
            tally += np.bincount(part, minlength=len(tally))
        return differing, tally

    def _scores(self, numbers: Integers | list[int], asked: Floats) -> Floats:
        """Exact products, row by row: a matrix product rounds by the place of a row."""
        scores: Floats = self._np.einsum("ij,j->i", self._vectors.take(numbers, axis=0), asked)
        return scores

    def _near(self, numbers: Integers | list[int], scores: Floats) -> list[Near]:
        rows = zip(self._entries[numbers].tolist(), self._seqs[numbers].tolist(), scores.tolist(), strict=True)
        return [Near._make(row) for row in rows]


class _Kept(NamedTuple):
    """An index, and how far it has followed the store: the last vector added and the last memory rewritten."""

    vectors: VectorIndex
    entry: int
    rewritten: int


class VectorIndexes:
    """The indexes of one store, brought up to date when they are used, dropped when they take too much memory."""

    def __init__(self) -> None:
        self.usable = importlib.util.find_spec("numpy") is not None
        self._lock: threading.Lock = fork_safe_lock()
        self._kept: OrderedDict[tuple[int, int], _Kept] = OrderedDict()

    def current(self, connection: apsw.Connection, model_id: int, scope_id: int) -> VectorIndex:
        """The index of a scope, as of the connection's view of the store."""
        key = (model_id, scope_id)
        with self._lock:
            kept = self._kept.pop(key, None)
            last: Any = connection.execute(_SQL["last_entries"]).fetchone()
            entry, rewritten = last
            if kept is None or not self._followed(connection, kept, rewritten):
                kept = _Kept(VectorIndex(), 0, rewritten)
            if kept.entry < entry:
                for rows in self._rows(connection, key, kept.entry):
                    kept.vectors.add(rows)
            self._kept[key] = _Kept(kept.vectors, max(kept.entry, entry), max(kept.rewritten, rewritten))
            while len(self._kept) > 1 and sum(each.vectors.size for each in self._kept.values()) > _MOST_BYTES:
                self._kept.popitem(last=False)
            return kept.vectors

    @staticmethod
    def _followed(connection: apsw.Connection, kept: _Kept, rewritten: int) -> bool:
        """Drops the vectors of memories rewritten since; False if the store no longer knows of all of them."""
        if kept.rewritten >= rewritten:
            return True
        found: list[Any] = connection.execute(_SQL["rewritten_since"], {"number": kept.rewritten}).fetchall()
        kept.vectors.drop(seq for (seq,) in found)
        return len(found) == rewritten - kept.rewritten

    @staticmethod
    def _rows(connection: apsw.Connection, key: tuple[int, int], after: int) -> Iterator[list[tuple[int, int, bytes]]]:
        """The vectors of a scope behind an entry, some thousands at a time."""
        values: dict[str, Any] = {"model_id": key[0], "scope_id": key[1]}
        if after:
            found: Any = connection.execute(_SQL["vectors_since"], {**values, "entry": after})
        else:
            found = connection.execute(_SQL["vectors_of_scope"], values)
        while rows := list(islice(found, _READ_AT_ONCE)):
            yield rows
