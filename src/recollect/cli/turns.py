"""Commands for turn memory: turn list, show, feedback and report, and journal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from recollect.cli.answer import Answer, global_options, pass_answer
from recollect.cli.chat import own_session
from recollect.cli.memories import Number
from recollect.cli.table import table

if TYPE_CHECKING:
    from recollect.model.turn import TurnFingerprint
    from recollect.system import MemorySystem

_session_option = click.option("--session", "session_id", metavar="ID", help="Which conversation [the one used last].")


@click.group(no_args_is_help=True)
@global_options
def turn() -> None:
    """What each turn of a conversation left behind; see `agents.<id>.turns`, or `chat --turns`."""


@turn.command("list")
@_session_option
@click.option("--limit", type=Number(), default=20, show_default=True, metavar="N", help="How many at most.")
@global_options
@pass_answer
def list_turns(answer: Answer, session_id: str | None, limit: Any) -> None:
    """List the fingerprints of a conversation's turns, newest first."""
    with answer.open() as memory:
        user, conversation = _where(memory, answer, session_id)
        found = memory.turns(user, conversation, limit=limit)
    rows = [(each.turn_id, f"{each.made_at:%Y-%m-%d %H:%M}", " ".join(each.objective.split())) for each in found]
    text = table(("TURN", "WHEN", "OBJECTIVE"), rows, list(map(_line, found)))
    told = text or "no turns yet: talk with `recollect chat --turns`"
    answer.give({"sessionId": conversation, "turns": [each.to_json() for each in found]}, lambda: told)


@turn.command("show")
@click.argument("turn_id")
@_session_option
@global_options
@pass_answer
def show_turn(answer: Answer, turn_id: str, session_id: str | None) -> None:
    """Show all that is kept of a turn: what was said, its fingerprint, and the feedback it got."""
    with answer.open() as memory:
        user, conversation = _where(memory, answer, session_id)
        log = memory.turn_log(user, conversation, turn_id)
    answer.give({"sessionId": conversation, "turn": log}, lambda: _told(log))


@turn.command("feedback")
@click.argument("turn_id")
@click.argument("reaction", type=click.Choice(["ok", "not_ok", "neutral", "clear"]))
@click.option("--text", default="", metavar="TEXT", help="What was right or wrong about it.")
@_session_option
@global_options
@pass_answer
def feedback(answer: Answer, turn_id: str, reaction: str, text: str, session_id: str | None) -> None:
    """Say what you think of the answer of a turn; `clear` takes it back."""
    with answer.open() as memory:
        user, conversation = _where(memory, answer, session_id)
        wanted = None if reaction == "clear" else reaction
        given = memory.give_feedback(user, conversation, turn_id, wanted, "" if wanted is None else text)
    answer.give(
        {"sessionId": conversation, "turnId": turn_id, "feedback": None if given is None else given.to_json()},
        lambda: f"{turn_id}: no feedback" if given is None else f"{turn_id}: {given.reaction} {given.text}".strip(),
    )


@turn.command("report")
@click.option("--since", metavar="TIME", help="From this time on.")
@click.option("--until", metavar="TIME", help="Before this time.")
@global_options
@pass_answer
def report(answer: Answer, since: str | None, until: str | None) -> None:
    """Count the feedback of a user in a period, by conversation."""
    with answer.open() as memory:
        found = memory.feedback_report(_user(answer), since=since, until=until)
    lines = [f"{name}  {_counts(counts)}" for name, counts in found.conversations.items()]
    answer.give(found, lambda: "\n".join([f"in all  {_counts(found.total)}", *lines]))


@click.command()
@click.argument("message", default="")
@click.option(
    "--view",
    type=click.Choice(["gate", "reconciler", "downstream", "final_answer"]),
    default="gate",
    show_default=True,
    help="Whose journal.",
)
@_session_option
@global_options
@pass_answer
def journal(answer: Answer, message: str, view: str, session_id: str | None) -> None:
    """Show the journal that an agent would be given for MESSAGE; nothing is stored."""
    import asyncio

    from recollect.agent.turn import Scratchpad, journal_for

    with answer.open() as memory:
        user, conversation = _where(memory, answer, session_id)
        pad = Scratchpad(memory=memory, user_id=user, conversation_id=conversation, turn_id="next", message=message)
        text = asyncio.run(journal_for(pad, view))
    answer.give({"sessionId": conversation, "view": view, "journal": text}, lambda: text)


def _user(answer: Answer) -> str:
    from recollect.errors import ConfigError

    user = answer.speaker["user"]
    if user is None:
        raise ConfigError("turns are a user's", code="invalid_user", hint="say who speaks with --user")
    return str(user)


def _where(memory: MemorySystem, answer: Answer, session_id: str | None) -> tuple[str, str]:
    """Whose conversation it is: the one that was named, or the latest of whoever speaks."""
    from recollect.errors import SessionError

    user = _user(answer)
    if session_id is not None:
        return user, own_session(memory, answer, session_id).session_id
    own = [each for each in memory.sessions() if each.user_id == user]
    if not own:
        raise SessionError(f"{user} has no sessions yet", hint="begin one with: recollect chat --turns")
    return user, own[0].session_id


def _line(fingerprint: TurnFingerprint) -> str:
    counts = [
        f"{len(items)} {name}"
        for name, items in (
            ("assertions", fingerprint.assertions),
            ("exceptions", fingerprint.exceptions),
            ("facts", fingerprint.facts),
            ("signals", fingerprint.assistant_signals),
        )
        if items
    ]
    told = f"  ({', '.join(counts)})" if counts else ""
    return f"{fingerprint.turn_id}  {fingerprint.made_at:%Y-%m-%d %H:%M}  {fingerprint.objective}{told}"


def _told(log: dict[str, Any]) -> str:
    from recollect.prompt.blocks import format_turn_memories_block

    record = log.get("turn_log") or {}
    lines = [f"user: {log.get('user_message') or ''}", f"assistant: {log.get('answer') or ''}", ""]
    lines.append(format_turn_memories_block([(record.get("state") or {}).get("fingerprint") or {}], "", ""))
    lines += [
        f"feedback: {each.get('origin')} {each.get('reaction') or ''} {each.get('text') or ''}".rstrip()
        for each in record.get("feedbacks") or []
    ]
    return "\n".join(lines)


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.items())
