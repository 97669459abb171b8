"""Context within a token budget: what a model should know before it answers, least relevant left out first."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from recollect.embedding.tokens import TokenCounter
from recollect.model.wire import dump
from recollect.recall import Hit, Recall

# The arms that speak of a hit itself; others speak of what stands beside it.
_OF_ITSELF = ("text", "vector")


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


def within_budget(
    recalled: Recall, counter: TokenCounter, max_tokens: int, user_notes: str | None = None
) -> RetrievedContext:
    """Keeps the most relevant hits that fit, in their order; what is too long alone makes room for shorter ones.

    What is noted of the user comes first, in up to a quarter of the budget.
    """
    notes, used = _fitting_lines(user_notes, counter, max_tokens // 4)
    kept: list[SearchResult] = []
    for hit in recalled.hits:
        cost = counter.count(hit.memory.content)
        if used + cost <= max_tokens:
            kept.append(as_result(hit))
            used += cost
    return RetrievedContext(
        messages=[result for result in kept if result.source_type == "message"],
        knowledge=[result for result in kept if result.source_type != "message"],
        user_notes=notes,
        token_count=used,
        counted_by=counter.name,
        mode=recalled.mode,
        omitted=len(recalled.hits) - len(kept),
    )


def _fitting_lines(text: str | None, counter: TokenCounter, most: int) -> tuple[str | None, int]:
    lines: list[str] = []
    used = 0
    for line in (text or "").splitlines():
        cost = counter.count(line)
        if used + cost <= most:
            lines.append(line)
            used += cost
    return "\n".join(lines) or None, used


def as_result(hit: Hit) -> SearchResult:
    """A hit in the form a prompt is built from."""
    memory = hit.memory
    metadata = {
        "kind": hit.kind,
        "match": max(hit.reasons.evidence(arm) for arm in _OF_ITSELF),
        "type": memory.type.value,
        "scope": memory.scope.kind.value,
        "trust": memory.trust.value,
        "observedAt": dump(memory.observed_at),
        "source": dump(memory.source),
        "about": list(hit.about),
    }
    if hit.message is not None:
        metadata |= {"role": hit.message.role.value, "sessionId": hit.message.session_id}
        return SearchResult(hit.message.message_id, hit.message.content, hit.score, "message", metadata)
    return SearchResult(memory.memory_id, memory.content, hit.score, "knowledge", metadata)
