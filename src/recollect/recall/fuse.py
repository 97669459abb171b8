"""Fusion: the evidence of several arms becomes one score.

`weighted_sum` adds what each arm says, by its weight. `reciprocal_ranks` adds weight / (k + rank), by ranks alone.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping

Evidence = Mapping[int, float]


def weighted_sum(arms: Mapping[str, Evidence], weights: Mapping[str, float]) -> dict[int, float]:
    """The sum of weight times evidence, as a part of what the heaviest three arms could give."""
    full = sum(sorted(weights.values(), reverse=True)[:3]) or 1.0
    scores: dict[int, float] = {}
    for name, evidence in arms.items():
        weight = weights.get(name, 0.0) / full
        for seq, value in evidence.items():
            scores[seq] = scores.get(seq, 0.0) + weight * value
    return scores


def reciprocal_ranks(arms: Mapping[str, Evidence], weights: Mapping[str, float], k: int) -> dict[int, float]:
    """The sum of weight / (k + rank) over the arms that have a candidate, ranks from 1."""
    scores: dict[int, float] = {}
    for name, evidence in arms.items():
        ranking = Ranking(evidence)
        for seq, value in evidence.items():
            scores[seq] = scores.get(seq, 0.0) + weights.get(name, 0.0) / (k + ranking.rank(value))
    return scores


class Ranking:
    """The ranks of an arm's evidence, from 1; equal evidence shares a rank."""

    def __init__(self, evidence: Evidence) -> None:
        self._values = sorted(evidence.values())

    def rank(self, value: float) -> int:
        """One more than how many are better."""
        return len(self._values) - bisect_right(self._values, value) + 1
