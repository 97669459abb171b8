"""Fusion: the evidence of several arms becomes one score.

`weighted_sum` adds what each arm says, by its weight. `reciprocal_ranks` adds weight / (k + rank), by ranks alone.
"""

from __future__ import annotations

from collections.abc import Mapping

Evidence = Mapping[int, float]


def weighted_sum(arms: Mapping[str, Evidence], weights: Mapping[str, float]) -> dict[int, float]:
    """The sum of weight times evidence, as a part of what the heaviest three arms could give."""
    full = sum(sorted(weights.values(), reverse=True)[:3]) or 1.0
    scores: dict[int, float] = {}
    for name, evidence in arms.items():
        for seq, value in evidence.items():
            scores[seq] = scores.get(seq, 0.0) + weights.get(name, 0.0) * value / full
    return scores


def reciprocal_ranks(arms: Mapping[str, Evidence], weights: Mapping[str, float], k: int) -> dict[int, float]:
    """The sum of weight / (k + rank) over the arms that have a candidate, ranks from 1."""
    scores: dict[int, float] = {}
    for name, ranking in ranks(arms).items():
        for seq, rank in ranking.items():
            scores[seq] = scores.get(seq, 0.0) + weights.get(name, 0.0) / (k + rank)
    return scores


def ranks(arms: Mapping[str, Evidence]) -> dict[str, dict[int, int]]:
    """The rank of every candidate in every arm, from 1; equal evidence shares a rank."""
    return {name: _ranks(evidence) for name, evidence in arms.items()}


def _ranks(evidence: Evidence) -> dict[int, int]:
    ranking: dict[int, int] = {}
    rank, last = 0, None
    for place, (seq, value) in enumerate(sorted(evidence.items(), key=lambda item: (-item[1], item[0])), 1):
        if value != last:
            rank, last = place, value
        ranking[seq] = rank
    return ranking
