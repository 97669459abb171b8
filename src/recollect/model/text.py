"""Plain text: one normal form for everything that is stored, and short summaries of it."""

from __future__ import annotations

import re
import unicodedata

MAX_CONTENT = 100_000
SUMMARY_LENGTH = 120

# Everything below the space except tab and newline, and the C1 range: none of it is text. NUL is refused apart.
_CONTROLS = re.compile(r"[\x01-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_NEWLINES = re.compile(r"\r\n?|\u2028|\u2029|\x85")
_BLANK_ENDS = re.compile(r"\A[\s\ufeff]+|[\s\ufeff]+\Z")
_UNSEEN = frozenset({"Cc", "Cf", "Zs", "Zl", "Zp"})
_DRAWN_AS_NOTHING = frozenset("\u115f\u1160\u2800\u3164\uffa0")
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
    text = _CONTROLS.sub("", _NEWLINES.sub("\n", text))
    return unicodedata.normalize("NFC", _BLANK_ENDS.sub("", text))


def is_blank(text: str) -> bool:
    """Whether nothing in a text can be seen: blanks, format characters, letters that are drawn as nothing."""
    if text.isascii():
        return not text.strip()
    return all(c in _DRAWN_AS_NOTHING or unicodedata.category(c) in _UNSEEN for c in text)


def summarise(content: str, longest: int = SUMMARY_LENGTH) -> str:
    """The first words of a content on one line, cut between words where there are any; never empty."""
    line = " ".join(content.strip()[: longest * 8].split())
    if len(line) <= longest:
        return line or "…"
    cut = line[: longest - 1]
    head, blank, _ = cut.rpartition(" ")
    return (head if blank and len(head) > longest // 2 else cut) + "…"


def camel(name: str) -> str:
    """`captured_by` as `capturedBy`."""
    head, *rest = name.split("_")
    return head + "".join(word[:1].upper() + word[1:] for word in rest)
