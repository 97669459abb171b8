"""A store that an earlier version wrote is brought up to date, and what it holds is still there and still sound."""

from __future__ import annotations

import apsw
import pytest

import recollect
from recollect.storage.relational.rows import digest, memory_values
from recollect.storage.sql import migrations
from recollect.storage.sqlite.engine import APPLICATION_ID


def store_of_schema_1(path, memory):
    """The tables of the first schema with one memory, as its version wrote it: there were no kinds."""
    values = memory_values(memory)[:28]  # what its version knew of, and what its digests cover
    connection = apsw.Connection(str(path))
    connection.pragma("journal_mode", "wal")
    connection.execute(migrations("sqlite")[0][2])
    connection.pragma("user_version", 1)
    connection.pragma("application_id", APPLICATION_ID)
    connection.execute("INSERT INTO meta VALUES ('orchestrator_id', 'home')")
    connection.execute("INSERT INTO scopes (kind, owner_user_id) VALUES ('personal', 'alex')")
    row = (1, *values[:2], 1, *values[2:16], None, digest(values))
    connection.execute(f"INSERT INTO memories VALUES ({', '.join('?' * len(row))})", row)
    connection.execute(f"INSERT INTO memory_sources VALUES ({', '.join('?' * 11)})", (values[0], 0, *values[19:28]))
    connection.execute("INSERT INTO memory_fts (rowid, terms, scope) VALUES (1, 'tea', 's1')")
    connection.close()


@pytest.fixture
def old(root, tmp_path, clock):
    with recollect.open(tmp_path / "elsewhere", orchestrator="home", clock=clock) as elsewhere:
        memory = elsewhere.remember("I drink tea", user="alex").memory
    folder = root / "home" / "memory"
    folder.mkdir(parents=True)
    store_of_schema_1(folder / "memory.db", memory)
    return memory


def test_what_the_first_schema_held_is_found_and_sound(root, old, clock):
    with recollect.open(root, orchestrator="home", clock=clock) as memory:
        assert memory.show(old.memory_id, user="alex") == old
        assert [hit.memory for hit in memory.recall("tea", user="alex").hits] == [old]
        assert memory.list(user="alex").damaged == []
        session = memory.session_of(user="alex")
        memory.persist_turn(session.session_id, "I drink coffee, too", "Noted")
        assert len(memory.recall("drink", user="alex", include_messages=True).hits) >= 2


def test_the_command_says_what_it_did(root, old, run):
    newest = len(migrations("sqlite"))
    before = run("db", "status", "--orchestrator", "home", "--json").json
    assert (before["schema"], len(before["pending"])) == (1, newest - 1)
    assert run("db", "migrate", "--orchestrator", "home", "--json").json["applied"] == before["pending"]
    assert run("db", "status", "--orchestrator", "home", "--json").json["schema"] == newest
