"""A small orchestrator with memory, to copy from: channel -> queue -> selection -> workflow dispatch.

Before anything is chosen or run, memory says what to have in mind; afterwards what was said, decided and found is
written back. Everything works the same when memory does not.
"""

from __future__ import annotations

import hashlib
import queue
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from recollect.agent.channels import Channel
from recollect.agent.hooks import Inbound, MemoryContext, MemoryHooks
from recollect.model.terms import terms

_ATTEMPTS = 2


@dataclass(frozen=True, slots=True)
class StepRun:
    """One attempt at one step: the message, what memory has for it, and what the steps before have produced."""

    inbound: Inbound
    memory: MemoryContext
    before: Mapping[str, Mapping[str, Any]]
    attempt: int


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a workflow. What it returns is its output, by key, such as `decision`, `todo` or `answer`."""

    step_id: str
    prompt: str
    run: Callable[[StepRun], Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Workflow:
    """Steps in order; `about` is what a message is chosen for it by."""

    name: str
    about: str
    steps: Sequence[Step]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of a message."""

    inbound: Inbound
    workflow: str
    answer: str
    outputs: dict[str, dict[str, Any]] = field(default_factory=dict)
    memory_status: str = "ok"
    error: str | None = None


Selector = Callable[[Inbound, MemoryContext, Sequence[Workflow]], Workflow]


def by_words(inbound: Inbound, memory: MemoryContext, workflows: Sequence[Workflow]) -> Workflow:
    """The workflow whose description shares most words with the message, and then with what memory has for it."""
    said, known = set(terms(inbound.text)), set(terms(memory.text))

    def score(workflow: Workflow) -> tuple[int, int]:
        about = set(terms(f"{workflow.name} {workflow.about}"))
        return len(about & said), len(about & known)

    return max(workflows, key=score)


class Orchestrator:
    """Takes messages from channels and runs workflows for them."""

    def __init__(
        self,
        hooks: MemoryHooks,
        workflows: Sequence[Workflow],
        channels: Sequence[Channel] = (),
        selector: Selector = by_words,
    ) -> None:
        self.hooks = hooks
        self._workflows = list(workflows)
        self._channels = {channel.name: channel for channel in channels}
        self._selector = selector
        self._queue: queue.Queue[Inbound] = queue.Queue()

    def run_once(self) -> list[Outcome]:
        """Takes in what has come, and does it, in order."""
        for channel in self._channels.values():
            channel.poll(self._queue.put)
        done = []
        while not self._queue.empty():
            inbound = self._queue.get()
            outcome = self.handle(inbound)
            if inbound.channel in self._channels:
                self._channels[inbound.channel].reply(inbound, outcome.answer)
            done.append(outcome)
        return done

    def run(self, stop: threading.Event, interval: float = 0.1) -> None:
        """Goes on until it is stopped."""
        while not stop.is_set():
            if not self.run_once():
                stop.wait(interval)

    def handle(self, inbound: Inbound) -> Outcome:
        """One message: look up, select, dispatch, write back."""
        context = self.hooks.selector_context(inbound)
        outputs: dict[str, dict[str, Any]] = {}
        failed: Exception | None = None
        name = ""
        try:
            workflow = self._selector(inbound, context, self._workflows)
            name = workflow.name
            for step in workflow.steps:
                outputs[step.step_id] = self._run_step(inbound, workflow, step, outputs)
        except Exception as error:  # noqa: BLE001  a workflow that fails fails its message, not the orchestrator
            failed = error
        # What was said is kept only now: a message never finds itself.
        self.hooks.capture_inbound(inbound)
        if failed is not None:
            detail = f"{type(failed).__name__}: {failed}"
            return Outcome(
                inbound=inbound,
                workflow=name,
                answer="That did not work.",
                outputs=outputs,
                memory_status=self.hooks.status,
                error=detail,
            )
        answers = [str(output["answer"]) for output in outputs.values() if output.get("answer")]
        return Outcome(
            inbound=inbound,
            workflow=name,
            answer=answers[-1] if answers else "Done.",
            outputs=outputs,
            memory_status=self.hooks.status,
        )

    def _run_step(
        self, inbound: Inbound, workflow: Workflow, step: Step, before: Mapping[str, Mapping[str, Any]]
    ) -> dict[str, Any]:
        """A step, tried again when it fails; every attempt that produced something writes back to the same memories."""
        context = self.hooks.step_context(inbound, step.prompt)
        # The same for every attempt, and for a message that is handled again after a crash.
        told = f"{workflow.name} {inbound.channel} {inbound.message_id}"
        run_id = hashlib.sha256(told.encode()).hexdigest()
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                output = dict(step.run(StepRun(inbound, context, before, attempt)))
            except Exception:
                if attempt == _ATTEMPTS:
                    raise
                continue
            kept = {key: value for key, value in output.items() if key != "answer"}
            self.hooks.write_back_step(inbound, run_id, step.step_id, kept, attempt=attempt)
            return output
        raise AssertionError("there is at least one attempt")  # pragma: no cover

    def investigate(self, question: str, user: str, find: Callable[[MemoryContext], str]) -> str:
        """Diagnostics: bounded evidence with provenance, a finding, and the finding kept with what it rests on."""
        context = self.hooks.diagnostics_context(question, user)
        finding = find(context)
        finding_id = hashlib.sha256(f"{user} {question}".encode()).hexdigest()
        evidence = [each["memoryId"] for each in context.evidence]
        self.hooks.write_back_diagnostics(finding, finding_id, user, evidence=evidence)
        return finding
