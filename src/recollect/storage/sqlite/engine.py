"""The embedded engine: opens, migrates and shares one SQLite file among threads and processes."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import apsw

from recollect.errors import CorruptDatabase, ForeignDatabase, NewerSchema, StorageUnavailable
from recollect.forking import watch
from recollect.log import MemoryLog
from recollect.storage.interface import Reader, Writer
from recollect.storage.relational.transfer import TABLES
from recollect.storage.relational.writer import Numbers
from recollect.storage.residue import holds
from recollect.storage.schema import SchemaStatus
from recollect.storage.sql import migrations, queries
from recollect.storage.sqlite.backup import make_backup
from recollect.storage.sqlite.commit import GroupCommit, Job
from recollect.storage.sqlite.connection import connect, enter_wal, sync_folder, translated
from recollect.storage.sqlite.frequencies import Frequencies
from recollect.storage.sqlite.readers import Readers
from recollect.storage.sqlite.search import SqliteSearcher
from recollect.storage.sqlite.vectors import VectorIndexes
from recollect.storage.sqlite.writer import SqliteWriter

T = TypeVar("T")

# 'RCLT': marks a file as ours, so that no other program's database is ever migrated by mistake.
APPLICATION_ID = 0x52434C54
# How long forgetting waits for readers before it puts the overwriting off, in milliseconds.
_SCRUB_PATIENCE = 2_000
_SQLITE_HEADER = b"SQLite format 3\x00"
_SQL = queries("sqlite")


class SqliteStorage:
    """One orchestrator's store in one file. Readers never wait for the writer, nor for each other."""

    def __init__(
        self,
        path: Path,
        orchestrator_id: str,
        log: MemoryLog,
        *,
        synchronous: str = "full",
        busy_timeout: float = 30.0,
        vfs: str | None = None,
    ) -> None:
        self._path = path
        self._orchestrator_id = orchestrator_id
        self._log = log
        self._synchronous = synchronous
        self._busy_timeout = busy_timeout
        self._vfs = vfs
        self._closed = False
        self._readers = Readers(self._connect)
        self._commits = GroupCommit(self._run_group)
        self._indexes = VectorIndexes()
        self._frequencies = Frequencies()
        with translated(path):
            self._start()
        watch(self)

    @property
    def orchestrator_id(self) -> str:
        """Whose store this is."""
        return self._orchestrator_id

    def _start(self) -> None:
        """Opens the file."""
        _check_header(self._path)
        writer = self._connect()
        try:
            _check_ours(writer, self._path)
            _migrate(writer, self._path, self._orchestrator_id, self._busy_timeout)
            _check_orchestrator(writer, self._path, self._orchestrator_id)
        except BaseException:
            writer.close()
            raise
        self._writer = writer
        self._numbers = Numbers()

    def _connect(self) -> apsw.Connection:
        return connect(self._path, busy_timeout=self._busy_timeout, synchronous=self._synchronous, vfs=self._vfs)

    def _check_open(self) -> None:
        if self._closed:
            raise StorageUnavailable("this memory has been closed", code="closed", hint="open it again")

    def read(self, work: Callable[[Reader], T]) -> T:
        """Runs work on a consistent view."""
        self._check_open()
        with translated(self._path), self._readers.lend() as connection:
            return work(SqliteSearcher(connection, self._orchestrator_id, self._log, self._indexes, self._frequencies))

    def write(self, work: Callable[[Writer], T]) -> T:
        """Runs work in a transaction; when this returns, what it wrote is on disk."""
        self._check_open()
        return self._commits.submit(work)

    def _run_group(self, group: list[Job]) -> None:
        """Runs queued writes in one transaction, each undone alone if it fails, and commits once."""
        passed: list[Job] = []
        self._committing = False
        try:
            with translated(self._path):
                self._begin()
                writer = SqliteWriter(self._writer, self._orchestrator_id, self._log, self._indexes, self._numbers)
                passed = self._run_jobs(group, writer)
                self._commit()
                writer.committed()
        except Exception as error:  # noqa: BLE001  every waiting caller is told, none is left hanging
            self._roll_back()
            for job in group:
                if not job.finished:
                    job.fail(error)
        except BaseException:
            # Ctrl-C. It may strike as the commit returns: then these writes have happened, and are told so.
            if self._committing and not self._writer.in_transaction:
                _succeed(passed)
            self._roll_back()
            raise
        else:
            _succeed(passed)

    def _begin(self) -> None:
        """Takes the write lock. SQLite's waiting is unfair between processes, so a busy round is tried again."""
        deadline = time.monotonic() + self._busy_timeout
        while True:
            try:
                self._writer.execute("BEGIN IMMEDIATE")
            except apsw.BusyError:
                if time.monotonic() > deadline:
                    raise
            else:
                return

    def _run_jobs(self, group: list[Job], writer: SqliteWriter) -> list[Job]:
        if len(group) == 1:
            group[0].result = group[0].work(writer)  # alone, it needs no savepoint: what it raises undoes everything
            return group
        passed = []
        for job in group:
            try:
                with translated(self._path):
                    job.result = writer.attempt(partial(job.work, writer))
            except Exception as error:
                if not self._writer.in_transaction:
                    raise  # the engine gave up the whole transaction: nobody's write happened
                job.fail(error)
            else:
                passed.append(job)
        return passed

    def _commit(self) -> None:
        """Commits, and finds out what happened when the commit itself reports an error.

        A full disk or an I/O error can strike after the commit took effect (while the log is folded back into
        the database); then the newest event of this transaction is there, and the caller is told the truth.
        """
        newest = self._writer.execute(_SQL["last_event"]).fetchone()
        self._committing = True
        try:
            self._writer.execute("COMMIT")
        except apsw.Error as error:
            self._roll_back()
            if newest is None or self._event_at(newest[0]) != newest:
                raise
            self._log.write("memory.storage.checkpoint_failed", level="warning", detail=str(error))

    def _event_at(self, sequence: int) -> Any:
        return self._writer.execute(_SQL["event_at"], {"sequence": sequence}).fetchone()

    def _roll_back(self) -> None:
        if self._writer.in_transaction:
            with suppress(apsw.Error):  # the engine rolls back by itself when it cannot do it here
                self._writer.execute("ROLLBACK")

    def scrub(self, needles: Sequence[bytes]) -> bool:
        """Folds the log into the database, which overwrites what it frees; where bytes are left, it is written anew."""
        self._check_open()
        self._commits.hold()
        try:
            with translated(self._path):
                self._writer.set_busy_timeout(_SCRUB_PATIENCE)
                try:
                    if not self._fold():
                        return False
                    if self.residue(needles):
                        self._writer.execute("VACUUM")
                        return self._fold() and not self.residue(needles)
                except apsw.BusyError:
                    return False
                finally:
                    self._writer.set_busy_timeout(int(self._busy_timeout * 1000))
            return True
        finally:
            self._commits.release()

    def _fold(self) -> bool:
        """Folds the log into the database and empties it; False if somebody is still reading from it."""
        return not self._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()[0][0]

    def residue(self, needles: Sequence[bytes]) -> list[str]:
        """The files of the database in which any of some bytes can still be found."""
        beside = (self._path.with_name(self._path.name + ending) for ending in ("", "-wal", "-journal"))
        return [str(path) for path in beside if needles and holds(path, needles)]

    def backup(self, path: Path) -> None:
        """A consistent copy in a file of its own; writers go on meanwhile."""
        self._check_open()
        make_backup(self._connect, path)

    def erase(self) -> None:
        """Empties the database in place, so that others who have it open see that it is empty, and closes it."""
        self._check_open()
        self._commits.hold()
        try:
            with translated(self._path):
                _empty(self._writer)
                self._writer.execute("VACUUM")
                self._fold()
        finally:
            self._commits.release()
        self.close()

    def tune(self) -> list[str]:
        """Nothing: indexes of vectors are kept in memory and made when they are needed."""
        return []

    def close(self) -> None:
        """Waits for running work and closes the file."""
        if self._closed:
            return
        self._closed = True
        self._let_go()
        self._commits.release()

    def _let_go(self) -> None:
        """Waits for running work and closes every connection, keeping writers out."""
        self._commits.hold()
        with translated(self._path):
            self._readers.drain(self._busy_timeout)
            self._writer.close()

    def before_fork(self) -> None:
        """No connection may cross a fork: SQLite's locks stay behind, and the child would write unprotected."""
        if not self._closed:
            self._let_go()

    def after_fork(self, *, child: bool) -> None:
        """Opens anew, in the parent and in the child."""
        if self._closed:
            return
        if child:
            self._indexes = VectorIndexes()
            self._readers = Readers(self._connect)
            self._commits = GroupCommit(self._run_group)
        with translated(self._path):
            self._start()
        if not child:
            self._readers.reopen()
            self._commits.release()


def _empty(connection: apsw.Connection) -> None:
    """Deletes every row; what keeps events from being deleted is put back."""
    kept = connection.execute(
        "SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND name = 'events_keep'"
    ).fetchall()
    connection.execute("BEGIN IMMEDIATE")
    try:
        connection.execute("DROP TRIGGER events_keep")
        own = connection.execute(_SQL["get_meta"], {"key": "orchestrator_id"}).fetchall()[0][0]
        connection.execute("DELETE FROM memory_fts")
        connection.execute("DELETE FROM rewritten")
        for table in reversed(TABLES):
            if table.name != "memory_fts":
                connection.execute(f"DELETE FROM {table.name}")  # noqa: S608  names of ours
        connection.execute(_SQL["set_meta"], {"key": "orchestrator_id", "value": own})
        connection.execute(str(kept[0][0]))
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


def sqlite_status(path: Path) -> SchemaStatus:
    """What there is to say of a file's schema; a file that is not there has none, and is not made."""
    version = 0
    if path.exists():
        with translated(path):
            _check_header(path)
            connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
            try:
                version = connection.pragma("user_version")
            finally:
                connection.close()
    known = migrations("sqlite")
    return SchemaStatus(
        engine="sqlite",
        place=str(path),
        schema=version,
        newest=known[-1][0],
        pending=tuple(f"{number:04}_{name}" for number, name, _ in known if number > version),
        server=apsw.sqlite_lib_version(),
    )


def _succeed(jobs: list[Job]) -> None:
    for job in jobs:
        job.succeed()


def _check_header(path: Path) -> None:
    """Refuses what is not a database before SQLite gets to touch it."""
    try:
        if path.is_dir():
            raise StorageUnavailable(f"{path} is a folder, not a database", path=str(path))
        with path.open("rb") as file:
            header = file.read(len(_SQLITE_HEADER))
    except FileNotFoundError:
        return
    except OSError as error:
        raise StorageUnavailable(f"cannot read {path}: {error.strerror}", path=str(path)) from error
    if header and header != _SQLITE_HEADER:
        raise CorruptDatabase(
            f"the memory database {path} is damaged: it does not begin as a database does",
            hint="restore a backup, or move the file away to begin anew",
            path=str(path),
        )


def _check_ours(connection: apsw.Connection, path: Path) -> None:
    """Refuses other programs' databases and ones that a newer version of ours has written."""
    connection.execute("BEGIN")  # one view: another process may just be creating the store
    try:
        application_id = connection.pragma("application_id")
        filled = connection.execute("SELECT 1 FROM sqlite_master").fetchone()
    finally:
        connection.execute("ROLLBACK")
    if filled and application_id != APPLICATION_ID:
        raise ForeignDatabase(f"{path} is another program's database", path=str(path))
    version, newest = connection.pragma("user_version"), migrations("sqlite")[-1][0]
    if version > newest:
        raise NewerSchema(
            f"{path} has schema {version}; this version of Recollect knows {newest}",
            hint="upgrade Recollect",
            path=str(path),
            schema=version,
            newest=newest,
        )


def _migrate(connection: apsw.Connection, path: Path, orchestrator_id: str, busy_timeout: float) -> None:
    """Brings the schema up to date, one transaction a step; another process may be doing the same."""
    pending = migrations("sqlite")[connection.pragma("user_version") :]
    if not pending and connection.pragma("journal_mode") == "wal":
        return
    enter_wal(connection, busy_timeout)
    for number, _, script in migrations("sqlite"):
        connection.execute("BEGIN IMMEDIATE")
        try:
            if connection.pragma("user_version") < number:
                connection.execute(script)
                connection.pragma("user_version", number)
                connection.pragma("application_id", APPLICATION_ID)
                if number == 1:
                    connection.execute(_SQL["set_meta"], {"key": "orchestrator_id", "value": orchestrator_id})
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
    path.chmod(0o600)
    sync_folder(path.parent)


def _check_orchestrator(connection: apsw.Connection, path: Path, orchestrator_id: str) -> None:
    row = connection.execute(_SQL["get_meta"], {"key": "orchestrator_id"}).fetchone()
    if row is None or row[0] != orchestrator_id:
        raise ForeignDatabase(
            f"{path} belongs to the orchestrator {row[0] if row else 'of nobody'}, not to {orchestrator_id}",
            code="orchestrator_mismatch",
            path=str(path),
        )
