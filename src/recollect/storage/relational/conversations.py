"""Sessions, messages, values, usage and profiles: read and written over queries of the same names on every engine."""

from __future__ import annotations

import json
from collections.abc import Sequence

from recollect.model.clock import from_micros, to_micros
from recollect.model.session import Message, Role, Session, Usage, UserProfile
from recollect.storage.relational.reader import RelationalReader
from recollect.storage.relational.rows import Row
from recollect.storage.relational.writer import RelationalWriter

_NEWEST = 2**62


class ConversationReader(RelationalReader):
    """Reads conversations inside one transaction."""

    def _text(self, value: str | bytes) -> str:
        """A text that may hold any character, as the engine keeps it."""
        return value.decode() if isinstance(value, bytes) else value

    def session(self, session_id: str) -> Session | None:
        row = self._row("session", {"session_id": session_id})
        return None if row is None else read_session(row)

    def session_at(self, place: str) -> Session | None:
        row = self._row("session_at", {"place": place})
        return None if row is None else read_session(row)

    def sessions(self, agent_id: str | None, limit: int) -> list[Session]:
        return [read_session(row) for row in self._rows("sessions", {"agent_id": agent_id, "limit": limit})]

    def expired_sessions(self, now: int, limit: int) -> list[Session]:
        return [read_session(row) for row in self._rows("expired_sessions", {"now": now, "limit": limit})]

    def messages(self, session_id: str, limit: int, before: int | None = None) -> list[Message]:
        values = {"session_id": session_id, "limit": limit, "before": _NEWEST if before is None else before}
        return [self._message(row) for row in reversed(self._rows("messages", values))]

    def message(self, message_id: str) -> Message | None:
        row = self._row("message", {"message_id": message_id})
        return None if row is None else self._message(row)

    def _message(self, row: Row) -> Message:
        return Message(
            message_id=row[0],
            session_id=row[1],
            position=row[2],
            role=Role(row[3]),
            content=self._text(row[4]),
            created_at=from_micros(row[5]),
            token_count=row[6],
            metadata=json.loads(row[7]) if row[7] else {},
            memory_id=row[8],
        )

    def session_value(self, session_id: str, key: str) -> str | None:
        row = self._row("session_value", {"session_id": session_id, "key": key})
        return None if row is None else self._text(row[0])

    def session_values(self, session_id: str) -> list[tuple[str, str, int]]:
        rows = self._rows("session_values", {"session_id": session_id})
        return [(key, self._text(value), written) for key, value, written in rows]

    def usage(self, session_id: str) -> list[Usage]:
        return [
            Usage(model=row[0], requests=row[1], input_tokens=row[2], output_tokens=row[3], cost=row[4])
            for row in self._rows("usage", {"session_id": session_id})
        ]

    def profile(self, user_id: str, provider: str) -> UserProfile | None:
        row = self._row("profile", {"user_id": user_id, "provider": provider})
        if row is None:
            return None
        return UserProfile(
            user_id=row[0],
            provider=row[1],
            username=row[2],
            display_name=row[3],
            notes=row[4],
            updated_at=from_micros(row[5]),
        )


class ConversationWriter(ConversationReader, RelationalWriter):
    """Writes conversations inside one transaction."""

    def _raw(self, text: str) -> str | bytes:
        """A text that may hold any character, as the engine takes it."""
        return text

    def add_session(self, session: Session, place: str | None) -> None:
        self._run(
            "add_session",
            {
                "session_id": session.session_id,
                "agent_id": session.agent_id,
                "provider": session.provider,
                "chat_id": session.chat_id,
                "user_id": session.user_id,
                "store_types": json.dumps(session.store_types),
                "place": place,
                "created_at": to_micros(session.created_at),
                "updated_at": to_micros(session.updated_at),
                "expires_at": None if session.expires_at is None else to_micros(session.expires_at),
            },
        )

    def drop_session(self, session_id: str) -> None:
        said = [row[0] for row in self._rows("said", {"session_id": session_id})]
        self._erase(said)
        self._run("drop_session", {"session_id": session_id})

    def drop_usage(self, session_id: str) -> None:
        self._run("drop_usage", {"session_id": session_id})

    def _erase(self, memory_ids: Sequence[str]) -> None:
        """Removes memories with all that is found by them."""
        if memory_ids:
            self._run("erase_memories", {"memory_ids": json.dumps(list(memory_ids))})

    def last_position(self, session_id: str) -> int:
        return int(self._rows("last_position", {"session_id": session_id})[0][0])

    def add_messages(self, messages: Sequence[Message]) -> None:
        for message in messages:
            self._run(
                "add_message",
                {
                    "session_id": message.session_id,
                    "position": message.position,
                    "message_id": message.message_id,
                    "role": message.role.value,
                    "content": self._raw(message.content),
                    "created_at": to_micros(message.created_at),
                    "token_count": message.token_count,
                    "metadata": json.dumps(message.metadata, ensure_ascii=False) if message.metadata else None,
                    "memory_id": message.memory_id,
                },
            )
        for session_id in {message.session_id for message in messages}:
            newest = max(to_micros(message.created_at) for message in messages)
            self._run("touch_session", {"session_id": session_id, "now": newest})

    def drop_messages(self, messages: Sequence[Message]) -> None:
        self._erase([message.memory_id for message in messages if message.memory_id is not None])
        for message in messages:
            self._run("drop_message", {"message_id": message.message_id})

    def set_session_value(self, session_id: str, key: str, value: str, now: int) -> None:
        self._run("set_session_value", {"session_id": session_id, "key": key, "value": self._raw(value), "now": now})

    def drop_session_value(self, session_id: str, key: str) -> None:
        self._run("drop_session_value", {"session_id": session_id, "key": key})

    def add_usage(self, session_id: str, usage: Usage) -> None:
        self._run(
            "add_usage",
            {
                "session_id": session_id,
                "model": usage.model,
                "input_tokens": usage.input_tokens,
                "output_tokens": usage.output_tokens,
                "cost": usage.cost,
            },
        )

    def put_profile(self, profile: UserProfile) -> None:
        self._run(
            "put_profile",
            {
                "user_id": profile.user_id,
                "provider": profile.provider,
                "username": profile.username,
                "display_name": profile.display_name,
                "notes": profile.notes,
                "now": to_micros(profile.updated_at),
            },
        )


def read_session(row: Row) -> Session:
    """A session from its columns."""
    return Session(
        session_id=row[0],
        agent_id=row[1],
        provider=row[2],
        chat_id=row[3],
        user_id=row[4],
        store_types=tuple(json.loads(row[5])),
        created_at=from_micros(row[6]),
        updated_at=from_micros(row[7]),
        expires_at=None if row[8] is None else from_micros(row[8]),
    )
