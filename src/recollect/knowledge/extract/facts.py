"""Fact: something that was learned from what a user said."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact in the user's own words, and how sure it is that it is one."""

    content: str
    confidence: float
    type: str | None = None
