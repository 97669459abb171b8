"""Memory in an orchestrator: what selectors, workflow steps and diagnostics are given, and what they write back.

Memory never holds up execution: what fails is logged, the status says so, and the work goes on without it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from recollect.errors import RecollectError
from recollect.knowledge import Link, Receipt
from recollect.model.edge import EdgeType
from recollect.model.memory import Memory, MemoryType
from recollect.model.source import CapturedBy, Source, SourceType
from recollect.model.terms import terms
from recollect.prompt.bulletin import Bulletin, empty
from recollect.prompt.lines import one_line
from recollect.system import MemorySystem
from recollect.system import open as open_memory

T = TypeVar("T")

LONGEST_PROMPT = 4_000
_MOST_CITED = 32
_EVIDENCE = 8
_LONGEST_EVIDENCE = 240
_LONGEST_OUTPUT = 2_000
_LATELY = 1_000
# What a key of a step's output says of its value: type and importance.
_BY_KEY: tuple[tuple[str, MemoryType, int], ...] = (
    ("decision", MemoryType.DECISION, 75),
    ("todo", MemoryType.TODO, 65),
    ("goal", MemoryType.GOAL, 70),
    ("preference", MemoryType.PREFERENCE, 60),
)
_OTHERWISE = (MemoryType.FACT, 55)


@dataclass(frozen=True, slots=True, kw_only=True)
class Inbound:
    """A message that came in by a channel."""

    message_id: str
    channel: str
    text: str
    user: str
    chat: str | None = None
    conversation_id: str | None = None

    @property
    def conversation(self) -> str:
        """The conversation it belongs to: its own, or that of this user on this channel."""
        return self.conversation_id or f"{self.channel}:{self.chat or self.user}"


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryContext:
    """What memory has for a prompt: the bulletin, what it cites, and evidence where that was asked for."""

    bulletin: Bulletin
    citations: list[str] = field(default_factory=list)
    evidence: list[dict[str, Any]] = field(default_factory=list)
    status: str = "ok"

    @property
    def text(self) -> str:
        """The part of a prompt that memory gives; empty where it has nothing."""
        return self.bulletin.text


class MemoryHooks:
    """What an orchestrator calls before and after its work. `status` is `ok`, or says why memory is not used."""

    def __init__(self, memory: MemorySystem | None, status: str = "ok") -> None:
        self.memory = memory
        self.status = status if memory is not None else status.replace("ok", "memory disabled")

    @classmethod
    def open(cls, root: str | os.PathLike[str], *, orchestrator: str, **options: Any) -> MemoryHooks:
        """Hooks over a memory; over none, with the reason, where it cannot be opened."""
        try:
            return cls(open_memory(root, orchestrator=orchestrator, **options))
        except RecollectError as error:
            return cls(None, f"memory disabled: {error.code}")

    def close(self) -> None:
        """Lets the memory go."""
        if self.memory is not None:
            self.memory.close()

    # Before

    def selector_context(self, inbound: Inbound) -> MemoryContext:
        """What the selector of a workflow is given for a message."""
        return self._context(inbound, inbound.text)

    def step_context(self, inbound: Inbound, step_prompt: str) -> MemoryContext:
        """What a step of a workflow is given: what the message needs, or where it says nothing, what the step does.

        The words of a step's prompt are the same for every message, and would only dilute what is looked for.
        """
        return self._context(inbound, inbound.text if terms(inbound.text) else step_prompt)

    def diagnostics_context(self, question: str, user: str, chat: str | None = None) -> MemoryContext:
        """Bounded evidence for an investigation, each piece with its provenance."""

        def work(memory: MemorySystem) -> MemoryContext:
            recalled = memory.recall(question, user=user, chat=chat, top_n=_EVIDENCE, floor=False)
            bulletin = memory.bulletin(question, user=user, chat=chat, recalled=recalled, snapshot=False)
            evidence = [_evidence(hit.memory, hit.score) for hit in recalled.hits]
            return MemoryContext(bulletin=bulletin, citations=bulletin.citations[:_MOST_CITED], evidence=evidence)

        return self._safely("diagnostics", work, self._nothing())

    def _context(self, inbound: Inbound, text: str) -> MemoryContext:
        def work(memory: MemorySystem) -> MemoryContext:
            made = memory.bulletin(
                text,
                user=inbound.user,
                chat=inbound.chat,
                conversation_id=inbound.conversation,
                max_chars=LONGEST_PROMPT,
            )
            return MemoryContext(bulletin=made, citations=made.citations[:_MOST_CITED], status=made.fallback or "ok")

        return self._safely("context", work, self._nothing())

    # After

    def capture_inbound(self, inbound: Inbound) -> list[Receipt]:
        """Keeps what somebody said, and what it tells; after it was looked up, never before. Once, however often."""

        def work(memory: MemorySystem) -> list[Receipt]:
            source = Source(
                source_type=SourceType.CHANNEL_TRANSCRIPT,
                captured_by=CapturedBy.SYSTEM,
                conversation_id=inbound.conversation,
                message_id=inbound.message_id,
            )
            kept = memory.remember(
                inbound.text,
                user=inbound.user,
                chat=inbound.chat,
                type=MemoryType.OBSERVATION,
                importance=45,
                confidence=0.7,
                verbatim=True,
                source=source,
                key=f"channel_transcript:{inbound.channel}:{inbound.message_id}",
            )
            if kept.outcome != "stored":  # it came before: what it told may have changed since
                return [kept]
            told = memory.extract(
                [("user", inbound.text)],
                user=inbound.user,
                chat=inbound.chat,
                conversation_id=inbound.conversation,
            )
            return [kept, *told]

        return self._safely("capture", work, [])

    def write_back_step(
        self, inbound: Inbound, run_id: str, step_id: str, output: Mapping[str, Any], *, attempt: int = 1
    ) -> list[Memory]:
        """Keeps what a step has produced, key by key. Another attempt of the step updates the same memories."""

        def work(memory: MemorySystem) -> list[Memory]:
            said = [(f"{key}:{n}", text) for key, value in output.items() for n, text in enumerate(_texts(value))]
            kept = [self._written(memory, inbound, run_id, step_id, key, text, attempt) for key, text in said]
            stored = [each for each in kept if each is not None]
            if attempt > 1:
                self._withdraw(memory, inbound, run_id, step_id, {each.memory_id for each in stored})
            return stored

        return self._safely("write_back", work, [])

    def _written(
        self, memory: MemorySystem, inbound: Inbound, run_id: str, step_id: str, key: str, text: str, attempt: int
    ) -> Memory | None:
        kind, importance = next(
            ((kind, importance) for part, kind, importance in _BY_KEY if part in key.lower()), _OTHERWISE
        )
        source = Source(
            source_type=SourceType.WORKFLOW_OUTPUT,
            captured_by=CapturedBy.EXTRACTOR,
            conversation_id=inbound.conversation,
            workflow_run_id=run_id,
            step_id=step_id,
        )
        receipt = memory.remember(
            text,
            user=inbound.user,
            chat=inbound.chat,
            type=kind,
            importance=importance,
            confidence=0.75,
            expires="never",
            source=source,
            key=f"workflow_output:{run_id}:{step_id}:{key}",
        )
        stored = receipt.memory
        if stored is None or receipt.outcome != "merged" or stored.content == text or stored.source.step_id != step_id:
            return stored
        reason = f"attempt {attempt} of {step_id}"
        return memory.edit(stored.memory_id, user=inbound.user, chat=inbound.chat, content=text, reason=reason)

    @staticmethod
    def _withdraw(memory: MemorySystem, inbound: Inbound, run_id: str, step_id: str, kept: set[str]) -> None:
        """What an earlier attempt said and this one does not is retracted."""
        who: dict[str, Any] = {"user": inbound.user, "chat": inbound.chat}
        for each in memory.list(**who, limit=_LATELY):
            own = (each.source.workflow_run_id, each.source.step_id) == (run_id, step_id)
            if own and each.memory_id not in kept:
                memory.retract(each.memory_id, **who, reason=f"not in the last attempt of {step_id}")

    def write_back_diagnostics(
        self, finding: str, finding_id: str, user: str, *, chat: str | None = None, evidence: Sequence[str] = ()
    ) -> Memory | None:
        """Keeps what an investigation has found, related to the memories it was found by."""

        def work(memory: MemorySystem) -> Memory | None:
            links = [Link(to_memory_id=each, edge_type=EdgeType.RELATED_TO, weight=0.7) for each in evidence]
            source = Source(
                source_type=SourceType.DIAGNOSTICS, captured_by=CapturedBy.SYSTEM, workflow_run_id=finding_id
            )
            receipt = memory.remember(
                finding,
                user=user,
                chat=chat,
                type=MemoryType.OBSERVATION,
                importance=70,
                confidence=0.8,
                expires="never",
                verbatim=True,
                links=links,
                source=source,
                key=f"diagnostics:{finding_id}",
            )
            stored = receipt.memory
            if stored is None or receipt.outcome != "merged" or stored.content == finding:
                return stored
            return memory.edit(stored.memory_id, user=user, chat=chat, content=finding, reason="found again")

        return self._safely("diagnostics_write_back", work, None)

    def _safely(self, what: str, work: Callable[[MemorySystem], T], otherwise: T) -> T:
        """What memory has, or nothing: its failure is logged, told by the status, and fails nobody."""
        if self.memory is None:
            return otherwise
        try:
            result = work(self.memory)
        except Exception as error:  # noqa: BLE001  execution goes on, whatever it was
            code = getattr(error, "code", type(error).__name__)
            self.status = f"memory degraded: {code}"
            self.memory.log.write("memory.orchestrator.failed", level="warning", action=what, code=code)
            return otherwise
        self.status = "ok"
        return result

    def _nothing(self) -> MemoryContext:
        return MemoryContext(bulletin=empty("memory is not available"), status=self.status)


def _evidence(memory: Memory, score: float) -> dict[str, Any]:
    source = memory.source
    return {
        "memoryId": memory.memory_id,
        "type": memory.type.value,
        "text": one_line(memory.content, _LONGEST_EVIDENCE),
        "confidence": memory.confidence,
        "score": round(score, 4),
        "sourceType": source.source_type.value,
        "sourcePath": source.source_path,
        "conversationId": source.conversation_id,
        "workflowRunId": source.workflow_run_id,
        "stepId": source.step_id,
        "messageId": source.message_id,
    }


def _texts(value: Any) -> list[str]:
    """What a step's output says, piece by piece; structures and blanks say nothing that lasts."""
    values = value if isinstance(value, list | tuple) else [value]
    texts = [
        str(each).strip()
        for each in values
        if isinstance(each, str | int | float) and each is not True and each is not False
    ]
    return [each[:_LONGEST_OUTPUT] for each in texts if each]
