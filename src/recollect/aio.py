"""The async edge: the same names, awaited. Calls move to worker threads; no logic lives here."""

from __future__ import annotations

import asyncio
import functools
import os
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from recollect import system
from recollect.errors import StorageUnavailable
from recollect.log import MemoryLog
from recollect.model.clock import Clock
from recollect.system import MemorySystem

P = ParamSpec("P")
T = TypeVar("T")

# More threads than this only wait for each other: reads are short and writes share one transaction.
_WORKERS = 16


def _awaited(
    method: Callable[Concatenate[MemorySystem, P], T],
) -> Callable[Concatenate[AsyncMemorySystem, P], Awaitable[T]]:
    @functools.wraps(method)
    async def call(self: AsyncMemorySystem, /, *args: P.args, **kwargs: P.kwargs) -> T:
        if self._closed:
            raise StorageUnavailable("this memory has been closed", code="closed", hint="open it again")
        work = functools.partial(method, self.sync, *args, **kwargs)
        return await asyncio.get_running_loop().run_in_executor(self._workers, work)

    return call


class AsyncMemorySystem:
    """A `MemorySystem` for async code. `sync` is the system itself."""

    def __init__(self, sync: MemorySystem) -> None:
        self.sync = sync
        self._closed = False
        self._workers = ThreadPoolExecutor(_WORKERS, thread_name_prefix="recollect")

    remember = _awaited(MemorySystem.remember)
    remember_many = _awaited(MemorySystem.remember_many)
    recall = _awaited(MemorySystem.recall)
    context = _awaited(MemorySystem.context)
    upkeep = _awaited(MemorySystem.upkeep)
    reindex = _awaited(MemorySystem.reindex)
    list = _awaited(MemorySystem.list)
    changes = _awaited(MemorySystem.changes)
    learned = _awaited(MemorySystem.learned)
    pulse = _awaited(MemorySystem.pulse)
    conflicts = _awaited(MemorySystem.conflicts)
    graph = _awaited(MemorySystem.graph)
    show = _awaited(MemorySystem.show)
    edges = _awaited(MemorySystem.edges)
    history = _awaited(MemorySystem.history)
    edit = _awaited(MemorySystem.edit)
    link = _awaited(MemorySystem.link)
    contradict = _awaited(MemorySystem.contradict)
    supersede = _awaited(MemorySystem.supersede)
    retract = _awaited(MemorySystem.retract)
    restore = _awaited(MemorySystem.restore)
    people = _awaited(MemorySystem.people)
    person = _awaited(MemorySystem.person)
    rename_person = _awaited(MemorySystem.rename_person)
    merge_people = _awaited(MemorySystem.merge_people)
    split_person = _awaited(MemorySystem.split_person)
    undo_person = _awaited(MemorySystem.undo_person)
    extract = _awaited(MemorySystem.extract)
    learn_pending = _awaited(MemorySystem.learn_pending)
    forget = _awaited(MemorySystem.forget)
    forget_person = _awaited(MemorySystem.forget_person)
    forget_user = _awaited(MemorySystem.forget_user)
    forget_everything = _awaited(MemorySystem.forget_everything)
    verify_erased = _awaited(MemorySystem.verify_erased)
    gc = _awaited(MemorySystem.gc)
    doctor = _awaited(MemorySystem.doctor)
    stats = _awaited(MemorySystem.stats)
    create_session = _awaited(MemorySystem.create_session)
    load_session = _awaited(MemorySystem.load_session)
    sessions = _awaited(MemorySystem.sessions)
    delete_session = _awaited(MemorySystem.delete_session)
    clean_up_sessions = _awaited(MemorySystem.clean_up_sessions)
    session_of = _awaited(MemorySystem.session_of)
    session = _awaited(MemorySystem.session)
    add_message = _awaited(MemorySystem.add_message)
    persist_turn = _awaited(MemorySystem.persist_turn)
    messages = _awaited(MemorySystem.messages)
    add_usage = _awaited(MemorySystem.add_usage)
    usage = _awaited(MemorySystem.usage)
    add_document = _awaited(MemorySystem.add_document)
    profile = _awaited(MemorySystem.profile)
    update_profile = _awaited(MemorySystem.update_profile)
    profile_notes = _awaited(MemorySystem.profile_notes)
    export = _awaited(MemorySystem.export)
    export_markdown = _awaited(MemorySystem.export_markdown)
    import_data = _awaited(MemorySystem.import_data)
    backup = _awaited(MemorySystem.backup)
    create_token = _awaited(MemorySystem.create_token)
    tokens = _awaited(MemorySystem.tokens)
    revoke_token = _awaited(MemorySystem.revoke_token)
    admitted = _awaited(MemorySystem.admitted)
    ingest = _awaited(MemorySystem.ingest)
    watch_ingest = _awaited(MemorySystem.watch_ingest)
    ingested = _awaited(MemorySystem.ingested)
    bulletin = _awaited(MemorySystem.bulletin)
    save_artifact = _awaited(MemorySystem.save_artifact)
    find_artifacts = _awaited(MemorySystem.find_artifacts)
    artifact_content = _awaited(MemorySystem.artifact_content)
    fetch_conversation_artifacts = _awaited(MemorySystem.fetch_conversation_artifacts)
    preload_turns = _awaited(MemorySystem.preload_turns)
    keep_turn = _awaited(MemorySystem.keep_turn)
    roll_back_turn = _awaited(MemorySystem.roll_back_turn)
    turns = _awaited(MemorySystem.turns)
    turn_log = _awaited(MemorySystem.turn_log)
    give_feedback = _awaited(MemorySystem.give_feedback)
    feedback_report = _awaited(MemorySystem.feedback_report)
    promoted = _awaited(MemorySystem.promoted)
    reconcile_buckets = _awaited(MemorySystem.reconcile_buckets)
    bucket = _awaited(MemorySystem.bucket)
    summarise_session = _awaited(MemorySystem.summarise_session)
    register_store = _awaited(MemorySystem.register_store)

    @property
    def orchestrator_id(self) -> str:
        """Whose memory this is."""
        return self.sync.orchestrator_id

    @property
    def clock(self) -> Clock:
        """What tells the time."""
        return self.sync.clock

    @property
    def log(self) -> MemoryLog:
        """Where what happens is noted, without what was said."""
        return self.sync.log

    @property
    def keeps_buckets(self) -> bool:
        """Whether what turns tell is gathered in buckets."""
        return self.sync.keeps_buckets

    @property
    def embedding_model(self) -> str | None:
        """The model whose vectors recall uses; None for text alone."""
        return self.sync.embedding_model

    async def close(self) -> None:
        """Waits for running work and lets the store go."""
        if not self._closed:
            self._closed = True
            await asyncio.to_thread(self._workers.shutdown)
            await asyncio.to_thread(self.sync.close)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


class _Opening:
    """What `open` returns: awaited it gives the memory; in `async with` it closes it too."""

    def __init__(self, work: Callable[[], MemorySystem]) -> None:
        self._work = work
        self._memory: AsyncMemorySystem | None = None

    def __await__(self) -> Any:
        return self.__aenter__().__await__()

    async def __aenter__(self) -> AsyncMemorySystem:
        self._memory = AsyncMemorySystem(await asyncio.to_thread(self._work))
        return self._memory

    async def __aexit__(self, *_: object) -> None:
        if self._memory is not None:
            await self._memory.close()


def open(root: str | os.PathLike[str], *, orchestrator: str, **options: Any) -> _Opening:  # noqa: A001  as in the sync API
    """As `recollect.open`, for `async with` or `await`."""
    return _Opening(functools.partial(system.open, root, orchestrator=orchestrator, **options))
