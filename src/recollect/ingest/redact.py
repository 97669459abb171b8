"""Taking what is forgotten out of the files that memories came from, and out of their manifests."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from recollect.conversations.files import replace
from recollect.ingest.parse import CONVERTED
from recollect.storage.residue import holds


def redact_files(folders: Iterable[Path], needles: Sequence[bytes], redacted: Callable[[str], str]) -> int:
    """Rewrites the files that hold what is forgotten, line by line; what is no text is removed. How many."""
    count = 0
    for folder in folders:
        for path in sorted(folder.iterdir()) if folder.is_dir() else ():
            if path.is_file() and not path.is_symlink() and (holds(path, needles) or _is_opaque(path)):
                count += _redact(path, redacted)
    return count


def _is_opaque(path: Path) -> bool:
    """Whether a file says things that its bytes do not show."""
    return path.suffix.lower().lstrip(".") in CONVERTED - {"csv", "html", "htm"}


def _redact(path: Path, redacted: Callable[[str], str]) -> bool:
    try:
        text = path.read_bytes().decode()
    except UnicodeDecodeError:
        path.unlink()
        return True
    clean = "".join(redacted(line.rstrip("\r\n")) + line[len(line.rstrip("\r\n")) :] for line in text.splitlines(True))
    if clean == text:
        return False
    replace(path, clean.encode())
    return True
