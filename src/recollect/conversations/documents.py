"""Long documents in parts: cut at headings, paragraphs and sentences, each part overlapping the one before."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from recollect.knowledge import Draft, Link, Receipt, Remember
from recollect.model.edge import EdgeType
from recollect.model.memory import Kind
from recollect.model.scope import Speaker
from recollect.storage.interface import Vector, Writer

LONGEST_CHUNK = 1_200
OVERLAP = 150

_HEADING = re.compile(r"(?m)^(?=#{1,6} )")
_PARAGRAPH = re.compile(r"\n\s*\n")
_SENTENCE = re.compile(r"(?<=[.!?…。！？])\s+|\n")  # noqa: RUF001  sentences end in every script


def store_document(
    remember: Remember,
    writer: Writer,
    whole: Draft,
    text: str,
    speaker: Speaker,
    vectors: Sequence[Vector | None] = (),
) -> list[Receipt]:
    """Stores a document, and a long one in parts, too: a receipt for the whole, then one for every part.

    `vectors` are of its parts; where there are none they are made later.
    """
    parts = chunks(text)
    if len(parts) > 1:
        whole = replace(whole, found_by=f"{whole.summary or ''} {parts[0]}")
    receipt = remember.within(writer, whole, vectors[0] if vectors else None, speaker)
    if len(parts) == 1 or receipt.memory is None or receipt.outcome != "stored":
        return [receipt]
    link = Link(to_memory_id=receipt.memory.memory_id, edge_type=EdgeType.PART_OF)
    part = replace(whole, summary=None, kind=Kind.CHUNK, links=(link,), found_by=None)
    return [
        receipt,
        *(
            remember.within(writer, replace(part, content=each), vectors[number] if vectors else None, speaker)
            for number, each in enumerate(parts)
        ),
    ]


def chunks(text: str, longest: int = LONGEST_CHUNK, overlap: int = OVERLAP) -> list[str]:
    """The parts of a text; a short text is one part. Each part keeps the heading it stands under."""
    if len(text) <= longest:
        return [text]
    made: list[str] = []
    for section in _HEADING.split(text):
        if section.strip():
            made += _section(section.strip(), longest, overlap)
    return made


def _section(section: str, longest: int, overlap: int) -> list[str]:
    heading, newline, rest = section.partition("\n")
    if not heading.startswith("#"):
        heading, newline, rest = "", "", section
    heading = heading[: longest // 4]
    room = max(1, longest - len(heading) - len(newline))
    parts = _packed(list(_pieces(rest, room)), room, overlap) or [""]
    return [f"{heading}{newline}{part}".strip() for part in parts]


def _pieces(text: str, room: int) -> Iterator[str]:
    """Sentences; one that is too long is cut between words, or anywhere."""
    for paragraph in _PARAGRAPH.split(text):
        for sentence in _SENTENCE.split(paragraph):
            rest = sentence.strip()
            while len(rest) > room:
                cut = rest.rfind(" ", room // 2, room)
                cut = room if cut < 0 else cut
                yield rest[:cut].strip()
                rest = rest[cut:].strip()
            if rest:
                yield rest


def _packed(pieces: list[str], room: int, overlap: int) -> list[str]:
    parts: list[list[str]] = []
    current: list[str] = []
    for piece in pieces:
        if current and _length(current) + 1 + len(piece) > room:
            parts.append(current)
            current = _tail(current, min(overlap, room - len(piece) - 1))
        current.append(piece)
    if current:
        parts.append(current)
    return [" ".join(part) for part in parts]


def _tail(part: list[str], overlap: int) -> list[str]:
    """The last sentences of a part that the next one begins with."""
    kept: list[str] = []
    for piece in reversed(part):
        if _length([piece, *kept]) > overlap:
            break
        kept.insert(0, piece)
    return kept


def _length(part: list[str]) -> int:
    return sum(map(len, part)) + max(0, len(part) - 1)
