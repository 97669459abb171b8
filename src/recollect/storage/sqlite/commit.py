"""Group commit: writes that wait for each other share one transaction and one sync to disk.

There is no writer thread. Whoever finds the store free leads: it runs everything that is queued, each job in
a savepoint of its own, commits once, and hands out the results. A single writer therefore pays for no switch
of threads, and many writers pay for one sync together.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")

# Enough to share a sync widely; few enough that the first of a group does not wait long for the last.
_LARGEST_GROUP = 64


class Job:
    """One write that waits for its turn, then for the commit."""

    __slots__ = ("error", "finished", "result", "work")

    def __init__(self, work: Callable[..., Any]) -> None:
        self.work = work
        self.finished = False
        self.result: Any = None
        self.error: BaseException | None = None

    def succeed(self) -> None:
        """The result that was set is durable."""
        self.finished = True

    def fail(self, error: BaseException) -> None:
        """Nothing of this job was written."""
        self.error = error
        self.finished = True


class GroupCommit:
    """Queues jobs and lets one waiting thread at a time run them all."""

    def __init__(self, run_group: Callable[[list[Job]], None]) -> None:
        self._run_group = run_group
        self._queue: deque[Job] = deque()
        self._leading = threading.Lock()

    def submit(self, work: Callable[..., T]) -> T:
        """Runs one job; returns when it is durable, raises what it raised."""
        job = Job(work)
        self._queue.append(job)
        while not job.finished:
            with self._leading:
                if not job.finished:
                    self._lead(job)
        if job.error is not None:
            raise job.error
        result: T = job.result
        return result

    def _lead(self, own: Job) -> None:
        group = [self._queue.popleft() for _ in range(min(len(self._queue), _LARGEST_GROUP))]
        try:
            self._run_group(group)
        except BaseException as error:
            # An interrupt (Ctrl-C) hit this thread, not the others' work: they get another leader, its own job ends.
            self._queue.extendleft(job for job in reversed(group) if not job.finished and job is not own)
            own.fail(error)
            raise

    def hold(self) -> None:
        """Waits until no group is running and lets none begin."""
        self._leading.acquire()

    def release(self) -> None:
        """Lets groups run again."""
        self._leading.release()
