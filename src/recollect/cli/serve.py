"""Commands for other programs: serve, mcp, token."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

from recollect.cli.answer import Answer, global_options, pass_answer
from recollect.cli.table import table

_tools = click.option(
    "--tools",
    type=click.Choice(["recollect", "reference"]),
    default="recollect",
    show_default=True,
    help="Which tools MCP offers: our own, or those of the reference memory server.",
)


def _user(answer: Answer) -> str:
    from recollect.errors import ConfigError

    user = answer.speaker["user"]
    if user is None:
        raise ConfigError(
            "who calls from this machine?", code="invalid_user", hint="say it with --user or RECOLLECT_USER"
        )
    return str(user)


@click.command()
@click.option("--host", metavar="HOST", help="Where to listen [127.0.0.1]; beyond this machine only with tokens.")
@click.option("--port", type=click.IntRange(0, 65535), metavar="PORT", help="The port [8765]; 0: any that is free.")
@click.option("--socket", "unix_socket", type=click.Path(path_type=Path), metavar="PATH", help="A Unix socket, too.")
@click.option("--no-inspector", is_flag=True, help="No pages for browsers: only what programs call.")
@click.option("--no-watch", is_flag=True, help="Do not ingest what is dropped into the ingest folder.")
@_tools
@global_options
@pass_answer
def serve(
    answer: Answer,
    host: str | None,
    port: int | None,
    unix_socket: Path | None,
    no_inspector: bool,
    no_watch: bool,
    tools: str,
) -> None:
    """Serve memory over HTTP, JSON-RPC and MCP, and to people in a browser, until Ctrl-C.

    Without tokens it answers on this machine only, as the user that the environment names. Once there are tokens,
    everybody needs one.
    """
    _check_packages()
    from recollect.server.serve import serve as run

    pages = None if no_inspector else _pages()
    with answer.open() as memory:

        def told(url: str) -> None:
            click.echo(f"Recollect serves {memory.orchestrator_id} at {url}")
            click.echo(
                f"  curl -s {url}/v1/remember -H 'Content-Type: application/json' -d '{{\"content\": \"I like tea\"}}'"
            )
            click.echo(f"  curl -s {url}/v1/recall -H 'Content-Type: application/json' -d '{{\"query\": \"tea\"}}'")
            click.echo(f"  {url}/docs lists everything; MCP is at {url}/mcp/; Ctrl-C ends")
            if pages is None and not no_inspector:
                click.echo("  pip install 'recollect[inspector]' for pages to look at it in a browser")
            elif pages is not None:
                click.echo(f"  {url}/ in a browser shows what is remembered")

        run(
            memory,
            user=_user(answer),
            chat=answer.chat,
            host=host,
            port=port,
            unix_socket=unix_socket,
            watch=not no_watch,
            pages=pages,
            tools=tools,
            told=told,
        )


@click.command()
@_tools
@global_options
@pass_answer
def mcp(answer: Answer, tools: str) -> None:
    """Speak MCP over standard input and output; name this command in a client's configuration."""
    _check_packages()
    from recollect.server.stdio import serve_stdio

    serve_stdio(answer.open, user=_user(answer), chat=answer.chat, tools=tools)


def _pages() -> Callable[..., None] | None:
    """What adds the inspector's pages, where its package is installed."""
    if find_spec("nicegui") is None:
        return None
    from recollect.inspector import mount

    return mount


def _check_packages() -> None:
    from recollect.errors import ConfigError

    missing = [name for name in ("fastapi", "uvicorn", "mcp", "prometheus_client") if find_spec(name) is None]
    if missing:
        raise ConfigError(
            f"serving needs {', '.join(missing)}", code="missing_package", hint="pip install 'recollect[server]'"
        )


@click.group(no_args_is_help=True)
@global_options
def token() -> None:
    """Who may call from outside: make tokens, list them, revoke them."""


@token.command("create")
@click.option("--for-user", required=True, metavar="USER", help="Whom a caller with it is.")
@click.option("--for-chat", metavar="CHAT", help="In which chat.")
@click.option(
    "--rights",
    type=click.Choice(["read", "write", "admin"]),
    default="read",
    show_default=True,
    help="What they may do.",
)
@click.option("--expires", metavar="WHEN", help="When it ends: 30d, 2w or a date [never].")
@click.option("--label", metavar="TEXT", help="What it is for.")
@global_options
@pass_answer
def create_token(
    answer: Answer, for_user: str, for_chat: str | None, rights: str, expires: str | None, label: str | None
) -> None:
    """Make a token. It is shown once: only a digest of it is kept."""
    with answer.open() as memory:
        text, made = memory.create_token(for_user, chat=for_chat, rights=rights, expires=expires, label=label)
    answer.give({"token": text, **_told(made)}, lambda: text)


@token.command("list")
@global_options
@pass_answer
def list_tokens(answer: Answer) -> None:
    """List tokens: whom they are for, what they allow, and whether they still do."""
    from recollect.model.clock import SystemClock

    with answer.open() as memory:
        found = memory.tokens()
    now = SystemClock().now()
    rows = [
        (each.token_id, each.rights.value, each.user_id, each.chat_id or "", _until(each, now), each.label or "")
        for each in found
    ]
    lines = ["  ".join(row).rstrip() for row in rows]
    headings = ("TOKEN", "RIGHTS", "USER", "CHAT", "VALID", "LABEL")
    answer.give({"tokens": [_told(each) for each in found]}, lambda: table(headings, rows, lines) or "no tokens yet")


@token.command("revoke")
@click.argument("token_id")
@global_options
@pass_answer
def revoke_token(answer: Answer, token_id: str) -> None:
    """From now on nobody gets in with this token."""
    with answer.open() as memory:
        revoked = memory.revoke_token(token_id)
    answer.give(_told(revoked), lambda: f"{token_id} is revoked")


def _told(found: Any) -> dict[str, Any]:
    from recollect.model.wire import dump

    data: dict[str, Any] = dump(found)
    return {name: value for name, value in data.items() if name != "digest"}


def _until(found: Any, now: datetime) -> str:
    if found.revoked_at is not None:
        return "revoked"
    if found.expires_at is not None and found.expires_at <= now:
        return "expired"
    return "for good" if found.expires_at is None else f"until {found.expires_at:%Y-%m-%d}"
