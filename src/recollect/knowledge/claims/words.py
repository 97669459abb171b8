"""Words of predicates: the head of a phrase, the base of a verb."""

from __future__ import annotations

import re

from recollect.knowledge.claims.values import words_of
from recollect.knowledge.lazy import lazy
from recollect.knowledge.verbs import BASE_VERBS

PETS = frozenset("dog cat puppi kitten hamster rabbit bird parrot fish turtl".split())  # noqa: SIM905


def kind_of(word: str) -> str:
    """The word under which things of one kind are counted."""
    return {"kid": "child", "children": "child"}.get(word, word)


_CUT = lazy(
    r"\b(?:at|on|in|with|for|from|every|since|because|when|after|before|around|until|during|as|that|who|which|than|near|by|"
    r"over|under|without|per|once|twice|each|daily|weekly|anymore|and|or|but|to|into|of|a|an|named|called|there)\b"
)


def head_of(phrase: str) -> str:
    """The word that a phrase is about: of `strong black coffee in the morning` it is coffee."""
    phrase = re.sub(
        r"^(?:(?:to|at|in|on|with|for|of|a|an|the|my|our|his|her|their|some|any|no|another|more|much|many|being|"
        r"having|lots of|a lot of|about|up|out|eating|drinking|going|playing|watching)\s+)+",
        "",
        f"{phrase} ".lstrip(),
    )
    words = words_of(_CUT.split(phrase, maxsplit=1)[0]) or words_of(phrase)
    kept = [word for word in words.split() if not word.isdigit()] or words.split()
    return kept[-1] if kept else ""


_ING = lazy(r"(?:([b-df-hj-np-tv-z])\1)?ing$")


def base_of(verb: str) -> str:
    """The base of a verb, as far as its forms are regular or common."""
    irregular = {
        "smoking": "smoke",
        "driving": "drive",
        "living": "live",
        "using": "use",
        "taking": "take",
        "making": "make",
        "running": "run",
        "swimming": "swim",
        "getting": "get",
        "being": "be",
        "dancing": "dance",
        "biking": "bike",
        "hiking": "hike",
        "riding": "ride",
        "writing": "write",
        "baking": "bake",
        "cycling": "cycle",
        "skating": "skate",
        "vaping": "vape",
        "commuting": "commute",
        "practicing": "practice",
        "practising": "practice",
        "practise": "practice",
        "coaching": "coach",
        "volunteering": "volunteer",
        "went": "go",
        "does": "do",
        "goes": "go",
        "has": "have",
        "dating": "date",
        "loving": "love",
        "leaving": "leave",
        "moving": "move",
        "sitting": "sit",
        "jogging": "jog",
        "shopping": "shop",
        "quitting": "quit",
        "skiing": "ski",
        "coding": "code",
        "sharing": "share",
        "raising": "raise",
        "exercising": "exercise",
        "ate": "eat",
        "drank": "drink",
        "wore": "wear",
        "rode": "ride",
        "knitting": "knit",
        "meditating": "meditate",
        "enjoying": "enjoy",
        "liking": "like",
        "hating": "hate",
        "owning": "own",
    }
    if verb in irregular:
        return irregular[verb]
    if verb in BASE_VERBS:
        return verb
    for ending, put in (
        ("ies", "y"),
        ("es", ""),
        ("s", ""),
        ("ing", ""),
        ("ing", "e"),
        ("ed", ""),
        ("ed", "e"),
        ("d", ""),
    ):
        if verb.endswith(ending) and verb.removesuffix(ending) + put in BASE_VERBS:
            return verb.removesuffix(ending) + put
    doubled = _ING.sub(lambda match: match.group(1) or "", verb)
    return doubled if doubled in BASE_VERBS else verb
