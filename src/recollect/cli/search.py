"""Commands that find things: search, with its reasons, and context, as a prompt would get it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from recollect.cli.answer import Answer, global_options, pass_answer
from recollect.cli.memories import Number
from recollect.cli.table import table

if TYPE_CHECKING:
    from recollect.recall import Hit, Recall

_BAR = 24


@click.command()
@click.argument("query")
@click.option("-n", "--top", "top_n", type=Number(), metavar="N", help="How many results at most.")
@click.option("--type", "types", multiple=True, metavar="TYPE", help="Only memories of these types.")
@click.option("--known-at", metavar="TIME", help="What was believed at a time.")
@click.option("--valid-at", metavar="TIME", help="What was true at a time.")
@click.option("--messages", is_flag=True, help="Search what was said in sessions, too.")
@click.option("--about", multiple=True, metavar="PERSON", help="Only what is about somebody: a name or a relation.")
@click.option("--no-floor", is_flag=True, help="The best there is, even if nothing is about the question.")
@click.option("--explain", is_flag=True, help="Show why each result was found and how it was scored.")
@global_options
@pass_answer
def search(
    answer: Answer,
    query: str,
    top_n: Any,
    types: tuple[str, ...],
    known_at: str | None,
    valid_at: str | None,
    messages: bool,
    about: tuple[str, ...],
    no_floor: bool,
    explain: bool,
) -> None:
    """Recall what answers a question best."""
    with answer.open() as memory:
        found = memory.recall(
            query,
            **answer.speaker,
            top_n=top_n,
            types=types or None,
            known_at=known_at,
            valid_at=valid_at,
            floor=not no_floor,
            include_messages=messages,
            about=about or None,
        )
    hits = [_hit(hit) for hit in found.hits]
    data = {"query": found.query, "mode": found.mode, "note": found.note, "hits": hits}
    answer.give(
        {**data, "edges": found.edges, "omitted": found.omitted},
        lambda: _explained(found) if explain else _listed(found),
    )


def _hit(hit: Hit) -> dict[str, Any]:
    """A hit under the name of what was found."""
    found = {"message": hit.message} if hit.message is not None else {"memory": hit.memory}
    return {"kind": hit.kind, **found, "score": hit.score, "about": hit.about, "why": hit.why}


@click.command()
@click.argument("message")
@click.option("--max-tokens", type=Number(), default=2000, show_default=True, metavar="N", help="The budget.")
@global_options
@pass_answer
def context(answer: Answer, message: str, max_tokens: Any) -> None:
    """Show what a model would be given before it answers MESSAGE, within a number of tokens."""
    with answer.open() as memory:
        found = memory.context(message, **answer.speaker, max_tokens=max_tokens)

    def text() -> str:
        lines = [f"- {item.content} [{item.id}]" for item in found.knowledge]
        used = f"{found.token_count} of {max_tokens} tokens ({found.counted_by}), {found.omitted} left out"
        return "\n".join([*lines, used])

    answer.give(found, text)


def _listed(found: Recall) -> str:
    rows = [(f"{hit.score:.3f}", hit.memory.memory_id, f"{hit.memory.summary}{_about(hit)}") for hit in found.hits]
    return table(("SCORE", "ID", "MEMORY"), rows, ["  ".join(row) for row in rows]) or "Nothing is known about that."


def _about(hit: Hit) -> str:
    return f"  (about {', '.join(hit.about)})" if hit.about else ""


def _explained(found: Recall) -> str:
    lines = [f"mode {found.mode}" + (f" ({found.note})" if found.note else "")]
    for number, hit in enumerate(found.hits, 1):
        lines += [
            "",
            f"{number}. {hit.memory.summary}{_about(hit)}",
            f"   {hit.memory.memory_id}  score {hit.score:.4f}",
        ]
        lines += _reasons(hit)
    left_out = ", ".join(f"{reason} {count}" for reason, count in found.omitted.items() if count)
    lines += ["", f"left out: {left_out or 'nothing'}", f"edges: {len(found.edges)}"]
    return "\n".join(lines)


def _reasons(hit: Hit) -> list[str]:
    lines = []
    for name, arm in hit.why["arms"].items():
        bar = "█" * round(_BAR * arm["evidence"])
        lines.append(f"   {name:<13}#{arm['rank']:<4}{arm['evidence']:.2f} x {arm['weight']:.1f}  {bar}")
    changed = [f"{name} x{factor:.3f}" for name, factor in hit.why["modifiers"].items() if factor != 1]
    return [*lines, f"   {', '.join(changed)}"] if changed else lines
