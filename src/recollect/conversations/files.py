"""Files that several threads and processes share: locked, replaced as a whole, synced before anything is promised."""

from __future__ import annotations

import fcntl
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from recollect.errors import StorageUnavailable
from recollect.forking import fork_safe_lock

_locks: dict[str, Any] = {}
_locks_lock = fork_safe_lock()
_PRIVATE = 0o600


@contextmanager
def locked(folder: Path, name: str = ".lock") -> Iterator[None]:
    """Keeps other threads and processes out of a folder's files.

    The kernel lets go of the lock when a process dies, however it dies.
    """
    path = folder / name
    with _locks_lock:
        own = _locks.setdefault(str(path), threading.RLock())
    with own:
        try:
            handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, _PRIVATE)
        except OSError as error:
            raise unavailable(error, path) from error
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield
        finally:
            os.close(handle)


def replace(path: Path, data: bytes) -> None:
    """Puts a file in place of another: whoever looks sees the old or the new one, also after a crash."""
    temporary = path.with_name(f".{path.name}.new")
    try:
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW, _PRIVATE)
        try:
            _write_all(handle, data)
            os.fsync(handle)
        finally:
            os.close(handle)
        temporary.replace(path)
        sync_folder(path.parent)
    except OSError as error:
        raise unavailable(error, path) from error


def read(path: Path) -> bytes:
    """All of a file; a link in its place is refused."""
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    with os.fdopen(handle, "rb") as file:
        return file.read()


def append(path: Path, data: bytes) -> None:
    """Adds to a file, synced when this returns."""
    try:
        handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW, _PRIVATE)
        try:
            _write_all(handle, data)
            os.fsync(handle)
        finally:
            os.close(handle)
    except OSError as error:
        raise unavailable(error, path) from error


def _write_all(handle: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]


def sync_folder(folder: Path) -> None:
    """Makes sure that a folder's names survive a power cut."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def unavailable(error: OSError, path: Path) -> StorageUnavailable:
    """What an error of the file system means to a caller."""
    return StorageUnavailable(f"{path}: {error.strerror or error}", path=str(path))
