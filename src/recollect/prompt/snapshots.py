"""Snapshots of bulletins: the last good one of every conversation, to fall back on. They can go at any time."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

from recollect.prompt.bulletin import KEPT, Bulletin, as_json

MOST = 500
_MANY = 64


class Snapshots:
    """The last bulletin of every conversation, each in a file of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._written = 0

    def save(self, key: str, bulletin: Bulletin, generated_at: str) -> None:
        """Keeps a bulletin, whole or not at all; one that says the same is not written again."""
        path = self._path(key)
        content = {"generatedAt": generated_at, "rendered": bulletin.text, **as_json(bulletin)}
        known = self._read(path)
        if (
            known is not None
            and known.get("stable_hash") == bulletin.stable_hash
            and known.get("text") == bulletin.text
        ):
            return
        temporary = path.with_suffix(f".{os.getpid()}.new")
        temporary.write_text(json.dumps(content, ensure_ascii=False), "utf-8")
        temporary.chmod(0o600)
        temporary.replace(path)
        self._written += 1
        if self._written % _MANY == 1:
            self.clean_up()

    def last(self, key: str) -> Bulletin | None:
        """The last good bulletin of a conversation, if there is one that still reads."""
        data = self._read(self._path(key))
        try:
            return None if data is None else Bulletin(**{name: data[name] for name in KEPT})
        except (KeyError, TypeError):
            return None

    def clean_up(self, most: int = MOST) -> int:
        """Removes the oldest where there are too many; how many."""
        files = sorted(self._folder.glob("*.json"), key=lambda path: path.stat().st_mtime, reverse=True)
        for path in files[most:]:
            path.unlink(missing_ok=True)
        return len(files[most:])

    def _path(self, key: str) -> Path:
        return self._folder / f"{hashlib.sha256(key.encode()).hexdigest()[:40]}.json"

    @staticmethod
    def _read(path: Path) -> dict[str, Any] | None:
        try:
            data = json.loads(path.read_text("utf-8"))
        except (OSError, ValueError):
            return None
        return data if isinstance(data, dict) else None


def drop_snapshots(folder: Path) -> None:
    """Removes every snapshot: they may hold what is forgotten."""
    for path in folder.glob("*"):
        if path.is_file():
            path.unlink(missing_ok=True)
