"""Wording: a text as its claims are read from: lower case, contractions written out, numbers as figures."""

from __future__ import annotations

import re

from recollect.knowledge.lazy import lazy

_QUOTES = str.maketrans({"’": "'", "‘": "'", "`": "'", "“": '"', "”": '"', "–": "-", "—": "-"})
# What makes a look worth while, what is looked for, and how it is written.
_REWRITTEN = tuple(
    (triggers, lazy(pattern), written)
    for triggers, pattern, written in (
        (("i'm", "im "), r"\b(i)'?m\b(?! and\b)", r"\1 am"),
        (("can",), r"\bcan'?t\b|\bcannot\b", "can not"),
        (("won",), r"\bwon'?t\b", "will not"),
        (("ain",), r"\bain'?t\b", "is not"),
        (
            ("n't", "nt"),
            r"\b(do|does|did|is|are|was|were|has|have|had|could|would|should|need)n'?t\b",
            r"\1 not",
        ),
        (("'ve",), r"\b(i|we|you|they)'ve\b", r"\1 have"),
        (("'ll",), r"\b(i|we|you|he|she|it|they|there)'ll\b", r"\1 will"),
        (("'d",), r"\b(i|we|you|he|she|they)'d\b", r"\1 would"),
        (("'re",), r"\b(we|you|they)'re\b", r"\1 are"),
        (
            ("'s",),
            r"\b(he|she|it|that|there|what|who|here)'s\b(?=\s+(?:been|got|had|moved|become|turned|changed|gone)\b)",
            r"\1 has",
        ),
        (("'s",), r"\b(he|she|it|that|there|what|who|here)'s\b", r"\1 is"),
        (("twice",), r"\btwice (?=a|an|per|every)", "2 times "),
        (("once",), r"\bonce (?=a|an|per|every)", "1 times "),
        (("nyc",), r"\bnyc\b", "new york city"),
        (("ive ",), r"\bive\b", "i have"),
        (("name's",), r"\bname's\b", "name is"),
        (("r.", "s.", "t.", "f."), r"\b(dr|mr|mrs|ms|st|prof)\.", r"\1"),
        (("gonna",), r"\bgonna\b", "going to"),
        (("any",), r"\bany ?more\b|\bany longer\b", "anymore"),
        (("no more",), r"\bno more\b(?! than)", "no longer"),
        (("anymore",), r"\bnot\b([^.;,]{1,60}?)\banymore\b", r"no longer\1"),
        (("mum", "mom", "mama"), r"\bmum\b|\bmom\b|\bmommy\b|\bmummy\b|\bmama\b", "mother"),
        (("dad", "papa"), r"\bdad\b|\bdaddy\b|\bpapa\b", "father"),
        (("colour",), r"\bcolour", "color"),
        (("fav",), r"\bfavou?rite\b|\bfav\b|\bfave\b", "favorite"),
        ((",",), r"(?<=\d),(?=\d{3}\b)", ""),
        (("neighbour",), r"\bneighbour", "neighbor"),
        (("fianc",), r"\bfianc(?:é|ée|ee|e)\b", "fiance"),
    )
)
# Behind "Sarah's" stands what she is, not what she has.
_BEING = (
    r"(?:not|no longer|now|a|an|the|in|at|on|from|about|almost|only|actually|currently|still|really|very|also|turning|"
    r"called|named|allergic|afraid|vegan|vegetarian|pescatarian|single|married|divorced|engaged|widowed|pregnant|"
    r"retired|unemployed|moving|moved|working|living|studying|learning|based|been|getting|got|going|never|scheduled|"
    r"\d+)"
)
_IS = lazy(rf"\b([\w-]+)'s (?={_BEING}\b)(?!\d+(?:st|nd|rd|th)\b)")
_SMALL = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS = {
    name: 10 * number
    for number, name in enumerate(["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], 2)
}
_SMALL_NUMBERS = {name: number for number, name in enumerate(_SMALL)}
_NUMBER = lazy(
    rf"\b(?:({'|'.join(_TENS)})(?:[- ]({'|'.join(_SMALL[1:10])}))?|({'|'.join(_SMALL)}))\b(?! (?:day|"
    rf"time|of|another)\b)"
)


def plain(text: str) -> str:
    """A text in one wording, for reading only."""
    text = " ".join(text.translate(_QUOTES).lower().split())
    for triggers, pattern, written in _REWRITTEN:
        if any(trigger in text for trigger in triggers):
            text = pattern.sub(written, text)
    if "'s " in text:
        text = _IS.sub(r"\1 is ", text)
    return _NUMBER.sub(_figure, text)


def _figure(match: re.Match[str]) -> str:
    tens, unit, small = match.groups()
    if small is not None:
        return str(_SMALL_NUMBERS[small])
    return str(_TENS[tens] + (_SMALL_NUMBERS[unit] if unit else 0))
