"""What every command needs: the global options, the opened memory, and how answers are printed."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from recollect.system import MemorySystem

F = TypeVar("F", bound=Callable[..., Any])

DEFAULT_ROOT = "~/.recollect"
DEFAULT_ORCHESTRATOR = "default"
DEFAULT_USER = "local"


@dataclass
class Answer:
    """The values of the global options, gathered from before and after the command."""

    root: str = DEFAULT_ROOT
    files: str | None = None
    orchestrator: str = DEFAULT_ORCHESTRATOR
    user: str | None = None
    chat: str | None = None
    json: bool = False

    @property
    def speaker(self) -> dict[str, Any]:
        """Who speaks: the person at this machine, unless a user or a chat was named."""
        user = self.user if self.user is not None or self.chat is not None else DEFAULT_USER
        return {"user": user, "chat": self.chat}

    def open(self) -> MemorySystem:
        """The memory that the options name."""
        from recollect.system import open as open_memory

        return open_memory(self.root, orchestrator=self.orchestrator, files=self.files)

    def give(self, data: Any, text: Callable[[], str]) -> None:
        """Prints an answer: as JSON when asked for, otherwise as text."""
        if self.json:
            from recollect.model.wire import dump

            self.print_json(dump(data))
        else:
            click.echo(text())

    @staticmethod
    def confirm(question: str) -> None:
        """Asks before something is destroyed; whoever says no gets nothing done."""
        from recollect.errors import RecollectError

        if not click.confirm(question, err=True):
            raise RecollectError("nothing was done", code="declined")

    @staticmethod
    def print_json(data: Any) -> None:
        """One JSON document, indented, in the order given."""
        click.echo(json.dumps(data, ensure_ascii=False, indent=2).encode("utf-8", "backslashreplace").decode("utf-8"))


_OPTIONS: tuple[tuple[tuple[str, ...], dict[str, Any]], ...] = (
    (
        ("--root",),
        {
            "metavar": "PLACE",
            "envvar": "RECOLLECT_ROOT",
            "help": f"Where memory lives: a folder or postgresql://… [{DEFAULT_ROOT}].",
        },
    ),
    (
        ("--files",),
        {
            "metavar": "FOLDER",
            "envvar": "RECOLLECT_FILES",
            "help": f"Where files lie when memory is on a server [{DEFAULT_ROOT}].",
        },
    ),
    (
        ("--orchestrator",),
        {"metavar": "ID", "envvar": "RECOLLECT_ORCHESTRATOR", "help": f"Whose memory it is [{DEFAULT_ORCHESTRATOR}]."},
    ),
    (("--user",), {"metavar": "ID", "envvar": "RECOLLECT_USER", "help": f"Who speaks [{DEFAULT_USER}]."}),
    (("--chat",), {"metavar": "ID", "envvar": "RECOLLECT_CHAT", "help": "Where: a chat that others see too."}),
    (("--json",), {"is_flag": True, "help": "Answer in JSON."}),
)

pass_answer = click.make_pass_decorator(Answer)


def _keep(context: click.Context, parameter: click.Parameter, value: Any) -> None:
    """Keeps an option's value; one given after the command wins over one before it, and both over the environment."""
    name = parameter.name
    source = context.get_parameter_source(name) if name else None
    if name and value is not None and source is not None and source.name != "DEFAULT":
        answer = context.ensure_object(Answer)
        if source.name == "ENVIRONMENT" and context.parent is not None:
            return  # read once, at the top
        setattr(answer, name, value)


def global_options(command: F) -> F:
    """Adds the options that every command takes."""
    for names, settings in reversed(_OPTIONS):
        command = click.option(*names, callback=_keep, expose_value=False, **settings)(command)
    return command
