"""The built-in gate: what a message is about, and whether it tells what the user thinks of the last answer."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from recollect.knowledge.lazy import lazy
from recollect.model.terms import STOP_WORDS
from recollect.model.turn import Reaction

_MOST_TOPICS = 4
_SHORTEST = 4
_WORD = lazy(r"[^\W\d_][\w'-]+")
_COMMON = frozenset(
    """please thank thanks want need help make give tell know like would could really just also today tomorrow that's
    what's it's i'm don't doesn't didn't never always prefer wrong right live answer answers something anything thing
    things there here much many good great""".split()  # noqa: SIM905
)
_REFUSED = lazy(
    r"^\W*(?:no[,.!]+\s+(?:that|it|this|you|wrong|not\b|i (?:said|meant|asked))|wrong(?:[.!,]|$)|"
    r"that'?s (?:wrong|not (?:right|what|correct|true|it))\b|this is (?:wrong|not (?:right|what|correct|true))\b|"
    r"not what i\b|you (?:got|are) (?:it )?wrong\b|(?:that'?s )?incorrect(?:[.!,]|$)|"
    r"(?:that|this|it) (?:didn'?t|doesn'?t|did not|does not) (?:work|help)\b|i (?:already )?told you\b)",
    re.IGNORECASE,
)
_PRAISED = lazy(
    r"^\W*(?:(?:perfect|great|excellent|exactly|awesome|nice|well done|brilliant|wonderful)(?:[.!,]|$)|"
    r"that'?s (?:right|correct|perfect|it|great)(?:[.!,]|$)|(?:that|this|it) (?:worked|works|helped)\b|"
    r"thank(?:s| you)[,! ]+(?:that|this|perfect|great|it)\b)",
    re.IGNORECASE,
)
_SENTENCE = lazy(r"(?<=[.!?])\s+")
_SURE = 0.8


@dataclass(frozen=True, slots=True)
class Gated:
    """What a gate finds in a message: topics, and feedback on the answer before it."""

    topics: tuple[str, ...]
    reaction: Reaction | None = None
    confidence: float = 0.0


def gate_message(message: str) -> Gated:
    """What a message is about, and what it says of the last answer."""
    words = [word.lower().strip("'-") for word in _WORD.findall(message)]
    telling = [word for word in words if len(word) >= _SHORTEST and word not in STOP_WORDS | _COMMON]
    topics = tuple(word for word, _ in Counter(telling).most_common(_MOST_TOPICS))
    first = _SENTENCE.split(message.strip())[0]
    if first.endswith("?"):  # who asks does not judge
        return Gated(topics)
    if _REFUSED.match(message):
        return Gated(topics, Reaction.NOT_OK, _SURE)
    if _PRAISED.match(message):
        return Gated(topics, Reaction.OK, _SURE)
    return Gated(topics)
