"""The `recollect` command: its global options, and what it does with errors."""

from __future__ import annotations

import os
import sys
from importlib.metadata import version

import click

from recollect.cli.answer import Answer, global_options
from recollect.cli.chat import chat, session
from recollect.cli.database import copy, db
from recollect.cli.demo import demo
from recollect.cli.evaluate import evaluate_command
from recollect.cli.forget import forget, verify_erased
from recollect.cli.ingest import bulletin, ingest
from recollect.cli.memories import COMMANDS
from recollect.cli.model import model
from recollect.cli.moving import backup, export_command, import_command, restore, why
from recollect.cli.people import people
from recollect.cli.search import context, search
from recollect.cli.serve import mcp, serve, token
from recollect.cli.suggest import completion, suggested
from recollect.cli.turns import journal, turn
from recollect.cli.upkeep import doctor, gc, reindex, upkeep
from recollect.errors import RecollectError


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(version("recollect"), message="recollect %(version)s")
@global_options
def cli() -> None:
    """Long-term memory for AI agents.

    Everything lives under one root (a folder, or a PostgreSQL server), one orchestrator (agent) at a time. Global
    options may stand before or after the command and can be set by RECOLLECT_ROOT, RECOLLECT_FILES,
    RECOLLECT_ORCHESTRATOR, RECOLLECT_USER and RECOLLECT_CHAT.
    """


for _command in (
    *(*COMMANDS, search, context, why, chat, session, turn, journal, people),
    *(forget, verify_erased, ingest, bulletin, upkeep, reindex, model, gc, doctor),
    *(export_command, import_command, backup, restore, copy, db),
    *(serve, mcp, token, evaluate_command, completion, demo),
):
    cli.add_command(_command)


def run() -> None:
    """Runs the command line; refusals exit with 1 and one line, never with a traceback."""
    answer = Answer()
    try:
        sys.exit(cli.main(standalone_mode=False, obj=answer))  # what a command's Exit says, or None
    except (click.Abort, KeyboardInterrupt):
        _refuse(RecollectError("interrupted", code="interrupted"), 130)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
    except click.UsageError as error:
        hint = error.ctx and f"try '{error.ctx.command_path} --help'"
        _refuse(RecollectError(error.format_message(), code="usage", hint=hint or None), 1)
    except click.ClickException as error:
        _refuse(RecollectError(error.format_message(), code="usage"), 1)
    except RecollectError as error:
        _refuse(suggested(error, answer), 1)
    except BrokenPipeError:
        _silence_stdout()  # the reader has seen enough
        sys.exit(1)
    except Exception as error:
        if os.environ.get("RECOLLECT_TRACEBACK"):
            raise
        _silence_stdout()
        hint = "set RECOLLECT_TRACEBACK=1 to see where"
        _refuse(RecollectError(f"{type(error).__name__}: {error}", code="internal_error", hint=hint), 1)


def _silence_stdout() -> None:
    """Python would complain when it flushes at exit what nobody can take."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _refuse(error: RecollectError, exit_code: int) -> None:
    """One line for people on stderr; with --json also the error as JSON on stdout."""
    options = sys.argv[: sys.argv.index("--")] if "--" in sys.argv else sys.argv
    if "--json" in options:
        Answer.print_json({"error": error.to_json()})
    hint = f" ({error.hint})" if error.hint else ""
    line = " ".join(f"recollect: {error.message}{hint} [{error.code}]".split())
    click.echo(line.encode("utf-8", "backslashreplace").decode("utf-8"), err=True)
    sys.exit(exit_code)
