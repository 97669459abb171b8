"""Modifiers: what is known about a memory itself moves its score a little, and never outvotes relevance."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Protocol

# The most each may move a score, as a part of it. All of them together stay below a tenth, so that they decide
# between near equals: age alone never pushes a good match below a poor one.
_IMPORTANCE = 0.03
_RECENCY = 0.02
_CONFIDENCE = 0.03
_CONTRADICTION = 0.02
_HALF_LIFE = timedelta(days=180)


class Rated(Protocol):
    """A memory, or a candidate for one."""

    importance: int
    confidence: float
    observed_at: datetime


def modifiers(memory: Rated, now: datetime, *, contradicted: bool) -> dict[str, float]:
    """What to multiply a score with, and for which reason."""
    age = max(now - memory.observed_at, timedelta(0))
    return {
        "importance": 1 + _IMPORTANCE * (memory.importance - 50) / 50,
        "recency": 1 + _RECENCY * 0.5 ** (age / _HALF_LIFE),
        "confidence": 1 - _CONFIDENCE * (1 - memory.confidence),
        "contradiction": 1 - _CONTRADICTION * contradicted,
    }
