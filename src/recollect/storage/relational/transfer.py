"""Moving a store between engines: its tables as plain rows in the order of their keys, the same on every engine."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from recollect.storage.relational.rows import MEMORY_COLUMNS, Row


@dataclass(frozen=True, slots=True)
class Table:
    """A table by its columns; `keys` of them, the first ones, give the order.

    `raw` is a text that may hold any character: PostgreSQL keeps it as bytes.
    """

    name: str
    columns: tuple[str, ...]
    keys: int = 1
    numbers: str | None = None
    raw: str | None = None

    @property
    def key(self) -> tuple[str, ...]:
        """The columns that give the order."""
        return self.columns[: self.keys]


# In an order in which every row finds what it refers to. `numbers` is the sequence that PostgreSQL counts on with.
TABLES = (
    Table("meta", ("key", "value")),
    Table("scopes", ("scope_id", "kind", "owner_user_id", "chat_id"), numbers="scope_numbers"),
    Table("embedding_models", ("model_id", "name", "dimension"), numbers="model_numbers"),
    Table(
        "memories",
        ("seq", "memory_id", "scope_id", *MEMORY_COLUMNS[2:], "idempotency_key", "digest", "kind", "content_key"),
        numbers="memory_numbers",
    ),
    Table(
        "memory_sources",
        (
            "memory_id",
            "ordinal",
            "source_type",
            "captured_by",
            "source_path",
            "conversation_id",
            "workflow_run_id",
            "step_id",
            "message_id",
            "speaker",
            "position",
        ),
        keys=2,
    ),
    Table(
        "memory_edges",
        ("edge_id", "from_memory_id", "to_memory_id", "edge_type", "weight", "reason", "created_at"),
    ),
    Table(
        "sessions",
        (
            "session_id",
            "agent_id",
            "provider",
            "chat_id",
            "user_id",
            "store_types",
            "place",
            "created_at",
            "updated_at",
            "expires_at",
        ),
    ),
    Table(
        "messages",
        (
            "session_id",
            "position",
            "message_id",
            "role",
            "content",
            "created_at",
            "token_count",
            "metadata",
            "memory_id",
        ),
        keys=2,
        raw="content",
    ),
    Table("session_values", ("session_id", "key", "value", "written_at", "ordinal"), keys=2, raw="value"),
    Table(
        "session_usage",
        ("session_id", "model", "requests", "input_tokens", "output_tokens", "cost"),
        keys=2,
    ),
    Table(
        "user_profiles",
        ("user_id", "provider", "username", "display_name", "notes", "updated_at"),
        keys=2,
    ),
    Table("people", ("person_id", "scope_id", "name", "merged_into", "created_at", "updated_at")),
    Table("person_names", ("person_id", "name"), keys=2),
    Table("person_relations", ("person_id", "relation", "of_person"), keys=3),
    Table("memory_people", ("memory_id", "person_id"), keys=2),
    Table(
        "memory_claims",
        (
            "memory_id",
            "ordinal",
            "scope_id",
            "subject",
            "attribute",
            "value",
            "negated",
            "stated_by",
            "clause",
            "active",
        ),
        keys=2,
    ),
    Table("forgotten", ("scope_id", "content_key", "forgotten_at"), keys=2),
    Table("extractions", ("session_id", "position", "attempts", "due_at")),
    Table(
        "artifacts",
        (
            "artifact_id",
            "kind",
            "user_id",
            "conversation_id",
            "turn_id",
            "track_id",
            "bundle_id",
            "unique_key",
            "tags",
            "content",
            "blob",
            "blob_digest",
            "created_at",
            "updated_at",
            "expires_at",
        ),
    ),
    Table("artifact_tags", ("user_id", "tag", "artifact_id"), keys=3),
    Table("ingested_files", ("name", "version", "digest", "document_id", "manifest", "finished_at"), keys=2),
    Table(
        "tokens",
        (
            "token_id",
            "digest",
            "user_id",
            "chat_id",
            "rights",
            "label",
            "created_at",
            "expires_at",
            "revoked_at",
        ),
    ),
    Table("ingested_memories", ("name", "version", "memory_id"), keys=3),
    Table("memory_fts", ("seq", "terms")),
    Table("memory_embeddings", ("entry", "seq", "model_id", "vector"), numbers="entry_numbers"),
    Table("embedding_queue", ("seq", "attempts", "due_at")),
    Table(
        "events",
        ("sequence", "occurred_at", "kind", "actor", "memory_id", "edge_id", "reason", "detail", "person_id"),
        numbers="event_numbers",
    ),
)


class Checksum:
    """Count and digest of a table's rows in order."""

    def __init__(self) -> None:
        self.count = 0
        self._hash = hashlib.sha256()

    def add(self, rows: list[Row]) -> None:
        """Takes more rows in."""
        self.count += len(rows)
        for row in rows:
            self._hash.update(repr(row).encode("utf-8", "surrogatepass"))

    @property
    def value(self) -> tuple[int, str]:
        """What two stores that hold the same have in common."""
        return self.count, self._hash.hexdigest()
