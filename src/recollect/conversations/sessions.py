"""Sessions: made, found, listed, expired and removed. A session belongs to one agent."""

from __future__ import annotations

import hashlib
import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from recollect.config import Settings
from recollect.conversations.files import sync_folder, unavailable
from recollect.conversations.index import SessionIndex
from recollect.conversations.stores import BASIC, DATABASE, Store, StorePlace, Stores
from recollect.errors import DamagedSession, InvalidInput, SessionError
from recollect.log import MemoryLog
from recollect.model.clock import Clock, to_micros
from recollect.model.ids import IdFactory, check_opaque_id, check_uuid
from recollect.model.scope import Speaker
from recollect.model.session import Session
from recollect.storage.interface import Storage, Writer
from recollect.storage.layout import Layout

_MOST = 1_000_000
_ORPHANED_AFTER = 3600.0
_MAKING = ".making-"
_LONGEST = timedelta(days=36_500)


@dataclass(frozen=True, slots=True)
class Opened:
    """A session with its stores, in their order, and its own folder."""

    session: Session
    stores: tuple[Store, ...]
    folder: Path


class Sessions:
    """The sessions of one orchestrator: all are in the database, those with files are listed in sessions.json, too."""

    def __init__(
        self,
        storage: Storage,
        layout: Layout,
        settings: Settings,
        clock: Clock,
        ids: IdFactory,
        log: MemoryLog,
        on_removal: Callable[[str], object] = lambda _: None,
    ) -> None:
        """`on_removal` is told of every session that is removed, before it is: what else belongs to it goes, too."""
        self._on_removal = on_removal
        self.stores = Stores()
        self._storage = storage
        self._layout = layout
        self._settings = settings
        self._clock = clock
        self._ids = ids
        self._log = log
        self._index = SessionIndex(layout.session_index)

    def create(
        self,
        store_types: Sequence[str] | None,
        agent_id: str,
        *,
        user: str | None = None,
        chat: str | None = None,
        provider: str = "local",
        ttl: timedelta | None = None,
    ) -> Opened:
        """A new session; nothing of it is left when anything about it is refused."""
        kinds = self.stores.check(self._store_types(store_types, agent_id))
        session = self._new(kinds, agent_id, provider, chat, user, ttl)
        in_files = any(store.keeps_files for store in self._opened(session).stores)
        if in_files:
            self._make_folder(session)
        else:
            for store in self._opened(session).stores:
                store.create()
        self._storage.write(lambda writer: writer.add_session(session, None))
        if in_files:
            self._index.add(session)
            # Last: a folder by this name belongs to a session that is listed, and is never cleaned up as a left-over.
            self._finish_folder(session.session_id)
        return self._opened(session)

    def _new(
        self,
        store_types: tuple[str, ...],
        agent_id: str,
        provider: str,
        chat: str | None,
        user: str | None,
        ttl: timedelta | None = None,
    ) -> Session:
        now = self._clock.now()
        return Session(
            session_id=self._ids.new(),
            agent_id=check_opaque_id(agent_id, "agentId"),
            store_types=store_types,
            created_at=now,
            updated_at=now,
            provider=check_opaque_id(provider, "provider"),
            chat_id=None if chat is None else check_opaque_id(chat, "chat"),
            user_id=None if user is None else check_opaque_id(user, "user"),
            expires_at=None if ttl is None else now + _checked_ttl(ttl),
        )

    def _store_types(self, given: Sequence[str] | None, agent_id: str) -> Sequence[str]:
        if given is not None:
            return given
        agent = self._settings.agents.get(agent_id)
        return (BASIC,) if agent is None else agent.memory

    def _make_folder(self, session: Session) -> None:
        """Everything a new session needs, under a name that says that it is not one yet."""
        opened = self._opened(session, folder=self._layout.sessions / f"{_MAKING}{session.session_id}")
        try:
            opened.folder.mkdir(mode=0o700, parents=True)
            for store in opened.stores:
                store.create()
            sync_folder(opened.folder)
        except OSError as error:
            raise unavailable(error, opened.folder) from error

    def _finish_folder(self, session_id: str) -> None:
        """Gives a session's folder its name; also after a crash just before that."""
        made, folder = self._layout.sessions / f"{_MAKING}{session_id}", self._layout.sessions / session_id
        try:
            if made.is_dir() and not folder.exists():
                made.rename(folder)
                sync_folder(folder.parent)
        except OSError as error:
            raise unavailable(error, folder) from error

    def find_or_create(self, agent_id: str, provider: str, chat: str | None, user: str | None) -> Session:
        """The session of an agent with a user in a chat; two that ask at once get the same."""
        place = hashlib.sha256(repr((agent_id, provider, chat, user)).encode("utf-8", "surrogatepass")).hexdigest()
        found = self._storage.read(lambda reader: reader.session_at(place))
        if found is None:
            session = self._new((DATABASE,), agent_id, provider, chat, user)

            def add(writer: Any) -> Session:
                earlier: Session | None = writer.session_at(place)
                if earlier is None:
                    writer.add_session(session, place)
                return earlier or session

            found = self._storage.write(add)
        return found

    def get(self, session_id: str) -> Session | None:
        """A session by its id, wherever it is kept."""
        check_uuid(session_id, "sessionId")
        found = self._storage.read(lambda reader: reader.session(session_id)) or self._index.get(session_id)
        return None if found is None or self._is_over(found) else found

    def load(self, session_id: str, agent_id: str) -> Opened:
        """Opens a session again; another agent's is refused, and that is logged."""
        check_opaque_id(agent_id, "agentId")
        session = self.get(session_id)
        if session is None:
            raise SessionError(f"no session {session_id}", sessionId=session_id)
        if session.agent_id != agent_id:
            self._log.write("memory.session_denied", level="warning", sessionId=session_id, agentId=agent_id)
            raise SessionError(
                f"session {session_id} belongs to another agent than {agent_id}",
                code="session_denied",
                sessionId=session_id,
            )
        opened = self._opened(session)
        if any(store.keeps_files for store in opened.stores):
            self._finish_folder(session_id)
            if opened.folder.is_symlink() or not opened.folder.is_dir():
                raise DamagedSession(f"the folder of session {session_id} is gone, or is none", sessionId=session_id)
        return opened

    def _is_over(self, session: Session) -> bool:
        return session.expires_at is not None and session.expires_at <= self._clock.now()

    def _opened(self, session: Session, folder: Path | None = None) -> Opened:
        place = StorePlace(
            session=session,
            folder=folder or self._layout.sessions / session.session_id,
            storage=self._storage,
            settings=self._settings,
            clock=self._clock,
            ids=self._ids,
        )
        stores = tuple(self.stores.factory(store_type)(place) for store_type in session.store_types)
        return Opened(session, stores, place.folder)

    def list(self, agent_id: str | None = None, limit: int = _MOST) -> list[Session]:
        """Sessions of an agent or of all, the newest first; those whose time is over are left out."""
        rows = self._storage.read(lambda reader: reader.sessions(agent_id, limit))
        files = [each for each in self._index.all() if agent_id in {None, each.agent_id}]
        both = {each.session_id: each for each in [*files, *rows]}  # a session with files is in both
        living = [each for each in both.values() if not self._is_over(each)]
        return sorted(living, key=lambda each: (each.updated_at, each.session_id), reverse=True)[:limit]

    def delete(self, session_id: str, agent_id: str) -> None:
        """Removes a session with everything that was said in it; what was learned from it stays."""
        self._remove([self.load(session_id, agent_id).session])

    def _remove(self, sessions: Sequence[Session]) -> None:
        for session in sessions:
            self._on_removal(session.session_id)
            self._storage.write(lambda writer, gone=session.session_id: _drop(writer, gone))  # type: ignore[misc]
        self._index.remove({session.session_id for session in sessions})
        for session in sessions:
            self._remove_folder(self._layout.sessions / session.session_id)

    def clean_up(self) -> int:
        """Removes sessions whose time is over, and what a crash left of ones that never came to be; how many."""
        now = to_micros(self._clock.now())
        over = {
            each.session_id: each for each in self._storage.read(lambda reader: reader.expired_sessions(now, _MOST))
        }
        over |= {each.session_id: each for each in self._index.all() if self._is_over(each)}
        self._remove(list(over.values()))
        listed = {each.session_id for each in self._index.all()}
        left = 0
        for folder in self._layout.sessions.glob(f"{_MAKING}*"):
            if folder.name.removeprefix(_MAKING) not in listed and _is_old(folder):
                self._remove_folder(folder)
                left += 1
        return len(over) + left

    def delete_all_of(self, user: str) -> int:
        """Removes every session of a user with all that was said in it; how many."""
        rows = self._storage.read(lambda reader: reader.sessions_of_user(user))
        own = {each.session_id: each for each in [*rows, *(e for e in self._index.all() if e.user_id == user)]}
        self._remove(list(own.values()))
        return len(own)

    def redact(self, speaker: Speaker | None, redacted: Callable[[str], str]) -> None:
        """Takes what was forgotten out of the stores of a speaker's sessions, or of everybody's."""
        for session in self.list():
            own = (
                speaker is None
                or speaker.user == session.user_id
                or (speaker.chat is not None and speaker.chat == session.chat_id)
            )
            if own:
                for store in self._opened(session).stores:
                    try:
                        store.redact(redacted)
                    except DamagedSession as error:
                        self._log.write("memory.forget.session_damaged", level="error", detail=error.message)

    @staticmethod
    def _remove_folder(folder: Path) -> None:
        if folder.is_symlink():
            folder.unlink()
        elif folder.exists():
            shutil.rmtree(folder, ignore_errors=True)


def _drop(writer: Writer, session_id: str) -> None:
    writer.drop_session(session_id)
    writer.drop_usage(session_id)


def _is_old(folder: Path) -> bool:
    return time.time() - folder.lstat().st_mtime > _ORPHANED_AFTER


def _checked_ttl(ttl: Any) -> timedelta:
    if not isinstance(ttl, timedelta) or not timedelta(0) < ttl <= _LONGEST:
        raise InvalidInput.of("invalid_expiry", "ttl", ttl, "a duration in the future")
    return ttl
