"""From what a file holds to memories, in one transaction: a new version takes the place of the one before."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from recollect.conversations.documents import store_document
from recollect.errors import InvalidInput, NotFound, RecollectError, Refused
from recollect.ingest.candidates import plain
from recollect.ingest.parse import Parsed, shortened
from recollect.ingest.rejection import Rejected, RejectionCode
from recollect.knowledge import Draft, Receipt, Remember
from recollect.knowledge.access import Access, everything
from recollect.knowledge.transition import add_edge, new_edge, set_status, supersede
from recollect.model.clock import Clock, to_iso
from recollect.model.edge import EdgeType
from recollect.model.ids import IdFactory, check_opaque_id
from recollect.model.ingested import Ingested
from recollect.model.memory import Memory, MemoryType
from recollect.model.scope import Scope, Speaker
from recollect.model.source import CapturedBy, Source, SourceType
from recollect.model.status import Status
from recollect.storage.interface import Storage, Writer

_MOST_REFUSALS = 50
_DOCUMENT = {"type": MemoryType.OBSERVATION, "importance": 50, "confidence": 0.6}


@dataclass(slots=True)
class _Written:
    """What a file gave so far."""

    ids: list[str] = field(default_factory=list)
    document_id: str | None = None
    stored: int = 0
    merged: int = 0
    edges: int = 0
    superseded: int = 0
    refused: list[dict[str, str]] = field(default_factory=list)
    local: dict[str, str] = field(default_factory=dict)

    def take(self, receipt: Receipt) -> Memory | None:
        """Counts what became of one draft."""
        if receipt.memory is None:
            if len(self.refused) < _MOST_REFUSALS:
                self.refused.append({"code": receipt.code or "refused", "message": receipt.reason or ""})
            return None
        self.ids.append(receipt.memory.memory_id)
        self.stored += receipt.outcome == "stored"
        self.merged += receipt.outcome == "merged"
        self.superseded += len(receipt.superseded)
        return receipt.memory


class FileStore:
    """Stores what files hold."""

    def __init__(self, storage: Storage, clock: Clock, ids: IdFactory, remember: Remember, access: Access) -> None:
        self._storage = storage
        self._clock = clock
        self._ids = ids
        self._remember = remember
        self._access = access

    def store(self, name: str, digest: str, parsed: Parsed, target: Path, speaker: Speaker, scope: str) -> Ingested:
        """Stores a file as the newest version of its name: all of it or nothing.

        Raises:
            Rejected: if a memory or an edge in it is not sound.
        """
        source = Source(source_type=SourceType.INGEST_FILE, captured_by=CapturedBy.EXTRACTOR, source_path=str(target))
        base = Draft(content="", source=source, scope=scope, expires="never")

        key, mark = file_key(speaker.scope(scope), name), content_mark(speaker.scope(scope), digest)

        def work(writer: Writer) -> Ingested:
            latest = writer.ingested_latest(key)
            other = writer.ingested_by_digest(mark)
            done = _Written()
            held = [] if other is None else writer.ingested_memory_ids(other.name, other.version)
            if other is not None and held and all(_counts(writer, each) for each in held):
                done.document_id = other.document_id
                done.ids = list(held)  # it says all of it, too
            else:
                other = None
                self._write(writer, parsed, base, speaker, done)
            if latest is not None:
                self._replace(writer, latest, done, speaker)
            version = 1 if latest is None else latest.version + 1
            manifest: dict[str, Any] = {
                "status": "processed" if other is None else "duplicate",
                "duplicateOf": None if other is None else other.manifest["name"],
                "name": name,
                "version": version,
                "sourcePath": str(target),
                "contentDigest": digest,
                "memoriesWritten": done.stored,
                "memoriesMerged": done.merged,
                "edgesWritten": done.edges,
                "superseded": done.superseded,
                "refused": done.refused,
                "documentId": done.document_id,
                "ids": done.local,
                "finishedAt": to_iso(self._clock.now()),
            }
            ingested = Ingested(
                name=key,
                version=version,
                digest=mark,
                document_id=done.document_id,
                manifest=manifest,
                finished_at=self._clock.now(),
            )
            writer.add_ingested(ingested, done.ids)
            return ingested

        return self._storage.write(work)

    def _write(self, writer: Writer, parsed: Parsed, base: Draft, speaker: Speaker, done: _Written) -> None:
        if parsed.text is None:
            self._write_given(writer, parsed, base, speaker, done)
            return
        only = parsed.candidates[0] if len(parsed.candidates) == 1 else None
        if only is not None and plain(parsed.text) == only.content:  # one sentence needs no document around it
            draft = _draft(
                base, content=only.content, type=only.type, importance=only.importance, confidence=only.confidence
            )
            memory = done.take(self._attempt(writer, draft, speaker))
            done.document_id = None if memory is None else memory.memory_id
            return
        whole = _draft(base, content=shortened(parsed.text), summary=parsed.title, verbatim=True, **_DOCUMENT)
        receipts = store_document(self._remember, writer, whole, parsed.text, speaker)
        document = done.take(receipts[0])
        done.document_id = None if document is None else document.memory_id
        for receipt in receipts[1:]:
            done.take(receipt)
            done.edges += 1
        for each in parsed.candidates:
            content = f"Done: {each.content}" if each.done else each.content  # or it would be taken for the open one
            draft = _draft(
                base, content=content, type=each.type, importance=each.importance, confidence=each.confidence
            )
            memory = done.take(self._attempt(writer, draft, speaker))
            if memory is not None and document is not None and memory.memory_id != document.memory_id:
                self._part_of(writer, memory, document, speaker, done)

    def _attempt(self, writer: Writer, draft: Draft, speaker: Speaker) -> Receipt:
        """Stores one thing that stands out; one that may not be stored does not undo the others."""
        try:
            return writer.attempt(partial(self._remember.within, writer, draft, None, speaker))
        except (Refused, InvalidInput) as error:
            return Receipt(outcome="refused", reason=error.message, code=error.code)

    def _part_of(self, writer: Writer, memory: Memory, document: Memory, speaker: Speaker, done: _Written) -> None:
        edge = new_edge(self._ids, memory.memory_id, document.memory_id, EdgeType.PART_OF, self._clock.now())
        add_edge(writer, edge, speaker.actor)
        done.edges += 1

    def _write_given(self, writer: Writer, parsed: Parsed, base: Draft, speaker: Speaker, done: _Written) -> None:
        """Memories and edges as a JSON file has them: one that is not sound rejects the file."""
        for number, each in enumerate(parsed.memories):
            draft = _draft(
                base,
                content=each.get("content"),
                **{
                    field: each[name]
                    for name, field in (
                        ("type", "type"),
                        ("importance", "importance"),
                        ("summary", "summary"),
                        ("confidence", "confidence"),
                        ("validFrom", "valid_from"),
                        ("validTo", "valid_to"),
                    )
                    if each.get(name) is not None
                },
                observed_at=each.get("observedAt") or each.get("createdAt"),
                expires=each.get("expiresAt") or "never",
            )
            where = f"memories[{number}]"
            receipt = _sound(RejectionCode.INVALID_MEMORY, where, partial(self._one, writer, draft, speaker))
            memory = done.take(receipt)
            local = each.get("memoryId")
            if memory is not None and local is not None:
                _sound(RejectionCode.INVALID_MEMORY, where, partial(check_opaque_id, local, "memoryId"))
                if local in done.local:
                    raise Rejected(RejectionCode.INVALID_MEMORY, f"{where}: another has this memoryId, too")
                done.local[local] = memory.memory_id
            if memory is not None and each.get("status") not in [None, Status.ACTIVE]:
                _sound(
                    RejectionCode.INVALID_MEMORY, where, partial(self._status, writer, memory, each["status"], speaker)
                )
        done.document_id = done.ids[0] if done.ids else None
        for number, each in enumerate(parsed.edges):
            _sound(
                RejectionCode.INVALID_EDGE,
                f"edges[{number}]",
                partial(self._edge, writer, each, speaker, done),
            )

    def _one(self, writer: Writer, draft: Draft, speaker: Speaker) -> Receipt:
        try:
            return self._remember.within(writer, draft, None, speaker)
        except Refused as error:
            return Receipt(outcome="refused", reason=error.message, code=error.code)

    def _status(self, writer: Writer, memory: Memory, status: Any, speaker: Speaker) -> Memory:
        if status not in [Status.SUPERSEDED, Status.RETRACTED]:
            raise InvalidInput.of("invalid_status", "status", status, "one of active, superseded, retracted")
        reason = "so it stands in the file"
        return set_status(writer, memory, Status(status), speaker.actor, self._clock.now(), reason)

    def _edge(self, writer: Writer, data: dict[str, Any], speaker: Speaker, done: _Written) -> None:
        now = self._clock.now()
        start, end = (data.get(name) for name in ("fromMemoryId", "toMemoryId"))
        if not isinstance(start, str) or not isinstance(end, str):
            raise InvalidInput.of("missing_field", "fromMemoryId", None, "given, as toMemoryId")
        start, end = done.local.get(start, start), done.local.get(end, end)
        kind, weight = data.get("edgeType", EdgeType.RELATED_TO), data.get("weight", 1.0)
        edge = new_edge(self._ids, start, end, kind, now, data.get("reason"), weight)
        seen = everything(self._storage.orchestrator_id, speaker, now)
        first, second = (self._access.visible(writer, seen, each) for each in (start, end))
        if edge.edge_type is EdgeType.UPDATES:
            supersede(writer, second, first, edge, speaker.actor)
            done.superseded += 1
        else:
            add_edge(writer, edge, speaker.actor)
        done.edges += 1

    def _replace(self, writer: Writer, latest: Ingested, done: _Written, speaker: Speaker) -> None:
        """What the version before said and this one does not is superseded by it, unless somebody else says it, too."""
        now = self._clock.now()
        document = None if done.document_id is None else writer.any_memory(done.document_id)
        heirs = {
            old: done.local[local] for local, old in (latest.manifest.get("ids") or {}).items() if local in done.local
        }
        for memory_id in writer.ingested_memory_ids(latest.name, latest.version):
            memory = writer.any_memory(memory_id)
            if memory is None or memory.status is not Status.ACTIVE or memory_id in done.ids:
                continue
            if writer.is_held_elsewhere(memory_id, latest.name):
                continue
            heir = writer.any_memory(heirs[memory_id]) if memory_id in heirs else document
            reason = f"{latest.manifest['name']} has a new version"
            if heir is None or heir.scope != memory.scope or heir.status is not Status.ACTIVE:
                set_status(writer, memory, Status.RETRACTED, speaker.actor, now, reason)
            else:
                edge = new_edge(self._ids, heir.memory_id, memory_id, EdgeType.UPDATES, now, reason)
                supersede(writer, memory, heir, edge, speaker.actor)
            done.superseded += 1


def file_key(scope: Scope, name: str) -> str:
    """What a file is known by: its name, among the files of those who may see it."""
    return json.dumps([scope.kind.value, scope.owner_user_id, scope.chat_id, name])


def content_mark(scope: Scope, digest: str) -> str:
    """What a content is known by, among the files of those who may see it."""
    return hashlib.sha256(file_key(scope, digest).encode()).hexdigest()


def _counts(writer: Writer, memory_id: str) -> bool:
    memory = writer.any_memory(memory_id)
    return memory is not None and memory.status is Status.ACTIVE


def _draft(base: Draft, **fields: Any) -> Draft:
    given = {name: getattr(base, name) for name in ("source", "scope", "expires")}
    return Draft(**{**given, **fields})


def _sound(code: RejectionCode, where: str, work: Callable[[], Any]) -> Any:
    """What work returns; what is wrong with it rejects the file, and says where."""
    try:
        return work()
    except Rejected:
        raise
    except NotFound as error:
        raise Rejected(code, f"{where}: {error.message}", hint=error.hint) from error
    except RecollectError as error:
        if error.code.startswith("storage") or not isinstance(error, InvalidInput | Refused):
            raise
        raise Rejected(code, f"{where}: {error.message}", hint=error.hint) from error
