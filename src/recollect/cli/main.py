"""The `recollect` command: its global options, and what it does with errors."""

from __future__ import annotations

import os
import sys
from importlib.metadata import version

import click

from recollect.cli.answer import Answer, global_options
from recollect.cli.demo import demo
from recollect.cli.memories import COMMANDS
from recollect.cli.search import search
from recollect.errors import RecollectError


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(version("recollect"), message="recollect %(version)s")
@global_options
def cli() -> None:
    """Long-term memory for AI agents.

    Everything lives under one root folder, one orchestrator (agent) at a time. Global options may stand before
    or after the command and can be set by RECOLLECT_ROOT, RECOLLECT_ORCHESTRATOR, RECOLLECT_USER, RECOLLECT_CHAT.
    """


for _command in (*COMMANDS, search, demo):
    cli.add_command(_command)


def main() -> None:
    """Runs the command line; refusals exit with 1 and one line, never with a traceback."""
    try:
        sys.exit(cli.main(standalone_mode=False, obj=Answer()))  # what a command's Exit says, or None
    except (click.Abort, KeyboardInterrupt):
        _refuse(RecollectError("interrupted", code="interrupted"), 130)
    except click.UsageError as error:
        hint = error.ctx and f"try '{error.ctx.command_path} --help'"
        _refuse(RecollectError(error.format_message(), code="usage", hint=hint or None), 1)
    except click.ClickException as error:
        _refuse(RecollectError(error.format_message(), code="usage"), 1)
    except RecollectError as error:
        _refuse(error, 1)
    except BrokenPipeError:
        # The reader has seen enough. Python would complain when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)


def _refuse(error: RecollectError, exit_code: int) -> None:
    """One line for people on stderr; with --json also the error as JSON on stdout."""
    if "--json" in sys.argv:
        Answer.print_json({"error": error.to_json()})
    hint = f" ({error.hint})" if error.hint else ""
    line = " ".join(f"recollect: {error.message}{hint} [{error.code}]".split())
    click.echo(line.encode("utf-8", "backslashreplace").decode("utf-8"), err=True)
    sys.exit(exit_code)
