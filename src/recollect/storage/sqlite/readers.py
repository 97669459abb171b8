"""The pool of reading connections: as many as are needed at once, a few kept for the next time."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import apsw

_KEPT = 16


class Readers:
    """Lends connections, each to one reader at a time."""

    def __init__(self, connect: Callable[[], apsw.Connection]) -> None:
        self._connect = connect
        self._idle: list[apsw.Connection] = []
        self._lent = 0
        self._changed = threading.Condition(threading.Lock())
        self._draining = False

    @contextmanager
    def lend(self) -> Iterator[apsw.Connection]:
        """A connection in a read transaction: one consistent view for as long as it is lent."""
        with self._changed:
            while self._draining:
                self._changed.wait()
            connection = self._idle.pop() if self._idle else None
            self._lent += 1
        try:
            connection = connection or self._connect()
            connection.execute("BEGIN")
            yield connection
        finally:
            if connection is not None and connection.in_transaction:
                connection.execute("ROLLBACK")
            with self._changed:
                self._lent -= 1
                keep = connection is not None and len(self._idle) < _KEPT and not self._draining
                if keep and connection is not None:
                    self._idle.append(connection)
                self._changed.notify_all()
            if connection is not None and not keep:
                connection.close()

    def drain(self, timeout: float) -> None:
        """Lends no more, waits for what is lent to come back, and closes all."""
        with self._changed:
            self._draining = True
            self._changed.wait_for(lambda: self._lent == 0, timeout)
            while self._idle:
                self._idle.pop().close()

    def reopen(self) -> None:
        """Lends again."""
        with self._changed:
            self._draining = False
            self._changed.notify_all()
