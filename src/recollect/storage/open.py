"""Which engine: a folder is the embedded one, a URL is a server's."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

from recollect.config import StorageSettings
from recollect.errors import ConfigError
from recollect.log import MemoryLog
from recollect.storage.interface import Storage
from recollect.storage.layout import Layout
from recollect.storage.schema import SchemaStatus
from recollect.storage.sqlite import SqliteStorage, sqlite_status

_SCHEMES = ("postgresql://", "postgres://")


def server_url(root: object) -> str | None:
    """The URL of a server, if that is what a root names; psycopg is only needed then."""
    if not isinstance(root, str) or not root.startswith(_SCHEMES):
        return None
    if importlib.util.find_spec("psycopg") is None or importlib.util.find_spec("psycopg_pool") is None:
        raise ConfigError(
            "a PostgreSQL URL needs psycopg", code="missing_package", hint="pip install 'recollect[postgres]'"
        )
    return root


def default_files() -> Path:
    """Where files are kept when the memories are on a server."""
    return Path(os.environ.get("RECOLLECT_FILES") or Path.home() / ".recollect")


def schema_status(url: str | None, layout: Layout) -> SchemaStatus:
    """The state of a store's schema; opens and changes nothing."""
    if url is None:
        return sqlite_status(layout.database)
    from recollect.storage.postgres import PostgresSchema  # noqa: PLC0415  an extra

    return PostgresSchema(url).status()


def open_storage(url: str | None, layout: Layout, log: MemoryLog, settings: StorageSettings) -> Storage:
    """One orchestrator's store."""
    if url is None:
        return SqliteStorage(
            layout.database,
            layout.orchestrator_id,
            log,
            synchronous=settings.synchronous,
            busy_timeout=settings.busy_timeout_seconds,
        )
    from recollect.storage.postgres import PostgresStorage  # noqa: PLC0415  an extra

    return PostgresStorage(
        url,
        layout.orchestrator_id,
        log,
        patience=settings.busy_timeout_seconds,
        prepared=settings.prepared_statements,
        connections=settings.connections,
        migrate=settings.auto_migrate,
    )
