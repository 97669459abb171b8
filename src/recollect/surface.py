"""The shapes of what the public calls take and give, beside the values of the model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TypedDict, overload

from recollect.knowledge import Link
from recollect.model.memory import Memory, MemoryType, Sensitivity
from recollect.model.scope import ScopeKind
from recollect.model.source import Source
from recollect.storage.knowledge import Damage


@dataclass(frozen=True, slots=True)
class Listing(Sequence[Memory]):
    """Memories in order, and the damaged rows that were withheld from among them."""

    memories: list[Memory]
    damaged: list[Damage] = field(default_factory=list)

    @overload
    def __getitem__(self, index: int) -> Memory: ...
    @overload
    def __getitem__(self, index: slice) -> list[Memory]: ...
    def __getitem__(self, index: int | slice) -> Memory | list[Memory]:
        return self.memories[index]

    def __len__(self) -> int:
        return len(self.memories)

    def __iter__(self) -> Iterator[Memory]:
        return iter(self.memories)


@dataclass(frozen=True, slots=True)
class Stats:
    """How much an orchestrator's memory holds; a server does not say how many bytes that takes."""

    orchestrator_id: str
    memories: int
    by_type: dict[str, int]
    by_status: dict[str, int]
    edges: int
    events: int
    vectors: int
    scopes: int
    waiting_vectors: int
    size_bytes: int | None


class MemoryFields(TypedDict, total=False):
    """What may be said of a memory beside its content."""

    type: MemoryType | str
    importance: int
    confidence: float
    summary: str
    sensitivity: Sensitivity | str
    source: Source
    scope: ScopeKind | str
    observed_at: datetime | str
    expires: datetime | timedelta | str
    valid_from: datetime | str
    valid_to: datetime | str
    links: Sequence[Link]
    supersedes: Sequence[str]
    about: Sequence[str]
    verbatim: bool
    key: str


class MemoryChanges(TypedDict, total=False):
    """What may be changed about a memory; the old value stays in its history."""

    content: str
    summary: str
    type: MemoryType | str
    importance: int
    confidence: float
    sensitivity: Sensitivity | str
    expires: datetime | timedelta | str | None
    valid_from: datetime | str | None
    valid_to: datetime | str | None
