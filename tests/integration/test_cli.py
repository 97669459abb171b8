"""The command line as a user meets it: real processes, real files."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest


def remember(run, *arguments, **environment):
    done = run("remember", "--json", *arguments, **environment)
    assert done.code == 0, done.err
    return done.json["results"][0]["memory"]


def test_a_memory_survives_the_process(run):
    stored = remember(run, "I'm allergic to peanuts", "--type", "Identity", "--importance", "95")
    listed = run("list", "--json").json
    assert listed == {"memories": [stored], "damaged": []}
    assert (stored["type"], stored["importance"], stored["ownerUserId"]) == ("Identity", 95, "local")
    assert "allergic to peanuts" in run("list").out
    assert stored["memoryId"] in run("search", "peanuts").out


def test_several_texts_and_standard_input(run):
    done = run("remember", "one", "two", "-", "--json", stdin="three\nlines\n")
    assert [result["memory"]["content"] for result in done.json["results"]] == ["one", "two", "three\nlines"]


def test_global_options_stand_before_or_after_and_beat_the_environment(run):
    remember(run, "before", RECOLLECT_USER="env")
    run("--user", "first", "remember", "x", RECOLLECT_USER="env")
    assert len(run("list", "--user", "first", "--json").json["memories"]) == 1
    assert len(run("--user", "first", "list", "--json", RECOLLECT_USER="env").json["memories"]) == 1
    assert len(run("--user", "first", "list", "--user", "env", "--json").json["memories"]) == 1
    assert run("--json", "--orchestrator", "other", "list", "--user", "env").json["memories"] == []


def test_scopes(run):
    remember(run, "ours", "--chat", "team", "--scope", "group", "--user", "alex")
    remember(run, "everybody's", "--scope", "shared", "--user", "alex")
    remember(run, "mine", "--user", "alex")
    texts = lambda *who: sorted(m["content"] for m in run("list", "--json", *who).json["memories"])  # noqa: E731
    assert texts("--user", "bob", "--chat", "team") == ["everybody's", "ours"]
    assert texts("--chat", "team") == ["everybody's", "ours"]
    assert texts("--user", "alex") == ["everybody's", "mine"]


def test_the_life_of_a_fact(run):
    old = remember(run, "Our standup is at 9")["memoryId"]
    receipt = run("supersede", old, "--with", "Our standup is at 10", "--reason", "moved", "--json").json["results"][0]
    assert receipt["superseded"][0]["memoryId"] == old
    new = receipt["memory"]["memoryId"]
    shown = run("show", old, "--json").json
    assert shown["memory"]["status"] == "superseded"
    assert shown["edges"][0]["edgeType"] == "Updates"
    events = run("history", old, "--json").json["events"]
    assert [event["kind"] for event in events] == ["memory.created", "edge.created", "memory.status_changed"]
    assert "moved" in run("history", old).out
    other = remember(run, "Nobody came to the retro")["memoryId"]
    edge = run("link", other, new, "--type", "Contradicts", "--weight", "0.5", "--json").json["edge"]
    assert (edge["fromMemoryId"], edge["edgeType"], edge["weight"]) == (other, "Contradicts", 0.5)
    assert (
        run("edit", other, "--content", "Few came to the retro", "--json").json["memory"]["content"]
        == "Few came to the retro"
    )
    assert run("retract", other, "--json").json["memory"]["status"] == "retracted"
    assert run("stats", "--json").json["byStatus"] == {"active": 1, "superseded": 1, "retracted": 1, "archived": 0}
    assert len(run("list", "--all", "--json").json["memories"]) == 3
    assert "superseded" in run("list", "--all").out


REFUSALS = [
    (("remember", "x", "--importance", "101"), "invalid_importance"),
    (("remember", "x", "--importance", "-1"), "invalid_importance"),
    (("remember", "x", "--importance", "True"), "invalid_importance"),
    (("remember", "x", "--importance", "50.5"), "invalid_importance"),
    (("remember", "x", "--importance", "1_0"), "invalid_importance"),
    (("remember", "x", "--confidence", "9" * 400), "invalid_confidence"),
    (("list", "--root", "~nosuchuser/x"), "invalid_root"),
    (("list", "--root", ""), "invalid_root"),
    (("list", "--root", "/tmp/" + "x" * 300), "storage_unavailable"),
    (("remember", "x", "--confidence", "nan"), "invalid_confidence"),
    (("remember", "x", "--confidence", "inf"), "invalid_confidence"),
    (("remember", "x", "--type", "Rumour"), "invalid_memory_type"),
    (("remember", "   "), "invalid_content"),
    (("remember", "x", "--scope", "group"), "invalid_scope"),
    (("remember", "x", "--scope", "world"), "invalid_scope"),
    (("remember", "x", "--expires", "soon"), "invalid_expiry"),
    (("remember", "x", "--observed-at", "soon"), "invalid_time"),
    (("remember", "x", "--source-type", "workflow_output"), "incomplete_source"),
    (("remember", "x", "--source-path", "notes.md"), "invalid_source_path"),
    (("remember", "x", "--source-path", "/etc/../etc/passwd"), "invalid_source_path"),
    (("remember", "x", "--source-path", "/etc/hostname"), "source_path_denied"),
    (("remember", "x", "--user", ""), "invalid_id"),
    (("list", "--orchestrator", "../x"), "invalid_orchestrator_id"),
    (("list", "--limit", "0"), "invalid_limit"),
    (("list", "--type", "fact"), "invalid_memory_type"),
    (("list", "--status", "gone"), "invalid_status"),
    (("show", "abc"), "invalid_id"),
    (("show", "01a1e211-3468-7353-a549-4498191f34f2"), "memory_not_found"),
    (("history", "01a1e211-3468-7353-a549-4498191f34f2"), "memory_not_found"),
    (("supersede", "01a1e211-3468-7353-a549-4498191f34f2"), "invalid_input"),
    (("edit", "01a1e211-3468-7353-a549-4498191f34f2"), "invalid_input"),
    (("link", "x", "y"), "invalid_id"),
    (("remember",), "usage"),
    (("frobnicate",), "usage"),
    (("list", "--frobnicate"), "usage"),
]


@pytest.mark.parametrize(
    ("arguments", "code"), REFUSALS, ids=lambda value: " ".join(value) if isinstance(value, tuple) else value
)
def test_a_refusal_is_one_line_a_code_and_exit_1(run, arguments, code):
    done = run(*arguments, "--json")
    assert done.code == 1
    error = done.json["error"]
    assert error["code"] == code
    assert error["message"]
    assert "hint" in error
    assert done.err.count("\n") == 1
    assert f"[{code}]" in done.err
    assert "Traceback" not in done.err


def test_invalid_bytes_in_an_argument_are_refused(root):
    command = [sys.executable.encode(), b"-m", b"recollect", b"--root", os.fsencode(root), b"remember", b"\xff\xfe"]
    done = subprocess.run(command, capture_output=True, check=False)
    assert done.returncode == 1
    assert b"invalid_content" in done.stderr
    assert b"Traceback" not in done.stderr


def test_one_refused_among_several_exits_1_and_stores_the_others(run):
    done = run("remember", "good", "  ", "--json")
    assert done.code == 1
    assert [result["outcome"] for result in done.json["results"]] == ["stored", "refused"]
    assert len(run("list", "--json").json["memories"]) == 1


def test_no_arguments_shows_the_help(run):
    done = run()
    assert (done.code, done.err) == (0, "")
    assert "Commands:" in done.out


def test_a_closed_or_wrong_standard_input_is_refused(run):
    assert "invalid_content" in run("remember", "-", "--json", stdin=b"\xff\xfe").out


def test_a_full_disk_behind_standard_output_is_no_traceback(root, run):
    remember(run, "x")
    line = f"{sys.executable} -m recollect --root {root} list > /dev/full"
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr


def test_expiry_can_be_edited(run):
    one = remember(run, "x")["memoryId"]
    assert run("edit", one, "--expires", "14d", "--json").json["memory"]["expiresAt"]


def test_broken_configuration_is_refused_by_name(run):
    done = run("list", "--json", RECOLLECT_MEMORY__SCOPE__CROSS_ORCHESTRATOR="true")
    assert done.code == 1
    assert done.json["error"]["key"] == "memory.scope.cross_orchestrator"
    assert run("list", "--json", RECOLLECT_MEMORY__TYPO="1").json["error"]["code"] == "unknown_setting"


@pytest.mark.only_on("sqlite")
def test_a_corrupt_database_is_named_and_others_go_on(run, root):
    remember(run, "fine", "--orchestrator", "good")
    remember(run, "doomed", "--orchestrator", "bad")
    path = root / "bad" / "memory" / "memory.db"
    path.write_bytes(b"this is no database" * 500)
    error = run("list", "--orchestrator", "bad", "--json").json["error"]
    assert (error["code"], error["path"]) == ("memory_db_corrupt", str(path))
    assert len(run("list", "--orchestrator", "good", "--json").json["memories"]) == 1


def test_an_unwritable_root_is_refused(run, tmp_path):
    file = tmp_path / "file"
    file.write_text("x")
    error = run("list", "--root", str(file), "--json").json["error"]
    assert error["code"] == "storage_unavailable"


def test_nothing_remembered_says_what_to_do(run):
    assert "recollect remember" in run("list").out


def test_help_names_every_command_and_every_command_has_help(run):
    top = run("--help").out
    for name in (
        "remember",
        "list",
        "show",
        "history",
        "edit",
        "link",
        "supersede",
        "retract",
        "stats",
        "search",
        "demo",
    ):
        assert name in top
        assert "Usage:" in run(name, "--help").out
    assert run("--version").out.startswith("recollect ")


def test_the_demo_tells_the_story(run):
    done = run("demo")
    assert done.code == 0
    assert "Our standup is at 10:00" in done.out
    assert "0 memories" in done.out


def test_a_reader_that_stops_early_is_no_error(root, run):
    remember(run, *[f"fact {n} " + "x" * 1000 for n in range(200)])
    line = f"{sys.executable} -m recollect --root {root} list --json -n 200 | head -c 100"
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False)
    assert done.stderr == ""


def wait_until_it_waits(pid):
    """Until a process has started and waits for its input: until it is inside read(0, …)."""
    while Path(f"/proc/{pid}/syscall").read_text().split()[:2] != ["0", "0x0"]:
        time.sleep(0.05)
    time.sleep(0.1)


def test_ctrl_c_ends_with_one_line(root):
    # Whoever runs the tests in the background may have told them to ignore Ctrl-C, which is inherited.
    listening = ["env", "--default-signal=INT", sys.executable]
    command = [*listening, "-m", "recollect", "--root", str(root), "remember", "-"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, stdout=subprocess.PIPE)
    wait_until_it_waits(process.pid)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=10)
    assert process.returncode == 130
    assert err.decode().strip() == "recollect: interrupted [interrupted]"


INTERRUPTED_WHILE_IT_LOADS = """
import sys, recollect.cli

class Interrupted:
    def find_spec(self, name, *_):
        if name == "recollect.cli.main":
            raise KeyboardInterrupt

sys.meta_path.insert(0, Interrupted())
recollect.cli.main()
"""


@pytest.mark.only_on("sqlite")
def test_ctrl_c_while_it_loads_ends_with_one_line():
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED_WHILE_IT_LOADS], check=False, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (130, "recollect: interrupted [interrupted]\n")


def test_json_is_the_whole_of_stdout(run):
    remember(run, "x")
    for command in (("list",), ("stats",), ("search", "x")):
        json.loads(run(*command, "--json").out)


def test_search_explains_itself(run):
    remember(run, "My wife's name is Sarah")
    remember(run, "I drive an old Volvo")
    done = run("search", "who is Sarah?", "--explain", RECOLLECT_EMBEDDING__PROVIDER="wordllama")
    assert done.code == 0, done.err
    assert "mode text-only" in done.out or "mode hybrid" in done.out
    assert "1. My wife's name is Sarah" in done.out
    assert "text" in done.out
    assert "left out" in done.out
    answer = run("search", "who is Sarah?", "--json").json
    assert list(answer) == ["query", "mode", "note", "hits", "edges", "omitted"]
    assert answer["hits"][0]["kind"] == "memory"
    assert "Nothing is known" in run("search", "quarterly revenue").out


def test_context_upkeep_and_reindex(run):
    remember(run, "My wife's name is Sarah")
    context = run("context", "Tell me about Sarah", "--max-tokens", "50", "--json").json
    assert context["knowledge"][0]["content"] == "My wife's name is Sarah"
    assert 0 < context["tokenCount"] <= 50
    assert "tokens" in run("context", "Sarah").out
    assert run("upkeep", "--json").json == {"vectorsMade": 0}
    assert run("reindex", "--json").json["error"]["code"] == "embedding_failed"
    made = run("reindex", "--json", RECOLLECT_EMBEDDING__PROVIDER="wordllama").json
    assert made == {"vectorsMade": 1, "model": "wordllama-256"}
    assert "recall uses wordllama-256" in run("reindex", RECOLLECT_EMBEDDING__PROVIDER="wordllama").out
