"""Answers without a language model: what is remembered is quoted with its id; what is not known is said to be so."""

from __future__ import annotations

import re
from collections.abc import Sequence

from recollect.knowledge import Receipt, asked_to_remember
from recollect.prompt import RetrievedContext, SearchResult
from recollect.prompt.lines import one_line

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
_QUOTED = 3
_NEAR = 0.6
# A message that stands beside an answer is found, too; it is not quoted for that.
_MATCH = 0.3


def to_be_noted(message: str) -> str | None:
    """What a message asks to be remembered, if it does; a question that stands behind it is not part of that."""
    noted = asked_to_remember(message)
    if noted is None:
        return None
    told = [each for each in _SENTENCE.split(noted.strip()) if not each.endswith("?")]
    content = " ".join(told).strip()
    return content if len(content.split()) >= _FEWEST_WORDS else None


def asks(message: str) -> bool:
    """Whether a message wants to know something."""
    last = _SENTENCE.split(message.strip())[-1]
    return last.endswith("?") or (not last.endswith(("!", ".")) and bool(_STARTS_AS_QUESTION.match(last)))


def respond(message: str, context: RetrievedContext, receipt: Receipt | None) -> str:
    """An answer from memory alone."""
    if receipt is not None:
        return _confirmed(receipt)
    if _GREETING.match(message):
        return "Hello! Tell me something to remember, or ask me what I know."
    found = _near_best([*context.knowledge, *_told(context.messages)])
    if _FORGET.match(message):
        return _to_forget(context.knowledge[:_QUOTED])
    if not asks(message):
        return "I have noted what you said. Ask me about it later, or say “remember that …” to make sure."
    return "\n".join(_quoted(result) for result in found) or _notes(message, context)


def _confirmed(receipt: Receipt) -> str:
    """What became of something that was to be remembered."""
    if receipt.memory is None:
        return f"I won't remember that: {receipt.reason}."
    lines = [f"I'll remember that: {one_line(receipt.memory.content)} [{receipt.memory.memory_id}]"]
    lines += [f"No longer: {one_line(old.content)} [{old.memory_id}]" for old in receipt.superseded]
    lines += [f"But also: {one_line(old.content)} [{old.memory_id}]" for old in receipt.contradicts]
    return "\n".join([*lines, *([receipt.question] if receipt.question else [])])


def _to_forget(found: Sequence[SearchResult]) -> str:
    commands = "\n".join(f"  recollect forget {each.id}  ({one_line(each.content)})" for each in found)
    return f"Which of these do you mean?\n{commands}" if commands else "I don't know anything about that."


def _notes(message: str, context: RetrievedContext) -> str:
    if context.user_notes and _ABOUT_ME.search(message):
        return f"This is what I know about you:\n{context.user_notes}"
    return "I don't know anything about that yet."


def _quoted(result: SearchResult) -> str:
    """What was told by the user is quoted as theirs, and everything else is not."""
    told = result.metadata["trust"] == "stated" or result.metadata["source"]["capturedBy"] == "extractor"
    own = result.source_type == "message" or (told and result.metadata["scope"] == "personal")
    about = ", ".join(result.metadata.get("about") or ())
    whom = f" (about {about})" if about else ""
    return f"{'You told me' if own else 'I have read'}: {one_line(result.content)}{whom} [{result.id}]"


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
