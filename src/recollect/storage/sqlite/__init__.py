"""The embedded engine: one SQLite file per orchestrator."""

from recollect.storage.sqlite.engine import SqliteStorage

__all__ = ["SqliteStorage"]
