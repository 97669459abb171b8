"""Reading the claims of a text: clause by clause, with the subjects still as they were worded."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache

from recollect.knowledge.claims.clauses import clauses
from recollect.knowledge.claims.predicates import read
from recollect.knowledge.claims.subjects import Subject
from recollect.knowledge.claims.values import clock_of, date_of, words_of
from recollect.knowledge.claims.wording import plain
from recollect.knowledge.lazy import lazy

_CAPITALISED = lazy(r"\b[A-ZÀ-ÖØ-Þ][\w'’-]*")
_LONGEST = 600
_MOST_CLAIMS = 12
_PARTED = lazy(
    r"(?:broke|split) up|separated|called off|divorced|"
    r"(?:are|am|is) (?:not|no longer) (?:friends|together|dating|married)"
)
_BEFORE_MARRIAGE = ("relation fiance", "relation girlfriend", "relation boyfriend")
# What somebody may have had who moved away from it, parted from it, or gave it up.
_LEFT = {
    "place": ("home", "workplace", "school"),
    "person": ("relation", "marital", "with"),
    "state": ("is:", "on:", "has:", "whereabouts"),
}
_GIVEN_UP = tuple(
    """has: is:member uses on: does:use does:play does:do car phone laptop computer bank landline subscription gym
    twitter instagram workplace school with standup sync meeting mobile""".split()  # noqa: SIM905
)


@dataclass(frozen=True, slots=True)
class Said:
    """A claim whose subject is still worded: `self`, `relation wife`, `name sarah`, with its chains."""

    owner: str
    shared: bool
    attribute: str
    value: str
    negated: bool
    changed: bool = False
    clause: int = 0


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """A value that is said to hold no longer, of an attribute that begins like one of these."""

    owner: str
    shared: bool
    values: tuple[str, ...]
    attributes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Reading:
    """All that a text claims."""

    said: tuple[Said, ...] = ()
    withdrawn: tuple[Withdrawn, ...] = field(default=())


@lru_cache(maxsize=256)
def read_claims(text: str) -> Reading:
    """What a text claims; of a long one only what it begins with, since facts are short."""
    text = text[:_LONGEST]
    all_lower = text == text.lower()
    names = frozenset(match.lower() for match in _CAPITALISED.findall(text))
    wording = plain(text)
    if all_lower:
        names = frozenset(re.findall(r"[\w'-]+", wording))
    said: dict[tuple[str, str, str, bool], Said] = {}
    withdrawn: list[Withdrawn] = []
    last: tuple[str, ...] = ()
    for number, clause in enumerate(clauses(wording, names)):
        filled: list[str] = []
        for found in read(clause, names):
            owner = "self" if found.of_self else clause.subject.owner
            if found.attribute == "gone":
                withdrawn.append(_withdrawal(Subject("self"), clause.subject.owner.split(" ", 1)[-1], ("has:",)))
                continue
            if found.negated and found.attribute.startswith("does:") and found.attribute.endswith(":"):
                withdrawn.append(Withdrawn(owner, clause.subject.shared, (), (found.attribute,)))
            if found.attribute in {"relation wife", "relation husband"} and not found.negated:
                withdrawn.append(Withdrawn("self", False, (found.value,), _BEFORE_MARRIAGE))
            if found.attribute.startswith("with:"):
                attributes = _LEFT.get(found.attribute.removeprefix("with:"), _GIVEN_UP)
                withdrawn.append(_withdrawal(clause.subject, found.value, attributes))
                continue
            if not found.attribute or (not found.value and not found.negated and ":" not in found.attribute):
                continue
            filled.append(found.attribute)
            claim = Said(
                owner,
                clause.subject.shared and not found.of_self,
                found.attribute,
                found.value,
                found.negated,
                clause.changed,
                number,
            )
            said.setdefault((owner, found.attribute, found.value, found.negated), claim)
        # "At 10, not 9": nine is withdrawn from what ten is said of, and from nothing else.
        slots = _LEFT["person"] if _PARTED.match(clause.predicate) else _slots(filled) or last
        withdrawn += [_withdrawal(clause.subject, value, slots) for value in clause.withdrawn]
        last = slots
    return Reading(
        tuple(said.values())[:_MOST_CLAIMS],
        tuple(
            each for each in withdrawn if each.attributes and (each.values or each.attributes[0].startswith("does:"))
        ),
    )


def _slots(attributes: list[str]) -> tuple[str, ...]:
    """The slots that a clause fills; of what is claimed of one thing each, all of the same sort."""
    slots = [attribute.rpartition(":")[0] + ":" if ":" in attribute else attribute for attribute in attributes]
    return tuple([*slots, "job"] if "is:" in slots else slots)


def _withdrawal(subject: Subject, text: str, attributes: tuple[str, ...]) -> Withdrawn:
    forms = [words_of(text), clock_of(f"at {text}"), date_of(text)]
    return Withdrawn(subject.owner, subject.shared, tuple(form for form in forms if form), attributes)
