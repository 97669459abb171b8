"""Modifiers: what is known about a memory itself moves its score a little, and never outvotes relevance."""

from __future__ import annotations

from datetime import timedelta

# The most each may move a score, as a part of it. All of them together stay below a tenth, so that they decide
# between near equals: age alone never pushes a good match below a poor one.
_IMPORTANCE = 0.03
_RECENCY = 0.02
_CONFIDENCE = 0.03
_CONTRADICTION = 0.02
_HALF_LIFE = timedelta(days=180) // timedelta(microseconds=1)


def modifiers(importance: int, confidence: float, age: int, *, contradicted: bool) -> dict[str, float]:
    """What to multiply a score with, and for which reason; the age of what was said is in microseconds."""
    return {
        "importance": 1 + _IMPORTANCE * (importance - 50) / 50,
        "recency": 1 + _RECENCY * 0.5 ** (max(age, 0) / _HALF_LIFE),
        "confidence": 1 - _CONFIDENCE * (1 - confidence),
        "contradiction": 1 - _CONTRADICTION * contradicted,
    }
