"""Commands that keep memory in order: upkeep, reindex, gc, doctor."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from recollect.cli.answer import Answer, global_options, pass_answer
from recollect.cli.memories import memory_line
from recollect.cli.progress import Progress

if TYPE_CHECKING:
    from recollect.upkeep import Diagnosis

_MOST_SHOWN = 10


@click.command()
@global_options
@pass_answer
def upkeep(answer: Answer) -> None:
    """Do what is due: missing vectors, learning from conversations, indexes."""
    with answer.open() as memory:
        made = memory.upkeep()
    answer.give({"vectorsMade": made}, lambda: f"{made} vectors made")


@click.command()
@global_options
@pass_answer
def reindex(answer: Answer) -> None:
    """Give every memory a vector of the configured model, then switch recall to it. Can be stopped and run again."""
    with answer.open() as memory, Progress() as progress:
        made = memory.reindex(lambda done, total: progress("indexing", done, total))
        model = memory.embedding_model
    answer.give({"vectorsMade": made, "model": model}, lambda: f"{made} vectors made; recall uses {model}")


@click.command()
@click.option("--dry-run", is_flag=True, help="Only show what would be put away.")
@click.option(
    "--superseded-for",
    metavar="DAYS",
    type=click.IntRange(0, 100_000),
    default=0,
    help="Superseded ones only after so many days [0].",
)
@global_options
@pass_answer
def gc(answer: Answer, dry_run: bool, superseded_for: int) -> None:
    """Put away what no longer counts: expired, superseded, beyond the cap. It is archived, never lost."""
    from datetime import timedelta

    with answer.open() as memory:
        collected = memory.gc(dry_run=dry_run, superseded_for=timedelta(days=superseded_for))

    def text() -> str:
        reasons = (("expired", collected.expired), ("superseded", collected.superseded), ("evicted", collected.evicted))
        lines = [f"{reason:<11} {memory_line(memory)}" for reason, found in reasons for memory in found]
        verb = "would be put away" if dry_run else "put away"
        return "\n".join([*lines, f"{collected.count} {verb}"])

    answer.give(collected, text)


@click.command()
@click.option("--fix", is_flag=True, help="Repair what can be repaired, after it was shown.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@global_options
@pass_answer
def doctor(answer: Answer, fix: bool, yes: bool) -> None:
    """Look for duplicates, contradictions, missing vectors, orphans and damage; with --fix repair them."""
    with answer.open() as memory:
        diagnosis = memory.doctor()
        remedies = sum(finding.remedy is not None for finding in diagnosis.findings)
        if fix and remedies:
            if not yes:
                click.echo(_diagnosis(diagnosis), err=True)
                answer.confirm(f"Repair {remedies} of {len(diagnosis.findings)}?")
            diagnosis = memory.doctor(fix=True)
    answer.give(diagnosis, lambda: _diagnosis(diagnosis))
    if len(diagnosis.findings) > diagnosis.fixed:
        raise click.exceptions.Exit(1)


def _diagnosis(diagnosis: Diagnosis) -> str:
    lines = [
        f"{finding.kind:<16} {finding.message}" + (f" ({finding.remedy})" if finding.remedy else "")
        + "".join(f"\n  {each}" for each in finding.ids[:_MOST_SHOWN])
        for finding in diagnosis.findings
    ]  # fmt: skip
    fixed = f", {diagnosis.fixed} repaired" if diagnosis.fixed else ""
    return "\n".join([*lines, f"{diagnosis.checked} memories checked, {len(diagnosis.findings)} findings{fixed}"])
