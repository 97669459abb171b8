"""Copying an orchestrator's memory from one store to another, either way; can be stopped and run again."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass

from recollect.errors import StorageError
from recollect.storage.interface import Reader, Storage, Writer
from recollect.storage.relational.rows import Row
from recollect.storage.relational.transfer import TABLES, Checksum, Table

_BATCH = 1_000
# What a store says about itself, and what a copy notes about its own progress: neither is copied.
_OWN = ("orchestrator_id", "copy.")
_STATE = "copy.state"

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Copied:
    """What was copied, and what proves that it is the same: rows by table, and one digest over all."""

    rows: dict[str, int]
    digest: str
    resumed: bool


def copy_store(
    source: Storage, target: Storage, name: str, progress: Progress = lambda _what, _done, _total: None
) -> Copied:
    """Copies everything from one view of the source; `name` tells sources apart: only a copy of the same is resumed."""
    state = target.read(lambda reader: reader.meta(_STATE))
    resumed = state == f"from {name}"
    if not resumed and (state is not None or target.read(_filled)):
        raise StorageError(
            f"the target already holds memories of {target.orchestrator_id}",
            code="copy_target_not_empty",
            hint="copy into an empty place" if state != "done" else "it is a finished copy already",
        )
    target.write(lambda writer: writer.set_meta(_STATE, f"from {name}"))
    return source.read(lambda reader: _Copy(reader, target, progress).run(resumed=resumed))


def _filled(reader: Reader) -> bool:
    """Whether a store holds anything but what every store says about itself."""
    return any(_without_own(table, reader.dump(table, None, 10)) for table in TABLES)


class _Copy:
    """One run over one consistent view of the source."""

    def __init__(self, source: Reader, target: Storage, progress: Progress) -> None:
        self._source = source
        self._target = target
        self._progress = progress

    def run(self, *, resumed: bool) -> Copied:
        """Copies what is missing, then compares everything."""
        for number, table in enumerate(TABLES):
            self._progress(f"copying {table.name}", number, 2 * len(TABLES))
            self._copy(table)
        self._target.write(lambda writer: writer.loaded())
        rows, digests = {}, []
        for number, table in enumerate(TABLES, len(TABLES)):
            self._progress(f"checking {table.name}", number, 2 * len(TABLES))
            ours = _checksum(self._source, table)
            theirs = self._target.read(lambda reader, table=table: _checksum(reader, table))  # type: ignore[misc]
            if ours != theirs:
                raise StorageError(
                    f"{table.name} differs after copying: {ours[0]} rows here, {theirs[0]} there",
                    code="copy_differs",
                    hint="the source changed between two runs: empty the target and copy again",
                )
            rows[table.name] = ours[0]
            digests.append(ours[1])
        self._target.write(lambda writer: writer.set_meta(_STATE, "done"))
        self._progress("copied", 1, 1)
        whole = Checksum()
        whole.add([tuple(digests)])
        return Copied(rows=rows, digest=whole.value[1], resumed=resumed)

    def _copy(self, table: Table) -> None:
        mark = f"copy.{table.name}"
        noted = self._target.read(lambda reader: reader.meta(mark))
        after: Row | None = None if noted is None else tuple(json.loads(noted))
        while True:
            rows = self._source.dump(table, after, _BATCH)
            if not rows:
                return
            after = rows[-1][: table.keys]
            self._target.write(lambda writer, rows=rows, after=after: _store(writer, table, mark, rows, after))  # type: ignore[misc]


def _store(writer: Writer, table: Table, mark: str, rows: list[Row], after: Row) -> None:
    """A batch and how far it came, in one transaction."""
    kept = _without_own(table, rows)
    if kept:
        writer.load(table, kept)
    writer.set_meta(mark, json.dumps(after))


def _checksum(reader: Reader, table: Table) -> tuple[int, str]:
    checksum, after = Checksum(), None
    while rows := reader.dump(table, after, _BATCH):
        checksum.add(_without_own(table, rows))
        after = rows[-1][: table.keys]
    return checksum.value


def _without_own(table: Table, rows: list[Row]) -> list[Row]:
    return [row for row in rows if table.name != "meta" or not row[0].startswith(_OWN)]
