"""Searching inside one transaction of the embedded engine: full text, vectors, neighbours."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial

import apsw

from recollect.log import MemoryLog
from recollect.model.scope import Visibility
from recollect.storage.interface import Matches, Ranked, Vector
from recollect.storage.relational.search import RelationalSearcher, searched
from recollect.storage.relational.tokens import TokenReader
from recollect.storage.sqlite.frequencies import Frequencies, State
from recollect.storage.sqlite.reader import SqliteReader
from recollect.storage.sqlite.vectors import Near, VectorIndexes

# A scope smaller than this part of the store has its terms counted by themselves, if they are not too many.
_MOST_OF_STORE = 0.5
_COUNTED = 2_000
_WALKED = 40_000


class SqliteSearcher(SqliteReader, TokenReader, RelationalSearcher):
    """Finds candidates for ranking; everything is inside the gate."""

    def __init__(
        self,
        connection: apsw.Connection,
        orchestrator_id: str,
        log: MemoryLog,
        indexes: VectorIndexes,
        frequencies: Frequencies,
    ) -> None:
        super().__init__(connection, orchestrator_id, log)
        self._indexes = indexes
        self._frequency_cache = frequencies

    def _changes(self) -> int:
        return self._connection.total_changes()

    def match_terms(self, visibility: Visibility, terms: Sequence[str], limit: int) -> Matches:
        values = self._gate(visibility)
        scopes = [f"s{row[0]}" for row in self._rows("visible_scopes", values)]
        if not scopes or not terms:
            return Matches([], {}, 0)
        frequencies, size, within, overall = self._frequencies(list(dict.fromkeys(terms)), scopes)
        chosen = searched(frequencies, size, _Walk(overall))
        ranked = []
        if chosen:
            either = " OR ".join(f'"{term}"' for term in chosen)
            query = f"{{terms}} : ({either}){within}"
            ranked = self._visible(
                visibility, limit, lambda most: self._best("match_terms", {"query": query}, limit, most)
            )
        return Matches(ranked, frequencies, size, skipped=len(frequencies) - len(chosen))

    def _frequencies(self, terms: list[str], scopes: list[str]) -> tuple[dict[str, int], int, str, dict[str, int]]:
        """How many memories of these scopes hold each term, how many there are, and the query's part for the scopes.

        In scopes that are a small part of the store terms are counted there, so that what others have stored neither
        shows nor matters. Where they are most of the store its own figures serve, and the scope is left to the gate.
        """
        state = State._make(self._rows("size")[0])
        everything = state.added
        sizes = self._frequency_cache.get("", scopes, state, self._count_everywhere)
        size = sum(sizes.values())
        overall = self._frequency_cache.get("", terms, state, self._count_everywhere)
        if size >= _MOST_OF_STORE * everything:
            found, within = overall, ""
        else:
            within = " AND {scope} : (" + " OR ".join(f'"{scope}"' for scope in scopes) + ")"
            countable = [term for term in terms if 0 < overall[term] <= _COUNTED]
            found = {term: round(overall[term] * size / everything) for term in terms if overall[term] > _COUNTED}
            found |= self._frequency_cache.get(within, countable, state, partial(self._count_within, within))
        frequencies = {term: count for term, count in found.items() if count}
        return frequencies, max(size, *frequencies.values(), 0), within, overall

    def _count_everywhere(self, terms: list[str], after: int) -> dict[str, int]:
        if not after:
            return dict(self._rows("frequencies", {"terms": json.dumps(terms)}))
        return {term: self._count(f'"{term}"', after) for term in terms}

    def _count_within(self, within: str, terms: list[str], after: int) -> dict[str, int]:
        return {term: self._count(f'{{terms}} : "{term}"{within}', after) for term in terms}

    def _count(self, query: str, after: int) -> int:
        count: int = self._rows("count_matches", {"query": query, "after": after})[0][0]
        return count

    def nearest(self, visibility: Visibility, vector: Vector, limit: int) -> list[Ranked]:
        values = self._gate(visibility)
        model = self._row("find_model", {"name": vector.model})
        if model is None:
            return []
        self._seen.model_id = model[0]
        if self._indexes.usable and visibility.known_at is None:
            scopes = [row[0] for row in self._rows("visible_scopes", values)]
            return self._nearest_in_memory(visibility, model[0], scopes, vector, limit)
        values = {**values, "model_id": model[0], "vector": vector.data, "limit": limit}
        return [Ranked(seq, 1.0 - distance) for seq, distance in self._rows("nearest", values)]

    def _nearest_in_memory(
        self, visibility: Visibility, model_id: int, scopes: list[int], vector: Vector, limit: int
    ) -> list[Ranked]:
        """The nearest by the indexes kept in memory."""
        indexes = [self._indexes.current(self._connection, model_id, scope) for scope in scopes]

        def nearest(most: int) -> list[Near]:
            found = [hit for index in indexes for hit in index.search(vector.data, most)]
            return self._settled(found, limit, most)

        return [Ranked(hit.seq, hit.score) for hit in self._visible(visibility, limit, nearest)]

    def similarities(self, visibility: Visibility, vector: Vector, seqs: Sequence[int]) -> dict[int, float]:
        model = self._row("find_model", {"name": vector.model})
        if model is None or not seqs:
            return {}
        if self._indexes.usable:
            found: dict[int, float] = {}
            self._seen.model_id = model[0]
            seen = self._look_up(visibility, seqs)
            for row in self._rows("visible_scopes", self._gate(visibility)):
                index = self._indexes.current(self._connection, model[0], row[0])
                hits = index.similarities(vector.data, seqs)
                current = {candidate.entry for seq in seqs if (candidate := seen[seq]) is not None}
                found |= {hit.seq: hit.score for hit in hits if hit.entry in current}
            return found
        values = {"model_id": model[0], "vector": vector.data, "seqs": json.dumps(list(seqs))}
        return dict(self._rows("similarities", values))


class _Walk:
    """In a small scope of a large store a term's rows outside the scope are passed over: so many and no more."""

    def __init__(self, overall: dict[str, int]) -> None:
        self._overall = overall
        self._walked = 0

    def __call__(self, term: str) -> bool:
        """Whether a term may still be walked."""
        self._walked += self._overall[term]
        return self._walked <= _WALKED
