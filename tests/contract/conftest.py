"""One suite, every engine: a test here asks for `store` and runs on each."""

from __future__ import annotations

import pytest

from recollect.log import MemoryLog
from recollect.storage.postgres import PostgresStorage
from recollect.storage.sqlite import SqliteStorage


@pytest.fixture(params=["sqlite", "postgres"])
def engine(request):
    return request.param


@pytest.fixture
def open_store(engine, place, tmp_path, clock):
    """Opens the same store again and again, as after a restart."""
    opened = []

    def open_store(orchestrator: str = "home"):
        log = MemoryLog(tmp_path / "memory.log", clock, orchestrator)
        if engine == "sqlite":
            store = SqliteStorage(tmp_path / f"{orchestrator}.db", orchestrator, log)
        else:
            store = PostgresStorage(place, orchestrator, log)
        opened.append(store)
        return store

    yield open_store
    for store in opened:
        store.close()


@pytest.fixture
def store(open_store):
    return open_store()
