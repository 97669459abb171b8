"""The arms of recall: each gives candidates evidence between 0 and 1, and has a name, a weight and a reason.

The weights are few and round. docs/retrieval.md has what recall loses without each arm.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from recollect.model.clock import from_micros
from recollect.model.terms import terms
from recollect.recall.attribution import Statement, attribution
from recollect.recall.question import Question
from recollect.recall.when import TIME_TERMS
from recollect.storage.interface import Candidate

Evidence = dict[int, float]

WEIGHTS: dict[str, float] = {
    "text": 0.75,  # the words of the question are in the memory itself
    "window": 1.5,  # … or in it and the turns beside it: an answer seldom repeats its question
    "answer": 0.5,  # … or in the question that it answers
    "conversation": 0.5,  # … or all over its conversation
    "vector": 1.5,  # it means something similar
    "nearby": 1.0,  # … or the turns beside it do
    "person": 1.0,  # it was said by the person whom the question is about
    "about": 1.0,  # it is about somebody whom the question names, by whatever name
    "time": 1.5,  # it was said at the time the question names
    "dated": 1.0,  # the question asks when, and it speaks of a time
    "statement": 0.5,  # it tells something instead of asking
}

# In a store of three memories a word in all of them is still a word worth finding.
_LEAST_SIZE = 200
_K1 = 0.9
_B = 0.4
# BM25 per unit of a question's weight at which a memory is a full match.
_FULL_MATCH = 1 / 1.3
# A turn of a few words is understood from those beside it. One of so many terms stands by itself.
_STANDS_ALONE = 40
# How sure "I" and "you" are, beside a name.
_MEANT = 0.5
# What speaks for a statement beside its own words, when it is asked whom it is about.
_SUPPORT = {"window": 0.5, "vector": 1.0, "time": 0.25, "dated": 0.25}
# How many statements of the person asked about, and of others, are looked at then: only the best decide.
_DECISIVE = 8


class Pool:
    """The candidates of one recall, in an order that is their own, and the evidence for each of them."""

    def __init__(
        self,
        question: Question,
        candidates: Mapping[int, Candidate],
        similar: Mapping[int, float],
        frequencies: Mapping[str, int],
        size: int,
        about: frozenset[int] = frozenset(),
        asking: str | None = None,
    ) -> None:
        self._question = question
        self.candidates = candidates
        self._similar = similar
        self._about = about
        self._asking = asking
        size = max(size, _LEAST_SIZE)
        self._worth = {
            term: math.log(1 + (size - frequencies.get(term, 0) + 0.5) / (frequencies.get(term, 0) + 0.5))
            for term in question.terms
        }
        self._ideal = sum(self._worth.values()) * _FULL_MATCH or 1.0
        asked = frozenset(self._worth)
        self._terms = {seq: candidate.terms.split() for seq, candidate in candidates.items()}
        self._lengths = {seq: len(found) for seq, found in self._terms.items()}
        self._counts = {
            seq: {} if asked.isdisjoint(found) else _counted(found, asked) for seq, found in self._terms.items()
        }
        self._speakers = frozenset(c.speaker for c in candidates.values() if c.speaker is not None)
        self._asked_about = self._named_speaker()
        self._places = places = {
            (c.conversation, c.position): seq
            for seq, c in candidates.items()
            if c.conversation is not None and c.position is not None
        }
        self._beside = {
            seq: [places[place] for step in (-1, 1) if (place := (conversation, position + step)) in places]
            for (conversation, position), seq in places.items()
            if self._lengths[seq] <= _STANDS_ALONE
        }

    def evidence(self, ranked: Sequence[int]) -> dict[str, Evidence]:
        """The evidence of every arm for the candidates that may be returned."""
        allowed = frozenset(ranked)
        text = self._text({seq: [seq] for seq in self.candidates})
        window = self._text({seq: [seq, *self._beside.get(seq, ())] for seq in ranked}) if self._beside else text
        similar = self._similar
        return {
            "text": {seq: text[seq] for seq in ranked if seq in text},
            "window": {seq: window[seq] for seq in ranked if seq in window},
            "answer": self._answer(text, allowed),
            "conversation": self._conversation(text, ranked),
            "vector": {seq: similar[seq] for seq in ranked if similar.get(seq, 0.0) > 0},
            "nearby": _positive({seq: self._nearby(seq) for seq in self._places.values() if seq in allowed}),
            "person": self._person(ranked),
            "about": {seq: 1.0 for seq in ranked if seq in self._about},
            "time": _positive(
                {seq: self._time(self.candidates[seq]) for seq in ranked} if self._question.spans else {}
            ),
            "dated": {seq: 1.0 for seq in ranked if self._is_dated(seq)} if self._question.asks_when else {},
            "statement": {seq: 1.0 for seq in ranked if not self._asks(seq)},
        }

    def _text(self, members: Mapping[int, Sequence[int]]) -> Evidence:
        """BM25 of each candidate together with others, as a part of a full match; none for those without a match."""
        lengths = {seq: sum([self._lengths[each] for each in group]) for seq, group in members.items()}
        average = sum(lengths.values()) / len(lengths) if lengths else 1.0
        scores: Evidence = {}
        for seq, group in members.items():
            found = [self._counts[each] for each in group if self._counts[each]]
            if not found:
                continue
            counts = found[0] if len(found) == 1 else _added(found)
            scores[seq] = min(1.0, self._bm25(counts, lengths[seq] / (average or 1.0)) / self._ideal)
        return scores

    def _answer(self, text: Evidence, allowed: frozenset[int]) -> Evidence:
        """How well the question that was asked directly before a candidate matches."""
        return {
            after: text[seq]
            for (conversation, position), seq in self._places.items()
            if seq in text
            and self._asks(seq)
            and (after := self._places.get((conversation, position + 1))) is not None
            and after in allowed
            and self._lengths[after] <= _STANDS_ALONE
        }

    def _asks(self, seq: int) -> bool:
        """Whether a candidate is a question: what is long and ends with one is not."""
        return self.candidates[seq].asks and self._lengths[seq] <= _STANDS_ALONE

    def _conversation(self, text: Evidence, ranked: Sequence[int]) -> Evidence:
        """How much of all that was found lies in the same conversation."""
        sums: dict[str, float] = {}
        for seq, score in text.items():
            conversation = self.candidates[seq].conversation
            if conversation is not None:
                sums[conversation] = sums.get(conversation, 0.0) + score
        most = max(sums.values(), default=0.0)
        if len(sums) < 2 or not most:  # noqa: PLR2004  one conversation says nothing about itself
            return {}
        return _positive({seq: sums.get(self.candidates[seq].conversation or "", 0.0) / most for seq in ranked})

    def _nearby(self, seq: int) -> float:
        if seq not in self._beside:
            return max(0.0, self._similar.get(seq, 0.0))
        return sum(max(0.0, self._similar.get(other, 0.0)) for other in self._beside.get(seq, ())) / 2

    def _person(self, ranked: Sequence[int]) -> Evidence:
        """Candidates said by the person asked about."""
        speaker, surety = self._asked_about, 1.0
        if speaker is None:
            speaker, surety = self._meant_speaker(), _MEANT
        if speaker is None:
            return {}
        return {seq: surety for seq in ranked if self.candidates[seq].speaker == speaker}

    def _named_speaker(self) -> str | None:
        """The one speaker whom the question names; with only one speaker, everything was said by them."""
        asked = frozenset(self._question.terms)
        named = [speaker for speaker in self._speakers if (name := terms(speaker)) and name[0] in asked]
        return named[0] if len(named) == 1 and len(self._speakers) > 1 else None

    def _meant_speaker(self) -> str | None:
        """Where a user talks with an assistant, "I" in the user's question is the user and "you" the assistant."""
        role = self._question.role
        meant = {"user": (self._asking, "user"), "assistant": ("assistant",)}.get(role or "", ())
        found = [speaker for speaker in meant if speaker in self._speakers]
        return found[0] if found and len(self._speakers) > 1 else None

    def attribution(self, arms: Mapping[str, Evidence], read: Callable[[Sequence[int]], Mapping[int, str]]) -> float:
        """How much better what was said of the person asked about matches than what was said of others.

        `read` gives the contents of some candidates: those that would decide.
        """
        asked_about = self._asked_about
        if asked_about is None:
            return 0.0
        names = {term for speaker in self._speakers for term in terms(speaker)}
        worth = {term: value for term, value in self._worth.items() if term not in names}
        support = {
            seq: sum([weight * arms.get(arm, {}).get(seq, 0.0) for arm, weight in _SUPPORT.items()])
            for seq, counts in self._counts.items()
        }
        rank = {seq: support[seq] + arms.get("text", {}).get(seq, 0.0) for seq in support}
        best = sorted(rank, key=lambda seq: -rank[seq])
        own = [seq for seq in best if self.candidates[seq].speaker == asked_about][:_DECISIVE]
        others = [seq for seq in best if self.candidates[seq].speaker != asked_about][:_DECISIVE]
        contents = read([*own, *others])
        statements = [
            Statement(contents[seq], self.candidates[seq].speaker == asked_about, support[seq])
            for seq in (*own, *others)
            if seq in contents
        ]
        return attribution(statements, terms(asked_about), worth, among_two=len(self._speakers) == 2)  # noqa: PLR2004

    def _bm25(self, counts: Mapping[str, int], length: float) -> float:
        """BM25 of some terms in a text of a length relative to the average."""
        norm = _K1 * (1 - _B + _B * length)
        return sum([self._worth[term] * count * (_K1 + 1) / (count + norm) for term, count in counts.items()])

    def _time(self, candidate: Candidate) -> float:
        try:
            moment = from_micros(candidate.observed)
        except OverflowError:  # no time at all: the row is damaged, which is reported when it is read
            return 0.0
        return max((span.covers(moment) for span in self._question.spans), default=0.0)

    def _is_dated(self, seq: int) -> bool:
        return not TIME_TERMS.isdisjoint(self._terms[seq])


def _positive(evidence: Evidence) -> Evidence:
    """What speaks for something at all."""
    return {seq: value for seq, value in evidence.items() if value > 0}


def _counted(found: Sequence[str], asked: frozenset[str]) -> dict[str, int]:
    """How often each asked term was found, in the order of the text: the same in every process."""
    counts: dict[str, int] = {}
    for term in found:
        if term in asked:
            counts[term] = counts.get(term, 0) + 1
    return counts


def _added(counts: Sequence[Mapping[str, int]]) -> dict[str, int]:
    total: dict[str, int] = {}
    for each in counts:
        for term, count in each.items():
            total[term] = total.get(term, 0) + count
    return total
