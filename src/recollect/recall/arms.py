"""The arms of recall: each gives candidates evidence between 0 and 1, and has a name, a weight and a reason.

The weights are few and round; each may be halved or doubled at the cost of about a point of recall
(docs/retrieval.md has the table).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from recollect.model.terms import terms
from recollect.recall.question import Question
from recollect.recall.when import TIME_TERMS
from recollect.storage.interface import Candidate

Evidence = dict[int, float]

WEIGHTS: dict[str, float] = {
    "text": 0.5,  # the words of the question are in the memory itself
    "window": 1.0,  # … or in it and the turns beside it: an answer seldom repeats its question
    "conversation": 0.5,  # … or all over its conversation
    "vector": 1.5,  # it means something similar
    "nearby": 1.0,  # … or the turns beside it do
    "person": 1.0,  # it was said by the one person the question is about
    "time": 1.5,  # it was said at the time the question names
    "dated": 1.0,  # the question asks when, and it speaks of a time
    "statement": 0.5,  # it tells something instead of asking
}

_K1 = 0.9
_B = 0.4
# BM25 per unit of a question's weight at which a memory is a full match.
_FULL_MATCH = 1 / 1.3


class Pool:
    """The candidates of one recall, and the evidence for each of them."""

    def __init__(
        self,
        question: Question,
        candidates: Mapping[int, Candidate],
        similar: Mapping[int, float],
        frequencies: Mapping[str, int],
        size: int,
    ) -> None:
        self._question = question
        self._candidates = candidates
        self._similar = similar
        self._worth = {
            term: math.log(1 + (size - frequencies.get(term, 0) + 0.5) / (frequencies.get(term, 0) + 0.5))
            for term in question.terms
        }
        self._ideal = sum(self._worth.values()) * _FULL_MATCH or 1.0
        self._counts = {
            seq: Counter(term for term in candidate.terms if term in self._worth)
            for seq, candidate in candidates.items()
        }
        places = {(c.conversation, c.position): seq for seq, c in candidates.items() if c.conversation is not None}
        self._beside = {
            seq: [places[place] for step in (-1, 1) if (place := (c.conversation, (c.position or 0) + step)) in places]
            for seq, c in candidates.items()
            if c.conversation is not None and c.position is not None
        }

    def evidence(self, ranked: Sequence[int]) -> dict[str, Evidence]:
        """The evidence of every arm for the candidates that may be returned."""
        text = self._text({seq: [seq] for seq in self._candidates})
        window = self._text({seq: [seq, *self._beside.get(seq, ())] for seq in ranked})
        arms = {
            "text": {seq: text[seq] for seq in ranked},
            "window": window,
            "conversation": self._conversation(text, ranked),
            "vector": {seq: max(0.0, self._similar.get(seq, 0.0)) for seq in ranked},
            "nearby": {seq: self._nearby(seq) for seq in ranked},
            "person": self._person(ranked),
            "time": {seq: self._time(self._candidates[seq]) for seq in ranked},
            "dated": {seq: float(self._dated(self._candidates[seq])) for seq in ranked},
            "statement": {seq: float(not self._candidates[seq].asks) for seq in ranked},
        }
        return {name: {seq: value for seq, value in arm.items() if value > 0} for name, arm in arms.items()}

    def _text(self, members: Mapping[int, Sequence[int]]) -> Evidence:
        """BM25 of each candidate together with others, as a part of a full match."""
        lengths = {seq: sum(len(self._candidates[each].terms) for each in group) for seq, group in members.items()}
        average = sum(lengths.values()) / len(lengths) if lengths else 1.0
        scores: Evidence = {}
        for seq, group in members.items():
            norm = _K1 * (1 - _B + _B * lengths[seq] / (average or 1.0))
            score = 0.0
            for term, worth in self._worth.items():
                count = sum(self._counts[each][term] for each in group)
                if count:
                    score += worth * count * (_K1 + 1) / (count + norm)
            scores[seq] = min(1.0, score / self._ideal)
        return scores

    def _conversation(self, text: Evidence, ranked: Sequence[int]) -> Evidence:
        """How much of all that was found lies in the same conversation."""
        sums: dict[str, float] = {}
        for seq, score in text.items():
            conversation = self._candidates[seq].conversation
            if conversation is not None:
                sums[conversation] = sums.get(conversation, 0.0) + score
        most = max(sums.values(), default=0.0)
        if len(sums) < 2 or not most:  # noqa: PLR2004  one conversation says nothing about itself
            return {}
        return {seq: sums.get(self._candidates[seq].conversation or "", 0.0) / most for seq in ranked}

    def _nearby(self, seq: int) -> float:
        return sum(max(0.0, self._similar.get(other, 0.0)) for other in self._beside.get(seq, ())) / 2

    def _person(self, ranked: Sequence[int]) -> Evidence:
        """Candidates said by the person asked about, if the question names exactly one speaker."""
        asked = set(self._question.terms)
        speakers = {c.speaker for c in self._candidates.values() if c.speaker is not None}
        named = {speaker for speaker in speakers if (name := terms(speaker)) and asked.issuperset(name[:1])}
        if len(named) != 1 or len(speakers) < 2:  # noqa: PLR2004  with one speaker everything was said by them
            return {}
        return {seq: 1.0 for seq in ranked if self._candidates[seq].speaker in named}

    def _time(self, candidate: Candidate) -> float:
        return max((span.covers(candidate.observed_at) for span in self._question.spans), default=0.0)

    def _dated(self, candidate: Candidate) -> bool:
        return self._question.asks_when and not TIME_TERMS.isdisjoint(candidate.terms)
