"""One transaction on the embedded engine: the Reader and Writer of the storage interface."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import apsw

from recollect.errors import DamagedMemory, InvalidInput, NotFound, ScopeDenied, StorageError
from recollect.log import MemoryLog
from recollect.model.clock import to_micros
from recollect.model.edge import Edge
from recollect.model.event import Event
from recollect.model.memory import Memory, MemoryType
from recollect.model.scope import Scope, Visibility
from recollect.storage.interface import Counts, Damage, Found, NewMemory, Ranked, Vector
from recollect.storage.sql import queries
from recollect.storage.sqlite.rows import (
    DamagedRow,
    Row,
    digest,
    event_values,
    memory_values,
    read_edge,
    read_event,
    read_memory,
)

T = TypeVar("T")

_SQL = queries("sqlite")
_GATE = ("orchestrator_id", "user", "chat", "statuses", "now", "include_expired")


@dataclass(slots=True)
class Numbers:
    """The store's numbers of scopes and models, which never change once they are committed."""

    scopes: dict[Scope, int] = field(default_factory=dict)
    models: dict[str, tuple[int, int]] = field(default_factory=dict)


class SqliteReader:
    """Reads inside one transaction."""

    def __init__(self, connection: apsw.Connection, orchestrator_id: str, log: MemoryLog) -> None:
        self._connection = connection
        self._orchestrator_id = orchestrator_id
        self._log = log

    def _report(self, damaged: Iterable[Damage]) -> None:
        for damage in damaged:
            self._log.write("memory.row_damaged", level="error", rowId=damage.memory_id, detail=damage.message)

    def _rows(self, query: str, values: Any = None) -> list[Row]:
        return self._connection.execute(_SQL[query], values).fetchall()

    def _row(self, query: str, values: Any = None) -> Row | None:
        rows = self._rows(query, values)
        return rows[0] if rows else None

    def _memory_rows(self, query: str, values: dict[str, Any]) -> tuple[list[Row], list[Damage]]:
        """Rows that hold memories; a row whose bytes are no text any more is named and passed over."""
        try:
            return self._rows(query, values), []
        except UnicodeDecodeError:
            return self._decodable(query, values), self._undecodable(values)

    def _decodable(self, query: str, values: dict[str, Any]) -> list[Row]:
        cursor, rows = self._connection.execute(_SQL[query], values), []
        while True:
            try:
                rows.append(next(cursor))
            except UnicodeDecodeError:
                self._report([Damage("unknown", f"bytes that are no text, in {query}")])
            except StopIteration:
                return rows

    def _undecodable(self, values: dict[str, Any]) -> list[Damage]:
        damaged = []
        for memory_id, *texts in self._rows("raw_texts", {name: values[name] for name in _GATE}):
            try:
                b"".join([memory_id, *texts]).decode()
            except UnicodeDecodeError:
                damaged.append(Damage(memory_id.decode("utf-8", "replace"), "the stored bytes are no text"))
        return damaged or [Damage("unknown", "the stored bytes are no text")]

    def _check_own(self, orchestrator_id: str) -> None:
        """A store serves its own orchestrator only; anything else is refused and logged."""
        if orchestrator_id != self._orchestrator_id:
            self._log.write("memory.scope_denied", level="warning", requested=orchestrator_id)
            raise ScopeDenied(
                f"the store of {self._orchestrator_id} was asked for memories of {orchestrator_id}",
                requested=orchestrator_id,
                available=self._orchestrator_id,
            )

    def _gate(self, visibility: Visibility) -> dict[str, Any]:
        """The gate's values for a query."""
        self._check_own(visibility.orchestrator_id)
        return {
            "orchestrator_id": visibility.orchestrator_id,
            "user": visibility.speaker.user,
            "chat": visibility.speaker.chat,
            "statuses": json.dumps([status.value for status in visibility.statuses]),
            "now": to_micros(visibility.now),
            "include_expired": visibility.include_expired,
        }

    def memory(self, visibility: Visibility, memory_id: str) -> Memory | None:
        rows, damaged = self._memory_rows("memory", {**self._gate(visibility), "memory_id": memory_id})
        if damaged:
            raise DamagedMemory(f"memory {memory_id} is damaged: {damaged[0].message}", memoryId=memory_id)
        return _sound(rows[0]) if rows else None

    def exists(self, memory_id: str) -> bool:
        return self._row("exists", {"memory_id": memory_id}) is not None

    def memories(self, visibility: Visibility, *, types: Iterable[MemoryType] | None, limit: int, offset: int) -> Found:
        wanted = None if types is None else json.dumps([kind.value for kind in types])
        values = {**self._gate(visibility), "types": wanted, "limit": limit, "offset": offset}
        rows, damaged = self._memory_rows("list_memories", values)
        found = Found([], damaged)
        for row in rows:
            _read_into(found.memories.append, damaged, row)
        self._report(damaged)
        return found

    def by_seq(self, visibility: Visibility, seqs: Sequence[int]) -> tuple[dict[int, Memory], list[Damage]]:
        memories: dict[int, Memory] = {}
        rows, damaged = self._memory_rows("by_seq", {**self._gate(visibility), "seqs": json.dumps(list(seqs))})
        for row in rows:
            _read_into(lambda memory, seq=row[0]: memories.__setitem__(seq, memory), damaged, row[1:])  # type: ignore[misc]
        self._report(damaged)
        return memories, damaged

    def match_terms(self, visibility: Visibility, terms: Sequence[str], limit: int) -> list[Ranked]:
        values = self._gate(visibility)
        scopes = [row[0] for row in self._rows("visible_scopes", values)]
        if not terms or not scopes:
            return []
        wanted = " OR ".join(f'"{term}"' for term in dict.fromkeys(terms))
        within = " OR ".join(f'"s{scope}"' for scope in scopes)
        values |= {"query": f"{{terms}} : ({wanted}) AND {{scope}} : ({within})", "limit": limit}
        return [Ranked(seq, -score) for seq, score in self._rows("match_terms", values)]

    def nearest(self, visibility: Visibility, vector: Vector, limit: int) -> list[Ranked]:
        values = self._gate(visibility)
        model = self._row("find_model", {"name": vector.model})
        if model is None:
            return []
        values |= {"model_id": model[0], "vector": vector.data, "limit": limit}
        return [Ranked(seq, 1.0 - distance) for seq, distance in self._rows("nearest", values)]

    def edges(self, visibility: Visibility, memory_ids: Iterable[str]) -> list[Edge]:
        values = {**self._gate(visibility), "memory_ids": json.dumps(list(memory_ids))}
        return self._sound_rows(read_edge, "edges", values)

    def events(self, memory_id: str) -> list[Event]:
        return self._sound_rows(read_event, "events", {"memory_id": memory_id})

    def _sound_rows(self, read: Callable[[Row], T], query: str, values: dict[str, Any]) -> list[T]:
        """What rows hold; one that holds what no version of ours writes is reported and passed over."""
        found = []
        for row in self._decodable(query, values):
            try:
                found.append(read(row))
            except (InvalidInput, ValueError, OverflowError) as error:
                self._report([Damage(str(row[0]), str(error))])
        return found

    def counts(self) -> Counts:
        memories: dict[str, dict[str, int]] = {}
        for kind, status, count in self._rows("count_memories"):
            memories.setdefault(kind, {})[status] = count
        edges, events, vectors, scopes = self._rows("count_rest")[0]
        return Counts(memories=memories, edges=edges, events=events, vectors=vectors, scopes=scopes)


class SqliteWriter(SqliteReader):
    """Reads and writes inside one transaction."""

    def __init__(self, connection: apsw.Connection, orchestrator_id: str, log: MemoryLog, numbers: Numbers) -> None:
        super().__init__(connection, orchestrator_id, log)
        self._numbers = numbers
        self._new_numbers = Numbers()
        self._savepoints = 0

    def committed(self) -> None:
        """What this transaction numbered is there to stay."""
        self._numbers.scopes |= self._new_numbers.scopes
        self._numbers.models |= self._new_numbers.models

    def add_memories(self, memories: Sequence[NewMemory]) -> None:
        # Table by table: half the time of row by row, since each index is filled in one go.
        row = self._row("last_seq")
        first = 1 if row is None else row[0] + 1
        rows, sources, texts, vectors = [], [], [], []
        for seq, new in enumerate(memories, first):
            self._check_own(new.memory.orchestrator_id)
            scope_id = self._scope_id(new.memory.scope)
            values = memory_values(new.memory)
            rows.append((seq, *values[:2], scope_id, *values[2:16], new.key, digest(values)))
            sources.append((values[0], 0, *values[19:]))
            texts.append((seq, " ".join(new.terms), f"s{scope_id}"))
            if new.vector is not None:
                vectors.append((seq, self._model_id(new.vector), new.vector.data))
        for query, bindings in (
            ("add_memory", rows),
            ("add_source", sources),
            ("add_terms", texts),
            ("add_vector", vectors),
        ):
            self._connection.executemany(_SQL[query], bindings)

    def replace_memory(self, memory: Memory, terms: Sequence[str] | None = None) -> None:
        self._check_own(memory.orchestrator_id)
        values = memory_values(memory)
        names = [
            "memory_id",
            "orchestrator_id",
            "type",
            "importance",
            "content",
            "summary",
            "confidence",
            "status",
            "sensitivity",
            "trust",
            "observed_at",
            "created_at",
            "updated_at",
            "expires_at",
            "valid_from",
            "valid_to",
        ]
        columns = dict(zip(names, values, strict=False))
        self._connection.execute(_SQL["replace_memory"], {**columns, "digest": digest(values)})
        if terms is not None:
            self._connection.execute(_SQL["replace_terms"], {"memory_id": memory.memory_id, "terms": " ".join(terms)})
            self._connection.execute(_SQL["drop_vectors"], {"memory_id": memory.memory_id})

    def memory_by_key(self, scope: Scope, key: str) -> Memory | None:
        rows = self._decodable("memory_by_key", {"scope_id": self._scope_id(scope), "key": key})
        return _sound(rows[0]) if rows else None

    def add_edge(self, edge: Edge) -> None:
        values = {
            "edge_id": edge.edge_id,
            "from_memory_id": edge.from_memory_id,
            "to_memory_id": edge.to_memory_id,
            "edge_type": edge.edge_type.value,
            "weight": edge.weight,
            "reason": edge.reason,
            "created_at": to_micros(edge.created_at),
        }
        for end in (edge.from_memory_id, edge.to_memory_id):
            if not self.exists(end):
                raise NotFound(f"no memory {end}", memoryId=end)
        try:
            self._connection.execute(_SQL["add_edge"], values)
        except apsw.ConstraintError as error:
            raise InvalidInput.of(
                "edge_exists", "edge", edge.edge_type.value, "new: these memories have an edge of this type already"
            ) from error

    def reaches(self, start: str, goal: str, edge_type: str) -> bool:
        return self._row("reaches", {"start": start, "goal": goal, "edge_type": edge_type}) is not None

    def add_events(self, events: Iterable[Event]) -> None:
        self._connection.executemany(_SQL["add_event"], [event_values(event) for event in events])

    def attempt(self, work: Callable[[], T]) -> T:
        self._savepoints += 1
        name = f"part{self._savepoints}"
        self._connection.execute(f"SAVEPOINT {name}")
        try:
            result = work()
        except BaseException:
            # After a full disk or an I/O error SQLite may already have rolled everything back.
            if self._connection.in_transaction:
                self._connection.execute(f"ROLLBACK TO {name}; RELEASE {name}")
            self._new_numbers = Numbers()
            raise
        else:
            self._connection.execute(f"RELEASE {name}")
            return result
        finally:
            self._savepoints -= 1

    def _scope_id(self, scope: Scope) -> int:
        known = self._numbers.scopes.get(scope) or self._new_numbers.scopes.get(scope)
        if known is None:
            values = {
                "kind": scope.kind.value,
                "owner_user_id": scope.owner_user_id,
                "chat_id": scope.chat_id,
            }
            row = self._row("find_scope", values) or self._row("add_scope", values)
            assert row is not None  # noqa: S101  RETURNING always returns
            known = self._new_numbers.scopes[scope] = int(row[0])
        return known

    def _model_id(self, vector: Vector) -> int:
        if len(vector.data) != 4 * vector.dimension:
            raise StorageError(
                f"a vector of {vector.model} has {len(vector.data) // 4} numbers instead of {vector.dimension}",
                code="invalid_vector",
            )
        known = self._numbers.models.get(vector.model) or self._new_numbers.models.get(vector.model)
        if known is None:
            row = self._row("find_model", {"name": vector.model}) or self._row(
                "add_model", {"name": vector.model, "dimension": vector.dimension}
            )
            assert row is not None  # noqa: S101  RETURNING always returns
            known = self._new_numbers.models[vector.model] = (row[0], row[1])
        if known[1] != vector.dimension:
            raise StorageError(
                f"vectors of {vector.model} have dimension {known[1]}; got {vector.dimension}", code="invalid_vector"
            )
        return known[0]


def _sound(row: Row) -> Memory:
    try:
        return read_memory(row)
    except DamagedRow as error:
        raise DamagedMemory(
            f"memory {error.memory_id} is damaged: {error.message}", memoryId=error.memory_id
        ) from error


def _read_into(add: Callable[[Memory], None], damaged: list[Damage], row: Row) -> None:
    try:
        add(read_memory(row))
    except DamagedRow as error:
        damaged.append(Damage(error.memory_id, error.message))
