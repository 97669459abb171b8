"""SessionHandle: what an agent holds of a session, safe to share between tasks and threads; its calls are awaited."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, TypeVar

from recollect.conversations.sessions import Opened
from recollect.conversations.stores import Store, TranscriptEntry
from recollect.conversations.stores.values import WORKING_MEMORY
from recollect.errors import InvalidInput, SessionError, Unsupported
from recollect.knowledge import Receipt, masked, masked_value
from recollect.model.session import Session, Usage
from recollect.storage.interface import Storage

T = TypeVar("T")

ObservationKind = Literal["fact", "summary", "reflection"]
_PLAIN_NAME = re.compile(r"[^./\\\x00-\x1f][^/\\\x00-\x1f]{0,254}")


async def _in_thread(work: Callable[..., T], *values: Any) -> T:
    import asyncio  # noqa: PLC0415  slow to import, and only async code needs it

    return await asyncio.to_thread(work, *values)


@dataclass(frozen=True, slots=True)
class SessionFileInfo:
    """A file of a session."""

    name: str
    size_bytes: int
    modified: str


class SessionHandle:
    """One session. Each operation goes to the first of the session's stores that offers it."""

    def __init__(
        self,
        opened: Opened,
        storage: Storage,
        observe: Callable[[Session, str, ObservationKind], Receipt],
        add_usage: Callable[[str, str, int, int, float], None],
    ) -> None:
        self._opened = opened
        self._storage = storage
        self._observe = observe
        self._add_usage = add_usage

    @property
    def session(self) -> Session:
        """The session itself."""
        return self._opened.session

    @property
    def session_id(self) -> str:
        """Its id."""
        return self.session.session_id

    @property
    def folder(self) -> Path:
        """Where its files lie."""
        return self._opened.folder

    async def _call(self, operation: str, *values: Any) -> Any:
        return await _in_thread(self.call, operation, *values)

    def call(self, operation: str, *values: Any) -> Any:
        """An operation, without waiting for an event loop; secrets in what is written are masked."""
        return getattr(self._store(operation), operation)(*_without_secrets(operation, values))

    def _store(self, operation: str) -> Store:
        for store in self._opened.stores:
            if store.supports(operation):
                return store
        kinds = ", ".join(self.session.store_types)
        raise Unsupported(f"store '{kinds}' does not support {operation}", store=kinds, operation=operation)

    async def kv_get(self, key: str) -> str | None:
        """The value of a key, if it is set."""
        value: str | None = await self._call("kv_get", key)
        return value

    async def kv_set(self, key: str, value: str) -> None:
        """Sets a key, which is the newest then; beyond the cap the oldest goes."""
        await self._call("kv_set", key, value)

    async def kv_delete(self, key: str) -> bool:
        """Forgets a key; whether it was set."""
        was_set: bool = await self._call("kv_delete", key)
        return was_set

    async def kv_list(self) -> list[tuple[str, str, datetime]]:
        """All keys with their values and times, the oldest first."""
        entries: list[tuple[str, str, datetime]] = await self._call("kv_list")
        return entries

    async def transcript_append(self, role: str, content: str) -> None:
        """Adds an entry to the transcript."""
        await self._call("transcript_append", role, content)

    async def transcript_read_last(self, n: int) -> list[TranscriptEntry]:
        """The last entries of the transcript, the oldest of them first."""
        entries: list[TranscriptEntry] = await self._call("transcript_read_last", n)
        return entries

    async def working_memory_read(self) -> str:
        """What the agent has in mind; empty when nothing was written."""
        return await self.kv_get(WORKING_MEMORY) or ""

    async def working_memory_write(self, text: str) -> None:
        """Puts something else in the agent's mind."""
        await self.kv_set(WORKING_MEMORY, text)

    async def list_files(self) -> list[SessionFileInfo]:
        """The session's files, by name."""
        return await _in_thread(self._list_files)

    def _list_files(self) -> list[SessionFileInfo]:
        if not self.folder.is_dir():
            return []
        found = []
        for path in sorted(self.folder.iterdir()):
            if path.is_file() and not path.is_symlink() and not path.name.startswith("."):
                status = path.stat()
                modified = datetime.fromtimestamp(status.st_mtime, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
                found.append(SessionFileInfo(path.name, status.st_size, modified))
        return found

    async def read_file(self, name: str) -> bytes:
        """The content of one of the session's files."""
        return await _in_thread(self._read_file, name)

    def _read_file(self, name: str) -> bytes:
        path = self._confined(name)
        try:
            handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError as error:
            raise SessionError(f"no file {name}", code="session_file_not_found", name=name) from error
        with os.fdopen(handle, "rb") as file:
            return file.read()

    def _confined(self, name: str) -> Path:
        """A name inside the session's folder: no way leads out of it."""
        if not _PLAIN_NAME.fullmatch(str(name)):
            raise InvalidInput.of("invalid_file_name", "name", name, "the plain name of a file of this session")
        return self.folder / name

    async def observe(self, content: str, kind: ObservationKind = "fact") -> Receipt:
        """Keeps a fact, a summary or a reflection of this session as an `Observation`, found by recall."""
        if kind not in {"fact", "summary", "reflection"}:
            raise InvalidInput.of("invalid_input", "kind", kind, "fact, summary or reflection")
        return await _in_thread(self._observe, self.session, content, kind)

    async def add_usage(self, model: str, *, input_tokens: int, output_tokens: int, cost: float = 0.0) -> None:
        """Adds one request to what models were used for in this session."""
        values = (self.session_id, model, input_tokens, output_tokens, cost)
        await _in_thread(self._add_usage, *values)

    async def usage(self) -> list[Usage]:
        """Requests, tokens and cost of this session, by model."""
        return await _in_thread(self._storage.read, lambda reader: reader.usage(self.session_id))


def _without_secrets(operation: str, values: tuple[Any, ...]) -> tuple[Any, ...]:
    """What is written by an operation, with the secrets in it masked; a key may announce its value."""
    if not all(isinstance(value, str) for value in values):
        return values
    if operation == "kv_set" and len(values) == 2:  # noqa: PLR2004  a key and a value
        return values[0], masked_value({values[0]: values[1]})[values[0]]
    return (values[0], masked(values[1])) if operation == "transcript_append" else values
