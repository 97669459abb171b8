"""What a storage engine offers. Everything above this line is the same for SQLite and PostgreSQL.

Work is handed in as a function of a `Reader` or `Writer`: the engine runs it in one transaction and may run it
again after a conflict, so it must do nothing but read, decide and write through its argument.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, Protocol, TypeVar

from recollect.model.edge import Edge
from recollect.model.event import Event
from recollect.model.memory import Memory
from recollect.model.scope import Scope, Visibility
from recollect.model.session import Message, Session, Usage, UserProfile
from recollect.storage.artifacts import ArtifactReader, ArtifactWriter
from recollect.storage.ingestion import IngestionReader, IngestionWriter
from recollect.storage.knowledge import Damage, KnowledgeReader, KnowledgeWriter
from recollect.storage.relational.rows import Row
from recollect.storage.relational.transfer import Table
from recollect.storage.tokens import TokenReader, TokenWriter

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Found:
    """Memories that were read, and rows that were withheld because they are damaged."""

    memories: list[Memory]
    damaged: list[Damage] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Vector:
    """The embedding of one text: little-endian float32, and the model that made it."""

    model: str
    dimension: int
    data: bytes


class Candidate(NamedTuple):
    """What ranking needs to know of a memory before it is read whole: a row as it was read, since there are many.

    `terms` is what it is found by, with blanks between; `observed` counts microseconds since 1970.
    """

    seq: int
    terms: str
    conversation: str | None
    position: int | None
    speaker: str | None
    observed: int
    asks: bool
    importance: int
    confidence: float
    entry: int | None


class Ranked(NamedTuple):
    """One candidate of a search: the store's number for a memory, and the engine's score (greater is better)."""

    seq: int
    score: float

    def counts_for(self, candidate: Candidate) -> bool:  # noqa: ARG002  a match in the store itself is never stale
        """Whether this still tells something about a candidate as it is stored now."""
        return True


@dataclass(frozen=True, slots=True)
class Matches:
    """The best full-text matches, and what is known of the query's terms.

    `frequencies` says how many memories hold each term, `size` how many there are; `skipped` terms were too common
    to search by and only help to rank.
    """

    ranked: list[Ranked]
    frequencies: dict[str, int]
    size: int
    skipped: int = 0


@dataclass(frozen=True, slots=True)
class PendingVector:
    """A memory whose vector has still to be made."""

    seq: int
    attempts: int
    content: str
    speaker: str | None
    digest: bytes


@dataclass(frozen=True, slots=True)
class NewMemory:
    """A memory to be stored, with what it is found by; `key` lets a repeated write be recognised."""

    memory: Memory
    terms: Sequence[str]
    vector: Vector | None = None
    key: str | None = None
    awaits_vector: bool = False
    content_key: bytes | None = None


@dataclass(frozen=True, slots=True)
class Counts:
    """How much an orchestrator's store holds."""

    memories: dict[str, dict[str, int]]
    edges: int
    events: int
    vectors: int
    scopes: int


class Reader(KnowledgeReader, ArtifactReader, IngestionReader, TokenReader, Protocol):
    """A consistent view of one orchestrator's store."""

    def memory(self, visibility: Visibility, memory_id: str) -> Memory | None:
        """One memory, if it is there and visible; raises `DamagedMemory` when its row is damaged."""
        ...

    def exists(self, memory_id: str) -> bool:
        """Whether an id is there at all; for recording denials only."""
        ...

    def memories(self, visibility: Visibility, *, limit: int, offset: int) -> Found:
        """Visible memories, newest first."""
        ...

    def by_seq(self, visibility: Visibility, seqs: Sequence[int]) -> tuple[dict[int, Memory], list[Damage]]:
        """Visible memories by the store's numbers."""
        ...

    def match_terms(self, visibility: Visibility, terms: Sequence[str], limit: int) -> Matches:
        """The best full-text matches for any of some terms."""
        ...

    def nearest(self, visibility: Visibility, vector: Vector, limit: int) -> list[Ranked]:
        """The memories nearest to a vector of the same model, by cosine similarity."""
        ...

    def candidates(self, visibility: Visibility, seqs: Sequence[int]) -> dict[int, Candidate]:
        """What ranking needs to know of some memories."""
        ...

    def neighbours(self, visibility: Visibility, places: Sequence[tuple[str, int]], reach: int) -> list[int]:
        """The memories around some places in conversations (the places themselves included)."""
        ...

    def similarities(self, visibility: Visibility, vector: Vector, seqs: Sequence[int]) -> dict[int, float]:
        """How similar some memories are to a vector of the same model."""
        ...

    def active_model(self) -> str | None:
        """The model whose vectors recall uses."""
        ...

    def queue_length(self) -> int:
        """How many memories wait for a vector."""
        ...

    def edges(self, visibility: Visibility, memory_ids: Iterable[str]) -> list[Edge]:
        """Edges that touch any of these memories and whose both ends are visible."""
        ...

    def events(self, memory_id: str) -> list[Event]:
        """What happened to one memory, oldest first."""
        ...

    def counts(self) -> Counts:
        """How much the store holds."""
        ...

    def session(self, session_id: str) -> Session | None:
        """One session."""
        ...

    def session_at(self, place: str) -> Session | None:
        """The session that is found by who speaks where."""
        ...

    def sessions(self, agent_id: str | None, limit: int) -> list[Session]:
        """Sessions of one agent or of all, the one last used first."""
        ...

    def expired_sessions(self, now: int, limit: int) -> list[Session]:
        """Sessions whose time is over."""
        ...

    def messages(self, session_id: str, limit: int, before: int | None = None) -> list[Message]:
        """The last messages of a session (before a position), in order."""
        ...

    def message(self, message_id: str) -> Message | None:
        """One message."""
        ...

    def session_value(self, session_id: str, key: str) -> str | None:
        """A session's value for a key."""
        ...

    def session_values(self, session_id: str) -> list[tuple[str, str, int]]:
        """All of a session's keys and values with the time of writing, the oldest first."""
        ...

    def usage(self, session_id: str) -> list[Usage]:
        """What models were used for in a session."""
        ...

    def profile(self, user_id: str, provider: str) -> UserProfile | None:
        """What is noted of a user."""
        ...

    def meta(self, key: str) -> str | None:
        """A value that the store keeps about itself."""
        ...

    def dump(self, table: Table, after: Row | None, limit: int) -> list[Row]:
        """Rows of a table in the order of its key, behind a key."""
        ...


class Writer(Reader, KnowledgeWriter, ArtifactWriter, IngestionWriter, TokenWriter, Protocol):
    """One transaction: all of it happens, or none."""

    def add_memories(self, memories: Sequence[NewMemory]) -> None:
        """Memories with their sources, their rows in the text index and, where there are any, their vectors."""
        ...

    def replace_memory(
        self, memory: Memory, terms: Sequence[str] | None = None, *, awaits_vector: bool = False
    ) -> None:
        """New values for a stored memory; with terms its text has changed: index it anew and drop its vectors."""
        ...

    def memory_by_key(self, scope: Scope, key: str) -> Memory | None:
        """What an earlier write with this idempotency key made."""
        ...

    def add_edge(self, edge: Edge) -> None:
        """An edge between two stored memories."""
        ...

    def reaches(self, start: str, goal: str, edge_type: str) -> bool:
        """Whether edges of one type lead from one memory to another."""
        ...

    def add_events(self, events: Iterable[Event]) -> None:
        """Lines of the append-only record."""
        ...

    def due_vectors(self, now: int, limit: int) -> list[PendingVector]:
        """Memories that wait for a vector and may be tried now."""
        ...

    def missing_vectors(self, model: str, after: int, limit: int) -> list[PendingVector]:
        """Memories without a vector of a model, in order, after a number."""
        ...

    def count_missing(self, model: str) -> int:
        """How many memories have no vector of a model."""
        ...

    def store_vectors(self, vectors: Sequence[tuple[PendingVector, Vector]]) -> None:
        """Vectors of memories, which then wait no longer; not of those that have changed in the meantime."""
        ...

    def postpone_vectors(self, seqs: Sequence[int], due_at: int) -> None:
        """Tries these again at a later time."""
        ...

    def activate_model(self, model: str) -> None:
        """From now on recall uses this model's vectors; those of others are dropped."""
        ...

    def add_session(self, session: Session, place: str | None) -> None:
        """A new session; `place` is what it is found by."""
        ...

    def drop_session(self, session_id: str) -> None:
        """Removes a session with its messages and values."""
        ...

    def drop_usage(self, session_id: str) -> None:
        """Removes what is known of the use of models in a session."""
        ...

    def last_position(self, session_id: str) -> int:
        """The position of a session's last message; -1 if there is none."""
        ...

    def add_messages(self, messages: Sequence[Message]) -> None:
        """New messages of a session."""
        ...

    def drop_messages(self, messages: Sequence[Message]) -> None:
        """Removes messages, and what they are searched by."""
        ...

    def set_session_value(self, session_id: str, key: str, value: str, now: int) -> None:
        """A session's value for a key, which is its newest from now on."""
        ...

    def drop_session_value(self, session_id: str, key: str) -> None:
        """Forgets a key."""
        ...

    def add_usage(self, session_id: str, usage: Usage) -> None:
        """Adds to what a model was used for."""
        ...

    def put_profile(self, profile: UserProfile) -> None:
        """What is noted of a user."""
        ...

    def set_meta(self, key: str, value: str) -> None:
        """Keeps a value about the store itself."""
        ...

    def load(self, table: Table, rows: Sequence[Row]) -> None:
        """Puts rows of another store into this one, as they are."""
        ...

    def loaded(self) -> None:
        """Goes on numbering behind what was loaded."""
        ...

    def attempt(self, work: Callable[[], T]) -> T:
        """Runs a part of the transaction that may fail alone: what it raises undoes only that part."""
        ...


class Storage(Protocol):
    """One orchestrator's store. Safe to share between threads."""

    @property
    def orchestrator_id(self) -> str:
        """Whose store this is."""
        ...

    def read(self, work: Callable[[Reader], T]) -> T:
        """Runs work on a consistent view."""
        ...

    def write(self, work: Callable[[Writer], T]) -> T:
        """Runs work in a transaction; when this returns, what it wrote is durable."""
        ...

    def tune(self) -> list[str]:
        """Makes what searching needs at the size the store has come to; the names of what was made."""
        ...

    def scrub(self, needles: Sequence[bytes]) -> bool:
        """Overwrites what was erased but only freed; `needles` are bytes that must not be found any more.

        False if others who are reading do not let it: then it has to be tried again.
        """
        ...

    def residue(self, needles: Sequence[bytes]) -> list[str]:
        """The places of the store in which any of some bytes can still be found."""
        ...

    def backup(self, path: Path) -> None:
        """A consistent copy in a file, made while the store is used; refused where there is no file to copy."""
        ...

    def erase(self) -> None:
        """Removes everything of this orchestrator and lets the store go."""
        ...

    def close(self) -> None:
        """Waits for running work and lets the store go."""
        ...
