"""Help for those who mistype: which memory was meant, and completion for shells."""

from __future__ import annotations

import difflib

import click

from recollect.cli.answer import Answer, global_options, pass_answer
from recollect.errors import InvalidInput, NotFound, RecollectError

_LOOKED_AT = 10_000
_SHORTEST = 4
_ALIKE = 0.85


def suggested(error: RecollectError, answer: Answer) -> RecollectError:
    """An error about an id that is not there, with the one that was probably meant."""
    meant = _given(error)
    if meant is None or len(meant) < _SHORTEST:
        return error
    try:
        with answer.open() as memory:
            statuses = ("active", "superseded", "retracted", "archived")
            found = memory.list(**answer.speaker, statuses=statuses, limit=_LOOKED_AT)
            ids = [each.memory_id for each in found]
    except RecollectError:
        return error
    begins = [each for each in ids if each.startswith(meant)]
    near = begins or difflib.get_close_matches(meant, ids, n=1, cutoff=_ALIKE)
    if near:
        error.hint = f"did you mean {near[0]}?"
    return error


def _given(error: RecollectError) -> str | None:
    """The id that somebody gave and that is none."""
    if isinstance(error, NotFound) and error.code == "memory_not_found":
        return str(error.details.get("memoryId") or "")
    if isinstance(error, InvalidInput) and error.code == "invalid_id" and error.violations[0].field == "memoryId":
        return error.violations[0].value.strip("'")
    return None


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@global_options
@pass_answer
def completion(answer: Answer, shell: str) -> None:
    """Print what makes SHELL complete our commands: eval "$(recollect completion bash)"."""
    from click.shell_completion import get_completion_class

    found = get_completion_class(shell)
    assert found is not None  # noqa: S101  the three above are there
    root = click.get_current_context().find_root().command
    text = found(root, {}, "recollect", "_RECOLLECT_COMPLETE").source()
    answer.give({"shell": shell, "script": text}, lambda: text)
