"""What a text says that is worth a memory of its own: decisions, todos, goals, dated events, list items, facts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from recollect.knowledge.claims import read_claims
from recollect.knowledge.lazy import lazy
from recollect.knowledge.understand import type_of
from recollect.model.memory import MemoryType
from recollect.model.text import is_blank

MOST = 500
_LONGEST = 500
_LONGEST_TITLE = 80
_LONGEST_LINE = 2_000
_LONGEST_TEXT = 1_000_000
# Somebody else's words in a mail, and what stands above it.
_NOT_SAID = lazy(r"^(?:>|(?:from|to|cc|bcc|date|subject|sent|reply-to|on .{0,80} wrote)\s*:)", re.IGNORECASE)
# Headings that only sound like what they are not.
_NOT_A_TYPE = lazy(
    r"\b(?:taken|done|completed|finished|past|previous|api|endpoints?|reference|history)\b", re.IGNORECASE
)
_FEWEST_WORDS = 2
_CODE = lazy(r"^\s*(?:```|~~~)")
_HEADING = lazy(r"^(#{1,6})\s(.*)$")
_UNDERLINE = lazy(r"^\s*(?:=+|-{3,})\s*$")
_ITEM = lazy(r"^(?:[-*+•]|\d{1,3}[.)])\s{1,8}(?:\[(?P<box>[ xX])\]\s{1,8})?(?P<text>\S.*)$")
_LABELLED = lazy(r"^\s*(?:\*\*|__)?(?P<label>[A-Za-z][\w -]{2,30}?)(?:\*\*|__)?\s*:\s*(?:\*\*|__)?\s*(?P<text>\S.*)$")
_SENTENCE = lazy(r"(?<=[.!?…。！？])\s+")  # noqa: RUF001  sentences end in every script
_MARKS = lazy(r"(?:\*\*|__|`)|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)|!?\[([^\[\]]{0,120})\]\([^()]{0,300}\)")
_DATE = lazy(
    r"\b(?:\d{4}-\d{2}-\d{2}|\d{1,2}\.\d{1,2}\.\d{2,4}|"
    r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]* \d{1,2}|"
    r"\d{1,2}(?:st|nd|rd|th)? (?:of )?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*)\b",
    re.IGNORECASE,
)
_TYPES: tuple[tuple[re.Pattern[str], MemoryType], ...] = tuple(
    (lazy(pattern, re.IGNORECASE), kind)
    for pattern, kind in (
        (r"\b(?:decisions?|decided|resolutions?|agreed)\b", MemoryType.DECISION),
        (r"\b(?:to-?dos?|tasks?|actions?|action items?|next steps?|follow-?ups?)\b", MemoryType.TODO),
        (r"\b(?:goals?|objectives?|aims?|targets?|okrs?)\b", MemoryType.GOAL),
        (r"\b(?:preferences?|likes|dislikes|style guide|conventions?)\b", MemoryType.PREFERENCE),
        (
            r"\b(?:events?|calendar|schedule|agenda|milestones?|deadlines?|dates|timeline|appointments?)\b",
            MemoryType.EVENT,
        ),
        (r"\b(?:people|team|members?|contacts?|about me|profile|identity|who we are)\b", MemoryType.IDENTITY),
        (r"\b(?:observations?|notes?|findings?|learnings?|log)\b", MemoryType.OBSERVATION),
        (r"\b(?:facts?|background|key points?|summary|info(?:rmation)?)\b", MemoryType.FACT),
    )
)
_IMPORTANCE = {
    MemoryType.DECISION: 70,
    MemoryType.GOAL: 70,
    MemoryType.TODO: 65,
    MemoryType.PREFERENCE: 60,
    MemoryType.IDENTITY: 60,
    MemoryType.EVENT: 55,
    MemoryType.FACT: 55,
    MemoryType.OBSERVATION: 50,
}
_CONFIDENCE = 0.7
# Headings under which whole sentences are what they announce; lists are under every one.
_BY_WORDING = frozenset({MemoryType.IDENTITY, MemoryType.OBSERVATION})
_OF_PROSE = frozenset({MemoryType.DECISION, MemoryType.GOAL, MemoryType.PREFERENCE})


@dataclass(frozen=True, slots=True)
class Candidate:
    """Something that a text says, with the type that its place or wording gives it."""

    content: str
    type: MemoryType
    done: bool = False

    @property
    def importance(self) -> int:
        """How much it matters, by its type."""
        return _IMPORTANCE[self.type]

    @property
    def confidence(self) -> float:
        """How sure it is that this is what the text means."""
        return _CONFIDENCE


def title_of(text: str) -> str | None:
    """The first heading of a text, or its first line where that is short."""
    for whole in text[:_LONGEST_TEXT].splitlines():
        line = whole.strip()[:_LONGEST_LINE]
        heading = _HEADING.match(line)
        title = plain(heading.group(2)).rstrip("# ") if heading else plain(line)
        if not is_blank(title):
            return title if len(title) <= _LONGEST_TITLE else None
    return None


def candidates(text: str) -> list[Candidate]:
    """What a text says that is worth a memory of its own, each once, in order."""
    found: dict[str, Candidate] = {}
    for each in _read(text):
        words = [word for word in each.content.split() if any(map(str.isalnum, word))]
        if len(words) >= _FEWEST_WORDS and len(each.content) <= _LONGEST:
            found.setdefault(each.content.casefold(), each)
        if len(found) >= MOST:
            break
    return list(found.values())


def _read(text: str) -> Iterator[Candidate]:  # noqa: C901  a line is one of several things
    """Line by line, knowing under which heading a line stands; code is passed over."""
    section: MemoryType | None = None
    in_code = False
    paragraph: list[str] = []
    for whole in [*text[:_LONGEST_TEXT].splitlines(), ""]:
        line = whole.strip()[:_LONGEST_LINE]
        if _NOT_SAID.match(line):
            continue
        if _CODE.match(line):
            in_code = not in_code
            continue
        if in_code:
            continue
        heading, item = _HEADING.match(line), _ITEM.match(line)
        if heading or item or not line.strip() or _UNDERLINE.match(line):
            yield from _prose(" ".join(paragraph), section)
            paragraph = []
        if heading:
            section = _section_type(plain(heading.group(2)).rstrip("# "))
        elif item:
            yield from _item(item, section)
        elif line.strip() and not _UNDERLINE.match(line):
            labelled = _LABELLED.match(line)
            kind = None if labelled is None else _section_type(labelled["label"])
            if labelled is not None and kind is not None:
                yield Candidate(plain(labelled["text"]), kind)
            elif line.rstrip().endswith(":") and (named := _section_type(plain(line))) is not None:
                section = named
            else:
                paragraph.append(line.strip())


def _item(match: re.Match[str], section: MemoryType | None) -> Iterator[Candidate]:
    text = plain(match["text"])
    if match["box"] is not None:
        done = match["box"] in "xX"
        yield Candidate(text, MemoryType.OBSERVATION if done else MemoryType.TODO, done)
        return
    labelled = _LABELLED.match(match["text"])
    kind = None if labelled is None else _section_type(labelled["label"])
    if labelled is not None and kind is not None:
        yield Candidate(plain(labelled["text"]), kind)
    else:
        own = _wording_type(text) if len(text) <= _LONGEST else None
        yield Candidate(text, own or MemoryType.FACT if section in _BY_WORDING else section or own or MemoryType.FACT)


def _prose(text: str, section: MemoryType | None) -> Iterator[Candidate]:
    """Sentences that decide, plan, date or claim something; the rest is found in the document itself."""
    for sentence in _SENTENCE.split(text):
        told = plain(sentence)
        if not told or told.endswith("?") or len(told) > _LONGEST:
            continue
        kind = _wording_type(told)
        if kind is not None:
            yield Candidate(told, kind)
        elif section in _OF_PROSE:
            yield Candidate(told, section)
        elif read_claims(told).said:
            yield Candidate(told, MemoryType.FACT)


def _wording_type(text: str) -> MemoryType | None:
    """The type that a sentence has by its own words."""
    kind = type_of(text)
    if kind is not MemoryType.FACT:
        return kind
    return MemoryType.EVENT if _DATE.search(text) else None


def _section_type(heading: str) -> MemoryType | None:
    if _NOT_A_TYPE.search(heading):
        return None
    return next((kind for pattern, kind in _TYPES if pattern.search(heading)), None)


def plain(text: str) -> str:
    """A text without the marks of Markdown; a link is what it says."""
    return " ".join(_MARKS.sub(lambda match: match.group(1) or "", text).split())
