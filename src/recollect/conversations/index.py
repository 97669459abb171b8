"""sessions.json: which sessions are kept in files. Read and replaced as a whole, under a lock."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from recollect.conversations.files import locked, replace, unavailable
from recollect.errors import DamagedSession, InvalidInput
from recollect.model.clock import parse_time
from recollect.model.ids import check_uuid
from recollect.model.session import Session


class SessionIndex:
    """The sessions under one folder."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def all(self) -> list[Session]:
        """Every session, the oldest first."""
        return sorted((_session(each) for each in self._read()), key=lambda each: each.session_id)

    def get(self, session_id: str) -> Session | None:
        """One session, if it is there."""
        return next((_session(each) for each in self._read() if each["id"] == session_id), None)

    def add(self, session: Session) -> None:
        """Registers a session."""
        with locked(self._path.parent, ".sessions.lock"):
            self._write([*self._read(), _entry(session)])

    def remove(self, session_ids: Collection[str]) -> None:
        """Forgets sessions."""
        with locked(self._path.parent, ".sessions.lock"):
            entries = self._read()
            kept = [each for each in entries if each["id"] not in session_ids]
            if len(kept) < len(entries):
                self._write(kept)

    def _read(self) -> list[dict[str, Any]]:
        try:
            data = json.loads(self._path.read_bytes())
        except FileNotFoundError:
            return []
        except OSError as error:
            raise unavailable(error, self._path) from error
        except (ValueError, RecursionError) as error:
            raise self._damaged(str(error)) from error
        try:
            entries: list[dict[str, Any]] = data["sessions"]
            for each in entries:
                _session(each)
        except (KeyError, TypeError, ValueError, InvalidInput) as error:
            raise self._damaged(repr(error)) from error
        return entries

    def _write(self, entries: Iterable[dict[str, Any]]) -> None:
        data = {"sessions": sorted(entries, key=lambda each: str(each["id"]))}
        replace(self._path, (json.dumps(data, ensure_ascii=False, indent=2) + "\n").encode())

    def _damaged(self, problem: str) -> DamagedSession:
        return DamagedSession(
            f"{self._path} does not read as it should ({problem}); it is left as it is", path=str(self._path)
        )


def _entry(session: Session) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "id": session.session_id,
        "agent_id": session.agent_id,
        "store_types": list(session.store_types),
        "created_at": _stamp(session.created_at),
    }
    more = {"provider": session.provider, "chat_id": session.chat_id, "user_id": session.user_id}
    entry |= {name: value for name, value in more.items() if value not in {None, "local"}}
    if session.expires_at is not None:
        entry["expires_at"] = _stamp(session.expires_at)
    return entry


def _session(entry: dict[str, Any]) -> Session:
    """A session from its entry; the id names a folder, so it must be one."""
    created = parse_time(entry["created_at"], "created_at")
    expires = entry.get("expires_at")
    return Session(
        session_id=check_uuid(entry["id"], "id"),
        agent_id=str(entry["agent_id"]),
        store_types=tuple(map(str, entry["store_types"])),
        created_at=created,
        updated_at=created,
        provider=entry.get("provider", "local"),
        chat_id=entry.get("chat_id"),
        user_id=entry.get("user_id"),
        expires_at=None if expires is None else parse_time(expires, "expires_at"),
    )


def _stamp(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
