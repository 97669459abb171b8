"""Moving a memory: exports and imports, ours and others', and backups of what is in use."""

from __future__ import annotations

import json
import threading

import pytest

import recollect
from recollect import ForeignDatabase, InvalidInput, ScopeDenied, StorageError, Unsupported
from recollect.errors import CorruptDatabase


@pytest.fixture
def elsewhere(engine, tmp_path, clock, request):
    """The same orchestrator in another place, empty."""
    place = tmp_path / "elsewhere" if engine == "sqlite" else request.getfixturevalue("databases").with_tables()
    with recollect.open(place, orchestrator="home", files=tmp_path / "files", clock=clock) as memory:
        yield memory


@pytest.fixture
def filled(memory):
    memory.remember("My wife Sarah likes Italian food", user="alex")
    memory.remember("Our standup is at 9:00", user="alex")
    memory.remember("The standup has been moved to 10:00", user="alex")
    session = memory.session_of(user="alex")
    memory.persist_turn(session.session_id, "Hello \x00 there", "Hi")
    memory.save_artifact("artifact:big", {"text": "x" * 9000}, user_id="alex", conversation_id="c1")
    return memory


def test_an_export_brings_everything_back_as_it_was(filled, elsewhere, open_memory):
    lines = list(filled.export())
    text = "\n".join(lines)
    new = elsewhere
    done = new.import_data(text)
    both = {"user": "alex", "statuses": ["active", "superseded"]}
    assert done.memories == len(filled.list(**both)) + 1
    assert new.list(**both).memories == filled.list(**both).memories
    assert new.people(user="alex") == filled.people(user="alex")
    old = filled.list(user="alex", statuses=["superseded"])[0]
    assert new.history(old.memory_id, user="alex") == filled.history(old.memory_id, user="alex")
    assert new.recall("What does my wife like?", user="alex").hits
    (session,) = new.sessions()
    assert new.messages(session.session_id)[0].content == "Hello \x00 there"
    (artifact,) = new.find_artifacts(user_id="alex", conversation_id="c1")
    assert new.artifact_content(artifact) == {"text": "x" * 9000}
    assert new.import_data(text).rows == {}, "again changes nothing"
    new.remember("My cat is called Tom", user="alex")
    assert list(new.export()) != lines
    with pytest.raises(StorageError) as refused:
        filled.import_data(text)
    assert refused.value.code == "import_target_not_empty"
    with open_memory("other") as other, pytest.raises(ScopeDenied) as denied:
        other.import_data(text)
    assert denied.value.code == "orchestrator_mismatch"


@pytest.mark.parametrize("damage", ["cut", "changed", "version", "garbage", "table"])
def test_a_damaged_export_is_refused_and_leaves_nothing(filled, elsewhere, damage):
    lines = list(filled.export())
    if damage == "cut":
        lines = lines[:-1]
    elif damage == "changed":
        lines[1] = lines[1].replace("alex", "eve")
    elif damage == "version":
        lines[0] = lines[0].replace('"version": 1', '"version": 9')
    elif damage == "garbage":
        lines[2] = "{"
    else:
        lines[2] = json.dumps({"table": "sqlite_master", "row": []})
    with pytest.raises(InvalidInput) as refused:
        elsewhere.import_data("\n".join(lines))
    assert refused.value.code in {"damaged_export", "unknown_format"}
    assert elsewhere.stats().memories == 0 and elsewhere.sessions() == []


def test_markdown_shows_what_the_reader_may_see(filled):
    filled.remember("The secret garden is mine", user="eve")
    text = filled.export_markdown(user="alex")
    assert "## Preference" in text or "## Fact" in text
    assert "Italian food" in text and "secret garden" not in text


MEM0 = {
    "results": [
        {"id": "1", "memory": "Likes hiking in the Alps", "user_id": "alex", "created_at": "2025-03-04T05:06:07Z"}
    ]
}
LANGGRAPH = [
    {
        "namespace": ["memories", "u"],
        "key": "k1",
        "value": {"text": "Prefers window seats"},
        "created_at": "2025-01-01T00:00:00+00:00",
    }
]
MCP = [
    {"type": "entity", "name": "Anna", "entityType": "person", "observations": ["plays chess"]},
    {"type": "relation", "from": "Anna", "to": "Acme", "relationType": "works_at"},
]
CHATGPT = [
    {
        "title": "Trip",
        "id": "c1",
        "current_node": "b",
        "mapping": {
            "root": {"message": None, "parent": None, "children": ["a"]},
            "a": {
                "message": {
                    "author": {"role": "user"},
                    "content": {"parts": ["Plan my trip to Norway"]},
                    "create_time": 1740000000.0,
                },
                "parent": "root",
                "children": ["b", "x"],
            },
            "b": {
                "message": {"author": {"role": "assistant"}, "content": {"parts": ["Take the train"]}},
                "parent": "a",
                "children": [],
            },
            "x": {
                "message": {"author": {"role": "assistant"}, "content": {"parts": ["Never shown"]}},
                "parent": "a",
                "children": [],
            },
        },
    }
]
CLAUDE = [
    {
        "uuid": "u1",
        "name": "Garden",
        "chat_messages": [
            {"sender": "human", "text": "When do I plant tulips?", "created_at": "2025-09-01T10:00:00Z"},
            {"sender": "assistant", "text": "", "content": [{"type": "text", "text": "In autumn"}]},
        ],
    }
]


@pytest.mark.parametrize(
    ("data", "kind", "memories", "messages"),
    [
        (json.dumps(MEM0), "mem0", 1, 0),
        (json.dumps(LANGGRAPH), "langgraph", 1, 0),
        ("\n".join(map(json.dumps, MCP)), "mcp", 3, 0),
        (json.dumps(CHATGPT), "chatgpt", 0, 2),
        (json.dumps(CLAUDE), "claude", 0, 2),
    ],
)
def test_what_others_export_is_taken_in_once(memory, data, kind, memories, messages):
    done = memory.import_data(data, user="alex")
    assert (done.format, done.memories, done.messages) == (kind, memories, messages)
    again = memory.import_data(data, user="alex")
    assert (again.memories, again.messages, again.sessions) == (0, 0, 0) and again.known == memories
    told = " ".join([each.content for each in memory.list(user="alex")])
    told += " ".join(m.content for s in memory.sessions() for m in memory.messages(s.session_id))
    expected = {
        "mem0": "hiking",
        "langgraph": "window",
        "mcp": "works_at Acme",
        "chatgpt": "Take the train",
        "claude": "In autumn",
    }
    assert expected[kind] in told and "Never shown" not in told
    if kind == "mem0":
        assert memory.list(user="alex")[0].observed_at.year == 2025
    if kind in {"chatgpt", "claude"}:  # what was said keeps its time, also for questions about it
        (session,) = memory.sessions()
        assert memory.messages(session.session_id)[0].created_at.year == 2025
        hits = memory.recall("trip tulips", user="alex", include_messages=True).hits
        assert 2025 in {hit.memory.observed_at.year for hit in hits}


@pytest.mark.parametrize(
    "text", ["", "7", "[]", "{}", "[1, 2]", "not json", '{"mapping": 1}', '[{"type": "x"}]', "[" * 5000]
)
def test_what_nobody_knows_is_refused(memory, text):
    try:
        done = memory.import_data(text, user="alex")
    except InvalidInput as error:
        assert error.code == "unknown_format"
    else:
        assert done.memories == done.messages == 0


@pytest.mark.only_on("sqlite")
def test_a_backup_of_what_is_in_use_is_whole(filled, tmp_path, root, run):
    stop, written = threading.Event(), []

    def write():
        while not stop.is_set():
            written.append(filled.remember(f"Sentence number {len(written)} of many", user="alex").memory.content)

    writing = threading.Thread(target=write)
    writing.start()
    path = filled.backup(tmp_path / "copy.db")
    stop.set()
    writing.join()
    busy = run("restore", str(path), "--orchestrator", "home", "--yes", "--json")
    assert busy.json["error"]["code"] == "storage_busy"
    filled.close()
    done = run("restore", str(path), "--orchestrator", "home", "--yes", "--json")
    assert done.code == 0, done.out + done.err
    listed = run("list", "--orchestrator", "home", "--user", "alex", "--limit", "100000", "--json").json["memories"]
    assert len(listed) >= 2 and {each["content"] for each in listed} >= {"The standup has been moved to 10:00"}
    assert (root / "home" / "memory" / "memory.db.before-restore-1").exists()


@pytest.mark.only_on("sqlite")
def test_a_backup_that_is_none_is_not_restored(filled, tmp_path, run, root):
    from recollect.storage.sqlite import restore_backup

    database = root / "home" / "memory" / "memory.db"
    good = filled.backup(tmp_path / "good.db")
    filled.close()
    before = database.read_bytes()
    data = bytearray(good.read_bytes())
    data[5000:9000] = b"\xff" * 4000
    (tmp_path / "bad.db").write_bytes(data)
    (tmp_path / "text.db").write_text("no database at all")
    with pytest.raises((CorruptDatabase, ForeignDatabase)):
        restore_backup(tmp_path / "bad.db", database, "home")
    with pytest.raises(CorruptDatabase):
        restore_backup(tmp_path / "text.db", database, "home")
    with pytest.raises(ForeignDatabase):
        restore_backup(good, database, "other")
    assert database.read_bytes() == before
    assert run("restore", str(tmp_path / "nothing.db"), "--yes", "--json").json["error"]["code"] == "file_not_found"


@pytest.mark.only_on("sqlite")
def test_a_restore_can_be_undone_and_takes_what_a_log_holds(tmp_path, run, root):
    import recollect

    run("remember", "This is the first state")
    run("backup", str(tmp_path / "one.db"))
    run("remember", "This is the second state")
    done = run("restore", str(tmp_path / "one.db"), "--yes", "--json").json
    assert "second" not in run("list").out
    run("restore", done["before"], "--yes")
    assert "second" in run("list").out and "first" in run("list").out
    with recollect.open(tmp_path / "live", orchestrator="default") as live:
        live.remember("This is a live state", user="local")
        source = tmp_path / "live" / "default" / "memory" / "memory.db"
        assert run("restore", str(source), "--yes").code == 0
    assert "live state" in run("list").out


def test_others_memories_are_not_taken_for_the_callers(memory):
    data = [
        {"memory": "Plays the cello", "user_id": "bob"},
        {"memory": "Lives in Lisbon now"},
        {"memory": "Lives in Porto now"},
    ]
    done = memory.import_data(json.dumps(data), user="alex", format="mem0")
    assert (done.memories, done.others) == (2, 1) and "cello" not in str(memory.list(user="alex"))


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        ([{"mapping": {"a": {"message": {"author": "x", "content": {"parts": 5}}}}, "current_node": ["a"]}], "chatgpt"),
        ([{"chat_messages": 5}, {"chat_messages": [{"sender": ["a"]}]}], "claude"),
        ([{"type": "entity", "name": "Anna", "observations": 5}, {"type": "entity"}], "mcp"),
        ([{"id": "\ud800", "memory": "x y"}, {"memory": 7}], "mem0"),
        ([{"namespace": 1, "key": 2, "value": [3]}], "langgraph"),
    ],
)
def test_items_of_another_shape_are_passed_over_and_counted(memory, data, kind):
    good = {"mem0": MEM0["results"], "langgraph": LANGGRAPH, "mcp": MCP, "chatgpt": CHATGPT, "claude": CLAUDE}[kind]
    done = memory.import_data(json.dumps([*data, *good]), user="alex", format=kind)
    assert done.format == kind and done.memories + done.messages > 0
    assert done.unreadable <= len(data)


def test_what_holds_nothing_of_a_format_is_not_taken_for_it(memory):
    with pytest.raises(InvalidInput) as refused:
        memory.import_data(json.dumps(CLAUDE), user="alex", format="mem0")
    assert refused.value.code == "unknown_format"


def test_a_store_of_several_people_is_imported_one_at_a_time(memory, run, tmp_path):
    items = [
        {"namespace": ["memories", who], "key": "k", "value": {"text": text}}
        for who, text in (("alex", "Prefers window seats"), ("bob", "Has asthma since childhood"))
    ]
    with pytest.raises(InvalidInput) as refused:
        memory.import_data(json.dumps(items), user="alex")
    assert refused.value.code == "several_namespaces" and "memories.bob" in str(refused.value)
    done = memory.import_data(json.dumps(items), user="alex", namespace="memories.alex")
    assert (done.memories, done.others) == (1, 1)
    assert "asthma" not in str(memory.list(user="alex"))


def test_voices_are_heard_tools_are_not_and_a_changed_branch_is_taken_in(memory):
    def node(name, parent, role, part, **more):
        message = {"id": name, "author": {"role": role}, "content": {"parts": [part]}, **more}
        return {"message": message, "parent": parent, "children": []}

    talk = {
        "id": "c1",
        "current_node": "c",
        "mapping": {
            "a": node("a", None, "user", {"content_type": "audio_transcription", "text": "Where do I live?"}),
            "b": node("b", "a", "assistant", "User lives in Lisbon", recipient="bio"),
            "c": node("c", "b", "assistant", "In Lisbon."),
        },
    }
    memory.import_data(json.dumps([talk]), user="alex")
    (session,) = memory.sessions()
    assert [each.content for each in memory.messages(session.session_id)] == ["Where do I live?", "In Lisbon."]
    talk["mapping"]["d"] = node("d", "a", "user", "I live in Porto actually")
    talk["current_node"] = "d"
    assert memory.import_data(json.dumps([talk]), user="alex").messages == 1
    assert "Porto" in str(memory.messages(session.session_id))


def test_sessions_in_files_are_part_of_an_export(memory, elsewhere):
    import asyncio

    handle = memory.create_session(["basic_session"], "chat")

    async def talk():
        await handle.transcript_append("user", "Hello, the walrus speaks")
        await handle.kv_set("mood", "grand")

    asyncio.run(talk())
    text = "\n".join(memory.export())
    elsewhere.import_data("\ufeff" + text)
    again = elsewhere.load_session(handle.session_id, "chat")

    async def read():
        return await again.transcript_read_last(5), await again.kv_get("mood")

    said, mood = asyncio.run(read())
    assert "walrus" in str(said) and mood == "grand"
    assert list(elsewhere.export()) == text.split("\n")
    hostile = text.replace("sessions.json", "../../evil.json")
    with pytest.raises(InvalidInput):
        memory.import_data(hostile)


def test_markdown_marks_nothing_that_was_stored(memory):
    memory.remember("<img src=x onerror=alert(1)> [a](javascript:b) `c` *d*", user="alex", verbatim=True)
    memory.remember("# I am a heading", user="alex", verbatim=True)
    text = memory.export_markdown(user="alex")
    assert "\\<img" in text and "\\[a\\]" in text and "\\`c\\`" in text and "- \\# I am" in text


@pytest.mark.only_on("postgres")
def test_a_server_is_backed_up_by_its_own_tools(memory, tmp_path):
    with pytest.raises(Unsupported):
        memory.backup(tmp_path / "x.db")


def test_on_the_command_line(run, tmp_path):
    stored = run("remember", "Our standup is at 9:00", "--json").json["results"][0]["memory"]["memoryId"]
    assert run("export", str(tmp_path / "out.jsonl")).out == f"wrote {tmp_path / 'out.jsonl'}\n"
    done = run("import", str(tmp_path / "out.jsonl"), "--root", str(tmp_path / "second"), "--json").json
    assert done["memories"] == 1 and done["format"] == "recollect"
    assert "Our standup" in run("export", "--format", "markdown").out
    why = run("why", stored)
    assert "from manual, captured by user" in why.out and "memory.created by local" in why.out
    assert run("import", str(tmp_path / "nothing")).code == 1
