"""The part of a memory that brings things in from files, and hands them out as bulletins."""

from __future__ import annotations

import heapq
import itertools
import json
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from recollect.arguments import number_from
from recollect.config import Settings
from recollect.embedding.tokens import default_counter
from recollect.errors import InvalidInput, MemoryDisabled, NotFound, RecollectError, ScopeDenied
from recollect.ingest import FileReport, FileStore, Ingest, IngestReport
from recollect.ingest.dropzone import copy_in, is_passed_over
from recollect.knowledge import Access, Remember
from recollect.log import MemoryLog
from recollect.model.clock import Clock, to_iso
from recollect.model.ids import IdFactory, check_opaque_id
from recollect.model.ingested import Ingested
from recollect.model.memory import Memory
from recollect.model.scope import Speaker, Visibility, gate
from recollect.prompt.bulletin import (
    CONFLICTS,
    KNOWLEDGE,
    MOST,
    TYPES,
    Bulletin,
    Entry,
    compose,
    conflict_of,
    empty,
    is_doubtful,
    line_of,
    only,
)
from recollect.prompt.snapshots import Snapshots
from recollect.recall import Recall
from recollect.storage.interface import Reader, Storage
from recollect.storage.layout import Layout
from recollect.upkeep import Filler

_INGESTER = "system:ingest"
_ALL = 1_000_000


class Informing:
    """What a `MemorySystem` does with files and bulletins."""

    settings: Settings
    recall: Callable[..., Recall]

    def _inform(
        self,
        storage: Storage,
        layout: Layout,
        clock: Clock,
        ids: IdFactory,
        log: MemoryLog,
        access: Access,
        remember: Remember,
        filler: Filler,
    ) -> None:
        self.__storage = storage
        self.__clock = clock
        self.__log = log
        self.__layout = layout
        self.__access = access
        self.__filler = filler
        store = FileStore(storage, clock, ids, remember, access)
        self._ingest = Ingest(storage, clock, layout, self.settings.memory.ingest, log, store)
        self._snapshots = Snapshots(layout.bulletins)

    # Files

    def ingest(
        self,
        paths: Iterable[str | Path] = (),
        *,
        user: str | None = None,
        chat: str | None = None,
        scope: str = "shared",
        wait: bool = True,
        progress: Callable[[str, int, int], None] = lambda _name, _done, _of: None,
    ) -> IngestReport:
        """Turns the files in the drop folder into memories, after copying `paths` into it; what became of each.

        They are shared with everybody of the orchestrator, unless a `scope` says otherwise. Files that are still being
        written are waited for. Vectors are made in the background.
        """
        if not self.settings.memory.ingest.enabled:
            raise MemoryDisabled("ingestion is switched off", hint="set memory.ingest.enabled = true")
        speaker = Speaker(user=user or (None if chat else _INGESTER), chat=chat)
        speaker.scope(scope)  # refused before anything is touched
        done: list[FileReport] = []
        for path in _files(paths):
            if (self.__layout.ingest / path.name).exists():  # what waits there is not put aside for it
                done += self._ingest.run(speaker, scope, progress, wait=wait).files
            copy_in(path, self.__layout.ingest)
        report = IngestReport(files=(*done, *self._ingest.run(speaker, scope, progress, wait=wait).files))
        if report.memories:
            self.__filler.wake()
        return report

    def watch_ingest(
        self,
        stop: threading.Event,
        interval: float = 1.0,
        told: Callable[[IngestReport], None] = lambda _: None,
        *,
        user: str | None = None,
        chat: str | None = None,
        scope: str = "shared",
    ) -> None:
        """Ingests whatever is dropped until `stop` is set; `told` hears of every run that found something."""
        while not stop.is_set():
            report = self.ingest(user=user, chat=chat, scope=scope, wait=False)
            if any(each.status != "waiting" for each in report.files):
                told(report)
            stop.wait(interval)

    def ingested(self, *, user: str | None = None, chat: str | None = None, limit: int = 100) -> list[Ingested]:
        """The files that became memories which everybody, or this caller, may see; the last one first."""
        most = number_from(limit, "limit", 1)
        found = self.__storage.read(lambda reader: reader.ingested_list(_ALL))
        theirs = [each for each in found if _is_theirs(each.name, user, chat)][:most]
        return [replace(each, name=json.loads(each.name)[-1]) for each in theirs]

    # Bulletins

    def bulletin(
        self,
        message: str = "",
        *,
        user: str | None = None,
        chat: str | None = None,
        conversation_id: str | None = None,
        max_chars: int = 4000,
        max_tokens: int | None = None,
        recalled: Recall | None = None,
        snapshot: bool = True,
    ) -> Bulletin:
        """What to have in mind for a message: knowledge, goals, todos, decisions, preferences, conflicts, all cited.

        It never fails a message: where it cannot be made, the last good one of the same conversation is returned, or an
        empty one, with a warning. `recalled` saves the recall where there was one already.
        """
        speaker = Speaker(user=user, chat=chat)
        most = number_from(max_chars, "maxChars", 0)
        tokens = None if max_tokens is None else number_from(max_tokens, "maxTokens", 0)
        if not isinstance(message, str):
            raise InvalidInput.of("invalid_query", "message", message, "text")
        if conversation_id is not None:
            check_opaque_id(conversation_id, "conversationId")
        # What one speaker was shown in a conversation is never shown to another.
        key = json.dumps([self.__storage.orchestrator_id, user, chat, conversation_id])
        try:
            made = self._composed(message, speaker, most, tokens, recalled)
        except (InvalidInput, ScopeDenied):
            raise
        except Exception as error:  # noqa: BLE001  whatever it is: a message is not held up by its bulletin
            return self._fallen_back(key, error, speaker, most, tokens)
        if snapshot:
            self._saved(key, made)
        return made

    def _composed(
        self, message: str, speaker: Speaker, max_chars: int, max_tokens: int | None, recalled: Recall | None
    ) -> Bulletin:
        if recalled is None and message.strip():
            recalled = self.recall(message, user=speaker.user, chat=speaker.chat)
        hits = [] if recalled is None else [hit.memory for hit in recalled.hits]
        now = self.__clock.now()
        owner = self.__storage.orchestrator_id
        seen = gate(owner, speaker, now)
        lines = self.__storage.read(lambda reader: self._lines(reader, seen, hits))
        made = compose(lines, max_chars, default_counter(), max_tokens)
        return replace(made, mode="none" if recalled is None else recalled.mode)

    def _lines(self, reader: Reader, seen: Visibility, hits: Sequence[Memory]) -> dict[str, list[Entry]]:
        """The lines of every section, in the order in which they matter; a memory stands in one section only."""
        typed = {
            name: heapq.nlargest(
                MOST[name] + 1,
                (seq for kind in types for seq in reader.newest_of_type(seen, kind.value, MOST[name] + 1)),
            )
            for name, types in TYPES.items()
        }
        pairs = reader.open_conflicts(seen, MOST[CONFLICTS] + 1)
        doubtful = reader.doubtful(seen, MOST[CONFLICTS] + 1)
        wanted = {*itertools.chain.from_iterable([*typed.values(), *pairs]), *doubtful}
        found, _ = reader.by_seq(seen, sorted(wanted))
        known = {seq: memory for seq, memory in found.items() if not self.__access.withheld(memory)}
        lines = {name: [line_of(known[seq]) for seq in seqs if seq in known] for name, seqs in typed.items()}
        lines[CONFLICTS] = [
            *(conflict_of(known[one], known[other]) for one, other in pairs if one in known and other in known),
            *(_unsure(known[seq]) for seq in doubtful if seq in known),
        ]
        rest = [memory for memory in hits if not self.__access.withheld(memory)]
        lines[KNOWLEDGE] = [_unsure(memory) if is_doubtful(memory) else line_of(memory) for memory in rest]
        return lines

    def _active(self, memory_ids: Sequence[str], speaker: Speaker) -> frozenset[str]:
        """Those of some memories that still count; all of them where even that cannot be told."""
        seen = gate(self.__storage.orchestrator_id, speaker, self.__clock.now())
        try:
            return self.__storage.read(
                lambda reader: frozenset(each for each in memory_ids if reader.memory(seen, each) is not None)
            )
        except RecollectError:
            return frozenset(memory_ids)

    def _saved(self, key: str, made: Bulletin) -> None:
        try:
            self._snapshots.save(key, made, to_iso(self.__clock.now()))
        except OSError as error:
            self.__log.write("memory.bulletin.snapshot_failed", level="warning", detail=str(error.strerror))

    def _fallen_back(
        self, key: str, error: Exception, speaker: Speaker, max_chars: int, max_tokens: int | None
    ) -> Bulletin:
        code = getattr(error, "code", type(error).__name__)
        self.__log.write("memory.bulletin.generation_failed", level="warning", code=code)
        warning = f"the bulletin could not be made ({code})"
        last = self._snapshots.last(key)
        if last is not None:
            last = only(last, self._active(last.citations, speaker), max_chars, default_counter(), max_tokens)
        found = empty(warning) if last is None else replace(last, fallback="previous_snapshot", warnings=[warning])
        self.__log.write("memory.bulletin.fallback", level="warning", fallback=found.fallback)
        return found


def _is_theirs(key: str, user: str | None, chat: str | None) -> bool:
    """Whether a file was ingested for everybody, for this user or for this chat."""
    kind, owner, where, _ = json.loads(key)
    return kind == "shared" or (owner is not None and owner == user) or (where is not None and where == chat)


def _unsure(memory: Memory) -> Entry:
    return line_of(memory, f" (confidence {memory.confidence:.2f})")


def _files(paths: Any) -> list[Path]:
    given = [paths] if isinstance(paths, str | Path) else list(paths)
    found = []
    for path in given:
        place = Path(path)
        if not place.is_file():
            raise NotFound(f"there is no file {path}", code="file_not_found")
        if is_passed_over(place.name):
            raise InvalidInput.of("invalid_name", "path", place.name, "not hidden and not of a partial file")
        found.append(place)
    return found
