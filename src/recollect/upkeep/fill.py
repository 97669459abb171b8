"""Filling in vectors that were not made when their memory was written: retried with growing pauses."""

from __future__ import annotations

import os
import threading
from datetime import timedelta

from recollect.embedding import Vectors, spoken
from recollect.log import MemoryLog
from recollect.model.clock import Clock, to_micros
from recollect.storage.interface import PendingVector, Storage, Writer

_BATCH = 64
_FIRST_PAUSE = timedelta(seconds=20)
_LONGEST_PAUSE = timedelta(hours=1)
_MOST_DOUBLED = 10
_IDLE_SECONDS = 20.0


class Filler:
    """Works through the queue, on request or in a background thread of its own."""

    def __init__(self, storage: Storage, clock: Clock, vectors: Vectors, log: MemoryLog) -> None:
        self._storage = storage
        self._clock = clock
        self._vectors = vectors
        self._log = log
        self._wake = threading.Event()
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None
        self._process = os.getpid()

    def run(self) -> int:
        """Fills in what is due; returns how many vectors were made."""
        made = 0
        while self._vectors.embedder is not None and not self._stopped.is_set():
            now = to_micros(self._clock.now())
            due = self._storage.write(lambda writer, now=now: writer.due_vectors(now, _BATCH))  # type: ignore[misc]
            if not due:
                break
            if max(item.attempts for item in due) > 1:
                due = due[:1]  # what failed together is tried apart: one bad text must not hold up the others
            filled = self._fill(due)
            made += filled
            if filled < len(due):
                break  # the model is in trouble: give it time
        return made

    def _fill(self, due: list[PendingVector]) -> int:
        vectors = self._vectors.documents([spoken(item.content, item.speaker) for item in due])
        made = [(item, vector) for item, vector in zip(due, vectors, strict=True) if vector is not None]
        failed = [item for item, vector in zip(due, vectors, strict=True) if vector is None]
        pause = min(
            _FIRST_PAUSE * 2 ** min(_MOST_DOUBLED, max((item.attempts for item in failed), default=0)), _LONGEST_PAUSE
        )
        again = to_micros(self._clock.now() + pause)

        def store(writer: Writer) -> None:
            if writer.active_model() in {None, self._vectors.model}:
                writer.store_vectors(made)
            else:  # another process has switched the model: this one's vectors are of no use any more
                writer.postpone_vectors([item.seq for item, _ in made], again)
            writer.postpone_vectors([item.seq for item in failed], again)

        self._storage.write(store)
        return len(made)

    def wake(self) -> None:
        """Lets the background thread look at the queue now, starting it if it does not run yet."""
        if self._process != os.getpid():  # after a fork there is no thread, whatever was copied
            self._process = os.getpid()
            self._wake, self._stopped, self._thread = threading.Event(), threading.Event(), None
        if self._thread is None and self._vectors.embedder is not None:
            self._thread = threading.Thread(target=self._loop, name="recollect-upkeep", daemon=True)
            self._thread.start()
        self._wake.set()

    def _loop(self) -> None:
        while not self._stopped.is_set():
            self._wake.wait(_IDLE_SECONDS)
            self._wake.clear()
            try:
                self.run()
            except Exception as error:  # noqa: BLE001  tried again later; what it works on is safe in the queue
                self._log.write("memory.upkeep.failed", level="warning", detail=f"{type(error).__name__}: {error}")

    def stop(self) -> None:
        """Ends the background thread; what is left waits in the queue."""
        self._stopped.set()
        self._wake.set()
        if self._thread is not None:
            self._thread.join(timeout=5.0)
