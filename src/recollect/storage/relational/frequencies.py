"""How many memories hold a term: remembered between queries, since counting a common term is slow.

What a term is worth changes with the logarithm of its frequency, so a figure serves until the store has grown by a
fifth.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable

from recollect.forking import fork_safe_lock

_KEPT = 50_000
_GROWTH = 1.2
# A rare term is counted in no time, and the next memory may double its frequency.
_WORTH_KEEPING = 100


class Frequencies:
    """Counts by (scopes, term), each with the size of the store when it was made."""

    def __init__(self) -> None:
        self._lock = fork_safe_lock()
        self._counts: OrderedDict[tuple[str, str], tuple[int, int]] = OrderedDict()

    def get(
        self, within: str, terms: Iterable[str], size: int, count: Callable[[list[str]], dict[str, int]]
    ) -> dict[str, int]:
        """The counts of some terms; `count` makes those that are not known or have grown stale."""
        known, missing = {}, []
        with self._lock:
            for term in terms:
                figure = self._counts.get((within, term))
                if figure is not None and size <= _GROWTH * figure[1] and figure[1] <= _GROWTH * size:
                    known[term] = figure[0]
                else:
                    missing.append(term)
        if missing:
            made = count(missing)
            known |= {term: made.get(term, 0) for term in missing}
            with self._lock:
                for term in missing:
                    if known[term] >= _WORTH_KEEPING:
                        self._counts[(within, term)] = (known[term], size)
                while len(self._counts) > _KEPT:
                    self._counts.popitem(last=False)
        return known
