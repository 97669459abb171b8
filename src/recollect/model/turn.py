"""Turn: what one user message caused. Its fingerprint is what is to be remembered of it, small and readable."""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from recollect.errors import InvalidInput
from recollect.model.clock import parse_time, to_iso

VERSION = "v1"
MOST_ITEMS = 32
LONGEST_KEY = 120
LONGEST_TEXT = 600
_LONGEST_TAG = 100
LONGEST_LABEL = 120
_MOST_TOPICS = 32
_BLANKS = re.compile(r"\s+")
_NOT_A_WORD = re.compile(r"[\W_]+")


class ItemKind(StrEnum):
    """What an item is: it changes how to act, forbids something, describes the world, or was said by the assistant."""

    ASSERTION = "assertions"
    EXCEPTION = "exceptions"
    FACT = "facts"
    SIGNAL = "assistant_signals"


# From weak to strong, and what is meant where nothing is said.
SEVERITIES: Mapping[ItemKind, tuple[str, ...]] = {
    ItemKind.ASSERTION: ("allow", "prefer", "must"),
    ItemKind.EXCEPTION: ("avoid", "do_not"),
    ItemKind.FACT: ("low", "medium", "high"),
    ItemKind.SIGNAL: ("mention", "recommend", "strong_promote"),
}
_DEFAULTS: Mapping[ItemKind, str | None] = {
    ItemKind.ASSERTION: "prefer",
    ItemKind.EXCEPTION: "avoid",
    ItemKind.FACT: None,
    ItemKind.SIGNAL: None,
}
_SCOPES = frozenset({"conversation", "objective", "artifact", "thread"})
# What holds only for a piece of work is no lasting knowledge.
PASSING_SCOPES = frozenset({"objective", "artifact", "thread"})


class Reaction(StrEnum):
    """What somebody thinks of an answer."""

    OK = "ok"
    NOT_OK = "not_ok"
    NEUTRAL = "neutral"


class Origin(StrEnum):
    """Who gives feedback: a user, or a gate that reads it out of a message."""

    USER = "user"
    MACHINE = "machine"


Slot = tuple[str, str | None, str | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One preference, exclusion, fact or signal: the value of a stable dimension."""

    key: str
    value: Any = None
    severity: str | None = None
    scope: str | None = None
    applies_to: str | None = None

    @property
    def slot(self) -> Slot:
        """What a newer item with another value takes the place of."""
        return tag_key(self.key), self.scope, None if self.applies_to is None else self.applies_to.casefold()

    def to_json(self) -> dict[str, Any]:
        """The item without what is not said."""
        given = {
            "key": self.key,
            "value": self.value,
            "severity": self.severity,
            "scope": self.scope,
            "applies_to": self.applies_to,
        }
        return {name: value for name, value in given.items() if value is not None or name == "value"}


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnFingerprint:
    """What is to be remembered of a turn."""

    turn_id: str
    made_at: datetime
    objective: str = ""
    topics: tuple[str, ...] = ()
    assertions: tuple[Item, ...] = ()
    exceptions: tuple[Item, ...] = ()
    facts: tuple[Item, ...] = ()
    assistant_signals: tuple[Item, ...] = ()
    ctx_retrieval_queries: tuple[Mapping[str, str], ...] = ()
    conversation_title: str = ""
    version: str = field(default=VERSION)

    def items(self, kind: ItemKind) -> tuple[Item, ...]:
        """The items of a kind."""
        found: tuple[Item, ...] = getattr(self, kind.value)
        return found

    def to_json(self) -> dict[str, Any]:
        """The document, with the names that the seeds have."""
        return {
            "version": self.version,
            "turn_id": self.turn_id,
            "objective": self.objective,
            "topics": list(self.topics),
            **{kind.value: [item.to_json() for item in self.items(kind)] for kind in ItemKind},
            "ctx_retrieval_queries": [dict(query) for query in self.ctx_retrieval_queries],
            "made_at": to_iso(self.made_at),
            "conversation_title": self.conversation_title,
        }

    def updated(
        self,
        *,
        objective: Any = "",
        topics: Any = (),
        assertions: Any = (),
        exceptions: Any = (),
        facts: Any = (),
        assistant_signals: Any = (),
        conversation_title: Any = "",
    ) -> TurnFingerprint:
        """With more of it known: the objective is set once, topics are added to, lists are replaced by fuller ones."""
        given = {
            ItemKind.ASSERTION: assertions,
            ItemKind.EXCEPTION: exceptions,
            ItemKind.FACT: facts,
            ItemKind.SIGNAL: assistant_signals,
        }
        read = {kind: read_items(values, kind) for kind, values in given.items()}
        lists: dict[str, Any] = {kind.value: items for kind, items in read.items() if items}
        return replace(
            self,
            objective=self.objective or _line(objective, LONGEST_TEXT),
            topics=_topics([*self.topics, *_listed(topics)]),
            conversation_title=self.conversation_title or _line(conversation_title, LONGEST_LABEL),
            **lists,
        )


def read_fingerprint(data: Any) -> TurnFingerprint:
    """A fingerprint from its document; what is malformed in it is left out, and without a turn it is none."""
    if not isinstance(data, Mapping) or not isinstance(data.get("turn_id"), str) or not data["turn_id"]:
        raise InvalidInput.of("invalid_fingerprint", "fingerprint", data, "an object with a turn_id")
    queries = [query for query in _listed(data.get("ctx_retrieval_queries")) if isinstance(query, Mapping)]
    base = TurnFingerprint(
        turn_id=data["turn_id"],
        made_at=parse_time(data.get("made_at"), "made_at"),
        ctx_retrieval_queries=tuple(
            {str(name): _line(value, LONGEST_TEXT) for name, value in query.items()} for query in queries[:MOST_ITEMS]
        ),
    )
    return base.updated(
        **{
            name: data.get(name)
            for name in ("objective", "topics", "conversation_title", *(kind.value for kind in ItemKind))
        }
    )


def stored_fingerprint(data: Any) -> TurnFingerprint:
    """A fingerprint as `to_json` wrote it: already in bounds, so nothing is looked at twice."""
    try:
        items: dict[str, Any] = {kind.value: tuple(Item(**item) for item in data[kind.value]) for kind in ItemKind}
        made_at = datetime.fromisoformat(data["made_at"])
        if made_at.tzinfo is None:
            return read_fingerprint(data)
        return TurnFingerprint(
            turn_id=data["turn_id"],
            made_at=made_at,
            objective=data["objective"],
            topics=tuple(data["topics"]),
            ctx_retrieval_queries=tuple(data["ctx_retrieval_queries"]),
            conversation_title=data["conversation_title"],
            **items,
        )
    except (KeyError, TypeError, ValueError):  # saved by a host itself, or changed behind our back
        return read_fingerprint(data)


def read_items(values: Any, kind: ItemKind) -> tuple[Item, ...]:
    """The items in what a caller or a model gave: those with a key, in bounds, each once."""
    found: dict[str, Item] = {}
    for value in _listed(values):
        item = value if isinstance(value, Item) else _item(value, kind)
        if item is not None:
            found.setdefault(json.dumps(item.to_json(), sort_keys=True, default=str), item)
    return tuple(found.values())[:MOST_ITEMS]


def _item(data: Any, kind: ItemKind) -> Item | None:
    if not isinstance(data, Mapping):
        return None
    key = _line(data.get("key"), LONGEST_KEY)
    if not key:
        return None
    severity, scope = data.get("severity"), data.get("scope")
    allowed = SEVERITIES[kind]
    severity = severity.strip().lower() if isinstance(severity, str) else None
    scope = scope.strip().lower() if isinstance(scope, str) else None
    return Item(
        key=key,
        value=_value(data.get("value")),
        severity=severity if severity in allowed else _DEFAULTS[kind],
        scope=scope if scope in _SCOPES else None,
        applies_to=_line(data.get("applies_to"), LONGEST_LABEL) or None,
    )


def _value(value: Any) -> Any:
    """A value as JSON has it, in bounds; what cannot be JSON is told in words."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        finite = (isinstance(value, int) and abs(value) < 2**63) or (isinstance(value, float) and math.isfinite(value))
        return value if finite else _line(_shown(value), LONGEST_TEXT)
    if isinstance(value, Mapping | list | tuple):
        try:
            text = json.dumps(value, allow_nan=False)
        except (TypeError, ValueError, RecursionError):
            return _line(_shown(value), LONGEST_TEXT)
        return json.loads(text) if len(text) <= LONGEST_TEXT else _line(text, LONGEST_TEXT)
    return _line(value, LONGEST_TEXT)


def _shown(value: object) -> str:
    try:
        return str(value)
    except (ValueError, RecursionError):  # a number of five thousand digits, a list that holds itself
        return type(value).__name__


def _line(value: Any, longest: int) -> str:
    """A text on one line, cut to a length; what is no text, number or truth value is nothing."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    text = value[: 8 * longest] if isinstance(value, str) else _shown(value)
    text = _BLANKS.sub(" ", "".join(c for c in text if c >= " " or c.isspace())).strip()
    text = text.encode("utf-8", "replace").decode()
    return text if len(text) <= longest else text[: longest - 1] + "…"


def _topics(topics: list[Any]) -> tuple[str, ...]:
    lines = (_line(topic, LONGEST_LABEL) for topic in topics)
    return tuple(dict.fromkeys(topic for topic in lines if topic))[:_MOST_TOPICS]


def _listed(values: Any) -> list[Any]:
    return list(values) if isinstance(values, list | tuple) else []


def tag_key(key: str) -> str:
    """A key as tags have it, in every script: letters and digits in lower case, `_` for everything between."""
    return _NOT_A_WORD.sub("_", unicodedata.normalize("NFKC", key).casefold()).strip("_")[:_LONGEST_TAG].strip("_")
