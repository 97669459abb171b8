"""The structured log of one orchestrator's memory: JSON lines that name ids and codes, never contents."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from recollect.forking import fork_safe_lock
from recollect.model.clock import Clock, to_iso

_ROTATE_AT = 16 * 1024 * 1024
_encode = json.JSONEncoder(ensure_ascii=False, default=str).encode  # made once: it is on every write's path


class MemoryLog:
    """Appends one JSON line per event; several processes may share a file, since a line is one append.

    A log that cannot be written never fails the work it reports on; the first failure is kept in `failure`.
    """

    def __init__(self, path: Path | None, clock: Clock, orchestrator_id: str) -> None:
        self._path = path
        self._clock = clock
        self._orchestrator_id = orchestrator_id
        self._lock = fork_safe_lock()
        self._written = 0
        self._descriptor: int | None = None
        self.failure: OSError | None = None

    def write(self, event: str, *, level: str = "info", **fields: Any) -> None:
        """Appends one line."""
        if self._path is None:
            return
        line = {
            "ts": to_iso(self._clock.now()),
            "level": level,
            "event": event,
            "orchestratorId": self._orchestrator_id,
        }
        data = (_encode(line | fields) + "\n").encode("utf-8", "backslashreplace")
        with self._lock:
            try:
                self._written += os.write(self._open(self._path), data)
                if self._written > _ROTATE_AT:
                    self._shut()
            except OSError as error:
                self.failure = self.failure or error

    def _open(self, path: Path) -> int:
        if self._descriptor is None:
            if path.exists() and path.stat().st_size > _ROTATE_AT:
                path.replace(path.with_suffix(".log.1"))
            self._descriptor = os.open(
                path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600
            )
        return self._descriptor

    def close(self) -> None:
        """Closes the file; a later write opens it again."""
        with self._lock:
            self._shut()

    def _shut(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor, self._written = None, 0
