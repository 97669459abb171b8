"""What is measured of one question, and of many."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

CUTS = (1, 5, 10, 20)


def measures(found: Sequence[str], gold: frozenset[str]) -> dict[str, float]:
    """Recall, hit and all at several cuts, reciprocal rank and nDCG@10 of one ranked answer."""
    right = [each in gold for each in found]
    figures: dict[str, float] = {}
    for cut in CUTS:
        count = sum(right[:cut])
        figures[f"recall@{cut}"] = count / len(gold)
        figures[f"hit@{cut}"] = float(count > 0)
        figures[f"all@{cut}"] = float(count == len(gold))
    figures["mrr"] = next((1 / rank for rank, is_right in enumerate(right, 1) if is_right), 0.0)
    gain = sum(1 / math.log2(rank + 1) for rank, is_right in enumerate(right[:10], 1) if is_right)
    figures["ndcg@10"] = gain / sum(1 / math.log2(rank + 1) for rank in range(1, min(len(gold), 10) + 1))
    return figures


def average(rows: Sequence[dict[str, float]]) -> dict[str, float]:
    """The mean of every figure, and how many questions it is of."""
    means = {name: round(sum(row[name] for row in rows) / len(rows), 4) for name in (rows[0] if rows else ())}
    return {**means, "n": len(rows)}


def percentile(values: Iterable[float], part: float) -> float:
    """The value below which a part of the values lies."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))] if ordered else 0.0
