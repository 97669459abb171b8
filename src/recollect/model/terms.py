"""Terms: the one analysis of text for full-text search, the same for what is stored and what is asked.

Both storage engines index the terms made here and never the raw text, so they find the same things:
Unicode is folded (case, width, accents), English words are stemmed, and scripts written without spaces
are indexed by characters and pairs of characters, so that any part of a word finds it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

import Stemmer

from recollect.forking import fork_safe_lock

_LONGEST_TERM = 64
_STEM_CACHE_SIZE = 100_000

# What an apostrophe cuts off (s, t, ll, re, ve …) is a stop word of its own.
_ASCII_WORD = re.compile(r"[a-z0-9]+")
# Letters, digits, and the marks that belong to words: general combining marks, Hebrew, Arabic, Indic to Thai.
_WORD = re.compile(
    r"(?:[^\W_]|[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u0670\u06d6-\u06ed\u0900-\u0f9f\u1000-\u109f])+"
)
# Han, kana, Hangul, Thai, Lao, Myanmar, Khmer: runs whose words are not separated by spaces (or carry particles).
_RUN = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
    r"\U00020000-\U0003ffff]+"
)

STOP_WORDS = frozenset(
    """a about after again all also am an and any are aren as at be because been before being but by can could couldn
    did didn do does doesn doing don down during each few for from further had hadn has hasn have haven having he her
    here hers herself him himself his how i if in into is isn it its itself just ll m me might more most much must my
    myself no nor not now of off on once only or other our ours ourselves out over own re s same shan she should
    shouldn so some such t than that the their theirs them themselves then there these they this those through to
    too under until up us ve very was wasn we were weren what when where which while who whom whose why will with won
    would wouldn you your yours yourself yourselves""".split()  # noqa: SIM905  two hundred quotes help nobody
)

_stemmer = Stemmer.Stemmer("english")
_stem_lock = fork_safe_lock()  # the stemmer keeps state between calls
_stems: dict[str, str] = dict.fromkeys(STOP_WORDS, "")


def terms(text: str) -> list[str]:
    """The search terms of a text, in order, with repeats; stop words are left out."""
    if text.isascii():
        words = _ASCII_WORD.findall(text.lower())
        stems = list(map(_stems.get, words))
        if None in stems:
            stems = list(map(_stem, words))
        return [stem for stem in stems if stem]
    return list(_unicode_terms(text))


def _unicode_terms(text: str) -> Iterator[str]:
    for match in _WORD.finditer(unicodedata.normalize("NFKC", text).casefold()):
        word = match.group()
        end = 0
        for run in _RUN.finditer(word):
            yield from _word_term(word[end : run.start()])
            yield from _run_terms(run.group())
            end = run.end()
        yield from _word_term(word[end:])


def _word_term(word: str) -> Iterator[str]:
    folded = _fold(word)
    term = _stem(folded) if folded.isascii() else folded[:_LONGEST_TERM]
    if term:
        yield term


def _fold(word: str) -> str:
    """Without accents: é as e; letters that only look like accented ones (ø, ł) stay."""
    if word.isascii():
        return word
    parts = unicodedata.normalize("NFD", word)
    return unicodedata.normalize("NFC", "".join(c for c in parts if not 0x300 <= ord(c) <= 0x36F))  # noqa: PLR2004


def _run_terms(run: str) -> Iterator[str]:
    yield from run
    yield from (run[i : i + 2] for i in range(len(run) - 1))


def _stem(word: str) -> str:
    """The stem of an English (or at least ASCII) word; nothing for a stop word."""
    known = _stems.get(word)
    if known is not None:
        return known
    word = word[:_LONGEST_TERM]
    with _stem_lock:
        if len(_stems) >= _STEM_CACHE_SIZE:
            for old in list(_stems)[: _STEM_CACHE_SIZE // 2]:
                if old not in STOP_WORDS:
                    del _stems[old]
        stem: str = word if word.isdigit() else _stemmer.stemWord(word)
        _stems[word] = stem
    return stem
