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


@pytest.fixture
def root(tmp_path):
    return tmp_path / "root"


@pytest.fixture
def memory(root, clock):
    with recollect.open(root, orchestrator="home", clock=clock) as memory:
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
def run(root):
    """Runs the real command in a process of its own, on this test's root."""

    def run(*arguments: str, stdin: str | bytes | None = None, **environment: str) -> Done:
        done = subprocess.run(
            [sys.executable, "-m", "recollect", *arguments],
            input=stdin.encode() if isinstance(stdin, str) else stdin,
            capture_output=True,
            env={**os.environ, "RECOLLECT_ROOT": str(root), **environment},
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
