"""MemorySystem: one orchestrator's memory, wired; the only module that knows every layer."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from types import TracebackType
from typing import Any, Self, Unpack

from recollect.admitting import Admitting
from recollect.arguments import any_draft, arm_names, draft_of, flag, memory_types, number_from, references
from recollect.config import Settings, load_settings
from recollect.conversing import Conversing
from recollect.embedding import Embedder, Vectors, by_name, create
from recollect.embedding.tokens import default_counter
from recollect.errors import InvalidInput, MemoryDisabled, RecollectError, ScopeDenied
from recollect.informing import Informing
from recollect.knowing import Knowing
from recollect.knowledge import Access, Change, Draft, Receipt, Remember, Workspace
from recollect.log import MemoryLog
from recollect.looking import Looking
from recollect.model.clock import Clock, SystemClock, parse_time
from recollect.model.edge import Edge, EdgeType
from recollect.model.event import Event
from recollect.model.ids import IdFactory
from recollect.model.memory import Kind, Memory, MemoryType
from recollect.model.scope import Speaker, gate
from recollect.model.status import Status
from recollect.moving import Moving
from recollect.prompt import RetrievedContext, within_budget
from recollect.recall import Recall, Recaller, Wanted
from recollect.storage.interface import Storage
from recollect.storage.layout import Layout
from recollect.storage.open import default_files, open_storage, server_url
from recollect.surface import MemoryChanges, MemoryFields, Stats
from recollect.turning import Turning
from recollect.upkeep import Filler, Reindex

_KNOWLEDGE = (Kind.MEMORY, Kind.CHUNK)


class MemorySystem(Looking, Conversing, Knowing, Turning, Informing, Admitting, Moving):
    """The memory of one orchestrator. Safe to share between threads; close it, or use it in a `with`."""

    def __init__(
        self,
        storage: Storage,
        *,
        layout: Layout,
        log: MemoryLog,
        settings: Settings | None = None,
        clock: Clock | None = None,
        embedder: Embedder | None = None,
    ) -> None:
        """Wires the layers; `embedder` is the model to use, None for text alone."""
        self.settings = settings or Settings()
        self._storage = storage
        self._log = log
        self._clock = clock or SystemClock()
        ids = IdFactory(self._clock)
        workspace = Workspace(layout.workspace, self.settings.workspace.shared)
        self._wanted_embedder = embedder
        active = self._active_embedder(embedder)
        self._vectors = Vectors(active, log, self.settings.embedding.query_timeout_seconds)
        self._filler = Filler(storage, self._clock, self._vectors, log)
        self._access = Access(storage, self._clock, workspace, log)
        self._remember = Remember(
            storage, self._clock, ids, workspace, self._access, log, self._vectors, self.settings.memory
        )
        self._change = Change(storage, self._clock, ids, self._access, log, awaits_vectors=active is not None)
        self._recaller = Recaller(
            storage, self._clock, self.settings.memory.retrieval, self._vectors, self._access.withheld
        )
        self._look(storage, self._clock, self._access)
        self._know(storage, layout, self._clock, ids, log, self._access, self._remember, self._filler)
        self._converse(storage, layout, self._clock, ids, log, self._remember)
        self._inform(storage, layout, self._clock, ids, log, self._access, self._remember, self._filler)
        self._take_turns(storage, layout, self._clock, ids, log, self._remember)
        self._admit(storage, self._clock, ids, log)
        self._move(storage, layout, log, self._remember)
        self._layout = layout
        if active is not None and storage.read(lambda reader: reader.queue_length()):
            self._filler.wake()
        self._wake_up()

    def _active_embedder(self, wanted: Embedder | None) -> Embedder | None:
        """The model of the vectors that are there, if it can be had; the wanted one takes over after a reindex."""
        active = self._storage.read(lambda reader: reader.active_model())
        if wanted is None or active is None or active == wanted.name:
            return wanted
        try:
            return by_name(active, self.settings.embedding)
        except RecollectError as error:
            self._log.write("memory.embedding.unavailable", level="warning", model=active, code=error.code)
            return wanted

    def _speaker(self, user: str | None, chat: str | None) -> Speaker:
        try:
            return Speaker(user=user, chat=chat)
        except ScopeDenied as denied:
            self._log.write("memory.scope_denied", level="warning", code=denied.code)
            raise

    def _stored(self, receipts: Sequence[Receipt]) -> Sequence[Receipt]:
        """Lets the background worker see to vectors that were not made at once."""
        if self._vectors.embedder is not None and not self._vectors.embedder.is_local:
            self._filler.wake()
        return receipts

    @property
    def orchestrator_id(self) -> str:
        """Whose memory this is."""
        return self._storage.orchestrator_id

    @property
    def clock(self) -> Clock:
        """What tells the time."""
        return self._clock

    @property
    def log(self) -> MemoryLog:
        """Where what happens is noted, without what was said."""
        return self._log

    @property
    def embedding_model(self) -> str | None:
        """The model whose vectors recall uses; None for text alone."""
        return self._vectors.model

    def remember(
        self,
        /,
        content: str,
        *,
        user: str | None = None,
        chat: str | None = None,
        **fields: Unpack[MemoryFields],
    ) -> Receipt:
        """Stores one memory; `fields` are what else is known of it: see `MemoryFields`."""
        return self._stored([self._remember.one(draft_of(content, dict(fields)), self._speaker(user, chat))])[0]

    def remember_many(
        self,
        drafts: Iterable[str | Mapping[str, Any] | Draft],
        *,
        user: str | None = None,
        chat: str | None = None,
    ) -> Sequence[Receipt]:
        """Stores many memories in one transaction; each stands or falls alone, in the order given."""
        speaker = self._speaker(user, chat)
        if isinstance(drafts, str | Mapping) or not isinstance(drafts, Iterable):
            raise InvalidInput.of("invalid_input", "drafts", drafts, "a list of drafts")
        made = [any_draft(item) for item in drafts]
        return self._stored(self._remember.many(made, speaker)) if made else []

    def recall(
        self,
        query: str,
        *,
        user: str | None = None,
        chat: str | None = None,
        top_n: int | None = None,
        types: Iterable[MemoryType | str] | None = None,
        known_at: datetime | str | None = None,
        valid_at: datetime | str | None = None,
        include_messages: bool = False,
        about: str | Sequence[str] | None = None,
        floor: bool = True,
        arms: Iterable[str] | None = None,
    ) -> Recall:
        """The memories that answer a query best, with citations and the reasons for their order.

        `include_messages` searches what was said in sessions, too. `about` returns only what is about somebody: a name,
        a relation such as `my wife`, or a person's id. `known_at` recalls what was believed at a time,
        `valid_at` what was true then. `floor=False` returns the best
        there is even when nothing is about the question. `arms` names the only arms to use.
        """
        retrieval = self.settings.memory.retrieval
        if not isinstance(query, str):
            raise InvalidInput.of("invalid_query", "query", query, "text")
        wanted = Wanted(
            top_n=retrieval.top_n if top_n is None else number_from(top_n, "topN", 1),
            floor=flag(floor, "floor"),
            about=references(about),
            arms=arm_names(arms),
        )
        visibility = gate(
            self.orchestrator_id,
            self._speaker(user, chat),
            self._clock.now(),
            known_at=None if known_at is None else parse_time(known_at, "knownAt"),
            valid_at=None if valid_at is None else parse_time(valid_at, "validAt"),
            types=memory_types(types),
            kinds=Kind if flag(include_messages, "includeMessages") else _KNOWLEDGE,
        )
        recalled = self._recaller.recall(query, visibility, wanted)
        if recalled.mode == "text-only" and self._follow_model():
            recalled = self._recaller.recall(query, visibility, wanted)
        return recalled

    def _follow_model(self) -> bool:
        """Takes up the model that another process has switched to; True if there is a new one now."""
        embedder = self._active_embedder(self._wanted_embedder)
        if embedder is None or embedder.name == self._vectors.model:
            return False
        self._vectors.embedder = embedder
        return True

    def context(
        self,
        message: str,
        *,
        user: str | None = None,
        chat: str | None = None,
        max_tokens: int = 2000,
        top_n: int | None = None,
    ) -> RetrievedContext:
        """What a model should know before it answers a message, within a number of tokens.

        Knowledge, what was said before, and what is noted of the user.
        """
        budget = number_from(max_tokens, "maxTokens", 0)
        recalled = self.recall(message, user=user, chat=chat, top_n=top_n, include_messages=True)
        notes = None if user is None else self.profile_notes(user)
        return within_budget(recalled, default_counter(), budget, notes)

    def upkeep(self) -> int:
        """Does what is due: missing vectors, learning from conversations, reading what earlier versions stored.

        Returns how many vectors were made.
        """
        self._doctor.read_late()
        if self.settings.memory.extraction_enabled:
            self._learning.run()
        made = self._filler.run()
        for name in self._storage.tune():
            self._log.write("memory.storage.index_made", index=name)
        return made

    def reindex(self, progress: Callable[[int, int], None] = lambda _done, _total: None) -> int:
        """Gives every memory a vector of the configured model, then switches recall to it. Resumable.

        Until it is complete, recall goes on with the vectors that are there. Returns how many vectors were made.
        """
        target = Vectors(self._wanted_embedder, self._log, self.settings.embedding.query_timeout_seconds)
        made = Reindex(self._storage, target).run(progress)
        self._vectors.embedder = self._wanted_embedder
        return made

    def show(self, memory_id: str, *, user: str | None = None, chat: str | None = None) -> Memory:
        """One memory in any status."""
        return self._change.show(memory_id, self._speaker(user, chat))

    def edges(self, memory_id: str, *, user: str | None = None, chat: str | None = None) -> Sequence[Edge]:
        """The edges of one memory whose other ends the speaker may see, in any status."""
        return self._change.edges(memory_id, self._speaker(user, chat))

    def history(self, memory_id: str, *, user: str | None = None, chat: str | None = None) -> Sequence[Event]:
        """Everything that happened to one memory, oldest first."""
        return self._change.history(memory_id, self._speaker(user, chat))

    def edit(
        self,
        /,
        memory_id: str,
        *,
        user: str | None = None,
        chat: str | None = None,
        reason: str | None = None,
        **changes: Unpack[MemoryChanges],
    ) -> Memory:
        """New values for some fields of an active memory."""
        edited = self._change.edit(memory_id, dict(changes), self._speaker(user, chat), reason)
        self._filler.wake()
        return edited

    def link(
        self,
        from_memory_id: str,
        to_memory_id: str,
        edge_type: Any = EdgeType.RELATED_TO,
        *,
        weight: float = 1.0,
        user: str | None = None,
        chat: str | None = None,
        reason: str | None = None,
    ) -> Edge:
        """Relates two memories."""
        speaker = self._speaker(user, chat)
        return self._change.link(from_memory_id, to_memory_id, edge_type, speaker, reason, weight)

    def contradict(
        self,
        memory_id: str,
        other_id: str,
        *,
        user: str | None = None,
        chat: str | None = None,
        reason: str | None = None,
    ) -> Edge:
        """Records that two memories contradict each other; both stay."""
        return self.link(memory_id, other_id, EdgeType.CONTRADICTS, user=user, chat=chat, reason=reason)

    def supersede(
        self,
        /,
        memory_id: str,
        by: str | None = None,
        *,
        content: str | None = None,
        user: str | None = None,
        chat: str | None = None,
        reason: str | None = None,
        **fields: Unpack[MemoryFields],
    ) -> Receipt:
        """Replaces a memory by another (`by`), or by a new one with this content, of the same type and scope."""
        speaker = self._speaker(user, chat)
        if (by is None) == (content is None):
            raise InvalidInput.of("invalid_input", "by", by, "given, or else content: exactly one of them")
        if by is not None:
            if fields:
                raise InvalidInput.of("invalid_input", "fields", sorted(fields), "absent: the memory is there already")
            old, new = self._change.supersede(memory_id, by, speaker, reason)
            return Receipt(outcome="stored", memory=new, superseded=(old,), reason=reason)
        old = self._change.show(memory_id, speaker)
        same = {"type": old.type, "importance": old.importance, "scope": old.scope.kind, "expires": "never"}
        draft = draft_of(content, {**same, **fields, "supersedes": (memory_id,), "reason": reason})
        return self._stored([self._remember.one(draft, speaker)])[0]

    def retract(
        self, memory_id: str, *, user: str | None = None, chat: str | None = None, reason: str | None = None
    ) -> Memory:
        """Marks a memory as wrong: it stays in its history and is never recalled again."""
        return self._change.retract(memory_id, self._speaker(user, chat), reason)

    def restore(
        self, memory_id: str, *, user: str | None = None, chat: str | None = None, reason: str | None = None
    ) -> Memory:
        """Lets a superseded or archived memory count again; what had replaced it is retracted."""
        return self._change.restore(memory_id, self._speaker(user, chat), reason)

    def forget_everything(self, confirm: str) -> None:
        """Erases all that this orchestrator has, and closes it; `confirm` is the orchestrator's id."""
        if confirm != self.orchestrator_id:
            raise InvalidInput.of("not_confirmed", "confirm", confirm, f"the orchestrator's id, {self.orchestrator_id}")
        self._learning.stop()
        self._filler.stop()
        self._vectors.close()
        self._artifacts.erase()
        self._storage.erase()
        self._log.close()
        shutil.rmtree(self._layout.memory, ignore_errors=True)

    def stats(self) -> Stats:
        """How much there is, in counts; no content, so no identity is needed."""
        counts, waiting = self._storage.read(lambda reader: (reader.counts(), reader.queue_length()))
        by_status: dict[str, int] = {status.value: 0 for status in Status}
        for statuses in counts.memories.values():
            for status, count in statuses.items():
                by_status[status] = by_status.get(status, 0) + count
        return Stats(
            orchestrator_id=self.orchestrator_id,
            memories=sum(by_status.values()),
            by_type={kind: sum(statuses.values()) for kind, statuses in counts.memories.items()},
            by_status=by_status,
            edges=counts.edges,
            events=counts.events,
            vectors=counts.vectors,
            scopes=counts.scopes,
            waiting_vectors=waiting,
            size_bytes=self._layout.database_size(),
        )

    def close(self) -> None:
        """Waits for running work and lets the store go."""
        self._learning.stop()
        self._filler.stop()
        self._vectors.close()
        self._storage.close()
        self._log.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def open(  # noqa: A001  the name that the public surface has: recollect.open(…)
    root: str | os.PathLike[str],
    *,
    orchestrator: str,
    clock: Clock | None = None,
    embedder: Embedder | None = None,
    settings: Mapping[str, Any] | None = None,
    files: str | os.PathLike[str] | None = None,
) -> MemorySystem:
    """Opens the memory of one orchestrator, making it if it is not there.

    `root` is a folder, or `postgresql://…`; then everything that is a file lies under `files` (by default
    RECOLLECT_FILES, or `~/.recollect`). Without an `embedder` the one that the settings name is used: by default the
    best that is installed.
    """
    url = server_url(root)
    layout = Layout.of(root if url is None else files or default_files(), orchestrator)
    chosen = load_settings(layout.root, layout.orchestrator_id, overrides=settings)
    if not chosen.memory.enabled:
        raise MemoryDisabled("memory is switched off", hint="set memory.enabled = true", orchestratorId=orchestrator)
    chosen_embedder = embedder or create(chosen.embedding)
    layout.create()
    clock = clock or SystemClock()
    log = MemoryLog(layout.log, clock, layout.orchestrator_id)
    storage = open_storage(url, layout, log, chosen.storage)
    return MemorySystem(storage, layout=layout, log=log, settings=chosen, clock=clock, embedder=chosen_embedder)
