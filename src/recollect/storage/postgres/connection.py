"""Connections to PostgreSQL: one pool per server and process, and what its errors mean to a caller."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import psycopg
from psycopg import errors, sql
from psycopg.conninfo import conninfo_to_dict
from psycopg_pool import ConnectionPool, PoolTimeout

from recollect.errors import InvalidInput, StorageBusy, StorageError, StorageUnavailable
from recollect.forking import fork_safe_lock

Connection = psycopg.Connection[tuple[Any, ...]]

# Worth another try: someone else's transaction came first, or a unique key was decided against this one.
CONFLICTS = (errors.SerializationFailure, errors.DeadlockDetected, errors.UniqueViolation)
# Classes of errors that say that the server went away or is starting: connection, operator intervention.
_LOST_CLASSES = ("08", "57P", "25006")
# Up to the last @: a password may hold anything.
_PASSWORD = re.compile(r"(://[^:/@\s]*:).*@|(password=)[^&]+", re.IGNORECASE | re.DOTALL)
_APPLICATION = "recollect"


def check_url(url: str) -> str:
    """A connection URL that can be understood."""
    try:
        ports = str(conninfo_to_dict(url).get("port", ""))
    except psycopg.ProgrammingError:  # its text would quote what it stumbled over, which may be the password
        raise InvalidInput.of(
            "invalid_root", "root", without_password(url), "a connection URL", hint="special characters need %-escapes"
        ) from None
    if not all(port.isdigit() for port in ports.split(",") if port):
        raise InvalidInput.of("invalid_root", "root", without_password(url), "a connection URL whose port is a number")
    return url


def is_lost(error: BaseException) -> bool:
    """Whether an error says that the connection or the server is gone, rather than that something was refused."""
    if isinstance(error, errors.QueryCanceled):
        return False
    state = getattr(error, "sqlstate", None)
    if state is not None:
        return str(state).startswith(_LOST_CLASSES)
    return isinstance(error, psycopg.OperationalError | psycopg.InterfaceError)


def without_password(text: str) -> str:
    """A URL or message that may be shown and logged."""
    return _PASSWORD.sub(lambda match: f"{match.group(1)}***@" if match.group(1) else f"{match.group(2)}***", text)


class Pools:
    """One pool per URL: orchestrators of one process share connections, each transaction belongs to one of them."""

    def __init__(self) -> None:
        self._lock = fork_safe_lock()
        self._pools: dict[tuple[str, bool], tuple[ConnectionPool[Connection], int]] = {}

    def lend(self, url: str, *, prepared: bool, largest: int) -> ConnectionPool[Connection]:
        """The pool of a server; give it back with `give_back`."""
        key = (url, prepared)
        with self._lock:
            pool, users = self._pools.get(key, (None, 0))
            if pool is None:
                pool = ConnectionPool(
                    url,
                    min_size=0,
                    max_size=largest,
                    open=True,
                    kwargs={
                        "autocommit": True,  # transactions are begun by hand, together with whose they are
                        "prepare_threshold": 5 if prepared else None,
                        "application_name": _APPLICATION,
                        "connect_timeout": 10,
                    },
                    name=_APPLICATION,
                    timeout=30.0,
                    reconnect_timeout=0.1,  # a waiting caller tries again by itself
                )
            self._pools[key] = (pool, users + 1)
            return pool

    def give_back(self, url: str, *, prepared: bool) -> None:
        """Closes the pool when nobody uses it any more."""
        key = (url, prepared)
        with self._lock:
            pool, users = self._pools[key]
            if users > 1:
                self._pools[key] = (pool, users - 1)
                return
            del self._pools[key]
        pool.close()

    def forget(self) -> None:
        """In a forked child: the parent's connections are not ours, and its threads are not there."""
        self._pools.clear()


POOLS = Pools()


def begin(connection: Connection, orchestrator_id: str, mode: str) -> None:
    """Begins a transaction that belongs to one orchestrator; the settings end with it, whoever connects next.

    All that is asked here takes milliseconds, and starting helpers for it takes longer.
    """
    text = sql.SQL(
        "BEGIN ISOLATION LEVEL {mode}; SET LOCAL recollect.orchestrator = {own};"
        "SET LOCAL max_parallel_workers_per_gather = 0"
    ).format(mode=sql.SQL(mode), own=sql.Literal(orchestrator_id))
    connection.execute(text)


def roll_back(connection: Connection) -> None:
    """Ends a transaction that may already have ended."""
    with suppress(psycopg.Error):
        if not connection.closed and connection.info.transaction_status != psycopg.pq.TransactionStatus.IDLE:
            connection.execute("ROLLBACK")


@contextmanager
def translated(url: str) -> Iterator[None]:
    """PostgreSQL's errors as ours, without the password."""
    place = without_password(url)
    try:
        yield
    except PoolTimeout as error:
        raise StorageUnavailable(f"no connection to {place}", hint="is the server running?", path=place) from error
    except CONFLICTS as error:
        raise StorageBusy(f"others kept writing the same memories in {place}", path=place) from error
    except psycopg.Error as error:
        detail = without_password(str(error)).strip().splitlines()
        if is_lost(error):
            raise StorageUnavailable(
                f"cannot reach {place}: {detail[0] if detail else type(error).__name__}",
                hint="check the URL, and that the server accepts connections",
                path=place,
            ) from error
        raise StorageError(f"{place}: {detail[0] if detail else type(error).__name__}", path=place) from error
