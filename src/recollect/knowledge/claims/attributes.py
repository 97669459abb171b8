"""Attributes of things: the sides by which they are told apart, and the values of these."""

from __future__ import annotations

import re
from collections.abc import Iterator

from recollect.knowledge.claims.found import Found
from recollect.knowledge.claims.values import clock_of, contact_of, date_of, days_of, part_of_day, words_of
from recollect.knowledge.claims.words import head_of
from recollect.knowledge.lexicon import STATES

SIDES = ("", "@time", "@day", "@date", "@part", "@often", "@place", "#")


_OF_PEOPLE = {
    "year of birth": "birth year",
    "birth year": "birth year",
    "home": "home",
    "job": "job",
    "employer": "workplace",
    "company": "workplace",
    "age": "age",
    "name": "name",
    "birthday": "birthday",
    "hometown": "origin",
    "home town": "origin",
    "weight": "weight",
    "height": "height",
    "salary": "income",
    "income": "income",
    "diet": "diet",
    "major": "subject of study",
    "school": "school",
    "university": "school",
    "car": "car",
    "nickname": "called",
    "marital status": "marital",
    "relationship status": "marital",
    "home address": "address",
    "workplace": "workplace",
}


MULTIPLE = frozenset(
    """hobby hobbies interest interests skill skills goal goals friend friends language languages plan plans passion
    thing dream problem issue idea favorites strengths weakness allergy allergies pastime""".split()  # noqa: SIM905
)


def attribute_of(noun: str) -> tuple[str, bool]:
    """The attribute that a noun names, and whether it is one of a person."""
    known = _OF_PEOPLE.get(noun)
    return (known, True) if known else (noun, False)


def given_value(attribute: str, value: str, *, of_person: bool) -> Iterator[Found]:
    """The value of an attribute that something was changed to."""
    if attribute == "birthday":
        yield from _date_value(value)
    elif of_person:
        yield Found(attribute, words_of(re.sub(r"^(?:a|an|the) ", "", value)))
    else:
        yield from facets_of(attribute, value)


def _date_value(value: str) -> Iterator[Found]:
    date = date_of(value)
    if date:
        yield Found("birthday", date)


def facets_of(noun: str, value: str) -> Iterator[Found]:
    """The sides of something that are told apart: when, on which day, where, how many, or simply what it is."""
    old = re.match(r"(?:about |around |over )?(?P<n>\d{1,4}) (?:years?|months?|weeks?) old$", value)
    if old:
        yield Found(f"{noun} age", old["n"])
        return
    if noun.endswith(_CONTACTS) and not _is_contact(noun, value):
        return
    if noun.endswith(_CONTACTS):
        yield Found(noun if noun.endswith(("email", "number", "handle")) else f"{noun} handle", contact_of(value))
        return
    if "favorite" in noun:
        if not re.match(r"\w+ing\b|(?:in|on|at|out|over|still) ", value):
            yield Found(noun, words_of(value))
        return
    if value in COLORS:
        yield Found(f"{noun} color", value)
        return
    if noun and noun.rsplit(maxsplit=1)[-1] in _ANIMALS and re.fullmatch(r"\d{1,2}", value):
        yield Found(f"{noun} age", value)
        return
    clock, days, date = clock_of(value), days_of(value), date_of(value)
    if clock and days and re.search(r"days\b", value):
        yield Found(f"{noun}@time on {days}@time", clock)  # at another time on other days
        return
    if clock:
        yield Found(f"{noun}@time", clock)
    elif part := part_of_day(value):
        yield Found(f"{noun}@part", part)
    month_day = re.search(r"\bthe (\d{1,2})(?:st|nd|rd|th)\b", value)
    if date:
        yield Found(f"{noun}@date", date)
    elif month_day:
        yield Found(f"{noun}@date", month_day.group(1))
    elif days:
        yield Found(f"{noun}@day", days)
    if clock or days or date or month_day:
        return
    often = re.match(r"(?:every|\d+ times|weekly|daily|monthly|biweekly|fortnightly|yearly|annually)\b.*$", value)
    if often:
        yield Found(f"{noun}@often", words_of(value))
        return
    place = re.match(r"(?:in|on|at|upstairs|downstairs|via|over)\b ?(?:the |a |an |our |my )?(?P<v>.+)$", value)
    if place and not re.match(r"(?:in|on|at) (?:progress|hold|track|order)\b", value) and value not in STATES:
        yield Found(f"{noun}@place", words_of(place["v"]))
        return
    state = STATES.get(value)
    if state:
        yield Found(f"{noun} {state}", words_of(value))
        return
    number = re.match(
        (
            r"(?:about |around |roughly |only |for |at )*[$€£]?(?P<n>\d[\d.,]*)(?P<k>k)?\s?(?P<unit>%|euros?|"
            r"dollars?|pounds?|kg|km|mg|€|\$|per .*|a .*)?$"
        ),
        value,
    )
    if number:
        yield Found(f"{noun}#", number["n"].replace(",", "").rstrip(".") + (number["k"] or ""))
        return
    counted = re.match(r"(?P<n>\d+) (?P<what>[a-z]+)$", value)
    if counted:
        yield Found(f"count:{noun} {head_of(counted['what'])}", counted["n"])
        return
    if re.match(r"(?:a|an) ", value) or re.match(r"[\w'+#.@:/-]+(?: [\w'+#.,@-]+){0,5}$", value):
        yield Found(noun, words_of(re.sub(r"^(?:a|an|the) ", "", value)))


COLORS = frozenset(
    [
        "red",
        "blue",
        "green",
        "black",
        "white",
        "grey",
        "gray",
        "silver",
        "yellow",
        "orange",
        "purple",
        "pink",
        "brown",
        "blonde",
        "blond",
        "gold",
        "beige",
    ]
)


_CONTACTS = (
    "email",
    "number",
    "handle",
    "username",
    "twitter",
    "instagram",
    "landline",
    "extension",
    "address",
    "code",
    "pin code",
    "postcode",
    "zip code",
)


_ANIMALS = frozenset("dog cat horse puppy kitten hamster rabbit parrot".split())  # noqa: SIM905


def _is_contact(noun: str, value: str) -> bool:
    """Whether a value looks like an address, a number or a handle; "my email is full" does not tell one."""
    if noun.endswith("email"):
        return "@" in value
    if noun.endswith(("number", "landline", "extension", "code", "postcode")):
        return bool(re.search(r"\d{2}", value))
    if noun.endswith("address"):
        return bool(re.search(r"\d|@", value)) or len(value.split()) > 2
    return not re.match(r"(?:full|new|private|secret|unknown|broken|wrong|old|gone)$", value)
