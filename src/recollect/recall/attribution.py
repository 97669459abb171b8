"""Attribution: is what was found about the person asked about, or about somebody else?

A question about Jon that only Gina's words about herself answer has no answer. Who said something does not settle it:
"I love your new shoes, Jon" is Gina's, and about Jon. So statements are taken apart into sentences, and each sentence
speaks of one side: of the speaker by "I" and "my", of the one spoken to by "you", "your" or their name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from recollect.knowledge.lazy import lazy
from recollect.model.terms import terms

_SPEAKER = lazy(r"\b(?:i|im|my|me|mine|myself|we|our|ours|us)\b")
_ADDRESSEE = lazy(r"\b(?:you|your|yours|yourself|u|ur)\b")
_SENTENCE = lazy(r"(?<=[.!?])\s+|\n|\s+-\s+|\[")
# A second statement that says the same makes the first more believable, but is no second answer.
_SECOND = 0.3


@dataclass(frozen=True, slots=True)
class Statement:
    """Something that was found: `own` if the person asked about said it; `support` is what else speaks for it."""

    content: str
    own: bool
    support: float


def attribution(
    statements: Sequence[Statement], name: Sequence[str], worth: Mapping[str, float], *, among_two: bool
) -> float:
    """How much better the person asked about is matched by what was said of them than others are.

    Below zero, what is asked about this person was said of others. `worth` says what each term of the question is
    worth, without names; "you" tells who is meant only where two people talk.
    """
    whole = sum(worth.values()) or 1.0
    theirs, others = [0.0, 0.0], [0.0, 0.0]
    for statement in statements:
        of_them, of_others = _divided(statement, frozenset(name), worth, among_two=among_two)
        matched = of_them + of_others
        part = of_them / matched if matched else float(statement.own)
        theirs.append(of_them / whole + statement.support * part)
        others.append(of_others / whole + statement.support * (1 - part))
    return _best(theirs) - _best(others)


def _divided(
    statement: Statement, name: frozenset[str], worth: Mapping[str, float], *, among_two: bool
) -> tuple[float, float]:
    """What the asked terms in a statement are worth: in sentences about the person, and in sentences about others."""
    of_them = of_others = 0.0
    for sentence in _SENTENCE.split(statement.content):
        found = frozenset(terms(sentence))
        matched = sum(worth[term] for term in worth if term in found)
        if not matched:
            continue
        lower = sentence.lower()
        addressed = among_two and _ADDRESSEE.search(lower) is not None
        if _SPEAKER.search(lower):
            about_speaker = True
        elif addressed or (not statement.own and not name.isdisjoint(found)):
            about_speaker = False
        elif sentence.rstrip().endswith("?"):
            continue  # a question about nobody in particular tells nothing
        else:
            about_speaker = True
        if about_speaker is statement.own:
            of_them += matched
        else:
            of_others += matched
    return of_them, of_others


def _best(scores: list[float]) -> float:
    first, second = sorted(scores, reverse=True)[:2]
    return first + _SECOND * second
