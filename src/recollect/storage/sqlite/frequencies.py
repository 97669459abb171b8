"""How many memories hold a term: remembered between queries, since counting a common term is slow.

A figure is always that of the store as it is. Where memories were only added since it was made, the new ones alone are
counted; where any was rewritten, all are.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import NamedTuple

from recollect.forking import fork_safe_lock

_KEPT = 50_000


class State(NamedTuple):
    """How far a store has come: the last memory that was added, and the last note of one that was rewritten."""

    added: int
    rewritten: int


class Frequencies:
    """Counts by (scopes, term), each with the state of the store when it was made."""

    def __init__(self) -> None:
        self._lock = fork_safe_lock()
        self._counts: OrderedDict[tuple[str, str], tuple[int, State]] = OrderedDict()

    def get(
        self, within: str, terms: Iterable[str], state: State, count: Callable[[list[str], int], dict[str, int]]
    ) -> dict[str, int]:
        """The counts of some terms; `count` makes them for the memories behind a number."""
        known: dict[str, int] = {}
        uncounted: dict[int, list[str]] = {}
        with self._lock:
            for term in terms:
                figure, made = self._counts.get((within, term), (0, State(0, state.rewritten)))
                if made.rewritten != state.rewritten or made.added > state.added:
                    figure, made = 0, State(0, state.rewritten)
                known[term] = figure
                if made.added < state.added:
                    uncounted.setdefault(made.added, []).append(term)
        for after, missing in uncounted.items():
            counted = count(missing, after)
            for term in missing:
                known[term] += counted.get(term, 0)
        with self._lock:
            for term in (term for missing in uncounted.values() for term in missing):
                self._counts[(within, term)] = (known[term], state)
            while len(self._counts) > _KEPT:
                self._counts.popitem(last=False)
        return known
