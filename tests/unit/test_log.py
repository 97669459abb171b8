from __future__ import annotations

import json

from recollect.log import MemoryLog


def test_lines_are_json_with_time_level_event_and_orchestrator(tmp_path, clock):
    log = MemoryLog(tmp_path / "memory.log", clock, "home")
    log.write("memory.test", memoryId="m", text="a\nb \ud800")
    log.close()
    log.write("memory.again", level="warning")
    first, second = map(json.loads, (tmp_path / "memory.log").read_text().splitlines())
    assert (first["event"], first["level"], first["orchestratorId"]) == ("memory.test", "info", "home")
    assert first["ts"] == "2026-01-01T09:00:00.000000Z"
    assert second["level"] == "warning"


def test_a_log_that_cannot_be_written_fails_nothing(tmp_path, clock):
    log = MemoryLog(tmp_path / "no" / "folder" / "memory.log", clock, "home")
    log.write("memory.test")
    assert log.failure is not None


def test_a_large_log_is_set_aside(tmp_path, clock):
    path = tmp_path / "memory.log"
    path.write_bytes(b"x" * (17 * 1024 * 1024))
    MemoryLog(path, clock, "home").write("memory.test")
    assert path.stat().st_size < 1000
    assert (tmp_path / "memory.log.1").exists()
