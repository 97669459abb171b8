"""Ids: UUIDv7 for what Recollect makes, checked opaque strings for what callers bring."""

from __future__ import annotations

import os
import re
from functools import lru_cache
from typing import Any

from recollect.errors import InvalidInput
from recollect.forking import fork_safe_lock
from recollect.model.clock import Clock, to_micros

_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_ORCHESTRATOR = re.compile(r"[a-z0-9](?:[a-z0-9._-]{0,61}[a-z0-9_-])?")
_RESERVED_NAMES = frozenset(
    ["recollect.toml", "con", "prn", "aux", "nul", *(f"com{n}" for n in range(10)), *(f"lpt{n}" for n in range(10))]
)
_OPAQUE_LENGTH = 256
_RANDOM = (1 << 62) - 1
_VARIANT = 1 << 63


class IdFactory:
    """Makes UUIDv7 ids that sort by creation, also within a millisecond and when the clock jumps back.

    The 12 bits behind the milliseconds carry the fraction of the millisecond (RFC 9562, method 3) and are
    counted up when two ids fall into the same step.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = fork_safe_lock()
        self._last = 0

    def new(self) -> str:
        """The next id, greater than every id this factory made before."""
        return self.several(1)[0]

    def several(self, count: int) -> list[str]:
        """That many ids in order, for the price of one look at the clock and one call for randomness."""
        millis, micros = divmod(max(to_micros(self._clock.now()), 0), 1000)
        first = (millis << 12) | (micros << 12) // 1000
        with self._lock:
            first = max(first, self._last + 1)
            self._last = first + count - 1
        chance = os.urandom(8 * count)
        return [_uuid(first + n, chance[8 * n : 8 * n + 8]) for n in range(count)]


def _uuid(step: int, chance: bytes) -> str:
    high = ((step >> 12) & ((1 << 48) - 1)) << 16 | 0x7000 | (step & 0xFFF)
    digits = f"{high:016x}{int.from_bytes(chance) & _RANDOM | _VARIANT:016x}"
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def is_uuid(value: Any) -> bool:
    """Whether something is a full, lower-case UUID."""
    return isinstance(value, str) and _UUID.fullmatch(value) is not None


def check_uuid(value: Any, field: str) -> str:
    """A full, lower-case UUID; prefixes and other spellings are refused, since ids are never shortened."""
    if is_uuid(value):
        return str(value)
    raise InvalidInput.of("invalid_id", field, value, "a full lower-case UUID")


def check_orchestrator_id(value: Any, field: str = "orchestratorId") -> str:
    """An orchestrator id that names exactly one folder on every file system.

    Only lower-case ASCII is allowed, so no two ids differ by case or Unicode form alone; no dot at either
    end, no separators, none of the names that Windows keeps for devices.
    """
    if isinstance(value, str) and _names_one_folder(value):
        return value
    raise InvalidInput.of(
        "invalid_orchestrator_id",
        field,
        value,
        "1 to 63 of a-z, 0-9, '-', '_' and '.', beginning with a letter or digit and not ending with '.'",
        hint="for example 'home' or 'support-bot'",
    )


@lru_cache(maxsize=256)  # every memory carries the id of its orchestrator
def _names_one_folder(value: str) -> bool:
    return (
        _ORCHESTRATOR.fullmatch(value) is not None
        and not {value, value.split(".", 1)[0]} & _RESERVED_NAMES
        and ".." not in value
    )


def check_opaque_id(value: Any, field: str) -> str:
    """A caller's own id (user, chat, conversation, run): any printable text of bounded length, kept as given."""
    if isinstance(value, str) and value.strip() == value and 0 < len(value) <= _OPAQUE_LENGTH and value.isprintable():
        return value
    raise InvalidInput.of(
        "invalid_id", field, value, f"1 to {_OPAQUE_LENGTH} printable characters with no blank at either end"
    )
