"""The reference pages, generated from the code, so that they cannot fall behind it."""

from __future__ import annotations

import inspect

import click

from recollect import config, errors

_NOTE = "<!-- Made by `make docs`; a test fails when it is stale. -->\n"


def commands_page(cli: click.Group) -> str:
    """Every command with its arguments and options."""
    parts = ["# Commands\n", _NOTE]
    context = click.Context(cli, info_name="recollect")
    for name in cli.list_commands(context):
        command = cli.get_command(context, name)
        if command is not None:
            with click.Context(command, info_name=f"recollect {name}", max_content_width=100) as sub:
                parts.append(f"## recollect {name}\n\n```\n{command.get_help(sub)}\n```\n")
    return "\n".join(parts)


def settings_page() -> str:
    """Every setting with its type, default and sentence."""
    rows = [
        f"| `{key}` | {kind} | `{_toml(default)}` | {sentence} |"
        for key, kind, default, sentence in config.documented()
    ]
    summary = (config.__doc__ or "").partition("\n\n")[2].strip()
    table = "\n".join(["| key | type | default | |", "|---|---|---|---|", *rows])
    return f"# Settings\n\n{_NOTE}\n{summary}\n\n{table}\n"


def errors_page() -> str:
    """Every error class with its code."""
    classes = [cls for _, cls in inspect.getmembers(errors, inspect.isclass) if issubclass(cls, errors.RecollectError)]
    rows = [f"| `{cls.__name__}` | `{cls.default_code}` | {(cls.__doc__ or '').strip()} |" for cls in classes]
    tree = (errors.__doc__ or "").partition("\n\n")[2].rstrip()
    table = "\n".join(["| class | code | |", "|---|---|---|", *rows])
    return (
        f"# Errors\n\n{_NOTE}\nEvery error has a `code`, a `message` and, where there is something to do about it, a "
        f"`hint`. `InvalidInput` takes the code of its first violation (`invalid_importance`, `invalid_scope`, …) and "
        f"lists all of them.\n\n```\n{tree}\n```\n\n{table}\n"
    )


def _toml(value: object) -> str:
    return {True: "true", False: "false"}.get(value, repr(value)) if isinstance(value, bool) else repr(value)
