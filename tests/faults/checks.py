"""What must hold of a store after any fault."""

from __future__ import annotations

from pathlib import Path

import apsw

from recollect.storage.sqlite.connection import connect


def assert_sound(path: Path) -> None:
    """SQLite finds no damage, and every memory is whole: source, text row and event, nothing orphaned."""
    connection = connect(path, busy_timeout=10, synchronous="full")
    try:
        assert connection.pragma("integrity_check") == "ok"
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        connection.execute("INSERT INTO memory_fts (memory_fts) VALUES ('integrity-check')")
        one = lambda sql: connection.execute(sql).fetchone()[0]  # noqa: E731
        memories = one("SELECT count(*) FROM memories")
        assert one("SELECT count(*) FROM memory_sources WHERE ordinal = 0") == memories
        assert one("SELECT count(*) FROM memory_fts") == memories
        assert one("SELECT count(*) FROM events WHERE kind = 'memory.created'") == memories
        told = one("SELECT count(DISTINCT edge_id) FROM events WHERE kind = 'edge.created'")
        assert one("SELECT count(*) FROM memory_edges") == told
        superseded = one("SELECT count(*) FROM memories WHERE status = 'superseded'")
        assert one("SELECT count(*) FROM memory_edges WHERE edge_type = 'Updates'") == superseded
    finally:
        connection.close()


def ids(path: Path) -> set[str]:
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        return {row[0] for row in connection.execute("SELECT memory_id FROM memories")}
    finally:
        connection.close()
