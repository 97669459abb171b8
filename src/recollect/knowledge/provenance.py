"""Provenance: a file behind a memory is named by its one true path, inside the folders it may come from."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from recollect.errors import ConfigError, InvalidInput, shown
from recollect.model.source import Source


class Workspace:
    """The folders that sources may lie in: the orchestrator's own, and those that are shared with it."""

    def __init__(self, own: Path, shared: Iterable[str] = ()) -> None:
        # Symlinks are resolved now, so that what is compared later are real places.
        self._folders = [Path(os.path.realpath(own)), *map(_real_folder, shared)]

    def allows(self, path: str) -> bool:
        """Whether a path, with its links resolved as they are now, lies inside one of the folders."""
        real = Path(os.path.realpath(path))
        return any(real.is_relative_to(folder) for folder in self._folders)

    def check(self, source: Source) -> None:
        """Refuses a source whose file is missing, reached through a link, or outside the workspace."""
        path = source.source_path
        if path is None:
            return
        if os.path.realpath(path) != path:
            raise InvalidInput.of(
                "invalid_source_path",
                "sourcePath",
                path,
                "a canonical path (links resolved)",
                hint=f"give {os.path.realpath(path)}",
            )
        if not os.path.isfile(path):  # noqa: PTH113  the text is checked as it was given
            raise InvalidInput.of("invalid_source_path", "sourcePath", path, "an existing file")
        if not self.allows(path):
            raise InvalidInput.of(
                "source_path_denied",
                "sourcePath",
                path,
                "inside the workspace or its shared folders",
                hint="add the folder to workspace.shared",
            )


def _real_folder(path: str) -> Path:
    try:
        place = Path(path).expanduser()
    except RuntimeError:
        place = Path(path)
    if not path.isprintable() or not place.is_absolute():
        raise ConfigError(
            f"workspace.shared must list absolute paths of folders; got {shown(path)}", key="workspace.shared"
        )
    return Path(os.path.realpath(place))
