from __future__ import annotations

import re

import pytest

from recollect.storage.sql import migrations, queries

# These never hand a memory's content to a caller, or run inside a write that has checked the caller.
WITHOUT_GATE = {
    "add_memory", "replace_memory", "replace_terms", "drop_vectors", "exists", "memory_by_key", "last_seq",
    "count_memories", "count_rest", "size", "vectors_since", "vectors_of_scope", "due_vectors", "missing_vectors",
    "count_missing", "queue_memory", "fill_vector", "unqueue_vector",
}  # fmt: skip


ENGINES = ["sqlite", "postgres"]
# On a server these are about the schema, or name a memory only to look at its numbers.
WITHOUT_GATE |= {"relate", "secure", "protect", "indexed", "scopes_of", "count_scopes", "add_vector"}
# Run inside a write that has found out what to erase.
WITHOUT_GATE |= {"erase_terms", "erase_memories"}
# Which memories a file gave: read inside the write that puts another version in its place.
WITHOUT_GATE |= {"ingested_memory_ids", "add_ingested_memory", "held_elsewhere"}
# Inside the scope that is written to, which the speaker has shown to be theirs; or upkeep of the whole store, which
# shows nobody anything.
WITHOUT_GATE |= {
    "twin",
    "claims",
    "latest_claims",
    "count_active",
    "least_valuable",
    "scope_memories",
    "set_content_key",
}
WITHOUT_GATE |= {"not_understood", "expired", "superseded", "every_memory", "any_memory", "content_key_of"}
WITHOUT_GATE |= {"known_keys", "known_key", "set_key"}
# These give numbers and their order alone, and the gate is asked of each; or note a number inside a write.
WITHOUT_GATE |= {"match_terms", "match_terms_settled", "settle", "note_rewritten"}
WITHOUT_GATE |= {"nearest", "nearest_settled", "nearest_by_signs"}


@pytest.mark.parametrize(("engine", "name"), [(engine, name) for engine in ENGINES for name in sorted(queries(engine))])
def test_every_query_on_memories_goes_through_the_gate(engine, name):
    sql = queries(engine)[name]
    if "memories" in sql and name not in WITHOUT_GATE:
        for part in (":orchestrator_id", ":user", ":chat", ":statuses", ":now"):
            assert part in sql, f"{name} reads memories without {part}"


@pytest.mark.parametrize("name", sorted(queries("postgres")))
def test_every_query_on_a_server_names_the_orchestrator(name):
    about_the_schema = {"relate", "secure", "protect", "new_seqs"}
    assert ":orchestrator_id" in queries("postgres")[name] or name in about_the_schema


@pytest.mark.parametrize("engine", ENGINES)
def test_fragments_are_written_out(engine):
    assert not any(re.search(r"@\w", sql) for sql in queries(engine).values())


def test_both_engines_have_the_same_migrations_without_gaps():
    numbered = [[(number, name) for number, name, _ in migrations(engine)] for engine in ENGINES]
    assert numbered[0] == numbered[1]
    assert [number for number, _ in numbered[0]] == list(range(1, len(numbered[0]) + 1))
