"""The command line: reads arguments, calls the public API, prints what it answers. No logic of its own."""

from __future__ import annotations

import sys


def main() -> None:
    """Runs the `recollect` command."""
    try:
        from recollect.cli.main import run
    except KeyboardInterrupt:
        sys.stderr.write("recollect: interrupted [interrupted]\n")
        sys.exit(130)
    run()
