"""JSON as it leaves and enters the program: camelCase, the same keys in the same order every time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from datetime import date, datetime
from enum import Enum
from functools import cache
from typing import Any, TypeVar

from recollect.errors import InvalidInput
from recollect.model.check import Checker
from recollect.model.clock import to_iso
from recollect.model.edge import Edge
from recollect.model.memory import Memory
from recollect.model.scope import Scope, ScopeKind
from recollect.model.source import Source
from recollect.model.text import camel

T = TypeVar("T")


def dump(value: Any) -> Any:
    """Any value of the model as plain JSON data; absent values are null, so keys are always there."""
    if isinstance(value, Memory):
        return _dump_memory(value)
    if isinstance(value, Enum | date):
        return value.value if isinstance(value, Enum) else _dump_time(value)
    if is_dataclass(value) and not isinstance(value, type):
        return {key: dump(getattr(value, name)) for name, key in _names(type(value)).items()}
    if isinstance(value, Mapping):
        return {str(key): dump(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [dump(item) for item in value]
    return value


def _dump_time(value: date) -> str:
    return to_iso(value) if isinstance(value, datetime) else value.isoformat()


@cache
def _names(kind: type) -> dict[str, str]:
    return {item.name: camel(item.name) for item in fields(kind)}


def _dump_memory(memory: Memory) -> dict[str, Any]:
    data: dict[str, Any] = {}
    for name, key in _names(Memory).items():
        if name == "scope":
            data["scope"] = memory.scope.kind.value
            data["ownerUserId"] = memory.scope.owner_user_id
            data["chatId"] = memory.scope.chat_id
        else:
            data[key] = dump(getattr(memory, name))
    data["trust"] = memory.trust.value
    return data


def load_memory(data: Any) -> Memory:
    """Reads what `dump` wrote of a memory; strict about keys, types and ranges.

    `trust` is accepted and ignored: it follows from the source and cannot be claimed.
    """
    given = _checked_keys(data, {*_names(Memory).values(), "ownerUserId", "chatId", "trust"}, "memory")
    given.pop("trust", None)
    kind = given.pop("scope", None)
    owner, chat = given.pop("ownerUserId", None), given.pop("chatId", None)
    if kind is not None:
        check = Checker()
        kind = check.enum(ScopeKind, kind, "scope", "invalid_scope")
        check.done()
    scope = Scope(owner_user_id=owner, chat_id=chat, shared=kind is ScopeKind.SHARED)
    if kind is not None and scope.kind is not kind:
        raise InvalidInput.of("invalid_scope", "scope", kind.value, f"{scope.kind.value} for these ids")
    source = load_source(given.pop("source", None))
    return _build(Memory, given, scope=scope, source=source)


def load_source(data: Any) -> Source:
    """Reads what `dump` wrote of a source."""
    return _build(Source, _checked_keys(data, set(_names(Source).values()), "source"))


def load_edge(data: Any) -> Edge:
    """Reads what `dump` wrote of an edge."""
    return _build(Edge, _checked_keys(data, set(_names(Edge).values()), "edge"))


def _checked_keys(data: Any, allowed: set[str], what: str) -> dict[str, Any]:
    if not isinstance(data, Mapping):
        raise InvalidInput.of("invalid_input", what, data, "an object")
    for key in data:
        if key not in allowed:
            raise InvalidInput.of("unknown_field", f"{what}.{key}", data[key], "absent: there is no such field")
    return dict(data)


def _build(kind: Callable[..., T], given: Mapping[str, Any], **ready: Any) -> T:
    by_key = {key: name for name, key in _names(kind).items()}
    values = {by_key[key]: value for key, value in given.items()} | ready
    try:
        return kind(**values)
    except TypeError:
        missing = _missing(kind, values)
        raise InvalidInput.of("missing_field", missing, None, "given") from None


def _missing(kind: Any, values: Mapping[str, Any]) -> str:
    signature = kind.__dataclass_fields__
    required = [name for name, item in signature.items() if item.default is item.default_factory]
    return camel(next(name for name in required if name not in values))
