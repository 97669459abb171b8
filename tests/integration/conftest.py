"""What a user sees is the same on every engine: tests here run on each, except where they are about files."""

from __future__ import annotations

import pytest

import recollect
from serving import Served

BOTH = {
    "test_memory_system",
    "test_recall",
    "test_embedding",
    "test_cli",
    "test_aio",
    "test_sessions",
    "test_manager",
    "test_agent",
    "test_cli_knowledge",
    "test_conflicts",
    "test_knowledge",
    "test_forget",
    "test_upkeep",
    "test_learning",
    "test_turns",
    "test_ingest",
    "test_bulletin",
    "test_orchestrator",
    "test_server",
    "test_moving",
    "test_looking",
    "test_same",
}


def pytest_generate_tests(metafunc):
    module = metafunc.module.__name__.rpartition(".")[2]
    only = metafunc.definition.get_closest_marker("only_on")
    if "engine" in metafunc.fixturenames and module in BOTH:
        metafunc.parametrize("engine", [only.args[0]] if only else ["sqlite", "postgres"])


@pytest.fixture
def served(place, root, open_memory):
    open_memory().close()
    server = Served(place, root)
    yield server
    server.stop()


@pytest.fixture
def guarded(place, root, open_memory, clock):
    """A server that asks for tokens, and some of them."""
    with open_memory(clock=None) as memory:
        tokens = {
            "alex": memory.create_token("alex", rights="write")[0],
            "reader": memory.create_token("alex", rights="read")[0],
            "eve": memory.create_token("eve", rights="admin")[0],
            "revoked": memory.create_token("alex", rights="admin")[0],
        }
        memory.revoke_token(memory.tokens()[-1].token_id)
    with recollect.open(place, orchestrator="other", **({} if place is root else {"files": root})) as other:
        tokens["other"] = other.create_token("alex", rights="admin")[0]
    server = Served(place, root)
    server.tokens = tokens
    yield server
    server.stop()
