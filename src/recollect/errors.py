"""Every error that Recollect raises, in one tree; this file imports nothing of ours, so anything may import it.

RecollectError                 everything below; has `code`, `hint` and `to_json()`
├── InvalidInput               the caller's values break a rule; lists every violation
├── ConfigError                a setting is unknown, of the wrong type or not allowed
├── NotFound                   no such memory, or not one this caller may see: both look the same
├── Refused                    content that may not be stored: it holds a secret, or was forgotten for good
├── IllegalTransition          a status may not change that way
├── ScopeDenied                a call reached for another orchestrator, or came without an identity
├── MemoryDisabled             memory is switched off by configuration
├── SessionError               no such session, or not one of this agent
│   ├── Unsupported            a session's stores do not offer an operation
│   └── DamagedSession         a session's file no longer reads; it is kept as it is
└── StorageError               the store cannot do it
    ├── CorruptDatabase        the database file is damaged or is not a database
    ├── ForeignDatabase        a sound database, but not of this program or not of this orchestrator
    ├── DamagedMemory          one stored row was changed behind our back; it is withheld
    ├── NewerSchema            written by a newer version of Recollect
    ├── StorageBusy            another process held the store for too long
    └── StorageUnavailable     disk full, I/O error, permission: the write did not happen
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

_SHOWN_VALUE = 80


def shown(value: object) -> str:
    """A value as error messages show it: its repr, cut to one short line."""
    try:
        text = repr(value[:_SHOWN_VALUE]) if isinstance(value, str) else repr(value)
    except Exception:  # noqa: BLE001  a number of five thousand digits, or an object that cannot show itself
        text = f"a value of type {type(value).__name__}"
    return text if len(text) <= _SHOWN_VALUE else text[: _SHOWN_VALUE - 1] + "…"


class RecollectError(Exception):
    """Something Recollect refused or could not do."""

    default_code: ClassVar[str] = "error"

    def __init__(self, message: str, *, code: str | None = None, hint: str | None = None, **details: Any) -> None:
        super().__init__(message)
        self.message = message
        self.code = code or self.default_code
        self.hint = hint
        self.details = details

    def to_json(self) -> dict[str, Any]:
        """The error as every way in reports it: `{"code", "message", "hint", ...}`."""
        return {"code": self.code, "message": self.message, "hint": self.hint, **self.details}


@dataclass(frozen=True, slots=True)
class Violation:
    """One broken rule: which field, which value, what would have been allowed."""

    code: str
    field: str
    value: str
    allowed: str

    @property
    def message(self) -> str:
        """One sentence that names field, value and allowed range."""
        return f"{self.field} must be {self.allowed}; got {self.value}"

    def to_json(self) -> dict[str, str]:
        """The violation in camelCase JSON."""
        return {"code": self.code, "field": self.field, "value": self.value, "allowed": self.allowed}


class InvalidInput(RecollectError):
    """The caller's values break a rule; `violations` lists every one, `code` is that of the first."""

    default_code = "invalid_input"

    def __init__(self, violations: Iterable[Violation], *, hint: str | None = None) -> None:
        self.violations = tuple(violations)
        super().__init__(
            "; ".join(violation.message for violation in self.violations),
            code=self.violations[0].code,
            hint=hint,
            violations=[violation.to_json() for violation in self.violations],
        )

    @classmethod
    def of(cls, code: str, field: str, value: object, allowed: str, *, hint: str | None = None) -> InvalidInput:
        """An error with a single violation."""
        return cls([Violation(code, field, shown(value), allowed)], hint=hint)


class ConfigError(RecollectError):
    """A setting is unknown, of the wrong type or not allowed."""

    default_code = "invalid_config"


class Refused(RecollectError):
    """Content that may not be stored: it holds a secret, or was forgotten for good. A receipt says so, too."""

    default_code = "refused"


class NotFound(RecollectError):
    """No such memory, or not one this caller may see: both look the same, so that ids are no oracle."""

    default_code = "memory_not_found"


class IllegalTransition(RecollectError):
    """A status may not change that way."""

    default_code = "illegal_transition"


class ScopeDenied(RecollectError):
    """A call reached for another orchestrator, or came without an identity."""

    default_code = "scope_denied"


class MemoryDisabled(RecollectError):
    """Memory is switched off by configuration."""

    default_code = "memory_disabled"


class SessionError(RecollectError):
    """No such session, or not one of this agent."""

    default_code = "session_not_found"


class Unsupported(SessionError):
    """A session's stores do not offer an operation."""

    default_code = "unsupported_operation"


class DamagedSession(SessionError):
    """A session's file no longer reads; it is kept as it is, and nothing is written over it."""

    default_code = "session_damaged"


class StorageError(RecollectError):
    """The store cannot do it."""

    default_code = "storage_error"


class CorruptDatabase(StorageError):
    """The database file is damaged or is not a database."""

    default_code = "memory_db_corrupt"


class ForeignDatabase(StorageError):
    """A sound database, but not of this program or not of this orchestrator."""

    default_code = "memory_db_foreign"


class DamagedMemory(StorageError):
    """One stored row was changed behind our back; it is withheld."""

    default_code = "memory_damaged"


class NewerSchema(StorageError):
    """The database was written by a newer version of Recollect."""

    default_code = "memory_db_newer"


class StorageBusy(StorageError):
    """Another process held the store for too long."""

    default_code = "storage_busy"


class StorageUnavailable(StorageError):
    """Disk full, I/O error or permission: the write did not happen."""

    default_code = "storage_unavailable"
