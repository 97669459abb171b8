"""What a recall answers: hits with their scores and reasons, edges, how it was obtained, what was left out."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

from recollect.model.edge import Edge
from recollect.model.memory import Memory
from recollect.model.session import Message


class Reasons(Protocol):
    """Why something was found: told only when somebody asks, since most hits are never asked."""

    def told(self) -> dict[str, Any]:
        """All reasons."""
        ...

    def evidence(self, arm: str) -> float:
        """What one arm said."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One result: what was found, how strongly, and why.

    For something that was said, `message` is what was said and `memory` what it was found by. `about` says who it is
    about: `Sarah (wife)`.
    """

    memory: Memory
    score: float
    reasons: Reasons = field(repr=False, compare=False)
    message: Message | None = None
    about: tuple[str, ...] = ()

    @property
    def why(self) -> dict[str, Any]:
        """The rank and the evidence of every arm that spoke for it, and each modifier."""
        return self.reasons.told()

    @property
    def kind(self) -> str:
        """What was found: a `memory`, a `message` or a `chunk` of a document."""
        return self.memory.kind.value


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall:
    """What was recalled for a query.

    `mode` says how: `hybrid` by words and meaning, `text-only` where there are no vectors, with `note` saying why.
    `omitted` counts what was left out, by reason.
    """

    query: str
    mode: str
    hits: list[Hit]
    edges: list[Edge] = field(default_factory=list)
    omitted: dict[str, int] = field(default_factory=dict)
    note: str | None = None
