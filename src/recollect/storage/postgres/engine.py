"""The PostgreSQL engine: one orchestrator's share of a server that many processes write to."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import psycopg
from psycopg_pool import ConnectionPool

from recollect.errors import StorageUnavailable, Unsupported
from recollect.forking import watch
from recollect.log import MemoryLog
from recollect.storage.interface import Reader, Writer
from recollect.storage.postgres.connection import (
    CONFLICTS,
    POOLS,
    Connection,
    begin,
    check_url,
    is_lost,
    roll_back,
    translated,
)
from recollect.storage.postgres.erase import erase_orchestrator, tables_holding
from recollect.storage.postgres.figures import Figures
from recollect.storage.postgres.schema import PostgresSchema
from recollect.storage.postgres.search import PostgresSearcher
from recollect.storage.postgres.statements import statements
from recollect.storage.postgres.writer import PostgresWriter
from recollect.storage.relational.writer import Numbers

T = TypeVar("T")

_SQL = statements()
# Serializable: whatever a write read before it decided is still so when it commits, or it is done again.
_WRITING = "SERIALIZABLE"
_READING = "REPEATABLE READ READ ONLY"
# Others' writes coming first is no reason to fail; more than this many times in a row is.
_MOST_CONFLICTS = 50
_MOST_DUPLICATES = 5
_FIRST_PAUSE = 0.005
_LONGEST_PAUSE = 0.5
_AFTER_A_CUT = 0.02


class PostgresStorage:
    """One orchestrator's store on a server. Concurrency is PostgreSQL's: no lock of ours is held anywhere."""

    def __init__(
        self,
        url: str,
        orchestrator_id: str,
        log: MemoryLog,
        *,
        patience: float = 30.0,
        prepared: bool = True,
        connections: int = 16,
        migrate: bool = True,
    ) -> None:
        """Opens the store; `patience` is how long a lost server is waited for, in seconds."""
        self._url = check_url(url)
        self._orchestrator_id = orchestrator_id
        self._log = log
        self._patience = patience
        self._prepared = prepared
        self._connections = connections
        self._closed = False
        self._pool = self._lend()
        self._fresh()
        try:
            with translated(url):
                schema = PostgresSchema(url)
                schema.prepare(migrate=migrate)
                if schema.bypasses_security():
                    log.write("memory.storage.row_security_bypassed", level="warning", hint="use an ordinary role")
        except BaseException:
            self.close()
            raise
        watch(self)

    def _lend(self) -> ConnectionPool[Connection]:
        return POOLS.lend(self._url, prepared=self._prepared, largest=self._connections)

    def _fresh(self) -> None:
        self._numbers = Numbers()
        self._figures = Figures()

    @property
    def orchestrator_id(self) -> str:
        """Whose store this is."""
        return self._orchestrator_id

    def read(self, work: Callable[[Reader], T]) -> T:
        """Runs work on a consistent view."""

        def attempt(connection: Connection) -> T:
            begin(connection, self._orchestrator_id, _READING)
            reader = PostgresSearcher(connection, self._orchestrator_id, self._log, self._figures)
            result = work(reader)
            connection.execute("COMMIT")
            return result

        return self._persistently(attempt)

    def write(self, work: Callable[[Writer], T]) -> T:
        """Runs work in a transaction; when this returns, what it wrote is durable."""
        unknown: list[tuple[str, dict[str, Any], T]] = []

        def attempt(connection: Connection) -> T:
            if unknown and self._took_effect(connection, *unknown[0][:2]):
                return unknown[0][2]
            unknown.clear()
            begin(connection, self._orchestrator_id, _WRITING)
            writer = PostgresWriter(connection, self._orchestrator_id, self._log, self._figures, self._numbers)
            result = work(writer)
            trace = writer.trace()
            try:
                connection.execute("COMMIT")
            except psycopg.Error as error:
                if is_lost(error) and trace is not None:
                    unknown.append((*trace, result))
                raise
            writer.committed()
            return result

        return self._persistently(attempt)

    def _took_effect(self, connection: Connection, query: str, values: dict[str, Any]) -> bool:
        """Whether a write took effect whose commit was not answered: what it would have left is there, or is not."""
        begin(connection, self._orchestrator_id, _READING)
        found = connection.execute(_SQL[query], {**values, "orchestrator_id": self._orchestrator_id}).fetchone()
        connection.execute("COMMIT")
        return found is not None

    def _persistently(self, attempt: Callable[[Connection], T]) -> T:
        """Tries again after others' writes came first, and while the server is away, each within its bound."""
        if self._closed:
            raise StorageUnavailable("this memory has been closed", code="closed", hint="open it again")
        deadline = time.monotonic() + self._patience
        conflicts, duplicates, pause = 0, 0, _FIRST_PAUSE
        with translated(self._url):
            while True:
                try:
                    return self._once(attempt, max(0.1, deadline - time.monotonic()))
                except psycopg.errors.UniqueViolation:
                    duplicates += 1  # another's came first: it is found now; or it is there to stay
                    if duplicates > _MOST_DUPLICATES:
                        raise
                except CONFLICTS:
                    conflicts += 1
                    if conflicts > _MOST_CONFLICTS:
                        raise
                except psycopg.Error as error:
                    if not is_lost(error) or time.monotonic() > deadline:
                        raise
                    self._numbers = Numbers()  # a server that took over may not have what was numbered last
                    # A cut leaves dead connections in the pool: those that wait long before they take the next one
                    # find it dead again, as long as somebody keeps cutting.
                    pause = min(pause, _AFTER_A_CUT)
                time.sleep(pause * random.uniform(0.5, 1.5))  # noqa: S311  so that two do not meet again
                pause = min(_LONGEST_PAUSE, 2 * pause)

    def _once(self, attempt: Callable[[Connection], T], timeout: float) -> T:
        pool = self._pool  # a fork may put another in its place meanwhile
        connection = pool.getconn(timeout)
        try:
            return attempt(connection)
        finally:
            roll_back(connection)
            pool.putconn(connection)

    def tune(self) -> list[str]:
        """Makes an index of the vectors that recall uses, once there are so many that searching all would be slow."""
        self.write(_drop_marks)
        model = self.read(_model_to_index)
        return [] if model is None else PostgresSchema(self._url).index_vectors(*model)

    def scrub(self, needles: Sequence[bytes]) -> bool:
        """Lets the server reuse the space of what was erased; its log and its backups are its operator's."""
        del needles  # a row that was erased can no longer be read, whatever its bytes were
        try:
            PostgresSchema(self._url).vacuum()
        except psycopg.Error as error:
            self._log.write("memory.storage.vacuum_failed", level="warning", detail=type(error).__name__)
        return True

    def residue(self, needles: Sequence[bytes]) -> list[str]:
        """The tables in which any of some texts can still be found."""

        def attempt(connection: Connection) -> list[str]:
            begin(connection, self._orchestrator_id, _READING)
            found = tables_holding(connection, self._orchestrator_id, needles)
            connection.execute("COMMIT")
            return found

        return self._persistently(attempt)

    def backup(self, path: Path) -> None:
        """Refused: a server is backed up by its own tools."""
        raise Unsupported(
            f"a server is not backed up to {path}", hint="use pg_dump, or `recollect export` for this orchestrator"
        )

    def erase(self) -> None:
        """Deletes every row of this orchestrator and lets the connections go."""

        def attempt(connection: Connection) -> None:
            begin(connection, self._orchestrator_id, _WRITING)
            erase_orchestrator(connection, self._orchestrator_id)
            connection.execute("COMMIT")

        self._persistently(attempt)
        self.scrub([])
        self.close()

    def close(self) -> None:
        """Lets the connections go; the pool waits for those that are lent."""
        if not self._closed:
            self._closed = True
            POOLS.give_back(self._url, prepared=self._prepared)

    def before_fork(self) -> None:
        """No connection may cross a fork."""
        if not self._closed:
            POOLS.give_back(self._url, prepared=self._prepared)

    def after_fork(self, *, child: bool) -> None:
        """Connects anew, in the parent and in the child."""
        if self._closed:
            return
        if child:
            self._fresh()
        self._pool = self._lend()


def _drop_marks(writer: Writer) -> None:
    assert isinstance(writer, PostgresWriter)  # noqa: S101  this engine makes no other
    writer.drop_marks()


def _model_to_index(reader: Reader) -> tuple[int, int] | None:
    """The number and dimension of the model in use, if it has many vectors."""
    assert isinstance(reader, PostgresSearcher)  # noqa: S101  this engine makes no other
    return reader.model_to_index()
