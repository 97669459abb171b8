"""Plain texts: those in which nothing needs to be read, told at a glance; much of what is stored in bulk is plain."""

from __future__ import annotations

import re

from recollect.knowledge.secrets import may_hold_secret
from recollect.knowledge.verbs import FINITE_VERBS

_WORD = re.compile(r"[a-z]+")
# A name inside the text, a possessive, an address, a long number.
_SHAPE = re.compile(r"[A-Z'@?:;=]|\d(?:[ .-]?\d){5}|--")
# Keys and the like are longer than this; few words are.
_LONG = 16
# Without one of these words nothing is claimed, nobody is meant, nothing is asked for, or dated.
_TELLING = FINITE_VERBS | frozenset(
    """i im ive we me us my mine our ours his her hers their they not no nope never please dont cannot cant wont remind
    forget remember note save todo decided agreed today tonight tomorrow yesterday ago next last expires actually
    correction call""".split()  # noqa: SIM905
)
# So many words in a row may be a wallet's seed phrase.
_MANY_WORDS = 12


def is_plain(text: str) -> bool:
    """Whether a text can be taken as it is: it claims nothing, is about nobody and holds no secret."""
    if not text.isascii() or _SHAPE.search(text, 1) or max(map(len, text.split()), default=0) >= _LONG:
        return False
    lowered = text.lower()
    words = _WORD.findall(lowered)
    return len(words) < _MANY_WORDS and _TELLING.isdisjoint(words) and not may_hold_secret(lowered)
