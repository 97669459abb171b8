"""Reciprocal rank fusion: several ranked lists become one, by ranks alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(slots=True)
class Fused:
    """The fused score of one candidate and its rank in every list that has it."""

    score: float = 0.0
    ranks: dict[str, int] = field(default_factory=dict)


def fuse(arms: Mapping[str, Sequence[int]], *, k: int, weights: Mapping[str, float] | None = None) -> dict[int, Fused]:
    """Sums weight / (k + rank) over the arms, ranks from 1; an arm without a weight counts 1."""
    fused: dict[int, Fused] = {}
    for name, ranking in arms.items():
        weight = 1.0 if weights is None else weights.get(name, 1.0)
        for rank, seq in enumerate(ranking, 1):
            entry = fused.setdefault(seq, Fused())
            entry.score += weight / (k + rank)
            entry.ranks[name] = rank
    return fused
