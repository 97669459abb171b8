"""Backups of the database file: made while it is used, and checked before they take its place."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import apsw

from recollect.errors import CorruptDatabase, ForeignDatabase, NotFound, StorageBusy, StorageUnavailable
from recollect.storage.sqlite.connection import sync_folder, translated

_HEADER = b"SQLite format 3\x00"


def make_backup(connect: Callable[[], apsw.Connection], path: Path) -> None:
    """A consistent copy: written beside its place, checked, synced, and only then put there."""
    target = path.absolute()
    temporary = target.with_name(f".{target.name}.new")
    try:
        _copied(connect(), temporary)
        check_backup(temporary, None)
        temporary.replace(target)
        sync_folder(target.parent)
    except OSError as error:
        raise StorageUnavailable(f"cannot write {target}: {error.strerror}", path=str(target)) from error
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def _copied(source: apsw.Connection, target: Path) -> None:
    """One consistent view of a database in a file of its own, private and synced; the connection is closed."""
    try:
        target.unlink(missing_ok=True)
        with translated(target):
            source.execute("VACUUM INTO ?", (str(target),))
    finally:
        source.close()
    target.chmod(0o600)
    with target.open("rb") as file:
        os.fsync(file.fileno())


def check_backup(path: Path, orchestrator_id: str | None) -> None:
    """Refuses what is no sound database of ours, or of another orchestrator."""
    try:
        with path.open("rb") as file:
            if file.read(len(_HEADER)) != _HEADER:
                raise CorruptDatabase(f"{path} is no database", path=str(path))
    except FileNotFoundError:
        raise NotFound(f"there is no file {path}", code="file_not_found") from None
    except OSError as error:
        raise CorruptDatabase(f"{path} cannot be read: {error.strerror}", path=str(path)) from error
    with translated(path):
        connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
        try:
            found = [row[0] for row in connection.execute("PRAGMA integrity_check(5)")]
            owner = connection.execute("SELECT value FROM meta WHERE key = 'orchestrator_id'").fetchone()
        except apsw.SQLError as error:
            raise ForeignDatabase(f"{path} is another program's database", path=str(path)) from error
        finally:
            connection.close()
    if found != ["ok"]:
        raise CorruptDatabase(f"{path} is damaged: {found[0]}", path=str(path))
    if orchestrator_id is not None and (owner is None or owner[0] != orchestrator_id):
        raise ForeignDatabase(
            f"{path} is of the orchestrator {owner[0] if owner else 'of nobody'}, not of {orchestrator_id}",
            code="orchestrator_mismatch",
            path=str(path),
        )


def restore_backup(path: Path, database: Path, orchestrator_id: str) -> Path | None:
    """Puts a backup in the place of a database that nobody uses; where what was there is kept.

    It is read through SQLite, so that what a log beside it holds is in it, and checked again before it takes the place.
    """
    check_backup(path, orchestrator_id)
    temporary = database.with_name(f".{database.name}.new")
    kept = None
    try:
        with translated(path):
            _copied(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE), temporary)
        check_backup(temporary, orchestrator_id)
        if database.exists():
            _check_unused(database)
            kept = _unused_name(database)
            database.replace(kept)
            for ending in ("-wal", "-shm"):
                database.with_name(database.name + ending).unlink(missing_ok=True)
        temporary.replace(database)
        sync_folder(database.parent)
    except OSError as error:
        raise StorageUnavailable(f"cannot restore {path}: {error.strerror}", path=str(path)) from error
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
    return kept


def _unused_name(database: Path) -> Path:
    """A name for what is put aside; nothing that was put aside before is overwritten."""
    number = 1
    while (kept := database.with_name(f"{database.name}.before-restore-{number}")).exists():
        number += 1
    return kept


def _check_unused(database: Path) -> None:
    """Folds the log back and makes sure that nobody else has the file open."""
    with translated(database):
        connection = apsw.Connection(str(database))
        try:
            connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            connection.execute("BEGIN EXCLUSIVE")
            connection.execute("COMMIT")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        except apsw.BusyError as error:
            raise StorageBusy(f"{database} is in use", hint="end what uses it first", path=str(database)) from error
        finally:
            connection.close()
