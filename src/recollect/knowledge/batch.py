"""Batches: drafts that are ready to be stored, and what those of one transaction share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from recollect.knowledge.people import Circle
from recollect.model.edge import Edge
from recollect.model.memory import Memory
from recollect.model.scope import Scope
from recollect.storage.interface import Vector


@dataclass(slots=True)
class Ready:
    """A draft that has passed every check that needs no store."""

    memory: Memory
    links: Sequence[Edge]
    updates: Sequence[Edge]
    terms: list[str]
    key: str | None
    reason: str | None
    vector: Vector | None = None
    content_key: bytes = b""
    about: Sequence[str] = ()
    read: bool = False
    again: bool = False


@dataclass(slots=True)
class Batch:
    """What the drafts of one transaction share."""

    keyed: dict[tuple[Scope, str], Memory] = field(default_factory=dict)
    said: dict[tuple[Scope, bytes], Memory] = field(default_factory=dict)
    known: frozenset[tuple[Scope, bytes]] = frozenset()
    ids: set[str] = field(default_factory=set)
    circle: Circle | None = None

    def remember(self, place: tuple[Scope, bytes], memory: Memory) -> None:
        """Notes what the batch says itself."""
        self.said[place] = memory
        self.ids.add(memory.memory_id)
