"""What other memories and assistants export, as things to be remembered and conversations that were had."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from recollect.errors import InvalidInput
from recollect.model.graph import entity, observation, relation

FORMATS = ("mem0", "langgraph", "mcp", "chatgpt", "claude")
_WRAPPED = ("results", "memories", "items", "conversations")


@dataclass(frozen=True, slots=True)
class Fact:
    """Something that another memory knew; `graph` says what it was in a graph of entities and relations."""

    key: str
    content: str
    at: datetime | None = None
    user: str | None = None
    namespace: tuple[str, ...] = ()
    graph: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Talk:
    """A conversation that somebody had, in order."""

    key: str
    title: str
    said: list[Utterance] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Utterance:
    """What was said; the key tells it from everything else in its conversation."""

    key: str
    role: str
    text: str
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Foreign:
    """What an export holds, and how many of its items could not be read."""

    kind: str
    facts: list[Fact]
    talks: list[Talk]
    unreadable: int


def read_foreign(text: str, kind: str | None = None) -> Foreign:
    """The format of an export, and what it holds; the format is told from its shape where none is named."""
    if kind is not None and kind not in FORMATS:
        raise InvalidInput.of("unknown_format", "format", kind, "one of " + ", ".join(FORMATS))
    data = _parsed(text.removeprefix("\ufeff"))
    found = kind or _told(data)
    read = _soundly(_FACTS.get(found) or _TALKS[found], data)
    facts = [each for each in read.items if isinstance(each, Fact) and _is_text(each.content) and _is_text(each.key)]
    talks = [each for each in read.items if isinstance(each, Talk)]
    if data and not facts and not talks:
        raise InvalidInput.of("unknown_format", "file", f"nothing that {found} exports", "an export of it")
    return Foreign(found, facts, talks, read.unreadable)


@dataclass(slots=True)
class _Read:
    items: list[Any] = field(default_factory=list)
    unreadable: int = 0


def _soundly(read: Callable[[list[Any]], Iterator[Any]], data: list[Any]) -> _Read:
    """What is in the items of an export; one of another shape is counted, and the others are not lost by it."""
    done = _Read()
    for item in data:
        try:
            found = list(read([item]))
        except (AttributeError, TypeError, KeyError, ValueError):
            found = []
        done.items += found
        done.unreadable += not found
    return done


def _is_text(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _parsed(text: str) -> list[Any]:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        try:
            data = [json.loads(line) for line in text.split("\n") if line.strip()]
        except (ValueError, RecursionError):
            raise InvalidInput.of("unknown_format", "file", "no JSON", "an export in JSON or lines of it") from None
    if isinstance(data, Mapping):
        inner = next((data[name] for name in _WRAPPED if isinstance(data.get(name), list)), None)
        data = [data] if inner is None else inner
    return [each for each in data if isinstance(each, Mapping)] if isinstance(data, list) else []


def _told(data: list[Any]) -> str:
    if not data:
        raise InvalidInput.of("unknown_format", "file", "nothing", "an export that holds something")
    first = data[0]
    for kind, names in (
        ("chatgpt", {"mapping"}),
        ("claude", {"chat_messages"}),
        ("langgraph", {"namespace", "key", "value"}),
        ("mem0", {"memory"}),
    ):
        if names <= first.keys():
            return kind
    if first.get("type") in {"entity", "relation"}:
        return "mcp"
    allowed = "an export of one of " + ", ".join(FORMATS)
    raise InvalidInput.of("unknown_format", "file", sorted(map(str, first)), allowed, hint="name it with --format")


def _mem0(data: list[Any]) -> Iterator[Fact]:
    for each in data:
        content = each.get("memory") or each.get("text") or each.get("data")
        if isinstance(content, str) and content.strip():
            at = _moment(each.get("updated_at") or each.get("created_at"))
            yield Fact(f"mem0 {each.get('id')} {content}", content, at, _text(each.get("user_id")))


def _langgraph(data: list[Any]) -> Iterator[Fact]:
    for each in data:
        value, space = each.get("value"), each.get("namespace")
        content = value if isinstance(value, str) else _content(value)
        if content:
            place = ".".join(map(str, space)) if isinstance(space, list) else str(space)
            at = _moment(each.get("updated_at") or each.get("created_at"))
            names = tuple(map(str, space)) if isinstance(space, list) else (str(space),)
            yield Fact(f"langgraph {place} {each.get('key')} {content}", content, at, namespace=names)


def _content(value: Any) -> str:
    if not isinstance(value, Mapping):
        return ""
    for name in ("text", "content", "memory", "data", "value"):
        if isinstance(value.get(name), str):
            return str(value[name])
        if isinstance(value.get(name), Mapping):
            return _content(value[name])
    return json.dumps(value, ensure_ascii=False)


def _mcp(data: list[Any]) -> Iterator[Fact]:
    for each in data:
        if each.get("type") == "entity":
            name, kind = _text(each.get("name")), _text(each.get("entityType")) or "thing"
            if name is None:
                continue
            yield Fact(f"mcp entity {name} {kind}", f"{name} ({kind})", graph=entity(name, kind))
            for text in each.get("observations") or []:
                if isinstance(text, str) and text.strip():
                    yield Fact(f"mcp {name} {text}", text, graph=observation(name))
        elif each.get("type") == "relation":
            start, end, kind = (_text(each.get(name)) or "" for name in ("from", "to", "relationType"))
            yield Fact(f"mcp {start} {kind} {end}", f"{start} {kind} {end}", graph=relation(start, end, kind))


def _chatgpt(data: list[Any]) -> Iterator[Talk]:
    for each in data:
        nodes = each.get("mapping")
        if not isinstance(nodes, Mapping):
            continue
        said, at, seen = [], each.get("current_node") or _last(nodes), set()
        while at in nodes and at not in seen:  # from the last message back to the first, on the branch that was kept
            seen.add(at)
            message = nodes[at].get("message") if isinstance(nodes[at], Mapping) else None
            if isinstance(message, Mapping):
                role = (message.get("author") or {}).get("role")
                parts = (message.get("content") or {}).get("parts") or []
                text = "\n".join(filter(None, map(_spoken, parts))).strip()
                # What is addressed to a tool was never said to anybody.
                if role in {"user", "assistant"} and text and message.get("recipient") in {None, "all"}:
                    key = str(message.get("id") or at)
                    said.append(Utterance(key, str(role), text, _moment(message.get("create_time"))))
            at = nodes[at].get("parent") if isinstance(nodes[at], Mapping) else None
        key = each.get("conversation_id") or each.get("id") or each.get("title")
        yield Talk(f"chatgpt {key}", str(each.get("title") or ""), said[::-1])


def _spoken(part: Any) -> str:
    """The words of a part of a message: what was typed, or what was heard."""
    if isinstance(part, Mapping) and part.get("content_type") == "audio_transcription":
        part = part.get("text")
    return part if isinstance(part, str) else ""


def _last(nodes: Mapping[str, Any]) -> str | None:
    return next((name for name, node in nodes.items() if isinstance(node, Mapping) and not node.get("children")), None)


def _claude(data: list[Any]) -> Iterator[Talk]:
    roles = {"human": "user", "assistant": "assistant"}
    for each in data:
        said = []
        for number, message in enumerate(each.get("chat_messages") or []):
            if not isinstance(message, Mapping) or message.get("sender") not in roles:
                continue
            given = message.get("content")
            parts = given if isinstance(given, list) else []
            text = message.get("text") or "\n".join(
                part["text"] for part in parts if isinstance(part, Mapping) and isinstance(part.get("text"), str)
            )
            if isinstance(text, str) and text.strip():
                key = str(message.get("uuid") or number)
                at = _moment(message.get("created_at"))
                said.append(Utterance(key, roles[message["sender"]], text.strip(), at))
        yield Talk(f"claude {each.get('uuid') or each.get('name')}", str(each.get("name") or ""), said)


def _moment(value: Any) -> datetime | None:
    try:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return datetime.fromtimestamp(value, UTC)
        if isinstance(value, str):
            moment = datetime.fromisoformat(value)
            return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return None


def _text(value: Any) -> str | None:
    return value.strip() if isinstance(value, str) and value.strip() else None


_FACTS: Mapping[str, Callable[[list[Any]], Iterator[Fact]]] = {"mem0": _mem0, "langgraph": _langgraph, "mcp": _mcp}
_TALKS: Mapping[str, Callable[[list[Any]], Iterator[Talk]]] = {"chatgpt": _chatgpt, "claude": _claude}
