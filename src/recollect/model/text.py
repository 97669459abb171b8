"""Plain text: one normal form for everything that is stored, and short summaries of it."""

from __future__ import annotations

import re
import unicodedata

MAX_CONTENT = 100_000
SUMMARY_LENGTH = 120

# Everything below the space except tab and newline, and the C1 range: none of it is text. NUL is refused apart.
_CONTROLS = re.compile(r"[\x01-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_NEWLINES = re.compile(r"\r\n?|\u2028|\u2029|\x85")
_SURROGATE = re.compile(r"[\ud800-\udfff]")


def normalise(text: str) -> str:
    r"""The stored form: NFC, `\n` for every line break, no control characters, no blanks at the ends.

    Raises:
        ValueError: for what is not text at all, saying what would have been allowed.
    """
    if text.isascii() and text.isprintable():
        return text.strip()
    if "\x00" in text:
        raise ValueError("text without NUL")
    if _SURROGATE.search(text):
        raise ValueError("valid Unicode (no lone surrogates)")
    text = _NEWLINES.sub("\n", unicodedata.normalize("NFC", text))
    return _CONTROLS.sub("", text.removeprefix("\ufeff")).strip()


def summarise(content: str, longest: int = SUMMARY_LENGTH) -> str:
    """The first words of a content on one line, cut between words where there are any."""
    line = " ".join(content[: longest * 8].split())
    if len(line) <= longest:
        return line
    cut = line[: longest - 1]
    head, blank, _ = cut.rpartition(" ")
    return (head if blank and len(head) > longest // 2 else cut) + "…"
