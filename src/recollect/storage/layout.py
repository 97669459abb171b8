"""The folders of one orchestrator under the root, private to the operating-system user."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from recollect.errors import InvalidInput, StorageUnavailable
from recollect.model.ids import check_orchestrator_id


@dataclass(frozen=True, slots=True)
class Layout:
    """Where one orchestrator's files are."""

    root: Path
    orchestrator_id: str

    @classmethod
    def of(cls, root: str | os.PathLike[str], orchestrator_id: str) -> Layout:
        """The layout under a root; the id is checked, so that it names exactly one folder inside the root."""
        orchestrator_id = check_orchestrator_id(orchestrator_id)
        try:
            place = Path(root).expanduser()
            real = Path(os.path.realpath(place))
        except (TypeError, ValueError, RuntimeError, OSError):
            real = None
        if real is None or not str(root) or not str(root).isprintable():
            raise InvalidInput.of("invalid_root", "root", root, "the path of a folder")
        return cls(real, orchestrator_id)

    @property
    def workspace(self) -> Path:
        """The orchestrator's own folder: sources of memories lie inside it unless others are allowed."""
        return self.root / self.orchestrator_id

    @property
    def memory(self) -> Path:
        """The folder of everything below."""
        return self.workspace / "memory"

    @property
    def database(self) -> Path:
        """The SQLite file."""
        return self.memory / "memory.db"

    def database_size(self) -> int | None:
        """How many bytes the database and its journal take up; None where there is no such file."""
        sizes = [size for name in ("", "-wal") if (size := _size(Path(f"{self.database}{name}"))) is not None]
        return sum(sizes) if sizes else None

    @property
    def log(self) -> Path:
        """The structured log."""
        return self.memory / "logs" / "memory.log"

    @property
    def sessions(self) -> Path:
        """The folder of sessions that are kept in files."""
        return self.memory / "sessions"

    @property
    def ingest(self) -> Path:
        """Where files are dropped to become memories."""
        return self.memory / "ingest"

    @property
    def processed(self) -> Path:
        """Files that became memories, with their manifests."""
        return self.ingest / "processed"

    @property
    def rejected(self) -> Path:
        """Files that did not, with the reasons."""
        return self.ingest / "rejected"

    @property
    def bulletins(self) -> Path:
        """The last bulletin of every conversation."""
        return self.memory / "bulletins"

    @property
    def blobs(self) -> Path:
        """The folder of what is too large for the index of turn memory."""
        return self.memory / "blobs"

    @property
    def session_index(self) -> Path:
        """Which of them there are."""
        return self.memory / "sessions.json"

    def create(self) -> None:
        """Makes the folders that are missing."""
        folders = (
            self.memory,
            self.ingest,
            self.processed,
            self.rejected,
            self.bulletins,
            self.memory / "logs",
            self.sessions,
            self.blobs,
        )
        try:
            self.root.mkdir(parents=True, exist_ok=True)
            self._check_inside()
            for folder in (self.workspace, *folders):
                folder.mkdir(mode=0o700, exist_ok=True)
        except OSError as error:
            raise StorageUnavailable(
                f"cannot make the folder {error.filename}: {error.strerror}",
                hint="choose another root with --root or RECOLLECT_ROOT",
                path=str(error.filename),
            ) from error

    def _check_inside(self) -> None:
        """A link in place of the orchestrator's folder would let two ids share one store."""
        for folder in (self.workspace, self.memory):
            if folder.is_symlink():
                raise StorageUnavailable(
                    f"{folder} is a symbolic link; an orchestrator's folder must be a real one",
                    code="unsafe_layout",
                    path=str(folder),
                )


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except OSError:
        return None
