"""Running a data set: every turn becomes a memory of its conversation's own scope, every question a recall."""

from __future__ import annotations

import resource
import tempfile
import time
import uuid
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from recollect.embedding.tokens import default_counter
from recollect.errors import InvalidInput
from recollect.evaluation.dataset import Conversation, Dataset, Inquiry
from recollect.evaluation.metrics import average, measures, percentile
from recollect.knowledge.secrets import masked
from recollect.model.source import Source
from recollect.model.text import MAX_CONTENT, is_blank
from recollect.prompt import within_budget
from recollect.recall import WEIGHTS, Recall
from recollect.system import MemorySystem
from recollect.system import open as open_memory

# Questions of this category ask about what was never said: they measure the floor, not recall.
UNANSWERABLE = "adversarial"
_TOP = 20
_BATCH = 500
_CONTEXT_TOKENS = 2000

Progress = Callable[[str, int, int], None]


@dataclass(slots=True)
class Report:
    """What was measured."""

    dataset: str
    overall: dict[str, float]
    categories: dict[str, dict[str, float]]
    floor: dict[str, float]
    latency_ms: dict[str, float]
    context: dict[str, float]
    memory_mb: float
    model: str | None
    seconds: dict[str, float] = field(default_factory=dict)
    ablation: dict[str, dict[str, float]] = field(default_factory=dict)


class StandingClock:
    """A clock that stands where the question does."""

    def __init__(self) -> None:
        self.moment = datetime.now(UTC)

    def now(self) -> datetime:
        """Where it was put."""
        return self.moment


def evaluate(
    dataset: Dataset,
    *,
    progress: Progress = lambda _what, _done, _total: None,
    arms: Iterable[str] | None = None,
    settings: Mapping[str, Any] | None = None,
    ablate: bool = False,
    server: str | None = None,
) -> Report:
    """Measures recall on a fresh store that vanishes afterwards; `ablate` also measures it without each arm.

    On a `server` the store is an orchestrator of its own, whose rows stay: give it a database to throw away.
    """
    clock = StandingClock()
    orchestrator = f"eval-{uuid.uuid4().hex}"
    with (
        tempfile.TemporaryDirectory(prefix="recollect-eval-") as root,
        open_memory(server or root, orchestrator=orchestrator, clock=clock, settings=settings, files=root) as memory,
    ):
        start = time.perf_counter()
        for number, conversation in enumerate(dataset.conversations, 1):
            store_conversation(memory, clock, conversation)
            progress("storing", number, len(dataset.conversations))
        stored = time.perf_counter()
        used = frozenset(WEIGHTS if arms is None else arms)
        run = _Run(memory, clock, used)
        run.ask_all(dataset, progress, "asking")
        seconds = {"store": round(stored - start, 2), "ask": round(time.perf_counter() - stored, 2)}
        report = run.report(dataset.name, memory.embedding_model, seconds)
        for arm in sorted(used) if ablate else ():
            without = _Run(memory, clock, used - {arm})
            without.ask_all(dataset, progress, f"no {arm}")
            report.ablation[arm] = without.report(dataset.name, None, {}).overall
        return report


def store_conversation(memory: MemorySystem, clock: StandingClock, conversation: Conversation) -> None:
    """Every turn as a memory of the conversation's own scope, in order; secrets are masked, as in any message."""
    for start in range(0, len(conversation.turns), _BATCH):
        drafts = [
            {
                "content": _storable(turn.text),
                "type": "Observation",
                "observed_at": turn.date or clock.now(),
                "source": Source(
                    source_type="channel_transcript",  # type: ignore[arg-type]
                    conversation_id=f"{conversation.id}/{turn.session}",
                    message_id=turn.id,
                    speaker=turn.speaker,
                    position=position,
                ),
            }
            for position, turn in enumerate(conversation.turns[start : start + _BATCH], start)
        ]
        for draft, receipt in zip(drafts, memory.remember_many(drafts, user=conversation.id), strict=True):
            if receipt.outcome == "refused":
                turn = draft["source"].message_id  # type: ignore[attr-defined]
                raise InvalidInput.of("invalid_dataset", "turn", turn, f"one that can be stored: {receipt.reason}")


def _storable(text: str) -> str:
    """What a turn is stored as: data sets hold empty turns, secrets and whole documents."""
    text = masked(text.replace("\x00", " "))[:MAX_CONTENT]
    return "…" if is_blank(text) else text


class _Run:
    """Asks questions and keeps what came of them."""

    def __init__(self, memory: MemorySystem, clock: StandingClock, arms: frozenset[str]) -> None:
        self._memory = memory
        self._clock = clock
        self._arms = arms
        self._rows: dict[str, list[dict[str, float]]] = defaultdict(list)
        self._silent: dict[bool, list[bool]] = {True: [], False: []}
        self._unfloored: list[dict[str, float]] = []
        self._latencies: list[float] = []
        self._tokens: list[int] = []

    def ask_all(self, dataset: Dataset, progress: Progress, what: str) -> None:
        """Every question of a data set."""
        total, done = sum(len(each.questions) for each in dataset.conversations), 0
        for conversation in dataset.conversations:
            for question in conversation.questions:
                self.ask(conversation, question)
                done += 1
                progress(what, done, total)

    def ask(self, conversation: Conversation, question: Inquiry) -> None:
        """One question: with the floor for what a user sees, and without it to measure what the floor costs."""
        self._clock.moment = asked_at(conversation, question)
        start = time.perf_counter()
        recalled = self._recall(conversation, question)
        self._latencies.append(1000 * (time.perf_counter() - start))
        self._tokens.append(within_budget(recalled, default_counter(), _CONTEXT_TOKENS).token_count)
        answerable = question.category != UNANSWERABLE
        self._silent[answerable].append(not recalled.hits)
        known = {turn.id for turn in conversation.turns}
        gold = frozenset(question.evidence) & known
        if gold and answerable:
            self._rows[question.category].append(measures(_ids(recalled, question, conversation), gold))
            free = self._recall(conversation, question, floor=False)
            self._unfloored.append(measures(_ids(free, question, conversation), gold))

    def _recall(self, conversation: Conversation, question: Inquiry, *, floor: bool = True) -> Recall:
        # Turns that were not yet said when the question was asked are passed over, so more are asked for.
        top = _TOP if question.before is None else _TOP + _later(conversation, question.before)
        return self._memory.recall(question.text, user=conversation.id, top_n=top, floor=floor, arms=self._arms)

    def report(self, name: str, model: str | None, seconds: dict[str, float]) -> Report:
        """All figures."""
        rows = [row for category in self._rows.values() for row in category]
        with_floor, without = average(rows), average(self._unfloored)
        return Report(
            dataset=name,
            overall=with_floor,
            categories={category: average(each) for category, each in sorted(self._rows.items())},
            floor={
                "silencedUnanswerable": _part(self._silent[False]),
                "silencedAnswerable": _part(self._silent[True]),
                "recall@10WithoutFloor": without.get("recall@10", 0.0),
            },
            latency_ms={
                "p50": round(percentile(self._latencies, 0.5), 2),
                "p95": round(percentile(self._latencies, 0.95), 2),
            },
            context={"tokensMean": round(sum(self._tokens) / max(1, len(self._tokens)), 1)},
            memory_mb=round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1),
            model=model,
            seconds=seconds,
        )


def asked_at(conversation: Conversation, question: Inquiry) -> datetime:
    """When a question is asked: at its own time, or on the day after the last turn."""
    if question.date is not None:
        return question.date
    latest = max((turn.date for turn in conversation.turns if turn.date), default=datetime.now(UTC))
    return latest + timedelta(days=1)


def _ids(recalled: Recall, question: Inquiry, conversation: Conversation) -> Sequence[str]:
    found = [hit.memory.source.message_id or "" for hit in recalled.hits]
    if question.before is not None:
        order = {turn.id: number for number, turn in enumerate(conversation.turns)}
        limit = order.get(question.before, len(order))
        found = [each for each in found if order.get(each, limit) < limit]
    return found[:_TOP]


def _later(conversation: Conversation, before: str) -> int:
    """How many turns were said from a turn on."""
    at = next((number for number, turn in enumerate(conversation.turns) if turn.id == before), len(conversation.turns))
    return len(conversation.turns) - at


def _part(values: Sequence[bool]) -> float:
    return round(sum(values) / len(values), 4) if values else 0.0
