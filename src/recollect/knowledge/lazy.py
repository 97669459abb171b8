"""Patterns that are compiled when they are first used: there are hundreds, and most commands need none of them."""

from __future__ import annotations

import re
from typing import Any, cast


class _Lazy:
    def __init__(self, pattern: str, flags: int) -> None:
        self._source = (pattern, flags)

    def __getattr__(self, name: str) -> Any:
        found = getattr(re.compile(*self._source), name)
        self.__dict__[name] = found  # found directly from now on
        return found


def lazy(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """A pattern that behaves like a compiled one."""
    return cast("re.Pattern[str]", _Lazy(pattern, flags))
