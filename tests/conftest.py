from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import recollect
from postgres_server import Databases, Server, ordinary_url
from recollect.testing import FakeClock


@pytest.fixture(autouse=True)
def _no_settings_from_outside(monkeypatch):
    for name in [name for name in os.environ if name.startswith("RECOLLECT_") and "TEST" not in name]:
        monkeypatch.delenv(name)
    # Most tests are about storing and changing; those about meaning ask for the real model (see `real_model`).
    monkeypatch.setenv("RECOLLECT_EMBEDDING__PROVIDER", "none")


@pytest.fixture
def real_model(monkeypatch):
    """The default embedding model, as users have it."""
    monkeypatch.setenv("RECOLLECT_EMBEDDING__PROVIDER", "minilm")


@pytest.fixture
def clock():
    return FakeClock()


@pytest.fixture(scope="session")
def databases():
    """Empty PostgreSQL databases: on a server of this test run, or on the one that RECOLLECT_TEST_POSTGRES names.

    That URL needs a role that may create databases and roles, and `{database}` is put in by us.
    """
    given = os.environ.get("RECOLLECT_TEST_POSTGRES")
    server = None if given else Server().create()
    if server is not None:
        made = Databases(f"postgresql://postgres@127.0.0.1:{server.port}/postgres", server.url("DATABASE"))
    else:
        made = Databases(given, ordinary_url(given))
    yield made
    if server is None:
        made.drop_all()
    else:
        server.remove()


ENGINES = ["sqlite", "postgres"]


@pytest.fixture
def root(tmp_path):
    """The folder of everything in files; on SQLite the database too."""
    return tmp_path / "root"


@pytest.fixture
def engine():
    """Which engine a test runs on; a module that runs on both says `pytestmark = every_engine`."""
    return "sqlite"


@pytest.fixture
def place(engine, root, request):
    """What `recollect.open` is given: a folder, or the URL of an empty database."""
    return root if engine == "sqlite" else request.getfixturevalue("databases").with_tables()


@pytest.fixture
def open_memory(place, root, clock):
    """Opens the memory of this test, as often as asked, as after a restart."""

    def open_memory(orchestrator="home", **options):
        options.setdefault("clock", clock)
        if place is not root:
            options.setdefault("files", root)
        return recollect.open(place, orchestrator=orchestrator, **options)

    return open_memory


@pytest.fixture
def memory(open_memory):
    with open_memory() as memory:
        yield memory


@dataclass
class Done:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@pytest.fixture
def run(root, place):
    """Runs the real command in a process of its own, on this test's root."""

    def run(*arguments: str, stdin: str | bytes | None = None, **environment: str) -> Done:
        done = subprocess.run(
            [sys.executable, "-m", "recollect", *arguments],
            input=stdin.encode() if isinstance(stdin, str) else stdin,
            capture_output=True,
            env={**os.environ, "RECOLLECT_ROOT": str(place), "RECOLLECT_FILES": str(root), **environment},
            check=False,
            timeout=60,
        )
        return Done(done.returncode, done.stdout.decode(), done.stderr.decode())

    return run


def log_lines(root: Path, orchestrator: str = "home") -> list[dict[str, Any]]:
    path = root / orchestrator / "memory" / "logs" / "memory.log"
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []


@pytest.fixture
def logged(root):
    return lambda orchestrator="home": log_lines(root, orchestrator)
