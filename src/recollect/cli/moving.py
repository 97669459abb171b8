"""Commands that move a memory: export, import, backup, restore; and why."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from recollect.cli.answer import Answer, global_options, pass_answer
from recollect.cli.progress import Progress


@click.command("export")
@click.argument("path", type=click.Path(path_type=Path), required=False)
@click.option(
    "--format",
    "kind",
    type=click.Choice(["jsonl", "markdown"]),
    default="jsonl",
    show_default=True,
    help="jsonl: everything, lossless; markdown: what you may see, to be read.",
)
@global_options
@pass_answer
def export_command(answer: Answer, path: Path | None, kind: str) -> None:
    """Write memory to PATH, or to standard output."""
    from recollect.conversations.files import replace

    with answer.open() as memory, Progress() as progress:
        if kind == "jsonl":
            lines = []
            for line in memory.export():
                lines.append(f"{line}\n")
                progress("exporting", len(lines), len(lines))
            text = "".join(lines)
        else:
            text = memory.export_markdown(**answer.speaker)
    if path is None or str(path) == "-":
        click.echo(text, nl=False)
        return
    replace(path.absolute(), text.encode("utf-8", "backslashreplace"))
    answer.give({"path": str(path), "bytes": len(text)}, lambda: f"wrote {path}")


@click.command("import")
@click.argument("path", type=click.Path(path_type=Path))
@click.option(
    "--format", "kind", metavar="FORMAT", help="mem0, langgraph, mcp, chatgpt or claude [told from the file]."
)
@click.option("--namespace", metavar="NAME", help="Which namespace of a LangGraph store: memories.alex.")
@global_options
@pass_answer
def import_command(answer: Answer, path: Path, kind: str | None, namespace: str | None) -> None:
    """Take in an export: our own into an empty memory, or another memory's or assistant's. Again changes nothing."""
    from recollect.errors import InvalidInput, NotFound

    try:
        text = sys.stdin.read() if str(path) == "-" else path.read_text("utf-8")
    except FileNotFoundError:
        raise NotFound(f"there is no file {path}", code="file_not_found") from None
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput.of("unreadable", "path", str(path), f"a text file: {type(error).__name__}") from None
    with answer.open() as memory, Progress() as progress:
        done = memory.import_data(
            text,
            format=kind,
            namespace=namespace,
            progress=lambda done, total: progress("importing", done, total),
            **answer.speaker,
        )
    told = f"{done.format}: {done.memories} memories, {done.known} known before, {done.refused} refused"
    told += f", {done.others} of others" if done.others else ""
    told += f", {done.unreadable} could not be read" if done.unreadable else ""
    answer.give(done, lambda: f"{told}, {done.sessions} sessions with {done.messages} messages")


@click.command()
@click.argument("path", type=click.Path(path_type=Path))
@global_options
@pass_answer
def backup(answer: Answer, path: Path) -> None:
    """Copy the database to PATH while it is used; the copy is consistent and checked."""
    with answer.open() as memory:
        memory.backup(path)
    answer.give({"path": str(path)}, lambda: f"wrote {path}")


@click.command()
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--yes", is_flag=True, help="Do not ask.")
@global_options
@pass_answer
def restore(answer: Answer, path: Path, yes: bool) -> None:
    """Put a backup in the place of the database, after checking it; what was there is kept beside it."""
    from recollect.errors import Unsupported
    from recollect.storage.layout import Layout
    from recollect.storage.open import server_url
    from recollect.storage.sqlite import restore_backup

    if server_url(answer.root) is not None:
        hint = "use the tools of PostgreSQL, or export and import"
        raise Unsupported("a server's backups are restored there", hint=hint)
    layout = Layout.of(answer.root, answer.orchestrator)
    layout.create()
    if not yes:
        answer.confirm(f"Put {path} in the place of {layout.database}?")
    kept = restore_backup(path, layout.database, answer.orchestrator)
    answer.give(
        {"restored": str(path), "before": None if kept is None else str(kept)},
        lambda: f"restored {path}" + ("" if kept is None else f"; what was there is in {kept}"),
    )


@click.command()
@click.argument("memory_id")
@global_options
@pass_answer
def why(answer: Answer, memory_id: str) -> None:
    """Say why something is believed: where it came from, what it replaced, what happened to it."""
    with answer.open() as memory:
        found = memory.show(memory_id, **answer.speaker)
        events = memory.history(memory_id, **answer.speaker)
        edges = memory.edges(memory_id, **answer.speaker)
        others = {
            each: memory.show(each, **answer.speaker).content
            for edge in edges
            for each in (edge.from_memory_id, edge.to_memory_id)
            if each != memory_id
        }
    answer.give({"memory": found, "history": events, "edges": edges}, lambda: _told(found, events, edges, others))


def _told(memory: Any, events: Any, edges: Any, others: dict[str, str]) -> str:
    source = memory.source
    origin = [source.source_type.value, f"captured by {source.captured_by.value}", f"trust: {memory.trust.value}"]
    origin += [text for text in (source.source_path, source.conversation_id, source.message_id) if text]
    lines = [f"{memory.content}  ({memory.status.value}, confidence {memory.confidence:g})"]
    lines.append(f"  from {', '.join(origin)}")
    for event in events:
        reason = f": {event.reason}" if event.reason else ""
        lines.append(f"  {event.occurred_at:%Y-%m-%d %H:%M} {event.kind.value} by {event.actor}{reason}")
    for edge in edges:
        other = edge.to_memory_id if edge.from_memory_id == memory.memory_id else edge.from_memory_id
        arrow = "->" if edge.from_memory_id == memory.memory_id else "<-"
        lines.append(f"  {edge.edge_type.value} {arrow} {others[other]} [{other}]")
    return "\n".join(lines)
