"""What a question asks for: its terms, the times it names, and whether it wants to know a time."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from recollect.model.terms import terms
from recollect.recall.when import Span, asks_when, spans

# Beyond this a question is a document; its beginning says what it is about.
_LONGEST = 10_000


@dataclass(frozen=True, slots=True)
class Question:
    """A query, analysed once."""

    text: str
    terms: tuple[str, ...]
    spans: tuple[Span, ...]
    asks_when: bool

    @classmethod
    def of(cls, text: str, now: datetime) -> Question:
        """Analyses a query; relative times count from `now`."""
        text = text[:_LONGEST]
        found = tuple(dict.fromkeys(terms(text)))
        return cls(text, found, tuple(spans(text, now)), asks_when(text))
