"""The named queries as psycopg takes them: values are always sent apart from the text, never written into it."""

from __future__ import annotations

import re
from functools import cache

from recollect.storage.sql import queries

_NAMED = re.compile(r"(?<![:\w]):(\w+)")


@cache
def statements() -> dict[str, bytes]:
    """Every named query with psycopg's placeholders."""
    return {name: _converted(text).encode() for name, text in queries("postgres").items()}


def _converted(text: str) -> str:
    return _NAMED.sub(r"%(\1)s", text.replace("%", "%%"))
