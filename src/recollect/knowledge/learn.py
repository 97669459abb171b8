"""Learning from conversations: facts from users' own words, each citing its message, below the threshold dropped."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from recollect.errors import RecollectError
from recollect.knowledge.draft import Draft, Receipt
from recollect.knowledge.extract import Fact, extract_facts
from recollect.knowledge.extract.model import propose
from recollect.knowledge.remember import Remember
from recollect.llm import ChatModel
from recollect.log import MemoryLog
from recollect.model.scope import Speaker
from recollect.model.source import CapturedBy, Source, SourceType

# What a prompt cites: a user who pastes it tells nothing new.
_CITED = re.compile(r"\[[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Utterance:
    """Something that was said: by a `user` or an `assistant`, and where it stands."""

    role: str
    text: str
    said_at: datetime | None = None
    message_id: str | None = None


class Learner:
    """Learns from what is said; by a model where there is one that answers, by rules otherwise."""

    def __init__(
        self, remember: Remember, log: MemoryLog, threshold: float, model: Callable[[], ChatModel | None]
    ) -> None:
        self._remember = remember
        self._log = log
        self._threshold = threshold
        self._model = model

    def learn(self, said: Sequence[Utterance], speaker: Speaker, conversation_id: str | None) -> list[Receipt]:
        """Stores what can be learned; a receipt for each fact that was sure enough."""
        drafts = [
            self._draft(said[number], fact, number, conversation_id)
            for number, fact in self._facts(said)
            if fact.confidence >= self._threshold and not _CITED.search(fact.content)
        ]
        return self._remember.many(drafts, speaker) if drafts else []

    def _facts(self, said: Sequence[Utterance]) -> list[tuple[int, Fact]]:
        try:
            model = self._model()
            if model is not None:
                return propose(model, [(each.role, each.text) for each in said])
        except RecollectError as error:
            self._log.write("memory.extraction.model_failed", level="warning", code=error.code)
        return [
            (number, fact)
            for number, each in enumerate(said)
            if each.role == "user" and not _CITED.search(each.text)
            for fact in extract_facts(each.text)
        ]

    def _draft(self, said: Utterance, fact: Fact, number: int, conversation_id: str | None) -> Draft:
        source = Source(
            source_type=SourceType.MANUAL if conversation_id is None else SourceType.CHANNEL_TRANSCRIPT,
            captured_by=CapturedBy.EXTRACTOR,
            conversation_id=conversation_id,
            message_id=said.message_id or (None if conversation_id is None else str(number)),
        )
        return Draft(content=fact.content, confidence=fact.confidence, source=source, observed_at=said.said_at)
