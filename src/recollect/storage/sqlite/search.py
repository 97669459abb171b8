"""Searching inside one transaction of the embedded engine: full text, vectors, neighbours."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import apsw

from recollect.log import MemoryLog
from recollect.model.clock import from_micros
from recollect.model.scope import Visibility
from recollect.storage.interface import Candidate, Matches, Ranked, Vector
from recollect.storage.sqlite.reader import SqliteReader
from recollect.storage.sqlite.vectors import VectorIndexes

# Full-text search scores every row that holds a term, so a query may touch this many rows: rarest terms first,
# and common ones only to rank what the rare ones found.
POSTINGS = 6_000
# Past this many terms a query is a document: its rarest terms say what it is about.
_MOST_TERMS = 64


class SqliteSearcher(SqliteReader):
    """Finds candidates for ranking; everything is inside the gate."""

    def __init__(
        self, connection: apsw.Connection, orchestrator_id: str, log: MemoryLog, indexes: VectorIndexes
    ) -> None:
        super().__init__(connection, orchestrator_id, log)
        self._indexes = indexes

    def match_terms(self, visibility: Visibility, terms: Sequence[str], limit: int) -> Matches:
        values = self._gate(visibility)
        scopes = [f"s{row[0]}" for row in self._rows("visible_scopes", values)]
        wanted = list(dict.fromkeys(terms))
        found: dict[str, int] = dict(self._rows("frequencies", {"terms": json.dumps([*wanted, *scopes])}))
        size = max(self._rows("size")[0][0], 1)
        frequencies = {term: found[term] for term in wanted if term in found}
        share = min(1.0, sum(found.get(scope, 0) for scope in scopes) / size)
        chosen = _within_budget(frequencies, share)
        ranked = []
        if chosen and scopes:
            either = " OR ".join(f'"{term}"' for term in chosen)
            within = " OR ".join(f'"{scope}"' for scope in scopes)
            values |= {"query": f"{{terms}} : ({either}) AND {{scope}} : ({within})", "limit": limit}
            ranked = [Ranked(seq, -score) for seq, score in self._rows("match_terms", values)]
        return Matches(ranked, frequencies, size, skipped=len(frequencies) - len(chosen))

    def nearest(self, visibility: Visibility, vector: Vector, limit: int) -> list[Ranked]:
        values = self._gate(visibility)
        model = self._row("find_model", {"name": vector.model})
        if model is None:
            return []
        scopes = [row[0] for row in self._rows("visible_scopes", values)]
        if self._indexes.usable and visibility.known_at is None:
            return self._nearest_in_memory(values, model[0], scopes, vector, limit)
        values |= {"model_id": model[0], "vector": vector.data, "limit": limit}
        return [Ranked(seq, 1.0 - distance) for seq, distance in self._rows("nearest", values)]

    def _nearest_in_memory(
        self, values: dict[str, Any], model_id: int, scopes: list[int], vector: Vector, limit: int
    ) -> list[Ranked]:
        """The nearest by the indexes kept in memory.

        What they find is checked against the gate, and hidden memories never take a visible one's place: more is
        fetched until enough are visible or all were seen.
        """
        indexes = [self._indexes.current(self._connection, model_id, scope) for scope in scopes]
        total, wanted = sum(len(index) for index in indexes), limit
        while True:
            found = sorted(
                (hit for index in indexes for hit in index.search(vector.data, wanted)), key=lambda hit: -hit.score
            )[:wanted]
            seen = {
                row[0] for row in self._rows("visible_seqs", {**values, "seqs": json.dumps([hit.seq for hit in found])})
            }
            visible = [hit for hit in found if hit.seq in seen]
            if len(visible) >= limit or wanted >= total:
                return visible[:limit]
            wanted *= 4

    def candidates(self, visibility: Visibility, seqs: Sequence[int]) -> dict[int, Candidate]:
        rows = self._rows("candidates", {**self._gate(visibility), "seqs": json.dumps(list(seqs))})
        return {
            seq: Candidate(seq, terms.split(), conversation, position, speaker, from_micros(observed), bool(asks))
            for seq, terms, conversation, position, speaker, observed, asks in rows
        }

    def neighbours(self, visibility: Visibility, places: Sequence[tuple[str, int]], reach: int) -> list[int]:
        if not places:
            return []
        values = {**self._gate(visibility), "places": json.dumps(places), "reach": reach}
        return [row[0] for row in self._rows("neighbours", values)]

    def similarities(self, vector: Vector, seqs: Sequence[int]) -> dict[int, float]:
        model = self._row("find_model", {"name": vector.model})
        if model is None:
            return {}
        values = {"model_id": model[0], "vector": vector.data, "seqs": json.dumps(list(seqs))}
        return dict(self._rows("similarities", values))


def _within_budget(frequencies: dict[str, int], share: float) -> list[str]:
    """The rarest terms whose rows, in the part of the store that is searched, stay within the budget."""
    chosen: list[str] = []
    spent = 0.0
    for term in sorted(frequencies, key=lambda term: (frequencies[term], term))[:_MOST_TERMS]:
        spent += frequencies[term] * share
        if chosen and spent > POSTINGS:
            break
        chosen.append(term)
    return chosen
