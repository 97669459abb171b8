"""Searching inside one transaction of PostgreSQL: words by an inverted index, vectors by pgvector."""

from __future__ import annotations

import json
import math
from array import array
from collections.abc import Sequence
from functools import cache

from psycopg import sql

from recollect.log import MemoryLog
from recollect.model.scope import Visibility
from recollect.storage.interface import Matches, Ranked, Vector
from recollect.storage.postgres.connection import Connection
from recollect.storage.postgres.figures import Figures
from recollect.storage.postgres.reader import PostgresReader
from recollect.storage.relational.rows import Row
from recollect.storage.relational.search import RelationalSearcher, searched
from recollect.storage.relational.tokens import TokenReader

# Up to here all vectors of a scope are compared exactly; further on by their signs first, so many for each one wanted.
EXACT_UP_TO = 10_000
_CHOSEN_BY_SIGNS = 16
# Beyond, an index over everybody's vectors is faster, though it depends on the order in which they came.
SIGNS_UP_TO = 200_000
# A term is counted no further than this: beyond, it tells memories apart no better.
_COUNTED = 20_000
# Rows an index search may look at before it gives up; then all are searched.
_SCANNED = 40_000
# Of a memory in terms; only the choice of candidates depends on it, and little: ranking counts for itself.
_AVERAGE_LENGTH = 12.0


class PostgresSearcher(PostgresReader, TokenReader, RelationalSearcher):
    """Finds candidates for ranking; everything is inside the gate."""

    def __init__(self, connection: Connection, orchestrator_id: str, log: MemoryLog, figures: Figures) -> None:
        super().__init__(connection, orchestrator_id, log)
        self._figures = figures
        self._forget()

    def _forget(self) -> None:
        """Knows nothing yet of what is stored."""
        self._written = 0
        self._scopes_of: tuple[Visibility, list[int]] | None = None
        self._models: dict[str, Row | None] = {}

    def _changes(self) -> int:
        return self._written

    def _scopes(self, visibility: Visibility) -> list[int]:
        """The scopes a caller may see; a recall asks twice."""
        if self._scopes_of is None or self._scopes_of[0] is not visibility:
            self._scopes_of = visibility, [row[0] for row in self._rows("visible_scopes", self._gate(visibility))]
        return self._scopes_of[1]

    def _model(self, name: str) -> Row | None:
        """The number and dimension of a model; a recall asks twice."""
        if name not in self._models:
            self._models[name] = self._row("find_model", {"name": name})
        return self._models[name]

    def match_terms(self, visibility: Visibility, terms: Sequence[str], limit: int) -> Matches:
        scopes = self._scopes(visibility)
        if not scopes or not terms:
            return Matches([], {}, 0)
        size = self._figures.size(f"memories {scopes}", lambda: self._rows("count_scopes", {"scopes": scopes})[0][0])
        counted = self._figures.get(
            f"terms {scopes}", dict.fromkeys(terms), lambda missing: self._count_terms(missing, scopes)
        )
        frequencies = {term: count for term, count in counted.items() if count}
        size = max(size, *frequencies.values(), 0)
        chosen = searched(frequencies, size, lambda _term: True)
        values = {
            "scopes": scopes,
            "terms": chosen,
            "worths": [_worth(frequencies[term], size) for term in chosen],
            "average": _AVERAGE_LENGTH,
        }

        def matching(most: int) -> list[Ranked]:
            return self._best("match_terms", values, limit, most)

        ranked = self._visible(visibility, limit, matching) if chosen else []
        return Matches(ranked, frequencies, size, skipped=len(frequencies) - len(chosen))

    def _count_terms(self, terms: list[str], scopes: list[int]) -> dict[str, int]:
        return dict(self._rows("frequencies", {"terms": terms, "scopes": scopes, "limit": _COUNTED}))

    def nearest(self, visibility: Visibility, vector: Vector, limit: int) -> list[Ranked]:
        model = self._model(vector.model)
        scopes = self._scopes(visibility)
        if model is None or not scopes:
            return []
        self._seen.model_id = model[0]
        values = {"model_id": model[0], "vector": vector_text(vector.data), "scopes": scopes}
        if visibility.known_at is not None:
            values |= self._gate(visibility) | {"limit": limit}
            return [Ranked._make(row) for row in self._rows("nearest_visible", values)]
        size = self._figures.size(f"vectors {model[0]} {scopes}", lambda: self._rows("count_vectors", values)[0][0])

        def nearest(most: int) -> list[Ranked]:
            chosen = _CHOSEN_BY_SIGNS * most
            if size > SIGNS_UP_TO and most < EXACT_UP_TO:
                found = self._nearest_by_index((model[0], model[1]), scopes, values["vector"], most)
                if len(found) == most:
                    return found
            if size > EXACT_UP_TO and chosen < size:
                rows = self._rows("nearest_by_signs", {**values, "chosen": chosen, "limit": most + limit})
                return self._settled([Ranked._make(row) for row in rows], limit, most)
            return self._best("nearest", values, limit, most)

        return self._visible(visibility, limit, nearest)

    def _nearest_by_index(self, model: tuple[int, int], scopes: list[int], vector: str, most: int) -> list[Ranked]:
        """By the index of this model (see `index_vectors`); it goes on until enough of the scope's own were found."""
        self._connection.execute(
            sql.SQL(
                "SET LOCAL hnsw.iterative_scan = relaxed_order; SET LOCAL hnsw.ef_search = {ef};"
                "SET LOCAL hnsw.max_scan_tuples = {scanned}"
            ).format(ef=sql.Literal(min(1000, max(100, most))), scanned=sql.Literal(_SCANNED))
        )
        rows = self._connection.execute(
            index_search(*model),
            {
                "orchestrator_id": self._orchestrator_id,
                "scopes": scopes,
                "vector": vector,
                "limit": most,
            },
        ).fetchall()
        return sorted((Ranked._make(row) for row in rows), key=lambda hit: (-hit.score, hit.seq))

    def model_to_index(self) -> tuple[int, int] | None:
        """The number and dimension of the model in use, if a scope has so many vectors of it that an index pays."""
        row = self._row("find_model", {"name": self.active_model()})
        if row is None or self._rows("largest_scope", {"model_id": row[0]})[0][0] <= SIGNS_UP_TO:
            return None
        return row[0], row[1]

    def similarities(self, visibility: Visibility, vector: Vector, seqs: Sequence[int]) -> dict[int, float]:
        model = self._model(vector.model)
        if model is None or not seqs:
            return {}
        self._gate(visibility)
        values = {"model_id": model[0], "vector": vector_text(vector.data), "seqs": json.dumps(list(seqs))}
        return dict(self._rows("similarities", values))


def index_search(model_id: int, dimension: int) -> sql.Composed:
    """The nearest vectors by the index of one model: its text names the model, as the index's condition does."""
    return sql.SQL(
        "SELECT v.seq, 1.0 - ((v.vector::vector({dimension})) <=> %(vector)s::vector({dimension})) AS score"
        " FROM recollect.memory_embeddings AS v"
        " WHERE v.orchestrator_id = %(orchestrator_id)s AND v.model_id = {model} AND v.scope_id = ANY(%(scopes)s)"
        " ORDER BY (v.vector::vector({dimension})) <=> %(vector)s::vector({dimension}) LIMIT %(limit)s"
    ).format(dimension=sql.Literal(dimension), model=sql.Literal(model_id))


def vector_text(data: bytes) -> str:
    """A vector as pgvector reads it; nine digits are all that a 32-bit number has."""
    numbers = array("f", data)
    return _format(len(numbers)) % tuple(numbers)


@cache
def _format(dimension: int) -> str:
    """One text for all numbers at once: several times faster than writing each by itself."""
    return "[" + ",".join(["%.9g"] * dimension) + "]"


def _worth(frequency: int, size: int) -> float:
    """What a term says about a memory that holds it, as the embedded engine's full-text search has it."""
    return max(1e-6, math.log((size - frequency + 0.5) / (frequency + 0.5)))
