"""Reading inside one transaction of the embedded engine."""

from __future__ import annotations

from typing import Any

import apsw

from recollect.log import MemoryLog
from recollect.model.scope import Visibility
from recollect.storage.interface import Found
from recollect.storage.knowledge import Damage
from recollect.storage.relational.reader import RelationalReader
from recollect.storage.relational.rows import Row
from recollect.storage.relational.transfer import Table
from recollect.storage.sql import queries

_SQL = queries("sqlite")
# How many of the newest rows are looked at before all of them are.
_RECENT = 2_000
_GATE = (
    "orchestrator_id", "user", "chat", "statuses", "types", "kinds", "now", "include_expired", "known_at", "valid_at"
)  # fmt: skip


class SqliteReader(RelationalReader):
    """Reads; bytes that are no text any more are named and passed over."""

    def __init__(self, connection: apsw.Connection, orchestrator_id: str, log: MemoryLog) -> None:
        super().__init__(orchestrator_id, log)
        self._connection = connection

    def _rows(self, query: str, values: Any = None) -> list[Row]:
        return self._connection.execute(_SQL[query], values).fetchall()

    def memories(self, visibility: Visibility, *, limit: int, offset: int) -> Found:
        if visibility.types is None and limit + offset <= _RECENT:
            values = {**self._gate(visibility), "limit": limit, "offset": offset, "recent": _RECENT}
            found = self._found(*self._memory_rows("list_newest_memories", values))
            if len(found.memories) == limit:
                return found
        return super().memories(visibility, limit=limit, offset=offset)

    def _memory_rows(self, query: str, values: dict[str, Any]) -> tuple[list[Row], list[Damage]]:
        """Rows that hold memories; a row whose bytes are no text any more is named and passed over."""
        try:
            return self._rows(query, values), []
        except UnicodeDecodeError:
            return self._decodable(query, values), self._undecodable(values)

    def _decodable(self, query: str, values: dict[str, Any]) -> list[Row]:
        cursor, rows = self._connection.execute(_SQL[query], values), []
        while True:
            try:
                rows.append(next(cursor))
            except UnicodeDecodeError:
                self._report([Damage("unknown", f"bytes that are no text, in {query}")])
            except StopIteration:
                return rows

    def _undecodable(self, values: dict[str, Any]) -> list[Damage]:
        damaged = []
        for memory_id, *texts in self._rows("raw_texts", {name: values[name] for name in _GATE}):
            try:
                b"".join([memory_id, *texts]).decode()
            except UnicodeDecodeError:
                damaged.append(Damage(memory_id.decode("utf-8", "replace"), "the stored bytes are no text"))
        return damaged or [Damage("unknown", "the stored bytes are no text")]

    def dump(self, table: Table, after: Row | None, limit: int) -> list[Row]:
        columns, place = ", ".join(table.columns), table.name
        key = ", ".join(table.key)
        if table.name == "memory_fts":  # its own table, which is much faster than through the index
            columns, place, key = "id, c0", "memory_fts_content", "id"
        beyond = "" if after is None else f"WHERE ({key}) > ({', '.join('?' * len(after))})"
        query = f"SELECT {columns} FROM {place} {beyond} ORDER BY {key} LIMIT ?"  # noqa: S608  all names are constants
        return self._connection.execute(query, (*(after or ()), limit)).fetchall()
