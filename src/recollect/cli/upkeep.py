"""Commands that keep memory in order: upkeep and reindex."""

from __future__ import annotations

import click

from recollect.cli.answer import Answer, global_options, pass_answer
from recollect.cli.progress import Progress


@click.command()
@global_options
@pass_answer
def upkeep(answer: Answer) -> None:
    """Make the vectors that are missing."""
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
