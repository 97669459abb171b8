"""basic_session: a session in two files that people can read, `kv.json` and `transcript.md`.

Every change is made under a lock and is on disk when it returns. A file that no longer reads (somebody has edited it)
is reported and left as it is.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from recollect.conversations.files import append, locked, read, replace, unavailable
from recollect.conversations.stores.base import Store, StorePlace, TranscriptEntry
from recollect.conversations.stores.transcript import Unreadable, entry_text, parse, spans
from recollect.conversations.stores.values import WORKING_MEMORY, check_content, check_count, check_key, check_role
from recollect.errors import DamagedSession

_STATE = ".transcript.json"
# A large transcript may grow by a quarter beyond its cap before the file is written anew: appending stays cheap.
_SLACK_FROM = 100


class BasicSessionStore(Store):
    """Key-values and transcript in a session's folder."""

    store_type = "basic_session"
    keeps_files = True

    def __init__(self, place: StorePlace) -> None:
        self._folder = place.folder
        self._clock = place.clock
        self._settings = place.settings.memory.basic_session

    @property
    def _kv(self) -> Path:
        return self._folder / "kv.json"

    @property
    def _transcript(self) -> Path:
        return self._folder / "transcript.md"

    def create(self) -> None:
        """Makes both files, empty."""
        with locked(self._folder):
            self._write_kv([])
            replace(self._transcript, b"")

    # Key-values

    def kv_get(self, key: str) -> str | None:
        """The value of a key, if it is set."""
        check_key(key)
        with locked(self._folder):
            return next((str(each["value"]) for each in self._read_kv() if each["key"] == key), None)

    def kv_set(self, key: str, value: str) -> None:
        """Sets a key, which is the newest then; beyond the cap the oldest goes, but never the working memory."""
        check_key(key)
        check_content(value, "value")
        with locked(self._folder):
            entries = [each for each in self._read_kv() if each["key"] != key]
            entries.append({"key": key, "value": value, "ts": _stamp(self._clock.now())})
            while len(entries) > self._settings.kv_cap:
                oldest = next((n for n, each in enumerate(entries[:-1]) if each["key"] != WORKING_MEMORY), None)
                if oldest is None:
                    break
                del entries[oldest]
            self._write_kv(entries)

    def kv_delete(self, key: str) -> bool:
        """Forgets a key; whether it was set."""
        check_key(key)
        with locked(self._folder):
            entries = self._read_kv()
            kept = [each for each in entries if each["key"] != key]
            if len(kept) == len(entries):
                return False
            self._write_kv(kept)
            return True

    def kv_list(self) -> list[tuple[str, str, datetime]]:
        """All keys with their values and times, the oldest first."""
        with locked(self._folder):
            return [(each["key"], each["value"], datetime.fromisoformat(each["ts"])) for each in self._read_kv()]

    def _read_kv(self) -> list[dict[str, Any]]:
        try:
            entries: list[dict[str, Any]] = json.loads(self._read(self._kv))["entries"]
            for each in entries:
                datetime.fromisoformat(each["ts"])
            texts = all(isinstance(each[name], str) for each in entries for name in ("key", "value"))
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise _damaged(self._kv, repr(error)) from error
        if not texts:
            raise _damaged(self._kv, "a key or value that is no text")
        return entries

    def _write_kv(self, entries: list[dict[str, Any]]) -> None:
        data = {"cap": self._settings.kv_cap, "entries": entries}
        replace(self._kv, (json.dumps(data, ensure_ascii=False, indent=2) + "\n").encode())

    # Transcript

    def transcript_append(self, role: str, content: str) -> None:
        """Adds an entry; the file is only written anew when it has grown beyond its cap."""
        speaker = check_role(role)
        check_content(content, "content")
        data = entry_text(speaker, content, self._clock.now()).encode()
        with locked(self._folder):
            count, size = self._counted()
            # Noted before it is written: what a crash leaves half done is recognised, and cut off.
            self._note(count + 1, size + len(data), data.decode())
            append(self._transcript, data)
            cap = self._settings.transcript_cap
            slack = cap // 4 if cap >= _SLACK_FROM else 0
            if count + 1 > cap + slack:
                self._keep_last(cap)

    def transcript_read_last(self, n: int) -> list[TranscriptEntry]:
        """The last entries, the oldest of them first."""
        check_count(n)
        with locked(self._folder):
            self._counted()
            return self._parsed(self._read(self._transcript), min(n, self._settings.transcript_cap))

    def redact(self, redacted: Callable[[str], str]) -> None:
        """Takes what was forgotten out of values and entries; what is written around them stays as it is."""
        with locked(self._folder):
            entries = self._read_kv()
            kept = [{**each, "value": redacted(each["value"])} for each in entries]
            if kept != entries:
                self._write_kv(kept)
            said = self._parsed(self._read(self._transcript))
            texts = [redacted(each.content) for each in said]
            if texts != [each.content for each in said]:
                data = "".join(
                    entry_text(each.role, text, each.timestamp) for each, text in zip(said, texts, strict=True)
                ).encode()
                self._note(len(said), len(data))
                replace(self._transcript, data)
            else:
                self._note(len(said), self._transcript.stat().st_size)  # it may hold the last entry

    def _keep_last(self, cap: int) -> None:
        text = self._read(self._transcript)
        starts = [start for start, _ in spans(text)]
        kept = text[starts[-cap] :].encode()
        self._note(cap, len(kept))
        replace(self._transcript, kept)

    def _counted(self) -> tuple[int, int]:
        """How many entries and bytes there are, after cutting off what a crash left half written.

        What is noted is only believed when it fits the file; otherwise somebody else has written it, and it is read.
        """
        try:
            size = self._transcript.stat().st_size
        except FileNotFoundError as error:
            raise _damaged(self._transcript, "the file is gone") from error
        except OSError as error:
            raise unavailable(error, self._transcript) from error
        note = self._noted()
        if note is not None and size == note["size"]:
            return int(note["count"]), size
        if note is not None:
            size = self._without_half(size, note)
        count = len(self._parsed(self._read(self._transcript)))
        self._note(count, size)
        return count, size

    def _without_half(self, size: int, note: dict[str, Any]) -> int:
        """Cuts off the beginning of an entry whose writing a crash ended: nobody was told that it is there."""
        entry = note["entry"].encode()
        before: int = note["size"] - len(entry)
        if not before < size < note["size"]:
            return size
        try:
            data = read(self._transcript)
        except OSError as error:
            raise unavailable(error, self._transcript) from error
        if not entry.startswith(data[before:]):
            return size  # somebody has edited it
        replace(self._transcript, data[:before])
        return before

    def _parsed(self, text: str, last: int | None = None) -> list[TranscriptEntry]:
        try:
            return parse(text, last)
        except Unreadable as error:
            raise _damaged(self._transcript, str(error)) from error

    def _note(self, count: int, size: int, entry: str = "") -> None:
        """How much the file holds, or will hold when an entry has been added."""
        data = {"count": count, "size": size, "entry": entry}
        replace(self._folder / _STATE, json.dumps(data, ensure_ascii=False).encode())

    def _noted(self) -> dict[str, Any] | None:
        try:
            data = json.loads((self._folder / _STATE).read_bytes())
        except (OSError, ValueError):
            return None  # a note is a help; without it the file is read
        kinds = {"count": int, "size": int, "entry": str}
        sound = isinstance(data, dict) and all(isinstance(data.get(name), kind) for name, kind in kinds.items())
        return data if sound else None

    def _read(self, path: Path) -> str:
        try:
            return read(path).decode()
        except FileNotFoundError as error:
            raise _damaged(path, "the file is gone") from error
        except UnicodeDecodeError as error:
            raise _damaged(path, "not UTF-8") from error
        except OSError as error:
            raise _damaged(path, "a link, or not to be read") from error


def _stamp(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _damaged(path: Path, problem: str) -> DamagedSession:
    return DamagedSession(
        f"{path} does not read as it should ({problem}); it is left as it is",
        hint="mend it by hand, or move it away and begin a new session",
        path=str(path),
    )
