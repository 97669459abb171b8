"""transcript.md: a conversation as Markdown that people can read, and that reads back exactly as it was written.

    ### user — 2025-04-15T10:30:01Z

    Hello.

A line of content that would look like a header gets a backslash in front, and loses it when it is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime

from recollect.conversations.stores.base import TranscriptEntry
from recollect.model.session import Role

_HEADER = re.compile(
    rf"### (?P<role>{'|'.join(Role)}) — (?P<time>\d{{4}}-\d{{2}}-\d{{2}}T\d{{2}}:\d{{2}}:\d{{2}}(?:\.\d+)?Z)"
)
_LOOKS_LIKE_HEADER = re.compile(r"(?m)^(\\*### )")
_ESCAPED = re.compile(r"(?m)^\\(\\*### )")
_ENTRY_START = re.compile(r"(?m)^### ")
_END = "\n\n"


class Unreadable(ValueError):
    """A file that is no transcript (any more), and in which line."""

    def __init__(self, line: int, problem: str) -> None:
        super().__init__(f"line {line}: {problem}")
        self.line = line
        self.problem = problem


def entry_text(role: Role, content: str, moment: datetime) -> str:
    """One entry as it stands in the file."""
    stamp = moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    escaped = _LOOKS_LIKE_HEADER.sub(r"\\\1", content)
    return f"### {role.value} — {stamp}{_END}{escaped}{_END}"


def parse(text: str, last: int | None = None) -> list[TranscriptEntry]:
    """All entries of a file in order, or the last ones; a file that holds anything else is refused."""
    found = list(spans(text))
    return [_entry(text, start, end) for start, end in (found if last is None else found[max(0, len(found) - last) :])]


def spans(text: str) -> Iterator[tuple[int, int]]:
    """Where each entry begins and ends."""
    starts = [match.start() for match in _ENTRY_START.finditer(text)]
    if text and (not starts or starts[0] != 0):
        raise Unreadable(1, "no entry begins here")
    if starts:
        yield from zip(starts, [*starts[1:], len(text)], strict=True)


def _entry(text: str, start: int, end: int) -> TranscriptEntry:
    line_end = text.find("\n", start, end)
    header = _HEADER.fullmatch(text, start, line_end if line_end >= 0 else end)
    if header is None:
        raise Unreadable(_line(text, start), "not a header of the form '### role — time'")
    body = text[header.end() : end]
    if len(body) < 2 * len(_END) or not body.startswith(_END) or not body.endswith(_END):
        raise Unreadable(_line(text, start), "an entry that is not whole")
    try:
        moment = datetime.fromisoformat(header["time"])
    except ValueError:
        raise Unreadable(_line(text, start), "a time that is none") from None
    content = _ESCAPED.sub(r"\1", body[len(_END) : -len(_END)])
    return TranscriptEntry(Role(header["role"]), content, moment)


def _line(text: str, start: int) -> int:
    return text.count("\n", 0, start) + 1
