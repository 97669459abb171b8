"""Messages: what was said, stored as it was said and searched as memories are, in one transaction."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from recollect.conversations.stores.values import check_content, check_role
from recollect.embedding.tokens import default_counter
from recollect.errors import InvalidInput, SessionError
from recollect.knowledge import Draft, Remember, masked, masked_value
from recollect.model.clock import Clock, to_micros
from recollect.model.ids import IdFactory
from recollect.model.memory import Kind, MemoryType
from recollect.model.scope import Speaker
from recollect.model.session import Message, Role, Session
from recollect.model.source import CapturedBy, Source, SourceType
from recollect.model.text import MAX_CONTENT, is_blank
from recollect.storage.interface import Storage, Vector, Writer

# Knowledge comes before what was merely said, where both answer equally well.
_IMPORTANCE = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """Something to be stored as a message."""

    role: Role
    content: str
    metadata: dict[str, Any] = field(default_factory=dict)
    at: datetime | None = None


class Messages:
    """The messages of sessions that are kept in the database."""

    def __init__(
        self, storage: Storage, clock: Clock, ids: IdFactory, remember: Remember, learn_after: float | None = None
    ) -> None:
        """`learn_after` is how many seconds of quiet come before a session is learned from; None: it never is."""
        self._learn_after = learn_after
        self._storage = storage
        self._clock = clock
        self._ids = ids
        self._remember = remember

    def add(
        self, session: Session, role: str, content: str, metadata: Any = None, at: datetime | None = None
    ) -> Message:
        """One message; `at` is when it was said, where that was not now."""
        (message,) = self.add_all(session, [replace(said(role, content, metadata), at=at)])
        return message

    def add_all(self, session: Session, parts: Sequence[Said]) -> list[Message]:
        """Several messages, in order; all of them are stored or none."""
        speaker = _speaker(session)
        counter = default_counter()
        tokens = [counter.count(part.content) for part in parts]
        searched = [speaker is not None and _searchable(part) for part in parts]
        names = [_name(session, part.role) for part in parts]
        texts = [(part.content[:MAX_CONTENT], name) for part, name in zip(parts, names, strict=True)]
        vectors = self._remember.vectors([text for text, wanted in zip(texts, searched, strict=True) if wanted])

        def store(writer: Writer) -> list[Message]:
            if writer.session(session.session_id) is None:
                raise SessionError(f"no session {session.session_id}", sessionId=session.session_id)
            first = writer.last_position(session.session_id) + 1
            now, made = self._clock.now(), iter(vectors)
            messages = []
            for number, part in enumerate(parts):
                message_id, memory_id = self._ids.new(), None
                if searched[number] and speaker is not None:
                    place = (message_id, first + number, part.at)
                    memory_id = self._index(writer, session, speaker, texts[number], place, next(made))
                messages.append(
                    Message(
                        message_id=message_id,
                        session_id=session.session_id,
                        position=first + number,
                        role=part.role,
                        content=part.content,
                        created_at=now if part.at is None else min(part.at, now),
                        token_count=tokens[number],
                        metadata=part.metadata,
                        memory_id=memory_id,
                    )
                )
            writer.add_messages(messages)
            if self._learn_after is not None and any(part.role is Role.USER for part in parts):
                self._schedule(writer, session.session_id, first, now)
            return messages

        return self._storage.write(store)

    def _schedule(self, writer: Writer, session_id: str, first: int, now: datetime) -> None:
        """Has the session learned from when it has been quiet for a while; a new message puts that off."""
        state = writer.extraction(session_id)
        position = first - 1 if state is None else state[0]
        due = to_micros(now + timedelta(seconds=self._learn_after or 0.0))
        writer.put_extraction(session_id, position, 0, due)

    def _index(
        self,
        writer: Writer,
        session: Session,
        speaker: Speaker,
        text: tuple[str, str],
        place: tuple[str, int, datetime | None],
        vector: Vector | None,
    ) -> str | None:
        """What a message is searched by; where there is nothing to search, nothing."""
        (content, name), (message_id, position, at) = text, place
        draft = Draft(
            content=content,
            type=MemoryType.OBSERVATION,
            importance=_IMPORTANCE,
            kind=Kind.MESSAGE,
            expires=session.expires_at,
            observed_at=at,
            source=Source(
                source_type=SourceType.CHANNEL_TRANSCRIPT,
                captured_by=CapturedBy.SYSTEM,
                conversation_id=session.session_id,
                message_id=message_id,
                speaker=name,
                position=position,
            ),
        )
        memory = self._remember.within(writer, draft, vector, speaker).memory
        return None if memory is None else memory.memory_id

    def last(self, session_id: str, limit: int, before: int | None = None) -> list[Message]:
        """The last messages of a session (before a position), in order."""
        return self._storage.read(lambda reader: reader.messages(session_id, limit, before))


def said(role: Any, content: Any, metadata: Any = None) -> Said:
    """A message to be stored, checked."""
    if metadata is not None:
        try:
            json.dumps(metadata, allow_nan=False, ensure_ascii=False).encode()
        except (TypeError, ValueError, RecursionError):
            raise InvalidInput.of("invalid_metadata", "metadata", metadata, "plain JSON") from None
        if not isinstance(metadata, dict):
            raise InvalidInput.of("invalid_metadata", "metadata", metadata, "an object")
    return Said(
        role=check_role(role), content=masked(check_content(content, "content")), metadata=masked_value(metadata or {})
    )


def _speaker(session: Session) -> Speaker | None:
    """Whose memory a session's messages are: its user's, or its chat's where it has no user."""
    if session.user_id is None and session.chat_id is None:
        return None
    return Speaker(user=session.user_id, chat=session.chat_id)


def _name(session: Session, role: Role) -> str:
    if role is Role.USER:
        return session.user_id or "user"
    return session.agent_id if role is Role.ASSISTANT else role.value


def _searchable(part: Said) -> bool:
    """System prompts and blanks are not worth finding; what holds NUL is no text to search."""
    return part.role in {Role.USER, Role.ASSISTANT} and "\x00" not in part.content and not is_blank(part.content)
