"""Strict checks of single values: each names field, value and what would have been allowed.

A `Checker` collects the violations of one object, so that a caller sees all of them at once and the same
mistake has the same code by every way in.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from enum import StrEnum
from typing import Any, TypeVar

from recollect.errors import InvalidInput, Violation, shown
from recollect.model.clock import parse_time
from recollect.model.ids import check_opaque_id, check_uuid
from recollect.model.text import MAX_CONTENT, is_blank, normalise

E = TypeVar("E", bound=StrEnum)
T = TypeVar("T")


class Checker:
    """Collects what is wrong with one object."""

    def __init__(self) -> None:
        self._violations: list[Violation] = []

    def fail(self, code: str, field: str, value: object, allowed: str) -> None:
        """Notes one violation."""
        self._violations.append(Violation(code, field, shown(value), allowed))

    def done(self) -> None:
        """Raises what was noted, if anything was."""
        if self._violations:
            raise InvalidInput(self._violations)

    def attempt(self, check: Callable[[Any, str], T], value: Any, field: str, default: T) -> T:
        """Runs a check that raises, keeping its violations instead."""
        try:
            return check(value, field)
        except InvalidInput as error:
            self._violations.extend(error.violations)
            return default

    def enum(self, kind: type[E], value: Any, field: str, code: str) -> E:
        """A member of an enumeration, by its exact spelling."""
        if type(value) is kind:
            return value
        if isinstance(value, str):
            member = kind._value2member_map_.get(value)
            if member is not None:
                return member  # type: ignore[return-value]
        members = list(kind)
        self.fail(code, field, value, "one of " + ", ".join(member.value for member in members))
        return members[0]

    def integer(self, value: Any, field: str, code: str, low: int, high: int) -> int:
        """A whole number in a closed range; booleans and numeric strings are not numbers."""
        if type(value) is int and low <= value <= high:
            return value
        self.fail(code, field, value, f"a whole number from {low} to {high}")
        return low

    def fraction(self, value: Any, field: str, code: str) -> float:
        """A finite number from 0.0 to 1.0."""
        if type(value) in (int, float) and 0.0 <= value <= 1.0:
            return float(value)
        self.fail(code, field, value, "a number from 0.0 to 1.0")
        return 0.0

    def text(self, value: Any, field: str, code: str, longest: int = MAX_CONTENT) -> str:
        """Plain text with something in it, normalised."""
        if not isinstance(value, str):
            self.fail(code, field, value, "text")
            return ""
        try:
            text = normalise(value)
        except ValueError as error:
            self.fail(code, field, value, str(error))
            return ""
        blank = is_blank(text)
        if blank or len(text) > longest:
            seen = "nothing but blanks" if blank else f"{len(text)} characters"
            self._violations.append(Violation(code, field, seen, f"1 to {longest} characters of text"))
        return text

    def optional_text(self, value: Any, field: str, code: str, longest: int) -> str | None:
        """As `text`, or None."""
        return None if value is None else self.text(value, field, code, longest)

    def opaque(self, value: Any, field: str) -> str | None:
        """A caller's own id, or None."""
        return None if value is None else self.attempt(check_opaque_id, value, field, "")

    def uuid(self, value: Any, field: str) -> str:
        """A full UUID."""
        return self.attempt(check_uuid, value, field, "")

    def time(self, value: Any, field: str, default: datetime) -> datetime:
        """An aware time."""
        return self.attempt(parse_time, value, field, default)
