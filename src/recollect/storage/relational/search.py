"""Searching inside one transaction: what was found is looked up once, and only what the gate lets through counts."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

from recollect.log import MemoryLog
from recollect.model.scope import Visibility
from recollect.storage.interface import Candidate, Ranked
from recollect.storage.relational.reader import RelationalReader

# Full-text search scores every row that holds a term, so a query may touch this many rows: rarest terms first,
# and common ones only to rank what the rare ones found.
POSTINGS = 1_000
# A term in more than this part of all memories does not tell them apart.
_COMMON = 0.2
_FEW = 20
# Past this many terms a query is a document: its rarest terms say what it is about.
_MOST_TERMS = 64


class SearchHit(Protocol):
    """What any search finds."""

    @property
    def seq(self) -> int:
        """The store's number for a memory."""
        ...

    @property
    def score(self) -> float:
        """How good it is; greater is better."""
        ...

    def counts_for(self, candidate: Candidate) -> bool:
        """Whether it still tells something about a candidate as it is stored now."""
        ...


S = TypeVar("S", bound=SearchHit)


class _Seen:
    """The candidates that one caller was shown in one transaction; None for each that the gate holds back."""

    def __init__(self) -> None:
        self.model_id = -1
        self.candidates: dict[int, Candidate | None] = {}
        self._key: tuple[Visibility, int, int] | None = None

    def keep_for(self, visibility: Visibility, changes: int) -> None:
        """Forgets everything when another caller asks, the vectors are another model's, or something was written."""
        key = (visibility, self.model_id, changes)
        if self._key is None or self._key[0] is not visibility or self._key[1:] != key[1:]:
            self.candidates, self._key = {}, key


class RelationalSearcher(RelationalReader):
    """Finds candidates for ranking; everything is inside the gate."""

    def __init__(self, orchestrator_id: str, log: MemoryLog) -> None:
        super().__init__(orchestrator_id, log)
        self._seen = _Seen()

    @abstractmethod
    def _changes(self) -> int:
        """How much this transaction has written so far: what was read before it has grown stale."""

    def _visible(self, visibility: Visibility, limit: int, search: Callable[[int], list[S]]) -> list[S]:
        """The best visible results of a search.

        What it finds is checked against the gate, and a hidden memory never takes a visible one's place: more is
        fetched until enough are visible or nothing is left.
        """
        most = limit + limit // 4  # a few hidden ones are common, and a second search is dear
        while True:
            found = search(most)
            visible = self._shown(visibility, found[:limit])
            if len(visible) < limit:
                visible += self._shown(visibility, found[limit:])
            if len(visible) >= limit or len(found) < most:
                return visible[:limit]
            most *= 4

    def _best(self, query: str, values: dict[str, Any], limit: int, most: int) -> list[Ranked]:
        """The best results of a query with a limit; its namesake, slower, tells apart what is equally good."""
        read = most + limit
        found = [Ranked._make(row) for row in self._rows(query, {**values, "limit": read})]
        if len(found) == read and found[-1].score == found[most - 1].score:
            rows = self._rows(f"{query}_settled", {**values, "limit": most})
            return [Ranked._make(row) for row in rows]
        return self._settled(found, limit, most)

    def _settled(self, found: list[S], limit: int, most: int) -> list[S]:
        """The best of what was found; where a cut behind the limit parts equals, the newer come first, then by content.

        So which of them are kept never depends on which was stored first.
        """
        found.sort(key=lambda hit: -hit.score)
        behind = {hit.score for hit in found[limit - 1 : most]}
        equal = [hit for hit in found if hit.score in behind]
        if len(equal) > len(behind):
            rows = self._rows("settle", {"seqs": json.dumps([hit.seq for hit in equal])})
            places = {row[0]: place for place, row in enumerate(rows)}
            found.sort(key=lambda hit: (-hit.score, places.get(hit.seq, 0)))
        return found[:most]

    def _shown(self, visibility: Visibility, found: list[S]) -> list[S]:
        """What the gate lets through of a search, without what it only remembered."""
        seen = self._look_up(visibility, [hit.seq for hit in found])
        return [hit for hit in found if (candidate := seen[hit.seq]) is not None and hit.counts_for(candidate)]

    def candidates(self, visibility: Visibility, seqs: Sequence[int]) -> dict[int, Candidate]:
        seen = self._look_up(visibility, seqs)
        return {seq: candidate for seq in seqs if (candidate := seen.get(seq)) is not None}

    def _look_up(self, visibility: Visibility, seqs: Sequence[int]) -> dict[int, Candidate | None]:
        """What the gate lets through of some memories: each is read once in a recall, whoever asks for it."""
        seen = self._seen
        seen.keep_for(visibility, self._changes())
        unknown = [seq for seq in seqs if seq not in seen.candidates]
        if unknown:
            seen.candidates |= dict.fromkeys(unknown)
            values = {**self._gate(visibility), "seqs": json.dumps(unknown), "model_id": seen.model_id}
            seen.candidates |= {row[0]: Candidate._make(row) for row in self._rows("candidates", values)}
        return seen.candidates

    def neighbours(self, visibility: Visibility, places: Sequence[tuple[str, int]], reach: int) -> list[int]:
        if not places:
            return []
        values = {**self._gate(visibility), "places": json.dumps(places), "reach": reach}
        return [row[0] for row in self._rows("neighbours", values)]


def searched(frequencies: dict[str, int], size: int, passes: Callable[[str], bool]) -> list[str]:
    """The terms to search by: the rarest ones, within the budget; what nearly every memory holds finds nothing.

    `passes` says whether the engine can afford one more term.
    """
    chosen: list[str] = []
    spent = 0
    for term in sorted(frequencies, key=lambda term: (frequencies[term], term))[:_MOST_TERMS]:
        spent += frequencies[term]
        common = frequencies[term] > max(_COMMON * size, _FEW)
        if (not passes(term) or spent > POSTINGS or common) and chosen:
            break
        chosen.append(term)
    return chosen
