"""The command line: reads arguments, calls the public API, prints what it answers. No logic of its own."""

from __future__ import annotations

from recollect.cli.main import main

__all__ = ["main"]
