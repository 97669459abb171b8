"""Values as a prompt may show them: on one line, cut, and quoted where they could be taken for something else."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

_LONGEST_LINE = 2_000
_UNKNOWN = "(unknown time)"
# What stands between items cannot stand inside one that is not quoted.
_PLAIN = re.compile(r"[\w .,:+/@%°€$£*#&!?'\u2019-]*")
_JOINERS = frozenset("\u200c\u200d")  # between letters and emoji they belong to the text
_MINUTE, _HOUR, _DAY, _WEEK, _MONTH = 60, 3600, 86400, 604800, 2592000


def one_line(text: str, longest: int = _LONGEST_LINE) -> str:
    """A text on one line: no line of it can pass for a heading, a role or a citation of its own.

    What cannot be seen (controls, marks that turn the reading order) is left out.
    """
    line = " ".join(text[: 4 * longest].split()).replace("[", "(").replace("]", ")")
    if not (line.isascii() and line.isprintable()):
        line = "".join(c for c in line if c in _JOINERS or unicodedata.category(c) not in {"Cc", "Cf", "Cs", "Co"})
    return line if len(line) <= longest else line[: longest - 1] + "…"


def shown(value: Any, longest: int) -> str:
    """A value of an item: plain where it can be, as JSON where something in it could pass for another item."""
    if isinstance(value, str):
        line = one_line(value, longest)
        return line if _PLAIN.fullmatch(line) else quoted(line, longest)
    if isinstance(value, bool) or value is None or isinstance(value, int | float):
        return one_line(json.dumps(value, default=str), longest)
    if isinstance(value, Mapping | list | tuple):
        try:
            text = json.dumps(value, ensure_ascii=False, default=str)
        except (TypeError, ValueError, RecursionError):
            text = type(value).__name__
        return one_line(text, longest)
    return one_line(type(value).__name__, longest)


def quoted(value: Any, longest: int) -> str:
    """A text in quotation marks, whatever it holds."""
    text = value if isinstance(value, str) else shown(value, longest)
    return json.dumps(one_line(text, longest), ensure_ascii=False)


def name(value: Any, longest: int = 80) -> str:
    """An id, a key or a label: a word, with everything that could end it taken out."""
    text = value if isinstance(value, str) else shown(value, longest) if value is not None else ""
    return re.sub(r"[|;=(){}\"<>]+", "_", one_line(text, longest)) or "_"


def minute(value: Any) -> str:
    """A time to the minute, in UTC; what is none is said to be unknown."""
    moment = _moment(value)
    return _UNKNOWN if moment is None else f"{moment:%Y-%m-%dT%H:%MZ}"


def spoken_time(value: Any) -> str:
    """A time as people write it, in UTC."""
    moment = _moment(value)
    return _UNKNOWN if moment is None else f"{moment:%H:%M %b %d %Y}"


def age(value: Any, now: datetime) -> str | None:
    """How long ago a time is, in its two largest units; None for what is no time, or is still to come."""
    moment = _moment(value)
    seconds = -1 if moment is None else int((now - moment).total_seconds())
    if seconds < 0:
        return None
    for unit, size, smaller, part, always in (
        ("mo", _MONTH, "w", _WEEK, False),
        ("w", _WEEK, "d", _DAY, False),
        ("d", _DAY, "h", _HOUR, True),
        ("h", _HOUR, "m", _MINUTE, True),
    ):
        if seconds >= size:
            count, rest = divmod(seconds, size)
            fraction = rest // part
            return f"{count}{unit}" + (f"{fraction}{smaller}" if fraction or always else "")
    return f"{seconds // _MINUTE}m"


def _moment(value: Any) -> datetime | None:
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError:
            return None
    if not isinstance(value, datetime):
        return None
    try:
        return (value if value.tzinfo is not None else value.replace(tzinfo=UTC)).astimezone(UTC)
    except OverflowError:
        return None
