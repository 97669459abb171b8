"""Commands for conversations: chat, and session."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import click

from recollect.cli.answer import Answer, global_options, pass_answer
from recollect.cli.memories import Number
from recollect.cli.table import table
from recollect.errors import RecollectError

if TYPE_CHECKING:
    from recollect.agent import Agent
    from recollect.config import LlmSettings
    from recollect.model.session import Session
    from recollect.system import MemorySystem

_AGENT = "chat"


@click.command()
@click.argument("message", required=False)
@click.option("--session", "session_id", metavar="ID", help="Go on with this session [the latest].")
@click.option("--new", is_flag=True, help="Begin a new session.")
@click.option("--model", metavar="MODEL", help="none, openai:NAME, anthropic:NAME, ollama:NAME [as configured].")
@click.option("--turns/--no-turns", default=None, help="Whether every turn leaves a fingerprint [as configured].")
@global_options
@pass_answer
def chat(
    answer: Answer, message: str | None, session_id: str | None, new: bool, model: str | None, turns: bool | None
) -> None:
    """Talk to an agent that remembers; without MESSAGE, line by line until you end it with Ctrl-D.

    Without a language model it answers from what it remembers, quoting it.
    """
    from dataclasses import replace

    from recollect.agent import Agent
    from recollect.errors import ConfigError, InvalidInput, MemoryDisabled
    from recollect.llm import create_model

    if message is not None and not message.strip():
        raise InvalidInput.of("invalid_content", "message", message, "something to answer")
    try:
        memory = answer.open()
    except MemoryDisabled:
        memory = None
    with memory or nullcontext():
        settings = _llm_settings(answer) if memory is None else memory.settings.llm
        chosen = create_model(replace(settings, model=model) if model else settings)
        speaker = answer.speaker
        if speaker["user"] is None:
            raise ConfigError("a chat needs a user", code="invalid_user", hint="say who speaks with --user")
        used = None if memory is None or _has_no_memory(memory) else memory
        agent = Agent(used, user=speaker["user"], chat=speaker["chat"], agent_id=_AGENT, model=chosen, turns=turns)
        if used is not None:
            agent.session = _session(used, answer, session_id, new=new)
        _talk(answer, agent, message)


def _llm_settings(answer: Answer) -> LlmSettings:
    from pathlib import Path

    from recollect.config import load_settings
    from recollect.storage.open import default_files, server_url

    place = answer.files or default_files() if server_url(answer.root) else answer.root
    return load_settings(Path(place).expanduser(), answer.orchestrator).llm


def _has_no_memory(memory: MemorySystem) -> bool:
    """Whether the settings say that this agent has none: `agents.chat.memory = []`."""
    agent = memory.settings.agents.get(_AGENT)
    return agent is not None and not agent.memory


def _session(memory: MemorySystem, answer: Answer, session_id: str | None, *, new: bool) -> Session | None:
    """The session to go on with; None lets the agent find the latest of this user, or make one."""
    speaker = answer.speaker
    if session_id is not None:
        own_session(memory, answer, session_id)
        return memory.load_session(session_id, _AGENT).session
    if new:
        return memory.create_session(["database"], _AGENT, **speaker).session
    own = [each for each in memory.sessions(_AGENT) if (each.user_id, each.chat_id) == tuple(speaker.values())]
    usable = [each for each in own if each.store_types == ("database",)]
    return usable[0] if usable else None


def _talk(answer: Answer, agent: Agent, message: str | None) -> None:
    """One exchange, or one after the other; lines are read outside the event loop, so that Ctrl-C ends the reading."""
    import asyncio

    with asyncio.Runner() as runner:
        if message is not None:
            runner.run(_exchange(answer, agent, message))
            return
        if sys.stdin.isatty():
            _edit_lines()
            click.echo("Say something; Ctrl-D ends the conversation.")
        failed = False
        for line in _lines():
            try:
                runner.run(_exchange(answer, agent, line))
            except RecollectError as error:  # one line that fails does not end the conversation
                failed = True
                click.echo(f"recollect: {error.message} [{error.code}]", err=True)
    if failed and not sys.stdin.isatty():
        raise click.exceptions.Exit(1)


def _lines() -> Iterator[str]:
    while True:
        try:
            line = input("you> " if sys.stdin.isatty() else "")
        except EOFError:
            return
        except UnicodeDecodeError:
            click.echo("recollect: that line is not UTF-8 [invalid_content]", err=True)
            continue
        if line.strip():
            yield line


def _edit_lines() -> None:
    """Arrow keys and history, where Python has them."""
    try:
        import readline
    except ImportError:
        return
    readline.set_history_length(1000)


def own_session(memory: MemorySystem, answer: Answer, session_id: str) -> Session:
    """A session of whoever speaks; another's looks as if it were not there."""
    from recollect.errors import SessionError

    found = memory.session(session_id)
    if found is None or found.user_id not in {None, answer.speaker["user"]}:
        raise SessionError(f"no session {session_id}", sessionId=session_id)
    return found


async def _exchange(answer: Answer, agent: Agent, message: str) -> None:
    if answer.json:
        done = await agent.answer(message)
        context = done.context
        answer.print_json(
            {
                "answer": done.text,
                "sessionId": done.session_id,
                "turnId": done.turn_id,
                "model": done.model,
                "stored": None if done.stored is None else done.stored.memory_id,
                "cited": [] if context is None else [each.id for each in [*context.knowledge, *context.messages]],
            }
        )
        return
    async for piece in agent.stream(message):
        click.echo(piece, nl=False)
    click.echo()


@click.group(no_args_is_help=True)
@global_options
def session() -> None:
    """Look at conversations and end them."""


@session.command("list")
@click.option("--agent", "agent_id", metavar="ID", help="Only sessions of this agent.")
@click.option("--limit", type=Number(), default=20, show_default=True, metavar="N", help="How many at most.")
@global_options
@pass_answer
def list_sessions(answer: Answer, agent_id: str | None, limit: Any) -> None:
    """Show sessions, the one used last first."""
    with answer.open() as memory:
        found = memory.sessions(agent_id, limit=limit)
    lines = [
        f"{each.session_id}  {each.agent_id:<12} {each.user_id or '-':<12} {each.updated_at:%Y-%m-%d %H:%M}"
        for each in found
    ]
    rows = [
        (each.session_id, each.agent_id, each.user_id or "-", f"{each.updated_at:%Y-%m-%d %H:%M}") for each in found
    ]
    headings = ("SESSION", "AGENT", "USER", "LAST USED")
    answer.give({"sessions": found}, lambda: table(headings, rows, lines) or "no sessions yet")


@session.command("show")
@click.argument("session_id")
@click.option("--limit", type=Number(), default=50, show_default=True, metavar="N", help="How many messages at most.")
@global_options
@pass_answer
def show_session(answer: Answer, session_id: str, limit: Any) -> None:
    """Show what was said in a session."""
    with answer.open() as memory:
        found = own_session(memory, answer, session_id)
        handle = memory.load_session(session_id, found.agent_id)
        entries = handle.call("transcript_read_last", limit)
        usage = memory.usage(session_id)
    text = "\n\n".join(f"{each.role.value}: {each.content}" for each in entries)
    answer.give({"session": found, "transcript": entries, "usage": usage}, lambda: text or "nothing was said yet")


@session.command("delete")
@click.argument("session_id")
@click.option("--yes", is_flag=True, help="Do not ask.")
@global_options
@pass_answer
def delete_session(answer: Answer, session_id: str, yes: bool) -> None:
    """Remove a session and what was said in it; what was learned from it stays."""
    with answer.open() as memory:
        found = own_session(memory, answer, session_id)
        if not yes:
            answer.confirm(f"Remove session {session_id} and what was said in it?")
        memory.delete_session(session_id, found.agent_id)
    answer.give({"deleted": session_id}, lambda: f"removed {session_id}")


@session.command("clean")
@global_options
@pass_answer
def clean_sessions(answer: Answer) -> None:
    """Remove sessions whose time is over."""
    with answer.open() as memory:
        removed = memory.clean_up_sessions()
    answer.give({"removed": removed}, lambda: f"{removed} sessions removed")
