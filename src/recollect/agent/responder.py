"""Answers without a language model: what is remembered is quoted with its id; what is not known is said to be so."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from recollect.model.memory import Memory, MemoryType
from recollect.prompt import RetrievedContext, SearchResult
from recollect.prompt.render import one_line

_COMMAND = re.compile(
    r"^\s*(?:please\s+)?(?:remember|don'?t\s+forget|do\s+not\s+forget|keep\s+in\s+mind|note|save\s+this|make\s+a\s+note)"
    r"\b[\s:,]*(?:that\b|this\b|:)?[\s:,]*(?P<fact>.+)$",
    re.IGNORECASE | re.DOTALL,
)
_QUESTION = re.compile(
    r"\?\s*$|^\s*(?:what|who|whom|whose|where|when|why|how|which|do|does|did|is|are|am|was|were|can|could|will|would|"
    r"should|have|has|had|tell\s+me|remind\s+me)\b",
    re.IGNORECASE,
)
_TYPES = {
    MemoryType.PREFERENCE: r"\bI\s+(?:really\s+)?(?:prefer|like|love|enjoy|hate|dislike)\b|\bfavou?rite\b",
    MemoryType.IDENTITY: r"\bcall\s+me\b|\bmy\s+name\s+is\b|\bI(?:'m|\s+am)\s+(?:allergic|an?)\b",
    MemoryType.DECISION: r"\bwe\s+(?:have\s+)?(?:decided|agreed)\b",
    MemoryType.GOAL: r"\bmy\s+goal\b",
    MemoryType.TODO: r"\bI\s+(?:need|have)\s+to\b|\btodo\b",
}
_QUOTED = 3
_NEAR = 0.6
# A message that stands beside an answer is found, too; it is not quoted for that.
_MATCH = 0.3


@dataclass(frozen=True, slots=True)
class Noted:
    """Something the user asked to be remembered."""

    content: str
    type: MemoryType


def to_be_noted(message: str) -> Noted | None:
    """What a message asks to be remembered, if it does."""
    found = _COMMAND.match(message)
    if found is None:
        return None
    content = found["fact"].strip()
    kinds = (kind for kind, pattern in _TYPES.items() if re.search(pattern, content, re.IGNORECASE))
    kind = next(kinds, MemoryType.FACT)
    return Noted(content[:1].upper() + content[1:], kind)


def respond(message: str, context: RetrievedContext, stored: Memory | None) -> str:
    """An answer from memory alone."""
    if stored is not None:
        return f"I'll remember that: {one_line(stored.content)} [{stored.memory_id}]"
    if _QUESTION.search(message):
        found = _near_best([*context.knowledge, *_told(context.messages)])
        if found:
            return "\n".join(f"You told me: {one_line(result.content)} [{result.id}]" for result in found)
        return "I don't know anything about that yet."
    return "I have noted what you said. Ask me about it later, or say “remember that …” to make sure."


def _near_best(found: Sequence[SearchResult]) -> list[SearchResult]:
    """The best few; what is far behind the best is not about the question."""
    best = max((result.similarity for result in found), default=0.0)
    return [result for result in found if result.similarity >= _NEAR * best][:_QUOTED]


def _told(messages: Sequence[SearchResult]) -> list[SearchResult]:
    """What the user said themself: no questions, which tell nothing, and nothing that was noted by itself."""
    said = [each for each in messages if each.metadata["role"] == "user" and each.metadata["match"] >= _MATCH]
    return [each for each in said if not _QUESTION.search(each.content) and to_be_noted(each.content) is None]
