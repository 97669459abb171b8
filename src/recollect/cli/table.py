"""Tables: aligned, headed and cut to the window in a terminal; plain lines, whole, where they are read by a program."""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence


def table(headings: Sequence[str], rows: Sequence[Sequence[str]], plain: Sequence[str]) -> str:
    """Rows as a table in a terminal; `plain` is what is printed elsewhere."""
    if not sys.stdout.isatty() or not rows:
        return "\n".join(plain)
    # Imported where somebody looks: programs do not wait for it.
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    made = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for heading in headings[:-1]:
        made.add_column(heading, no_wrap=True)
    made.add_column(headings[-1], no_wrap=True, overflow="ellipsis", ratio=1)
    for row in rows:
        made.add_row(*(Text(cell) for cell in row))  # what is stored is text, never markup
    out = io.StringIO()
    Console(file=out, width=Console().width, force_terminal=True, emoji=False, highlight=False).print(made)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines())
