"""Naming: what looks like a name, what never is one, and what is only said of people."""

from __future__ import annotations

import re
import unicodedata

from recollect.knowledge.claims.values import COUNTRIES
from recollect.knowledge.lazy import lazy
from recollect.knowledge.verbs import BASE_VERBS, FINITE_VERBS

ADJECTIVES = frozenset("dear lovely beloved own new wonderful late good old amazing ex".split())  # noqa: SIM905


RANKS = frozenset("older younger big little elder oldest youngest eldest middle twin".split())  # noqa: SIM905


PARTICLES = frozenset("van von de der den di da del la le bin al el ter dos da".split())  # noqa: SIM905


TITLES = frozenset("dr mr mrs ms prof professor miss sir doctor".split())  # noqa: SIM905


CALENDAR = frozenset(
    """monday tuesday wednesday thursday friday saturday sunday january february march april may june july august
    september october november december christmas easter halloween thanksgiving ramadan hanukkah mondays tuesdays
    wednesdays thursdays fridays saturdays sundays""".split()  # noqa: SIM905
)


NO_NAMES = (
    frozenset(
        """i it it's its the this that these those there here he she they we you my our his her their your today
    tomorrow yesterday tonight now then please remember note also and but or so because if when while after before since
    although though actually sorry no yes not what who where why how which ok okay hi hello hey thanks thank
    everyone everybody someone somebody nobody nothing something everything all both some most many few several
    every each another other one two three four five six seven eight nine ten breakfast lunch dinner english
    german french spanish italian chinese japanese korean portuguese russian arabic hindi dutch swedish polish
    turkish greek american british indian mexican thai vietnamese python java javascript linux windows google
    apple microsoft amazon facebook netflix spotify slack github internet wifi email mum mom dad mother father
    grandma grandpa granny sis bro auntie in on at for to from with by of as an a just maybe let's don't doesn't
    isn't can't won't i'm i've i'd i'll we're we've he's she's they're that's there's what's where's who's mr mrs
    ms dr prof god jesus tv pc uk usa us eu la ny nyc asap fyi btw lol pm am ceo cto hr it's coffee tea pizza
    sushi summer winter spring autumn fall work home school church gym yoga pilates standup retro""".split()  # noqa: SIM905
    )
    | CALENDAR
    | COUNTRIES
)


# Words behind a relation that are no names, in texts without capitals.
COMMON = (
    FINITE_VERBS
    | BASE_VERBS
    | frozenset(
        """and or but who that which is are in on at for to from with by of as not never always often sometimes usually
    really also just still already now then too very so than because when if while appointment tongue group
    meeting office company birthday language number car house job dog cat family life phone email address called
    named told said says gave came went has had was were used knows wants needs lives works likes loves hates made
    makes took takes got gets will would can could should may might must and's both all got side figure role back
    here there today tomorrow yesterday tonight wasn't isn't doesn't don't didn't hasn't won't can't couldn't
    wouldn't recently lately currently finally sadly soon even ever once again alone abroad home away a an the my
    our his her their this these those about after before since until during around over under between""".split()  # noqa: SIM905
    )
)


PERSONAL = lazy(
    r"(?:likes?|loves?|hates?|enjoys|prefers|dislikes|adores|wants|needs|thinks|believes|said|says|told|"
    r"tells|asked|called|texted|emailed|"
    r"lives?|lived|moved to|works? (?:at|as|for|in|from|with)|worked|studies|studied|plays|speaks|drives|"
    r"drinks|eats|smokes|teaches|"
    r"turned|turns|got (?:married|divorced|engaged|a|promoted)|married|divorced|was born|has (?:a|an|two|"
    r"three|\d|been|no|got)|"
    r"is (?:allergic|vegan|vegetarian|married|single|divorced|engaged|pregnant|retired|turning|\d+|"
    r"coming|visiting|moving|learning|"
    r"studying|working|living|getting|afraid|my|our|from|also my|now my|the one|nice|funny|kind|tall|dating|"
    r"(?:a|an|the) (?:[\w-]+ ){0,3}?(?P<job>[\w-]+)\b)|and i\b|owns|goes|quit|retired|passed away|died|"
    r"can(?:'t|not)?\b|knows|doesn['’]t|doesn|"
    r"is called|is named|goes by|aka|used to|will|won['’]t|recommended|suggested|gave|bought|sent|helped|"
    r"introduced|invited|came|comes|wears|"
    r"runs|swims|cooks|bakes|sings|dances|reads|writes|paints|hikes|climbs|skis|rides|travels|collects|"
    r"snores|takes|keeps|manages|leads)\b",
    re.IGNORECASE,
)


OF_SOMEBODY = lazy(
    r"(?:birthday|favou?rite|wife|husband|partner|mother|father|mom|mum|dad|son|daughter|brother|sister|"
    r"boss|number|phone|email|"
    r"address|car|house|job|name|nickname|dog|cat|kids?|children|allergy|wedding|party|surname|last name|"
    r"age|office|apartment|flat|"
    r"girlfriend|boyfriend|fianc|team|room|hobby|hobbies|plan|friend)",
    re.IGNORECASE,
)


COMPANY = lazy(
    r"\b(?:met|meet|meeting|married|marry|dating|hired|invited|(?:lunch|dinner|coffee|breakfast|drinks|meeting|call|"
    r"date|appointment|party|trip|holiday|chat|talk(?:ed|ing)?|spoke|speak|live|lives|play(?:s|ed)?|went|"
    r"stay(?:ed)?) with|talk(?:ed)? to|"
    r"spoke to|engaged to|married to|gift for|present for|friends? with|called|named|from my friend|"
    r"birthday of|wife of|thanks to)$",
    re.IGNORECASE,
)


def folded(name: str) -> str:
    """A name as it is compared: without case and accents."""
    plain = unicodedata.normalize("NFD", name.casefold().replace("’", "'"))
    return " ".join("".join(c for c in plain if not unicodedata.combining(c)).split())


PLURALS = {
    "sons": "son",
    "daughters": "daughter",
    "kids": "child",
    "children": "child",
    "brothers": "brother",
    "sisters": "sister",
    "cousins": "cousin",
    "friends": "friend",
    "colleagues": "colleague",
    "siblings": "sibling",
    "nephews": "nephew",
    "nieces": "niece",
    "uncles": "uncle",
    "aunts": "aunt",
    "roommates": "roommate",
    "flatmates": "roommate",
    "grandchildren": "grandchild",
    "grandsons": "grandson",
    "granddaughters": "granddaughter",
    "parents": "parent",
}


COMPOUND = frozenset(
    [
        "company",
        "program",
        "programme",
        "school",
        "care",
        "seat",
        "food",
        "shower",
        "visa",
        "work",
        "loan",
        "account",
        "id",
        "card",
        "list",
        "team",
        "book",
    ]
)


def is_place(name: str) -> bool:
    """Whether a name is a country's."""
    return folded(name) in COUNTRIES


def is_namelike(word: str) -> bool:
    """Whether a word is written like a name: with a capital, or in a script without them."""
    first = word[:1]
    if not first or not first.isalpha():
        return False
    if first.isupper():
        return word.upper() != word or len(word) > 3 or len(word) == 1 or not word.isascii()
    return unicodedata.category(first) == "Lo" and unicodedata.name(first, "").startswith(
        ("CJK", "HIRAGANA", "KATAKANA", "HANGUL")
    )
