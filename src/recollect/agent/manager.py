"""The manager of an agent's memory: what to look up before a message, what to keep of it; thin over `MemorySystem`."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from recollect.embedding.tokens import default_counter
from recollect.errors import InvalidInput, SessionError
from recollect.model.memory import Kind, Memory
from recollect.model.session import Message, Role, Session, UserProfile
from recollect.model.source import Source
from recollect.prompt import RetrievedContext, SearchResult, within_budget
from recollect.prompt.context import as_result
from recollect.recall import Hit, Recall
from recollect.system import MemorySystem

_LARGEST_BUDGET = 1_000_000
_LATELY = 10


class MemoryStore:
    """Sessions, messages, knowledge and profiles of one agent."""

    def __init__(self, memory: MemorySystem, agent_id: str = "chat") -> None:
        self.memory = memory
        self.agent_id = agent_id

    async def get_or_create_session(self, provider: str, chat_id: str | None, user_id: str | None) -> Session:
        """The session of a user in a chat of a provider."""
        return await asyncio.to_thread(
            self.memory.session_of, self.agent_id, provider=provider, chat=chat_id, user=user_id
        )

    async def get_session(self, session_id: str) -> Session | None:
        """A session by its id."""
        session = await asyncio.to_thread(self.memory.session, session_id)
        return session if session is not None and session.agent_id == self.agent_id else None

    async def _check(self, session_id: str) -> None:
        if await self.get_session(session_id) is None:
            raise SessionError(f"no session {session_id} of {self.agent_id}", sessionId=session_id)

    async def add_message(
        self, session_id: str, role: str, content: str, metadata: dict[str, Any] | None = None
    ) -> Message:
        """Stores a message and indexes it."""
        await self._check(session_id)
        return await asyncio.to_thread(self.memory.add_message, session_id, role, content, metadata)

    async def get_messages(self, session_id: str, limit: int = 50, before: str | None = None) -> list[Message]:
        """The last messages (before one of them), in order."""
        await self._check(session_id)
        return await asyncio.to_thread(self.memory.messages, session_id, limit=limit, before=before)

    async def add_knowledge(
        self, content: str, source: Source | None = None, expires_at: datetime | None = None
    ) -> Memory:
        """Knowledge that all of the agent's users share; a long text is stored in parts, too."""
        receipt = await asyncio.to_thread(
            self.memory.add_document,
            content,
            user=f"agent:{self.agent_id}",
            scope="shared",
            source=source,
            expires=expires_at,
        )
        assert receipt.memory is not None  # noqa: S101  what is refused raises
        return receipt.memory

    async def get_knowledge(self, limit: int = 50, *, include_expired: bool = False) -> list[Memory]:
        """What all of the agent's users share, newest first."""
        own = f"agent:{self.agent_id}"  # nobody's id: nothing personal stands between
        found = await asyncio.to_thread(self.memory.list, user=own, include_expired=include_expired, limit=limit)
        return [memory for memory in found if memory.scope.shared]

    async def get_or_create_user_profile(self, user_id: str, provider: str = "local") -> UserProfile:
        """What is noted of a user."""
        return await asyncio.to_thread(self.memory.profile, user_id, provider)

    async def update_user_notes(self, user_id: str, notes: str, provider: str = "local") -> UserProfile | None:
        """Changes what is noted of a user."""
        return await asyncio.to_thread(self.memory.update_profile, user_id, provider, notes=notes)


class SemanticRetriever:
    """Searches what was said and what is known. What is stored is indexed in the same transaction."""

    def __init__(self, memory: MemorySystem, *, user: str | None = None, chat: str | None = None) -> None:
        """`user` and `chat` say for whom is searched where no session does."""
        self.memory = memory
        self._user = user
        self._chat = chat

    async def index_message(self, message_id: str, content: str) -> None:
        """Makes up for a vector that could not be made when the message was stored."""
        del message_id, content  # what is missing waits in a queue of its own
        await asyncio.to_thread(self.memory.upkeep)

    async def index_knowledge(self, knowledge_id: str, content: str) -> None:
        """Makes up for a vector that could not be made when the knowledge was stored."""
        await self.index_message(knowledge_id, content)

    async def search_messages(self, query: str, session_id: str | None = None, limit: int = 5) -> list[SearchResult]:
        """What was said about something, in one session or in all that this user has."""
        hits = (await self._recall(query, session_id, limit, messages=True)).hits
        found = [hit for hit in hits if hit.message and session_id in {None, hit.message.session_id}]
        return [as_result(hit) for hit in found[:limit]]

    async def search_knowledge(self, query: str, limit: int = 3) -> list[SearchResult]:
        """What is known about something."""
        return [as_result(hit) for hit in (await self._recall(query, None, limit, messages=False)).hits[:limit]]

    async def search_all(self, query: str, limit: int = 10) -> list[SearchResult]:
        """What was said and what is known, in one order."""
        return [as_result(hit) for hit in (await self._recall(query, None, limit, messages=True)).hits[:limit]]

    async def _recall(self, query: str, session_id: str | None, limit: int, *, messages: bool) -> Recall:
        user, chat = self._user, self._chat
        if session_id is not None:
            session = await asyncio.to_thread(self.memory.session, session_id)
            if session is None or user not in {None, session.user_id}:
                raise SessionError(f"no session {session_id}", sessionId=session_id)
            user, chat = session.user_id, session.chat_id
        most = min(1000, 10 * limit if messages else limit)
        return await asyncio.to_thread(
            self.memory.recall, query, user=user, chat=chat, top_n=most, include_messages=messages
        )


class MemoryManager:
    """Looks up what a message needs, and keeps what came of it."""

    def __init__(self, store: MemoryStore, retriever: SemanticRetriever | None = None) -> None:
        self.store = store
        self.retriever = retriever or SemanticRetriever(store.memory)

    async def get_context_for_message(
        self, session: Session, user_message: str, max_tokens: int = 2000, *, without: Iterable[str] = ()
    ) -> RetrievedContext:
        """What was said before, what is known, and what is noted of the user, within a number of tokens.

        Never the message itself; `without` names messages that the prompt has anyway.
        """
        if type(max_tokens) is not int or not 0 <= max_tokens <= _LARGEST_BUDGET:
            raise InvalidInput.of("invalid_limit", "maxTokens", max_tokens, f"from 0 to {_LARGEST_BUDGET}")
        return await asyncio.to_thread(self._context, session, user_message, max_tokens, frozenset(without))

    def _context(self, session: Session, message: str, max_tokens: int, without: frozenset[str]) -> RetrievedContext:
        memory = self.store.memory
        if session.user_id is None and session.chat_id is None:
            return within_budget(Recall(query=message, mode="text-only", hits=[]), default_counter(), max_tokens)
        recalled = memory.recall(message, user=session.user_id, chat=session.chat_id, include_messages=True)
        itself = _unanswered(memory.messages(session.session_id, limit=_LATELY), message)
        hits = [hit for hit in recalled.hits if not _is_one_of(hit, itself | without)]
        notes = None if session.user_id is None else memory.profile_notes(session.user_id, session.provider)
        return within_budget(replace(recalled, hits=hits), default_counter(), max_tokens, notes)

    async def persist_turn(
        self, session: Session, user_message: str, assistant_response: str, turn_id: str | None = None
    ) -> None:
        """Keeps both messages, in one transaction, indexed for search, and noted as of a turn where there is one."""
        await asyncio.to_thread(
            self.store.memory.persist_turn,
            session.session_id,
            user_message,
            assistant_response,
            metadata=None if turn_id is None else {"turnId": turn_id},
        )

    async def get_user_context(self, user_id: str) -> str | None:
        """What is noted and what was learned of a user."""
        return await asyncio.to_thread(self.store.memory.profile_notes, user_id)


def _unanswered(messages: Sequence[Message], text: str) -> set[str]:
    """The message that is being answered, where it was stored before."""
    found = set()
    for each in reversed(messages):
        if each.role is Role.ASSISTANT:
            break
        if each.role is Role.USER and each.content == text:
            found.add(each.message_id)
    return found


def _is_one_of(hit: Hit, messages: frozenset[str] | set[str]) -> bool:
    return hit.memory.kind is Kind.MESSAGE and hit.memory.source.message_id in messages
