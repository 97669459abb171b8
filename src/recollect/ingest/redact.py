"""Taking what is forgotten out of the files that memories came from, and out of their manifests."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from recollect.conversations.files import replace
from recollect.storage.residue import holds


def redact_files(
    folders: Sequence[Path], needles: Sequence[bytes], redacted: Callable[[str], str], sources: Iterable[str]
) -> int:
    """Rewrites the files that hold what is forgotten, line by line; how many.

    A file that it came from (`sources`) may say it in another form, on two lines or in a format of its own: where
    nothing could be taken out of it, it is removed.
    """
    places = {path.resolve() for path in map(Path, sources)}
    count = 0
    for folder in folders:
        for path in sorted(folder.iterdir()) if folder.is_dir() else ():
            if not path.is_file() or path.is_symlink():
                continue
            if holds(path, needles) and _redact(path, redacted):
                count += 1
            elif path.resolve() in places:
                path.unlink(missing_ok=True)
                count += 1
    return count


def _redact(path: Path, redacted: Callable[[str], str]) -> bool:
    """Whether something could be taken out of a file."""
    try:
        text = path.read_bytes().decode()
    except UnicodeDecodeError:
        return False
    ends = [(line, line.rstrip("\r\n")) for line in text.splitlines(keepends=True)]
    clean = "".join(redacted(line) + whole[len(line) :] for whole, line in ends)
    if clean == text:
        return False
    replace(path, clean.encode())
    return True
