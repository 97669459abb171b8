"""Answers without a language model: what is remembered is quoted with its id; what is not known is said to be so."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from recollect.model.memory import Memory, MemoryType
from recollect.prompt import RetrievedContext, SearchResult
from recollect.prompt.render import one_line

_COMMAND = re.compile(
    r"^\s*(?:(?:can|could|will|would)\s+you\s+)?(?:please\s+)?"
    r"(?:remember(?:\s+that|\s+this)?|(?:don'?t|do\s+not)\s+forget(?:\s+that)?|keep\s+in\s+mind(?:\s+that)?|"
    r"note(?:\s+that\s|\s*:)|save\s+this|make\s+a\s+note(?:\s+that)?)(?:\s*[:,]\s*|\s+)(?P<fact>\S.*)$",
    re.IGNORECASE | re.DOTALL,
)
# "Remember when …?" and "Remember me?" ask, they do not tell.
_ASKED_BACK = re.compile(r"^(?:when|how|what|who|where|why|me|us|him|her|them|it|the\s+time)\b", re.IGNORECASE)
_STARTS_AS_QUESTION = re.compile(
    r"^\s*(?:and\s+|so\s+|but\s+)?(?:what|who|whom|whose|where|when|why|how|which|do|does|did|is|are|am|was|were|can|could|"
    r"will|would|should|tell\s+me|remind\s+me)\b",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_GREETING = re.compile(
    r"^\W*(?:hi|hello|hey|good\s+(?:morning|evening|afternoon|night)|bye|goodbye|thanks|thank\s+you|how\s+are\s+you|"
    r"have\s+a\s+(?:nice|good)\s+\w+)\b[^.?!]{0,20}\W*$",
    re.IGNORECASE,
)
_FORGET = re.compile(r"^\s*(?:please\s+)?forget\b", re.IGNORECASE)
_ABOUT_ME = re.compile(r"\b(?:about\s+me|who\s+am\s+i|know\s+me)\b", re.IGNORECASE)
_FEWEST_WORDS = 2
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
    """What a message asks to be remembered, if it does; a question that stands behind it is not part of that."""
    found = _COMMAND.match(message)
    if found is None:
        return None
    polite = message.rstrip().endswith("?") and len(_SENTENCE.split(found["fact"])) == 1
    if _ASKED_BACK.match(found["fact"]):
        return None
    told = [each for each in _SENTENCE.split(found["fact"].strip()) if polite or not each.endswith("?")]
    content = " ".join(told).rstrip("? ").strip()
    if len(content.split()) < _FEWEST_WORDS:
        return None
    kinds = (kind for kind, pattern in _TYPES.items() if re.search(pattern, content, re.IGNORECASE))
    return Noted(content[:1].upper() + content[1:], next(kinds, MemoryType.FACT))


def asks(message: str) -> bool:
    """Whether a message wants to know something."""
    last = _SENTENCE.split(message.strip())[-1]
    return last.endswith("?") or (not last.endswith(("!", ".")) and bool(_STARTS_AS_QUESTION.match(last)))


def respond(message: str, context: RetrievedContext, stored: Memory | None) -> str:
    """An answer from memory alone."""
    if stored is not None:
        return f"I'll remember that: {one_line(stored.content)} [{stored.memory_id}]"
    if _GREETING.match(message):
        return "Hello! Tell me something to remember, or ask me what I know."
    found = _near_best([*context.knowledge, *_told(context.messages)])
    if _FORGET.match(message):
        return _to_retract(context.knowledge[:_QUOTED])
    if not asks(message):
        return "I have noted what you said. Ask me about it later, or say “remember that …” to make sure."
    return "\n".join(_quoted(result) for result in found) or _notes(message, context)


def _to_retract(found: Sequence[SearchResult]) -> str:
    commands = "\n".join(f"  recollect retract {each.id}  ({one_line(each.content)})" for each in found)
    return f"Which of these do you mean?\n{commands}" if commands else "I don't know anything about that."


def _notes(message: str, context: RetrievedContext) -> str:
    if context.user_notes and _ABOUT_ME.search(message):
        return f"This is what I know about you:\n{context.user_notes}"
    return "I don't know anything about that yet."


def _quoted(result: SearchResult) -> str:
    """What was told by the user is quoted as theirs, and everything else is not."""
    own = result.source_type == "message" or (result.metadata["trust"], result.metadata["scope"]) == (
        "stated",
        "personal",
    )
    return f"{'You told me' if own else 'I have read'}: {one_line(result.content)} [{result.id}]"


def _near_best(found: Sequence[SearchResult]) -> list[SearchResult]:
    """The best few; what is far behind the best is not about the question."""
    best = max((result.similarity for result in found), default=0.0)
    return [result for result in found if result.similarity >= _NEAR * best][:_QUOTED]


def _told(messages: Sequence[SearchResult]) -> list[SearchResult]:
    """What the user said themself: no questions, which tell nothing, and nothing that was noted by itself."""
    said = [each for each in messages if each.metadata["role"] == "user" and each.metadata["match"] >= _MATCH]
    return [
        each
        for each in said
        if not asks(each.content) and not _FORGET.match(each.content) and to_be_noted(each.content) is None
    ]
