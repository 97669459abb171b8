"""The part of a memory that is about conversations: sessions, messages, documents, profiles, summaries."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from recollect.config import Settings
from recollect.conversations import (
    Messages,
    Profiles,
    SessionHandle,
    Sessions,
    chunks,
    key_sentences,
)
from recollect.conversations.documents import store_document
from recollect.conversations.messages import Said, said
from recollect.conversations.stores.registry import Factory
from recollect.conversations.stores.values import check_count
from recollect.errors import InvalidInput, SessionError
from recollect.knowledge import Draft, Link, Receipt, Remember, masked
from recollect.log import MemoryLog
from recollect.model.check import Checker
from recollect.model.clock import Clock, parse_time
from recollect.model.edge import EdgeType
from recollect.model.ids import IdFactory, check_opaque_id, check_uuid
from recollect.model.memory import Memory, MemoryType
from recollect.model.scope import Speaker, gate
from recollect.model.session import Message, Session, Usage, UserProfile
from recollect.model.source import CapturedBy, Source, SourceType, Trust
from recollect.storage.interface import Storage
from recollect.storage.layout import Layout
from recollect.turns import TurnMemory
from recollect.upkeep import Learning

_ABOUT_A_USER = (MemoryType.IDENTITY, MemoryType.PREFERENCE)
_LEARNED = 200
_MOST = 100_000
_MOST_TOKENS = 2**40
_IMPORTANCE = {"fact": 50, "summary": 45, "reflection": 40}


class Conversing:
    """What a `MemorySystem` does with conversations."""

    settings: Settings
    _learning: Learning
    _turns: TurnMemory

    def _converse(
        self, storage: Storage, layout: Layout, clock: Clock, ids: IdFactory, log: MemoryLog, remember: Remember
    ) -> None:
        self.__storage = storage
        self.__clock = clock
        self.__remember = remember
        self._sessions = Sessions(storage, layout, self.settings, clock, ids, log, self._forget_turns)
        memory = self.settings.memory
        learn_after = memory.extraction_debounce_seconds if memory.extraction_enabled else None
        self._messages = Messages(storage, clock, ids, remember, learn_after)
        self._profiles = Profiles(storage, clock, self._learned)

    def _forget_turns(self, session_id: str) -> None:
        """The turns of a session go with it."""
        self._turns.forget_conversation(session_id)

    def _heard(self) -> None:
        """Something was said: it will be learned from when it has been quiet for a while."""
        if self.settings.memory.extraction_enabled:
            self._learning.start()

    # Sessions

    def register_store(self, store_type: str, factory: Factory) -> None:
        """Adds a kind of session store; installed packages add theirs by the entry point group `recollect.stores`."""
        self._sessions.stores.register(store_type, factory)

    def create_session(
        self,
        store_types: Sequence[str] | None = None,
        agent_id: str = "chat",
        *,
        user: str | None = None,
        chat: str | None = None,
        provider: str = "local",
        ttl: timedelta | None = None,
    ) -> SessionHandle:
        """A new session of an agent; without store types those of `agents.<id>.memory`, or `basic_session`."""
        opened = self._sessions.create(store_types, agent_id, user=user, chat=chat, provider=provider, ttl=ttl)
        return SessionHandle(opened, self.__storage, self._observe, self.add_usage)

    def load_session(self, session_id: str, agent_id: str = "chat") -> SessionHandle:
        """A session that was made before, by the same agent."""
        return SessionHandle(self._sessions.load(session_id, agent_id), self.__storage, self._observe, self.add_usage)

    def sessions(self, agent_id: str | None = None, *, limit: int = 1000) -> list[Session]:
        """Sessions, the one used last first."""
        check_count(limit)
        if agent_id is not None:
            check_opaque_id(agent_id, "agentId")
        return self._sessions.list(agent_id, limit)

    def delete_session(self, session_id: str, agent_id: str = "chat") -> None:
        """Removes a session and what was said in it; what was learned from it stays."""
        self._sessions.delete(session_id, agent_id)

    def clean_up_sessions(self) -> int:
        """Removes sessions whose time is over; how many."""
        return self._sessions.clean_up()

    def session_of(
        self, agent_id: str = "chat", *, provider: str = "local", chat: str | None = None, user: str | None = None
    ) -> Session:
        """The session of an agent with a user in a chat, made when there is none; kept in the database."""
        return self._sessions.find_or_create(agent_id, provider, chat, user)

    def session(self, session_id: str) -> Session | None:
        """A session by its id."""
        return self._sessions.get(session_id)

    def _observe(self, session: Session, content: str, kind: str) -> Receipt:
        own = session.user_id or (None if session.chat_id else f"agent:{session.agent_id}")
        speaker = Speaker(user=own, chat=session.chat_id)
        source = Source(
            source_type=SourceType.CHANNEL_TRANSCRIPT,
            captured_by=CapturedBy.SYSTEM,
            conversation_id=session.session_id,
            message_id=session.session_id,
        )
        draft = Draft(
            content=content,
            type=MemoryType.OBSERVATION,
            importance=_IMPORTANCE[kind],
            source=source,
            expires="never",
            verbatim=kind != "fact",
        )
        return self.__remember.one(draft, speaker)

    # Messages

    def add_message(
        self,
        session_id: str,
        role: str,
        content: str,
        metadata: dict[str, Any] | None = None,
        *,
        said_at: datetime | str | None = None,
    ) -> Message:
        """Stores one message of a session and indexes it for search; `said_at` is when, if it was not now."""
        at = None if said_at is None else parse_time(said_at, "saidAt")
        message = self._messages.add(self._kept(session_id), role, content, metadata, at)
        self._heard()
        return message

    def persist_turn(
        self, session_id: str, user_message: str, answer: str, *, metadata: dict[str, Any] | None = None
    ) -> tuple[Message, Message]:
        """Stores what the user said and what was answered, in one transaction, indexed for search."""
        session = self._kept(session_id)
        parts: list[Said] = [said("user", user_message, metadata), said("assistant", answer, metadata)]
        first, second = self._messages.add_all(session, parts)
        self._heard()
        return first, second

    def messages(self, session_id: str, *, limit: int = 50, before: str | None = None) -> list[Message]:
        """The last messages of a session (before one of them), in order."""
        self._kept(session_id)
        check_count(limit)
        position = None
        if before is not None:
            check_uuid(before, "before")
            found = self.__storage.read(lambda reader: reader.message(before))
            if found is None or found.session_id != session_id:
                raise SessionError(f"no message {before} in this session", code="message_not_found")
            position = found.position
        return self._messages.last(session_id, limit, position)

    def add_usage(self, session_id: str, model: str, input_tokens: int, output_tokens: int, cost: float = 0.0) -> None:
        """Adds one request to what models were used for in a session."""
        self._kept(session_id)
        check = Checker()
        check.text(model, "model", "invalid_input", 200)
        for value, field in ((input_tokens, "inputTokens"), (output_tokens, "outputTokens")):
            check.integer(value, field, "invalid_input", 0, _MOST_TOKENS)
        if type(cost) not in {int, float} or not 0 <= cost < _MOST_TOKENS:
            check.fail("invalid_input", "cost", cost, "a number from 0")
        check.done()
        usage = Usage(model=model, requests=1, input_tokens=input_tokens, output_tokens=output_tokens, cost=float(cost))
        self.__storage.write(lambda writer: writer.add_usage(session_id, usage))

    def usage(self, session_id: str) -> list[Usage]:
        """Requests, tokens and cost of a session, by model."""
        return self.__storage.read(lambda reader: reader.usage(session_id))

    def _kept(self, session_id: str) -> Session:
        session = self._sessions.get(session_id)
        if session is None:
            raise SessionError(f"no session {session_id}", sessionId=session_id)
        return session

    # Documents

    def add_document(
        self,
        content: str,
        *,
        user: str | None = None,
        chat: str | None = None,
        scope: str = "shared",
        title: str | None = None,
        expires: Any = None,
        source: Source | None = None,
    ) -> Receipt:
        """Knowledge from a text of any length up to 100,000 characters; a long one is also stored in parts.

        The parts are `PartOf` the document, so that what answers a question is found and not the whole.
        """
        speaker = Speaker(user=user, chat=chat)
        origin = source or Source(captured_by=CapturedBy.USER)
        if isinstance(content, str):
            content = masked(content)  # before it is taken apart: a part of a key does not look like one
        whole = Draft(content=content, summary=title, scope=scope, expires=expires, source=origin, verbatim=True)
        if not isinstance(content, str):
            raise InvalidInput.of("invalid_content", "content", content, "text")
        vectors = self.__remember.vectors([(part, None) for part in chunks(content)])
        return self.__storage.write(
            lambda writer: store_document(self.__remember, writer, whole, content, speaker, vectors)[0]
        )

    # Profiles

    def profile(self, user: str, provider: str = "local") -> UserProfile:
        """A user's profile, made when there is none."""
        return self._profiles.get_or_create(user, provider)

    def update_profile(
        self,
        user: str,
        provider: str = "local",
        *,
        notes: str | None = None,
        username: str | None = None,
        display_name: str | None = None,
    ) -> UserProfile:
        """Changes what is given of a user's profile."""
        return self._profiles.update(user, provider, notes=notes, username=username, display_name=display_name)

    def profile_notes(self, user: str, provider: str = "local") -> str | None:
        """What is noted and what was learned of a user; None when nothing is."""
        return self._profiles.notes(user, provider)

    def _learned(self, user: str) -> list[Memory]:
        visibility = gate(self.__storage.orchestrator_id, Speaker(user=user), self.__clock.now(), types=_ABOUT_A_USER)
        found = self.__storage.read(lambda reader: reader.memories(visibility, limit=_LEARNED, offset=0)).memories
        own = [memory for memory in found if memory.scope.owner_user_id == user and memory.trust is Trust.STATED]
        return sorted(own, key=lambda memory: (-memory.importance, memory.memory_id))

    # Summaries

    def summarise_session(
        self, session_id: str, *, before: datetime | None = None, sentences: int = 5, text: str | None = None
    ) -> Receipt | None:
        """An `Observation` that sums up a session (before a time), linked to every message that it sums up.

        Without a `text` (a model's, say) the sentences are chosen that say most of what the others say. None when
        there is nothing to sum up.
        """
        session = self._kept(session_id)
        messages = [
            message
            for message in self._messages.last(session_id, _MOST)
            if message.memory_id is not None and (before is None or message.created_at < before)
        ]
        chosen = [text] if text is not None else key_sentences([message.content for message in messages], sentences)
        if not messages or not chosen:
            return None
        speaker = Speaker(user=session.user_id, chat=session.chat_id)
        source = Source(
            source_type=SourceType.CHANNEL_TRANSCRIPT,
            captured_by=CapturedBy.SYSTEM,
            conversation_id=session_id,
            message_id=messages[-1].message_id,
        )
        links = tuple(
            Link(to_memory_id=message.memory_id, edge_type=EdgeType.RELATED_TO, reason="summarised")
            for message in messages
            if message.memory_id is not None
        )
        draft = Draft(
            content=" ".join(chosen),
            type=MemoryType.OBSERVATION,
            importance=_IMPORTANCE["summary"],
            source=source,
            observed_at=messages[-1].created_at,
            verbatim=True,
            links=links,
            key=f"summary of {session_id} to {messages[-1].position}",
        )
        return self.__remember.one(draft, speaker)
