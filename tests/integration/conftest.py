"""What a user sees is the same on every engine: tests here run on each, except where they are about files."""

from __future__ import annotations

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
}


def pytest_generate_tests(metafunc):
    module = metafunc.module.__name__.rpartition(".")[2]
    only = metafunc.definition.get_closest_marker("only_on")
    if "engine" in metafunc.fixturenames and module in BOTH:
        metafunc.parametrize("engine", [only.args[0]] if only else ["sqlite", "postgres"])
