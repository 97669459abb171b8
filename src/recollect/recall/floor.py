"""The relevance floor: when nothing stored is about a question, recall says so by returning nothing.

Calibrated with `recollect eval`: docs/retrieval.md has its precision and recall.
"""

from __future__ import annotations

from collections.abc import Mapping

# Either is enough: half of the question's weight in words, in one place, or a meaning this similar.
_WORDS = 0.30
_MEANING = 0.25


def relevant(arms: Mapping[str, Mapping[int, float]]) -> bool:
    """Whether any candidate is about the question at all."""
    words = max(arms.get("window", {}).values(), default=0.0)
    meaning = max(arms.get("vector", {}).values(), default=0.0)
    return words >= _WORDS or meaning >= _MEANING
