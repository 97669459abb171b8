"""Writes the generated reference pages: `make docs`."""

from __future__ import annotations

from pathlib import Path

from reference_pages import commands_page, errors_page, settings_page

from recollect.cli.main import cli

PAGES = {
    "commands.md": lambda: commands_page(cli),
    "settings.md": settings_page,
    "errors.md": errors_page,
}

if __name__ == "__main__":
    for name, make in PAGES.items():
        Path(__file__).with_name("reference").joinpath(name).write_text(make(), "utf-8")
