"""How many memories, vectors and terms some scopes hold: remembered for a moment, since counting many rows is slow."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Iterable

from recollect.forking import fork_safe_lock

# Others may write at any time, in any order: a figure is out of date for no longer than this.
_SECONDS = 10.0
# Less is counted in no time.
_LARGE = 1_000
_KEPT = 50_000


class Figures:
    """Counts by (what is counted, term)."""

    def __init__(self) -> None:
        self._lock = fork_safe_lock()
        self._counts: OrderedDict[tuple[str, str], tuple[float, int]] = OrderedDict()

    def get(self, kind: str, terms: Iterable[str], count: Callable[[list[str]], dict[str, int]]) -> dict[str, int]:
        """The counts of some terms; `count` makes those that are not known or have grown old."""
        now = time.monotonic()
        known, missing = {}, []
        with self._lock:
            for term in terms:
                until, figure = self._counts.get((kind, term), (0.0, 0))
                if now < until:
                    known[term] = figure
                else:
                    missing.append(term)
        if missing:
            made = count(missing)
            known |= {term: made.get(term, 0) for term in missing}
            with self._lock:
                for term in missing:
                    if known[term] >= _LARGE:
                        self._counts[(kind, term)] = (now + _SECONDS, known[term])
                while len(self._counts) > _KEPT:
                    self._counts.popitem(last=False)
        return known

    def size(self, kind: str, count: Callable[[], int]) -> int:
        """One count that is not of a term."""
        return self.get(kind, [""], lambda _: {"": count()})[""]
