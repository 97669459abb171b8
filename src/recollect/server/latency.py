"""How long the last calls of every operation took, for people who look; `/metrics` has it for machines."""

from __future__ import annotations

from collections import deque
from threading import Lock

_KEPT = 200


class Latency:
    """The last so many durations by name."""

    def __init__(self) -> None:
        self._taken: dict[str, deque[float]] = {}
        self._lock = Lock()

    def observe(self, name: str, seconds: float) -> None:
        """One call took so long."""
        with self._lock:
            self._taken.setdefault(name, deque(maxlen=_KEPT)).append(seconds)

    def told(self) -> dict[str, dict[str, float]]:
        """Median, 95th percentile (in milliseconds) and number of calls by name."""
        with self._lock:
            taken = {name: sorted(each) for name, each in sorted(self._taken.items())}
        return {
            name: {
                "p50": round(1000 * each[len(each) // 2], 2),
                "p95": round(1000 * each[min(len(each) - 1, len(each) * 95 // 100)], 2),
                "calls": len(each),
            }
            for name, each in taken.items()
        }


LATENCY = Latency()
