"""Everything of an orchestrator as lines of JSON, and back: lossless, versioned, checked, and never half.

The first line says what it is, the last one what it must add up to; between them is every row of every table, in an
order in which each finds what it refers to.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterable, Iterator
from typing import Any

from recollect.errors import InvalidInput, ScopeDenied, StorageError
from recollect.storage.interface import Reader, Storage, Writer
from recollect.storage.relational.rows import Row
from recollect.storage.relational.transfer import TABLES, Checksum, Table

FORMAT, VERSION = "recollect-export", 1
_BATCH = 500
_IMPORTED = "imported."
# What a store says about itself, and who may call: neither belongs to another store.
_LEFT_OUT = frozenset({"meta", "tokens"})
_WHOLE = tuple(table for table in TABLES if table.name not in _LEFT_OUT)
_BY_NAME = {table.name: table for table in _WHOLE}


def export_lines(storage: Storage) -> Iterator[str]:
    """All of a store, from one view of it, line by line."""
    yield from storage.read(lambda reader: _exported(reader, storage.orchestrator_id))


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


def import_lines(storage: Storage, lines: Iterable[str]) -> dict[str, int]:
    """Takes in what was exported, all of it or nothing; how many rows by table. What was imported before is left alone.

    The store must be empty, and of the same orchestrator: rows keep their numbers, times and history.
    """
    rows, ends, head = _read(lines)
    owner = head.get("orchestratorId")
    if owner != storage.orchestrator_id:  # every memory carries the id, under a digest
        raise ScopeDenied(
            f"this is the memory of {owner}, not of {storage.orchestrator_id}",
            code="orchestrator_mismatch",
            hint=f"import it with --orchestrator {owner}",
        )
    digest = json.dumps(ends, sort_keys=True)
    sums = {name: Checksum() for name in _BY_NAME}
    for name, found in rows.items():
        sums[name].add(found)
    told = {name: list(ends.get(name, ())) for name in sums}
    if {name: list(each.value) for name, each in sums.items()} != told:
        raise InvalidInput.of("damaged_export", "file", "other rows", "what its last line says", hint="export it again")

    def work(writer: Writer) -> dict[str, int]:
        if writer.meta(_IMPORTED + "digest") == digest:
            return {}
        if any(writer.dump(table, None, 1) for table in _WHOLE):
            raise StorageError(
                f"the memory of {storage.orchestrator_id} is not empty",
                code="import_target_not_empty",
                hint="import into a new orchestrator",
            )
        for table in _WHOLE:
            found = rows.get(table.name, [])
            for start in range(0, len(found), _BATCH):
                writer.load(table, found[start : start + _BATCH])
        writer.loaded()
        if head.get("activeModel") is not None:
            writer.set_meta("active_model", str(head["activeModel"]))
        writer.set_meta(_IMPORTED + "digest", digest)
        return {name: len(found) for name, found in rows.items() if found}

    return storage.write(work)


def is_export(first_line: str) -> bool:
    """Whether a file begins as an export does."""
    try:
        return bool(json.loads(first_line).get("format") == FORMAT)
    except (ValueError, AttributeError, RecursionError):
        return False


def _read(lines: Iterable[str]) -> tuple[dict[str, list[Row]], dict[str, Any], dict[str, Any]]:
    rows: dict[str, list[Row]] = {}
    head: dict[str, Any] | None = None
    for number, line in enumerate(lines):
        if not line.strip():
            continue
        data = _object(line, number)
        if head is None:
            head = data
            if data.get("format") != FORMAT or data.get("version") != VERSION:
                raise InvalidInput.of("unknown_format", "file", data, f"{FORMAT} of version {VERSION}")
        elif "end" in data:
            return rows, data["end"], head
        else:
            table = _BY_NAME.get(str(data.get("table")))
            row = data.get("row")
            if table is None or not isinstance(row, list) or len(row) != len(table.columns):
                raise InvalidInput.of("damaged_export", "file", f"line {number + 1}", "a row of a table")
            rows.setdefault(table.name, []).append(_row(table, row, number))
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
        return tuple(base64.b64decode(each["base64"]) if isinstance(each, dict) else each for each in row)
    except (KeyError, TypeError, binascii.Error):
        raise InvalidInput.of("damaged_export", table.name, f"line {number + 1}", "bytes in base64") from None
