"""Connections: how a database file is opened, and what its errors mean to a caller."""

from __future__ import annotations

import importlib.util
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import apsw

from recollect.errors import CorruptDatabase, StorageBusy, StorageError, StorageUnavailable

# Before 3.51.3 two writing processes could corrupt a database whose WAL was just being reset.
_OLDEST_SQLITE = 3_051_003
# At most; SQLite's own 2 MiB hold less than a single recall touches.
_PAGE_CACHE_KIB = 64 * 1024
_CORRUPT = (apsw.CorruptError, apsw.NotADBError)
_BUSY = (apsw.BusyError, apsw.LockedError)
_UNAVAILABLE = (
    apsw.FullError,
    apsw.IOError,
    apsw.CantOpenError,
    apsw.PermissionsError,
    apsw.ReadOnlyError,
    apsw.AuthError,
    apsw.NoMemError,
)


@cache
def _vector_extension() -> str:
    """The path of sqlite-vec's library, found without importing its package (which imports the old sqlite3)."""
    spec = importlib.util.find_spec("sqlite_vec")
    if spec is None or spec.origin is None:
        raise StorageError(
            "the package sqlite-vec is not installed", code="missing_package", hint="pip install sqlite-vec"
        )
    return str(Path(spec.origin).with_name("vec0"))


def connect(path: Path, *, busy_timeout: float, synchronous: str, vfs: str | None = None) -> apsw.Connection:
    """Opens a database with everything set that makes it safe to share; writes nothing yet.

    `vfs` names another file layer of SQLite's; fault tests put a failing disk there.
    """
    if apsw.SQLITE_VERSION_NUMBER < _OLDEST_SQLITE:
        raise StorageError(
            f"SQLite {apsw.sqlite_lib_version()} has a known corruption bug with several writers",
            code="sqlite_too_old",
            hint="upgrade apsw to 3.51.3.0 or newer",
        )
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE, vfs=vfs)
    connection.set_busy_timeout(int(busy_timeout * 1000))
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA recursive_triggers = ON")  # or REPLACE would delete events without their trigger
    connection.execute(f"PRAGMA synchronous = {'FULL' if synchronous == 'full' else 'NORMAL'}")
    connection.execute("PRAGMA secure_delete = ON")  # what is erased is overwritten, not only freed
    connection.execute("PRAGMA temp_store = MEMORY")
    connection.execute(f"PRAGMA cache_size = -{_PAGE_CACHE_KIB}")
    connection.enable_load_extension(True)
    connection.load_extension(_vector_extension())
    connection.enable_load_extension(False)
    return connection


def enter_wal(connection: apsw.Connection, busy_timeout: float) -> None:
    """Switches to write-ahead logging; SQLite's own time-out does not cover this switch, so it is retried here."""
    deadline = time.monotonic() + busy_timeout
    while True:
        try:
            mode = connection.pragma("journal_mode", "wal")
        except _BUSY:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.005)
            continue
        if mode != "wal":
            raise StorageUnavailable(
                f"this file system cannot hold a write-ahead log (journal mode is {mode})",
                hint="put the root on a local disk",
            )
        return


def sync_folder(folder: Path) -> None:
    """Makes the names in a folder durable: without it a crash may bring back a database's first journal."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Turns the engine's errors into ours."""
    try:
        yield
    except _CORRUPT as error:
        raise CorruptDatabase(
            f"the memory database {path} is damaged: {error}",
            hint="restore a backup, or move the file away to begin anew",
            path=str(path),
        ) from error
    except _BUSY as error:
        raise StorageBusy(f"another process kept {path} busy for too long", hint="try again", path=str(path)) from error
    except _UNAVAILABLE as error:
        raise StorageUnavailable(
            f"the memory database {path} cannot be used: {error}",
            hint="check free disk space and permissions; nothing was written",
            path=str(path),
        ) from error
    except apsw.Error as error:
        raise StorageError(f"the memory database {path} refused: {error}", path=str(path)) from error
