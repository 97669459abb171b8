"""Ingestion: files in the drop folder become memories, exactly once, whatever happens in between.

For every file, in this order: read, parse, keep a copy among the processed, store (one transaction that also notes the
file), write the manifest, take the file out of the folder. Wherever it breaks off, the next run begins with the same
file, sees what was stored, and goes on behind it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from recollect.config import IngestSettings
from recollect.conversations.files import locked
from recollect.errors import InvalidInput, RecollectError, Refused
from recollect.ingest import manifest
from recollect.ingest.convert import converted
from recollect.ingest.dropzone import DropZone, Read, Unsettled, check_name
from recollect.ingest.parse import CONVERTED, Parsed, decoded, ending_of, read_json, read_text
from recollect.ingest.rejection import Rejected, RejectionCode
from recollect.ingest.report import FileReport, FileStatus, IngestReport
from recollect.ingest.store import FileStore, content_mark, file_key
from recollect.log import MemoryLog
from recollect.model.clock import Clock, to_iso
from recollect.model.ingested import Ingested
from recollect.model.scope import Speaker
from recollect.model.status import Status
from recollect.storage.interface import Reader, Storage
from recollect.storage.layout import Layout

_MEGABYTE = 1_000_000
_ROUNDS = 20

Progress = Callable[[str, int, int], None]


class Ingest:
    """Turns files into memories."""

    def __init__(
        self,
        storage: Storage,
        clock: Clock,
        layout: Layout,
        settings: IngestSettings,
        log: MemoryLog,
        store: FileStore,
        step: Callable[[str, Path], None] = lambda _name, _path: None,
    ) -> None:
        """`step` is told of every step that is done with a file."""
        self._storage = storage
        self._clock = clock
        self._log = log
        self._store = store
        self._settings = settings
        self.step = step
        self._zone = DropZone(
            layout.ingest,
            layout.processed,
            layout.rejected,
            largest=settings.max_file_size_mb * _MEGABYTE,
            settle=settings.settle_seconds,
        )

    def run(
        self,
        speaker: Speaker,
        scope: str,
        progress: Progress = lambda _name, _done, _of: None,
        *,
        wait: bool = True,
        stopped: Callable[[], bool] = lambda: False,
    ) -> IngestReport:
        """Everything that is in the folder now; `wait` waits for files that are still being written."""
        reports: list[FileReport] = []
        late: list[FileReport] = []
        with locked(self._zone.folder):
            for _ in range(_ROUNDS):
                files = list(self._zone.waiting())
                late = []
                for number, path in enumerate(files):
                    if stopped():
                        return IngestReport(files=tuple(reports))
                    progress(path.name, number, len(files))
                    report = self.one(path, speaker, scope)
                    (late if report.status == "waiting" else reports).append(report)
                progress("", len(files), len(files))
                if not late or not wait:
                    return IngestReport(files=(*reports, *late))
                time.sleep(self._settings.settle_seconds)
            return IngestReport(files=(*reports, *late))

    def one(self, path: Path, speaker: Speaker, scope: str) -> FileReport:
        """One file of the folder."""
        try:
            check_name(path.name)
            ending = ending_of(path.name)
            read = self._zone.read(path)
            self.step("read", path)
            return self._take_in(path, read, ending, speaker, scope)
        except Unsettled:
            return FileReport(name=path.name, status="waiting", code="still_written")
        except Rejected as error:
            return self._reject(path, error)
        except (RecollectError, OSError) as error:
            # Not the file's fault: it stays where it is and is tried again.
            code, message = getattr(error, "code", "storage_unavailable"), getattr(error, "message", str(error))
            self._log.write("memory.ingest.failed", level="error", sourcePath=str(path), code=code)
            return FileReport(name=path.name, status="failed", code=code, message=message)
        except Exception as error:  # noqa: BLE001  one file that nobody foresaw holds up no other
            self._log.write("memory.ingest.unforeseen", level="error", detail=type(error).__name__)
            told = Rejected(RejectionCode.PROCESSING_FAILED, f"it could not be processed ({type(error).__name__})")
            return self._reject(path, told)

    def _take_in(self, path: Path, read: Read, ending: str, speaker: Speaker, scope: str) -> FileReport:
        key, mark = file_key(speaker.scope(scope), path.name), content_mark(speaker.scope(scope), read.digest)
        latest = self._storage.read(lambda reader: _still(reader, key))
        if latest is not None and latest.digest == mark:
            return self._finish(path, read, latest, known=True)
        parsed = self._parsed(read, ending)
        self.step("parsed", path)
        target = self._zone.keep(path, read)
        self.step("kept", path)
        try:
            stored = self._store.store(path.name, read.digest, parsed, target, speaker, scope)
        except Exception as error:
            self._zone.remove(target)
            if isinstance(error, InvalidInput | Refused):  # it will not be any better the next time
                raise Rejected(RejectionCode.INVALID_MEMORY, error.message, hint=error.hint) from error
            raise
        self.step("stored", path)
        return self._finish(path, read, stored, known=False)

    def _parsed(self, read: Read, ending: str) -> Parsed:
        if ending in CONVERTED:
            return read_text(converted(read.data, ending))
        text = decoded(read.data)
        return read_json(text, self._storage.orchestrator_id) if ending == "json" else read_text(text)

    def _finish(self, path: Path, read: Read, stored: Ingested, *, known: bool) -> FileReport:
        """Writes the manifest and takes the file out of the folder; what was done before is not done again."""
        target = Path(stored.manifest["sourcePath"])
        place = manifest.manifest_of(target, manifest.PROCESSED)
        again = known and place.exists()
        if not target.exists():  # somebody tidied up: the file that was dropped again takes its place
            target = self._zone.keep(path, read)
        if not again:
            manifest.write(target, manifest.PROCESSED, stored.manifest)
        self.step("manifest", path)
        self._zone.remove(path, read)
        self.step("removed", path)
        status: FileStatus = "duplicate" if again else stored.manifest["status"]
        counted = 0 if again else 1
        self._log.write(
            f"memory.ingest.{status}", sourcePath=str(target), contentDigest=stored.digest, version=stored.version
        )
        return FileReport(
            name=path.name,
            status=status,
            path=str(target),
            version=stored.version,
            memories=counted * stored.manifest["memoriesWritten"],
            edges=counted * stored.manifest["edgesWritten"],
            superseded=counted * stored.manifest["superseded"],
            refused=counted * len(stored.manifest["refused"]),
        )

    def _reject(self, path: Path, error: Rejected) -> FileReport:
        """The reason first, then the file: after a crash in between both are written again to the same place."""
        target = self._zone.reject(path)
        told = {
            "status": "rejected",
            "name": target.name,
            "sourcePath": str(target),
            "error": error.to_json(),
            "finishedAt": to_iso(self._clock.now()),
        }
        try:
            manifest.write(target, manifest.REJECTED, told)
            self.step("rejection", path)
            self._zone.move(path, target)
            self.step("rejected", path)
        except RecollectError as failed:
            self._log.write("memory.ingest.failed", level="error", sourcePath=str(path), code=failed.code)
            return FileReport(name=path.name, status="failed", code=failed.code, message=failed.message)
        self._log.write("memory.ingest.rejected", level="warning", sourcePath=str(target), code=error.code)
        return FileReport(name=path.name, status="rejected", path=str(target), code=error.code, message=error.message)


def _still(reader: Reader, key: str) -> Ingested | None:
    """The newest version of a file, if what it says still counts."""
    latest = reader.ingested_latest(key)
    document = None if latest is None or latest.document_id is None else reader.any_memory(latest.document_id)
    return None if document is not None and document.status is Status.SUPERSEDED else latest
