"""What a question asks for: its terms, the times it names, and whether it wants to know a time."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from recollect.knowledge.lazy import lazy
from recollect.model.terms import terms
from recollect.recall.when import Span, asks_when, spans

# Beyond this a question is a document; its beginning says what it is about.
_LONGEST = 10_000

# "Can you remind me what I said?" is addressed to the assistant, and not about it.
_REQUEST = lazy(
    r"\b(?:can|could|would|will|do|did) you (?:please )?(?:remind|tell|remember|recall|know|help|find|say|list)\b"
)
_YOU = lazy(r"\b(?:you|your|yours)\b")
_I = lazy(r"\b(?:i|my|me|mine|we|our|us)\b")


@dataclass(frozen=True, slots=True)
class Question:
    """A query, analysed once; `role` is who is meant by "I" or "you" in it."""

    text: str
    terms: tuple[str, ...]
    spans: tuple[Span, ...]
    asks_when: bool
    role: str | None

    @classmethod
    def of(cls, text: str, now: datetime) -> Question:
        """Analyses a query; relative times count from `now`."""
        text = text[:_LONGEST]
        found = tuple(dict.fromkeys(terms(text)))
        return cls(text, found, tuple(spans(text, now)), asks_when(text), _role(text))


def _role(text: str) -> str | None:
    """Whom a question of a user is about, if it says "I" or "you" of a user and an assistant."""
    asked = _REQUEST.sub(" ", text.lower())
    if _YOU.search(asked):
        return "assistant"
    return "user" if _I.search(asked) else None
