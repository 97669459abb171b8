"""What callers pass to a memory, checked and in the form that the layers below take."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from recollect.errors import InvalidInput
from recollect.knowledge import Draft, Receipt, refusal
from recollect.model.check import Checker
from recollect.model.memory import MemoryType
from recollect.recall import WEIGHTS

_LARGEST_PAGE = 1_000_000


def memory_types(types: Any) -> frozenset[MemoryType] | None:
    """The types that a caller names; None for all."""
    if types is None:
        return None
    if isinstance(types, str) or not isinstance(types, Iterable):
        raise InvalidInput.of("invalid_input", "types", types, "a list")
    check = Checker()
    wanted = frozenset(check.enum(MemoryType, item, "types", "invalid_memory_type") for item in types)
    check.done()
    return wanted


def arm_names(arms: Any) -> frozenset[str]:
    """The arms of recall that a caller names; all of them where none is."""
    if arms is None:
        return frozenset(WEIGHTS)
    named = list(arms) if isinstance(arms, Iterable) and not isinstance(arms, str) else [arms]
    if not all(isinstance(arm, str) and arm in WEIGHTS for arm in named):
        raise InvalidInput.of("invalid_arms", "arms", arms, "some of " + ", ".join(WEIGHTS))
    return frozenset(named)


def references(about: Any) -> tuple[str, ...]:
    """The people that a caller names."""
    if about is None:
        return ()
    named = [about] if isinstance(about, str) else list(about) if isinstance(about, Iterable) else [about]
    if not named or not all(isinstance(each, str) and each.strip() for each in named):
        raise InvalidInput.of("invalid_input", "about", about, "names, relations or ids of people")
    return tuple(named)


def flag(value: Any, field_name: str) -> bool:
    """A truth value."""
    if not isinstance(value, bool):
        raise InvalidInput.of("invalid_input", field_name, value, "true or false")
    return value


def number_from(value: Any, field_name: str, low: int) -> int:
    """A whole number from a least one."""
    check = Checker()
    check.integer(value, field_name, "invalid_limit", low, _LARGEST_PAGE)
    check.done()
    number: int = value
    return number


def any_draft(item: Any) -> Draft | Receipt:
    """A draft from what a caller may list; one that is none is refused alone."""
    if isinstance(item, Draft):
        return item
    fields = dict(item) if isinstance(item, Mapping) else {"content": item}
    try:
        return draft_of(fields.pop("content", None), fields)
    except InvalidInput as error:
        return refusal(error)


def draft_of(content: Any, fields: Mapping[str, Any]) -> Draft:
    """A draft from a content and what else is said of it."""
    unknown = [name for name in fields if name not in Draft.__dataclass_fields__]
    if unknown:
        check = Checker()
        for name in unknown:
            check.fail("unknown_field", name, fields[name], "absent: a memory has no such field")
        check.done()
    return Draft(content=content, **fields)
