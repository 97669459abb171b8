"""What every storage engine promises."""

from __future__ import annotations

import struct
from dataclasses import replace
from datetime import timedelta

import pytest

from recollect import (
    Edge,
    EdgeType,
    Event,
    EventKind,
    InvalidInput,
    Memory,
    MemoryType,
    NotFound,
    Scope,
    ScopeDenied,
    Sensitivity,
    Source,
    Status,
    StorageError,
)
from recollect.model.clock import SystemClock
from recollect.model.ids import IdFactory
from recollect.model.scope import Speaker, gate
from recollect.model.terms import terms
from recollect.storage.interface import NewMemory, Vector

ids = IdFactory(SystemClock())
ALEX, BOB = Speaker(user="alex"), Speaker(user="bob")


@pytest.fixture
def make(clock):
    def make(content="The sky is blue", scope=None, **changes):
        values = {
            "memory_id": ids.new(),
            "orchestrator_id": "home",
            "type": MemoryType.FACT,
            "importance": 50,
            "content": content,
            "summary": content[:40],
            "confidence": 0.25,
            "source": Source(),
            "status": Status.ACTIVE,
            "scope": scope or Scope(owner_user_id="alex"),
            "sensitivity": Sensitivity.PUBLIC,
            "observed_at": clock.now(),
            "created_at": clock.now(),
            "updated_at": clock.now(),
        }
        return Memory(**{**values, **changes})

    return make


@pytest.fixture
def add(store):
    def add(*memories, vectors=None):
        new = [
            NewMemory(memory, terms(memory.content), vector)
            for memory, vector in zip(memories, vectors or [None] * len(memories), strict=True)
        ]
        store.write(lambda writer: writer.add_memories(new))

    return add


@pytest.fixture
def see(clock):
    def see(speaker=ALEX, **options):
        return gate("home", speaker, clock.now(), **options)

    return see


def edge_between(one, other, clock, kind=EdgeType.RELATED_TO):
    return Edge(
        edge_id=ids.new(),
        from_memory_id=one.memory_id,
        to_memory_id=other.memory_id,
        edge_type=kind,
        weight=0.5,
        created_at=clock.now(),
    )


def vector(*numbers, model="test"):
    return Vector(model, len(numbers), struct.pack(f"<{len(numbers)}f", *numbers))


def test_a_memory_comes_back_exactly_after_a_restart(open_store, make, see, clock):
    memory = make(
        "Ünïcode\nand lines 🎈",
        source=Source(source_type="workflow_output", workflow_run_id="r", step_id="s", captured_by="system"),
        expires_at=clock.now() + timedelta(days=1),
        valid_from=clock.now(),
        sensitivity=Sensitivity.SENSITIVE,
        confidence=0.1 + 0.2,
    )
    store = open_store()
    store.write(lambda writer: writer.add_memories([NewMemory(memory, terms(memory.content))]))
    store.close()
    assert open_store().read(lambda reader: reader.memory(see(), memory.memory_id)) == memory


def test_only_what_the_speaker_may_see_is_read(store, make, add, see):
    personal, group, shared, other = (
        make(scope=scope)
        for scope in (
            Scope(owner_user_id="alex"),
            Scope(chat_id="team"),
            Scope(shared=True),
            Scope(owner_user_id="bob"),
        )
    )
    add(personal, group, shared, other)

    def seen(speaker):
        found = store.read(lambda reader: reader.memories(see(speaker), limit=10, offset=0))
        return {memory.memory_id for memory in found.memories}

    assert seen(ALEX) == {personal.memory_id, shared.memory_id}
    assert seen(Speaker(user="alex", chat="team")) == {personal.memory_id, group.memory_id, shared.memory_id}
    assert seen(Speaker(chat="team")) == {group.memory_id, shared.memory_id}
    assert seen(Speaker(user="team")) == {shared.memory_id}
    assert seen(Speaker(chat="alex")) == {shared.memory_id}
    assert store.read(lambda reader: reader.memory(see(BOB), personal.memory_id)) is None


def test_another_orchestrator_is_refused_on_read_and_write(store, make, clock):
    foreign = gate("other", ALEX, clock.now())
    with pytest.raises(ScopeDenied):
        store.read(lambda reader: reader.memories(foreign, limit=1, offset=0))
    with pytest.raises(ScopeDenied):
        store.write(lambda writer: writer.add_memories([NewMemory(make(orchestrator_id="other"), [])]))
    assert store.read(lambda reader: reader.counts()).memories == {}


def test_status_expiry_and_type_are_filtered_before_the_limit(store, make, add, see, clock):
    gone = [make(status=Status.SUPERSEDED), make(status=Status.RETRACTED)]
    expired = make(expires_at=clock.now() + timedelta(hours=1))
    goal, fact = make(type=MemoryType.GOAL), make()
    add(goal, fact, *gone, expired)
    clock.advance(hours=1)

    def listed(limit=10, **options):
        found = store.read(lambda reader: reader.memories(see(**options), limit=limit, offset=0))
        return [memory.memory_id for memory in found.memories]

    assert listed() == [fact.memory_id, goal.memory_id]
    assert listed(limit=1) == [fact.memory_id]
    assert listed(types=[MemoryType.GOAL], limit=1) == [goal.memory_id]
    assert listed(types=[]) == []
    assert listed(include_expired=True)[0] == expired.memory_id
    assert len(listed(statuses=Status, include_expired=True)) == 5
    assert listed(statuses=[]) == []


def test_a_failing_write_leaves_nothing_and_the_next_one_works(store, make, add, see, clock):
    memory, other = make(), make()

    def fails(writer):
        writer.add_memories([NewMemory(memory, ["sky"], vector(1.0, 0.0))])
        writer.add_events(
            [Event(kind=EventKind.CREATED, actor="a", occurred_at=clock.now(), memory_id=memory.memory_id)]
        )
        writer.add_edge(edge_between(memory, other, clock))

    with pytest.raises(NotFound):
        store.write(fails)
    counts = store.read(lambda reader: reader.counts())
    assert (counts.memories, counts.edges, counts.events, counts.vectors, counts.scopes) == ({}, 0, 0, 0, 0)
    assert store.read(lambda reader: reader.match_terms(see(), ["sky"], 5)).ranked == []
    add(memory)
    assert store.read(lambda reader: reader.memory(see(), memory.memory_id)) == memory


def test_a_part_that_fails_is_undone_alone(store, make, see):
    kept, dropped = make(), make()

    def work(writer):
        writer.add_memories([NewMemory(kept, [])])
        with pytest.raises(ZeroDivisionError):
            writer.attempt(lambda: (writer.add_memories([NewMemory(dropped, [])]), 1 / 0))

    store.write(work)
    assert store.read(lambda reader: reader.exists(kept.memory_id))
    assert not store.read(lambda reader: reader.exists(dropped.memory_id))


def test_edges_need_both_ends_and_are_seen_only_with_both(store, make, add, see, clock):
    mine, shared, others = make(), make(scope=Scope(shared=True)), make(scope=Scope(owner_user_id="bob"))
    add(mine, shared, others)
    with_mine, with_others = edge_between(mine, shared, clock), edge_between(shared, others, clock)
    store.write(lambda writer: (writer.add_edge(with_mine), writer.add_edge(with_others)))
    assert store.read(lambda reader: reader.edges(see(ALEX), [shared.memory_id])) == [with_mine]
    assert store.read(lambda reader: reader.edges(see(BOB), [shared.memory_id])) == [with_others]
    with pytest.raises(InvalidInput) as caught:
        store.write(lambda writer: writer.add_edge(replace(with_mine, edge_id=ids.new())))
    assert caught.value.code == "edge_exists"


def test_reaching_follows_edges_of_one_type_and_ends_in_circles(store, make, add, clock):
    a, b, c = make(), make(), make()
    add(a, b, c)

    def work(writer):
        writer.add_edge(edge_between(a, b, clock, EdgeType.UPDATES))
        writer.add_edge(edge_between(b, c, clock, EdgeType.UPDATES))
        writer.add_edge(edge_between(c, a, clock, EdgeType.RELATED_TO))
        forward = writer.reaches(a.memory_id, c.memory_id, "Updates")
        back = writer.reaches(c.memory_id, a.memory_id, "Updates")
        writer.add_edge(edge_between(c, a, clock, EdgeType.UPDATES))
        return forward, back, writer.reaches(b.memory_id, a.memory_id, "Updates")

    assert store.write(work) == (True, False, True)


def test_text_is_matched_inside_the_gate(store, make, add, see):
    mine = make("My dog likes cheese")
    add(*[make(f"The dog {n} likes cheese", Scope(owner_user_id=f"user{n}")) for n in range(60)], mine)
    matches = store.read(lambda reader: reader.match_terms(see(), terms("dogs and cheese"), 5))
    memories, damaged = store.read(lambda reader: reader.by_seq(see(), [match.seq for match in matches.ranked]))
    assert [memory.memory_id for memory in memories.values()] == [mine.memory_id]
    assert damaged == []


@pytest.mark.parametrize(
    "query", ['"', "AND", "NEAR(a b)", "a*", "^a", "terms:x", "-", "'; DROP TABLE memories; --", "🎈"]
)
def test_any_text_is_a_valid_query(store, make, add, see, query):
    add(make("nothing to see"))
    assert store.read(lambda reader: reader.match_terms(see(), terms(query), 5)).ranked == []


def test_vectors_are_compared_within_one_model_and_inside_the_gate(store, make, add, see):
    near, far, foreign, others = make("near"), make("far"), make("foreign"), make("x", Scope(owner_user_id="bob"))
    add(
        near,
        far,
        foreign,
        others,
        vectors=[vector(1.0, 0.1), vector(-1.0, 0.0), vector(1.0, 0.0, 0.0, model="big"), vector(1.0, 0.0)],
    )
    nearest = store.read(lambda reader: reader.nearest(see(), vector(1.0, 0.0), 5))
    memories, _ = store.read(lambda reader: reader.by_seq(see(), [hit.seq for hit in nearest]))
    assert [memories[hit.seq].content for hit in nearest] == ["near", "far"]
    assert nearest[0].score == pytest.approx(0.995, abs=0.001)
    assert nearest[1].score == pytest.approx(-1.0)
    assert store.read(lambda reader: reader.nearest(see(), vector(1.0, 0.0, model="unheard"), 5)) == []


def test_a_vector_of_another_length_is_refused(store, make):
    memory = make()
    store.write(lambda writer: writer.add_memories([NewMemory(make(), [], vector(1.0, 0.0))]))
    for wrong in (vector(1.0, 0.0, 0.0), Vector("test", 2, b"1234")):
        with pytest.raises(StorageError) as caught:
            store.write(lambda writer, wrong=wrong: writer.add_memories([NewMemory(memory, [], wrong)]))
        assert caught.value.code == "invalid_vector"


def test_new_text_is_indexed_anew_and_its_old_vector_dropped(store, make, add, see):
    memory = make("I drink coffee")
    add(memory, vectors=[vector(1.0, 0.0)])
    changed = replace(memory, content="I drink tea", summary="tea")
    store.write(lambda writer: writer.replace_memory(changed, terms(changed.content)))
    assert store.read(lambda reader: reader.match_terms(see(), ["coffe"], 5)).ranked == []
    assert len(store.read(lambda reader: reader.match_terms(see(), ["tea"], 5)).ranked) == 1
    assert store.read(lambda reader: reader.counts()).vectors == 0
    assert store.read(lambda reader: reader.memory(see(), memory.memory_id)) == changed


def test_events_come_back_in_order_whatever_the_clock_did(store, clock):
    memory_id = ids.new()
    for number in range(3):
        clock.advance(hours=-1)
        event = Event(
            kind=EventKind.EDITED,
            actor="alex",
            occurred_at=clock.now(),
            memory_id=memory_id,
            reason=f"r{number}",
            detail={"before": {"content": "ä\n"}},
        )
        store.write(lambda writer, event=event: writer.add_events([event]))
    events = store.read(lambda reader: reader.events(memory_id))
    assert [event.reason for event in events] == ["r0", "r1", "r2"]
    assert [event.sequence for event in events] == sorted(event.sequence for event in events)
    assert events[0].detail == {"before": {"content": "ä\n"}}


def test_a_key_finds_its_memory_in_its_own_scope_only(store, make):
    mine, others = make(), make(scope=Scope(owner_user_id="bob"))

    def work(writer):
        writer.add_memories([NewMemory(mine, [], key="k"), NewMemory(others, [], key="k")])
        return writer.memory_by_key(mine.scope, "k"), writer.memory_by_key(others.scope, "k")

    assert store.write(work) == (mine, others)


def test_two_orchestrators_share_nothing(open_store, make, clock):
    one, other = open_store("home"), open_store("other")
    memory = make()
    one.write(lambda writer: writer.add_memories([NewMemory(memory, [])]))
    assert not other.read(lambda reader: reader.exists(memory.memory_id))


def test_a_closed_store_says_so(store):
    store.close()
    store.close()
    for work in (lambda: store.read(lambda reader: reader.counts()), lambda: store.write(lambda writer: None)):
        with pytest.raises(StorageError) as caught:
            work()
        assert caught.value.code == "closed"


def test_an_artifact_with_a_key_that_is_taken_is_refused_by_the_store_itself(store, clock):
    from recollect.model.artifact import Artifact

    one = Artifact(
        artifact_id=ids.new(),
        kind="artifact:turn.fingerprint.v1",
        user_id="alex",
        conversation_id="c1",
        turn_id="t1",
        unique_key="turn:t1",
        content={},
        created_at=clock.now(),
        updated_at=clock.now(),
    )
    store.write(lambda writer: writer.put_artifact(one))
    with pytest.raises(StorageError):
        store.write(lambda writer: writer.put_artifact(replace(one, artifact_id=ids.new())))
    assert store.read(lambda reader: reader.artifact(one.artifact_id)) == one
