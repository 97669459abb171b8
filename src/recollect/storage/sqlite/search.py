"""Searching inside one transaction of the embedded engine: full text, vectors, neighbours."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

import apsw

from recollect.log import MemoryLog
from recollect.model.scope import Visibility
from recollect.storage.interface import Candidate, Matches, Ranked, Vector
from recollect.storage.sqlite.frequencies import Frequencies
from recollect.storage.sqlite.reader import SqliteReader
from recollect.storage.sqlite.vectors import Near, VectorIndexes

S = TypeVar("S", Ranked, Near)

# Full-text search scores every row that holds a term, so a query may touch this many rows: rarest terms first,
# and common ones only to rank what the rare ones found.
POSTINGS = 2_000
# A term in more than this part of all memories does not tell them apart.
_COMMON = 0.2
_FEW = 20
# A scope smaller than this part of the store has its terms counted by themselves, if they are not too many.
_MOST_OF_STORE = 0.5
_COUNTED = 2_000
# In a small scope of a large store, a term's rows outside the scope have to be passed over: as many as this.
_WALKED = 40_000
# Past this many terms a query is a document: its rarest terms say what it is about.
_MOST_TERMS = 64


class _Seen:
    """The candidates that one caller was shown in one transaction; None for each that the gate holds back."""

    def __init__(self) -> None:
        self.model_id = -1
        self.candidates: dict[int, Candidate | None] = {}
        self._key: tuple[Visibility, int, int] | None = None

    def keep_for(self, visibility: Visibility, changes: int) -> None:
        """Forgets everything when another caller asks, the vectors are another model's, or something was written."""
        key = (visibility, self.model_id, changes)
        if self._key is None or self._key[0] is not visibility or self._key[1:] != key[1:]:
            self.candidates, self._key = {}, key


class SqliteSearcher(SqliteReader):
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
        self._seen = _Seen()

    def match_terms(self, visibility: Visibility, terms: Sequence[str], limit: int) -> Matches:
        values = self._gate(visibility)
        scopes = [f"s{row[0]}" for row in self._rows("visible_scopes", values)]
        frequencies, size, within, overall = self._frequencies(list(dict.fromkeys(terms)), scopes)
        chosen = _searched(frequencies, size, overall)
        ranked = []
        if chosen and scopes:
            either = " OR ".join(f'"{term}"' for term in chosen)
            query = f"{{terms}} : ({either}){within}"
            ranked = self._visible(visibility, limit, lambda most: self._matching(query, most))
        return Matches(ranked, frequencies, size, skipped=len(frequencies) - len(chosen))

    def _frequencies(self, terms: list[str], scopes: list[str]) -> tuple[dict[str, int], int, str, dict[str, int]]:
        """How many memories of these scopes hold each term, how many there are, and the query's part for the scopes.

        In scopes that are a small part of the store terms are counted there, so that what others have stored neither
        shows nor matters. Where they are most of the store its own figures serve, and the scope is left to the gate.
        """
        everything = self._rows("size")[0][0]
        sizes = self._frequency_cache.get("", scopes, everything, self._count_everywhere)
        size = sum(sizes.values())
        overall = self._frequency_cache.get("", terms, everything, self._count_everywhere)
        if size >= _MOST_OF_STORE * everything:
            found, within = overall, ""
        else:
            within = " AND {scope} : (" + " OR ".join(f'"{scope}"' for scope in scopes) + ")"
            countable = [term for term in terms if 0 < overall[term] <= _COUNTED]
            found = {term: round(overall[term] * size / everything) for term in terms if overall[term] > _COUNTED}
            found |= self._frequency_cache.get(within, countable, everything, partial(self._count_within, within))
        frequencies = {term: count for term, count in found.items() if count}
        return frequencies, max(size, *frequencies.values(), 0), within, overall

    def _count_everywhere(self, terms: list[str]) -> dict[str, int]:
        return dict(self._rows("frequencies", {"terms": json.dumps(terms)}))

    def _count_within(self, within: str, terms: list[str]) -> dict[str, int]:
        return {term: self._rows("count_matches", {"query": f'{{terms}} : "{term}"{within}'})[0][0] for term in terms}

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
            return found if len(indexes) == 1 else sorted(found, key=lambda hit: (-hit.score, hit.seq))[:most]

        return [Ranked(hit.seq, hit.score) for hit in self._visible(visibility, limit, nearest)]

    def _matching(self, query: str, most: int) -> list[Ranked]:
        return [Ranked._make(row) for row in self._rows("match_terms", {"query": query, "limit": most})]

    def _visible(self, visibility: Visibility, limit: int, search: Callable[[int], list[S]]) -> list[S]:
        """The best visible results of a search.

        What it finds is checked against the gate, and a hidden memory never takes a visible one's place: more is
        fetched until enough are visible or nothing is left.
        """
        most = limit + limit // 4  # a few hidden ones are common, and a second search is dear
        while True:
            found = search(most)
            visible = self._shown(visibility, found[:limit])
            if len(visible) < limit:
                visible += self._shown(visibility, found[limit:])
            if len(visible) >= limit or len(found) < most:
                return visible[:limit]
            most *= 4

    def _shown(self, visibility: Visibility, found: list[S]) -> list[S]:
        """What the gate lets through of a search, without what it only remembered."""
        seen = self._look_up(visibility, [hit.seq for hit in found])
        return [hit for hit in found if (candidate := seen[hit.seq]) is not None and hit.counts_for(candidate)]

    def candidates(self, visibility: Visibility, seqs: Sequence[int]) -> dict[int, Candidate]:
        seen = self._look_up(visibility, seqs)
        return {seq: candidate for seq in seqs if (candidate := seen.get(seq)) is not None}

    def _look_up(self, visibility: Visibility, seqs: Sequence[int]) -> dict[int, Candidate | None]:
        """What the gate lets through of some memories: each is read once in a recall, whoever asks for it."""
        seen = self._seen
        seen.keep_for(visibility, self._connection.total_changes())
        unknown = [seq for seq in seqs if seq not in seen.candidates]
        if unknown:
            seen.candidates |= dict.fromkeys(unknown)
            values = {**self._gate(visibility), "seqs": json.dumps(unknown), "model_id": seen.model_id}
            seen.candidates |= {row[0]: Candidate._make(row) for row in self._rows("candidates", values)}
        return seen.candidates

    def neighbours(self, visibility: Visibility, places: Sequence[tuple[str, int]], reach: int) -> list[int]:
        if not places:
            return []
        values = {**self._gate(visibility), "places": json.dumps(places), "reach": reach}
        return [row[0] for row in self._rows("neighbours", values)]

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


def _searched(frequencies: dict[str, int], size: int, overall: dict[str, int]) -> list[str]:
    """The terms to search by: the rarest ones, within the budget; what nearly every memory holds finds nothing."""
    chosen: list[str] = []
    spent = walked = 0
    for term in sorted(frequencies, key=lambda term: (frequencies[term], term))[:_MOST_TERMS]:
        spent += frequencies[term]
        walked += overall[term]
        if chosen and (spent > POSTINGS or walked > _WALKED or frequencies[term] > max(_COMMON * size, _FEW)):
            break
        chosen.append(term)
    return chosen
