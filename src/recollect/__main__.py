"""`python -m recollect` is the `recollect` command."""

from recollect.cli import main

main()
