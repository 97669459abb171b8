"""Residue: whether a file still holds bytes that were to be erased."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

_CHUNK = 1 << 22


def holds(path: Path, needles: Sequence[bytes]) -> bool:
    """Whether a file holds any of some bytes (in lower case), whatever its size and their case."""
    longest = max((len(needle) for needle in needles), default=0)
    try:
        with path.open("rb") as file:
            tail = b""
            while chunk := file.read(_CHUNK):
                window = tail + chunk.lower()
                if any(needle in window for needle in needles):
                    return True
                tail = window[-longest:]
    except FileNotFoundError:  # a journal that was folded in meanwhile
        return False
    return False


def files_holding(folder: Path, needles: Sequence[bytes]) -> list[str]:
    """The files under a folder that hold any of some bytes."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink())
    return [str(path) for path in files if needles and holds(path, needles)]
