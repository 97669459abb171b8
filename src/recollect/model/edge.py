"""Edge: a typed relation between two memories."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from recollect.model.check import Checker

REASON_LENGTH = 1_000


class EdgeType(StrEnum):
    """The five kinds of relation."""

    RELATED_TO = "RelatedTo"
    UPDATES = "Updates"
    CONTRADICTS = "Contradicts"
    CAUSED_BY = "CausedBy"
    PART_OF = "PartOf"


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """A relation from one memory to another; valid by construction."""

    edge_id: str
    from_memory_id: str
    to_memory_id: str
    edge_type: EdgeType
    weight: float
    created_at: datetime
    reason: str | None = None

    def __post_init__(self) -> None:
        check = Checker()
        put = object.__setattr__
        check.uuid(self.edge_id, "edgeId")
        check.uuid(self.from_memory_id, "fromMemoryId")
        check.uuid(self.to_memory_id, "toMemoryId")
        if self.from_memory_id == self.to_memory_id:
            check.fail("invalid_edge", "toMemoryId", self.to_memory_id, "another memory than fromMemoryId")
        put(self, "edge_type", check.enum(EdgeType, self.edge_type, "edgeType", "invalid_edge_type"))
        put(self, "weight", check.fraction(self.weight, "weight", "invalid_weight"))
        put(self, "created_at", check.time(self.created_at, "createdAt", self.created_at))
        put(self, "reason", check.optional_text(self.reason, "reason", "invalid_reason", REASON_LENGTH))
        check.done()
