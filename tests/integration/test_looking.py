"""Looking at a memory: what changed when, how much was learned, what contradicts what, how it hangs together."""

from __future__ import annotations

import pytest

import recollect
from recollect import InvalidInput, NotFound


def test_changes_tell_what_happened_the_last_first(memory, clock):
    old = memory.remember("I live in Berlin", user="alex").memory
    clock.advance(days=1)
    new = memory.remember("I live in Oslo", user="alex").memory
    clock.advance(days=1)
    memory.edit(new.memory_id, importance=90, user="alex", reason="it matters")
    told = [(each.event.kind.value, each.memory.memory_id) for each in memory.changes(user="alex")]
    assert told[0] == ("memory.edited", new.memory_id)
    assert told[-1] == ("memory.created", old.memory_id)
    assert ("memory.status_changed", old.memory_id) in told


def test_changes_of_a_period_and_after_an_event(memory, clock):
    memory.remember("I live in Berlin", user="alex")
    between = clock.now()
    clock.advance(days=1)
    last = memory.changes(user="alex", limit=1)[0].event.sequence
    tea = memory.remember("I like tea", user="alex").memory
    assert {each.memory.memory_id for each in memory.changes(user="alex", after=last)} == {tea.memory_id}
    assert {each.memory.content for each in memory.changes(user="alex", until=clock.now())} == {"I live in Berlin"}
    assert all(each.memory.memory_id == tea.memory_id for each in memory.changes(user="alex", since=clock.now()))
    assert memory.changes(user="alex", since=between, until=between) == []


def test_changes_show_nothing_of_others_and_nothing_forgotten(memory):
    memory.remember("My pin is in the drawer", user="eve")
    gone = memory.remember("I like tea", user="alex").memory
    kept = memory.remember("I like cake", user="alex").memory
    shared = memory.remember("The office is in Oslo", user="eve", scope="shared").memory
    memory.forget(gone.memory_id, user="alex")
    assert {each.memory.memory_id for each in memory.changes(user="alex")} == {kept.memory_id, shared.memory_id}


def test_a_link_to_what_is_hidden_is_no_change_that_is_told(memory):
    mine = memory.remember("The office is in Oslo", user="eve", scope="shared").memory
    hidden = memory.remember("I hate the office", user="eve").memory
    memory.link(hidden.memory_id, mine.memory_id, user="eve")
    assert [each.event.kind.value for each in memory.changes(user="alex")] == ["memory.created"]
    assert "edge.created" in [each.event.kind.value for each in memory.changes(user="eve")]


@pytest.mark.parametrize("field", [{"after": -1}, {"after": "x"}, {"since": "soon"}, {"limit": 0}])
def test_what_is_no_period_is_refused(memory, field):
    with pytest.raises(InvalidInput):
        memory.changes(user="alex", **field)


def test_learned_counts_by_day_type_and_source(memory, clock):
    memory.remember("I like tea", user="alex")
    memory.remember("I like cake", user="alex")
    clock.advance(days=2)
    memory.remember("Call the plumber", user="alex", type="Todo")
    memory.remember("Secret of another", user="eve")
    first, second = memory.learned(user="alex")
    assert (first.count, second.count, second.type, second.source_type) == (2, 1, "Todo", "manual")
    assert (second.day - first.day).days == 2
    assert [each.type for each in memory.learned(user="alex", since=clock.now())] == ["Todo"]


def test_the_list_of_another_time_is_as_it_was_then(memory, clock):
    home = memory.remember("I live in Berlin", user="alex").memory
    tea = memory.remember("I like tea", user="alex").memory
    then = clock.now()
    clock.advance(days=1)
    memory.remember("I live in Oslo", user="alex")
    memory.edit(tea.memory_id, content="I like green tea", user="alex")
    listed = memory.list(user="alex", known_at=then)
    assert [each.content for each in listed] == ["I like tea", "I live in Berlin"]
    assert memory.list(user="alex", known_at=then)[1].memory_id == home.memory_id
    assert {each.content for each in memory.list(user="alex")} == {"I live in Oslo", "I like green tea"}


def test_conflicts_are_pairs_that_both_count(memory):
    one = memory.remember("The launch is in May", user="alex", verbatim=True).memory
    other = memory.remember("The launch is in June", user="alex", verbatim=True).memory
    memory.contradict(one.memory_id, other.memory_id, user="alex")
    (found,) = memory.conflicts(user="alex")
    assert {found.one.memory_id, found.other.memory_id} == {one.memory_id, other.memory_id}
    assert memory.conflicts(user="eve") == []
    memory.retract(one.memory_id, user="alex")
    assert memory.conflicts(user="alex") == []


def test_the_graph_holds_memories_edges_and_people(memory):
    likes = memory.remember("My wife Sarah likes Italian food", user="alex").memory
    old = memory.remember("I live in Berlin", user="alex").memory
    new = memory.remember("I live in Oslo", user="alex").memory
    memory.remember("I like secrets", user="eve")
    found = memory.graph(user="alex")
    assert {each.memory_id for each in found.memories} == {likes.memory_id, old.memory_id, new.memory_id}
    assert [edge.edge_type.value for edge in found.edges] == ["Updates"]
    assert [each.name for each in found.people] == ["Sarah"]
    assert found.about[likes.memory_id] == [found.people[0].person_id]
    assert not found.truncated
    assert memory.graph(user="alex", limit=1).truncated


def test_the_graph_around_a_memory_and_about_somebody(memory):
    food = memory.remember("My wife Sarah likes Italian food", user="alex").memory
    work = memory.remember("Sarah works at the hospital", user="alex").memory
    tea = memory.remember("I like tea", user="alex").memory
    memory.link(food.memory_id, tea.memory_id, user="alex")
    around = {each.memory_id for each in memory.graph(user="alex", around=food.memory_id).memories}
    assert around == {food.memory_id, work.memory_id, tea.memory_id}
    about = memory.graph(user="alex", about="my wife")
    assert {each.memory_id for each in about.memories} >= {food.memory_id, work.memory_id}
    assert {each.memory_id for each in memory.graph(user="alex", around=tea.memory_id).memories} == {
        tea.memory_id,
        food.memory_id,
    }


def test_the_graph_around_what_is_hidden_finds_nothing_and_is_recorded(memory, root):
    hidden = memory.remember("I like secrets", user="eve").memory
    with pytest.raises(NotFound):
        memory.graph(user="alex", around=hidden.memory_id)
    assert any(event.kind.value == "access.denied" for event in memory.history(hidden.memory_id, user="eve"))
    with pytest.raises(InvalidInput):
        memory.graph(user="alex", around=hidden.memory_id, about="my wife")
    with pytest.raises(recollect.RecollectError):
        memory.graph(user="alex", around="no id")


def test_stats_tell_the_size_and_what_waits(memory, engine):
    memory.remember("I like tea", user="alex")
    found = memory.stats()
    assert (found.size_bytes or 0) > 0 if engine == "sqlite" else found.size_bytes is None
    assert found.waiting_vectors == 0
