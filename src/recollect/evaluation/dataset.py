"""Data sets in the common form: conversations of dated turns, questions with the ids of the turns that answer them."""

from __future__ import annotations

import gzip
import json
import zlib
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from recollect.errors import InvalidInput


@dataclass(frozen=True, slots=True)
class Turn:
    """One utterance."""

    id: str
    session: str
    date: datetime | None
    speaker: str | None
    text: str


@dataclass(frozen=True, slots=True)
class Inquiry:
    """One question, and where its answer is."""

    id: str
    text: str
    category: str
    evidence: tuple[str, ...]
    date: datetime | None
    before: str | None


@dataclass(frozen=True, slots=True)
class Conversation:
    """Turns in order, and the questions about them."""

    id: str
    turns: tuple[Turn, ...]
    questions: tuple[Inquiry, ...]


@dataclass(frozen=True, slots=True)
class Dataset:
    """All of it."""

    name: str
    conversations: tuple[Conversation, ...]


def load_dataset(path: Path) -> Dataset:
    """Reads a `.json` or `.json.gz` file; what is not in the common form is refused with its place."""
    try:
        raw = path.read_bytes()
        data = json.loads(gzip.decompress(raw) if path.suffix == ".gz" else raw)
    except OSError as error:
        raise InvalidInput.of("invalid_dataset", "file", str(path), f"readable ({error.strerror or error})") from error
    except (ValueError, EOFError, RecursionError, zlib.error) as error:
        raise InvalidInput.of("invalid_dataset", "file", str(path), "JSON, plain or gzipped") from error
    try:
        conversations = tuple(_conversation(item) for item in data["conversations"])
        return Dataset(str(data.get("name", path.stem)), conversations)
    except (KeyError, TypeError, AttributeError, ValueError, OverflowError) as error:
        wrong = f"{type(error).__name__}: {error}"
        raise InvalidInput.of("invalid_dataset", "file", wrong, "conversations with turns and questions") from error


def _conversation(item: Any) -> Conversation:
    turns = tuple(
        Turn(str(t["id"]), str(t.get("session", "")), _date(t.get("date")), _name(t.get("speaker")), str(t["text"]))
        for t in item["turns"]
    )
    questions = tuple(
        Inquiry(
            str(q["id"]),
            str(q["question"]),
            str(q.get("category") or "all"),
            tuple(map(str, q.get("evidence") or ())),
            _date(q.get("date")),
            None if q.get("before") is None else str(q["before"]),
        )
        for q in item["questions"]
    )
    return Conversation(str(item["id"]), turns, questions)


def _name(value: Any) -> str | None:
    return None if value is None else " ".join(str(value).split()) or None


def _date(value: Any) -> datetime | None:
    if not value:
        return None
    moment = datetime.fromisoformat(str(value))
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
