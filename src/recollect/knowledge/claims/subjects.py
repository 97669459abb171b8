"""Subjects: who or what a clause is about, from the words it is named by."""

from __future__ import annotations

import re
from dataclasses import dataclass

from recollect.knowledge.lexicon import PLURAL_RELATIONS, QUALIFIED, RELATIONS


@dataclass(slots=True)
class Subject:
    """Who or what a clause is about: an owner (`self`, `relation wife`, `name sarah`), and what of theirs.

    `shared` is said of what is ours or nobody's: our standup, the office.
    """

    owner: str
    noun: str = ""
    shared: bool = False


def within(subject: Subject, phrase: str, *, named: bool) -> Subject:
    """What of a subject's a phrase names: a relation of theirs, or a thing."""
    words = [
        word for word in phrase.split() if word not in {"own", "dear", "lovely", "beloved", "new", "current", "actual"}
    ]
    if (
        words
        and words[0] in {"little", "older", "younger", "big", "elder", "late", "oldest", "youngest", "eldest"}
        and len(words) > 1
    ):
        adjective, words = words[0], words[1:]
    else:
        adjective = ""
    two = " ".join(words[:2])
    if two in QUALIFIED:
        return _related(subject, QUALIFIED[two], words[2:], adjective)
    if words and words[0] in RELATIONS:
        return _related(subject, RELATIONS[words[0]], words[1:], adjective)
    if words and words[0] in PLURAL_RELATIONS:
        return Subject(_joined(subject, f"relation {words[0]}"))
    if named and subject.owner == "self" and _could_be_name(words):
        return Subject(f"name {' '.join(words)}")
    return Subject(subject.owner, noun_of(phrase), subject.shared)


def _related(subject: Subject, relation: str, rest: list[str], adjective: str) -> Subject:
    if rest and rest[0] not in {"and", "in", "from", "at", "who", "of"}:
        if all(re.fullmatch(r"[\w'.-]+", word) for word in rest) and len(rest) <= 3:
            return Subject(f"name {' '.join(rest)}")
        return Subject(subject.owner, noun_of(" ".join([relation, *rest])), subject.shared)
    label = f"{adjective} {relation}".strip()
    if rest and rest[0] in {"in", "from", "at", "of"}:
        label = f"{label} {' '.join(rest)}"
    return Subject(_joined(subject, f"relation {label}"))


def _joined(subject: Subject, part: str) -> str:
    return part if subject.owner == "self" else f"{subject.owner} / {part}"


MANY_NAMES = 8


TRADES = frozenset("doctor dentist therapist teacher coach trainer lawyer vet client student baby".split())  # noqa: SIM905


SHORT = 4


_DETERMINERS = frozenset(
    [
        "a",
        "an",
        "the",
        "my",
        "our",
        "his",
        "her",
        "their",
        "your",
        "this",
        "that",
        "these",
        "those",
        "some",
        "any",
        "every",
        "each",
        "no",
        "new",
        "current",
        "own",
    ]
)


_SYNONYMS = {
    "film": "movie",
    "mobile": "phone",
    "cell": "phone",
    "cellphone": "phone",
    "telephone": "phone",
    "surname": "last name",
    "family name": "last name",
    "e-mail": "email",
    "mail address": "email",
    "flat": "apartment",
    "automobile": "car",
    "vehicle": "car",
    "occupation": "job",
    "profession": "job",
    "stand-up": "standup",
    "daily standup": "standup",
    "daily stand-up": "standup",
    "sync": "sync",
    "soccer": "football",
    "tv show": "series",
    "show": "series",
}


def noun_of(phrase: str) -> str:
    """A noun phrase in one wording."""
    words = [word for word in re.findall(r"[\w'-]+", phrase) if word not in _DETERMINERS]
    words = [_SYNONYMS.get(word, word) for word in words]
    text = " ".join(words)
    return {
        "number": "phone number",
        "phone": "phone",
        "email address": "email",
        "mail": "email",
        "surname": "last name",
        "date of birth": "birthday",
        "bday": "birthday",
        "b-day": "birthday",
        "daily": "standup",
        "daily meeting": "standup",
        "family name": "last name",
        "handy number": "phone number",
        "standup meeting": "standup",
    }.get(text, text)


NO_NAMES = frozenset(
    """the a an this that these those it there here today tomorrow yesterday everyone everybody someone somebody
    nobody nothing something everything home please maybe perhaps yes no not all both some most many few several
    every each breakfast lunch dinner standup retro meeting practice school class gym rent deadline training
    church appointment office birthday party number visit wedding""".split()  # noqa: SIM905
)


def _could_be_name(words: list[str]) -> bool:
    return 1 <= len(words) <= 3 and all(
        word not in NO_NAMES and re.fullmatch(r"[^\W\d][\w'.-]*", word) for word in words
    )
