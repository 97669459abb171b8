"""Every way in from outside: HTTP, JSON-RPC, the Unix socket and MCP, each with an identity."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import stat
import struct
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import recollect
from recollect import InvalidInput, NotFound, ScopeDenied
from serving import Served

# Tokens


def test_a_token_says_who_calls_until_it_ends(memory, clock, logged):
    text, token = memory.create_token("alex", chat="team", rights="write", expires="30d", label="laptop")
    found = memory.admitted(text)
    assert (found.user, found.chat, found.rights, found.orchestrator_id) == ("alex", "team", "write", "home")
    assert text not in json.dumps([str(each) for each in memory.tokens()])
    forged = [
        text[:-1] + ("A" if text[-1] != "A" else "B"),
        "",
        "rcl_x",
        text.upper(),
        f"{text} ",
        "rcl_" + "0" * 32 + "_" + "A" * 43,
    ]
    for bad in forged:
        with pytest.raises(ScopeDenied) as refused:
            memory.admitted(bad)
        assert refused.value.code == "invalid_token"
    clock.advance(days=31)
    with pytest.raises(ScopeDenied):
        memory.admitted(text)
    again, other = memory.create_token("alex")
    memory.revoke_token(other.token_id)
    with pytest.raises(ScopeDenied):
        memory.admitted(again)
    whys = [line["why"] for line in logged("home") if line["event"] == "memory.token.refused"]
    assert whys == ["unknown"] * len(forged) + ["expired", "revoked"]
    with pytest.raises(NotFound):
        memory.revoke_token("01a1e56f-4722-7743-bd76-8518463b4b8d")
    for wrong in ({"user": ""}, {"user": "a", "rights": "god"}, {"user": "a", "expires": "yesterday"}):
        with pytest.raises(InvalidInput):
            memory.create_token(**wrong)
    assert token.label == "laptop"


def test_what_a_token_is_is_not_in_the_store(memory, root):
    text, _ = memory.create_token("alex")
    assert memory.verify_erased(text.split("_", 2)[2]).clean


# HTTP


def test_memory_over_http(served):
    stored = served.post("/v1/remember", {"content": "My wife Sarah likes Italian food"}).json()
    assert stored["outcome"] == "stored" and stored["people"]
    memory_id = stored["memory"]["memoryId"]
    assert (
        served.post("/v1/recall", {"query": "What does my wife like?"}).json()["hits"][0]["memory"]["memoryId"]
        == memory_id
    )
    assert served.post("/v1/about-person", {"person": "my wife"}).json()["person"]["name"] == "Sarah"
    for path, body in (
        ("list", {"limit": 5}),
        ("show", {"memoryId": memory_id}),
        ("history", {"memory_id": memory_id}),
        ("edges", {"memoryId": memory_id}),
        ("context", {"message": "food?"}),
        ("bulletin", {"message": "food?"}),
        ("people", {}),
        ("sessions", {}),
        ("stats", {}),
        ("gc", {}),
        ("journal", {"conversationId": "c", "message": "hi", "view": "final_answer"}),
        ("ingest", {}),
    ):
        answer = served.post(f"/v1/{path}", body)
        assert answer.status_code == 200, (path, answer.text)
    said = served.post("/v1/add-message", {"role": "user", "content": "hello there"}).json()["message"]
    assert (
        served.post("/v1/messages", {"sessionId": said["sessionId"]}).json()["messages"][0]["content"] == "hello there"
    )
    assert served.post("/v1/forget", {"memoryId": memory_id}).json()["memories"] == 1
    assert served.post("/v1/show", {"memoryId": memory_id}).status_code == 404
    assert httpx.get(f"{served.url}/ready").json() == {"status": "ready"}
    assert 'recollect_requests_total{path="/v1/recall",status="200"}' in httpx.get(f"{served.url}/metrics").text
    assert "/v1/remember" in httpx.get(f"{served.url}/openapi.json").json()["paths"]


@pytest.mark.parametrize(
    ("path", "body", "status", "code"),
    [
        ("/v1/remember", b"{", 400, "invalid_input"),
        ("/v1/remember", {}, 400, "invalid_input"),
        ("/v1/remember", {"content": "x", "colour": 1}, 400, "invalid_input"),
        ("/v1/remember", {"content": "x y", "type": "Song"}, 400, "invalid_memory_type"),
        ("/v1/remember", {"content": " "}, 400, "invalid_content"),
        ("/v1/remember", {"content": "x y", "userId": "eve"}, 403, "identity_mismatch"),
        ("/v1/show", {"memoryId": "01a1e56f-4722-7743-bd76-8518463b4b8d"}, 404, "memory_not_found"),
        ("/v1/show", {"memoryId": "short"}, 400, "invalid_input"),
        ("/v1/nothing", {}, 404, "not_found"),
        ("/v1/turn", {"conversationId": "c", "turnId": "t"}, 404, "turn_not_found"),
        ("/v1/remember", {"content": "x" * 2_000_000}, 413, "request_too_large"),
    ],
)
def test_what_is_wrong_is_told_with_a_code(served, path, body, status, code):
    answer = served.post(path, body)
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code), answer.text
    assert "Traceback" not in answer.text


def test_a_page_in_a_browser_gets_nowhere(served):
    assert served.post("/v1/stats", {}, Host="evil.example").status_code == 403
    assert served.post("/v1/stats", {}, Origin="http://evil.example").status_code == 403
    assert served.post("/v1/stats", {}, Origin=served.url).status_code == 200


def test_a_chunked_request_has_a_bound_too(served):
    def pieces():
        for _ in range(40):
            yield b"x" * 50_000

    answer = httpx.post(f"{served.url}/v1/remember", content=pieces(), headers={"Content-Type": "application/json"})
    assert answer.status_code == 413


# Identity


def test_nobody_gets_in_without_a_valid_token(guarded, logged):
    for token in (None, "rcl_forged", guarded.tokens["revoked"], guarded.tokens["other"]):
        for path in ("/v1/list", "/rpc", "/mcp/", "/metrics"):
            answer = guarded.post(path, {}, token)
            assert answer.status_code == 401, (token, path)
            assert answer.headers["WWW-Authenticate"] == "Bearer"
    assert httpx.get(f"{guarded.url}/health").status_code == 200
    assert sum(line["event"] == "memory.token.refused" for line in logged("home")) == 16


def test_rights_hold_everywhere(guarded):
    reader, alex = guarded.tokens["reader"], guarded.tokens["alex"]
    assert guarded.post("/v1/remember", {"content": "I like tea"}, reader).status_code == 403
    stored = guarded.post("/v1/remember", {"content": "I like tea"}, alex).json()["memory"]["memoryId"]
    assert guarded.post("/v1/forget", {"memoryId": stored}, reader).json()["error"]["code"] == "forbidden"
    assert guarded.post("/v1/gc", {}, alex).status_code == 403
    assert guarded.rpc("memory.delete", reader, memory_id=stored)["error"]["data"]["code"] == "forbidden"
    assert guarded.post("/v1/recall", {"query": "tea"}, reader).json()["hits"]


def test_a_users_token_reads_nothing_of_another_through_any_operation(guarded, open_memory):
    alex, eve = guarded.tokens["alex"], guarded.tokens["eve"]
    secret = "The treasure lies under the quince tree"
    stored = guarded.post("/v1/remember", {"content": secret}, alex).json()["memory"]["memoryId"]
    said = guarded.post("/v1/add-message", {"role": "user", "content": secret}, alex).json()["message"]
    from recollect.server.operations import OPERATIONS

    bodies = {
        "memory_id": stored,
        "session_id": said["sessionId"],
        "query": "treasure quince",
        "message": "treasure quince",
        "person": "alex",
        "conversation_id": "c",
        "turn_id": "t",
        "content": "nothing at all",
        "role": "user",
        "from_memory_id": stored,
        "to_memory_id": stored,
        "around": stored,
        "name": "notes.md",
        "into": "somebody",
        "content_base64": "bm90aGluZw==",
    }
    for operation in OPERATIONS:
        needed = {name: bodies[name] for name in operation.parameters.model_fields if name in bodies}
        if operation.name == "remember":
            needed.pop("memory_id", None)
        answer = guarded.post(f"/v1/{operation.name}", needed, eve)
        assert "quince tree" not in answer.text, operation.name
        answer = guarded.post(f"/v1/{operation.name}", {**needed, "user_id": "alex"}, eve)
        assert answer.status_code == 403, operation.name
        assert "quince tree" not in json.dumps(guarded.rpc(operation.method, eve, **needed))
    assert guarded.post("/v1/show", {"memoryId": stored}, alex).json()["memory"]["content"] == secret


def test_it_listens_beyond_this_machine_only_with_tokens(run, memory):
    refused = run("serve", "--orchestrator", "home", "--host", "0.0.0.0", "--port", "0", "--json")
    assert refused.code == 1 and refused.json["error"]["code"] == "tokens_needed"


def test_who_asks_too_often_is_told_to_wait(place, root, open_memory):
    open_memory().close()
    server = Served(place, root, RECOLLECT_SERVER__REQUESTS_PER_MINUTE="5")
    try:
        codes = [server.post("/v1/stats").status_code for _ in range(8)]
        assert codes.count(200) == 5 and codes.count(429) == 3
    finally:
        server.stop()


def test_who_resets_the_connection_is_nobody_special(guarded, open_memory):
    body = b'{"content": "The sky is green today", "scope": "shared"}'
    port = int(guarded.url.rpartition(":")[2])
    head = (
        b"POST /v1/remember HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
        % len(body)
    )
    for _ in range(20):
        line = socket.create_connection(("127.0.0.1", port))
        line.sendall(head + body)
        line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        line.close()
    time.sleep(0.5)
    assert guarded.post("/v1/stats", {}, guarded.tokens["reader"]).json()["memories"] == 0


def test_the_first_token_closes_the_door_and_revoking_it_does_not_open_it(served, open_memory):
    assert served.post("/v1/stats").status_code == 200
    with open_memory(clock=None) as memory:
        _, token = memory.create_token("alex")
        assert served.post("/v1/stats").status_code == 401
        memory.revoke_token(token.token_id)
        assert served.post("/v1/stats").status_code == 401


def test_a_page_of_another_port_writes_nothing(served):
    call = {"jsonrpc": "2.0", "method": "memory.add", "params": {"content": "I like spam"}, "id": 1}
    assert served.post("/rpc", call, Origin="http://localhost:3000").status_code == 403
    plain = httpx.post(f"{served.url}/rpc", content=json.dumps(call), headers={"Content-Type": "text/plain"})
    assert plain.status_code == 400 and served.post("/v1/stats").json()["memories"] == 0


def test_two_lengths_and_half_characters_are_refused(served):
    body = b'{"query": "x"}'
    answer = served.post("/rpc", body, **{"Transfer-Encoding": "chunked", "Content-Length": "5"})
    assert answer.status_code == 400
    half = served.post("/v1/remember", b'{"content": "hello there", "subjects": ["\\ud800"]}')
    assert half.status_code == 400 and half.json()["error"]["code"] == "invalid_input"


def test_a_batch_counts_as_many_requests(place, root, open_memory):
    open_memory().close()
    server = Served(place, root, RECOLLECT_SERVER__REQUESTS_PER_MINUTE="5")
    try:
        batch = [
            {"jsonrpc": "2.0", "method": "memory.add", "params": {"content": f"Number {n} of it"}, "id": n}
            for n in range(20)
        ]
        answers = server.post("/rpc", batch).json()
        assert sum("result" in each for each in answers) == 5
    finally:
        server.stop()


def test_a_slow_request_ends(place, root, open_memory):
    open_memory().close()
    server = Served(place, root, RECOLLECT_SERVER__TIMEOUT_SECONDS="1.0")
    try:
        with socket.create_connection(("127.0.0.1", int(server.url.rpartition(":")[2]))) as line:
            line.sendall(
                b"POST /v1/stats HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{"  # noqa: E501
            )
            line.settimeout(10)
            assert b" 504 " in line.recv(4096)
    finally:
        server.stop()


def test_a_file_is_no_place_for_a_socket_and_an_end_tidies_up(place, root, open_memory, tmp_path, run):
    open_memory().close()
    (tmp_path / "notes.txt").write_text("precious")
    refused = run("serve", "--port", "0", "--socket", str(tmp_path / "notes.txt"), "--json")
    assert refused.json["error"]["code"] == "cannot_listen" and (tmp_path / "notes.txt").read_text() == "precious"
    server = Served(place, root)
    code, _ = server.stop(signal.SIGTERM)
    assert code == 0 and not Path(server.socket).exists()


def test_a_session_without_an_owner_is_not_everybodys(guarded, open_memory):
    with open_memory(clock=None) as memory:
        session = memory.create_session(["database"], "chat").session
    answer = guarded.post("/v1/messages", {"sessionId": session.session_id}, guarded.tokens["alex"])
    assert answer.status_code == 404


# JSON-RPC


def test_the_four_methods_with_all_their_parameters(served, place, root):
    added = served.rpc(
        "memory.add", content="Sarah likes tulips", source="chat-1", expires_days=10, subjects=["Sarah"], user_id="alex"
    )
    memory = added["result"]["memory"]
    assert memory["source"]["conversationId"] == "chat-1" and added["result"]["people"][0]["name"] == "Sarah"
    days = (_time(memory["expiresAt"]) - _time(memory["createdAt"])) / 86400
    assert abs(days - 10) < 0.01
    assert (
        served.rpc("memory.search", query="tulips", limit=1, user_id="alex")["result"]["hits"][0]["memory"]["memoryId"]
        == memory["memoryId"]
    )
    assert len(served.rpc("memory.list", limit=5, include_expired=True)["result"]["memories"]) == 1
    assert served.rpc("memory.delete", memory_id=memory["memoryId"])["result"]["memories"] == 1
    assert served.rpc("memory.list")["result"]["memories"] == []


def _time(text):
    from datetime import datetime

    return datetime.fromisoformat(text).timestamp()


def test_batches_notifications_and_errors(served):
    def raw(data):
        return served.post("/rpc", data)

    assert raw(b"{").json()["error"]["code"] == -32700
    assert raw([]).json()["error"]["code"] == -32600
    assert raw({"method": "memory.stats"}).json()["error"]["code"] == -32600
    assert served.rpc("memory.nothing")["error"]["code"] == -32601
    assert served.rpc("memory.search")["error"]["code"] == -32602
    assert (
        served.rpc("memory.show", memory_id="01a1e56f-4722-7743-bd76-8518463b4b8d")["error"]["data"]["code"]
        == "memory_not_found"
    )
    note = {"jsonrpc": "2.0", "method": "memory.add", "params": {"content": "I like plums"}}
    quiet = raw(note)
    assert quiet.status_code == 204 and quiet.content == b""
    batch = raw([note, {"jsonrpc": "2.0", "method": "memory.stats", "id": "a"}, 7]).json()
    assert [each.get("id") for each in batch] == ["a", None] and batch[0]["result"]["memories"] == 1


def test_a_script_talks_to_the_socket(served):
    assert stat.S_IMODE(Path(served.socket).stat().st_mode) == 0o600
    body = json.dumps(
        {"jsonrpc": "2.0", "method": "memory.add", "params": {"content": "I like pears"}, "id": 1}
    ).encode()
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(served.socket)
        head = f"POST /rpc HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"  # noqa: E501
        line.sendall(head.encode() + body)
        answer = b""
        while piece := line.recv(65536):
            answer += piece
    assert b'"outcome": "stored"' in answer


@pytest.fixture(scope="module")
def answering(tmp_path_factory):
    from recollect.model.token import Identity, Rights
    from recollect.server.rpc import answer

    with recollect.open(
        tmp_path_factory.mktemp("rpc"), orchestrator="home", settings={"embedding": {"provider": "none"}}
    ) as memory:
        identity = Identity(orchestrator_id="home", user="alex", rights=Rights.WRITE)
        yield lambda body: answer(memory, identity, body)


_PLAIN = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)
_VALUES = st.recursive(
    _PLAIN,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
_METHODS = [
    "memory.add",
    "memory.search",
    "memory.list",
    "memory.show",
    "memory.context",
    "memory.bulletin",
    "memory.feedback",
    "memory.add_message",
]
_NAMES = st.sampled_from(
    ["content", "query", "limit", "memory_id", "message", "types", "subjects", "role", "user_id", "known_at", "x"]
)
_CALLS = st.fixed_dictionaries(
    {
        "jsonrpc": st.just("2.0"),
        "method": st.sampled_from(_METHODS) | st.text(),
        "params": st.dictionaries(_NAMES, _VALUES, max_size=4) | _VALUES,
        "id": st.integers() | _VALUES,
    }
)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(_CALLS, max_size=3) | _CALLS | _VALUES)
def test_whatever_is_asked_is_answered_by_the_rules(answering, request_):
    told = answering(json.dumps(request_).encode())
    for each in [] if told is None else (parsed if isinstance(parsed := json.loads(told), list) else [parsed]):
        assert each["jsonrpc"] == "2.0" and ("result" in each) != ("error" in each)
        assert "error" not in each or each["error"]["code"] in {-32700, -32600, -32601, -32602, -32000, -32001}, each


# The schema


@pytest.mark.only_on("sqlite")
def test_the_server_keeps_to_its_own_schema(served):
    checks = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"
    told = ["--checks", checks, "--phases", "fuzzing", "--max-examples", "12", "--seed", "1"]
    command = [sys.executable, "-m", "schemathesis.cli", "run", f"{served.url}/openapi.json", *told]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=280)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]


# MCP


def test_a_real_client_uses_every_tool_over_stdio(place, root, open_memory):
    open_memory().close()
    environment = {
        **os.environ,
        "RECOLLECT_ROOT": str(place),
        "RECOLLECT_FILES": str(root),
        "RECOLLECT_USER": "alex",
        "RECOLLECT_ORCHESTRATOR": "home",
    }
    asyncio.run(_with_client(lambda: _stdio(environment), _every_tool))
    asyncio.run(_with_client(lambda: _stdio(environment, "--tools", "reference"), _reference_tools))


def test_a_store_that_cannot_be_opened_is_told_to_the_client_in_words(root):
    root.mkdir()
    blocked = root / "blocked"
    blocked.write_text("a file where a folder should be")
    environment = {**os.environ, "RECOLLECT_ROOT": str(blocked / "memory"), "RECOLLECT_USER": "alex"}

    async def refused(client):
        assert (await client.list_tools()).tools
        told = await client.call_tool("recall", {"query": "tea"})
        assert told.is_error
        assert "[" in told.content[0].text and "Traceback" not in told.content[0].text
        blocked.unlink()  # once the cause is gone it works, without another start
        assert not (await client.call_tool("recall", {"query": "tea"})).is_error

    asyncio.run(_with_client(lambda: _stdio(environment), refused))


def test_a_real_client_uses_every_tool_over_http(served):
    from mcp.client.streamable_http import streamable_http_client

    asyncio.run(_with_client(lambda: streamable_http_client(f"{served.url}/mcp/"), _every_tool))


def _stdio(environment, *arguments):
    from mcp.client.stdio import StdioServerParameters, stdio_client

    return stdio_client(
        StdioServerParameters(command=sys.executable, args=["-m", "recollect", "mcp", *arguments], env=environment)
    )


async def _with_client(transport, work):
    from mcp import ClientSession

    async with transport() as streams, ClientSession(streams[0], streams[1]) as client:
        await client.initialize()
        await work(client)


def _data(result):
    assert not result.is_error, result
    return result.structured_content or json.loads(result.content[0].text)


async def _every_tool(client):
    tools = {each.name: each for each in (await client.list_tools()).tools}
    assert set(tools) == {"remember", "recall", "forget", "context", "list", "about_person", "history", "feedback"}
    assert tools["forget"].annotations.destructive_hint and tools["recall"].annotations.read_only_hint
    stored = _data(await client.call_tool("remember", {"content": "My wife Sarah likes Italian food"}))
    memory_id = stored["memory"]["memoryId"]
    found = _data(await client.call_tool("recall", {"query": "What does my wife like?"}))
    assert found["hits"][0]["memory"]["memoryId"] == memory_id
    assert _data(await client.call_tool("about_person", {"person": "my wife"}))["person"]["name"] == "Sarah"
    assert _data(await client.call_tool("list", {}))["memories"]
    assert _data(await client.call_tool("history", {"memory_id": memory_id}))["events"]
    assert "knowledge" in _data(await client.call_tool("context", {"message": "food"}))
    wrong = await client.call_tool("feedback", {"conversation_id": "c", "turn_id": "t", "reaction": "ok"})
    assert wrong.is_error and "no turn t" in wrong.content[0].text
    resources = {str(each.uri) for each in (await client.list_resources()).resources}
    assert resources == {"recollect://bulletin", "recollect://people"}
    shown = await client.read_resource(f"recollect://memories/{memory_id}")
    assert "Italian" in shown.contents[0].text
    assert (await client.read_resource("recollect://bulletin")).contents[0].text.startswith("knowledge_summary:")
    assert "Sarah" in (await client.read_resource("recollect://people")).contents[0].text
    prompts = {each.name for each in (await client.list_prompts()).prompts}
    assert prompts == {"with-memory", "what-do-you-know"}
    given_ = await client.get_prompt("with-memory", {"message": "What does Sarah like?"})
    assert "Italian" in given_.messages[0].content.text
    assert _data(await client.call_tool("forget", {"memory_id": memory_id}))["memories"] == 1


async def _reference_tools(client):
    names = {each.name for each in (await client.list_tools()).tools}
    assert names == {
        "create_entities",
        "create_relations",
        "add_observations",
        "delete_entities",
        "delete_observations",
        "delete_relations",
        "read_graph",
        "search_nodes",
        "open_nodes",
    }
    anna = {"name": "Anna", "entityType": "person", "observations": ["plays chess"]}
    await client.call_tool(
        "create_entities", {"entities": [anna, {"name": "Acme", "entityType": "company", "observations": []}, anna]}
    )
    await client.call_tool(
        "create_relations", {"relations": [{"from": "Anna", "to": "Acme", "relationType": "works at"}]}
    )
    await client.call_tool(
        "add_observations", {"observations": [{"entityName": "Anna", "contents": ["lives in Oslo", "plays chess"]}]}
    )
    graph = _data(await client.call_tool("read_graph", {}))
    assert [each["name"] for each in graph["entities"]] == ["Anna", "Acme"]
    assert graph["entities"][0]["observations"] == ["plays chess", "lives in Oslo"]
    assert graph["relations"] == [{"from": "Anna", "to": "Acme", "relationType": "works at"}]
    assert _data(await client.call_tool("search_nodes", {"query": "oslo"}))["entities"][0]["name"] == "Anna"
    assert _data(await client.call_tool("open_nodes", {"names": ["Acme"]}))["entities"][0]["entityType"] == "company"
    await client.call_tool(
        "delete_observations", {"deletions": [{"entityName": "Anna", "observations": ["plays chess"]}]}
    )
    await client.call_tool(
        "delete_relations", {"relations": [{"from": "Anna", "to": "Acme", "relationType": "works at"}]}
    )
    graph = _data(await client.call_tool("read_graph", {}))
    assert graph["entities"][0]["observations"] == ["lives in Oslo"] and graph["relations"] == []
    await client.call_tool("delete_entities", {"entityNames": ["Anna"]})
    assert [each["name"] for each in _data(await client.call_tool("read_graph", {}))["entities"]] == ["Acme"]


def test_a_file_that_is_dropped_while_it_serves_becomes_a_memory(served, root):
    (root / "home" / "memory" / "ingest" / "a.txt").write_text("The bakery opens at seven.")
    deadline = time.monotonic() + 20
    while not (found := served.post("/v1/list").json()["memories"]) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert found[0]["content"] == "The bakery opens at seven."


# Ending


def test_an_end_under_load_loses_nothing_that_was_acknowledged(place, root, open_memory):
    from concurrent.futures import ThreadPoolExecutor

    open_memory().close()
    server = Served(place, root)
    acknowledged = []

    def write(worker):
        for number in range(1000):
            text = f"Worker {worker} wrote sentence {number} of many"
            try:
                if server.post("/v1/remember", {"content": text}).status_code == 200:
                    acknowledged.append(text)
            except httpx.HTTPError:
                return

    with ThreadPoolExecutor(4) as pool:
        done = [pool.submit(write, worker) for worker in range(4)]
        while len(acknowledged) < 20:
            time.sleep(0.01)
        code, output = server.stop()
        for each in done:
            each.result()
    assert code == 0 and "Traceback" not in output
    with open_memory() as memory:
        stored = {each.content for each in memory.list(user="alex", limit=10_000)}
    assert set(acknowledged) <= stored and len(acknowledged) >= 20


def test_tokens_on_the_command_line(run):
    made = run("token", "create", "--for-user", "alex", "--rights", "write", "--expires", "30d", "--json").json
    assert made["token"].startswith("rcl_") and made["rights"] == "write" and "digest" not in made
    assert made["tokenId"] in run("token", "list").out
    assert run("token", "revoke", made["tokenId"]).out == f"{made['tokenId']} is revoked\n"
    assert "revoked" in run("token", "list").out
    assert run("token", "create").code == 1
