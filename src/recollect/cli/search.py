"""The search command: recall, with its reasons."""

from __future__ import annotations

from typing import Any

import click

from recollect.cli.answer import Answer, global_options, pass_answer
from recollect.cli.memories import Number


@click.command()
@click.argument("query")
@click.option("-n", "--top", "top_n", type=Number(), metavar="N", help="How many results at most.")
@global_options
@pass_answer
def search(answer: Answer, query: str, top_n: Any) -> None:
    """Recall what answers a question best."""
    with answer.open() as memory:
        found = memory.recall(query, **answer.speaker, top_n=top_n)
    hits = [{"kind": "memory", "memory": hit.memory, "score": hit.score, "why": hit.why} for hit in found.hits]
    answer.give(
        {"query": found.query, "mode": found.mode, "hits": hits, "edges": found.edges, "omitted": found.omitted},
        lambda: (
            "\n".join(f"{hit.score:.4f}  {hit.memory.memory_id}  {hit.memory.summary}" for hit in found.hits)
            or "Nothing is known about that."
        ),
    )
