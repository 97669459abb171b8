"""Reading inside one transaction of PostgreSQL."""

from __future__ import annotations

from typing import Any

from recollect.log import MemoryLog
from recollect.storage.postgres.connection import Connection
from recollect.storage.postgres.statements import statements
from recollect.storage.relational.reader import RelationalReader
from recollect.storage.relational.rows import Row

_SQL = statements()


class PostgresReader(RelationalReader):
    """Reads; every query names the orchestrator, and row-level security holds even if one would forget it."""

    def __init__(self, connection: Connection, orchestrator_id: str, log: MemoryLog) -> None:
        super().__init__(orchestrator_id, log)
        self._connection = connection

    def _rows(self, query: str, values: dict[str, Any] | None = None) -> list[Row]:
        own = {"orchestrator_id": self._orchestrator_id}
        return self._connection.execute(_SQL[query], {**values, **own} if values else own).fetchall()
