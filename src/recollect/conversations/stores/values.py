"""What may stand in a session: keys, values, roles."""

from __future__ import annotations

from typing import Any

from recollect.errors import InvalidInput
from recollect.model.check import Checker
from recollect.model.session import Role

WORKING_MEMORY = "working_memory"
_LONGEST_KEY = 512
_LONGEST_TEXT = 10_000_000
_MOST = 1_000_000


def check_key(key: Any) -> str:
    """A key: some printable text."""
    if isinstance(key, str) and 0 < len(key) <= _LONGEST_KEY and key.isprintable():
        return key
    raise InvalidInput.of("invalid_key", "key", key, f"1 to {_LONGEST_KEY} printable characters")


def check_content(text: Any, field: str) -> str:
    """Any text at all, as long as it is Unicode."""
    if not isinstance(text, str):
        raise InvalidInput.of("invalid_content", field, text, "text")
    if len(text) > _LONGEST_TEXT:
        raise InvalidInput.of("invalid_content", field, f"{len(text)} characters", f"up to {_LONGEST_TEXT} characters")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InvalidInput.of("invalid_content", field, text, "valid Unicode (no lone surrogates)") from None
    return text


def check_role(role: Any) -> Role:
    """Who speaks."""
    check = Checker()
    found = check.enum(Role, role, "role", "invalid_role")
    check.done()
    return found


def check_count(count: Any) -> int:
    """How many."""
    check = Checker()
    check.integer(count, "n", "invalid_limit", 0, _MOST)
    check.done()
    number: int = count
    return number
