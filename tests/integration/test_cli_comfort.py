"""The command line is pleasant: tables in a terminal, plain lines in a pipe, suggestions, completion, traces."""

from __future__ import annotations

import os
import pty
import subprocess
import sys

import pytest


def in_terminal(place, root, *arguments):
    """What somebody sees in a terminal of 80 columns."""
    leader, follower = pty.openpty()
    environment = {**os.environ, "RECOLLECT_ROOT": str(place), "RECOLLECT_FILES": str(root), "COLUMNS": "80"}
    process = subprocess.Popen([sys.executable, "-m", "recollect", *arguments], stdout=follower, env=environment)
    os.close(follower)
    seen = b""
    while True:
        try:
            piece = os.read(leader, 65536)
        except OSError:
            break
        if not piece:
            break
        seen += piece
    process.wait(30)
    os.close(leader)
    return seen.decode()


def test_a_terminal_has_tables_and_a_pipe_has_lines(run, place, root):
    run("remember", "The quick brown fox jumps over the lazy dog again and again until it is very tired indeed")
    seen = in_terminal(place, root, "list")
    assert "ID" in seen and "MEMORY" in seen and "…" in seen
    assert all(len(line) <= 90 for line in seen.replace("\x1b[1m", "").replace("\x1b[0m", "").splitlines())
    piped = run("list").out
    assert "MEMORY" not in piped and "tired indeed" in piped and "\x1b" not in piped


def test_an_id_that_is_mistyped_or_cut_short_is_suggested(run):
    memory_id = run("remember", "I like tea", "--json").json["results"][0]["memory"]["memoryId"]
    short = run("show", memory_id[:13])
    assert short.code == 1 and f"did you mean {memory_id}?" in short.err
    other = memory_id[:-1] + ("0" if memory_id[-1] != "0" else "1")
    assert run("why", other, "--json").json["error"]["hint"] == f"did you mean {memory_id}?"
    assert "did you mean" not in run("show", memory_id, "--user", "eve").err, "not to somebody who may not see it"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_can_complete(run, shell):
    assert "_RECOLLECT_COMPLETE" in run("completion", shell).out


def test_completion_offers_commands():
    environment = {
        **os.environ,
        "_RECOLLECT_COMPLETE": "bash_complete",
        "COMP_WORDS": "recollect rem",
        "COMP_CWORD": "1",
    }
    command = [sys.executable, "-c", "import sys; sys.argv[0] = 'recollect'; from recollect.cli.main import run; run()"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert "plain,remember" in done.stdout, done


def test_operations_leave_spans(memory):
    from opentelemetry import trace
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    from recollect.model.token import Identity, Rights
    from recollect.server.rpc import answer

    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    trace.set_tracer_provider(provider)
    identity = Identity(orchestrator_id="home", user="alex", rights=Rights.WRITE)
    answer(
        memory, identity, b'{"jsonrpc": "2.0", "method": "memory.search", "params": {"query": "secret tea"}, "id": 1}'
    )
    (found,) = exporter.get_finished_spans()
    assert found.name == "recollect.recall" and "secret" not in str(found.to_json())
