"""What a storage engine offers for knowledge: people, claims, forgetting, learning and upkeep."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from recollect.model.claim import Claim, Claimed
from recollect.model.event import Event, EventKind
from recollect.model.memory import Memory
from recollect.model.person import Person
from recollect.model.scope import Scope, Visibility
from recollect.model.session import Message, Session
from recollect.model.source import Source


@dataclass(frozen=True, slots=True)
class Damage:
    """A stored row that can no longer be trusted: named and withheld."""

    memory_id: str
    message: str


class KnowledgeReader(Protocol):
    """What is known about people, and what memories claim."""

    def people(self, scope: Scope) -> list[Person]:
        """Everybody that a user or a chat speaks of, merged ones too, in the order of their making."""
        ...

    def subjects(self, memory_ids: Iterable[str]) -> dict[str, list[Person]]:
        """Who some memories are about; merged people as the one they are."""
        ...

    def about(self, visibility: Visibility, person_ids: Iterable[str], limit: int) -> list[int]:
        """Visible memories about any of some people, newest first."""
        ...

    def changes(
        self,
        visibility: Visibility,
        after: int,
        since: int,
        until: int,
        limit: int,
        kinds: Sequence[EventKind] | None = None,
    ) -> list[Event]:
        """What happened to visible memories after an event and in a period, the last first."""
        ...

    def acted(self, actor: str, after: int) -> bool:
        """Whether somebody has done something since an event."""
        ...

    def newest_event(self) -> int:
        """The sequence of the newest event of all."""
        ...

    def learned(self, visibility: Visibility, since: int) -> list[tuple[int, str, str, int]]:
        """How many visible memories were made on each day, by type and kind of source; days count from 1970."""
        ...

    def claims(
        self, scope: Scope, subject: str, attribute: str, now: int, limit: int, *, negated: bool | None = None
    ) -> list[Claimed]:
        """What memories that count claim of one attribute of one subject, newest first; `negated` asks for one sort."""
        ...

    def latest_claims(self, scope: Scope, now: int, limit: int) -> list[Claimed]:
        """What the newest memories of a scope claim, newest first."""
        ...

    def claims_of(self, memory_id: str) -> list[Claimed]:
        """What one memory claims and was not replaced."""
        ...

    def twin(self, scope: Scope, content_key: bytes, now: int) -> Memory | None:
        """A memory in the same scope that says the same and counts."""
        ...

    def known_keys(self, keys: Sequence[tuple[Scope, bytes]]) -> frozenset[tuple[Scope, bytes]]:
        """Those digests in scopes that some memory has, or that are of something forgotten."""
        ...

    def is_forgotten(self, scope: Scope, content_key: bytes) -> bool:
        """Whether something with this digest was forgotten for good."""
        ...

    def not_understood(self, limit: int) -> list[Memory]:
        """Memories from before they were understood."""
        ...

    def expired(self, now: int, limit: int) -> list[Memory]:
        """Memories whose time is over and that still count."""
        ...

    def superseded(self, before: int, limit: int) -> list[Memory]:
        """Memories that were superseded before a time."""
        ...

    def count_active(self, scope: Scope, now: int) -> int:
        """How many memories count in a scope."""
        ...

    def least_valuable(self, scope: Scope, now: int, limit: int) -> list[Memory]:
        """The memories of a scope that are least worth keeping, the least first; never pinned ones."""
        ...

    def scopes(self) -> list[Scope]:
        """Every scope that was ever written to; for upkeep only."""
        ...

    def every_memory(self, after: int, limit: int) -> tuple[list[Memory], list[Damage], int | None]:
        """Memories of everybody behind a number, damaged ones apart, and where to go on; for upkeep only."""
        ...

    def any_memory(self, memory_id: str) -> Memory | None:
        """A memory, whoever may see it; for upkeep only."""
        ...

    def content_key_of(self, memory_id: str) -> bytes | None:
        """The digest of what a memory says, if it was understood."""
        ...

    def memories_of_person(self, person_id: str) -> list[str]:
        """The memories about a person, whoever may see them."""
        ...

    def memories_in(self, scope: Scope, limit: int) -> list[str]:
        """The memories of a scope, of every kind and status."""
        ...

    def person_events(self, person_id: str) -> list[Event]:
        """What happened to a person, oldest first."""
        ...

    def messages_of(
        self, user: str | None, chat: str | None, after: tuple[str, int], limit: int, *, everybody: bool
    ) -> list[Message]:
        """Messages in the sessions of a user or in a chat (or of everybody), behind a session and position."""
        ...

    def messages_after(self, session_id: str, position: int, limit: int) -> list[Message]:
        """What was said in a session behind a position, in order."""
        ...

    def message_ids_of(self, memory_id: str) -> list[str]:
        """The messages that a memory has as sources."""
        ...

    def sessions_of_user(self, user: str) -> list[Session]:
        """Every session of a user."""
        ...

    def extraction(self, session_id: str) -> tuple[int, int, int | None] | None:
        """How far a session was learned from: position, failed attempts, when to go on."""
        ...

    def due_extractions(self, now: int, limit: int) -> list[str]:
        """Sessions that are to be learned from now."""
        ...

    def next_extraction(self) -> int | None:
        """When the next session is to be learned from."""
        ...


class KnowledgeWriter(Protocol):
    """Changes to what is known about people, and to what memories claim."""

    def put_person(self, scope: Scope, person: Person) -> None:
        """A person, new or changed."""
        ...

    def erase_person(self, person_id: str) -> None:
        """Removes a person and what its events told."""
        ...

    def add_subjects(self, memory_id: str, person_ids: Iterable[str]) -> None:
        """Notes who a memory is about."""
        ...

    def drop_subject(self, memory_id: str, person_id: str) -> None:
        """A memory is not about this person."""
        ...

    def set_claims(self, memory: Memory, claims: Sequence[Claim], stated_by: str, *, new: bool) -> None:
        """What a memory claims; of one that is not new, instead of what it claimed before."""
        ...

    def retire_claim(self, memory_id: str, claim: Claim) -> None:
        """One claim was replaced, of a memory that says more and stays."""
        ...

    def set_key(self, memory_id: str, key: str) -> None:
        """The key of a write that was merged into a memory without one."""
        ...

    def move_claims(self, memory_id: str, subject: str, target: str) -> None:
        """What a memory claims of one subject it claims of another."""
        ...

    def set_content_key(self, memory_id: str, content_key: bytes | None) -> None:
        """The digest of what a memory says."""
        ...

    def add_source(self, memory_id: str, source: Source) -> None:
        """Another source that says what a memory says."""
        ...

    def note_forgotten(self, scope: Scope, content_keys: Iterable[bytes], now: int) -> None:
        """What has these digests is not to be learned again."""
        ...

    def drop_forgotten(self, scope: Scope, content_key: bytes) -> None:
        """What has this digest may be learned again."""
        ...

    def erase_memories(self, memory_ids: Sequence[str]) -> None:
        """Removes memories with everything that belongs to them, and what their events told."""
        ...

    def blank_events(self, memory_id: str) -> None:
        """Removes what the events of a memory told."""
        ...

    def redact_message(self, message_id: str, content: str) -> None:
        """Puts another content in the place of what was said, which is searched no longer."""
        ...

    def drop_profiles(self, user: str) -> None:
        """Removes what is noted of a user."""
        ...

    def put_extraction(self, session_id: str, position: int, attempts: int, due_at: int | None) -> None:
        """How far a session was learned from, and when to go on."""
        ...
