"""Files become memories: what is dropped ends in processed or rejected, exactly once, with a manifest."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import threading
import time
import zipfile
from pathlib import Path

import pytest

from recollect import InvalidInput, MemoryDisabled, NotFound, StorageUnavailable

NO_WAIT = {"memory": {"ingest": {"settle_seconds": 0.0}}}


@pytest.fixture
def memory(open_memory):
    with open_memory(settings=NO_WAIT) as memory:
        yield memory


@pytest.fixture
def folder(memory, root):
    return root / "home" / "memory" / "ingest"


def drop(folder, name, content):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def contents(memory, **wanted):
    return sorted(each.content for each in memory.list(user="alex", limit=1000, **wanted))


def names(folder):
    return sorted(path.name for path in folder.iterdir() if path.is_file() and not path.name.startswith("."))


def manifest(folder, name):
    return json.loads((folder / name).read_text())


def test_a_file_becomes_typed_memories_that_cite_it(memory, folder):
    drop(folder, "notes.md", "# Falcon\n## Decisions\n- Use PostgreSQL for storage\n\n- [ ] Call Bob about it\n")
    (report,) = memory.ingest().files
    assert (report.status, report.memories, report.edges, report.version) == ("processed", 3, 2, 1)
    found = {each.content: each for each in memory.list(user="alex")}
    decision = found["Use PostgreSQL for storage"]
    assert decision.type == "Decision" and decision.trust == "outside" and decision.scope.shared
    assert decision.source.source_type == "ingest_file"
    assert (
        Path(decision.source.source_path) == folder / "processed" / "notes.md"
        and Path(decision.source.source_path).exists()
    )
    (edge,) = memory.edges(decision.memory_id, user="alex")
    assert edge.edge_type == "PartOf" and "Falcon" in memory.show(edge.to_memory_id, user="alex").content
    assert names(folder) == [] and names(folder / "processed") == ["notes.md", "notes.md.processed.json"]
    told = manifest(folder / "processed", "notes.md.processed.json")
    assert (told["status"], told["memoriesWritten"], told["edgesWritten"]) == ("processed", 3, 2)
    assert memory.recall("Which database do we use?", user="eve").hits[0].memory.content == "Use PostgreSQL for storage"


def test_the_same_file_again_changes_nothing(memory, folder):
    drop(folder, "a.txt", "Our standup is at 9:00.")
    memory.ingest()
    before = contents(memory)
    drop(folder, "a.txt", "Our standup is at 9:00.")
    (report,) = memory.ingest().files
    assert report.status == "duplicate" and contents(memory) == before
    drop(folder, "b.txt", "Our standup is at 9:00.")
    (report,) = memory.ingest().files
    assert report.status == "duplicate" and contents(memory) == before, "the same content under another name"
    assert manifest(folder / "processed", "b.txt.processed.json")["duplicateOf"] == "a.txt"
    assert names(folder) == [] and len(memory.ingested()) == 2


def test_a_new_version_takes_the_place_of_the_old_one(memory, folder):
    drop(folder, "a.md", "- Our standup is at 9:00\n- We meet in the big room\n- Lunch is at noon\n")
    memory.ingest()
    memory.remember("Lunch is at noon", user="alex", scope="shared")
    drop(folder, "a.md", "- Our standup is at 10:00\n- We meet in the big room\n")
    (report,) = memory.ingest().files
    assert report.status == "processed" and report.version == 2
    known = contents(memory)
    assert "Our standup is at 10:00" in known and "Our standup is at 9:00" not in known
    assert "We meet in the big room" in known
    assert "Lunch is at noon" in known, "somebody else says so, too"
    (old,) = [
        each for each in memory.list(user="alex", statuses=["superseded"]) if each.content == "Our standup is at 9:00"
    ]
    assert any("superseded" in str(event.detail) for event in memory.history(old.memory_id, user="alex"))
    assert len(names(folder / "processed")) == 4, "both versions, each with its manifest"
    drop(folder, "a.md", "- Our standup is at 9:00\n- We meet in the big room\n- Lunch is at noon\n")
    (report,) = memory.ingest().files
    assert report.version == 3 and "Our standup is at 9:00" in contents(memory), "back to what it was"


def test_json_brings_memories_and_edges_as_they_are(memory, folder):
    data = {
        "memories": [
            {"memoryId": "d1", "type": "Decision", "importance": 80, "content": "Use Postgres", "confidence": 0.9},
            {"memoryId": "d2", "type": "Decision", "content": "Use MySQL", "status": "retracted"},
            {
                "memoryId": "f1",
                "type": "Fact",
                "content": "Postgres has row-level security",
                "createdAt": "2026-01-01T00:00:00Z",
            },
        ],
        "edges": [
            {"fromMemoryId": "d1", "toMemoryId": "f1", "edgeType": "CausedBy", "weight": 0.5, "reason": "security"}
        ],
    }
    drop(folder, "m.json", json.dumps(data))
    (report,) = memory.ingest().files
    assert (report.memories, report.edges) == (3, 1)
    decision = next(each for each in memory.list(user="alex") if each.content == "Use Postgres")
    assert (decision.type, decision.importance, decision.confidence) == ("Decision", 80, 0.9)
    (edge,) = memory.edges(decision.memory_id, user="alex")
    assert (edge.edge_type, edge.weight, edge.reason) == ("CausedBy", 0.5, "security")
    assert contents(memory, statuses=["retracted"]) == ["Use MySQL"]
    data["memories"][0]["content"] = "Use SQLite"
    data["memories"].pop(1)
    drop(folder, "m.json", json.dumps(data))
    memory.ingest()
    assert contents(memory) == ["Postgres has row-level security", "Use SQLite"]
    old = next(each for each in memory.list(user="alex", statuses=["superseded"]) if each.content == "Use Postgres")
    assert any(edge.edge_type == "Updates" for edge in memory.edges(old.memory_id, user="alex"))
    drop(folder, "empty.json", "{}")
    assert memory.ingest().files[0].status == "processed"


JSON_CASES = {
    "not.json": ("{", "invalid_json"),
    "deep.json": ("[" * 100_000, "invalid_json"),
    "digits.json": ('{"memories": [' + "9" * 5000 + "]}", "invalid_json"),
    "shape.json": ('{"users": []}', "invalid_shape"),
    "list.json": ('{"memories": {}}', "invalid_shape"),
    "number.json": ("7", "invalid_shape"),
    "item.json": ('{"memories": [7]}', "invalid_memory"),
    "field.json": ('{"memories": [{"content": "x y", "colour": 1}]}', "invalid_memory"),
    "type.json": ('{"memories": [{"content": "x y", "type": "Song"}]}', "invalid_memory"),
    "importance.json": ('{"memories": [{"content": "x y", "importance": 150}]}', "invalid_memory"),
    "huge.json": ('{"memories": [{"content": "x y", "importance": 300}]}', "invalid_memory"),
    "confidence.json": ('{"memories": [{"content": "x y", "confidence": "high"}]}', "invalid_memory"),
    "blank.json": ('{"memories": [{"content": " "}]}', "invalid_memory"),
    "status.json": ('{"memories": [{"content": "x y", "status": "gone"}]}', "invalid_memory"),
    "twice.json": (
        '{"memories": [{"memoryId": "a", "content": "x y"}, {"memoryId": "a", "content": "z w"}]}',
        "invalid_memory",
    ),
    "scope.json": ('{"memories": [{"content": "x y", "orchestratorId": "other"}]}', "scope_mismatch"),
    "edge.json": (
        '{"memories": [{"memoryId": "a", "content": "x y"}], "edges": [{"fromMemoryId": "a", "toMemoryId": "b"}]}',
        "invalid_edge",
    ),
    "kind.json": ('{"memories": ["x y", "z w"], "edges": [{"edgeType": "Loves"}]}', "invalid_edge"),
    "many.json": (json.dumps({"memories": ["x"] * 10_001}), "too_many_memories"),
}
OTHER_CASES = {
    "song.mp3": (b"ID3", "unsupported_file_type"),
    "noending": (b"x", "unsupported_file_type"),
    "empty.txt": (b"", "empty_content"),
    "blank.md": (" \n\t\u200b\n".encode(), "empty_content"),
    "latin.txt": ("caf\xe9 au lait".encode("latin-1"), "invalid_utf8"),
    "nul.txt": (b"a\x00b", "nul_byte"),
    "utf16.txt": ("hello there".encode("utf-16"), "byte_order_mark"),
    "broken.pdf": (b"%PDF-1.7 nothing", "conversion_failed"),
    "broken.docx": (b"PK no archive", "conversion_failed"),
    "new\nline.txt": (b"hello there", "invalid_name"),
    "x" * 240 + ".txt": (b"hello there", "invalid_name"),
}


@pytest.mark.parametrize("name", [*JSON_CASES, *OTHER_CASES])
def test_what_cannot_become_memories_is_rejected_with_its_code(memory, folder, name):
    content, code = {**JSON_CASES, **OTHER_CASES}[name]
    drop(folder, name, content)
    (report,) = memory.ingest().files
    assert (report.status, report.code) == ("rejected", code)
    assert names(folder) == [] and names(folder / "processed") == [] and contents(memory) == []
    file, told = names(folder / "rejected")
    assert told == f"{file}.rejection.json"
    error = manifest(folder / "rejected", told)["error"]
    assert error["code"] == code and error["message"]


def test_what_is_no_plain_file_is_not_followed_or_read(memory, folder, tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("The vault code is 1234 5678")
    (folder / "link.txt").symlink_to(secret)
    (folder / "gone.txt").symlink_to("/nowhere")
    os.mkfifo(folder / "pipe.txt")
    (folder / "sub.txt").mkdir()
    codes = {each.name: each.code for each in memory.ingest().files}
    assert codes == {"link.txt": "symbolic_link", "gone.txt": "symbolic_link", "pipe.txt": "not_a_file"}
    assert contents(memory) == [] and secret.exists()
    assert stat.S_ISFIFO((folder / "rejected" / "pipe.txt").lstat().st_mode)


def test_a_file_that_is_too_large_is_not_read(open_memory, root):
    with open_memory(settings={"memory": {"ingest": {"settle_seconds": 0.0, "max_file_size_mb": 1}}}) as memory:
        folder = root / "home" / "memory" / "ingest"
        with (folder / "big.txt").open("wb") as file:
            file.truncate(3_000_000_000)  # no block of it is on disk: reading it would take memory and time
        assert memory.ingest().files[0].code == "file_too_large"


def test_a_bomb_is_not_unfolded(memory, folder):
    with zipfile.ZipFile(folder / "bomb.docx", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", b"0" * 60_000_000)
    assert memory.ingest().files[0].code == "archive_bomb"


def test_a_byte_order_mark_of_utf8_is_no_part_of_the_text(memory, folder):
    drop(folder, "bom.txt", "\ufeffOur standup is at 9:00.".encode())
    memory.ingest()
    assert contents(memory)[0] == "Our standup is at 9:00."


_SCHEMAS = "http://schemas.openxmlformats.org"
_PACKAGE = f"{_SCHEMAS}/package/2006"
_WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
DOCX = {
    "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels" ContentType='
    '"application/vnd.openxmlformats-package.relationships+xml"/>'
    f'<Override PartName="/word/document.xml" ContentType="{_WORD}"/></Types>',
    "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="r" Type='
    f'"{_SCHEMAS}/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>',
    "word/document.xml": f'<w:document xmlns:w="{_SCHEMAS}/wordprocessingml/2006/main"><w:body><w:p><w:r>'
    "<w:t>We decided to hire Carol in May.</w:t></w:r></w:p></w:body></w:document>",
}


def test_documents_are_converted(memory, folder):
    drop(
        folder,
        "page.html",
        "<html><body><h1>Plan</h1><h2>Decisions</h2><ul><li>Use the blue logo</li></ul></body></html>",
    )
    drop(folder, "table.csv", "name,role\nAda,engineer\nBob,designer\n")
    with zipfile.ZipFile(folder / "letter.docx", "w") as archive:
        for name, content in DOCX.items():
            archive.writestr(name, f'<?xml version="1.0"?>{content}')
    reports = memory.ingest().files
    assert {each.name: (each.status, each.message) for each in reports} == dict.fromkeys(
        ["page.html", "table.csv", "letter.docx"], ("processed", None)
    )
    known = {each.content: each.type.value for each in memory.list(user="alex")}
    assert known["Use the blue logo"] == "Decision" and known["We decided to hire Carol in May."] == "Decision"
    assert memory.recall("What does Ada do?", user="alex").hits


def test_secrets_in_files_are_masked_or_refused(memory, folder):
    key = "sk-proj-" + "Zq3" * 16
    drop(folder, "keys.md", f"# Keys\n- The key is {key}\n- The office is in Oslo\n")
    (report,) = memory.ingest().files
    assert report.refused == 1 and key not in json.dumps(contents(memory))


def test_a_long_document_is_found_by_its_parts(memory, folder):
    text = "\n\n".join(f"## Chapter {n}\n\n" + f"The animal of chapter {n} walks on. " * 30 for n in range(40))
    drop(folder, "book.md", text + "\n\nThe zebra has stripes in the last line.")
    (report,) = memory.ingest().files
    assert report.memories > 40
    assert "zebra" in memory.recall("zebra stripes", user="alex").hits[0].memory.content


def test_a_file_that_is_still_written_is_waited_for(open_memory, root):
    with open_memory(settings={"memory": {"ingest": {"settle_seconds": 0.4}}}) as memory:
        folder = root / "home" / "memory" / "ingest"
        path = drop(folder, "slow.txt", "The first half")
        (folder / "other.txt.part").write_text("unfinished")

        def write_on():
            for word in (" and", " the", " second", " half."):
                time.sleep(0.2)
                with path.open("a") as file:
                    file.write(word)

        writing = threading.Thread(target=write_on)
        writing.start()
        assert memory.ingest(wait=False).files[0].status == "waiting"
        (report,) = memory.ingest().files
        writing.join()
        assert report.status == "processed" and contents(memory) == ["The first half and the second half."]
        assert names(folder) == ["other.txt.part"]


def test_what_is_dropped_while_watching_becomes_memories(memory, folder):
    stop, heard = threading.Event(), []
    watching = threading.Thread(target=lambda: memory.watch_ingest(stop, 0.05, heard.append))
    watching.start()
    drop(folder, ".a", "Our standup is at 9:00.").rename(folder / "a.txt")  # whole at once: nothing settles here
    deadline = time.monotonic() + 20
    while not heard and time.monotonic() < deadline:
        time.sleep(0.02)
    stop.set()
    watching.join()
    assert heard[0].files[0].name == "a.txt" and contents(memory)


def test_it_is_kept_for_whom_it_is_meant(memory, tmp_path):
    path = tmp_path / "mine.txt"
    path.write_text("My locker is number 7.")
    memory.ingest([path], user="alex", scope="personal")
    assert contents(memory) == ["My locker is number 7."]
    assert memory.list(user="eve") == [] or list(memory.list(user="eve")) == []
    assert path.exists(), "it was copied"
    with pytest.raises(NotFound):
        memory.ingest([tmp_path / "nothing.txt"])
    with pytest.raises(InvalidInput):
        memory.ingest(scope="everybody")


def test_ingestion_can_be_switched_off(open_memory):
    with open_memory(settings={"memory": {"ingest": {"enabled": False}}}) as memory, pytest.raises(MemoryDisabled):
        memory.ingest()


def test_what_is_forgotten_leaves_the_files_too(memory, folder):
    drop(folder, "a.md", "- The vault of the house is behind the painting\n- The garden is green in May\n")
    memory.ingest()
    vault = next(each for each in memory.list(user="alex") if each.content.startswith("The vault"))
    memory.forget(vault.memory_id, user="alex")
    assert memory.verify_erased("The vault of the house is behind the painting").clean
    assert "garden" in (folder / "processed" / "a.md").read_text()


def test_a_source_that_is_no_longer_allowed_is_dropped_and_logged(memory, folder, tmp_path, logged):
    drop(folder, "a.txt", "The first treasure is gold.")
    drop(folder, "b.txt", "The second treasure is silver.")
    memory.ingest()
    moved = tmp_path / "elsewhere.txt"
    (folder / "processed" / "a.txt").replace(moved)
    (folder / "processed" / "a.txt").symlink_to(moved)
    found = [hit.memory.content for hit in memory.recall("treasure", user="alex", floor=False).hits]
    assert "The second treasure is silver." in found and "The first treasure is gold." not in found
    assert any(line["event"] == "memory.recall.source_path_denied" for line in logged("home"))


def test_vectors_are_made_behind_it(open_memory, root, real_model):
    with open_memory(settings=NO_WAIT) as memory:
        drop(root / "home" / "memory" / "ingest", "a.txt", "The bakery opens at seven.")
        memory.ingest()
        deadline = time.monotonic() + 20
        while memory.stats().vectors == 0 and time.monotonic() < deadline:
            time.sleep(0.05)
        assert (
            memory.recall("When can I buy bread?", user="alex").hits[0].memory.content == "The bakery opens at seven."
        )


# Whatever happens in between

STEPS = ["read", "parsed", "kept", "stored", "manifest", "removed"]
CRASH = """
import os, signal, sys
import recollect
place, files, step, how = sys.argv[1:]
settings = {"memory": {"ingest": {"settle_seconds": 0.0}}}
with recollect.open(place, orchestrator="home", files=files, settings=settings) as memory:
    def die(name, path):
        if name == step:
            if how == "kill":
                os.kill(os.getpid(), signal.SIGKILL)
            raise OSError("injected")
    memory._ingest.step = die
    memory.ingest()
"""


def crashed(place, root, step, how):
    arguments = [sys.executable, "-c", CRASH, str(place), str(root), step, how]
    return subprocess.run(arguments, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("how", ["kill", "raise"])
@pytest.mark.parametrize("step", STEPS)
def test_a_crash_at_any_step_is_repaired_by_the_next_run(memory, place, root, folder, step, how):
    drop(folder, "notes.md", "# Plan\n- Our standup is at 9:00\n- [ ] Call Bob about it\n")
    done = crashed(place, root, step, how)
    assert done.returncode == (-signal.SIGKILL if how == "kill" else 0), done.stderr
    memory.ingest()
    assert contents(memory) == [
        "# Plan\n- Our standup is at 9:00\n- [ ] Call Bob about it",
        "Call Bob about it",
        "Our standup is at 9:00",
    ]
    assert names(folder) == [] and names(folder / "rejected") == []
    assert names(folder / "processed") == ["notes.md", "notes.md.processed.json"]
    assert manifest(folder / "processed", "notes.md.processed.json")["memoriesWritten"] == 3
    assert len(memory.ingested()) == 1


@pytest.mark.parametrize("how", ["kill", "raise"])
@pytest.mark.parametrize("step", ["rejection", "rejected"])
def test_a_crash_while_rejecting_is_repaired(memory, place, root, folder, step, how):
    drop(folder, "bad.json", "{")
    crashed(place, root, step, how)
    memory.ingest()
    assert names(folder) == [] and names(folder / "rejected") == ["bad.json", "bad.json.rejection.json"]


def test_a_store_that_fails_leaves_the_file_where_it_is(memory, folder, monkeypatch):
    drop(folder, "a.txt", "Our standup is at 9:00.")

    def full(*_):
        raise StorageUnavailable("disk full")

    with monkeypatch.context() as patched:
        patched.setattr(type(memory._storage), "write", full)
        (report,) = memory.ingest().files
        assert (report.status, report.code) == ("failed", "storage_unavailable")
        assert names(folder) == ["a.txt"] and names(folder / "processed") == []
    assert memory.ingest().files[0].status == "processed"


def test_two_at_once_ingest_every_file_once(open_memory, root):
    from concurrent.futures import ThreadPoolExecutor

    with open_memory(settings=NO_WAIT) as one, open_memory(settings=NO_WAIT) as other:
        folder = root / "home" / "memory" / "ingest"
        for number in range(20):
            drop(folder, f"f{number}.txt", f"Number {number} is the number of this file.")
        with ThreadPoolExecutor(2) as pool:
            reports = list(pool.map(lambda memory: memory.ingest(), [one, other]))
        assert sum(report.count("processed") for report in reports) == 20
        assert len(one.list(user="alex", limit=100)) == 20


def test_ingest_on_the_command_line(run, root, tmp_path):
    path = tmp_path / "notes.md"
    path.write_text("- We use PostgreSQL instead of MySQL\n")
    done = run("ingest", str(path))
    assert done.code == 0 and done.out == "notes.md: 2 memories\n", done.err
    again = run("ingest", str(path), "--json").json["files"][0]
    assert again["status"] == "duplicate"
    assert run("ingest", "--list", "--json").json["files"][0]["name"] == "notes.md"
    (root / "default" / "memory" / "ingest" / "bad.json").write_text("{")
    os.utime(root / "default" / "memory" / "ingest" / "bad.json", (0, 0))
    bad = run("ingest")
    assert bad.code == 1 and bad.out.startswith("bad.json: rejected (invalid_json")
    assert run("ingest", str(tmp_path / "nothing.txt"), "--json").json["error"]["code"] == "file_not_found"
    assert run("ingest").out == "nothing to ingest\n"


# Odd orders of events


def test_files_are_known_apart_for_those_who_may_see_them(memory, folder):
    drop(folder, "notes.txt", "The passport of Alex expires in May 2031.")
    memory.ingest(user="alex", scope="personal")
    drop(folder, "notes.txt", "Bob has decided to buy a boat.")
    memory.ingest(user="bob", scope="personal")
    assert contents(memory) == ["The passport of Alex expires in May 2031."], "another's file of this name"
    drop(folder, "x.txt", "Bob has decided to buy a boat.")
    (report,) = memory.ingest(user="alex", scope="personal").files
    assert report.status == "processed" and "Bob has decided to buy a boat." in contents(memory)
    assert [each.manifest["name"] for each in memory.ingested(user="bob")] == ["notes.txt"]
    assert memory.ingested() == []


def test_watching_keeps_to_whom_it_is_meant_for(memory, folder):
    stop, heard = threading.Event(), []

    def told(report):
        heard.append(report)
        stop.set()

    drop(folder, "diary.txt", "The diary lies under the bed.")
    memory.watch_ingest(stop, 0.05, told, user="alex", scope="personal")
    assert contents(memory) == ["The diary lies under the bed."] and list(memory.list(user="bob")) == []


@pytest.mark.parametrize("when", ["parsed", "stored"])
def test_a_file_that_is_replaced_meanwhile_is_the_next_version(memory, folder, when):
    path = drop(folder, "n.txt", "The door is painted red.")
    once = []

    def step(name, _):
        if name == when and not once:
            once.append(drop(folder, ".x", "The door is painted blue."))
            (folder / ".x").replace(path)

    memory._ingest.step = step
    memory.ingest()
    assert contents(memory) == ["The door is painted red."] or contents(memory) == ["The door is painted blue."]
    memory.ingest()
    assert contents(memory) == ["The door is painted blue."] and names(folder) == []
    kept = sorted(each.read_text() for each in (folder / "processed").iterdir() if not each.name.endswith(".json"))
    assert kept == ["The door is painted blue.", "The door is painted red."]


def test_forgetting_leaves_other_files_alone_and_takes_its_own(memory, folder):
    with zipfile.ZipFile(folder / "letter.docx", "w") as archive:
        for name, content in DOCX.items():
            archive.writestr(name, f'<?xml version="1.0"?>{content}')
    drop(folder, "w.md", "We decided to hire **Zacharias** for the\nsecret Quixote project.\n\nOther things happen.\n")
    memory.ingest()
    cat = memory.remember("My cat is called Tom", user="alex").memory
    memory.forget(cat.memory_id, user="alex")
    assert {"letter.docx", "w.md"} <= set(names(folder / "processed"))
    hired = next(each for each in memory.list(user="alex") if each.content.startswith("We decided to hire Zach"))
    memory.forget(hired.memory_id, user="alex")
    assert "w.md" not in names(folder / "processed") and "letter.docx" in names(folder / "processed")
    assert memory.verify_erased("Zacharias for the").clean


@pytest.mark.parametrize(
    "bad", ['[{"content": "alpha beta gamma", "status": []}]', '[{"content": "a b c", "memoryId": "\\ud800"}]']
)
def test_one_hostile_file_holds_up_no_other(memory, folder, bad):
    drop(folder, "a.json", bad)
    drop(folder, "z.txt", "The zebra lives in Kenya.")
    assert [(each.status, each.code) for each in memory.ingest().files] == [
        ("rejected", "invalid_memory"),
        ("processed", None),
    ]
    assert names(folder) == [] and names(folder / "processed") == ["z.txt", "z.txt.processed.json"]


def test_what_another_file_still_says_stays_and_what_none_says_goes(memory, folder):
    text = "The office is in Berlin at Torstrasse 5."
    drop(folder, "a.txt", text)
    memory.ingest()
    drop(folder, "b.txt", text)
    memory.ingest()
    drop(folder, "a.txt", "The coffee machine is on floor two.")
    memory.ingest()
    assert text in contents(memory), "b.txt says so"
    drop(folder, "b.txt", "Nothing of it is said here any more.")
    memory.ingest()
    assert text not in contents(memory)
    drop(folder, "b.txt", text)
    memory.ingest()
    assert text in contents(memory), "and back again"


def test_a_ticked_todo_is_open_no_longer(memory, folder):
    drop(folder, "t.md", "# Todo\n- [ ] Buy the blue paint\n- [x] Sweep the floor now\n")
    memory.ingest()
    assert len(memory.bulletin("", user="alex").sections["open_todos"]) == 1
    drop(folder, "t.md", "# Todo\n- [x] Buy the blue paint\n- [x] Sweep the floor now\n")
    memory.ingest()
    assert memory.bulletin("", user="alex").sections["open_todos"] == []


def test_files_of_one_name_do_not_push_each_other_out(memory, folder, tmp_path):
    for place, text in (("a", "The first one is about apples."), ("b", "The second one is about pears.")):
        (tmp_path / place).mkdir()
        (tmp_path / place / "README.md").write_text(text)
    drop(folder, "README.md", "The dropped one is about plums.")
    report = memory.ingest([tmp_path / "a" / "README.md", tmp_path / "b" / "README.md"])
    assert report.count("processed") == 3 and contents(memory) == ["The second one is about pears."]
    (tmp_path / ".env.txt").write_text("x y z")
    with pytest.raises(InvalidInput) as refused:
        memory.ingest([tmp_path / ".env.txt"])
    assert refused.value.code == "invalid_name"
