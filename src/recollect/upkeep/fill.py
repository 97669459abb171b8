"""Filling in vectors that were not made when their memory was written: retried with growing pauses."""

from __future__ import annotations

from datetime import timedelta

from recollect.embedding import Vectors, spoken
from recollect.log import MemoryLog
from recollect.model.clock import Clock, to_micros
from recollect.storage.interface import PendingVector, Storage, Writer
from recollect.upkeep.background import Background

_BATCH = 64
_FIRST_PAUSE = timedelta(seconds=20)
_LONGEST_PAUSE = timedelta(hours=1)
_MOST_DOUBLED = 10


class Filler:
    """Works through the queue, on request or in a background thread of its own."""

    def __init__(self, storage: Storage, clock: Clock, vectors: Vectors, log: MemoryLog) -> None:
        self._storage = storage
        self._clock = clock
        self._vectors = vectors
        self._log = log
        self._background = Background("recollect-upkeep", self.run, log)
        self.stop = self._background.stop

    def run(self) -> int:
        """Fills in what is due; returns how many vectors were made."""
        made = 0
        while self._vectors.embedder is not None and not self._background.stopped:
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
        """Lets the background thread look at the queue now."""
        if self._vectors.embedder is not None:
            self._background.wake()
