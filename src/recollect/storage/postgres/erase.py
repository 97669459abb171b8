"""Erasing on a server: everything of one orchestrator, and looking for what is left of something."""

from __future__ import annotations

from collections.abc import Sequence

from psycopg import sql

from recollect.storage.postgres.connection import Connection
from recollect.storage.relational.transfer import TABLES, Table

# Not among those that are copied: they are made of others.
_DERIVED = ("memory_terms", "writes")
_NO_TEXT = frozenset(
    """seq scope_id entry ordinal model_id dimension importance confidence position observed_at created_at updated_at
    expires_at valid_from valid_to token_count written_at attempts due_at sequence occurred_at requests
    input_tokens output_tokens cost weight negated vector digest content_key
    forgotten_at version finished_at revoked_at""".split()  # noqa: SIM905
)


def erase_orchestrator(connection: Connection, orchestrator_id: str) -> None:
    """Deletes every row of an orchestrator, inside the transaction that is open."""
    connection.execute("SELECT set_config('recollect.erasing', %s, true)", [orchestrator_id])
    for name in (*_DERIVED, *(table.name for table in reversed(TABLES))):
        place = sql.Identifier("recollect", name)
        connection.execute(sql.SQL("DELETE FROM {} WHERE orchestrator_id = %s").format(place), [orchestrator_id])


def tables_holding(connection: Connection, orchestrator_id: str, needles: Sequence[bytes]) -> list[str]:
    """The tables in which rows of an orchestrator hold any of some texts."""
    texts = [needle.decode("utf-8", "replace") for needle in needles]
    return [
        f"recollect.{table.name}" for table in TABLES if texts and _holds(connection, table, orchestrator_id, texts)
    ]


def _holds(connection: Connection, table: Table, orchestrator_id: str, texts: Sequence[str]) -> bool:
    columns = [name for name in table.columns if name not in _NO_TEXT]
    if not columns:
        return False
    tests = [
        sql.SQL(
            "strpos(lower(convert_from({}, 'UTF8')), %s) > 0"
            if name == table.raw
            else "strpos(lower({}::text), %s) > 0"
        ).format(sql.Identifier(name))
        for name in columns
    ]
    query = sql.SQL("SELECT 1 FROM {} WHERE orchestrator_id = %s AND ({}) LIMIT 1").format(
        sql.Identifier("recollect", table.name), sql.SQL(" OR ").join(tests)
    )
    for text in texts:
        if connection.execute(query, [orchestrator_id, *(text for _ in columns)]).fetchone() is not None:
            return True
    return False
