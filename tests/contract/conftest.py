"""One suite, every engine: a test here asks for `store` and runs on each."""

from __future__ import annotations

import pytest

from recollect.log import MemoryLog
from recollect.storage.sqlite import SqliteStorage

ENGINES = ["sqlite"]


@pytest.fixture(params=ENGINES)
def open_store(request, tmp_path, clock):
    """Opens the same store again and again, as after a restart."""
    opened = []

    def open_store(orchestrator: str = "home"):
        log = MemoryLog(tmp_path / "memory.log", clock, orchestrator)
        store = SqliteStorage(tmp_path / f"{orchestrator}.db", orchestrator, log)
        opened.append(store)
        return store

    yield open_store
    for store in opened:
        store.close()


@pytest.fixture
def store(open_store):
    return open_store()
