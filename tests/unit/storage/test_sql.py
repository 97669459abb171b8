from __future__ import annotations

import pytest

from recollect.storage.sql import migrations, queries

# These never hand a memory's content to a caller, or run inside a write that has checked the caller.
WITHOUT_GATE = {
    "add_memory", "replace_memory", "replace_terms", "drop_vectors", "exists", "memory_by_key", "last_seq",
    "count_memories", "count_rest", "size", "vectors_since", "vectors_of_scope", "due_vectors", "missing_vectors",
    "count_missing", "queue_memory", "fill_vector", "unqueue_vector",
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(queries("sqlite")))
def test_every_query_on_memories_goes_through_the_gate(name):
    sql = queries("sqlite")[name]
    if "memories" in sql and name not in WITHOUT_GATE:
        for part in (":orchestrator_id", ":user", ":chat", ":statuses", ":now"):
            assert part in sql, f"{name} reads memories without {part}"


def test_fragments_are_written_out():
    assert not any("@" in sql for sql in queries("sqlite").values())


def test_migrations_are_numbered_without_gaps():
    assert [number for number, *_ in migrations("sqlite")] == list(range(1, len(migrations("sqlite")) + 1))
