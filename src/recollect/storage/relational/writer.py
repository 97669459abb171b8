"""Writing inside one transaction: the same on every engine, over queries of the same names."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from recollect.errors import InvalidInput, NotFound, StorageError
from recollect.log import MemoryLog
from recollect.model.clock import to_micros
from recollect.model.edge import Edge
from recollect.model.event import Event
from recollect.model.memory import Memory
from recollect.model.scope import Scope
from recollect.model.status import Status
from recollect.storage.interface import NewMemory, PendingVector, Vector
from recollect.storage.relational.reader import sound
from recollect.storage.relational.rows import MEMORY_COLUMNS, Row, digest, event_values, memory_values
from recollect.storage.relational.search import RelationalSearcher

T = TypeVar("T")


@dataclass(slots=True)
class Numbers:
    """The store's numbers of scopes and models, which never change once they are committed."""

    scopes: dict[Scope, int] = field(default_factory=dict)
    models: dict[str, tuple[int, int]] = field(default_factory=dict)


class RelationalWriter(RelationalSearcher):
    """Reads and writes inside one transaction."""

    def __init__(self, orchestrator_id: str, log: MemoryLog, numbers: Numbers) -> None:
        super().__init__(orchestrator_id, log)
        self._numbers = numbers
        self._new_numbers = Numbers()
        self._savepoints = 0

    @abstractmethod
    def _run(self, query: str, values: dict[str, Any]) -> None:
        """Runs a named query that returns nothing."""

    @abstractmethod
    def _run_all(self, query: str, rows: Sequence[Row] | Sequence[dict[str, Any]]) -> None:
        """Runs a named query once for every row."""

    @abstractmethod
    def _command(self, command: str) -> None:
        """Runs a command of the transaction itself."""

    @abstractmethod
    def _in_transaction(self) -> bool:
        """Whether the transaction is still there."""

    @abstractmethod
    def _new_seqs(self, count: int) -> Sequence[int]:
        """Numbers for new memories, in order."""

    @abstractmethod
    def _stored_vector(self, vector: Vector) -> Any:
        """A vector as the engine takes it."""

    @abstractmethod
    def _is_duplicate(self, error: Exception) -> bool:
        """Whether an error says that something is there already."""

    def committed(self) -> None:
        """What this transaction numbered is there to stay."""
        self._numbers.scopes |= self._new_numbers.scopes
        self._numbers.models |= self._new_numbers.models

    def add_memories(self, memories: Sequence[NewMemory]) -> None:
        # Table by table: half the time of row by row, since each index is filled in one go.
        rows, sources, texts, vectors, queued = [], [], [], [], []
        active = self.active_model()
        scope, scope_id = None, -1
        for seq, new in zip(self._new_seqs(len(memories)), memories, strict=True):
            self._check_own(new.memory.orchestrator_id)
            if new.memory.scope is not scope:  # a batch is nearly always of one
                scope = new.memory.scope
                scope_id = self._scope_id(scope)
            values = memory_values(new.memory)
            rows.append(
                (seq, *values[:2], scope_id, *values[2:16], new.key, digest(values), new.memory.kind, new.content_key)
            )
            sources.append((values[0], 0, *values[19:28]))
            texts.append((seq, " ".join(new.terms), f"s{scope_id}"))
            if new.vector is not None and active in {None, new.vector.model}:
                vectors.append((seq, self._model_id(new.vector), self._stored_vector(new.vector)))
            elif new.awaits_vector:
                queued.append((seq,))
        for query, bindings in (
            ("add_memory", rows),
            ("add_source", sources),
            ("add_terms", texts),
            ("add_vector", vectors),
            ("queue_vector", queued),
        ):
            if bindings:
                self._run_all(query, bindings)

    def replace_memory(
        self, memory: Memory, terms: Sequence[str] | None = None, *, awaits_vector: bool = False
    ) -> None:
        self._check_own(memory.orchestrator_id)
        values = memory_values(memory)
        columns = dict(zip(MEMORY_COLUMNS, values, strict=False))
        self._run("replace_memory", {**columns, "digest": digest(values)})
        self._run("set_claims_active", {"memory_id": memory.memory_id, "active": int(memory.status is Status.ACTIVE)})
        if terms is not None:
            self._run("replace_terms", {"memory_id": memory.memory_id, "terms": " ".join(terms)})
            self._run("drop_vectors", {"memory_id": memory.memory_id})
            if awaits_vector:
                self._run("queue_memory", {"memory_id": memory.memory_id})

    def memory_by_key(self, scope: Scope, key: str) -> Memory | None:
        rows = self._decodable("memory_by_key", {"scope_id": self._scope_id(scope), "key": key})
        return sound(rows[0]) if rows else None

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
            self._run("add_edge", values)
        except Exception as error:
            if not self._is_duplicate(error):
                raise
            raise InvalidInput.of(
                "edge_exists", "edge", edge.edge_type.value, "new: these memories have an edge of this type already"
            ) from error

    def reaches(self, start: str, goal: str, edge_type: str) -> bool:
        return self._row("reaches", {"start": start, "goal": goal, "edge_type": edge_type}) is not None

    def add_events(self, events: Iterable[Event]) -> None:
        self._run_all("add_event", [event_values(event) for event in events])

    def due_vectors(self, now: int, limit: int) -> list[PendingVector]:
        return [PendingVector(*row) for row in self._rows("due_vectors", {"now": now, "limit": limit})]

    def missing_vectors(self, model: str, after: int, limit: int) -> list[PendingVector]:
        row = self._row("find_model", {"name": model})
        values = {"model_id": row[0] if row else -1, "after": after, "limit": limit}
        return [PendingVector(*row) for row in self._rows("missing_vectors", values)]

    def count_missing(self, model: str) -> int:
        row = self._row("find_model", {"name": model})
        return int(self._rows("count_missing", {"model_id": row[0] if row else -1})[0][0])

    def store_vectors(self, vectors: Sequence[tuple[PendingVector, Vector]]) -> None:
        rows = [
            {
                "seq": pending.seq,
                "digest": pending.digest,
                "model_id": self._model_id(vector),
                "vector": self._stored_vector(vector),
            }
            for pending, vector in vectors
        ]
        self._run_all("fill_vector", rows)
        unqueued = [{"seq": pending.seq, "digest": pending.digest} for pending, _ in vectors]
        self._run_all("unqueue_vector", unqueued)

    def postpone_vectors(self, seqs: Sequence[int], due_at: int) -> None:
        self._run_all("postpone_vector", [(due_at, seq) for seq in seqs])

    def activate_model(self, model: str) -> None:
        self.set_meta("active_model", model)
        row = self._row("find_model", {"name": model})
        if row is not None:
            self._run("drop_other_vectors", {"model_id": row[0]})
            self._run("drop_queue", {"model_id": row[0]})

    def set_meta(self, key: str, value: str) -> None:
        self._run("set_meta", {"key": key, "value": value})

    def attempt(self, work: Callable[[], T]) -> T:
        self._savepoints += 1
        name = f"part{self._savepoints}"
        self._command(f"SAVEPOINT {name}")
        try:
            result = work()
        except BaseException:
            # After a full disk or an I/O error SQLite may already have rolled everything back.
            if self._in_transaction():
                self._command(f"ROLLBACK TO SAVEPOINT {name}")
                self._command(f"RELEASE SAVEPOINT {name}")
            self._new_numbers = Numbers()
            raise
        else:
            self._command(f"RELEASE SAVEPOINT {name}")
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
            if self.active_model() is None:
                self.set_meta("active_model", vector.model)
        if known[1] != vector.dimension:
            raise StorageError(
                f"vectors of {vector.model} have dimension {known[1]}; got {vector.dimension}", code="invalid_vector"
            )
        return known[0]
