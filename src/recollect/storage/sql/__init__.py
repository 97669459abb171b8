"""SQL lives in .sql files: named, described, loaded once; no caller can build a query."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources

_HEADER = re.compile(r"^-- (name|fragment): (\w+)$")
_FRAGMENT_USE = re.compile(r"@(\w+)")


@cache
def queries(engine: str) -> dict[str, str]:
    """The named queries of an engine, with the fragments they use written out."""
    fragments: dict[str, str] = {}
    named: dict[str, str] = {}
    folder = resources.files(__name__) / engine
    for file in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if file.name.endswith(".sql"):
            for kind, name, text in _sections(file.read_text("utf-8")):
                (fragments if kind == "fragment" else named)[name] = text
    return {name: _FRAGMENT_USE.sub(lambda use: fragments[use.group(1)], text) for name, text in named.items()}


def _sections(text: str) -> list[tuple[str, str, str]]:
    sections: list[tuple[str, str, list[str]]] = []
    for line in text.splitlines():
        header = _HEADER.match(line)
        if header:
            sections.append((header.group(1), header.group(2), []))
        elif sections and not line.startswith("--"):
            sections[-1][2].append(line)
    return [(kind, name, "\n".join(lines).strip()) for kind, name, lines in sections]


@cache
def migrations(engine: str) -> tuple[tuple[int, str, str], ...]:
    """All migrations in order, as (number, name, SQL for this engine); the numbers have no gaps."""
    folder = resources.files(__name__) / "migrations"
    ending = f".{engine}.sql"
    found = []
    for file in folder.iterdir():
        if file.name.endswith(ending):
            number, _, name = file.name.removesuffix(ending).partition("_")
            found.append((int(number), name, file.read_text("utf-8")))
    return tuple(sorted(found))
