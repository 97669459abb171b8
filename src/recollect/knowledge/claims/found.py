"""Found: an attribute with the value that a clause gives it."""

from __future__ import annotations

from typing import NamedTuple


class Found(NamedTuple):
    """An attribute with its value; `of_self` says it of who speaks, whoever the clause is about."""

    attribute: str
    value: str
    negated: bool = False
    of_self: bool = False


BE = r"(?:am|is|are|be|been|was being)"


HAVE = r"(?:have|has)"
