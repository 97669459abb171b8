"""Commands that forget for good, and prove it: forget, verify-erased."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from recollect.cli.answer import Answer, global_options, pass_answer

if TYPE_CHECKING:
    from recollect.knowledge.forget import Forgotten
    from recollect.system import MemorySystem


@click.command()
@click.argument("memory_ids", nargs=-1, metavar="MEMORY_ID...")
@click.option("--person", metavar="PERSON", help="Forget somebody, with every fact about them.")
@click.option("--all-of-user", metavar="USER", help="Forget everything that is one user's.")
@click.option("--everything", is_flag=True, help="Forget everything of the orchestrator.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@global_options
@pass_answer
def forget(
    answer: Answer,
    memory_ids: tuple[str, ...],
    person: str | None,
    all_of_user: str | None,
    everything: bool,
    yes: bool,
) -> None:
    """Forget memories for good: they leave no trace and are not learned again by themselves."""
    asked = [bool(memory_ids), person is not None, all_of_user is not None, everything]
    if sum(asked) != 1:
        raise click.UsageError("say what to forget: memory ids, --person, --all-of-user or --everything")
    what = _what(answer, memory_ids, person, all_of_user)
    if not yes:
        answer.confirm(f"Forget {what} for good? This cannot be undone.")
    if everything:
        _check_there(answer)
        answer.open().forget_everything(answer.orchestrator)
        answer.give({"forgotten": answer.orchestrator}, lambda: f"forgotten: {what}")
        return
    with answer.open() as memory:
        gone = _forget(memory, answer, memory_ids, person, all_of_user)
    answer.give(
        gone, lambda: f"forgotten: {gone.memories} memories, {gone.people} people, {gone.messages} messages, "
        f"{gone.sessions} sessions"
    )  # fmt: skip


def _check_there(answer: Answer) -> None:
    """Opening would make what is not there."""
    from recollect.errors import NotFound
    from recollect.storage.layout import Layout
    from recollect.storage.open import server_url

    if server_url(answer.root) is None and not Layout.of(answer.root, answer.orchestrator).database.exists():
        raise NotFound(
            f"there is no orchestrator {answer.orchestrator} in {answer.root}",
            code="orchestrator_not_found",
            hint="see --root and --orchestrator",
        )


def _what(answer: Answer, memory_ids: tuple[str, ...], person: str | None, user: str | None) -> str:
    if memory_ids:
        return f"{len(memory_ids)} memories" if len(memory_ids) > 1 else f"memory {memory_ids[0]}"
    if person is not None:
        return f"{person} and every fact about them"
    return f"everything of user {user}" if user is not None else f"everything of orchestrator {answer.orchestrator}"


def _forget(
    memory: MemorySystem, answer: Answer, memory_ids: tuple[str, ...], person: str | None, user: str | None
) -> Forgotten:
    if person is not None:
        return memory.forget_person(person, **answer.speaker)
    if user is not None:
        return memory.forget_user(user)
    return memory.forget(memory_ids, **answer.speaker)


@click.command("verify-erased")
@click.argument("text")
@global_options
@pass_answer
def verify_erased(answer: Answer, text: str) -> None:
    """Look for what is left of TEXT: in the database, its index and journals, sessions, logs and all other files."""
    with answer.open() as memory:
        found = memory.verify_erased(text)
    answer.give(
        found, lambda: "Nothing of it is left." if found.clean else "\n".join(["It is still in:", *found.places])
    )
    if not found.clean:
        raise click.exceptions.Exit(1)
