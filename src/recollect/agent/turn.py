"""A turn, step by step: preload, journal, reconcile, fingerprint, persist. What a host calls, or our own agent.

    await preload_conversation_memory_state(scratchpad)
    journal = await retrospective_context_view()
    told = await ctx_reconciler_stream(guess_package_json=journal)
    update_turn_fingerprint(objective=told["objective"], …)
    await persist_turn_fingerprint(scratchpad)

The scratchpad that was preloaded last in a task is the current one, so that the calls in between need not name it.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Generator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from recollect.errors import InvalidInput, RecollectError
from recollect.knowledge import Receipt
from recollect.llm import ChatModel
from recollect.model.artifact import Artifact
from recollect.model.ids import check_opaque_id
from recollect.model.turn import TurnFingerprint
from recollect.prompt.journal import Candidate, Journal, JournalView, render_journal
from recollect.system import MemorySystem
from recollect.turns import ConversationState, Offer, Place, Reconciled, Turn, TurnLog
from recollect.turns import reconcile as reconciling
from recollect.turns import signals as signalling
from recollect.turns.signals import SignalSpec

_HITS = 8
_current: ContextVar[Scratchpad] = ContextVar("recollect_scratchpad")


@dataclass(slots=True)
class Scratchpad:
    """What a turn works with, from its message to its fingerprint."""

    memory: MemorySystem
    user_id: str
    conversation_id: str
    turn_id: str
    message: str = ""
    track_id: str | None = None
    bundle_id: str | None = None
    user_type: str | None = None
    chat: str | None = None
    model: ChatModel | None = None
    assistant_signal_spec: SignalSpec | None = None
    # Filled as the turn goes on.
    tlog: TurnLog = field(default_factory=TurnLog)
    state: ConversationState | None = None
    fingerprint: TurnFingerprint | None = None
    extracted_prefs: dict[str, Any] = field(default_factory=dict)
    proposed_facts: list[Any] = field(default_factory=list)
    selected_local_memories_turn_ids: list[str] | None = None
    picked_bucket_ids: list[str] = field(default_factory=list)
    conversation_title: str = ""
    candidates: list[Candidate] = field(default_factory=list)
    answer: str = ""
    told: list[Receipt] = field(default_factory=list)

    def __post_init__(self) -> None:
        check_opaque_id(self.turn_id, "turnId")
        if not isinstance(self.message, str):
            raise InvalidInput.of("invalid_content", "message", self.message, "text")
        signalling.check_spec(self.assistant_signal_spec)
        Place(self.user_id, self.conversation_id, self.turn_id, self.track_id, self.bundle_id)

    @property
    def place(self) -> Place:
        """Whose turn it is."""
        return Place(self.user_id, self.conversation_id, self.turn_id, self.track_id, self.bundle_id)

    @property
    def assistant_signals(self) -> tuple[TurnFingerprint, ...]:
        """What was promoted to the user before, in any conversation; for the final answer only."""
        return self.state.signals if self.state else ()


def _pad(scratchpad: Scratchpad | None) -> Scratchpad:
    pad = scratchpad or _current.get(None)
    if pad is None:
        raise InvalidInput.of(
            "no_turn", "scratchpad", None, "given, or preloaded before", hint="call preload_conversation_memory_state"
        )
    return pad


async def preload_conversation_memory_state(scratchpad: Scratchpad) -> ConversationState:
    """Loads what a turn has at hand, once: the active set, memories, feedback, signals. The turn is the current one."""
    state = await asyncio.to_thread(scratchpad.memory.preload_turns, scratchpad.user_id, scratchpad.conversation_id)
    scratchpad.state = state
    if scratchpad.fingerprint is None:
        scratchpad.fingerprint = TurnFingerprint(turn_id=scratchpad.turn_id, made_at=scratchpad.memory.clock.now())
    _current.set(scratchpad)
    return state


async def retrospective_context_view(
    scratchpad: Scratchpad | None = None,
    *,
    view: JournalView | str | None = None,
    search: bool = True,
    max_chars: int = 24_000,
) -> str:
    """The journal for a reader: the gate's before anything was chosen, the downstream agents' afterwards."""
    pad = _pad(scratchpad)
    if pad.state is None:
        await preload_conversation_memory_state(pad)
    if view is None:
        view = JournalView.GATE if pad.selected_local_memories_turn_ids is None else JournalView.DOWNSTREAM
    elif view not in set(JournalView):
        raise InvalidInput.of("invalid_view", "view", view, "one of " + ", ".join(JournalView))
    if not pad.candidates:
        pad.candidates = await asyncio.to_thread(_candidates, pad, search=search)
    assert pad.state is not None  # noqa: S101  loaded above
    journal = Journal(
        state=pad.state,
        turn_id=pad.turn_id,
        message=pad.message,
        now=pad.memory.clock.now(),
        fingerprint=pad.fingerprint if pad.fingerprint and pad.fingerprint.objective else None,
        selected=pad.selected_local_memories_turn_ids,
        candidates=pad.candidates,
        picked_buckets=pad.picked_bucket_ids,
    )
    return render_journal(journal, JournalView(view), max_chars)


async def journal_for(pad: Scratchpad, view: JournalView | str = JournalView.GATE) -> str:
    """The journal that a reader would be given for the message of a turn that has not begun; nothing is stored."""
    text = await retrospective_context_view(pad)
    if view in {JournalView.GATE, JournalView.RECONCILER}:
        return text
    told = await ctx_reconciler_stream(pad, guess_package_json=text)
    pad.selected_local_memories_turn_ids = told["local_memories_turn_ids"]
    return await retrospective_context_view(pad, view=view)


def _candidates(pad: Scratchpad, *, search: bool) -> list[Candidate]:
    """Earlier turns worth reading again, best match first: those whose messages were found, then the last ones."""
    found: dict[str, Candidate] = {}
    if search and pad.message.strip():
        recalled = pad.memory.recall(
            pad.message, user=pad.user_id, chat=pad.chat, include_messages=True, top_n=4 * _HITS
        )
        for hit in recalled.hits:
            turn_id = None if hit.message is None else hit.message.metadata.get("turnId")
            if hit.message is not None and turn_id and hit.message.session_id == pad.conversation_id:
                told = Candidate(turn_id=turn_id, at=hit.message.created_at, queries=(pad.message,))
                found.setdefault(turn_id, told)
    for artifact in pad.state.prior_turns if pad.state else ():
        summary = artifact.content.get("turn_summary") if isinstance(artifact.content, Mapping) else None
        objective = str((summary or {}).get("objective") or "")
        if artifact.turn_id is not None and artifact.turn_id != pad.turn_id:
            found.setdefault(
                artifact.turn_id, Candidate(turn_id=artifact.turn_id, at=artifact.created_at, objective=objective)
            )
    return list(found.values())[: 2 * _HITS]


async def ctx_reconciler_stream(
    scratchpad: Scratchpad | None = None,
    *,
    guess_package_json: str | Mapping[str, Any] | None = None,
    search_hits_json: str | Sequence[Mapping[str, Any]] | None = None,
    gate_decision: Mapping[str, Any] | None = None,
    limit_ctx: int = 10,
    max_buckets: int = 3,
    max_delta_keep: int = 5,
    on_piece: Callable[[str], None] = lambda _: None,
    model: ChatModel | None = None,
) -> dict[str, Any]:
    """What this turn is about and tells, and the turns whose memories still matter, by rules or by a model.

    `guess_package_json` is the journal; `search_hits_json` are turns that the host has found itself. A model that
    fails selects nothing; what the rules read out of the message is kept all the same.
    """
    pad = _pad(scratchpad)
    if pad.state is None:
        await preload_conversation_memory_state(pad)
    journal = guess_package_json if isinstance(guess_package_json, str) else json.dumps(guess_package_json or {})
    hits = _hits(search_hits_json)
    del gate_decision  # what a gate has decided is for the model to read in the journal
    assert pad.state is not None  # noqa: S101  loaded above
    offer = Offer(
        message=pad.message,
        journal=journal,
        memories=pad.state.memories,
        candidates=[each.turn_id for each in pad.candidates],
        hits=[*hits, *(each.turn_id for each in pad.candidates if each.queries)],
        buckets={
            str(card.get("bucket_id")): f"{card.get('name')} {' '.join(map(str, card.get('topic_centroid') or ()))}"
            for card in pad.state.buckets
        },
        current=pad.turn_id,
        most_turns=limit_ctx,
        most_memories=max_delta_keep,
        most_buckets=max_buckets,
    )
    told = await _reconciled(pad, offer, model or pad.model, on_piece)
    pad.picked_bucket_ids = list(told.memory_bucket_ids)
    return told.to_json()


async def _reconciled(
    pad: Scratchpad, offer: Offer, model: ChatModel | None, on_piece: Callable[[str], None]
) -> Reconciled:
    by_rules = await asyncio.to_thread(reconciling.by_rules, offer)
    if model is None:
        return by_rules
    try:
        return await reconciling.by_model(model, offer, on_piece)
    except RecollectError as error:
        pad.memory.log.write("memory.reconciler.model_failed", level="warning", code=error.code)
        pad.tlog.note("reconciler", "the model failed: nothing was selected", pad.memory.clock.now(), "warning")
        return Reconciled(
            objective=by_rules.objective,
            assertions=by_rules.assertions,
            exceptions=by_rules.exceptions,
            facts=by_rules.facts,
            by="rules, since the model failed",
        )


def _hits(given: Any) -> list[str]:
    """The turns among what a host has found."""
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except ValueError:
            raise InvalidInput.of("invalid_input", "searchHitsJson", given, "a JSON list") from None
    if given is None:
        return []
    if not isinstance(given, list | tuple):
        raise InvalidInput.of("invalid_input", "searchHitsJson", given, "a list of hits")
    ids = (each.get("turn_id") for each in given if isinstance(each, Mapping))
    return [each for each in ids if isinstance(each, str)]


def update_turn_fingerprint(
    *,
    objective: str = "",
    topics: Sequence[str] = (),
    assertions: Sequence[Any] = (),
    exceptions: Sequence[Any] = (),
    facts: Sequence[Any] = (),
    assistant_signals: Sequence[Any] = (),
    conversation_title: str = "",
    scratchpad: Scratchpad | None = None,
) -> TurnFingerprint:
    """Adds to the fingerprint of the turn: the objective is set once, topics grow, fuller lists replace others."""
    pad = _pad(scratchpad)
    fingerprint = pad.fingerprint or TurnFingerprint(turn_id=pad.turn_id, made_at=pad.memory.clock.now())
    pad.fingerprint = fingerprint.updated(
        objective=objective,
        topics=topics,
        assertions=assertions,
        exceptions=exceptions,
        facts=facts,
        assistant_signals=assistant_signals,
        conversation_title=conversation_title,
    )
    return pad.fingerprint


async def extract_assistant_signals(
    answer: str, spec: SignalSpec | None = None, *, scratchpad: Scratchpad | None = None, model: ChatModel | None = None
) -> list[dict[str, Any]]:
    """What an answer has promoted, by the host's specification, noted in the turn's fingerprint. None without one.

    Phrases are looked for; a specification in words needs a model, and one that fails finds nothing.
    """
    pad = _pad(scratchpad)
    wanted = signalling.check_spec(spec if spec is not None else pad.assistant_signal_spec)
    model = model or pad.model
    if wanted is None or (isinstance(wanted, str) and model is None):
        return []
    try:
        if isinstance(wanted, str):
            assert model is not None  # noqa: S101  told above
            found = await signalling.by_model(model, answer, wanted)
        else:
            found = signalling.by_phrases(answer, wanted)
    except RecollectError as error:
        pad.memory.log.write("memory.signals.model_failed", level="warning", code=error.code)
        return []
    update_turn_fingerprint(assistant_signals=found, scratchpad=pad)
    return [item.to_json() for item in found]


async def persist_turn_fingerprint(scratchpad: Scratchpad | None = None) -> list[Receipt]:
    """Keeps the turn: its log with the fingerprint in it, the fingerprint, and what it tells for good, all or nothing.

    Called again (for the answer, or after a retry) the turn takes its own place.
    """
    pad = _pad(scratchpad)
    fingerprint = pad.fingerprint or TurnFingerprint(turn_id=pad.turn_id, made_at=pad.memory.clock.now())
    if pad.state is None or pad.state.is_new:
        title = pad.conversation_title or fingerprint.objective
        fingerprint = pad.fingerprint = fingerprint.updated(conversation_title=title)
    turn = Turn(
        place=pad.place,
        fingerprint=fingerprint,
        log=pad.tlog,
        message=pad.message,
        answer=pad.answer,
        selected=pad.selected_local_memories_turn_ids,
        picked_buckets=pad.picked_bucket_ids,
        chat=pad.chat,
        user_type=pad.user_type,
        told=pad.told,
    )
    return await asyncio.to_thread(pad.memory.keep_turn, turn)


async def save_artifact(memory: MemorySystem, kind: str, content: Any, **where: Any) -> Artifact:
    """As `MemorySystem.save_artifact`, awaited."""
    return await asyncio.to_thread(memory.save_artifact, kind, content, **where)


class _Fetching:
    """What `fetch_conversation_artifacts` returns: awaited it gives all; `get` gives one part, awaited."""

    def __init__(self, work: Callable[[], dict[str, Any]]) -> None:
        self._work = work

    def __await__(self) -> Generator[Any, None, dict[str, Any]]:
        return asyncio.to_thread(self._work).__await__()

    async def get(self, name: str, default: Any = None) -> Any:
        """One part of what is kept of a conversation, such as its `conversation_title`."""
        return (await self).get(name, default)


def fetch_conversation_artifacts(
    memory: MemorySystem, *, user_id: str, conversation_id: str, materialize: bool = False, days: int = 365
) -> _Fetching:
    """Everything that is kept of a conversation, awaited; or a part: `await fetch(…).get("conversation_title")`."""
    return _Fetching(
        lambda: memory.fetch_conversation_artifacts(user_id, conversation_id, materialize=materialize, days=days)
    )


class ContextClient:
    """Artifacts of one memory, with the calls that a host knows: `save_artifact`, `fetch_conversation_artifacts`."""

    def __init__(self, memory: MemorySystem) -> None:
        self.memory = memory

    async def save_artifact(self, *, kind: str, content: Any, **where: Any) -> Artifact:
        """As `MemorySystem.save_artifact`, awaited."""
        return await save_artifact(self.memory, kind, content, **where)

    def fetch_conversation_artifacts(
        self, *, user_id: str, conversation_id: str, materialize: bool = False, days: int = 365
    ) -> _Fetching:
        """Everything that is kept of a conversation, or a part of it."""
        return fetch_conversation_artifacts(
            self.memory, user_id=user_id, conversation_id=conversation_id, materialize=materialize, days=days
        )
