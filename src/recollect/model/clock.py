"""Time: one injected clock, UTC everywhere, microseconds in storage."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, Protocol

from recollect.errors import InvalidInput

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


class Clock(Protocol):
    """The only source of the current time."""

    def now(self) -> datetime:
        """The current moment, aware, in UTC."""
        ...


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        """The current moment, in UTC."""
        return datetime.now(UTC)


def to_micros(moment: datetime) -> int:
    """Microseconds since 1970, exact (a float would lose the last digits)."""
    return (moment - _EPOCH) // _MICROSECOND


def from_micros(micros: int) -> datetime:
    """The moment that `to_micros` counted."""
    return _EPOCH + timedelta(microseconds=micros)


def to_iso(moment: datetime) -> str:
    """ISO 8601 in UTC with microseconds and `Z`: the same length for every moment, so text order is time order."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds").removesuffix("+00:00") + "Z"


def parse_time(value: Any, field: str) -> datetime:
    """Reads an aware datetime or an ISO 8601 text with a zone (a bare date is midnight UTC)."""
    if type(value) is datetime and value.tzinfo is UTC:
        return value
    if isinstance(value, str):
        value = _parse_iso(value, field)
    if not isinstance(value, datetime):
        raise InvalidInput.of("invalid_time", field, value, "a datetime or an ISO 8601 text")
    if value.tzinfo is None or value.utcoffset() is None:
        raise InvalidInput.of(
            "invalid_time", field, value, "a time with a zone", hint="add a zone, for example +00:00 or Z"
        )
    try:
        return value.astimezone(UTC)
    except OverflowError:
        raise InvalidInput.of("invalid_time", field, value, "a time between the years 1 and 9999") from None


def _parse_iso(text: str, field: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise InvalidInput.of(
            "invalid_time",
            field,
            text,
            "an ISO 8601 time",
            hint="for example 2026-05-17 or 2026-05-17T09:00:00Z",
        ) from None
    is_date_only = moment.tzinfo is None and len(text) <= len("2026-05-17")
    return moment.replace(tzinfo=UTC) if is_date_only else moment
