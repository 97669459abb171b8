"""Understanding what is to be remembered: what it says without "remember that", until when, and of which type."""

from __future__ import annotations

import calendar
import hashlib
import re
import unicodedata
from dataclasses import dataclass
from datetime import datetime, timedelta

from recollect.knowledge.lazy import lazy
from recollect.knowledge.verbs import FINITE_VERBS
from recollect.model.memory import DEFAULT_IMPORTANCE, MemoryType

_LATER = (
    r"(?:\s+for\s+(?:the\s+next\s+)?(?P<{0}>(?:\d+|an?|one|two|three|four|five|six|seven|eight|nine|"
    r"ten)\s+(?:minute|hour|day|week|month|year)s?))"
)
_COMMAND = lazy(
    r"^\s*(?:(?:hey|hi|ok|okay|oh|and|also|so)[\s,]+)*(?:(?:can|could|will|"
    r"would)\s+you\s+)?(?:please[\s,]+)?(?:i\s+want\s+you\s+to\s+|i'd\s+like\s+you\s+to\s+)?"
    r"(?:(?:always\s+)?remember|(?:don['’]?t|do\s+not|never)\s+(?:ever\s+)?forget|keep\s+in\s+mind|"
    r"bear\s+in\s+mind|note\s+down|note|take\s+note|"
    r"make\s+(?:a\s+)?note|save|store|memori[sz]e|write\s+down|jot\s+down|log|record|add\s+to\s+(?:your\s+)?memory)"
    r"(?P<object>\s+(?:this|the\s+following|it|down))?" + _LATER.format("term") + r"?"
    r"(?P<link>\s*[:,-]\s*|\s+that\s+|\s+to\s+|\s+)(?P<fact>\S[\s\S]*)$",
    re.IGNORECASE,
)
# These are commands only where a colon or a "that" follows: to save money or to note a smell is none.
_NEEDS_LINK = lazy(r"\b(?:note|save|store|log|record|write\s+down|jot\s+down)\b", re.IGNORECASE)
_NOT_A_FACT = lazy(r"^(?:when|how|what|who|where|why|me|us|him|her|them|it|the\s+time)\b", re.IGNORECASE)
_TRAILING = lazy(
    (
        r"[\s,]*\(?\bfor\s+the\s+next\s+(?P<term>(?:\d+|an?|one|two|three|four|five|six|seven|eight|nine|"
        r"ten)\s+(?:minute|hour|day|week|month|year)s?)\)?\s*[.!]?\s*$"
    ),
    re.IGNORECASE,
)
_WORDS = {
    word: number
    for number, word in enumerate(
        ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
    )
} | {"a": 1, "an": 1}
_UNITS = {
    "minute": timedelta(minutes=1),
    "hour": timedelta(hours=1),
    "day": timedelta(days=1),
    "week": timedelta(weeks=1),
    "month": timedelta(days=30),
    "year": timedelta(days=365),
}
_SHORT_UNITS = {"m": "minute", "h": "hour", "d": "day", "w": "week", "y": "year"}
_DURATION = lazy(
    (
        r"(?:for\s+)?(?:the\s+next\s+|another\s+)?(?:(?P<count>\d{1,6}|[a-z]+)\s*"
        r"(?P<unit>minute|hour|day|week|month|year)s?\.?|(?P<figure>\d{1,6})\s*(?P<short>[mhdwy]))"
    ),
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Understood:
    """What a text says: its content, until when it is to be kept, of which type it is and how important."""

    content: str
    type: MemoryType
    importance: int
    expires: timedelta | None = None
    asked: bool = False


def understand(text: str, now: datetime) -> Understood:
    """Reads a text that was said at a time."""
    content, expires, asked, todo = _told(text)
    content = absolute_dates(content, now)
    kind = MemoryType.TODO if todo else type_of(content)
    return Understood(content, kind, _IMPORTANCE.get(kind, DEFAULT_IMPORTANCE), expires, asked)


def asked_to_remember(text: str) -> str | None:
    """The fact that a text asks to be remembered; None if it does not ask."""
    content, _, asked, _ = _told(text)
    return content if asked else None


def _told(text: str) -> tuple[str, timedelta | None, bool, bool]:
    match = _COMMAND.match(text)
    if match is None or not _is_command(match):
        return _without_term(text.strip(), asked=False)
    fact = match["fact"].strip()
    if re.match(r"\s+to\s+$", match["link"]):  # don't forget to …
        return f"I need to {fact}", _term(match["term"]), True, True
    content, term, _, _ = _without_term(fact, asked=True)
    content = re.sub(r"[?\s]+$", "", content) if text.rstrip().endswith("?") else content
    return content[:1].upper() + content[1:], _term(match["term"]) or term, True, False


def _is_command(match: re.Match[str]) -> bool:
    link = match["link"].strip()
    words = re.findall(r"[a-z']+", match["fact"].lower())
    if re.match(r"(?:time|day|one|down)\b", match["fact"], re.IGNORECASE) and link == "that":
        return False
    if (
        link == "to"
        and re.search(r"\bremember\b", match.group()[: match.start("fact")], re.IGNORECASE)
        and not FINITE_VERBS.isdisjoint(words)
    ):
        return False
    if (
        link not in {":", ",", "-", "that", "to"}
        and FINITE_VERBS.isdisjoint(words)
        and not re.match(r"(?:i|we|my|our)\b", match["fact"], re.IGNORECASE)
    ):
        return False
    if (
        link == ":"
        and not match["object"]
        and re.match(r"\s*(?:store|log|record|save)\b", match.group(), re.IGNORECASE)
    ):
        return False
    if _NOT_A_FACT.match(match["fact"]) and link not in {":", "that"}:
        return False
    if _NEEDS_LINK.search(match.group()[: match.start("fact")]):
        return bool(link and link != "to") or bool(match["object"])
    return not (
        match["fact"].rstrip().endswith("?")
        and "you" not in match.group()[: match.start("fact")].lower()
        and len(match["fact"].split()) < 4
    )


def _without_term(text: str, *, asked: bool) -> tuple[str, timedelta | None, bool, bool]:
    trailing = _TRAILING.search(text)
    if trailing and trailing.start() > 0:
        return text[: trailing.start()].strip() if asked else text, _term(trailing["term"]), asked, False
    return text, None, asked, False


def _term(text: str | None) -> timedelta | None:
    return None if text is None else duration(text)


def duration(text: str) -> timedelta | None:
    """How long "2 weeks", "for 2 weeks", "a month" or "14d" is; None for what is no such text."""
    match = _DURATION.fullmatch(text.strip())
    if match is None:
        return None
    if match["short"]:
        return int(match["figure"]) * _UNITS[_SHORT_UNITS[match["short"].lower()]]
    count = int(match["count"]) if match["count"].isdigit() else _WORDS.get(match["count"].lower())
    return None if count is None else count * _UNITS[match["unit"].lower()]


_CORRECTION = (
    lazy(
        (
            r"^(?:(?:actually|no|sorry|wait|correction|oops)[\s,:]+)*not\s+(?:at |on |"
            r"in )?(?P<old>[^,.;]{1,40}?)(?:,\s+(?:but\s+)?|\s+but\s+)(?:(?:it|that)(?:['’]?s| is)\s+)?(?:at |on |"
            r"in )?(?P<new>[^,.;]{1,40})[.!]?$"
        ),
        re.IGNORECASE,
    ),
    lazy(
        (
            r"^(?:(?:actually|no|sorry|wait|correction|oops)[\s,:]+)*(?:(?:it|that)(?:['’]?s| is|"
            r" was)\s+)?(?:at |on |in )?(?P<new>[^,.;]{1,40}),?\s+not\s+(?:at |on |"
            r"in )?(?P<old>[^,.;]{1,40})[.!]?$"
        ),
        re.IGNORECASE,
    ),
)
_HAS_SUBJECT = lazy(r"\b(?:i|we|my|our|he|she|they|is|are|am|was|were|has|have|do|does)\b", re.IGNORECASE)


def correction(text: str) -> tuple[str, str] | None:
    """What "not 9, 10" or "it's 10, not 9" puts in the place of what: (old, new). It says neither whose nor of what."""
    for pattern in _CORRECTION:
        match = pattern.match(text.strip())
        if match and not _HAS_SUBJECT.search(match["new"]) and not _HAS_SUBJECT.search(match["old"]):
            return match["old"].strip(), match["new"].strip()
    return None


def corrected(content: str, old: str, new: str) -> str | None:
    """A content with a value put in the place of another, if it has it."""
    pattern = lazy(rf"(?<!\w){re.escape(old)}(?!\w)", re.IGNORECASE)
    return pattern.sub(lambda _match: new, content, count=1) if pattern.search(content) else None


# Types

_TYPES: tuple[tuple[MemoryType, re.Pattern[str]], ...] = tuple(
    (kind, lazy(pattern, re.IGNORECASE))
    for kind, pattern in (
        (
            MemoryType.DECISION,
            r"\b(?:we|i|they|the team)(?:'ve| have|'s| has)? (?:just |finally )?(?:decided|agreed|chosen|"
            r"settled on|resolved to)\b|\bdecision\b.*\bis\b|"
            r"\b(?:we|the team)(?:'re| are| will)? (?:going with|go with|use)\b.*\binstead of\b|\bit was decided\b",
        ),
        (
            MemoryType.TODO,
            r"\bremind me\b|\b(?:i|we) (?:still )?(?:need|have|must|ought|should|gotta) to\b(?! (?:admit|say|"
            r"confess|know|go|be honest))|\bto-?do\b|"
            r"^(?:buy|call|send|finish|book|pay|renew|pick up|"
            r"schedule|submit|email|return|cancel|order|fix|clean) (?!me\b|it a day)"
            r"(?!.*\b(?:is|are|was|were|meets|has)\b)\w+",
        ),
        (
            MemoryType.GOAL,
            r"\b(?:my|our) (?:\w+ )?(?:goal|aim|objective|target|ambition|dream|resolution)s? (?:is|are|this|for|"
            r"in)\b|\b(?:i|we) (?:aim|hope|plan|want|intend|aspire) to\b|"
            r"\b(?:i|we)(?:'m|'re| am| are) (?:trying|planning|aiming|training|saving|working towards?|"
            r"determined|hoping)\b(?! the)",
        ),
        (
            MemoryType.IDENTITY,
            r"\bcall me\b|\bmy (?:\w+ )?name(?:'s| is)\b|\bi(?:'m| am) (?:called|named|known as|allergic|"
            r"an? (?!bit|little|lot|hour|minute|few)|from|\d{1,3}\b)|\bmy pronouns\b|\bi go by\b|\bmy birthday\b|"
            r"\bi was born\b|\bi(?:'m| am) (?:vegan|vegetarian|pescatarian|married|single|divorced|diabetic|"
            r"colou?r-?blind|left-handed|retired)\b|\bi identify as\b",
        ),
        (
            MemoryType.PREFERENCE,
            r"\bi (?:\w+ )?(?:prefer|like|love|enjoy|hate|dislike|adore|loathe|can['’]?t stand|cannot stand|"
            r"would rather|(?:do not|don['’]t) (?:like|enjoy|want))\b|"
            r"\b(?:my|our|\w+['’]s) (?:\w+ )?favou?rite\b|\bis my (?:\w+ )?favou?rite\b|\bplease (?:always|never|"
            r"don['’]t|do not|use|keep|answer|reply|write)\b|"
            r"\b(?:likes|loves|prefers|hates|enjoys|dislikes)\b",
        ),
        (
            MemoryType.EVENT,
            r"\b(?:on|at|last|this|next|in|tomorrow|yesterday|tonight|today|ago)\b[^.]*(?:\d{4}-\d\d-\d\d|"
            r"\b(?:january|february|march|april|may|june|july|august|"
            r"september|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|"
            r"sunday)\b)[^.]*|\b\d{4}-\d\d-\d\d\b",
        ),
    )
)
_HAPPENS = lazy(
    r"\b(?:visited|met|went|had|got|moved|started|finished|attended|bought|sold|celebrated|travell?ed|"
    r"flew|ran|won|lost|graduated|married|adopted|"
    r"born|died|joined|left|launched|released|is|are|will be|takes place|meeting|appointment|flight|"
    r"wedding|party|conference|concert|interview|exam|trip|deadline|"
    r"arrives?|leaves?|visiting|flying|travell?ing|going)\b",
    re.IGNORECASE,
)
_HABIT = lazy(
    (
        r"\b(?:every|always|usually|each|mondays|tuesdays|wednesdays|thursdays|fridays|saturdays|sundays|"
        r"birthday|born|standup)\b"
    ),
    re.IGNORECASE,
)
_IMPORTANCE = {
    MemoryType.IDENTITY: 70,
    MemoryType.DECISION: 65,
    MemoryType.GOAL: 65,
    MemoryType.TODO: 60,
    MemoryType.PREFERENCE: 55,
}


def type_of(text: str) -> MemoryType:
    """The type that a text is of by its wording."""
    for kind, pattern in _TYPES:
        if pattern.search(text):
            if kind is MemoryType.EVENT and (_HABIT.search(text) or not _HAPPENS.search(text)):
                continue
            return kind
    return MemoryType.FACT


# Dates

_DAYS = {name.lower(): number for number, name in enumerate(calendar.day_name)}
_MONTHS = {name.lower(): number for number, name in enumerate(calendar.month_name) if name}
_COUNT = r"(?P<count>\d{1,3}|a|an|one|two|three|four|five|six|seven|eight|nine|ten|a couple of|a few)"
_RELATIVE = lazy(
    rf"\b(?:(?P<near>the day after tomorrow|the day before yesterday|tomorrow|yesterday|today|tonight|"
    rf"this morning|this afternoon|this evening|last night)(?!['’]s)|"
    rf"in (?P<future>{_COUNT}) (?P<unit>day|week|month|year)s?(?! time)|"
    rf"(?P<past>{_COUNT.replace('count', 'count2')}) (?P<unit2>day|week|month|year)s? ago|"
    rf"(?P<which>next|last|this|this coming) (?P<what>{'|'.join(_DAYS)}|week|month|year|weekend|"
    rf"{'|'.join(_MONTHS)}))\b",
    re.IGNORECASE,
)
_NEAR = {
    "today": 0,
    "tonight": 0,
    "this morning": 0,
    "this afternoon": 0,
    "this evening": 0,
    "tomorrow": 1,
    "yesterday": -1,
    "last night": -1,
    "the day after tomorrow": 2,
    "the day before yesterday": -2,
}
_PARTS = {
    "tonight": " in the evening",
    "this morning": " in the morning",
    "this afternoon": " in the afternoon",
    "this evening": " in the evening",
    "last night": " at night",
}


def absolute_dates(text: str, now: datetime) -> str:
    """A text in which "tomorrow", "next Friday" or "two weeks ago" are the days and months that were meant."""
    try:
        return _RELATIVE.sub(lambda match: _absolute(match, now, text), text)
    except (ValueError, OverflowError):
        return text  # a time beyond the calendar


_BEFORE_NO_DATE = lazy(
    (
        r"(?:\b(?:the|my|our|his|her|their|your|a|an|every|each|usa|favou?rite|song|film|movie|band)|"
        r"['’]s)\s*$"
    ),
    re.IGNORECASE,
)
_AFTER_NO_DATE = lazy(
    r"\s*(?:of\b|at\b(?= [A-Z])|['’]s\b|show\b)|\s+(?!and\b|or\b|but\b|with\b|for\b|to\b|at\b|in\b|on\b|"
    r"by\b|from\b|if\b|so\b)[a-z]+s\b"
)
_BACKWARD = lazy(
    (
        r"\b(?:have|has|had|haven['’]?t|hasn['’]?t|not|n['’]t|never|was|were|did|took|finished|built|wrote|"
        r"read|made|learned|[a-z]{3,}ed)\b"
    ),
    re.IGNORECASE,
)


def _is_date(match: re.Match[str], text: str) -> bool:
    """Whether words that look like a time are one: no title, no length of time, nothing that is somebody's."""
    before, after = text[: match.start()], text[match.end() :]
    if _BEFORE_NO_DATE.search(before) or (_AFTER_NO_DATE.match(after) and (match["future"] or match["which"])):
        return False
    if (
        match["near"]
        and match["near"][0].isupper()
        and match.start() > 0
        and not before.rstrip().endswith((".", "!", "?", ":", ";"))
    ):
        return False
    return not (match["future"] and _BACKWARD.search(before))


def _absolute(match: re.Match[str], now: datetime, text: str) -> str:
    found = match.groupdict()
    if not _is_date(match, text):
        return match.group()
    if found["near"]:
        word = found["near"].lower()
        if (
            word == "today"
            and re.match(r"\s+(?:i|we|is|are)\b", text[match.end() :], re.IGNORECASE)
            and match.start() == 0
        ):
            return _on(now, text, match) + _PARTS.get(word, "")
        return _on(now + timedelta(days=_NEAR[word]), text, match) + _PARTS.get(word, "")
    if found["which"]:
        return _named(found["which"].lower(), found["what"].lower(), now, text, match)
    sign, unit = (1, found["unit"]) if found["unit"] else (-1, found["unit2"])
    count = (found["count"] or found["count2"] or "").lower()
    number = int(count) if count.isdigit() else {"a couple of": 2, "a few": 3}.get(count, _WORDS.get(count, 1))
    return _away(now, sign * number, unit.lower(), text, match)


def _away(now: datetime, count: int, unit: str, text: str, match: re.Match[str]) -> str:
    if unit in {"day", "week"}:
        return _on(now + timedelta(days=count * (7 if unit == "week" else 1)), text, match)
    months = count * (12 if unit == "year" else 1)
    moment = _months_on(now, months)
    return _in(
        f"{moment.year}" if unit == "year" else f"{calendar.month_name[moment.month]} {moment.year}", text, match
    )


def _named(which: str, what: str, now: datetime, text: str, match: re.Match[str]) -> str:
    step = {"next": 1, "last": -1}.get(which, 0)
    if what in _DAYS:
        ahead = (_DAYS[what] - now.weekday()) % 7
        if step < 0:
            ahead = ahead - 7
        elif step > 0:
            ahead = ahead or 7
        return _on(now + timedelta(days=ahead), text, match)
    if what in _MONTHS:
        month = _MONTHS[what]
        year = now.year + (1 if step > 0 and month <= now.month else 0) - (1 if step < 0 and month >= now.month else 0)
        return _in(f"{calendar.month_name[month]} {year}", text, match)
    if what == "year":
        return _in(str(now.year + step), text, match)
    if what == "month":
        moment = _months_on(now, step)
        return _in(f"{calendar.month_name[moment.month]} {moment.year}", text, match)
    monday = now - timedelta(days=now.weekday()) + timedelta(weeks=step)
    if what == "weekend":
        return f"on the weekend of {(monday + timedelta(days=5)):%Y-%m-%d}"
    return f"in the week of {monday:%Y-%m-%d}"


def _months_on(now: datetime, months: int) -> datetime:
    index = now.year * 12 + now.month - 1 + months
    year, month = divmod(index, 12)
    return now.replace(year=year, month=month + 1, day=min(now.day, calendar.monthrange(year, month + 1)[1]))


def _on(moment: datetime, text: str, match: re.Match[str]) -> str:
    return _with(f"{moment:%Y-%m-%d}", "on", text, match)


def _in(what: str, text: str, match: re.Match[str]) -> str:
    return _with(what, "in", text, match)


def _with(what: str, preposition: str, text: str, match: re.Match[str]) -> str:
    """With the preposition it needs, unless one stands there or it is the subject: "tomorrow is …"."""
    before = text[: match.start()].rstrip().lower()
    after = text[match.end() :].lstrip().lower()
    if re.search(
        r"\b(?:on|in|by|until|till|since|from|before|after|for|of|is|was|to|around|about|at)$", before
    ) or re.match(r"(?:is|was|will)\b", after):
        return what
    return f"{preposition} {what}" if match.start() else f"{preposition.capitalize()} {what}"


# The digest of what is kept as it is, and never taken for a fact.
NOT_READ = b""
_WITHOUT_MARKS = str.maketrans(dict.fromkeys(".,;:!?\"()[]-'", " "))


_SHORT_FORMS = (("i'm", "i am"), ("'re ", " are "), ("'ve ", " have "), ("n't ", " not "), ("'ll ", " will "))


def content_key(text: str, whose: str = "") -> bytes:
    """A digest of what a text says, whatever its case, punctuation, blanks and short forms; of somebody, where told."""
    plain = text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    if "'" in plain:
        for short, written in _SHORT_FORMS:
            plain = plain.replace(short, written)
    words = plain.translate(_WITHOUT_MARKS).split()
    told = " ".join(words or [plain])
    return hashlib.sha256(f"{whose}\n{told}".encode("utf-8", "surrogatepass")).digest()[:16]
