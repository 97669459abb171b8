"""The public API, as an agent developer uses it."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta

import pytest

import recollect
from recollect import IllegalTransition, InvalidInput, Link, NotFound, ScopeDenied, Source, Status


def contents(listing):
    return [memory.content for memory in listing]


def test_what_is_remembered_is_there_after_a_restart(root, clock, open_memory):
    with open_memory() as memory:
        stored = memory.remember("My wife's name is Sarah", user="alex", type="Identity", importance=90).memory
    with open_memory() as memory:
        assert memory.show(stored.memory_id, user="alex") == stored
        assert [hit.memory for hit in memory.recall("Who is my wife?", user="alex").hits] == [stored]


def test_the_folders_of_the_layout_are_made_and_private(root, place, memory):
    base = root / "home" / "memory"
    for name in ("ingest/processed", "ingest/rejected", "bulletins", "logs"):
        assert (base / name).is_dir()
    assert (base / "memory.db").is_file() == (place == root)
    assert base.stat().st_mode & 0o077 == 0
    if place == root:
        assert (base / "memory.db").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("name", ["../home", "home/../other", "HOME", "hom\u00e9", "", ".", "a/b"])
def test_orchestrators_that_could_escape_are_refused_before_anything_is_made(root, name, open_memory):
    with pytest.raises(InvalidInput) as caught:
        open_memory(name)
    assert caught.value.code == "invalid_orchestrator_id"
    assert not root.exists()


def test_a_link_in_place_of_an_orchestrators_folder_is_refused(root, memory, open_memory):
    (root / "twin").symlink_to(root / "home")
    with pytest.raises(recollect.StorageUnavailable) as caught:
        open_memory("twin")
    assert caught.value.code == "unsafe_layout"


@pytest.mark.only_on("sqlite")
def test_a_database_moved_to_another_orchestrator_is_refused(root, clock, open_memory):
    open_memory().close()
    open_memory("other").close()
    os.replace(root / "home/memory/memory.db", root / "other/memory/memory.db")  # noqa: PTH105
    with pytest.raises(recollect.ForeignDatabase) as caught:
        open_memory("other")
    assert caught.value.code == "orchestrator_mismatch"


def test_observed_time_is_kept_and_defaults_to_now(memory, clock):
    past = datetime(2019, 3, 4, tzinfo=UTC)
    assert memory.remember("We married", user="alex", observed_at=past).memory.observed_at == past
    assert memory.remember("It rains", user="alex").memory.observed_at == clock.now()


@pytest.mark.parametrize(
    ("expires", "days"), [("14d", 14), ("2w", 14), ("48h", 2), (timedelta(days=3), 3), ("2026-01-08T09:00:00Z", 7)]
)
def test_expiry_in_every_spelling(memory, clock, expires, days):
    stored = memory.remember("For a while", user="alex", expires=expires).memory
    assert stored.expires_at == clock.now() + timedelta(days=days)
    clock.advance(days=days, microseconds=-1)
    assert len(memory.list(user="alex")) == 1
    clock.advance(microseconds=1)
    assert len(memory.list(user="alex")) == 0
    assert memory.recall("while", user="alex").hits == []
    assert len(memory.list(user="alex", include_expired=True)) == 1


@pytest.mark.parametrize("expires", ["soon", "0d", "-1d", "2020-01-01", 14, "9999999y", ""])
def test_expiry_that_means_nothing_is_refused(memory, expires):
    with pytest.raises(InvalidInput) as caught:
        memory.remember("x", user="alex", expires=expires)
    assert caught.value.code == "invalid_expiry"


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"type": "Rumour"}, "invalid_memory_type"),
        ({"importance": 300}, "invalid_importance"),
        ({"confidence": float("nan")}, "invalid_confidence"),
        ({"scope": "group"}, "invalid_scope"),
        ({"colour": "blue"}, "unknown_field"),
        ({"key": ""}, "invalid_id"),
        ({"links": [Link(to_memory_id="x", edge_type="RelatedTo")]}, "invalid_id"),
    ],
)
def test_a_wrong_value_is_refused_alone_and_in_a_batch_with_the_same_code_and_stores_nothing(memory, fields, code):
    with pytest.raises(InvalidInput) as caught:
        memory.remember("text", user="alex", **fields)
    assert caught.value.code == code
    (receipt,) = memory.remember_many([{"content": "text", **fields}], user="alex")
    assert (receipt.outcome, receipt.code, receipt.memory) == ("refused", code, None)
    assert memory.stats().memories == 0


def test_a_batch_is_atomic_per_fact_and_keeps_its_order(memory):
    nowhere = "01a1e211-3468-7353-a549-4498191f34f2"
    receipts = memory.remember_many(
        [
            "first",
            {"content": " "},
            {"content": "linked to nothing", "links": [Link(to_memory_id=nowhere, edge_type="RelatedTo")]},
            {"content": "last", "type": "Goal"},
        ],
        user="alex",
    )
    assert [receipt.outcome for receipt in receipts] == ["stored", "refused", "refused", "stored"]
    assert [receipt.code for receipt in receipts] == [None, "invalid_content", "memory_not_found", None]
    assert contents(memory.list(user="alex")) == ["last", "first"]
    assert memory.stats().events == 2


def test_an_empty_batch_is_nothing_and_a_text_is_no_batch(memory):
    assert memory.remember_many([], user="alex") == []
    for wrong in ("hello", {"content": "x"}, 5, None):
        with pytest.raises(InvalidInput):
            memory.remember_many(wrong, user="alex")


def test_one_bad_draft_never_takes_the_batch_with_it(memory):
    target = memory.remember("target", user="alex").memory.memory_id
    twice = [Link(to_memory_id=target, edge_type="RelatedTo")] * 2
    receipts = memory.remember_many(
        [
            {"content": "a", "key": "k"},
            {"content": "a again", "key": "k"},
            {"content": "linked twice", "links": twice},
            {"content": "unknown", "colour": "blue"},
            {"content": "no source", "source": "manual"},
            {"content": "no links", "links": ["x"]},
            {"content": "bad reason", "reason": object()},
            {"text": "no content"},
            7,
            "b",
        ],
        user="alex",
    )
    assert [receipt.outcome for receipt in receipts] == ["stored", "merged", *["refused"] * 7, "stored"]
    assert [receipt.code for receipt in receipts[2:9]] == [
        "edge_exists",
        "unknown_field",
        "invalid_source",
        "invalid_input",
        "invalid_reason",
        "unknown_field",
        "invalid_content",
    ]
    assert receipts[1].memory == receipts[0].memory
    assert memory.stats().memories == 3


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"importance": 10**5000}, "invalid_importance"),
        ({"confidence": 10**400}, "invalid_confidence"),
        ({"source": "manual"}, "invalid_source"),
        ({"source": None}, "invalid_source"),
        ({"links": 5}, "invalid_input"),
        ({"supersedes": 5}, "invalid_input"),
        ({"supersedes": "01a1e211-3468-7353-a549-4498191f34f2"}, "invalid_input"),
        ({"reason": "\ud800"}, "invalid_reason"),
        ({"reason": "x" * 1001}, "invalid_reason"),
        ({"expires": timedelta.max}, "invalid_expiry"),
    ],
)
def test_values_of_impossible_kinds_are_refused_like_any_other(memory, fields, code):
    with pytest.raises(InvalidInput) as caught:
        memory.remember("x", user="alex", **fields)
    assert caught.value.code == code


@pytest.mark.parametrize("arguments", [{"types": 5}, {"statuses": None}, {"statuses": 5}, {"include_expired": "no"}])
def test_lists_are_asked_for_properly(memory, arguments):
    with pytest.raises(InvalidInput):
        memory.list(user="alex", **arguments)


@pytest.mark.only_on("sqlite")
@pytest.mark.parametrize("root", [5, None, "", "a\0b", "~nosuchuser/x", "/tmp/\ud800", b"x"])
def test_what_is_no_folder_is_refused(root):
    with pytest.raises(InvalidInput) as caught:
        recollect.open(root, orchestrator="home")
    assert caught.value.code == "invalid_root"


@pytest.mark.parametrize("shared", ["", "relative", "~nosuchuser", "a\0"])
def test_shared_folders_are_absolute(root, shared, open_memory):
    with pytest.raises(recollect.ConfigError):
        open_memory(settings={"workspace": {"shared": [shared]}})


def test_an_edge_to_a_missing_memory_rolls_the_whole_write_back(memory):
    nowhere = "01a1e211-3468-7353-a549-4498191f34f2"
    with pytest.raises(NotFound):
        memory.remember("x", user="alex", links=[Link(to_memory_id=nowhere, edge_type="PartOf")])
    stats = memory.stats()
    assert (stats.memories, stats.events, stats.edges) == (0, 0, 0)
    assert memory.recall("x", user="alex").hits == []


def test_the_same_key_makes_no_second_memory(memory):
    first = memory.remember("once", user="alex", key="k1")
    again = memory.remember("once", user="alex", key="k1")
    assert (first.outcome, again.outcome) == ("stored", "merged")
    assert again.memory == first.memory
    assert memory.remember("mine too", user="bob", key="k1").outcome == "stored"
    assert memory.stats().memories == 2


def test_supersession_keeps_the_old_and_recalls_the_new(memory):
    old = memory.remember("Our standup is at 9", user="alex").memory
    receipt = memory.supersede(old.memory_id, content="Our standup is at 10", user="alex", reason="moved")
    new = receipt.memory
    assert [gone.memory_id for gone in receipt.superseded] == [old.memory_id]
    assert contents(hit.memory for hit in memory.recall("when is standup?", user="alex").hits) == [new.content]
    assert memory.show(old.memory_id, user="alex").status is Status.SUPERSEDED
    (edge,) = memory.edges(new.memory_id, user="alex")
    assert (edge.edge_type, edge.from_memory_id, edge.to_memory_id) == ("Updates", new.memory_id, old.memory_id)
    last = memory.history(old.memory_id, user="alex")[-1]
    assert (last.kind, last.reason, last.actor) == ("memory.status_changed", "moved", "alex")
    assert last.detail == {"from": "active", "to": "superseded", "by": new.memory_id}


def test_illegal_transitions_are_refused_and_change_nothing(memory):
    one, two, three = (memory.remember(f"fact {n}", user="alex").memory.memory_id for n in range(3))
    memory.supersede(one, two, user="alex")
    events = memory.stats().events
    for attempt in (
        lambda: memory.supersede(one, three, user="alex"),
        lambda: memory.supersede(two, one, user="alex"),
        lambda: memory.edit(one, content="new", user="alex"),
        lambda: memory.link(three, two, "Updates", user="alex"),
        lambda: memory.remember("x", user="alex", links=[Link(to_memory_id=three, edge_type="Updates")]),
    ):
        with pytest.raises(IllegalTransition):
            attempt()
    memory.retract(one, user="alex", reason="wrong")
    memory.retract(two, user="alex")
    for attempt in (
        lambda: memory.retract(one, user="alex"),
        lambda: memory.supersede(two, three, user="alex"),
        lambda: memory.supersede(three, two, user="alex"),
    ):
        with pytest.raises(IllegalTransition):
            attempt()
    assert memory.stats().events == events + 2
    assert memory.show(three, user="alex").status is Status.ACTIVE


def test_a_memory_cannot_supersede_itself_or_one_of_another_scope(memory):
    mine = memory.remember("mine", user="alex").memory.memory_id
    shared = memory.remember("ours", user="alex", scope="shared").memory.memory_id
    with pytest.raises(InvalidInput):
        memory.supersede(mine, mine, user="alex")
    for old, new in ((mine, shared), (shared, mine)):
        with pytest.raises(IllegalTransition):
            memory.supersede(old, new, user="alex")


def test_superseding_needs_exactly_one_successor(memory):
    mine = memory.remember("mine", user="alex").memory.memory_id
    for arguments in ({}, {"by": mine, "content": "x"}, {"by": mine, "importance": 3}):
        with pytest.raises(InvalidInput):
            memory.supersede(mine, user="alex", **arguments)


def test_a_contradiction_deletes_nothing(memory):
    one = memory.remember("The door is red", user="alex").memory.memory_id
    receipt = memory.remember(
        "The door is green", user="alex", links=[Link(to_memory_id=one, edge_type="Contradicts", reason="colour")]
    )
    assert [memory.memory_id for memory in receipt.contradicts] == [one]
    two = receipt.memory.memory_id
    assert len(memory.list(user="alex")) == 2
    memory.contradict(one, two, user="alex", reason="also that way round")
    recalled = memory.recall("door", user="alex")
    assert len(recalled.hits) == 2
    assert {edge.edge_type for edge in recalled.edges} == {"Contradicts"}


def test_retracted_is_never_recalled_again(memory):
    one = memory.remember("The moon is cheese", user="alex").memory.memory_id
    memory.retract(one, user="alex", reason="a joke")
    assert memory.recall("moon", user="alex").hits == []
    assert memory.show(one, user="alex").status is Status.RETRACTED
    assert memory.history(one, user="alex")[-1].reason == "a joke"


def test_an_edit_is_searchable_and_keeps_the_old_values(memory, clock):
    one = memory.remember("I drink coffee", user="alex", importance=10).memory
    clock.advance(hours=1)
    edited = memory.edit(one.memory_id, content="I drink tea", importance=20, user="alex", reason="doctor")
    assert (edited.summary, edited.updated_at, edited.created_at) == ("I drink tea", clock.now(), one.created_at)
    assert memory.recall("coffee", user="alex").hits == []
    assert len(memory.recall("tea", user="alex").hits) == 1
    event = memory.history(one.memory_id, user="alex")[-1]
    assert event.detail["before"] == {"content": "I drink coffee", "summary": "I drink coffee", "importance": 10}
    with pytest.raises(InvalidInput):
        memory.edit(one.memory_id, importance=101, user="alex")
    with pytest.raises(InvalidInput):
        memory.edit(one.memory_id, status="retracted", user="alex")
    with pytest.raises(InvalidInput):
        memory.edit(one.memory_id, user="alex")
    with pytest.raises(InvalidInput) as caught:
        memory.edit(one.memory_id, expires="2020-01-01", user="alex")
    assert caught.value.code == "invalid_expiry"
    assert memory.show(one.memory_id, user="alex") == edited


def test_links_are_typed_weighted_and_unique(memory):
    one, two = (memory.remember(text, user="alex").memory.memory_id for text in ("rain", "wet street"))
    edge = memory.link(two, one, "CausedBy", weight=0.7, user="alex", reason="physics")
    assert (edge.edge_type, edge.weight, edge.reason) == ("CausedBy", 0.7, "physics")
    assert list(memory.edges(one, user="alex")) == [edge]
    with pytest.raises(InvalidInput) as caught:
        memory.link(two, one, "CausedBy", user="alex")
    assert caught.value.code == "edge_exists"
    for wrong in ({"edge_type": "Likes"}, {"edge_type": "PartOf", "weight": 2}):
        with pytest.raises(InvalidInput):
            memory.link(one, two, user="alex", **wrong)


def test_both_ends_of_an_edge_remember_it(memory):
    one, two = (memory.remember(text, user="alex").memory.memory_id for text in ("rain", "wet street"))
    memory.contradict(one, two, user="alex", reason="odd")
    for end, detail in ((one, {"toMemoryId": two}), (two, {"fromMemoryId": one})):
        event = memory.history(end, user="alex")[-1]
        assert (event.kind, event.reason) == ("edge.created", "odd")
        assert event.detail == {"edgeType": "Contradicts", **detail}


def test_history_does_not_tell_of_links_to_what_the_reader_may_not_see(memory):
    shared = memory.remember("The party is on Friday", user="alice", scope="shared").memory.memory_id
    private = memory.remember("Alice is pregnant", user="alice").memory.memory_id
    memory.link(shared, private, "CausedBy", user="alice", reason="because she is pregnant")
    assert len(memory.history(shared, user="alice")) == 2
    told = memory.history(shared, user="bob")
    assert [event.kind for event in told] == ["memory.created"]
    assert private not in str(told)
    assert memory.edges(shared, user="bob") == []


def test_other_users_find_nothing_by_any_call_and_the_attempt_is_recorded(memory, logged):
    secret = memory.remember("Alex's diary", user="alex").memory.memory_id
    bobs = memory.remember("Bob's own", user="bob").memory.memory_id
    attempts = [
        lambda: memory.show(secret, user="bob"),
        lambda: memory.history(secret, user="bob"),
        lambda: memory.edges(secret, user="bob"),
        lambda: memory.edit(secret, content="mine now", user="bob"),
        lambda: memory.retract(secret, user="bob"),
        lambda: memory.supersede(secret, bobs, user="bob"),
        lambda: memory.supersede(bobs, secret, user="bob"),
        lambda: memory.supersede(secret, content="x", user="bob"),
        lambda: memory.link(secret, bobs, user="bob"),
        lambda: memory.link(bobs, secret, user="bob"),
        lambda: memory.remember("x", user="bob", links=[Link(to_memory_id=secret, edge_type="RelatedTo")]),
        lambda: memory.remember("x", user="bob", supersedes=[secret]),
    ]
    missing = "01a1e211-3468-7353-a549-4498191f34f2"
    with pytest.raises(NotFound) as absent:
        memory.show(missing, user="bob")
    events = memory.stats().events
    for attempt in attempts:
        with pytest.raises(NotFound) as caught:
            attempt()
        assert str(caught.value.to_json()).replace(secret, missing) == str(absent.value.to_json())
    (receipt,) = memory.remember_many(
        [{"content": "x", "links": [Link(to_memory_id=secret, edge_type="RelatedTo")]}], user="bob"
    )
    assert receipt.code == "memory_not_found"
    attempts.append(receipt)
    assert memory.stats().events == events
    assert memory.list(user="bob").memories == [memory.show(bobs, user="bob")]
    assert memory.recall("diary", user="bob").hits == []
    denials = [event for event in memory.history(secret, user="alex") if event.kind == "access.denied"]
    assert len(denials) == len(attempts)
    assert {event.actor for event in denials} == {"bob"}
    assert sum(line["event"] == "memory.access.denied" for line in logged()) == len(attempts)
    assert "diary" not in str(logged())


def test_reasons_are_stored_clean(memory):
    one = memory.remember("x", user="alex", summary="first\nsecond").memory
    assert one.summary == "first second"
    memory.retract(one.memory_id, user="alex", reason="  \x1b[2J evil\r\nline ")
    assert memory.history(one.memory_id, user="alex")[-1].reason == "[2J evil\nline"


def test_a_denial_that_cannot_be_recorded_looks_like_any_other(memory, monkeypatch):
    secret = memory.remember("diary", user="alex").memory.memory_id

    def busy(work):
        raise recollect.StorageBusy("busy")

    monkeypatch.setattr(memory._storage, "write", busy)
    with pytest.raises(NotFound):
        memory.show(secret, user="bob")


def test_nobody_is_nobody(memory, logged):
    for attempt in (
        memory.list,
        lambda: memory.remember("x"),
        lambda: memory.recall("x"),
        lambda: memory.remember_many(["x"]),
        lambda: memory.remember_many([]),
        lambda: memory.remember("x", scope="shared"),
    ):
        with pytest.raises(ScopeDenied) as caught:
            attempt()
        assert caught.value.code == "identity_required"
    assert sum(line["event"] == "memory.scope_denied" for line in logged()) == 6


def test_orchestrators_are_worlds_apart(root, clock, open_memory):
    with (
        open_memory() as home,
        open_memory("work") as work,
    ):
        secret = home.remember("The safe code is on the fridge", user="alex", scope="shared").memory.memory_id
        assert work.recall("safe code fridge", user="alex").hits == []
        assert len(work.list(user="alex")) == 0
        with pytest.raises(NotFound):
            work.show(secret, user="alex")
        with pytest.raises(NotFound):
            work.retract(secret, user="alex")


@pytest.mark.parametrize("limit", [0, -1, 10**9, True, "5", None])
def test_limits_are_checked(memory, limit):
    with pytest.raises(InvalidInput) as caught:
        memory.list(user="alex", limit=limit)
    assert caught.value.code == "invalid_limit"


def test_paging_walks_through_everything_once(memory):
    memory.remember_many([f"fact {n}" for n in range(25)], user="alex")
    pages = [memory.list(user="alex", limit=10, offset=offset) for offset in (0, 10, 20)]
    assert [len(page) for page in pages] == [10, 10, 5]
    assert len({memory.memory_id for page in pages for memory in page}) == 25
    assert pages[0][0].content == "fact 24"


@pytest.fixture
def note(root, memory):
    path = root / "home" / "notes.md"
    path.write_text("# Notes")
    return path


def source(path):
    return Source(source_type="ingest_file", source_path=str(path), captured_by="extractor")


def test_a_file_inside_the_workspace_is_a_source(memory, note):
    stored = memory.remember("From a file", user="alex", source=source(note)).memory
    assert stored.source.source_path == str(note)
    assert stored.trust == "outside"


@pytest.mark.parametrize("where", ["missing", "outside", "link", "link-out", "folder", "folder-link"])
def test_files_that_are_missing_linked_or_outside_are_refused(memory, note, tmp_path, where):
    outside = tmp_path / "secret.txt"
    outside.write_text("x")
    paths = {
        "missing": note.parent / "no.md",
        "outside": outside,
        "link": note.parent / "link.md",
        "link-out": note.parent / "out.md",
        "folder": note.parent,
        "folder-link": note.parent / "docs" / "notes.md",
    }
    paths["link"].symlink_to(note)
    paths["link-out"].symlink_to(outside)
    (note.parent / "docs").symlink_to(note.parent)
    with pytest.raises(InvalidInput) as caught:
        memory.remember("x", user="alex", source=source(paths[where]))
    assert caught.value.code == ("source_path_denied" if where == "outside" else "invalid_source_path")
    assert memory.stats().memories == 0


def test_a_shared_folder_is_allowed_and_withholds_when_it_is_no_longer(root, clock, tmp_path, logged, open_memory):
    folder = tmp_path / "team"
    folder.mkdir()
    (folder / "plan.md").write_text("x")
    allowed = {"workspace": {"shared": [str(folder)]}}
    with open_memory(settings=allowed) as memory:
        kept = memory.remember("plain plan", user="alex").memory
        stored = memory.remember("the plan", user="alex", key="plan", source=source(folder / "plan.md")).memory
        memory.link(kept.memory_id, stored.memory_id, user="alex")
        assert len(memory.list(user="alex")) == 2
    with open_memory() as memory:
        assert memory.list(user="alex").memories == [kept]
        gone = stored.memory_id
        for attempt in (
            lambda: memory.show(gone, user="alex"),
            lambda: memory.history(gone, user="alex"),
            lambda: memory.edit(gone, importance=51, user="alex"),
            lambda: memory.retract(gone, user="alex"),
            lambda: memory.supersede(gone, kept.memory_id, user="alex"),
            lambda: memory.remember("the plan", user="alex", key="plan"),
        ):
            with pytest.raises(NotFound) as caught:
                attempt()
            assert "the plan" not in str(caught.value.to_json())
        assert memory.edges(kept.memory_id, user="alex") == []
        assert [hit.memory for hit in memory.recall("plan", user="alex").hits] == [kept]
    assert any(line["event"] == "memory.recall.source_path_denied" for line in logged())


def test_stats_count_without_showing(memory):
    one = memory.remember("a fact", user="alex").memory.memory_id
    memory.remember("a goal", user="bob", type="Goal")
    memory.retract(one, user="alex")
    stats = memory.stats()
    assert (stats.memories, stats.by_type, stats.scopes) == (2, {"Fact": 1, "Goal": 1}, 2)
    assert stats.by_status == {"active": 1, "superseded": 0, "retracted": 1, "archived": 0}


@pytest.mark.only_on("sqlite")
def test_events_cannot_be_rewritten(memory):
    import apsw

    memory.remember("x", user="alex")
    connection = memory._storage._writer
    for statement in (
        "DELETE FROM events",
        "UPDATE events SET actor = 'mallory'",
        "UPDATE events SET kind = 'x', detail = NULL",
        "INSERT OR REPLACE INTO events SELECT sequence, 1, kind, 'eve', NULL, NULL, NULL, NULL, NULL FROM events",
    ):
        with pytest.raises(apsw.ConstraintError, match="append-only"):
            connection.execute(statement)
