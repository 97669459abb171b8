"""Writing inside one transaction of PostgreSQL."""

from __future__ import annotations

import json
import uuid
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from psycopg import errors, pq, sql

from recollect.log import MemoryLog
from recollect.model.clock import to_micros
from recollect.model.event import Event
from recollect.storage.interface import Vector
from recollect.storage.postgres.connection import Connection
from recollect.storage.postgres.figures import Figures
from recollect.storage.postgres.search import PostgresSearcher, vector_text
from recollect.storage.postgres.statements import statements
from recollect.storage.relational.rows import Row
from recollect.storage.relational.tokens import TokenWriter
from recollect.storage.relational.transfer import TABLES, Table
from recollect.storage.relational.writer import Numbers

_SQL = statements()


class PostgresWriter(PostgresSearcher, TokenWriter):
    """Reads and writes inside one transaction."""

    def __init__(
        self,
        connection: Connection,
        orchestrator_id: str,
        log: MemoryLog,
        figures: Figures,
        numbers: Numbers,
    ) -> None:
        TokenWriter.__init__(self, orchestrator_id, log, numbers)
        self._connection = connection
        self._figures = figures
        self._forget()
        self._newest: dict[str, Any] | None = None

    def add_events(self, events: Iterable[Event]) -> None:
        kept = list(events)
        super().add_events(kept)
        if kept:
            last = kept[-1]
            self._newest = {
                "memory_id": last.memory_id,
                "edge_id": last.edge_id,
                "person_id": last.person_id,
                "kind": last.kind.value,
                "occurred_at": to_micros(last.occurred_at),
            }

    def _run(self, query: str, values: dict[str, Any]) -> None:
        self._written += 1
        if query == "replace_terms":
            self._replace_postings(values["memory_id"], values["terms"])
        self._connection.execute(_SQL[query], {**values, "orchestrator_id": self._orchestrator_id})

    def _run_all(self, query: str, rows: Sequence[Row] | Sequence[dict[str, Any]]) -> None:
        self._written += 1
        if query == "add_terms":
            self._add_postings([(int(row[2][1:]), row[0], row[1]) for row in rows if isinstance(row, tuple)])
        if rows and isinstance(rows[0], Mapping):
            own = {"orchestrator_id": self._orchestrator_id}
            with self._connection.cursor() as cursor:
                cursor.executemany(_SQL[query], [{**row, **own} for row in rows if isinstance(row, Mapping)])
        elif rows:
            self._insert(query, rows)

    def _insert(self, query: str, rows: Sequence[Any]) -> None:
        """All rows in one statement, column by column: many times faster than one by one."""
        columns = {f"c{number}": list(column) for number, column in enumerate(zip(*rows, strict=True))}
        self._connection.execute(_SQL[query], {**columns, "orchestrator_id": self._orchestrator_id})

    def _add_postings(self, texts: Sequence[tuple[int, int, str]]) -> None:
        postings = []
        for scope_id, seq, text in texts:
            terms = text.split()
            postings += [(scope_id, term, seq, count, len(terms)) for term, count in Counter(terms).items()]
        if postings:
            # In the order of the key: neighbours go into the same pages.
            self._insert("add_postings", sorted(postings))

    def _replace_postings(self, memory_id: str, text: str) -> None:
        row = self._drop_postings(memory_id)
        if row is not None:
            self._add_postings([(row[0], row[1], text)])

    def _erase(self, memory_ids: Sequence[str]) -> None:
        for memory_id in memory_ids:
            self._drop_postings(memory_id)
        super()._erase(memory_ids)

    def _drop_postings(self, memory_id: str) -> Row | None:
        """Takes a memory out of the inverted index by the very terms it stands under."""
        row = self._row("indexed", {"memory_id": memory_id})
        if row is not None:
            self._run("drop_postings", {"scope_id": row[0], "seq": row[1], "terms": list(set(row[2].split()))})
        return row

    def trace(self) -> tuple[str, dict[str, Any]] | None:
        """A query that tells whether this transaction took effect: by its last event, or by a mark made for it."""
        if self._newest is not None:
            return "recorded", self._newest
        if not self._written:
            return None
        mark = {"write_id": str(uuid.uuid4())}
        self._run("mark_write", mark)
        return "marked", mark

    def drop_marks(self) -> None:
        """Forgets marks that nobody will ask for any more."""
        self._run("drop_marks", {})

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

    def _raw(self, text: str) -> bytes:
        return text.encode()

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
            scopes: dict[int, int] = dict(self._rows("scopes_of", {"seqs": json.dumps([row[0] for row in given])}))
            self._add_postings([(scopes[seq], seq, terms) for seq, terms in given])
        elif table.raw is not None:
            at = table.columns.index(table.raw)
            given = [(*row[:at], row[at].encode(), *row[at + 1 :]) for row in given]
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
