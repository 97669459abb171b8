"""Tables: aligned, headed and cut to the window in a terminal; plain lines, whole, where they are read by a program."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence

import click

_NARROWEST = 20
_GAP = 2


def table(headings: Sequence[str], rows: Sequence[Sequence[str]], plain: Sequence[str]) -> str:
    """Rows as a table in a terminal; `plain` is what is printed elsewhere."""
    if not sys.stdout.isatty() or not rows:
        return "\n".join(plain)
    widths = [max(len(heading), *(len(row[n]) for row in rows)) for n, heading in enumerate(headings)]
    before = sum(widths[:-1]) + _GAP * (len(widths) - 1)
    widths[-1] = max(_NARROWEST, shutil.get_terminal_size().columns - before)  # the last column takes what is left
    lines = [click.style(_line(headings, widths).rstrip(), bold=True)]
    lines += [_line(row, widths).rstrip() for row in rows]
    return "\n".join(lines)


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    cut = [cell if len(cell) <= width else cell[: width - 1] + "…" for cell, width in zip(cells, widths, strict=True)]
    return (" " * _GAP).join(cell.ljust(width) for cell, width in zip(cut, widths, strict=True))
