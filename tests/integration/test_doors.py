"""The door of the server: what it lets in, how long it waits, what it counts, and what it says to those outside."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

import recollect
from conftest import log_lines
from serving import Served

DOCS = Path(__file__).parents[2] / "docs"


def raw(server, data, seconds=5.0, *, ends=True):
    """What the server says to some bytes; `ends` closes our side after them."""
    port = int(server.url.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port), timeout=seconds) as wire:
        wire.sendall(data)
        if ends:
            wire.shutdown(socket.SHUT_WR)
        parts = []
        try:
            while part := wire.recv(65536):
                parts.append(part)
        except TimeoutError:
            return b"".join(parts)  # it has said what it will say
        return b"".join(parts)


CLIENT = {"name": "test", "version": "1"}
HEAD = b"POST /v1/remember HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"


def chunk(data):
    return b"%x\r\n%s\r\n" % (len(data), data)


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is what the page is about")
def test_the_curl_lines_of_the_page_work_as_they_are_written(served):
    page = (DOCS / "howto" / "server.md").read_text("utf-8")
    lines = [line for line in page.splitlines() if line.startswith("curl ") and "Authorization" not in line]
    assert len(lines) >= 3
    for line in lines:
        asked = shlex.split(line.replace("http://127.0.0.1:8765", served.url))
        answer = subprocess.run(asked, capture_output=True, check=True, timeout=30).stdout
        assert "error" not in json.loads(answer), line


def test_strangers_make_no_metrics(guarded):
    for number in range(10):
        assert guarded.post(f"/v1/nothing{number}").status_code == 401
        assert guarded.post(f"/rpc{number}").status_code in {401, 404}
    told = httpx.get(f"{guarded.url}/metrics", headers={"Authorization": f"Bearer {guarded.tokens['alex']}"}).text
    assert "nothing1" not in told and "rpc1" not in told and 'path="other"' in told


def test_a_body_that_never_ends_is_given_up(place, root, open_memory):
    open_memory().close()
    server = Served(place, root, RECOLLECT_SERVER__TIMEOUT_SECONDS="1")
    try:
        started = time.monotonic()
        head = HEAD + b"Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
        told = raw(server, head + chunk(b'{"content": '), 20.0, ends=False)
        assert b"504" in told.split(b"\r\n")[0] and time.monotonic() - started < 15
    finally:
        server.stop()


def test_half_a_request_is_no_request(served):
    body = b'{"content": "The half of it was never meant"}'
    raw(served, HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + chunk(body))  # and no last chunk
    assert served.post("/v1/list").json()["memories"] == []


def test_paths_answer_in_their_own_way_with_pages_and_without(served, place, root):
    without = Served(place, root, "--no-inspector")
    try:
        for server in (served, without):
            for method in ("GET", "PUT", "DELETE"):
                answer = httpx.request(method, f"{server.url}/v1/list")
                assert (answer.status_code, answer.json()["error"]["code"]) == (405, "method_not_allowed")
            asked = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
            accepts = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
            for path in ("/mcp", "/mcp/"):
                assert httpx.post(f"{server.url}{path}", json=asked, headers=accepts).status_code == 200, path
    finally:
        without.stop()


def test_refusals_are_logged_and_guessing_is_slowed_down(place, root, open_memory):
    with open_memory(clock=None) as memory:
        good = memory.create_token("alex", rights="read")[0]
    server = Served(place, root, RECOLLECT_SERVER__REQUESTS_PER_MINUTE="5")
    try:
        answers = [server.post("/v1/list", token=f"rcl_{n}") for n in range(12)]
        assert {each.status_code for each in answers} == {401, 429}
        assert next(each for each in answers if each.status_code == 429).headers["Retry-After"]
        assert server.post("/v1/list", token=good).status_code == 200
        assert server.post("/v1/list", Host="evil.example").status_code in {403, 429}
        assert server.post("/v1/list", Origin="https://evil.example").status_code in {403, 429}
        whys = {line.get("why") for line in log_lines(root) if line["event"] == "memory.token.refused"}
        assert {"host", "origin"} <= whys
    finally:
        server.stop()


def test_a_token_of_one_chat_does_not_read_another(place, root, open_memory):
    with open_memory(clock=None) as memory:
        here = memory.create_token("alex", chat="c1", rights="write")[0]
        session = memory.session_of("chat", user="alex", chat="c2").session_id
        memory.persist_turn(session, "The walrus of chat two", "Noted.")
    server = Served(place, root)
    try:
        for path, body in (
            ("sessions", {}),
            ("conversations", {}),
            ("recall", {"query": "chat two", "includeMessages": True}),
            ("messages", {"sessionId": session}),
            ("turns", {"conversationId": session}),
            ("journal", {"conversationId": session, "message": "hi"}),
        ):
            told = server.post(f"/v1/{path}", body, here).text
            assert "walrus" not in told and (session not in told or "no session" in told), path
    finally:
        server.stop()


def test_what_is_said_of_a_chat_is_the_chats(place, root, open_memory):
    with open_memory(clock=None) as memory:
        token = memory.create_token("alex", chat="c1", rights="write")[0]
    server = Served(place, root)
    try:
        stored = server.rpc("memory.add", token, content="We meet on Mondays", chat_id="c1")["result"]["memory"]
        assert (stored["scope"], stored["chatId"], stored["ownerUserId"]) == ("group", "c1", None)
        own = server.rpc("memory.add", token, content="I dislike Mondays", chat_id="c1", user_id="alex")
        assert own["result"]["memory"]["scope"] == "personal"
    finally:
        server.stop()


def test_json_rpc_tells_wrong_parameters_from_refusals(served):
    for method, given in (
        ("memory.list", {"types": ["Nope"]}),
        ("memory.add", {"content": " "}),
        ("memory.search", {"query": "x", "known_at": "yesterday or so"}),
        ("memory.search", {"query": "\ud800"}),
    ):
        asked = {"jsonrpc": "2.0", "method": method, "params": given, "id": 7}
        error = served.post("/rpc", json.dumps(asked).encode()).json()["error"]
        assert error["code"] == -32602 and error["message"].strip(": "), (method, error)


def test_ctrl_c_ends_mcp_at_once(root):
    environment = {**os.environ, "RECOLLECT_ROOT": str(root), "RECOLLECT_USER": "alex"}
    for how, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
        process = subprocess.Popen(
            [sys.executable, "-m", "recollect", "mcp"], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        hello = {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "initialize",
            "params": {
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "t", "version": "1"},
            },
        }
        process.stdin.write(json.dumps(hello).encode() + b"\n")
        process.stdin.flush()
        assert re.search(rb"serverInfo", process.stdout.readline())
        process.send_signal(how)
        assert process.wait(10) == code
        process.stdin.close()
        process.stdout.close()


def test_the_reference_tools_see_what_was_imported(root, run, tmp_path):
    import asyncio

    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client

    graph = [
        {"type": "entity", "name": "Anna", "entityType": "person", "observations": ["plays chess"]},
        {"type": "entity", "name": "Acme", "entityType": "company", "observations": []},
        {"type": "relation", "from": "Anna", "to": "Acme", "relationType": "works_at"},
    ]
    file = tmp_path / "memory.jsonl"
    file.write_text("\n".join(map(json.dumps, graph)))
    assert run("import", str(file), "--json").json["memories"] == 4
    environment = {**os.environ, "RECOLLECT_ROOT": str(root)}
    server = StdioServerParameters(
        command=sys.executable, args=["-m", "recollect", "mcp", "--tools", "reference"], env=environment
    )

    async def used():
        async with stdio_client(server) as (reads, writes), ClientSession(reads, writes) as client:
            await client.initialize()
            read = await client.call_tool("read_graph", {})
            opened = await client.call_tool("open_nodes", {"names": ["Anna"]})
            lost = await client.call_tool(
                "create_relations", {"relations": [{"from": "Anna", "to": "Nobody", "relationType": "knows"}]}
            )
            gone = await client.call_tool("delete_entities", {"entityNames": ["Acme"]})
            return [
                json.loads(each.content[0].text) if not each.is_error else None for each in (read, opened, lost, gone)
            ]

    read, opened, lost, gone = asyncio.run(used())
    assert {each["name"] for each in read["entities"]} == {"Anna", "Acme"}
    assert read["relations"] == [{"from": "Anna", "to": "Acme", "relationType": "works_at"}]
    assert opened["entities"][0]["observations"] == ["plays chess"] and len(opened["relations"]) == 1
    assert lost is None and gone["success"] is True


def test_a_restore_asks_also_when_a_program_reads(run, tmp_path):
    run("remember", "This is the first state")
    run("backup", str(tmp_path / "one.db"))
    declined = run("restore", str(tmp_path / "one.db"), "--json", stdin="n\n")
    assert (declined.code, declined.json["error"]["code"]) == (1, "declined")
    folder = run("restore", str(tmp_path), "--yes", "--json")
    assert (folder.code, folder.json["error"]["code"]) == (1, "memory_db_corrupt")


def test_standard_output_is_a_dash_and_names_are_suggested(run, tmp_path, root):
    run("remember", "My wife Sarah likes Italian food")
    assert run("export", "-").out.startswith('{"format": "recollect-export"')
    assert not (Path.cwd() / "-").exists()
    assert "did you mean Sarah" in run("people", "show", "Sarh").err
    assert run("people", "list", "--json").json["people"][0]["name"] == "Sarah"
    run("token", "create", "--for-user", "alex", "--for-chat", "team")
    assert "team" in run("token", "list").out
    note = tmp_path / "note.md"
    note.write_text("# Garden\n\nThe birches need water.\n")
    run("ingest", str(note))
    with recollect.open(root, orchestrator="default") as memory:
        assert [each.name for each in memory.ingested(user="local")] == ["note.md"]
