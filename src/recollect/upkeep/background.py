"""A background thread that works when woken, or when something falls due; it never holds up who woke it."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable

from recollect.log import MemoryLog

_IDLE_SECONDS = 20.0


class Background:
    """Runs work again and again in a thread of its own, which is started when it is first needed."""

    def __init__(
        self, name: str, work: Callable[[], object], log: MemoryLog, idle: Callable[[], float] | None = None
    ) -> None:
        """`idle` says how many seconds to wait for a wake-up; what fails is logged and tried again."""
        self._name = name
        self._work = work
        self._log = log
        self._idle = idle or (lambda: _IDLE_SECONDS)
        self._begin()

    def _begin(self) -> None:
        self._process = os.getpid()
        self._awake = threading.Event()
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None

    @property
    def stopped(self) -> bool:
        """Whether it is to end."""
        return self._stopped.is_set()

    def start(self) -> None:
        """Starts the thread if it does not run yet; it looks for work when something falls due."""
        if self._process != os.getpid():  # after a fork there is no thread, whatever was copied
            self._begin()
        if self._thread is None and not self._stopped.is_set():
            self._thread = threading.Thread(target=self._loop, name=self._name, daemon=True)
            self._thread.start()

    def wake(self) -> None:
        """Lets the thread look for work now, starting it if it does not run yet."""
        self.start()
        self._awake.set()

    def _loop(self) -> None:
        while not self._stopped.is_set():
            self._awake.wait(self._idle())
            self._awake.clear()
            if self._stopped.is_set():
                return
            try:
                self._work()
            except Exception as error:  # noqa: BLE001  tried again later; what it works on is safe in its queue
                self._log.write("memory.upkeep.failed", level="warning", detail=f"{type(error).__name__}: {error}")

    def stop(self) -> None:
        """Ends the thread; what is left waits in its queue."""
        self._stopped.set()
        self._awake.set()
        if self._thread is not None and self._process == os.getpid():
            self._thread.join(timeout=5.0)
