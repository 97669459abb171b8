"""Commands about people: list, show, rename, merge, split, undo, forget."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from recollect.cli.answer import Answer, global_options, pass_answer
from recollect.cli.memories import memory_line
from recollect.cli.table import table

if TYPE_CHECKING:
    from recollect.model.person import Person


@click.group(no_args_is_help=True)
@global_options
def people() -> None:
    """Who is known: the people that a user has spoken of."""


@people.command("list")
@global_options
@pass_answer
def list_people(answer: Answer) -> None:
    """List everybody that is known, with relations and other names."""
    with answer.open() as memory:
        found = memory.people(**answer.speaker)
    rows = [
        (each.name or "", ", ".join(one.relation for one in each.relations), ", ".join(each.aliases), each.person_id)
        for each in found
    ]
    lines = list(map(_line, found))
    headings = ("NAME", "RELATION", "ALSO", "ID")
    answer.give({"people": found}, lambda: table(headings, rows, lines) or "Nobody is known yet.")


@people.command()
@click.argument("person")
@global_options
@pass_answer
def show(answer: Answer, person: str) -> None:
    """Show PERSON (a name, a relation such as "my wife", or an id) and every fact about them."""
    with answer.open() as memory:
        found = memory.person(person, **answer.speaker)
        facts = memory.recall(person, about=found.person_id, top_n=1000, **answer.speaker).hits
    answer.give(
        {"person": found, "memories": [hit.memory for hit in facts]},
        lambda: "\n".join([_line(found), *(f"  {memory_line(hit.memory)}" for hit in facts)]),
    )


@people.command()
@click.argument("person")
@click.argument("name")
@global_options
@pass_answer
def rename(answer: Answer, person: str, name: str) -> None:
    """Give PERSON another NAME; the old one is still known."""
    with answer.open() as memory:
        changed = memory.rename_person(person, name, **answer.speaker)
    answer.give({"person": changed}, lambda: _line(changed))


@people.command()
@click.argument("person")
@click.argument("into")
@global_options
@pass_answer
def merge(answer: Answer, person: str, into: str) -> None:
    """Say that PERSON and INTO are one: every fact follows. `undo` takes it back."""
    with answer.open() as memory:
        merged = memory.merge_people(person, into, **answer.speaker)
    answer.give({"person": merged}, lambda: _line(merged))


@people.command()
@click.argument("person")
@click.argument("name")
@click.argument("memories", nargs=-1, metavar="MEMORY_ID...")
@click.option("--relation", metavar="RELATION", help="What the new person is to you.")
@global_options
@pass_answer
def split(answer: Answer, person: str, name: str, memories: tuple[str, ...], relation: str | None) -> None:
    """Say that PERSON is two people: the facts given are about somebody new called NAME."""
    with answer.open() as memory:
        new = memory.split_person(person, name, memories, relation=relation, **answer.speaker)
    answer.give({"person": new}, lambda: _line(new))


@people.command()
@click.argument("person")
@global_options
@pass_answer
def undo(answer: Answer, person: str) -> None:
    """Take back the last change to PERSON: a name, a merge or a split."""
    with answer.open() as memory:
        undone = memory.undo_person(person, **answer.speaker)
    answer.give({"person": undone}, lambda: _line(undone))


@people.command()
@click.argument("person")
@click.option("--yes", is_flag=True, help="Do not ask.")
@global_options
@pass_answer
def forget(answer: Answer, person: str, yes: bool) -> None:
    """Forget PERSON for good, with every fact about them."""
    with answer.open() as memory:
        found = memory.person(person, **answer.speaker)
        if not yes:
            answer.confirm(f"Forget {found.label} and every fact about them for good?")
        gone = memory.forget_person(found.person_id, **answer.speaker)
    answer.give(gone, lambda: f"forgotten: {found.label}, {gone.memories} memories, {gone.messages} messages")


def _line(person: Person) -> str:
    relations = ", ".join(each.relation for each in person.relations)
    aliases = f"  also {', '.join(person.aliases)}" if person.aliases else ""
    return f"{person.person_id}  {person.name or '(no name)':<20} {relations}{aliases}".rstrip()
