"""Progress of long work, on stderr, only where somebody is watching."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Self

_WIDTH = 30
_EVERY_SECONDS = 0.1


class Progress:
    """A bar that redraws itself; silent when stderr is not a terminal."""

    def __init__(self) -> None:
        self._shown = sys.stderr.isatty()
        self._last = 0.0

    def __call__(self, what: str, done: int, total: int) -> None:
        """Shows how far a step is."""
        now = time.monotonic()
        if self._shown and (now - self._last > _EVERY_SECONDS or done >= total):
            self._last = now
            filled = _WIDTH * done // max(total, 1)
            bar = "█" * filled + "·" * (_WIDTH - filled)
            sys.stderr.write(f"\r{what:<12} {bar} {done}/{total} \033[K")
            sys.stderr.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._shown:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()
