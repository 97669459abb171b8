"""Commands that bring files in and hand bulletins out: ingest, bulletin."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from recollect.cli.answer import Answer, global_options, pass_answer
from recollect.cli.memories import Number
from recollect.cli.progress import Progress

if TYPE_CHECKING:
    from recollect.ingest import FileReport, IngestReport


@click.command()
@click.argument("paths", nargs=-1, metavar="[FILE]...", type=click.Path())
@click.option("--watch", is_flag=True, help="Go on with whatever is dropped, until Ctrl-C.")
@click.option("--scope", default="shared", show_default=True, help="Who may see it: personal, group or shared.")
@click.option("--list", "only_list", is_flag=True, help="Only show which files became memories.")
@global_options
@pass_answer
def ingest(answer: Answer, paths: tuple[str, ...], watch: bool, scope: str, only_list: bool) -> None:
    """Turn files into memories: those in the drop folder, and copies of FILE.

    Text, Markdown and JSON; with `recollect[documents]` also PDF, DOCX, HTML and CSV. Every file ends in `processed` or
    `rejected` beside the drop folder, with a manifest that says what became of it.
    """
    with answer.open() as memory:
        if only_list:
            found = memory.ingested(**answer.speaker)
            lines = [f"{each.finished_at:%Y-%m-%d %H:%M}  v{each.version}  {each.manifest['name']}" for each in found]
            answer.give({"files": [each.manifest for each in found]}, lambda: "\n".join(lines) or "no files yet")
            return
        speaker: dict[str, Any] = {} if scope == "shared" else answer.speaker
        with Progress() as progress:
            report = memory.ingest(paths, scope=scope, progress=progress, **speaker)
        _give(answer, report)
        if watch:
            _watch(answer, memory, {**speaker, "scope": scope})
    if report.count("rejected") or report.count("failed"):
        raise click.exceptions.Exit(1)


def _watch(answer: Answer, memory: Any, where: dict[str, Any]) -> None:
    import threading

    stop = threading.Event()
    click.echo("watching; Ctrl-C ends", err=True)
    try:
        memory.watch_ingest(stop, told=lambda report: _give(answer, report), **where)
    except KeyboardInterrupt:
        click.echo("stopped", err=True)


def _give(answer: Answer, report: IngestReport) -> None:
    answer.give({"files": report.files}, lambda: "\n".join(map(_line, report.files)) or "nothing to ingest")
    sys.stdout.flush()


def _line(file: FileReport) -> str:
    if file.status == "processed":
        more = f", {file.superseded} superseded" if file.superseded else ""
        return f"{file.name}: {file.memories} memories{more}"
    why = f" ({file.code}: {file.message})" if file.message else f" ({file.code})" if file.code else ""
    return f"{file.name}: {file.status}{why}"


@click.command()
@click.argument("message", default="")
@click.option("--max-chars", type=Number(), default=4000, show_default=True, metavar="N", help="How long at most.")
@click.option("--max-tokens", type=Number(), metavar="N", help="How many tokens at most.")
@click.option("--conversation", "conversation_id", metavar="ID", help="Which conversation it is for.")
@global_options
@pass_answer
def bulletin(answer: Answer, message: str, max_chars: Any, max_tokens: Any, conversation_id: str | None) -> None:
    """Show what to have in mind for MESSAGE: knowledge, goals, todos, decisions, preferences, conflicts."""
    from recollect.model.wire import dump

    with answer.open() as memory:
        made = memory.bulletin(
            message,
            max_chars=max_chars,
            max_tokens=max_tokens,
            conversation_id=conversation_id,
            **answer.speaker,
        )
    for warning in made.warnings:
        click.echo(f"recollect: {warning}", err=True)
    answer.give({**dump(made), "tokenCount": made.token_count}, lambda: made.text.rstrip("\n"))
