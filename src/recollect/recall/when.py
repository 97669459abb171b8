"""Time in questions: "last May", "two weeks ago", "on 3 June 2024" become spans of time to compare with."""

from __future__ import annotations

import calendar
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from recollect.model.terms import terms

_MONTHS = {name.lower(): number for number, name in enumerate(calendar.month_name) if name}
_MONTHS |= {name.lower(): number for number, name in enumerate(calendar.month_abbr) if name}
_WEEKDAYS = {name.lower(): number for number, name in enumerate(calendar.day_name)}
_NUMBERS = {
    word: number
    for number, word in enumerate(
        ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
    )
}
_NUMBERS |= {"a": 1, "an": 1, "couple of": 2, "few": 3}

_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_COUNT = r"(?P<count>\d{1,3}|" + "|".join(_NUMBERS) + ")"
# "may" is a month only where a month would stand: after a preposition or beside a number.
_MONTH_BEFORE = r"(?:\b(?:in|of|last|this|next|since|during|early|late|mid|by|until|before|after|around)\s+)"
_DAY_FIRST = re.compile(
    rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<month>{_MONTH})\b,?\s*(?P<year>\d{{4}})?"
)
_MONTH_FIRST = re.compile(rf"\b(?P<month>{_MONTH})\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b(?!\d),?\s*(?P<year>\d{{4}})?")
_MONTH_YEAR = re.compile(rf"\b(?P<month>{_MONTH}),?\s+(?P<year>\d{{4}})\b")
_MONTH_ALONE = re.compile(rf"{_MONTH_BEFORE}(?P<month>{_MONTH})\b(?!\s+\d)")
# A month's name with an s behind it is somebody called June, not a month.
_NAMED_MONTH = re.compile(rf"\b(?P<month>{'|'.join(name for name in _MONTHS if len(name) > len('may'))})\b(?!['’]s)")  # noqa: RUF001
_ISO = re.compile(r"\b(?P<year>\d{4})-(?P<month>\d{2})-(?P<day>\d{2})\b")
_YEAR = re.compile(r"\b(?P<year>(?:19|20)\d{2})\b")
_AGO = re.compile(rf"\b{_COUNT}\s+(?P<unit>day|week|month|year)s?\s+ago\b")
_RELATIVE = re.compile(r"\b(?P<which>last|this|past|previous)\s+(?P<unit>week|weekend|month|year)\b")
_WEEKDAY = re.compile(rf"\b(?:last|on)\s+(?P<weekday>{'|'.join(_WEEKDAYS)})\b")
_NEAR_DAYS = {"yesterday": 1, "today": 0, "this morning": 0, "last night": 1, "tonight": 0}

_ASKS_WHEN = re.compile(
    r"^\s*when\b|\b(?:what|which)\s+(?:year|month|day|date|time|week|weekday)\b|\bhow\s+long\b|\bsince when\b"
)
TIME_TERMS = frozenset(
    terms(
        "yesterday today tomorrow tonight week weekend month year ago recently morning evening afternoon "
        "spring summer autumn winter " + " ".join([*_MONTHS, *_WEEKDAYS])
    )
)


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of time that a question speaks of; a wide one (a year) says less than a narrow one."""

    start: datetime
    end: datetime
    weight: float = 1.0

    def covers(self, moment: datetime) -> float:
        """How well a moment fits."""
        return self.weight if self.start <= moment < self.end else 0.0


def asks_when(question: str) -> bool:
    """Whether a question wants to know a time."""
    return bool(_ASKS_WHEN.search(question.lower()))


def spans(question: str, now: datetime) -> list[Span]:
    """The times that a question names, relative ones counted from `now`."""
    text = question.lower()
    try:
        return [*_dates(text, now), *_relative(text, now)] or _months(text, now) or _years(text)
    except (ValueError, OverflowError):
        return []  # a time beyond the calendar


def _years(text: str) -> list[Span]:
    return [
        Span(datetime(int(year), 1, 1, tzinfo=UTC), datetime(int(year) + 1, 1, 1, tzinfo=UTC), 0.5)
        for year in dict.fromkeys(_YEAR.findall(text))
    ]


def _dates(text: str, now: datetime) -> list[Span]:
    found = []
    for pattern in (_ISO, _DAY_FIRST, _MONTH_FIRST):
        for match in pattern.finditer(text):
            part = match.groupdict()
            month = int(part["month"]) if part["month"].isdigit() else _MONTHS[part["month"]]
            years = [int(part["year"])] if part["year"] else _years_until(now)
            found += [span for year in years if (span := _day(year, month, int(part["day"])))]
    return found


def _months(text: str, now: datetime) -> list[Span]:
    found = []
    for match in _MONTH_YEAR.finditer(text):
        found += _month(int(match["year"]), _MONTHS[match["month"]])
    if found:
        return found
    named = [match["month"] for match in _MONTH_ALONE.finditer(text)]
    named += [match["month"] for match in _NAMED_MONTH.finditer(text)]
    stated = [int(year) for year in _YEAR.findall(text)]
    for name in dict.fromkeys(named):
        for year in stated or _years_until(now):
            found += _month(year, _MONTHS[name])
    return found


def _relative(text: str, now: datetime) -> list[Span]:
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    day = timedelta(days=1)
    found = [Span(midnight - ago * day, midnight - (ago - 1) * day) for word, ago in _NEAR_DAYS.items() if word in text]
    for match in _AGO.finditer(text):
        count = int(match["count"]) if match["count"].isdigit() else _NUMBERS[match["count"]]
        found.append(_around(midnight, count, match["unit"]))
    for match in _RELATIVE.finditer(text):
        back = 0 if match["which"] == "this" else 1
        found.append(_unit_back(midnight, match["unit"], back))
    for match in _WEEKDAY.finditer(text):
        since = (midnight.weekday() - _WEEKDAYS[match["weekday"]] - 1) % 7 + 1
        found.append(Span(midnight - since * day, midnight - (since - 1) * day))
    return found


def _around(midnight: datetime, count: int, unit: str) -> Span:
    """About that long ago: people do not count days when they say weeks."""
    days = {"day": 1, "week": 7, "month": 30, "year": 365}[unit]
    slack = timedelta(days=max(0.5, 0.5 * days))
    middle = midnight - timedelta(days=min(count * days, 300_000)) + timedelta(hours=12)
    return Span(middle - slack, middle + slack)


def _unit_back(midnight: datetime, unit: str, back: int) -> Span:
    if unit == "year":
        return Span(midnight.replace(year=midnight.year - back, month=1, day=1), midnight.replace(month=1, day=1)
                    if back else midnight + timedelta(days=1), 0.5)  # fmt: skip
    if unit == "month":
        first = midnight.replace(day=1)
        return Span((first - timedelta(days=1)).replace(day=1), first) if back else Span(first, midnight + timedelta(1))
    monday = midnight - timedelta(days=midnight.weekday() + 7 * back)
    if unit == "weekend":
        return Span(monday + timedelta(days=4), monday + timedelta(days=8))
    return Span(monday, monday + timedelta(days=7))


def _years_until(now: datetime) -> list[int]:
    """A date without a year may be of any recent year."""
    return list(range(now.year - 9, now.year + 1))


def _month(year: int, month: int) -> list[Span]:
    start = datetime(year, month, 1, tzinfo=UTC)
    return [Span(start, start + timedelta(days=calendar.monthrange(year, month)[1]))]


def _day(year: int, month: int, day: int) -> Span | None:
    """A day with a day on either side: what happened then is often told the day after."""
    try:
        start = datetime(year, month, day, tzinfo=UTC)
        return Span(start - timedelta(days=1), start + timedelta(days=2))
    except (ValueError, OverflowError):
        return None
