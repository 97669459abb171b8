"""Writing inside one transaction of PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from psycopg import errors, pq, sql

from recollect.log import MemoryLog
from recollect.model.clock import to_micros
from recollect.model.event import Event
from recollect.storage.interface import Vector
from recollect.storage.postgres.connection import Connection
from recollect.storage.postgres.search import PostgresSearcher, Sizes, vector_text
from recollect.storage.postgres.statements import statements
from recollect.storage.relational.frequencies import Frequencies
from recollect.storage.relational.rows import Row
from recollect.storage.relational.transfer import TABLES, Table
from recollect.storage.relational.writer import Numbers, RelationalWriter

_SQL = statements()


class PostgresWriter(PostgresSearcher, RelationalWriter):
    """Reads and writes inside one transaction."""

    def __init__(
        self,
        connection: Connection,
        orchestrator_id: str,
        log: MemoryLog,
        frequencies: Frequencies,
        sizes: Sizes,
        numbers: Numbers,
    ) -> None:
        RelationalWriter.__init__(self, orchestrator_id, log, numbers)
        self._connection = connection
        self._frequency_cache = frequencies
        self._sizes = sizes
        self._written = 0
        self.newest: dict[str, Any] | None = None

    def add_events(self, events: Iterable[Event]) -> None:
        kept = list(events)
        super().add_events(kept)
        if kept:
            last = kept[-1]
            self.newest = {
                "memory_id": last.memory_id,
                "edge_id": last.edge_id,
                "kind": last.kind.value,
                "occurred_at": to_micros(last.occurred_at),
            }

    def _run(self, query: str, values: dict[str, Any]) -> None:
        self._written += 1
        self._connection.execute(_SQL[query], {**values, "orchestrator_id": self._orchestrator_id})

    def _run_all(self, query: str, rows: Sequence[Row] | Sequence[dict[str, Any]]) -> None:
        self._written += 1
        with self._connection.cursor() as cursor:
            cursor.executemany(_SQL[query], [self._own(query, row) for row in rows])

    def _own(self, query: str, row: Row | dict[str, Any]) -> Row | dict[str, Any]:
        """A row with the orchestrator in front, where every key here has it."""
        if isinstance(row, Mapping):
            return {**row, "orchestrator_id": self._orchestrator_id}
        if query == "add_memory":
            return (row[2], *row[:2], *row[3:])
        return (self._orchestrator_id, *row)

    def _command(self, command: str) -> None:
        self._connection.execute(command.encode())

    def _in_transaction(self) -> bool:
        return self._connection.info.transaction_status in {
            pq.TransactionStatus.INTRANS,
            pq.TransactionStatus.INERROR,
        }

    def _new_seqs(self, count: int) -> Sequence[int]:
        return [row[0] for row in self._rows("new_seqs", {"count": count})]

    def _stored_vector(self, vector: Vector) -> str:
        return vector_text(vector.data)

    def _is_duplicate(self, error: Exception) -> bool:
        return isinstance(error, errors.UniqueViolation)

    def load(self, table: Table, rows: Sequence[Row]) -> None:
        columns = [sql.Identifier(name) for name in table.columns]
        values: list[sql.Composable] = [sql.Placeholder() for _ in table.columns]
        given: list[Row] = [tuple(row) for row in rows]
        scope = sql.SQL("(SELECT scope_id FROM recollect.memories WHERE orchestrator_id = %s AND seq = %s)")
        own = self._orchestrator_id
        if table.name == "memory_embeddings":
            columns.append(sql.Identifier("scope_id"))
            values[3:] = [sql.SQL("%s::vector"), scope]
            given = [(*row[:3], vector_text(row[3]), own, row[1]) for row in given]
        elif table.name == "memory_fts":
            columns += [sql.Identifier("length"), sql.Identifier("words")]
            values += [
                sql.SQL("%s"),
                sql.SQL("array_to_tsvector(%s::text[] || ARRAY['s' || {}])").format(scope),
            ]
            given = [(*row, len(row[1].split()), row[1].split(), own, row[0]) for row in given]
        query = sql.SQL("INSERT INTO {} (orchestrator_id, {}) VALUES (%s, {})").format(
            sql.Identifier("recollect", table.name), sql.SQL(", ").join(columns), sql.SQL(", ").join(values)
        )
        with self._connection.cursor() as cursor:
            cursor.executemany(query, [(own, *row) for row in given])

    def loaded(self) -> None:
        for table in TABLES:
            if table.numbers is not None:
                self._connection.execute(
                    sql.SQL(
                        "SELECT setval('recollect.{numbers}', greatest((SELECT last_value FROM recollect.{numbers}),"
                        " (SELECT max({key}) FROM {place} WHERE orchestrator_id = %s)))"
                    ).format(
                        numbers=sql.SQL(table.numbers),
                        key=sql.Identifier(table.columns[0]),
                        place=sql.Identifier("recollect", table.name),
                    ),
                    [self._orchestrator_id],
                )
