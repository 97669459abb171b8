"""Writing inside one transaction of the embedded engine."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import apsw

from recollect.log import MemoryLog
from recollect.model.memory import Memory
from recollect.storage.interface import Vector
from recollect.storage.relational.rows import Row
from recollect.storage.relational.tokens import TokenWriter
from recollect.storage.relational.transfer import Table
from recollect.storage.relational.writer import Numbers
from recollect.storage.sql import queries
from recollect.storage.sqlite.frequencies import Frequencies
from recollect.storage.sqlite.search import SqliteSearcher
from recollect.storage.sqlite.vectors import VectorIndexes

_SQL = queries("sqlite")
# An index in memory that has fallen behind by more is loaded anew.
_NOTES_KEPT = 10_000


class SqliteWriter(SqliteSearcher, TokenWriter):
    """Reads and writes inside one transaction."""

    def __init__(
        self,
        connection: apsw.Connection,
        orchestrator_id: str,
        log: MemoryLog,
        indexes: VectorIndexes,
        numbers: Numbers,
    ) -> None:
        TokenWriter.__init__(self, orchestrator_id, log, numbers)
        self._connection = connection
        self._indexes = indexes
        self._frequency_cache = Frequencies()  # its own: what is counted here may yet be rolled back

    def replace_memory(
        self, memory: Memory, terms: Sequence[str] | None = None, *, awaits_vector: bool = False
    ) -> None:
        super().replace_memory(memory, terms, awaits_vector=awaits_vector)
        if terms is not None:
            self._note_rewritten([memory.memory_id])

    def _note_rewritten(self, memory_ids: Sequence[str]) -> None:
        """Tells what other threads and processes keep in memory that these are no longer what they were."""
        self._run("note_rewritten", {"memory_ids": json.dumps(list(memory_ids))})
        self._run("trim_rewritten", {"kept": _NOTES_KEPT})

    def _erase(self, memory_ids: Sequence[str]) -> None:
        self._note_rewritten(memory_ids)
        self._run("erase_terms", {"memory_ids": json.dumps(list(memory_ids))})
        super()._erase(memory_ids)

    def _run(self, query: str, values: dict[str, Any]) -> None:
        self._connection.execute(_SQL[query], values)

    def _run_all(self, query: str, rows: Sequence[Row] | Sequence[dict[str, Any]]) -> None:
        self._connection.executemany(_SQL[query], rows)

    def _command(self, command: str) -> None:
        self._connection.execute(command)

    def _in_transaction(self) -> bool:
        return self._connection.in_transaction

    def _new_seqs(self, count: int) -> Sequence[int]:
        row = self._row("last_seq")
        first = 1 if row is None else row[0] + 1
        return range(first, first + count)

    def _stored_vector(self, vector: Vector) -> bytes:
        return vector.data

    def _is_duplicate(self, error: Exception) -> bool:
        return isinstance(error, apsw.ConstraintError)

    def load(self, table: Table, rows: Sequence[Row]) -> None:
        columns, values = list(table.columns), ["?"] * len(table.columns)
        if table.name == "memories":
            columns.append("orchestrator_id")
            rows = [(*row, self._orchestrator_id) for row in rows]
            values.append("?")
        elif table.name == "memory_fts":
            columns[0] = "rowid"
            columns.append("scope")
            values.append("(SELECT 's' || scope_id FROM memories WHERE seq = ?)")
            rows = [(*row, row[0]) for row in rows]
        query = f"INSERT INTO {table.name} ({', '.join(columns)}) VALUES ({', '.join(values)})"  # noqa: S608  constants
        self._connection.executemany(query, rows)

    def loaded(self) -> None:
        """Nothing: SQLite counts on from the numbers that were given."""
