"""Upkeep: what no longer counts is put away, what is wrong is found and repaired."""

from __future__ import annotations

from datetime import timedelta

import pytest

from recollect.knowledge.draft import Draft
from recollect.model.status import Status


def test_gc_shows_before_it_puts_away(memory, clock):
    old = memory.remember("I live in Berlin", user="alex").memory
    memory.remember("I live in Oslo", user="alex")
    diet = memory.remember("I'm on a diet", user="alex", expires="1d").memory
    clock.advance(days=2)
    planned = memory.gc(dry_run=True)
    assert ([each.memory_id for each in planned.expired], planned.count) == ([diet.memory_id], 2)
    assert memory.show(old.memory_id, user="alex").status is Status.SUPERSEDED
    assert memory.gc(superseded_for=timedelta(days=30)).count == 1
    assert memory.gc().count == 1
    assert memory.gc().count == 0
    assert memory.show(old.memory_id, user="alex").status is Status.ARCHIVED
    assert memory.history(diet.memory_id, user="alex")[-1].reason == "expired"


def test_what_has_expired_is_put_away_at_the_start(open_memory, clock):
    with open_memory() as memory:
        diet = memory.remember("I'm on a diet", user="alex", expires="1d").memory
    clock.advance(days=2)
    with open_memory(settings={"memory": {"auto_gc": False}}) as memory:
        assert memory.show(diet.memory_id, user="alex").status is Status.ACTIVE
    with open_memory() as memory:
        assert memory.show(diet.memory_id, user="alex").status is Status.ARCHIVED


@pytest.mark.only_on("sqlite")
def test_opening_does_not_wait_for_those_who_write(memory, open_memory, root):
    import apsw

    memory.remember("I live in Oslo", user="alex")
    other = apsw.Connection(str(root / "home" / "memory" / "memory.db"))
    other.execute("BEGIN IMMEDIATE")
    with open_memory(settings={"storage": {"busy_timeout_seconds": 0.2}}) as again:
        assert len(again.list(user="alex")) == 1
    other.close()


def test_a_cap_that_is_set_later_is_enforced_by_gc(open_memory):
    with open_memory() as memory:
        memory.remember_many([{"content": f"Fact {n}", "importance": n} for n in range(10)], user="alex")
    with open_memory(settings={"memory": {"max_entries": 4}}) as memory:
        assert [each.importance for each in memory.gc().evicted] == [0, 1, 2, 3, 4, 5]
        assert len(memory.list(user="alex")) == 4


def damaged_by_hand(memory):
    """What an earlier version, or somebody with a database tool, may have left."""
    first = memory.remember("I live in Berlin", user="alex").memory
    unread, twin = (
        receipt.memory
        for receipt in memory.remember_many(
            [Draft(content="I live in Oslo", verbatim=True), Draft(content="i live in berlin!", verbatim=True)],
            user="alex",
        )
    )
    for each in (unread, twin):
        memory._storage.write(lambda writer, one=each: writer.set_content_key(one.memory_id, None))
    return first, unread, twin


def test_the_doctor_finds_and_after_a_look_repairs(memory):
    first, unread, twin = damaged_by_hand(memory)
    memory.remember("My wife Sarah likes tea", user="alex")
    found = memory.doctor()
    assert {each.kind for each in found.findings} == {"not_understood"}
    assert found.fixed == 0 and memory.show(twin.memory_id, user="alex").status is Status.ACTIVE
    assert memory.doctor(fix=True).fixed == 1
    # Now that they are read, the newest home counts; what says the same as another is found next.
    statuses = {each.memory_id: each.status for each in memory.list(user="alex", statuses=list(Status))}
    assert list(statuses.values()).count(Status.ACTIVE) == 2
    assert {statuses[first.memory_id], statuses[unread.memory_id], statuses[twin.memory_id]} == {
        Status.ACTIVE,
        Status.SUPERSEDED,
    }
    assert memory.doctor().findings == ()


def test_what_an_earlier_version_stored_is_read_by_upkeep(memory):
    first, unread, twin = damaged_by_hand(memory)
    kept = memory.remember("I live in Rome, says the manual", user="alex", verbatim=True).memory
    memory.upkeep()
    assert memory.doctor().findings == ()
    statuses = [memory.show(each.memory_id, user="alex").status for each in (first, unread, twin)]
    assert statuses.count(Status.ACTIVE) == 1
    assert memory.show(kept.memory_id, user="alex").status is Status.ACTIVE


def test_the_doctor_finds_secrets_that_an_earlier_version_let_in(memory):
    from dataclasses import replace

    kept = memory.remember("The wifi is fast", user="alex").memory
    leaked = replace(kept, content="The wifi password is sunshine9")
    memory._storage.write(lambda writer: writer.replace_memory(leaked, ["wifi"]))
    (finding,) = memory.doctor().findings
    assert (finding.kind, finding.ids, finding.remedy) == ("secret", (kept.memory_id,), None)


def test_the_doctor_drops_people_of_whom_nothing_is_left(memory):
    kept = memory.remember("My boss Tom likes tea", user="alex").memory
    memory.forget(kept.memory_id, user="alex")
    (finding,) = memory.doctor().findings
    assert finding.kind == "orphan_person"
    assert memory.doctor(fix=True).fixed == 1
    assert memory.people(user="alex") == [] and memory.doctor().findings == ()


@pytest.mark.only_on("sqlite")
def test_the_doctor_names_a_damaged_row(memory, root):
    import apsw

    kept = memory.remember("I drink tea", user="alex").memory
    connection = apsw.Connection(str(root / "home" / "memory" / "memory.db"))
    connection.execute("UPDATE memories SET content = 'I drink gin' WHERE memory_id = ?", (kept.memory_id,))
    connection.close()
    (finding,) = memory.doctor().findings
    assert (finding.kind, finding.ids, finding.remedy) == ("damaged", (kept.memory_id,), None)
