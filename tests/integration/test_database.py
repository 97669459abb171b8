"""Where memory is kept: looking after the schema, and moving between a file and a server."""

from __future__ import annotations

import json
import random
import struct

import psycopg
import pytest

import recollect
from recollect.storage.copy import copy_store
from recollect.upkeep import copy_memory


@pytest.fixture
def url(databases):
    return databases.new()


def fill(memory, count=30):
    first = memory.remember("My sister lives in Oslo", user="alex").memory
    memory.remember_many([f"Fact number {n} about the café in 東京" for n in range(count)], user="alex")
    other = memory.remember("My sister lives in Bergen", user="alex", supersedes=[first.memory_id]).memory
    memory.remember("The meeting is at nine", chat="team", user="alex", scope="group", key="meeting")
    memory.link(other.memory_id, memory.list(user="alex").memories[3].memory_id, "RelatedTo", user="alex")
    talk = memory.session_of(user="alex")
    memory.persist_turn(talk.session_id, "Bonjour à tous\r\n", "Hello\0")
    memory.add_usage(talk.session_id, "gpt", 3, 4, 0.5)
    memory.update_profile("alex", notes="Lives in Oslo")
    memory.create_session(["database"], "chat").call("kv_set", "a", "b\0")
    return other


def seen(memory):
    everything = memory.list(user="alex", chat="team", statuses=["active", "superseded"], limit=1000).memories
    talks = [(each, memory.messages(each.session_id), memory.usage(each.session_id)) for each in memory.sessions()]
    known = [(each, memory.history(each.memory_id, user="alex", chat="team")) for each in everything]
    return [*known, (talks, memory.profile("alex"))]


def test_a_store_moves_to_a_server_and_back_unchanged(tmp_path, url, real_model):
    here, back = tmp_path / "here", tmp_path / "back"
    with recollect.open(here, orchestrator="home") as memory:
        moved = fill(memory)
        before = seen(memory)
        answer = [hit.memory.memory_id for hit in memory.recall("Where does my sister live?", user="alex").hits]
    there = copy_memory(here, url, orchestrator="home", files=tmp_path / "files")
    assert there.rows["memories"] == 34
    assert there.rows["memory_embeddings"] == 34
    assert there.rows["messages"] == 2
    with recollect.open(url, orchestrator="home", files=tmp_path / "files") as memory:
        assert seen(memory) == before
        found = memory.recall("Where does my sister live?", user="alex")
        assert found.hits[0].memory.memory_id == moved.memory_id == answer[0]
        assert found.mode == "hybrid"
        added = memory.remember("Numbers go on behind what was copied", user="alex").memory
        assert memory.show(added.memory_id, user="alex") == added
    again = copy_memory(url, back, orchestrator="home", files=tmp_path / "files")
    assert again.rows["memories"] == 35
    with recollect.open(back, orchestrator="home") as memory:
        assert seen(memory)[1:] == before
        memory.remember("and go on here too", user="alex")
        assert memory.remember("x", user="alex", chat="team", scope="group", key="meeting").outcome == "merged"


def test_a_copy_that_was_stopped_goes_on_where_it_was(tmp_path, url, monkeypatch):
    monkeypatch.setattr("recollect.storage.copy._BATCH", 7)
    here, files = tmp_path / "here", tmp_path / "files"
    with recollect.open(here, orchestrator="home") as memory:
        fill(memory)

    class Stopped(Exception):
        pass

    def stop(what, done, total):
        if what == "copying memory_edges":
            raise Stopped

    with pytest.raises(Stopped):
        copy_memory(here, url, orchestrator="home", files=files, progress=stop)
    heard = []
    done = copy_memory(here, url, orchestrator="home", files=files, progress=lambda *step: heard.append(step))
    assert done.resumed
    assert done.rows["memories"] == 34
    assert heard[-1][0] == "copied"
    with recollect.open(here, orchestrator="home") as one, recollect.open(url, orchestrator="home", files=files) as two:
        assert seen(one) == seen(two)


def test_a_source_that_changed_between_two_runs_is_noticed(tmp_path, url):
    here, files = tmp_path / "here", tmp_path / "files"
    with recollect.open(here, orchestrator="home") as memory:
        changed = fill(memory)

    def stop(what, done, total):
        if what == "copying events":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        copy_memory(here, url, orchestrator="home", files=files, progress=stop)
    with recollect.open(here, orchestrator="home") as memory:
        memory.edit(changed.memory_id, user="alex", content="My sister lives in Trondheim")
    with pytest.raises(recollect.StorageError) as caught:
        copy_memory(here, url, orchestrator="home", files=files)
    assert caught.value.code == "copy_differs"


def test_what_is_there_is_never_mixed_with_a_copy(tmp_path, url):
    here, files = tmp_path / "here", tmp_path / "files"
    for place in (here, url):
        with recollect.open(place, orchestrator="home", files=files) as memory:
            memory.remember("x", user="alex")
    with pytest.raises(recollect.StorageError) as caught:
        copy_memory(here, url, orchestrator="home", files=files)
    assert caught.value.code == "copy_target_not_empty"
    with recollect.open(url, orchestrator="talking", files=files) as memory:
        memory.session_of(user="alex")
    recollect.open(here, orchestrator="talking").close()
    with pytest.raises(recollect.StorageError) as caught:
        copy_memory(here, url, orchestrator="talking", files=files)
    assert caught.value.code == "copy_target_not_empty", "a conversation is something, too"
    with pytest.raises(recollect.InvalidInput):
        copy_memory(here, here, orchestrator="home")
    with pytest.raises(recollect.NotFound):
        copy_memory(tmp_path / "nothing", url, orchestrator="other")


def test_the_copy_command_proves_what_it_did(run, root, url):
    run("remember", "I drink coffee", "--orchestrator", "home")
    done = run("copy", "--from", str(root), "--to", url, "--orchestrator", "home", "--json")
    assert done.code == 0, done.err
    assert done.json["rows"]["memories"] == 1
    assert len(done.json["digest"]) == 64
    found = run("search", "coffee", "--orchestrator", "home", "--root", url, "--json")
    assert found.json["hits"][0]["memory"]["content"] == "I drink coffee"
    again = run("copy", "--from", str(root), "--to", url, "--orchestrator", "home", "--json")
    assert again.code == 1
    assert json.loads(again.out or again.err)["error"]["code"] == "copy_target_not_empty"


def test_the_schema_is_shown_and_brought_up_to_date(run, url):
    before = run("db", "status", "--root", url, "--json").json
    assert (before["engine"], before["schema"]) == ("postgresql", 0)
    assert before["pending"][0] == "0001_foundation"
    assert "s3cret" not in json.dumps(before)
    done = run("db", "migrate", "--root", url, "--json")
    assert done.json["applied"] == before["pending"]
    assert run("db", "migrate", "--root", url, "--json").json["applied"] == []
    after = run("db", "status", "--root", url, "--json").json
    assert (after["schema"], after["pending"], after["rowSecurity"]) == (after["newest"], [], "forced")
    assert "schema" in run("db", "status", "--root", url).out


def test_a_file_has_a_schema_too(run, root):
    assert run("db", "status", "--json").json["schema"] == 0
    assert not root.exists()
    run("remember", "x")
    shown = run("db", "status", "--json").json
    assert (shown["engine"], shown["pending"]) == ("sqlite", [])
    assert run("db", "partition", "4").code == 1


def test_without_leave_to_migrate_an_old_schema_is_refused(url, tmp_path):
    with pytest.raises(recollect.StorageUnavailable) as caught:
        recollect.open(url, orchestrator="home", files=tmp_path, settings={"storage": {"auto_migrate": False}})
    assert (caught.value.code, "db migrate" in caught.value.hint) == ("schema_outdated", True)


def test_a_newer_schema_is_refused(url, tmp_path):
    recollect.open(url, orchestrator="home", files=tmp_path).close()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("INSERT INTO recollect.migrations VALUES (9999, 'from the future')")
    with pytest.raises(recollect.NewerSchema):
        recollect.open(url, orchestrator="home", files=tmp_path)


def test_partitions_keep_everything_and_guard_it(run, url, tmp_path):
    with recollect.open(url, orchestrator="home", files=tmp_path) as memory:
        fill(memory)
        before = seen(memory)
        with recollect.open(url, orchestrator="other", files=tmp_path) as other:
            other.remember("another orchestrator's", user="alex")
        for count in ("4", "4", "2"):
            assert run("db", "partition", count, "--root", url, "--json").json == {"partitions": int(count)}
        assert seen(memory) == before
        memory.remember("after the split", user="alex")
        assert memory.remember("x", user="alex", chat="team", scope="group", key="meeting").outcome == "merged"
        memory.recall("the split", user="alex")
    assert run("db", "status", "--root", url, "--json").json["partitions"] == 2
    with psycopg.connect(url, autocommit=True) as connection:
        parts = connection.execute(
            "SELECT inhrelid::regclass FROM pg_inherits WHERE inhparent = 'recollect.memories'::regclass"
        ).fetchall()
        for (part,) in parts:
            assert connection.execute(f"SELECT count(*) FROM {part}").fetchone() == (0,)
        connection.execute("BEGIN; SET LOCAL recollect.orchestrator = 'home'")
        with pytest.raises(psycopg.errors.RaiseException):
            connection.execute("DELETE FROM recollect.events")


class Topics:
    """A text's vector is its own, near that of its first word."""

    name, dimension, is_local = "topics", 64, True

    def embed_documents(self, texts):
        return [self._vector(text) for text in texts]

    embed_queries = embed_documents

    def _vector(self, text):
        numbers = [random.Random(text.split()[0]), random.Random(text)]
        return struct.pack("<64f", *(numbers[0].gauss(0, 1) + 0.5 * numbers[1].gauss(0, 1) for _ in range(64)))


def test_a_large_scope_is_searched_by_signs_whatever_order_it_was_filled_in(url, tmp_path, clock, monkeypatch):
    from recollect.storage.postgres import search

    notes = [f"{topic} note {number}" for topic in ("tea", "cars", "music", "rain", "bread") for number in range(500)]

    def found(orchestrator, order):
        with recollect.open(url, orchestrator=orchestrator, files=tmp_path, clock=clock, embedder=Topics()) as memory:
            memory.remember_many([notes[n] for n in order], user="alex")
            questions = ("tea at night", "rain in spring")
            asked = [memory.recall(question, user="alex", floor=False, arms=["vector"]) for question in questions]
        return [[(hit.memory.content, hit.score) for hit in each.hits] for each in asked]

    order = list(range(len(notes)))
    exact = found("exact", order)
    monkeypatch.setattr(search, "EXACT_UP_TO", 200)
    by_signs = found("signs", order)
    random.Random(3).shuffle(order)
    assert found("shuffled", order) == by_signs
    for near, true in zip(by_signs, exact, strict=True):
        assert len({content for content, _ in near} & {content for content, _ in true}) >= 18


def test_a_large_store_gets_an_index_of_its_vectors_and_uses_it(url, tmp_path, monkeypatch):
    from recollect.storage.postgres import search

    monkeypatch.setattr(search, "SIGNS_UP_TO", 200)
    chance = random.Random(4)

    class Spread:
        name, dimension, is_local = "spread", 8, True

        def embed_documents(self, texts):
            return [struct.pack("<8f", *(chance.gauss(0, 1) for _ in range(8))) for _ in texts]

        embed_queries = embed_documents

    with recollect.open(url, orchestrator="home", files=tmp_path, embedder=Spread()) as memory:
        memory.remember_many([f"number {n}" for n in range(400)], user="many")
        memory.remember_many([f"few {n}" for n in range(30)], user="few")
        memory.upkeep()
        assert run_plan(memory, "many")
        assert len(memory.recall("anything", user="many", floor=False).hits) == 20
        # One in fourteen is visible: all that was asked for comes back all the same.
        assert len(memory.recall("anything", user="few", floor=False, top_n=25).hits) == 25
        assert memory.upkeep() == 0


def run_plan(memory, user):
    """Whether PostgreSQL answers a search by index with the index."""
    from recollect.storage.postgres.search import index_search, vector_text

    def plan(reader):
        model = reader._row("find_model", {"name": "spread"})
        reader._connection.execute("SET LOCAL enable_seqscan = off; SET LOCAL enable_sort = off")
        text = index_search(*model[:2]).as_bytes(reader._connection)
        values = {"vector": vector_text(bytes(28) + b"\0\0\x80?"), "orchestrator_id": "home", "scopes": [1], "limit": 5}
        return "\n".join(row[0] for row in reader._connection.execute(b"EXPLAIN " + text, values).fetchall())

    return "vectors_of_model" in memory._storage.read(plan)


def test_copying_from_a_view_leaves_later_writes_out(tmp_path, url, clock):
    """A source that is written to meanwhile is copied as it was when the copy began."""
    with (
        recollect.open(tmp_path / "here", orchestrator="home") as here,
        recollect.open(url, orchestrator="home", files=tmp_path) as there,
    ):
        fill(here)

        def write(what, done, total):
            if done:
                here.remember(f"said while {what}", user="alex")

        copied = copy_store(here._storage, there._storage, "here", write)
        assert copied.rows["memories"] == 34
        assert there.stats().memories == 33
