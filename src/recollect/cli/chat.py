"""Commands for conversations: chat, and session."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING, Any

import click

from recollect.cli.answer import Answer, global_options, pass_answer
from recollect.cli.memories import Number

if TYPE_CHECKING:
    from recollect.agent import Agent
    from recollect.model.session import Session
    from recollect.system import MemorySystem

_AGENT = "chat"


@click.command()
@click.argument("message", required=False)
@click.option("--session", "session_id", metavar="ID", help="Go on with this session [the latest].")
@click.option("--new", is_flag=True, help="Begin a new session.")
@click.option("--model", metavar="MODEL", help="none, openai:NAME, anthropic:NAME, ollama:NAME [as configured].")
@global_options
@pass_answer
def chat(answer: Answer, message: str | None, session_id: str | None, new: bool, model: str | None) -> None:
    """Talk to an agent that remembers; without MESSAGE, line by line until you end it with Ctrl-D.

    Without a language model it answers from what it remembers, quoting it.
    """
    from dataclasses import replace

    from recollect.agent import Agent
    from recollect.errors import ConfigError, MemoryDisabled
    from recollect.llm import create_model

    try:
        memory = answer.open()
    except MemoryDisabled:
        from recollect.config import load_settings

        settings = load_settings().llm
        agent = Agent(None, model=create_model(replace(settings, model=model) if model else settings))
        asyncio.run(_talk(answer, agent, message))
        return
    with memory:
        settings = memory.settings.llm
        chosen = create_model(replace(settings, model=model) if model else settings)
        speaker = answer.speaker
        if speaker["user"] is None:
            raise ConfigError("a chat needs a user", code="invalid_user", hint="say who speaks with --user")
        agent = Agent(memory, user=speaker["user"], chat=speaker["chat"], agent_id=_AGENT, model=chosen)
        agent.session = _session(memory, answer, session_id, new=new)
        asyncio.run(_talk(answer, agent, message))


def _session(memory: MemorySystem, answer: Answer, session_id: str | None, *, new: bool) -> Session | None:
    """The session to go on with; None lets the agent find the latest of this user, or make one."""
    speaker = answer.speaker
    if session_id is not None:
        session = memory.load_session(session_id, _AGENT).session
        if session.user_id != speaker["user"]:
            from recollect.errors import SessionError

            raise SessionError(f"no session {session_id}", sessionId=session_id)
        return session
    if new:
        return memory.create_session(["database"], _AGENT, **speaker).session
    own = [each for each in memory.sessions(_AGENT) if (each.user_id, each.chat_id) == tuple(speaker.values())]
    usable = [each for each in own if each.store_types == ("database",)]
    return usable[0] if usable else None


async def _talk(answer: Answer, agent: Agent, message: str | None) -> None:
    if message is not None:
        await _exchange(answer, agent, message)
        return
    if sys.stdin.isatty():
        _edit_lines()
        click.echo("Say something; Ctrl-D ends the conversation.")
    while True:
        try:
            line = await asyncio.to_thread(input, "you> " if sys.stdin.isatty() else "")
        except EOFError:
            return
        if line.strip():
            await _exchange(answer, agent, line)


def _edit_lines() -> None:
    """Arrow keys and history, where Python has them."""
    try:
        import readline
    except ImportError:
        return
    readline.set_history_length(1000)


async def _exchange(answer: Answer, agent: Agent, message: str) -> None:
    if answer.json:
        done = await agent.answer(message)
        context = done.context
        answer.print_json(
            {
                "answer": done.text,
                "sessionId": done.session_id,
                "model": done.model,
                "stored": None if done.stored is None else done.stored.memory_id,
                "cited": [] if context is None else [each.id for each in [*context.knowledge, *context.messages]],
            }
        )
        return
    async for piece in agent.stream(message):
        click.echo(piece, nl=False)
    click.echo()


@click.group()
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
    answer.give({"sessions": found}, lambda: "\n".join(lines) or "no sessions yet")


@session.command("show")
@click.argument("session_id")
@click.option("--limit", type=Number(), default=50, show_default=True, metavar="N", help="How many messages at most.")
@global_options
@pass_answer
def show_session(answer: Answer, session_id: str, limit: Any) -> None:
    """Show what was said in a session."""
    with answer.open() as memory:
        found = memory.session(session_id)
        if found is None:
            from recollect.errors import SessionError

            raise SessionError(f"no session {session_id}", sessionId=session_id)
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
        found = memory.session(session_id)
        if found is not None and not yes and not answer.json:
            click.confirm(f"Remove session {session_id} and what was said in it?", abort=True)
        memory.delete_session(session_id, found.agent_id if found else _AGENT)
    answer.give({"deleted": session_id}, lambda: f"removed {session_id}")


@session.command("clean")
@global_options
@pass_answer
def clean_sessions(answer: Answer) -> None:
    """Remove sessions whose time is over."""
    with answer.open() as memory:
        removed = memory.clean_up_sessions()
    answer.give({"removed": removed}, lambda: f"{removed} sessions removed")
