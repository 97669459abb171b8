"""The drop folder: which files are ready, reading them safely, and moving them so that a crash repairs itself.

A file is moved in two steps: it is written where it goes, and taken out of the folder when all is done. In between it
is in both places, and the next run finishes what was begun.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from recollect.conversations.files import replace, sync_folder, unavailable
from recollect.ingest.rejection import Rejected, RejectionCode

_LONGEST_NAME = 200
# What editors, browsers and file managers call a file that is still being written.
_UNFINISHED = (".part", ".partial", ".crdownload", ".tmp", ".swp", ".download", "~")


class Unsettled(Exception):
    """A file that is still being written."""


@dataclass(frozen=True, slots=True)
class Read:
    """The bytes of a file, and their digest."""

    data: bytes
    digest: str
    seen: tuple[int, int, int] = (0, 0, 0)  # size, time and number of the file that they were read from


class DropZone:
    """The folder that files are dropped into, and the two that they end in."""

    def __init__(self, folder: Path, processed: Path, rejected: Path, *, largest: int, settle: float) -> None:
        self.folder = folder
        self.processed = processed
        self.rejected = rejected
        self._largest = largest
        self._settle = settle

    def waiting(self) -> Iterator[Path]:
        """Everything that is to be looked at, in the order of its names; folders and unfinished files are not."""
        with os.scandir(self.folder) as entries:
            names = sorted(entry.name for entry in entries if not entry.is_dir(follow_symlinks=False))
        for name in names:
            if not is_passed_over(name):
                yield self.folder / name

    def read(self, path: Path) -> Read:
        """The bytes of a file that is whole; its size is looked at before it is read.

        Raises:
            Rejected: for what is no plain file, or too large.
            Unsettled: for what is still being written.
        """
        try:
            before = path.lstat()
            _check_plain(before.st_mode)
            if before.st_size > self._largest:
                raise Rejected(
                    RejectionCode.FILE_TOO_LARGE,
                    f"the file has {before.st_size} bytes; {self._largest} are allowed",
                    hint="raise memory.ingest.max_file_size_mb",
                )
            if 0 <= time.time() - before.st_mtime < self._settle:  # the file system's clock, not the injected one
                raise Unsettled
            handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
            with os.fdopen(handle, "rb") as file:
                _check_plain(os.fstat(handle).st_mode)
                data = file.read(self._largest + 1)
                after = os.fstat(handle)
        except FileNotFoundError:
            raise Unsettled from None  # taken away while we looked
        except OSError as error:
            raise Rejected(RejectionCode.UNREADABLE, f"the file cannot be read: {error.strerror}") from error
        if _seen(before) != _seen(after):
            raise Unsettled
        return Read(data, hashlib.sha256(data).hexdigest(), _seen(before))

    def keep(self, path: Path, read: Read) -> Path:
        """Puts a file where processed ones are, beside its place in the drop folder; the path of it there."""
        target = self._free_place(self.processed, path.name, read)
        if not target.exists():
            replace(target, read.data)  # what was read, whatever lies in the folder by now
        return target

    def reject(self, path: Path) -> Path:
        """The place among the rejected for a file: a new one, unless the very same file is there already."""
        name = _printable(path.name)
        for number in range(1, 1_000_000):
            target = self.rejected / (name if number == 1 else _numbered(name, str(number)))
            if not os.path.lexists(target) or _same_file(path, target):
                return target
        raise AssertionError("a million files of one name")  # pragma: no cover

    @staticmethod
    def move(path: Path, target: Path) -> None:
        """Moves what was rejected, whatever it is: links and devices as such."""
        try:
            if os.path.lexists(path):
                path.rename(target)
            sync_folder(target.parent)
        except OSError as error:
            raise unavailable(error, path) from error

    @staticmethod
    def remove(path: Path, read: Read | None = None) -> None:
        """Takes a file out of the drop folder; it lies elsewhere by now. Another in its place is left there."""
        try:
            if read is not None and os.path.lexists(path) and _seen(path.lstat()) != read.seen:
                return
            path.unlink(missing_ok=True)
            sync_folder(path.parent)
        except OSError as error:
            raise unavailable(error, path) from error

    @staticmethod
    def _free_place(folder: Path, name: str, read: Read) -> Path:
        """A place for these bytes: under their name, or with a part of their digest where another has it."""
        plain = folder / name
        if not os.path.lexists(plain) or _holds(plain, read):
            return plain
        return folder / _numbered(name, read.digest[:12])


def _check_plain(mode: int) -> None:
    if stat.S_ISLNK(mode):
        raise Rejected(RejectionCode.SYMBOLIC_LINK, "a symbolic link is not followed", hint="drop the file itself")
    if not stat.S_ISREG(mode):
        raise Rejected(RejectionCode.NOT_A_FILE, "this is a device, a pipe or a socket, and no file")


def is_passed_over(name: str) -> bool:
    """Whether a file of this name is left alone: hidden, or by its name not finished yet."""
    return name.startswith(".") or name.lower().endswith(_UNFINISHED)


def check_name(name: str) -> None:
    """A name that can be cited: printable, and not too long for what is put behind it."""
    if not name.isprintable() or len(os.fsencode(name)) > _LONGEST_NAME:
        raise Rejected(
            RejectionCode.INVALID_NAME, f"a name has at most {_LONGEST_NAME} bytes and only printable characters"
        )


def _seen(found: os.stat_result) -> tuple[int, int, int]:
    return found.st_size, found.st_mtime_ns, found.st_ino


def _holds(path: Path, read: Read) -> bool:
    try:
        return path.is_file() and not path.is_symlink() and path.read_bytes() == read.data
    except OSError:
        return False


def _same_file(path: Path, target: Path) -> bool:
    return os.path.lexists(path) and path.lstat().st_ino == target.lstat().st_ino


def _printable(name: str) -> str:
    shown = "".join(c if c.isprintable() and c != "/" else "_" for c in os.fsencode(name).decode("utf-8", "replace"))
    while len(shown.encode()) > _LONGEST_NAME:
        shown = shown[: len(shown) - 8]
    return shown or "_"


def _numbered(name: str, mark: str) -> str:
    stem, dot, ending = name.rpartition(".")
    return f"{stem}.{mark}.{ending}" if dot and stem else f"{name}.{mark}"


def copy_in(source: Path, folder: Path) -> Path:
    """Copies a file into the drop folder, whole before it can be seen there."""
    target = folder / source.name
    hidden = folder / f".{source.name}.copying"
    try:
        shutil.copy2(source, hidden)
        hidden.replace(target)
    except OSError as error:
        raise unavailable(error, source) from error
    return target
