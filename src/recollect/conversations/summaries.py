"""Summaries without a model: the sentences of a conversation that say most of what the others say, too."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

from recollect.model.terms import terms

_SENTENCE = re.compile(r"(?<=[.!?…。！？])\s+|\n+")  # noqa: RUF001  sentences end in every script
_SHORTEST = 3
_LONGEST = 400


def key_sentences(texts: Sequence[str], most: int = 5) -> list[str]:
    """Up to `most` sentences of some texts, in the order they were said; questions are left out."""
    found = [
        (sentence.strip()[:_LONGEST], terms(sentence))
        for text in texts
        for sentence in _SENTENCE.split(text)
        if sentence.strip() and not sentence.strip().endswith("?")
    ]
    candidates = [(number, text, words) for number, (text, words) in enumerate(found) if len(words) >= _SHORTEST]
    common = Counter(word for _, _, words in candidates for word in set(words))
    chosen: list[tuple[int, str]] = []
    told: set[str] = set()
    while candidates and len(chosen) < most:
        # What most sentences are about counts; what has been told already does not count again.
        best = max(candidates, key=lambda each: (_weight(each[2], common, told), -each[0]))
        candidates.remove(best)
        if not set(best[2]) <= told:
            chosen.append(best[:2])
            told |= set(best[2])
    return [text for _, text in sorted(chosen)]


def _weight(words: Sequence[str], common: Counter[str], told: set[str]) -> float:
    new = [math.log1p(common[word]) for word in set(words) if word not in told]
    return sum(new) / math.sqrt(len(words))
