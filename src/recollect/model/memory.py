"""Memory: a typed node of knowledge; valid by construction."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

from recollect.model.check import Checker
from recollect.model.ids import check_orchestrator_id
from recollect.model.scope import Scope
from recollect.model.source import Source, Trust
from recollect.model.status import Status


class MemoryType(StrEnum):
    """The eight kinds of knowledge."""

    FACT = "Fact"
    PREFERENCE = "Preference"
    DECISION = "Decision"
    IDENTITY = "Identity"
    EVENT = "Event"
    OBSERVATION = "Observation"
    GOAL = "Goal"
    TODO = "Todo"


class Kind(StrEnum):
    """What a memory is: knowledge itself, something that was said, or a part of a document."""

    MEMORY = "memory"
    MESSAGE = "message"
    CHUNK = "chunk"


class Sensitivity(StrEnum):
    """How carefully a memory wants to be handled by those who may see it."""

    PUBLIC = "public"
    PERSONAL = "personal"
    SENSITIVE = "sensitive"


DEFAULT_IMPORTANCE = 50
_SUMMARY_LIMIT = 1_000
_ENUMS: tuple[tuple[str, type[StrEnum], str], ...] = (
    ("type", MemoryType, "invalid_memory_type"),
    ("status", Status, "invalid_status"),
    ("sensitivity", Sensitivity, "invalid_sensitivity"),
    ("kind", Kind, "invalid_kind"),
)
_TIMES = (
    ("observed_at", "observedAt"),
    ("created_at", "createdAt"),
    ("updated_at", "updatedAt"),
    ("expires_at", "expiresAt"),
    ("valid_from", "validFrom"),
    ("valid_to", "validTo"),
)
_OPTIONAL_TIMES = frozenset({"expires_at", "valid_from", "valid_to"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """What is known, who may see it, where it came from, and when it was said, true and recorded."""

    memory_id: str
    orchestrator_id: str
    type: MemoryType
    importance: int
    content: str
    summary: str
    confidence: float
    source: Source
    status: Status
    scope: Scope
    sensitivity: Sensitivity
    observed_at: datetime
    created_at: datetime
    updated_at: datetime
    expires_at: datetime | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    kind: Kind = Kind.MEMORY

    def __post_init__(self) -> None:
        check = Checker()
        put = object.__setattr__
        check.uuid(self.memory_id, "memoryId")
        check.attempt(check_orchestrator_id, self.orchestrator_id, "orchestratorId", "")
        for field, kind, code in _ENUMS:
            value = getattr(self, field)
            if type(value) is not kind:
                put(self, field, check.enum(kind, value, field, code))
        check.integer(self.importance, "importance", "invalid_importance", 0, 100)
        put(self, "content", check.text(self.content, "content", "invalid_content"))
        put(self, "summary", " ".join(check.text(self.summary, "summary", "invalid_summary", _SUMMARY_LIMIT).split()))
        put(self, "confidence", check.fraction(self.confidence, "confidence", "invalid_confidence"))
        if type(self.source) is not Source:
            check.fail("invalid_source", "source", self.source, "a Source")
        if type(self.scope) is not Scope:
            check.fail("invalid_scope", "scope", self.scope, "a Scope")
        self._check_times(check)
        check.done()

    def _check_times(self, check: Checker) -> None:
        for field, name in _TIMES:
            value = getattr(self, field)
            if type(value) is not datetime or value.tzinfo is not UTC:
                optional = value is None and field in _OPTIONAL_TIMES
                object.__setattr__(self, field, None if optional else check.time(value, name, value))
        start, end = self.valid_from, self.valid_to
        if isinstance(start, datetime) and isinstance(end, datetime) and start.tzinfo and end.tzinfo and end < start:
            check.fail("invalid_time", "validTo", end.isoformat(), f"not before validFrom ({start.isoformat()})")

    @property
    def trust(self) -> Trust:
        """How far it may be trusted: follows from the source."""
        return self.source.trust
