"""Reading inside one transaction: the same on every engine, over queries of the same names."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from recollect.errors import DamagedMemory, InvalidInput, ScopeDenied
from recollect.log import MemoryLog
from recollect.model.clock import to_micros
from recollect.model.edge import Edge
from recollect.model.event import Event
from recollect.model.memory import Memory
from recollect.model.scope import Visibility
from recollect.storage.interface import Counts, Found
from recollect.storage.knowledge import Damage
from recollect.storage.relational.rows import DamagedRow, Row, read_edge, read_event, read_memory

T = TypeVar("T")


class RelationalReader(ABC):
    """Reads inside one transaction."""

    def __init__(self, orchestrator_id: str, log: MemoryLog) -> None:
        self._orchestrator_id = orchestrator_id
        self._log = log
        self._gated: tuple[Visibility, dict[str, Any]] | None = None

    @abstractmethod
    def _rows(self, query: str, values: dict[str, Any] | None = None) -> list[Row]:
        """What a named query returns."""

    def _row(self, query: str, values: dict[str, Any] | None = None) -> Row | None:
        rows = self._rows(query, values)
        return rows[0] if rows else None

    def _memory_rows(self, query: str, values: dict[str, Any]) -> tuple[list[Row], list[Damage]]:
        """Rows that hold memories, and what is known of those that cannot be read."""
        return self._rows(query, values), []

    def _decodable(self, query: str, values: dict[str, Any]) -> list[Row]:
        """The rows of a query that can be read."""
        return self._rows(query, values)

    def _report(self, damaged: Iterable[Damage]) -> None:
        for damage in damaged:
            self._log.write("memory.row_damaged", level="error", rowId=damage.memory_id, detail=damage.message)

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
        """The gate's values for a query; a recall asks for the same ones several times."""
        if self._gated is None or self._gated[0] is not visibility:
            self._gated = visibility, self._gate_values(visibility)
        return self._gated[1]

    def _gate_values(self, visibility: Visibility) -> dict[str, Any]:
        self._check_own(visibility.orchestrator_id)
        return {
            "orchestrator_id": visibility.orchestrator_id,
            "user": visibility.speaker.user,
            "chat": visibility.speaker.chat,
            "statuses": json.dumps([status.value for status in visibility.statuses]),
            "types": None if visibility.types is None else json.dumps([kind.value for kind in visibility.types]),
            "kinds": json.dumps(sorted(visibility.kinds)),
            "now": to_micros(visibility.now),
            "include_expired": visibility.include_expired,
            "known_at": None if visibility.known_at is None else to_micros(visibility.known_at),
            "valid_at": None if visibility.valid_at is None else to_micros(visibility.valid_at),
        }

    def memory(self, visibility: Visibility, memory_id: str) -> Memory | None:
        rows, damaged = self._memory_rows("memory", {**self._gate(visibility), "memory_id": memory_id})
        if damaged:
            raise DamagedMemory(f"memory {memory_id} is damaged: {damaged[0].message}", memoryId=memory_id)
        return sound(rows[0]) if rows else None

    def exists(self, memory_id: str) -> bool:
        return self._row("exists", {"memory_id": memory_id}) is not None

    def memories(self, visibility: Visibility, *, limit: int, offset: int) -> Found:
        values = {**self._gate(visibility), "limit": limit, "offset": offset}
        query = "list_memories" if values["types"] is None else "list_typed_memories"
        return self._found(*self._memory_rows(query, values))

    def _found(self, rows: list[Row], damaged: list[Damage]) -> Found:
        """Memories of rows; what is damaged is reported."""
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

    def edges(self, visibility: Visibility, memory_ids: Iterable[str]) -> list[Edge]:
        asked = {"memory_ids": json.dumps(list(memory_ids))}
        if not self._rows("touching_edges", asked):
            return []  # most memories have none, and the gate at both ends is dear
        return self._sound_rows(read_edge, "edges", {**self._gate(visibility), **asked})

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

    def meta(self, key: str) -> str | None:
        row = self._row("get_meta", {"key": key})
        return None if row is None else str(row[0])

    def active_model(self) -> str | None:
        return self.meta("active_model")

    def queue_length(self) -> int:
        return int(self._rows("queue_length")[0][0])

    def counts(self) -> Counts:
        memories: dict[str, dict[str, int]] = {}
        for kind, status, count in self._rows("count_memories"):
            memories.setdefault(kind, {})[status] = count
        edges, events, vectors, scopes = self._rows("count_rest")[0]
        return Counts(memories=memories, edges=edges, events=events, vectors=vectors, scopes=scopes)


def sound(row: Row) -> Memory:
    """The memory that a row holds; raises when the row is damaged."""
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
