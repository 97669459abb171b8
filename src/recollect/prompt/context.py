"""Context within a token budget: what a model should know before it answers, least relevant left out first."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from recollect.model.wire import dump
from recollect.prompt.tokens import TokenCounter
from recollect.recall import Hit, Recall


@dataclass(frozen=True, slots=True)
class SearchResult:
    """One thing that was found, in the form a prompt is built from."""

    id: str
    content: str
    similarity: float
    source_type: str
    metadata: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RetrievedContext:
    """What was found within the budget; `token_count` is what its contents take, counted by `counted_by`."""

    messages: list[SearchResult]
    knowledge: list[SearchResult]
    user_notes: str | None
    token_count: int
    counted_by: str
    mode: str
    omitted: int


def within_budget(recalled: Recall, counter: TokenCounter, max_tokens: int) -> RetrievedContext:
    """Keeps the most relevant hits that fit, in their order; what is too long alone makes room for shorter ones."""
    kept: list[SearchResult] = []
    used = 0
    for hit in recalled.hits:
        cost = counter.count(hit.memory.content)
        if used + cost <= max_tokens:
            kept.append(_result(hit))
            used += cost
    return RetrievedContext(
        messages=[],
        knowledge=kept,
        user_notes=None,
        token_count=used,
        counted_by=counter.name,
        mode=recalled.mode,
        omitted=len(recalled.hits) - len(kept),
    )


def _result(hit: Hit) -> SearchResult:
    memory = hit.memory
    metadata = {
        "type": memory.type.value,
        "scope": memory.scope.kind.value,
        "trust": memory.trust.value,
        "observedAt": dump(memory.observed_at),
        "source": dump(memory.source),
    }
    return SearchResult(memory.memory_id, memory.content, hit.score, "knowledge", metadata)
