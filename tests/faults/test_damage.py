"""Damage is reported and never served: flipped bits, rows changed behind our back, wrong files."""

from __future__ import annotations

import os
import random
import shutil

import apsw
import pytest

import recollect
from recollect import CorruptDatabase, DamagedMemory, ForeignDatabase, NewerSchema, RecollectError, StorageUnavailable


@pytest.fixture
def database(root):
    return root / "home" / "memory" / "memory.db"


def tamper(path, *statements):
    connection = apsw.Connection(str(path))
    connection.pragma("ignore_check_constraints", True)
    for statement in statements:
        connection.execute(statement)
    connection.close()


@pytest.mark.parametrize(
    "change",
    [
        "type = 'Rumour'",
        "importance = 101",
        "content = 'The sky is green'",
        "confidence = 7.5",
        "status = 'superseded' WHERE 1 = 2; UPDATE memories SET valid_to = 5",
        "observed_at = 9223372036854775807",
        "content = CAST(x'736b79ff' AS TEXT)",
    ],
)
def test_a_damaged_row_is_reported_and_the_others_are_returned(root, clock, database, logged, change):
    with recollect.open(root, orchestrator="home", clock=clock) as memory:
        bad = memory.remember("The sky is blue", user="alex").memory
        tamper(database, f"UPDATE memories SET {change}")
        good = memory.remember("Grass under the sky is green", user="alex").memory
        listed = memory.list(user="alex")
        assert listed.memories == [good]
        assert [damage.memory_id for damage in listed.damaged] == [bad.memory_id]
        found = memory.recall("sky", user="alex")
        assert [hit.memory for hit in found.hits] == [good]
        assert found.omitted["damaged"] == 1
        with pytest.raises(DamagedMemory) as caught:
            memory.show(bad.memory_id, user="alex")
        assert caught.value.code == "memory_damaged"
    assert any(line["event"] == "memory.row_damaged" for line in logged())


def test_a_row_with_a_matching_digest_but_an_unknown_type_is_reported(root, clock, database):
    from recollect.storage.relational.rows import digest, memory_values

    with recollect.open(root, orchestrator="home", clock=clock) as memory:
        bad = memory.remember("The sky is blue", user="alex").memory
        values = list(memory_values(bad))
        values[2] = "Rumour"
        tamper(database, f"UPDATE memories SET type = 'Rumour', digest = x'{digest(tuple(values)).hex()}'")
        (damage,) = memory.list(user="alex").damaged
        assert "Rumour" in damage.message


def test_a_damaged_edge_or_event_is_reported_and_passed_over(root, clock, database, logged):
    with recollect.open(root, orchestrator="home", clock=clock) as memory:
        one, two, three = (memory.remember(f"fact {n}", user="alex").memory.memory_id for n in range(3))
        bad, good = memory.link(one, two, user="alex"), memory.link(one, three, "PartOf", user="alex")
        tamper(database, f"UPDATE memory_edges SET edge_type = 'Likes' WHERE edge_id = '{bad.edge_id}'")
        tamper(
            database,
            "INSERT INTO events (occurred_at, kind, actor, memory_id) VALUES (1, 'gossip', 'x', '" + one + "')",
        )
        assert memory.edges(one, user="alex") == [good]
        tamper(database, "UPDATE memory_edges SET reason = CAST(x'ff' AS TEXT) WHERE edge_type = 'Likes'")
        assert memory.edges(one, user="alex") == [good]
        assert len(memory.recall("fact", user="alex").hits) == 3
        assert [event.kind for event in memory.history(one, user="alex")] == [
            "memory.created",
            "edge.created",
            "edge.created",
        ]
    assert sum(line["event"] == "memory.row_damaged" for line in logged()) >= 4


def test_flipped_bits_never_change_what_is_served(root, clock, database, tmp_path):
    with recollect.open(root, orchestrator="home", clock=clock) as memory:
        texts = {f"the secret of number {n} is {n * n}" for n in range(300)}
        memory.remember_many(sorted(texts), user="alex")
    original = database.read_bytes()
    chance, caught = random.Random(11), 0
    for _ in range(250):
        data = bytearray(original)
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        for leftover in database.parent.glob("memory.db*"):
            leftover.unlink()
        database.write_bytes(data)
        try:
            with recollect.open(root, orchestrator="home", clock=clock) as memory:
                listed = memory.list(user="alex", limit=1000)
                assert {m.content for m in listed} <= texts
                caught += bool(listed.damaged)
        except RecollectError:
            caught += 1
    print(f"{caught} of 250 flips noticed, none served")
    assert caught


def foreign(path):
    tamper(path, "CREATE TABLE cooking (recipe TEXT)")


def newer(path):
    recollect.open(path.parents[2], orchestrator="home").close()
    tamper(path, "PRAGMA user_version = 99")


WRONG_FILES = {
    "text": (lambda path: path.write_text("hello"), CorruptDatabase),
    "garbage": (lambda path: path.write_bytes(os.urandom(8192)), CorruptDatabase),
    "cut short": (lambda path: path.write_bytes(b"SQLite format 3\x00" + bytes(40)), CorruptDatabase),
    "a folder": (lambda path: path.mkdir(), StorageUnavailable),
    "another program's": (foreign, ForeignDatabase),
    "a newer version's": (newer, NewerSchema),
}


@pytest.mark.parametrize("name", WRONG_FILES)
def test_a_wrong_file_is_named_and_left_as_it_is(root, database, name):
    database.parent.mkdir(parents=True)
    make, error = WRONG_FILES[name]
    make(database)
    before = database.read_bytes() if database.is_file() else None
    with pytest.raises(error) as caught:
        recollect.open(root, orchestrator="home")
    assert caught.value.details["path"] == str(database)
    assert (database.read_bytes() if database.is_file() else None) == before
    recollect.open(root, orchestrator="other").close()


def test_an_empty_file_is_what_a_crash_at_creation_leaves_and_becomes_a_store(root, database):
    database.parent.mkdir(parents=True)
    database.write_bytes(b"")
    with recollect.open(root, orchestrator="home") as memory:
        assert memory.remember("x", user="alex").outcome == "stored"


def test_a_corrupt_page_found_later_is_reported_as_such(root, clock, database):
    with recollect.open(root, orchestrator="home", clock=clock) as memory:
        memory.remember_many([f"fact {n} " + "x" * 500 for n in range(500)], user="alex")
    data = bytearray(database.read_bytes())
    data[4096 * 4 :] = os.urandom(len(data) - 4096 * 4)
    database.write_bytes(data)
    with pytest.raises(CorruptDatabase) as caught, recollect.open(root, orchestrator="home") as memory:
        memory.list(user="alex", limit=1000)
    assert caught.value.code == "memory_db_corrupt"
    assert str(database) in caught.value.message


def test_a_cut_log_loses_its_tail_and_nothing_else(root, clock, database, tmp_path):
    with recollect.open(root, orchestrator="home", clock=clock) as memory:
        for number in range(20):
            memory.remember(f"fact {number}", user="alex")
        copy = tmp_path / "copy" / "home" / "memory"
        copy.mkdir(parents=True)
        for suffix in ("", "-wal"):
            shutil.copy(f"{database}{suffix}", copy / f"memory.db{suffix}")
    wal = copy / "memory.db-wal"
    wal.write_bytes(wal.read_bytes()[:-5000])
    with recollect.open(tmp_path / "copy", orchestrator="home", clock=clock) as memory:
        kept = [m.content for m in memory.list(user="alex", limit=100)]
    assert kept == [f"fact {n}" for n in reversed(range(len(kept)))]
    assert 0 < len(kept) < 20
