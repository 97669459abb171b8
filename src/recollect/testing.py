"""For tests, yours as well as ours: a clock that stands still, and a memory that vanishes."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

from recollect.system import MemorySystem
from recollect.system import open as open_memory


class FakeClock:
    """A clock that moves only when told to."""

    def __init__(self, now: datetime | None = None) -> None:
        self._now = now or datetime(2026, 1, 1, 9, 0, tzinfo=UTC)

    def now(self) -> datetime:
        """The moment the clock stands at."""
        return self._now

    def advance(self, **duration: float) -> None:
        """Moves on, or back: `advance(days=3)`, `advance(hours=-1)`."""
        self._now += timedelta(**duration)

    def set(self, now: datetime) -> None:
        """Jumps."""
        self._now = now


@contextmanager
def temporary_memory(orchestrator: str = "test", **options: Any) -> Iterator[MemorySystem]:
    """A real memory in a temporary folder, gone when the block ends; by default its clock is a `FakeClock`."""
    options.setdefault("clock", FakeClock())
    with (
        tempfile.TemporaryDirectory(prefix="recollect-") as root,
        open_memory(root, orchestrator=orchestrator, **options) as memory,
    ):
        yield memory
