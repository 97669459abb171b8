"""The files that sessions are kept in, as they are moved: by name, with their bytes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from recollect.conversations.files import read, replace, unavailable
from recollect.errors import InvalidInput
from recollect.model.ids import is_uuid

_INDEX = "sessions.json"
_FOLDER = "sessions"


class SessionFiles:
    """Everything of the sessions under one folder that lies in files."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def all(self) -> Iterator[tuple[str, bytes]]:
        """Every file and what is in it; the index, which tells of the others, is the last. Locks and links are not."""
        places = sorted(self._folder.glob(f"{_FOLDER}/*/**/*"))
        for path in (*places, self._folder / _INDEX):
            if path.is_file() and not path.is_symlink() and not path.name.startswith("."):
                yield path.relative_to(self._folder).as_posix(), read(path)

    @staticmethod
    def check(name: str) -> str:
        """The name of such a file; anything else is refused, wherever it would lie."""
        parts = PurePosixPath(name).parts
        inside = len(parts) > 2 and parts[0] == _FOLDER and is_uuid(parts[1])  # noqa: PLR2004  folder, session, file
        plain = not any(part.startswith(".") or "\\" in part or "\x00" in part for part in parts)
        if not (name == _INDEX or (inside and plain and not name.startswith("/"))):
            raise InvalidInput.of("damaged_export", "file", name, "a file of a session")
        return name

    def put(self, name: str, data: bytes) -> None:
        """Keeps a file."""
        path = self._folder / self.check(name)
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise unavailable(error, path) from error
        replace(path, data)
