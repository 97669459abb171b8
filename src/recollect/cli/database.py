"""Commands about where memory is kept: db status, db migrate, db partition, copy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from recollect.cli.answer import Answer, global_options, pass_answer
from recollect.cli.progress import Progress

if TYPE_CHECKING:
    from recollect.storage.layout import Layout
    from recollect.storage.schema import SchemaStatus


@click.group(no_args_is_help=True)
@global_options
def db() -> None:
    """Look after the database."""


def _place(answer: Answer) -> tuple[str | None, Layout]:
    from recollect.storage.layout import Layout
    from recollect.storage.open import default_files, server_url

    url = server_url(answer.root)
    return url, Layout.of(answer.root if url is None else answer.files or default_files(), answer.orchestrator)


def _told(status: SchemaStatus) -> str:
    lines = [
        f"{status.engine} {status.server or ''}".rstrip(),
        f"  place        {status.place}",
        f"  schema       {status.schema} of {status.newest}",
    ]
    if status.pending:
        lines.append(f"  to be done   {', '.join(status.pending)}")
    if status.row_security:
        lines.append(f"  row security {status.row_security}")
    if status.partitions:
        lines.append(f"  partitions   {status.partitions}")
    if status.vector_indexes:
        lines.append(f"  indexes      {', '.join(status.vector_indexes)}")
    return "\n".join(lines)


@db.command()
@global_options
@pass_answer
def status(answer: Answer) -> None:
    """Show which schema a store has; changes nothing."""
    from recollect.storage.open import schema_status

    found = schema_status(*_place(answer))
    answer.give(found, lambda: _told(found))


@db.command()
@global_options
@pass_answer
def migrate(answer: Answer) -> None:
    """Bring a store's schema up to date."""
    from recollect.storage.open import schema_status

    before = schema_status(*_place(answer))
    url, _ = _place(answer)
    if url is None:
        answer.open().close()
    else:
        from recollect.storage.postgres import PostgresSchema

        schema = PostgresSchema(url)
        schema.prepare(migrate=True)
    applied = list(before.pending)
    answer.give(
        {"applied": applied, "schema": before.newest},
        lambda: f"applied {', '.join(applied)}" if applied else f"schema {before.newest}: nothing to do",
    )


@db.command()
@click.argument("count", type=click.IntRange(1, 1000))
@global_options
@pass_answer
def partition(answer: Answer, count: int) -> None:
    """Split the tables of a PostgreSQL store into COUNT hash partitions by orchestrator.

    Writers wait until it is done; it happens wholly or not at all.
    """
    from recollect.errors import InvalidInput

    url, _ = _place(answer)
    if url is None:
        raise InvalidInput.of("invalid_root", "root", answer.root, "a PostgreSQL URL: a file has no partitions")
    from recollect.storage.postgres import PostgresSchema

    with Progress() as progress:
        PostgresSchema(url).partition(count, progress)
    answer.give({"partitions": count}, lambda: f"{count} partitions")


@click.command()
@click.option("--from", "source", required=True, metavar="PLACE", help="A folder or postgresql://… to copy from.")
@click.option("--to", "target", required=True, metavar="PLACE", help="A folder or postgresql://… to copy to.")
@global_options
@pass_answer
def copy(answer: Answer, source: str, target: str) -> None:
    """Copy an orchestrator's memory to another place, of either kind, and compare it with the original.

    Can be stopped and run again: it goes on where it was. Nothing at the source changes. Blobs of turns go along; other
    files (sessions, ingest folders) are not copied.
    """
    from recollect.upkeep import copy_memory

    with Progress() as progress:
        copied = copy_memory(source, target, orchestrator=answer.orchestrator, files=answer.files, progress=progress)
    answer.give(
        copied,
        lambda: "\n".join(
            [
                f"copied {copied.rows['memories']} memories with all that belongs to them; both sides are the same",
                *(f"  {name:<18} {count}" for name, count in copied.rows.items() if count),
                f"  sha256 {copied.digest}",
            ]
        ),
    )
