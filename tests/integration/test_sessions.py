"""Sessions: key-values, transcripts and files that several agents, threads and processes can rely on."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import threading
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

import recollect
from recollect.errors import DamagedSession, InvalidInput, SessionError, Unsupported

run = asyncio.run
STORES = ["basic_session", "database"]


@pytest.fixture(params=STORES)
def store_type(request):
    return request.param


@pytest.fixture
def handle(memory, store_type):
    return memory.create_session([store_type], "chat", user="alex")


def test_the_index_and_the_files_look_as_documented(memory, root):
    handle = memory.create_session(["basic_session"], "chat")
    run(handle.kv_set("user_name", "sachi"))
    run(handle.transcript_append("user", "Hello."))
    base = root / "home" / "memory"
    index = json.loads((base / "sessions.json").read_text())
    assert index == {
        "sessions": [
            {
                "id": handle.session_id,
                "agent_id": "chat",
                "store_types": ["basic_session"],
                "created_at": "2026-01-01T09:00:00Z",
            }
        ]
    }
    folder = base / "sessions" / handle.session_id
    assert json.loads((folder / "kv.json").read_text()) == {
        "cap": 200,
        "entries": [{"key": "user_name", "value": "sachi", "ts": "2026-01-01T09:00:00Z"}],
    }
    assert (folder / "transcript.md").read_text() == "### user — 2026-01-01T09:00:00Z\n\nHello.\n\n"
    assert [info.name for info in run(handle.list_files())] == ["kv.json", "transcript.md"]


def test_everything_survives_a_restart(open_memory, store_type):
    with open_memory() as memory:
        handle = memory.create_session([store_type], "chat")
        run(handle.kv_set("topic", "rust"))
        run(handle.working_memory_write("thinking of lunch"))
        run(handle.transcript_append("user", "  two\r\nlines \n\n"))
        run(handle.transcript_append("assistant", "### user — 2020-01-01T00:00:00Z"))
    with open_memory() as memory:
        again = memory.load_session(handle.session_id, "chat")
        assert run(again.kv_get("topic")) == "rust"
        assert run(again.working_memory_read()) == "thinking of lunch"
        entries = run(again.transcript_read_last(10))
        assert [(entry.role, entry.content) for entry in entries] == [
            ("user", "  two\r\nlines \n\n"),
            ("assistant", "### user — 2020-01-01T00:00:00Z"),
        ]
        assert run(again.transcript_read_last(1)) == entries[1:]
        assert run(again.transcript_read_last(0)) == []


def test_a_session_belongs_to_one_agent(memory, handle, logged):
    for agent in ("other", "Chat"):
        with pytest.raises(SessionError) as caught:
            memory.load_session(handle.session_id, agent)
        assert caught.value.code == "session_denied"
    assert "memory.session_denied" in [line["event"] for line in logged()]
    with pytest.raises(SessionError) as caught:
        memory.load_session("01a1e211-3468-7353-a549-4498191f34f2", "chat")
    assert caught.value.code == "session_not_found"
    with pytest.raises(InvalidInput):
        memory.load_session("../../etc", "chat")


def test_ids_are_in_the_order_of_creation(memory, store_type):
    made = [memory.create_session([store_type], "chat").session_id for _ in range(20)]
    assert made == sorted(made)
    assert sorted(each.session_id for each in memory.sessions("chat")) == made
    assert memory.sessions("nobody") == []


def test_an_unknown_kind_of_store_makes_nothing(memory, root):
    for kinds in (["nosuch"], ["basic_session", "nosuch"], [], "basic_session", [5]):
        with pytest.raises(InvalidInput) as caught:
            memory.create_session(kinds, "chat")
        assert caught.value.code == "unknown_store_type"
    assert not (root / "home" / "memory" / "sessions.json").exists()
    assert list((root / "home" / "memory" / "sessions").iterdir()) == []
    assert memory.sessions() == []


def test_what_a_store_does_not_offer_names_store_and_operation(memory):
    class Nothing(recollect.Store):
        store_type = "nothing"

    memory.register_store("nothing", lambda place: Nothing())
    handle = memory.create_session(["nothing"], "chat")
    with pytest.raises(Unsupported) as caught:
        run(handle.transcript_append("user", "hi"))
    assert str(caught.value) == "store 'nothing' does not support transcript_append"
    assert caught.value.details == {"store": "nothing", "operation": "transcript_append"}
    both = memory.create_session(["nothing", "database"], "chat")
    run(both.kv_set("a", "b"))
    assert run(both.kv_get("a")) == "b", "the first store that can, does"


def test_roles_and_keys_are_checked(handle):
    for role in ("robot", "user — x", "", None, "USER"):
        with pytest.raises(InvalidInput) as caught:
            run(handle.transcript_append(role, "hi"))
        assert caught.value.code == "invalid_role"
    for key in ("", None, "a\nb", 5, "x" * 600):
        with pytest.raises(InvalidInput):
            run(handle.kv_set(key, "v"))
    with pytest.raises(InvalidInput):
        run(handle.kv_set("k", "\ud800"))
    with pytest.raises(InvalidInput):
        run(handle.transcript_read_last(-1))
    assert run(handle.transcript_read_last(10)) == []
    assert run(handle.kv_list()) == []


@pytest.mark.parametrize("settings_", [{"memory": {"basic_session": {"kv_cap": 3, "transcript_cap": 4}}}])
def test_caps_hold_and_a_changed_cap_reaches_old_sessions(open_memory, store_type, settings_):
    with open_memory() as memory:
        handle = memory.create_session([store_type], "chat")
        run(handle.working_memory_write("kept"))
        for n in range(6):
            run(handle.kv_set(f"key{n}", str(n)))
            run(handle.transcript_append("user", str(n)))
    with open_memory(settings=settings_) as memory:
        handle = memory.load_session(handle.session_id, "chat")
        run(handle.kv_set("key3", "moved"))
        assert [key for key, _, _ in run(handle.kv_list())] == ["working_memory", "key5", "key3"]
        run(handle.transcript_append("user", "last"))
        if store_type == "basic_session":
            assert [entry.content for entry in run(handle.transcript_read_last(100))] == ["3", "4", "5", "last"]
            assert "### user" in (handle.folder / "transcript.md").read_text()
            assert (handle.folder / "transcript.md").read_text().count("### user") == 4
        assert run(handle.kv_delete("key3")) is True
        assert run(handle.kv_delete("key3")) is False


@pytest.mark.parametrize(
    ("name", "broken"),
    [
        ("transcript.md", b"I have changed this\n"),
        ("transcript.md", b"\xff\xfe"),
        ("kv.json", b"{"),
        ("kv.json", b'{"cap": 1, "entries": [{"key": 1}]}'),
        ("kv.json", b"\xff"),
    ],
)
def test_a_file_that_no_longer_reads_is_reported_and_kept(memory, name, broken):
    handle = memory.create_session(["basic_session"], "chat")
    run(handle.kv_set("a", "b"))
    run(handle.transcript_append("user", "hi"))
    path = handle.folder / name
    path.write_bytes(broken)
    calls = (
        [handle.transcript_append("user", "x"), handle.transcript_read_last(5)]
        if name == "transcript.md"
        else [handle.kv_set("a", "c"), handle.kv_get("a"), handle.kv_delete("a")]
    )
    for call in calls:
        with pytest.raises(DamagedSession) as caught:
            run(call)
        assert str(path) in str(caught.value)
    assert path.read_bytes() == broken
    path.unlink()
    with pytest.raises(DamagedSession):
        run(handle.transcript_append("user", "x") if name == "transcript.md" else handle.kv_set("a", "c"))


def test_a_transcript_edited_by_hand_that_still_reads_is_read(memory):
    handle = memory.create_session(["basic_session"], "chat")
    run(handle.transcript_append("user", "one"))
    path = handle.folder / "transcript.md"
    path.write_text(path.read_text() + "### assistant — 2026-01-02T00:00:00Z\n\nby hand\n\n")
    run(handle.transcript_append("user", "three"))
    assert [entry.content for entry in run(handle.transcript_read_last(9))] == ["one", "by hand", "three"]


def test_an_append_that_a_crash_cut_short_is_not_there_and_the_rest_is(memory):
    """Every length at which a crash can stop the writing of an entry."""
    handle = memory.create_session(["basic_session"], "chat")
    run(handle.transcript_append("user", "acknowledged"))
    path = handle.folder / "transcript.md"
    before = path.read_bytes()
    run(handle.transcript_append("assistant", "a\n\nb ### é\n\n"))
    after, note = path.read_bytes(), (handle.folder / ".transcript.json").read_bytes()
    for size in range(len(before), len(after)):
        path.write_bytes(after[:size])
        (handle.folder / ".transcript.json").write_bytes(note)
        assert [entry.content for entry in run(handle.transcript_read_last(9))] == ["acknowledged"], size
        run(handle.transcript_append("user", "next"))
        assert [entry.content for entry in run(handle.transcript_read_last(9))] == ["acknowledged", "next"]
        path.write_bytes(before)


def test_a_crash_between_any_two_steps_of_a_change_leaves_the_old_or_the_new(memory, monkeypatch):
    import os

    handle = memory.create_session(["basic_session"], "chat")
    run(handle.kv_set("a", "old"))
    run(handle.transcript_append("user", "old"))

    class Crash(BaseException):
        pass

    for step in range(1, 40):
        calls = 0
        originals = {name: getattr(os, name) for name in ("write", "fsync", "open", "replace")}

        def counted(name, *args, step=step, originals=originals, **kwargs):
            nonlocal calls
            calls += 1
            if calls == step:
                raise Crash
            return originals[name](*args, **kwargs)

        with monkeypatch.context() as patch:
            for name in originals:
                patch.setattr(os, name, lambda *a, _n=name, **k: counted(_n, *a, **k))
            try:
                handle.call("kv_set", "a", "new")
                handle.call("transcript_append", "user", "new")
                finished = True
            except Crash:
                finished = False
        assert handle.call("kv_get", "a") in {"old", "new"}
        contents = [entry.content for entry in handle.call("transcript_read_last", 99)]
        assert contents[0] == "old"
        assert set(contents[1:]) <= {"new"}
        if finished:
            assert contents[-1] == "new"
            break
    else:
        pytest.fail("it never got to the end")


def test_eight_writers_on_one_session_lose_nothing(open_memory, store_type):
    with open_memory() as memory:
        handle = memory.create_session([store_type], "chat")

        def write(worker):
            for n in range(12):
                handle.call("transcript_append", "user", f"{worker}-{n}")
                handle.call("kv_set", f"{worker}-{n}", str(n))

        threads = [threading.Thread(target=write, args=(worker,)) for worker in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        wanted = {f"{worker}-{n}" for worker in range(8) for n in range(12)}
        assert {entry.content for entry in run(handle.transcript_read_last(500))} == wanted
        assert {key for key, _, _ in run(handle.kv_list())} == wanted


def _write_in_process(place, files, session_id, worker):
    with recollect.open(place, orchestrator="home", files=files) as memory:
        handle = memory.load_session(session_id, "chat")
        for n in range(10):
            handle.call("transcript_append", "user", f"{worker}-{n}")
            handle.call("kv_set", f"{worker}-{n}", "x")


def test_processes_on_one_session_lose_nothing(memory, place, root, store_type):
    handle = memory.create_session([store_type], "chat")
    context = multiprocessing.get_context("spawn")
    processes = [
        context.Process(target=_write_in_process, args=(place, root, handle.session_id, worker)) for worker in range(3)
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
        assert process.exitcode == 0
    wanted = {f"{worker}-{n}" for worker in range(3) for n in range(10)}
    assert {entry.content for entry in run(handle.transcript_read_last(500))} == wanted
    assert {key for key, _, _ in run(handle.kv_list())} == wanted


def test_many_appends_do_not_write_the_whole_file_each_time(memory, monkeypatch):
    import os

    handle = memory.create_session(["basic_session"], "chat")
    written, original = [], os.write
    monkeypatch.setattr(os, "fsync", lambda _handle: None)  # how much is written is the question
    monkeypatch.setattr(os, "write", lambda handle, data: written.append(len(data)) or original(handle, data))
    for n in range(2000):
        handle.call("transcript_append", "user", f"message number {n}")
    assert sum(written) < 2000 * 1000, "each append writes little"
    assert len(handle.call("transcript_read_last", 5000)) == 500


def test_files_of_a_session_stay_inside_its_folder(memory, tmp_path):
    handle = memory.create_session(["basic_session"], "chat")
    secret = tmp_path / "secret.txt"
    secret.write_text("secret")
    (handle.folder / "link.txt").symlink_to(secret)
    (handle.folder / "note.txt").write_text("mine")
    assert run(handle.read_file("note.txt")) == b"mine"
    for name in ("../kv.json", "/etc/passwd", "..", ".lock", "a/b", "a\\b", "", "x\0y"):
        with pytest.raises(InvalidInput):
            run(handle.read_file(name))
    with pytest.raises(SessionError):
        run(handle.read_file("link.txt"))
    assert "link.txt" not in [info.name for info in run(handle.list_files())]


def test_time_runs_out_for_a_session(memory, clock, store_type):
    handle = memory.create_session([store_type], "chat", ttl=timedelta(hours=1))
    kept = memory.create_session([store_type], "chat")
    clock.advance(hours=2)
    with pytest.raises(SessionError):
        memory.load_session(handle.session_id, "chat")
    assert [each.session_id for each in memory.sessions()] == [kept.session_id]
    assert memory.clean_up_sessions() == 1
    assert memory.clean_up_sessions() == 0
    assert not handle.folder.exists()
    run(memory.load_session(kept.session_id, "chat").kv_set("still", "here"))
    for ttl in (timedelta(0), timedelta(days=-1), 5):
        with pytest.raises(InvalidInput):
            memory.create_session([store_type], "chat", ttl=ttl)


def test_a_deleted_session_is_gone_and_what_was_learned_stays(memory, handle):
    run(handle.observe("Alex prefers tea", "reflection"))
    memory.delete_session(handle.session_id, "chat")
    with pytest.raises(SessionError):
        memory.load_session(handle.session_id, "chat")
    assert memory.recall("tea", user="alex").hits[0].memory.type == "Observation"


def test_use_of_models_adds_up(memory, handle):
    run(handle.add_usage("gpt", input_tokens=10, output_tokens=5, cost=0.25))
    run(handle.add_usage("gpt", input_tokens=1, output_tokens=2, cost=0.25))
    run(handle.add_usage("other", input_tokens=7, output_tokens=0))
    used = run(handle.usage())
    assert [(each.model, each.requests, each.input_tokens, each.output_tokens, each.cost) for each in used] == [
        ("gpt", 2, 11, 7, 0.5),
        ("other", 1, 7, 0, 0.0),
    ]
    with pytest.raises(InvalidInput):
        run(handle.add_usage("gpt", input_tokens=-1, output_tokens=0))


def test_an_agents_stores_come_from_its_settings(open_memory):
    with open_memory(settings={"agents": {"writer": {"memory": ["database"]}}}) as memory:
        assert memory.create_session(agent_id="writer").session.store_types == ("database",)
        assert memory.create_session(agent_id="chat").session.store_types == ("basic_session",)
    with pytest.raises(recollect.ConfigError):
        open_memory(settings={"agents": {"writer": {"memroy": []}}})


class KeyValues(RuleBasedStateMachine):
    """kv and transcript against a dict and a list."""

    store_type = "basic_session"
    memory = None

    @initialize()
    def start(self):
        self.handle = self.memory.create_session([self.store_type], "chat")
        self.values, self.said = {}, []

    @rule(key=st.sampled_from("abcdef"), value=st.text(st.characters(exclude_categories=["Cs"]), max_size=20))
    def set(self, key, value):
        self.handle.call("kv_set", key, value)
        self.values.pop(key, None)
        self.values[key] = value
        while len(self.values) > 4:
            del self.values[next(iter(self.values))]

    @rule(key=st.sampled_from("abcdef"))
    def delete(self, key):
        assert self.handle.call("kv_delete", key) == (self.values.pop(key, None) is not None)

    @rule(role=st.sampled_from(["user", "assistant"]), content=st.text(st.characters(exclude_categories=["Cs"])))
    def say(self, role, content):
        self.handle.call("transcript_append", role, content)
        self.said.append((role, content))

    @rule(n=st.integers(0, 12))
    def look(self, n):
        assert [(key, value) for key, value, _ in self.handle.call("kv_list")] == list(self.values.items())
        kept = self.said[-5:] if self.store_type == "basic_session" else self.said
        found = [(entry.role, entry.content) for entry in self.handle.call("transcript_read_last", n)]
        assert found == (kept[-n:] if n else [])


def test_any_sequence_of_calls_does_what_a_dict_and_a_list_would(open_memory, store_type):
    caps = {"memory": {"basic_session": {"kv_cap": 4, "transcript_cap": 5}}}
    with open_memory(settings=caps) as memory:
        machine = type("Machine", (KeyValues,), {"store_type": store_type, "memory": memory})
        run_state_machine_as_test(
            machine,
            settings=settings(
                max_examples=12,
                stateful_step_count=20,
                deadline=None,
                derandomize=True,
                database=None,
                phases=[Phase.generate],
                suppress_health_check=list(HealthCheck),
            ),
        )


@pytest.mark.only_on("sqlite")
def test_an_index_that_leads_elsewhere_removes_nothing(memory, root, clock):
    memory.create_session(["basic_session"], "chat")
    index, victim = root / "home" / "memory" / "sessions.json", root / "home" / "victim"
    victim.mkdir()
    data = json.loads(index.read_text())
    entry = {"agent_id": "x", "store_types": ["basic_session"], "created_at": "2020-01-01T00:00:00Z"}
    for bad in ({"id": "../../victim"}, {"id": 5}, {"created_at": "2020-01-01T00:00:00"}):
        index.write_text(json.dumps({"sessions": [*data["sessions"], {**entry, "id": "x", **bad}]}))
        with pytest.raises(DamagedSession):
            memory.clean_up_sessions()
    assert victim.is_dir()


@pytest.mark.only_on("sqlite")
def test_cleaning_up_never_takes_a_session_that_may_live(memory, root):
    import os
    import time

    handle = memory.create_session(["basic_session"], "chat")
    other = memory.create_session(["database"], "chat")
    other.folder.mkdir()
    (other.folder / "notes.txt").write_text("mine")
    left = root / "home" / "memory" / "sessions" / ".making-01a1e211-3468-7353-a549-4498191f34f2"
    left.mkdir()
    (root / "home" / "memory" / "sessions.json").unlink()
    for folder in (handle.folder, other.folder, left):
        os.utime(folder, (time.time() - 7200,) * 2)
    assert memory.clean_up_sessions() == 1
    assert (handle.folder / "transcript.md").exists()
    assert (other.folder / "notes.txt").exists()
    assert not left.exists()
    assert memory.load_session(handle.session_id, "chat").session_id == handle.session_id


@pytest.mark.only_on("sqlite")
def test_a_crash_before_the_folder_has_its_name_is_made_good(memory):
    handle = memory.create_session(["basic_session"], "chat")
    handle.folder.rename(handle.folder.with_name(f".making-{handle.session_id}"))
    again = memory.load_session(handle.session_id, "chat")
    run(again.kv_set("a", "b"))
    assert run(again.kv_get("a")) == "b"


@pytest.mark.only_on("sqlite")
def test_links_in_place_of_a_sessions_files_are_refused(memory, tmp_path):
    secret = memory.create_session(["basic_session"], "secret")
    run(secret.kv_set("code", "1234"))
    handle = memory.create_session(["basic_session"], "chat")
    (handle.folder / "kv.json").unlink()
    (handle.folder / "kv.json").symlink_to(secret.folder / "kv.json")
    with pytest.raises(DamagedSession):
        run(handle.kv_get("code"))
    __import__("shutil").rmtree(handle.folder)
    handle.folder.symlink_to(secret.folder)
    with pytest.raises(DamagedSession):
        memory.load_session(handle.session_id, "chat")
    (handle.folder.parent / ".making-dangling").symlink_to(tmp_path / "nowhere")
    memory.clean_up_sessions()


def test_a_session_may_have_both_kinds_of_store(memory):
    for kinds in (["database", "basic_session"], ["basic_session", "database"]):
        handle = memory.create_session(kinds, "chat", user="alex")
        run(handle.kv_set("a", "b"))
        run(handle.transcript_append("user", "hi"))
        memory.persist_turn(handle.session_id, "I keep bees", "How nice")
        assert run(memory.load_session(handle.session_id, "chat").kv_get("a")) == "b"
    assert len(memory.sessions()) == 2
    found = [hit.memory.content for hit in memory.recall("bees", user="alex", include_messages=True).hits]
    assert found.count("I keep bees") == 1, "the same words are shown once"


def test_what_was_said_is_not_found_when_its_session_is_over(memory, clock):
    handle = memory.create_session(["database"], "chat", user="alex", ttl=timedelta(hours=1))
    memory.persist_turn(handle.session_id, "I keep bees", "How nice")
    assert memory.recall("bees", user="alex", include_messages=True).hits
    clock.advance(hours=2)
    assert memory.recall("bees", user="alex", include_messages=True).hits == []
    for call in (lambda: memory.messages(handle.session_id), lambda: memory.persist_turn(handle.session_id, "x", "y")):
        with pytest.raises(SessionError):
            call()
    assert memory.session(handle.session_id) is None


def test_a_deleted_session_refuses_writes_clearly(memory):
    handle = memory.create_session(["database"], "chat", user="alex")
    memory.delete_session(handle.session_id, "chat")
    for call in (
        handle.kv_set("a", "b"),
        handle.transcript_append("user", "x"),
        handle.add_usage("m", input_tokens=1, output_tokens=1),
    ):
        with pytest.raises(SessionError):
            run(call)


@pytest.mark.only_on("sqlite")
def test_reading_the_end_of_a_long_transcript_is_quick(open_memory):
    import time

    from recollect.conversations.stores.transcript import entry_text
    from recollect.model.session import Role

    with open_memory(settings={"memory": {"basic_session": {"transcript_cap": 20_000}}}) as memory:
        handle = memory.create_session(["basic_session"], "chat")
        now = memory._clock.now()
        lines = "".join(entry_text(Role.USER, f"message {n}\n" + "text\n" * 10, now) for n in range(10_000))
        (handle.folder / "transcript.md").write_text(lines)
        began = time.perf_counter()
        assert len(run(handle.transcript_read_last(3))) == 3
        assert time.perf_counter() - began < 5, "not the square of its length"


@pytest.mark.parametrize("metadata", [{"a": "x\ud800"}, {"a": float("inf")}])
def test_metadata_that_cannot_be_kept_is_refused(memory, metadata):
    session = memory.session_of(user="alex")
    with pytest.raises(InvalidInput):
        memory.add_message(session.session_id, "user", "x", metadata)
    kept = memory.add_message(session.session_id, "user", "x", {"a": "x\0y"})
    assert memory.messages(session.session_id) == [kept]


def test_long_ids_are_found_again(memory):
    long = "\U00020000" * 256
    session = memory.session_of(long, provider=long, chat=long, user=long)
    assert memory.session_of(long, provider=long, chat=long, user=long) == session


def test_a_session_with_long_messages_is_removed_in_no_time(memory):
    session = memory.session_of(user="alex")
    for n in range(5):
        memory.add_message(session.session_id, "user", f"word{n} " * 12_000)
    memory.remember("other " + " ".join(f"term{n}" for n in range(8_000)), user="sam")
    memory.delete_session(session.session_id, "chat")
    assert memory.recall("word3", user="alex", include_messages=True).hits == []


@pytest.mark.only_on("sqlite")
def test_an_installed_package_adds_a_kind_of_store_by_its_entry_point(memory, tmp_path, monkeypatch):
    package = tmp_path / "packages"
    info = package / "shelf-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: shelf\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[recollect.stores]\nshelf = shelf_store:make\n")
    (package / "shelf_store.py").write_text(
        "import recollect\n"
        "class Shelf(recollect.Store):\n"
        "    store_type = 'shelf'\n"
        "    def kv_get(self, key):\n"
        "        return key.upper()\n"
        "def make(place):\n"
        "    return Shelf()\n"
    )
    monkeypatch.syspath_prepend(str(package))
    handle = memory.create_session(["shelf"], "chat")
    assert run(handle.kv_get("x")) == "X"
    with pytest.raises(Unsupported):
        run(handle.kv_set("x", "y"))
    with pytest.raises(InvalidInput, match="basic_session, database, shelf"):
        memory.create_session(["nosuch"], "chat")
