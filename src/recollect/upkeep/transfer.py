"""Everything of an orchestrator as lines of JSON, and back: lossless, versioned, checked, and never half.

The first line says what it is, the last one what it must add up to; between them is every row of every table, in an
order in which each finds what it refers to.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

from recollect.errors import InvalidInput, ScopeDenied, StorageError
from recollect.storage.interface import Reader, Storage, Writer
from recollect.storage.relational.rows import Row
from recollect.storage.relational.transfer import TABLES, Checksum, Table

FORMAT, VERSION = "recollect-export", 1
_BATCH = 500
_IMPORTED = "imported."
_FILES = "files"
# What a store says about itself, and who may call: neither belongs to another store.
_LEFT_OUT = frozenset({"meta", "tokens"})
_WHOLE = tuple(table for table in TABLES if table.name not in _LEFT_OUT)
_BY_NAME = {table.name: table for table in _WHOLE}
_BLOB = _BY_NAME["artifacts"].columns.index("blob")


class Blobs(Protocol):
    """Where what is too large for the tables lies."""

    def raw(self, name: str) -> bytes:
        """The bytes of a blob."""
        ...

    def put_raw(self, name: str, data: bytes) -> None:
        """Keeps the bytes of a blob."""
        ...


class Files(Protocol):
    """The files that sessions are kept in."""

    def all(self) -> Iterator[tuple[str, bytes]]:
        """Every file, by name."""
        ...

    def check(self, name: str) -> str:
        """A name that may be kept."""
        ...

    def put(self, name: str, data: bytes) -> None:
        """Keeps a file."""
        ...


def export_lines(storage: Storage, blobs: Blobs, files: Files) -> Iterator[str]:
    """All of a store, from one view of it, with the blobs that it names and the files of sessions, line by line."""
    lines, names = storage.read(lambda reader: (_exported(reader, storage.orchestrator_id), reader.artifact_blobs()))
    yield from lines[:-1]
    for name in sorted(names):
        yield json.dumps({"blob": name, "data": base64.b64encode(blobs.raw(name)).decode()})
    digests = {}
    for name, data in files.all():
        digests[name] = hashlib.sha256(data).hexdigest()
        yield json.dumps({"file": name, "data": base64.b64encode(data).decode()})
    yield json.dumps({"end": {**json.loads(lines[-1])["end"], _FILES: digests}})


def _exported(reader: Reader, orchestrator_id: str) -> list[str]:
    head = {"format": FORMAT, "version": VERSION, "orchestratorId": orchestrator_id}
    lines = [json.dumps({**head, "activeModel": reader.active_model()})]
    sums: dict[str, tuple[int, str]] = {}
    for table in _WHOLE:
        checksum, after = Checksum(), None
        while rows := reader.dump(table, after, _BATCH):
            checksum.add(rows)
            lines += [json.dumps({"table": table.name, "row": [_plain(value) for value in row]}) for row in rows]
            after = rows[-1][: table.keys]
        sums[table.name] = checksum.value
    lines.append(json.dumps({"end": {name: list(value) for name, value in sums.items()}}))
    return lines


def import_lines(storage: Storage, blobs: Blobs, files: Files, lines: Iterable[str]) -> dict[str, int]:
    """Takes in what was exported, all of it or nothing; how many rows by table. What was imported before is left alone.

    The store must be empty, and of the same orchestrator: rows keep their numbers, times and history.
    """
    given = _read(lines, files)
    digest = _checked(storage.orchestrator_id, given)
    rows = given.rows

    def work(writer: Writer) -> dict[str, int]:
        if writer.meta(_IMPORTED + "digest") == digest:
            return {}
        if any(writer.dump(table, None, 1) for table in _WHOLE):
            raise StorageError(
                f"the memory of {storage.orchestrator_id} is not empty",
                code="import_target_not_empty",
                hint="import into another --root",
            )
        for table in _WHOLE:
            found = rows.get(table.name, [])
            for start in range(0, len(found), _BATCH):
                writer.load(table, found[start : start + _BATCH])
        writer.loaded()
        _check_sound(writer)
        if given.head.get("activeModel") is not None:
            writer.set_meta("active_model", str(given.head["activeModel"]))
        writer.set_meta(_IMPORTED + "digest", digest)
        for name, data in given.files.items():  # before this counts, so that no session is without its files
            files.put(name, data)
        return {name: len(found) for name, found in rows.items() if found}

    for name, data in given.blobs.items():  # one that nothing names in the end is swept up
        blobs.put_raw(name, data)
    return storage.write(work)


@dataclass(slots=True)
class _Given:
    """What a file holds, read and not yet believed."""

    head: dict[str, Any]
    rows: dict[str, list[Row]] = field(default_factory=dict)
    blobs: dict[str, bytes] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)
    ends: dict[str, Any] = field(default_factory=dict)


def _checked(orchestrator_id: str, given: _Given) -> str:
    """Refuses what is another's, or not what its last line says; what it is known by."""
    owner = given.head.get("orchestratorId")
    if owner != orchestrator_id:  # every memory carries the id, under a digest
        raise ScopeDenied(
            f"this is the memory of {owner}, not of {orchestrator_id}",
            code="orchestrator_mismatch",
            hint=f"import it with --orchestrator {owner}",
        )
    sums = {name: Checksum() for name in _BY_NAME}
    for name, found in given.rows.items():
        sums[name].add(found)
    told = {name: list(given.ends.get(name, ())) for name in sums}
    if {name: list(each.value) for name, each in sums.items()} != told:
        raise InvalidInput.of("damaged_export", "file", "other rows", "what its last line says", hint="export it again")
    named = {row[_BLOB] for row in given.rows.get("artifacts", []) if row[_BLOB] is not None}
    if named != given.blobs.keys():
        raise InvalidInput.of("damaged_export", "blobs", "others", "those that the artifacts name")
    if {name: hashlib.sha256(data).hexdigest() for name, data in given.files.items()} != given.ends.get(_FILES, {}):
        raise InvalidInput.of("damaged_export", "files", "others", "those that its last line names")
    return json.dumps(given.ends, sort_keys=True)


def _check_sound(reader: Reader) -> None:
    """Refuses memories that were changed in the file: each carries a digest of itself."""
    after: int | None = 0
    while after is not None:
        _, damaged, after = reader.every_memory(after, _BATCH)
        if damaged:
            raise InvalidInput.of("damaged_export", "memory", damaged[0].memory_id, "as it was exported")


def is_export(first_line: str) -> bool:
    """Whether a file begins as an export does."""
    try:
        return bool(json.loads(first_line).get("format") == FORMAT)
    except (ValueError, AttributeError, RecursionError):
        return False


def _read(lines: Iterable[str], files: Files) -> _Given:
    given: _Given | None = None
    for number, line in enumerate(lines):
        if not line.strip():
            continue
        data = _object(line, number)
        if given is None:
            given = _Given(data)
            if data.get("format") != FORMAT or data.get("version") != VERSION:
                raise InvalidInput.of("unknown_format", "file", data, f"{FORMAT} of version {VERSION}")
        elif "end" in data:
            if not isinstance(data["end"], dict):
                raise InvalidInput.of("damaged_export", "file", f"line {number + 1}", "counts and digests")
            given.ends = data["end"]
            return given
        elif "blob" in data:
            given.blobs[str(data["blob"])] = _bytes(data.get("data"), number)
        elif "file" in data:
            given.files[files.check(str(data["file"]))] = _bytes(data.get("data"), number)
        else:
            table = _BY_NAME.get(str(data.get("table")))
            row = data.get("row")
            if table is None or not isinstance(row, list) or len(row) != len(table.columns):
                raise InvalidInput.of("damaged_export", "file", f"line {number + 1}", "a row of a table")
            given.rows.setdefault(table.name, []).append(_row(table, row, number))
    raise InvalidInput.of("damaged_export", "file", "no last line", "a whole export", hint="it was cut off")


def _object(line: str, number: int) -> dict[str, Any]:
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict):
        raise InvalidInput.of("damaged_export", "file", f"line {number + 1}", "an object in JSON")
    return data


def _plain(value: Any) -> Any:
    return {"base64": base64.b64encode(value).decode()} if isinstance(value, bytes) else value


def _row(table: Table, row: list[Any], number: int) -> Row:
    try:
        return tuple(_cell(each) for each in row)
    except (KeyError, TypeError, ValueError, binascii.Error):
        raise InvalidInput.of("damaged_export", table.name, f"line {number + 1}", "values of a row") from None


def _bytes(value: Any, number: int) -> bytes:
    try:
        return base64.b64decode(value, validate=True)
    except (TypeError, ValueError, binascii.Error):
        raise InvalidInput.of("damaged_export", "blob", f"line {number + 1}", "bytes in base64") from None


def _cell(value: Any) -> Any:
    if isinstance(value, dict):
        return base64.b64decode(value["base64"], validate=True)
    if isinstance(value, list) or (isinstance(value, int) and not -(2**63) <= value < 2**63):
        raise ValueError("no value of a row")
    if isinstance(value, str):
        value.encode()  # half a character is no text
    return value
