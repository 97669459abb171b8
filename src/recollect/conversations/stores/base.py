"""Store: what a session's store may offer; what one does not offer says so by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import NoReturn

from recollect.config import Settings
from recollect.errors import Unsupported
from recollect.model.clock import Clock
from recollect.model.ids import IdFactory
from recollect.model.session import Role, Session
from recollect.storage.interface import Storage


@dataclass(frozen=True, slots=True)
class TranscriptEntry:
    """One entry of a transcript."""

    role: Role
    content: str
    timestamp: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class StorePlace:
    """What a store is made with: the session, its folder, and what the memory has to offer."""

    session: Session
    folder: Path
    storage: Storage
    settings: Settings
    clock: Clock
    ids: IdFactory


class Store:
    """A session's store. A new kind overrides what it offers; everything else answers 'unsupported'."""

    store_type = "store"
    keeps_files = False

    def create(self) -> None:
        """Makes what a new session needs."""

    def kv_get(self, key: str) -> str | None:
        """The value of a key, if it is set."""
        self._unsupported("kv_get", key)

    def kv_set(self, key: str, value: str) -> None:
        """Sets a key, which is the newest then."""
        self._unsupported("kv_set", key, value)

    def kv_delete(self, key: str) -> bool:
        """Forgets a key; whether it was set."""
        self._unsupported("kv_delete", key)

    def kv_list(self) -> list[tuple[str, str, datetime]]:
        """All keys with their values and times, the oldest first."""
        self._unsupported("kv_list")

    def transcript_append(self, role: str, content: str) -> None:
        """Adds an entry."""
        self._unsupported("transcript_append", role, content)

    def transcript_read_last(self, n: int) -> list[TranscriptEntry]:
        """The last entries, the oldest of them first."""
        self._unsupported("transcript_read_last", n)

    def redact(self, redacted: Callable[[str], str]) -> None:
        """Puts something else in the place of what was forgotten: `redacted` says what a text becomes."""

    def _unsupported(self, operation: str, *_values: object) -> NoReturn:
        raise Unsupported(
            f"store '{self.store_type}' does not support {operation}", store=self.store_type, operation=operation
        )

    def supports(self, operation: str) -> bool:
        """Whether this kind of store offers an operation."""
        return getattr(type(self), operation) is not getattr(Store, operation)
