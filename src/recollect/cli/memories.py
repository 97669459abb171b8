"""Commands about single memories: remember, list, show, history, edit, link, supersede, retract, reinstate, stats."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Any

import click

from recollect.cli.answer import Answer, global_options, pass_answer
from recollect.cli.table import table
from recollect.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recollect.knowledge import Receipt
    from recollect.model.event import Event
    from recollect.model.memory import Memory

_NUMBER = re.compile(r"[+-]?(\d{1,18}|\d{1,18}\.\d{1,18}|nan|inf)")
_TYPES = "Fact, Preference, Decision, Identity, Event, Observation, Goal or Todo"
_EDGES = "RelatedTo, Updates, Contradicts, CausedBy or PartOf"


class Number(click.ParamType[Any]):
    """A number if it looks like one; anything else goes on as it is, so that the model's own check answers."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ARG002
        """The number that a text spells."""
        if isinstance(value, str) and _NUMBER.fullmatch(value):
            return int(value) if value.lstrip("+-").isdigit() else float(value)
        return value


def field_options(command: Any) -> Any:
    """Adds the options for what is known of a memory beside its content."""
    options = (
        click.option("--type", metavar="TYPE", help=f"{_TYPES}."),
        click.option("--importance", type=Number(), metavar="0..100", help="How much it matters [50]."),
        click.option("--confidence", type=Number(), metavar="0.0..1.0", help="How sure it is [1.0]."),
        click.option("--summary", metavar="TEXT", help="A short form [the first words]."),
        click.option("--sensitivity", metavar="LEVEL", help="public, personal or sensitive [public]."),
        click.option("--expires", metavar="WHEN", help="When to forget it: 14d, 2w, 36h or a date."),
        click.option("--valid-from", metavar="TIME", help="From when it is true."),
        click.option("--valid-to", metavar="TIME", help="Until when it is true."),
    )
    for add in reversed(options):
        command = add(command)
    return command


@click.command()
@click.argument("texts", nargs=-1, required=True, metavar="TEXT...")
@field_options
@click.option("--scope", metavar="SCOPE", help="personal, group (needs --chat) or shared [personal].")
@click.option("--observed-at", metavar="TIME", help="When it was said or true [now].")
@click.option("--source-type", metavar="TYPE", help="Where it comes from [manual].")
@click.option("--source-path", metavar="PATH", help="The file it comes from: absolute, inside the workspace.")
@click.option("--conversation-id", metavar="ID", help="The conversation it comes from.")
@click.option("--workflow-run-id", metavar="ID", help="The workflow run it comes from.")
@click.option("--step-id", metavar="ID", help="The step of that run.")
@click.option("--captured-by", metavar="WHO", help="user, extractor or system [user].")
@click.option("--about", multiple=True, metavar="PERSON", help="Who it is about: a name or a relation.")
@click.option("--key", metavar="KEY", help="Repeating a write with the same key makes no second memory.")
@global_options
@pass_answer
def remember(answer: Answer, /, texts: tuple[str, ...], **given: Any) -> None:
    """Store what is to be remembered: one memory per TEXT, or standard input for '-'."""
    from recollect.model.source import Source

    names = ("source_type", "source_path", "conversation_id", "workflow_run_id", "step_id", "captured_by")
    source = {name: value for name in names if (value := given.pop(name)) is not None}
    fields = _given({**given, "about": given["about"] or None})
    if source:
        fields["source"] = Source(**source)
    contents = [_standard_input() if text == "-" else text for text in texts]
    with answer.open() as memory:
        if len(contents) == 1:
            receipts: Sequence[Receipt] = [memory.remember(contents[0], **answer.speaker, **fields)]
        else:
            receipts = memory.remember_many([{"content": text, **fields} for text in contents], **answer.speaker)
    answer.give({"results": receipts}, lambda: "\n".join(map(_receipt_line, receipts)))
    refused = [receipt for receipt in receipts if receipt.outcome == "refused"]
    if refused:
        click.echo(f"recollect: {len(refused)} of {len(receipts)} refused [{refused[0].code}]", err=True)
        raise click.exceptions.Exit(1)


@click.command("list")
@click.option("--type", "types", multiple=True, metavar="TYPE", help=f"Only these types: {_TYPES}.")
@click.option(
    "--status", "statuses", multiple=True, metavar="STATUS", help="active, superseded, retracted, archived [active]."
)
@click.option("--all", "everything", is_flag=True, help="In every status, expired ones too.")
@click.option("--include-expired", is_flag=True, help="Expired ones too.")
@click.option("-n", "--limit", type=Number(), default=20, show_default=True, help="How many at most.")
@click.option("--offset", type=Number(), default=0, help="How many to pass over.")
@global_options
@pass_answer
def list_memories(
    answer: Answer,
    types: tuple[str, ...],
    statuses: tuple[str, ...],
    everything: bool,
    include_expired: bool,
    limit: Any,
    offset: Any,
) -> None:
    """List what is remembered, newest first."""
    wanted = statuses or (("active", "superseded", "retracted", "archived") if everything else ("active",))
    with answer.open() as memory:
        found = memory.list(
            **answer.speaker,
            types=types or None,
            statuses=wanted,
            include_expired=include_expired or everything,
            limit=limit,
            offset=offset,
        )
    for damage in found.damaged:
        click.echo(f"recollect: memory {damage.memory_id} is damaged and was left out: {damage.message}", err=True)
    answer.give(
        {"memories": found.memories, "damaged": found.damaged},
        lambda: (
            table(
                ("ID", "TYPE", "MEMORY"),
                [(each.memory_id, each.type.value, each.summary + _status(each)) for each in found],
                [memory_line(each) for each in found],
            )
            or 'Nothing is remembered yet. Try: recollect remember "…"'
        ),
    )


@click.command()
@click.argument("memory_id")
@global_options
@pass_answer
def show(answer: Answer, memory_id: str) -> None:
    """Show one memory with its source and its edges."""
    with answer.open() as memory:
        found = memory.show(memory_id, **answer.speaker)
        edges = memory.edges(memory_id, **answer.speaker)
    answer.give({"memory": found, "edges": edges}, lambda: _memory_page(found, edges))


@click.command()
@click.argument("memory_id")
@global_options
@pass_answer
def history(answer: Answer, memory_id: str) -> None:
    """Show everything that happened to one memory, oldest first."""
    with answer.open() as memory:
        events = memory.history(memory_id, **answer.speaker)
    headings = ("WHEN", "WHAT", "BY", "DETAIL")
    lines = list(map(_event_line, events))
    answer.give({"memoryId": memory_id, "events": events}, lambda: table(headings, list(map(_event, events)), lines))


@click.command()
@click.argument("memory_id")
@click.option("--content", metavar="TEXT", help="The new content.")
@field_options
@click.option("--reason", metavar="TEXT", help="Why.")
@global_options
@pass_answer
def edit(answer: Answer, /, memory_id: str, reason: str | None, **given: Any) -> None:
    """Change an active memory; its old values stay in its history."""
    with answer.open() as memory:
        edited = memory.edit(memory_id, **answer.speaker, reason=reason, **_given(given))
    answer.give({"memory": edited}, lambda: memory_line(edited))


@click.command()
@click.argument("from_memory_id")
@click.argument("to_memory_id")
@click.option("--type", "edge_type", default="RelatedTo", show_default=True, metavar="TYPE", help=f"{_EDGES}.")
@click.option("--weight", type=Number(), default=1.0, metavar="0.0..1.0", help="How strong it is [1.0].")
@click.option("--reason", metavar="TEXT", help="Why.")
@global_options
@pass_answer
def link(
    answer: Answer, from_memory_id: str, to_memory_id: str, edge_type: str, weight: Any, reason: str | None
) -> None:
    """Relate one memory to another; a contradiction is such a relation and deletes nothing."""
    with answer.open() as memory:
        edge = memory.link(from_memory_id, to_memory_id, edge_type, weight=weight, **answer.speaker, reason=reason)
    answer.give({"edge": edge}, lambda: f"{edge.from_memory_id} {edge.edge_type} {edge.to_memory_id}")


@click.command()
@click.argument("memory_id")
@click.option("--by", metavar="MEMORY_ID", help="The memory that takes its place.")
@click.option("--with", "content", metavar="TEXT", help="The text of a new memory that takes its place.")
@click.option("--reason", metavar="TEXT", help="Why.")
@global_options
@pass_answer
def supersede(answer: Answer, memory_id: str, by: str | None, content: str | None, reason: str | None) -> None:
    """Put a newer memory in the place of an older one, which is kept but no longer recalled."""
    with answer.open() as memory:
        receipt = memory.supersede(memory_id, by, content=content, **answer.speaker, reason=reason)
    answer.give({"results": [receipt]}, lambda: _receipt_line(receipt))


@click.command()
@click.argument("memory_id")
@click.option("--reason", metavar="TEXT", help="Why.")
@global_options
@pass_answer
def retract(answer: Answer, memory_id: str, reason: str | None) -> None:
    """Mark a memory as wrong: it stays in its history and is never recalled again."""
    with answer.open() as memory:
        retracted = memory.retract(memory_id, **answer.speaker, reason=reason)
    answer.give({"memory": retracted}, lambda: f"retracted {retracted.memory_id}  {retracted.summary}")


@click.command()
@click.argument("memory_id")
@click.option("--reason", metavar="TEXT", help="Why.")
@global_options
@pass_answer
def reinstate(answer: Answer, memory_id: str, reason: str | None) -> None:
    """Undo: let a superseded or archived memory count again; what had replaced it is retracted."""
    with answer.open() as memory:
        restored = memory.restore(memory_id, **answer.speaker, reason=reason)
    answer.give({"memory": restored}, lambda: f"reinstated {memory_line(restored)}")


@click.command()
@global_options
@pass_answer
def stats(answer: Answer) -> None:
    """Count what is stored."""
    with answer.open() as memory:
        figures = memory.stats()

    def text() -> str:
        lines = [f"orchestrator  {figures.orchestrator_id}", f"memories      {figures.memories}"]
        lines += [f"  {status:<12}{count}" for status, count in figures.by_status.items()]
        lines += [f"  {kind:<12}{count}" for kind, count in figures.by_type.items()]
        lines += [f"edges         {figures.edges}", f"vectors       {figures.vectors}"]
        lines += [f"scopes        {figures.scopes}", f"events        {figures.events}"]
        return "\n".join(lines)

    answer.give(figures, text)


def _standard_input() -> str:
    """All of standard input; bytes that are no text are kept as such, for the model's own check to refuse."""
    if sys.stdin is None:
        raise InvalidInput.of("invalid_content", "content", None, "on standard input")
    return sys.stdin.buffer.read().decode("utf-8", "surrogateescape")


def _given(options: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}


def _receipt_line(receipt: Receipt) -> str:
    if receipt.memory is None:
        return f"refused: {receipt.reason} [{receipt.code}]"
    line = f"{receipt.outcome} {memory_line(receipt.memory)}"
    line += "".join(f"\n  in place of {memory_line(old)}" for old in receipt.superseded)
    line += "".join(f"\n  contradicts {memory_line(old)}" for old in receipt.contradicts)
    line += "".join(f"\n  put away {memory_line(old)}" for old in receipt.archived)
    if receipt.people:
        line += f"\n  about {', '.join(person.label for person in receipt.people)}"
    return line + (f"\n  {receipt.question}" if receipt.question else "")


def memory_line(memory: Memory) -> str:
    """A memory on one line."""
    return f"{memory.memory_id}  {memory.type:<11} {memory.summary}{_status(memory)}"


def _status(memory: Memory) -> str:
    return "" if memory.status == "active" else f" ({memory.status})"


def _memory_page(memory: Memory, edges: Any) -> str:
    from recollect.model.wire import dump

    lines = [memory.content, ""]
    for key, value in dump(memory).items():
        if key == "source":
            lines += [f"{name:<16} {part}" for name, part in value.items() if part is not None]
        elif key not in {"content", "summary"} and value is not None:
            lines.append(f"{key:<16} {value}")
    for edge in edges:
        lines.append(f"{edge.edge_type:<16} {edge.from_memory_id} -> {edge.to_memory_id}")
    return "\n".join(lines)


def _event(event: Event) -> tuple[str, str, str, str]:
    from recollect.model.clock import to_iso

    details = " ".join(f"{name}={value}" for name, value in event.detail.items())
    reason = f'"{event.reason}" ' if event.reason else ""
    return to_iso(event.occurred_at), event.kind.value, event.actor, f"{reason}{details}".rstrip()


def _event_line(event: Event) -> str:
    when, kind, actor, told = _event(event)
    return f"{when}  {kind:<22} by {actor} {told}".rstrip()


COMMANDS = (remember, list_memories, show, history, edit, link, supersede, retract, reinstate, stats)
