"""Reading inside one transaction of PostgreSQL."""

from __future__ import annotations

from array import array
from typing import Any

from psycopg import sql

from recollect.log import MemoryLog
from recollect.storage.postgres.connection import Connection
from recollect.storage.postgres.statements import statements
from recollect.storage.relational.reader import RelationalReader
from recollect.storage.relational.rows import Row
from recollect.storage.relational.transfer import Table

_SQL = statements()
_TEXT_KEYS = frozenset(
    """key memory_id edge_id session_id model user_id provider person_id name relation of_person artifact_id tag
    token_id""".split()  # noqa: SIM905
)


class PostgresReader(RelationalReader):
    """Reads; every query names the orchestrator, and row-level security holds even if one would forget it."""

    def __init__(self, connection: Connection, orchestrator_id: str, log: MemoryLog) -> None:
        super().__init__(orchestrator_id, log)
        self._connection = connection

    def _rows(self, query: str, values: dict[str, Any] | None = None) -> list[Row]:
        own = {"orchestrator_id": self._orchestrator_id}
        return self._connection.execute(_SQL[query], {**values, **own} if values else own).fetchall()

    def dump(self, table: Table, after: Row | None, limit: int) -> list[Row]:
        query = sql.SQL(
            "SELECT {columns} FROM {place} WHERE orchestrator_id = %s {beyond} ORDER BY {key} LIMIT %s"
        ).format(
            columns=sql.SQL(", ").join(_column(name) for name in table.columns),
            place=sql.Identifier("recollect", table.name),
            beyond=sql.SQL("") if after is None else _beyond(table),
            key=sql.SQL(", ").join(_ordered(name) for name in table.key),
        )
        rows = self._connection.execute(query, [self._orchestrator_id, *(after or ()), limit]).fetchall()
        if table.name == "memory_embeddings":
            return [(*row[:3], vector_bytes(row[3])) for row in rows]
        if table.raw is not None:
            at = table.columns.index(table.raw)
            return [(*row[:at], row[at].decode(), *row[at + 1 :]) for row in rows]
        return rows


def _column(name: str) -> sql.Composable:
    return sql.SQL("vector::text") if name == "vector" else sql.Identifier(name)


def _ordered(name: str) -> sql.Composable:
    """Texts in the order of their bytes, as the embedded engine has them, whatever this database prefers."""
    collated = sql.SQL(' COLLATE "C"') if name in _TEXT_KEYS else sql.SQL("")
    return sql.Identifier(name) + collated


def _beyond(table: Table) -> sql.Composed:
    key = sql.SQL(", ").join(_ordered(name) for name in table.key)
    values = sql.SQL(", ").join(sql.Placeholder() for _ in table.key)
    return sql.SQL("AND ({}) > ({})").format(key, values)


def vector_bytes(text: str) -> bytes:
    """A vector as pgvector writes it, as we keep it."""
    return array("f", map(float, text[1:-1].split(","))).tobytes()
