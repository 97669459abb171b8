"""The embedded engine: one SQLite file per orchestrator."""

from recollect.storage.sqlite.engine import SqliteStorage, sqlite_status

__all__ = ["SqliteStorage", "sqlite_status"]
