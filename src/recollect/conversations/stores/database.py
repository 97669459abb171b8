"""database: a session in the memory's own database, on either engine. Its transcript is the session's messages."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from recollect.conversations.stores.base import Store, StorePlace, TranscriptEntry
from recollect.conversations.stores.values import WORKING_MEMORY, check_content, check_count, check_key, check_role
from recollect.embedding.tokens import default_counter
from recollect.errors import SessionError
from recollect.model.clock import from_micros, to_micros
from recollect.model.session import Message
from recollect.storage.interface import Writer


class DatabaseStore(Store):
    """Key-values and transcript of a session as rows."""

    store_type = "database"

    def __init__(self, place: StorePlace) -> None:
        self._place = place
        self._storage = place.storage
        self._session_id = place.session.session_id
        self._cap = place.settings.memory.basic_session.kv_cap

    def kv_get(self, key: str) -> str | None:
        """The value of a key, if it is set."""
        check_key(key)
        return self._storage.read(lambda reader: reader.session_value(self._session_id, key))

    def kv_set(self, key: str, value: str) -> None:
        """Sets a key, which is the newest then; beyond the cap the oldest goes, but never the working memory."""
        check_key(key)
        check_content(value, "value")
        now = to_micros(self._place.clock.now())

        def set_value(writer: Writer) -> None:
            self._check(writer)
            writer.set_session_value(self._session_id, key, value, now)
            keys = [each for each, _, _ in writer.session_values(self._session_id)]
            old = [each for each in keys if each not in {key, WORKING_MEMORY}]
            for each in old[: max(0, len(keys) - self._cap)]:
                writer.drop_session_value(self._session_id, each)

        self._storage.write(set_value)

    def _check(self, writer: Writer) -> None:
        if writer.session(self._session_id) is None:
            raise SessionError(f"no session {self._session_id}", sessionId=self._session_id)

    def kv_delete(self, key: str) -> bool:
        """Forgets a key; whether it was set."""
        check_key(key)

        def delete(writer: Writer) -> bool:
            was_set = writer.session_value(self._session_id, key) is not None
            writer.drop_session_value(self._session_id, key)
            return was_set

        return self._storage.write(delete)

    def kv_list(self) -> list[tuple[str, str, datetime]]:
        """All keys with their values and times, the oldest first."""
        rows = self._storage.read(lambda reader: reader.session_values(self._session_id))
        return [(key, value, from_micros(written)) for key, value, written in rows]

    def redact(self, redacted: Callable[[str], str]) -> None:
        """Takes what was forgotten out of values; messages are seen to where they are searched."""

        def work(writer: Writer) -> None:
            for key, value, written in writer.session_values(self._session_id):
                if (kept := redacted(value)) != value:
                    writer.set_session_value(self._session_id, key, kept, written)

        self._storage.write(work)

    def transcript_append(self, role: str, content: str) -> None:
        """Adds a message; it is not searched for: `persist_turn` stores what is."""
        speaker = check_role(role)
        check_content(content, "content")
        now = self._place.clock.now()
        message_id, tokens = self._place.ids.new(), default_counter().count(content)

        def add(writer: Writer) -> None:
            self._check(writer)
            message = Message(
                message_id=message_id,
                session_id=self._session_id,
                position=writer.last_position(self._session_id) + 1,
                role=speaker,
                content=content,
                created_at=now,
                token_count=tokens,
            )
            writer.add_messages([message])

        self._storage.write(add)

    def transcript_read_last(self, n: int) -> list[TranscriptEntry]:
        """The last entries, the oldest of them first."""
        check_count(n)
        messages = self._storage.read(lambda reader: reader.messages(self._session_id, n))
        return [TranscriptEntry(each.role, each.content, each.created_at) for each in messages]
