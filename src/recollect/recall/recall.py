"""Recall: candidates inside the visibility gate, weighed by several arms, modified, explained, cited."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from recollect.config import RetrievalSettings
from recollect.embedding import Vectors
from recollect.knowledge.people import Circle
from recollect.model.clock import Clock, to_micros
from recollect.model.edge import Edge, EdgeType
from recollect.model.memory import Kind, Memory
from recollect.model.person import Person
from recollect.model.scope import Visibility
from recollect.recall.arms import WEIGHTS, Evidence, Pool
from recollect.recall.floor import relevant, supported
from recollect.recall.fuse import Ranking, reciprocal_ranks, weighted_sum
from recollect.recall.modify import modifiers
from recollect.recall.question import Question
from recollect.recall.result import Hit, Recall
from recollect.recall.rewind import rewound
from recollect.storage.interface import Candidate, Matches, Reader, Storage, Vector

# How many turns before and after a candidate are candidates too.
_REACH = 1
# How many memories about somebody are looked at: all of them where nothing else was asked for, as far as that goes.
_MOST_ABOUT = 50
_ALL_ABOUT = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a recall is asked for beside its query; `about` names the people whom everything must be about."""

    top_n: int
    floor: bool = True
    about: tuple[str, ...] = ()
    arms: frozenset[str] = frozenset(WEIGHTS)


class Recaller:
    """Answers queries from one store."""

    def __init__(
        self,
        storage: Storage,
        clock: Clock,
        settings: RetrievalSettings,
        vectors: Vectors,
        withheld: Callable[[Memory], bool],
    ) -> None:
        self._storage = storage
        self._clock = clock
        self._settings = settings
        self._vectors = vectors
        self._withheld = withheld

    def recall(self, query: str, visibility: Visibility, wanted: Wanted, vector: Vector | None = None) -> Recall:
        """The memories that answer a query best."""
        question = Question.of(query, visibility.known_at or visibility.now)
        asked = vector or self._vectors.query(question.text)
        return self._storage.read(lambda reader: self._search(reader, query, question, asked, visibility, wanted))

    def _search(
        self,
        reader: Reader,
        query: str,
        question: Question,
        vector: Vector | None,
        visibility: Visibility,
        wanted: Wanted,
    ) -> Recall:
        note = self._why_text_only(reader, question.text, vector)
        vector = None if note else vector
        settings = self._settings
        about = self._about(reader, question, visibility, wanted)
        nearest = reader.nearest(visibility, vector, max(settings.top_k_vector, wanted.top_n)) if vector else []
        matches = reader.match_terms(visibility, question.terms, max(settings.top_k_text, wanted.top_n))
        proposed = dict.fromkeys([hit.seq for hit in matches.ranked] + [hit.seq for hit in nearest] + about)
        if wanted.about:
            proposed = dict.fromkeys(about)
        similar = {hit.seq: hit.score for hit in nearest if hit.seq in proposed}
        pool, eligible = self._pool(
            reader, question, vector, visibility, list(proposed), similar, matches, frozenset(about)
        )
        if wanted.about:
            eligible = [seq for seq in eligible if seq in proposed]
        arms = {name: evidence for name, evidence in pool.evidence(eligible).items() if name in wanted.arms}
        if settings.fusion == "rrf":
            scores = reciprocal_ranks(arms, WEIGHTS, settings.rrf_k)
        else:
            scores = weighted_sum(arms, WEIGHTS)
        below = 0
        if wanted.floor and settings.floor and not wanted.about:
            told = pool.attribution(arms, lambda seqs: _contents(reader, visibility, seqs))
            kept = supported(arms) if relevant(arms, told) else frozenset()
            kept |= frozenset(arms.get("about", ()))
            below = len(scores)
            scores = {seq: score for seq, score in scores.items() if seq in kept}
            below -= len(scores)
        hits, omitted, edges = _Ranking(self, reader, visibility, wanted, arms, scores, pool.candidates).hits()
        omitted["belowFloor"] = below
        return Recall(
            query=query, mode="hybrid" if vector else "text-only", hits=hits, edges=edges, omitted=omitted, note=note
        )

    def _about(self, reader: Reader, question: Question, visibility: Visibility, wanted: Wanted) -> list[int]:
        """Memories about the people whom a question names: also those that do not hold their names."""
        circle = Circle.known(reader, visibility.speaker)
        if wanted.about:
            people = [person for reference in wanted.about for person in circle.find_reference(reference)]
        elif "about" in wanted.arms and not circle.is_empty:
            people = circle.find_text(question.text)
        else:
            people = []
        ids = [each for person in people for each in circle.group(person.person_id)]
        return reader.about(visibility, ids, _ALL_ABOUT if wanted.about else _MOST_ABOUT) if ids else []

    def _why_text_only(self, reader: Reader, asked: str, vector: Vector | None) -> str | None:
        """Why vectors cannot be used, if they cannot."""
        if self._vectors.embedder is None:
            return "no embedding model is installed"
        if vector is None:
            return "the embedding model did not answer" if asked.strip() else "nothing was asked"
        active = reader.active_model()
        if active is not None and active != vector.model:
            return f"the vectors are of {active}, not of {vector.model}: run reindex"
        return None

    def _pool(
        self,
        reader: Reader,
        question: Question,
        vector: Vector | None,
        visibility: Visibility,
        proposed: list[int],
        similar: dict[int, float],
        matches: Matches,
        about: frozenset[int],
    ) -> tuple[Pool, list[int]]:
        """All that is known of what was proposed and of its neighbours, and which of them may be returned."""
        found = reader.candidates(visibility, proposed)
        places = [(c.conversation, c.position) for c in found.values() if c.conversation and c.position is not None]
        around = [seq for seq in reader.neighbours(visibility, places, _REACH) if seq not in found]
        supporting = reader.candidates(visibility, around) if around else {}
        everything = _in_order({**found, **supporting})
        near = {(conversation, position + step) for conversation, position in places for step in (-1, 1)}
        eligible = [seq for seq, c in everything.items() if seq in found or (c.conversation, c.position) in near]
        if vector is not None:
            unknown = [seq for seq in everything if seq not in similar]
            similar = {**similar, **reader.similarities(visibility, vector, unknown)}
        asking = visibility.speaker.user
        return Pool(question, everything, similar, matches.frequencies, matches.size, about, asking), eligible

    def withheld(self, memory: Memory) -> bool:
        """Whether a memory's source is no longer allowed."""
        return self._withheld(memory)

    def now(self) -> datetime:
        """The time that ages are counted from."""
        return self._clock.now()


class _Ranking:
    """Turns scores into hits: reads memories, best first, until enough may be shown."""

    def __init__(
        self,
        recaller: Recaller,
        reader: Reader,
        visibility: Visibility,
        wanted: Wanted,
        arms: Mapping[str, Evidence],
        scores: Mapping[int, float],
        candidates: Mapping[int, Candidate],
    ) -> None:
        self._recaller = recaller
        self._candidates = candidates
        self._reader = reader
        self._visibility = visibility
        self._wanted = wanted
        self._arms = arms
        self._scores = scores

    def hits(self) -> tuple[list[Hit], dict[str, int], list[Edge]]:
        """The best memories, what was left out by reason, and the edges around them."""
        omitted = {"belowFloor": 0, "belowTopN": 0, "duplicates": 0, "sourceDenied": 0, "damaged": 0}
        if not self._scores:
            return [], omitted, []
        bounds = self._bounds()
        order = sorted(bounds, key=lambda seq: (-bounds[seq], -seq))
        top_n, at = self._wanted.top_n, 0
        found: list[_Scored] = []
        edges: list[Edge] = []
        unique: list[_Scored] = []
        # Best first until no other can come before the last that is shown. A memory of another time is rated by
        # what it was then: all have to be read.
        step = top_n if self._visibility.known_at is None else len(order)
        while at < len(order) and (len(unique) < top_n or unique[top_n - 1].score <= bounds[order[at]]):
            found += self._read(order[at : at + step], omitted, edges)
            found.sort(key=_Scored.order)
            unique = _without_duplicates(found)
            at += step
            step = max(4, top_n // 4)
        subjects = self._reader.subjects([scored.memory.memory_id for scored in unique[:top_n]])
        hits = [self._hit(scored, subjects) for scored in unique[:top_n]]
        omitted["duplicates"] = len(found) - len(unique)
        omitted["belowTopN"] = max(0, len(order) - at) + len(unique) - len(hits)
        return hits, omitted, _touching(edges, hits)

    def _bounds(self) -> dict[int, float]:
        """The score of every candidate as long as nothing contradicts it: it can only be less."""
        now, rated = to_micros(self._recaller.now()), self._candidates
        bounds = {}
        for seq, score in self._scores.items():
            each = rated[seq]
            factors = modifiers(each.importance, each.confidence, now - each.observed, contradicted=False)
            bounds[seq] = score * math.prod(factors.values())
        return bounds

    def _read(self, seqs: Sequence[int], omitted: dict[str, int], edges: list[Edge]) -> list[_Scored]:
        """What may be shown of some candidates, with the edges around them."""
        read, damaged = self._reader.by_seq(self._visibility, seqs)
        omitted["damaged"] += len(damaged)
        memories = self._shown(read, omitted)
        around = self._reader.edges(self._visibility, [memory.memory_id for memory in memories.values()])
        edges += [edge for edge in around if edge not in edges]
        contradicted = {
            end
            for edge in around
            if edge.edge_type is EdgeType.CONTRADICTS
            for end in (edge.from_memory_id, edge.to_memory_id)
        }
        now = self._recaller.now()
        return [_Scored.of(seq, each, self._scores[seq], contradicted, now) for seq, each in memories.items()]

    def _shown(self, read: Mapping[int, Memory], omitted: dict[str, int]) -> dict[int, Memory]:
        shown = {}
        for seq, memory in read.items():
            if self._recaller.withheld(memory):
                omitted["sourceDenied"] += 1
            else:
                known_at = self._visibility.known_at
                shown[seq] = memory if known_at is None else rewound(self._reader, memory, known_at)
        return shown

    def _hit(self, scored: _Scored, subjects: Mapping[str, list[Person]]) -> Hit:
        memory, message = scored.memory, None
        if memory.kind is Kind.MESSAGE and memory.source.message_id is not None:
            message = self._reader.message(memory.source.message_id)
        reasons = _Reasons(self._arms, scored.seq, scored.factors, self._scores[scored.seq])
        about = tuple(person.label for person in subjects.get(memory.memory_id, ()))
        return Hit(memory=memory, score=scored.score, reasons=reasons, message=message, about=about)


@dataclass(frozen=True, slots=True)
class _Reasons:
    """What the arms of a recall said of one candidate."""

    arms: Mapping[str, Evidence]
    seq: int
    factors: Mapping[str, float]
    relevance: float

    def evidence(self, arm: str) -> float:
        """What one arm said."""
        return self.arms.get(arm, {}).get(self.seq, 0.0)

    def told(self) -> dict[str, Any]:
        """Rank, evidence and weight of every arm that spoke for it, each modifier, and the score without them."""
        return {
            "arms": {
                name: {
                    "rank": Ranking(evidence).rank(evidence[self.seq]),
                    "evidence": round(evidence[self.seq], 4),
                    "weight": WEIGHTS[name],
                }
                for name, evidence in self.arms.items()
                if self.seq in evidence
            },
            "modifiers": {name: round(factor, 4) for name, factor in self.factors.items()},
            "relevance": self.relevance,
        }


@dataclass(frozen=True, slots=True)
class _Scored:
    """A memory with its final score."""

    seq: int
    memory: Memory
    score: float
    factors: dict[str, float]

    @classmethod
    def of(cls, seq: int, memory: Memory, score: float, contradicted: set[str], now: datetime) -> _Scored:
        """Applies the modifiers."""
        age = to_micros(now) - to_micros(memory.observed_at)
        contradiction = memory.memory_id in contradicted
        factors = modifiers(memory.importance, memory.confidence, age, contradicted=contradiction)
        return cls(seq, memory, score * math.prod(factors.values()), factors)

    def order(self) -> tuple[float, float, str, str]:
        """Best first; among equals the newer, then by content and id, so that the order is always the same."""
        return (-self.score, -self.memory.observed_at.timestamp(), self.memory.content, self.memory.memory_id)


def _in_order(candidates: Mapping[int, Candidate]) -> dict[int, Candidate]:
    """Candidates in an order that is their own: sums round, and a place goes to the last that claims it."""

    def key(each: Candidate) -> tuple[int, str, str, int]:
        return each.observed, each.terms, each.conversation or "", each.position or 0

    return {each.seq: each for each in sorted(candidates.values(), key=key)}


def _contents(reader: Reader, visibility: Visibility, seqs: Sequence[int]) -> dict[int, str]:
    return {seq: memory.content for seq, memory in reader.by_seq(visibility, seqs)[0].items()}


def _without_duplicates(hits: Iterable[_Scored]) -> list[_Scored]:
    """Each content once, as its best hit."""
    seen: set[str] = set()
    unique = []
    for hit in hits:
        content = " ".join(hit.memory.content.casefold().split())
        if content not in seen:
            seen.add(content)
            unique.append(hit)
    return unique


def _touching(edges: Iterable[Edge], hits: Iterable[Hit]) -> list[Edge]:
    shown = {hit.memory.memory_id for hit in hits}
    return [edge for edge in edges if edge.from_memory_id in shown or edge.to_memory_id in shown]
