"""The embedded engine: one SQLite file per orchestrator."""

from recollect.storage.sqlite.backup import restore_backup
from recollect.storage.sqlite.engine import SqliteStorage, sqlite_status

__all__ = ["SqliteStorage", "restore_backup", "sqlite_status"]
