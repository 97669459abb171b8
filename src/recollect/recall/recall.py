"""Recall: candidates inside the visibility gate, fused, explained, cited."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from recollect.model.clock import Clock
from recollect.model.edge import Edge
from recollect.model.memory import Memory
from recollect.model.scope import Speaker, gate
from recollect.model.terms import terms
from recollect.recall.fuse import fuse
from recollect.storage.interface import Reader, Storage

_TEXT_CANDIDATES = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One result: what was found, how strongly, and why."""

    memory: Memory
    score: float
    why: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall:
    """What was recalled for a query, how it was obtained, and what was left out."""

    query: str
    mode: str
    hits: list[Hit]
    edges: list[Edge] = field(default_factory=list)
    omitted: dict[str, int] = field(default_factory=dict)


class Recaller:
    """Answers queries from one store."""

    def __init__(self, storage: Storage, clock: Clock, rrf_k: int, withheld: Callable[[Memory], bool]) -> None:
        self._storage = storage
        self._clock = clock
        self._rrf_k = rrf_k
        self._withheld = withheld

    def recall(self, query: str, speaker: Speaker, top_n: int) -> Recall:
        """The memories that match a query best."""
        visibility = gate(self._storage.orchestrator_id, speaker, self._clock.now())
        wanted = terms(query)

        def search(reader: Reader) -> Recall:
            arms = {"text": [match.seq for match in reader.match_terms(visibility, wanted, _TEXT_CANDIDATES)]}
            fused = fuse(arms, k=self._rrf_k)
            found, damaged = reader.by_seq(visibility, list(fused))
            memories = {seq: memory for seq, memory in found.items() if not self._withheld(memory)}
            ranked = sorted(
                (seq for seq in fused if seq in memories),
                key=lambda seq: (-fused[seq].score, memories[seq].memory_id),
            )
            hits = [
                Hit(memory=memories[seq], score=fused[seq].score, why={"ranks": fused[seq].ranks})
                for seq in ranked[:top_n]
            ]
            omitted = {
                "belowTopN": max(0, len(ranked) - top_n),
                "damaged": len(damaged),
                "sourceDenied": len(found) - len(memories),
            }
            edges = reader.edges(visibility, [hit.memory.memory_id for hit in hits])
            return Recall(query=query, mode="text-only", hits=hits, edges=edges, omitted=omitted)

        return self._storage.read(search)
