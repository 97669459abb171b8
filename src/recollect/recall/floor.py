"""The relevance floor: when nothing stored is about a question, recall says so by returning nothing.

Calibrated with `recollect eval`; docs/retrieval.md has what it silences and what it costs.
"""

from __future__ import annotations

from collections.abc import Mapping

# Either is enough: this part of the question's weight in words, in one place, or a meaning this similar.
WORDS = 0.30
MEANING = 0.25
# Others may match a question about a person this much better than the person does; beyond, it is not about them.
ATTRIBUTION = -0.34


def relevant(arms: Mapping[str, Mapping[int, float]], attribution: float) -> bool:
    """Whether any candidate is about the question at all, and about the person it asks for."""
    words = max(arms.get("window", {}).values(), default=0.0)
    meaning = max(arms.get("vector", {}).values(), default=0.0)
    return (words >= WORDS or meaning >= MEANING) and attribution >= ATTRIBUTION


# What speaks for a single candidate; the other arms only choose among those that have something of this.
_SUPPORT = ("window", "vector", "nearby")
SUPPORTED = 0.15


def supported(arms: Mapping[str, Mapping[int, float]]) -> frozenset[int]:
    """The candidates that something in them or beside them speaks for."""
    return frozenset(seq for name in _SUPPORT for seq, evidence in arms.get(name, {}).items() if evidence >= SUPPORTED)
