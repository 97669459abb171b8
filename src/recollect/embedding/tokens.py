"""Counting tokens: by a real tokenizer where one is installed, by an upper estimate otherwise."""

from __future__ import annotations

import re
from functools import cache
from typing import Any, Protocol

from recollect.embedding.onnx import minilm_installed, minilm_tokenizer

# Words, numbers in groups of three, single marks: never fewer pieces than a sub-word tokenizer makes of English.
_PIECES = re.compile(r"[^\W\d_]{1,4}|\d{1,3}|[^\w\s]|_")


class TokenCounter(Protocol):
    """Counts the tokens of a text."""

    @property
    def name(self) -> str:
        """How they are counted."""
        ...

    def count(self, text: str) -> int:
        """How many tokens a text has."""
        ...


class WordPieces:
    """The tokenizer of the default embedding model."""

    name = "wordpiece"

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer

    def count(self, text: str) -> int:
        """How many word pieces a text has, all of it."""
        return len(self._tokenizer.encode(text, add_special_tokens=False).ids)


class Estimate:
    """An upper estimate that needs nothing."""

    name = "estimate"

    def count(self, text: str) -> int:
        """How many tokens a text has at most, near enough."""
        return len(_PIECES.findall(text))


@cache
def default_counter() -> TokenCounter:
    """The best counter that is installed."""
    return WordPieces(minilm_tokenizer()) if minilm_installed() else Estimate()
