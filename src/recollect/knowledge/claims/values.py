"""Values: what is claimed, in a form that can be compared: times, dates, numbers, places, plain words."""

from __future__ import annotations

import re

from recollect.knowledge.lazy import lazy
from recollect.model.terms import terms

_MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
_MONTH = "|".join([*_MONTHS, *(name[:3] for name in _MONTHS), "sept"])
_DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
_DAY_FIRST = lazy(rf"\b(?:the )?(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? ({_MONTH})\b\.?(?:,? ((?:19|20)\d\d))?")
_MONTH_FIRST = lazy(rf"\b({_MONTH})\b\.? (?:the )?(\d{{1,2}})(?:st|nd|rd|th)?\b(?!:)(?:,? ((?:19|20)\d\d))?")
_ISO = lazy(r"\b((?:19|20)\d\d)-(\d\d)-(\d\d)\b")
_NAMED_DAYS = {"christmas eve": "12-24", "christmas day": "12-25", "christmas": "12-25", "new year's eve": "12-31",
               "new year's day": "01-01", "halloween": "10-31", "valentine's day": "02-14"}  # fmt: skip
_CLOCK = lazy(
    r"\b(?:at |from |to |until |around |about )?(?:(half past|quarter past|quarter to) (\d{1,2})|"
    r"(\d{1,2})(?::(\d\d))?) ?(a\.?m\.?|p\.?m\.?|o'clock|h\b)?(?!\S*\d|%|-| (?:people|years|days|weeks|"
    r"months|euros|dollars))"
)
_HALVES = {"half past": 30, "quarter past": 15, "quarter to": -15}
_PARTS = {"noon": "12:00", "midday": "12:00", "midnight": "00:00"}
_WEEKDAY = lazy(rf"\b({'|'.join(_DAYS)})s?\b")
_PART_OF_DAY = lazy(r"\b(morning|afternoon|evening|night|lunch|bedtime|breakfast|dinner)s?\b")
_EVENING_HOUR = 12

COUNTRIES = frozenset(
    """afghanistan albania algeria andorra angola argentina armenia australia austria azerbaijan bahamas bahrain
    bangladesh barbados belarus belgium belize benin bhutan bolivia bosnia botswana brazil brunei bulgaria burundi
    cambodia cameroon canada chad chile china colombia comoros congo croatia cuba cyprus czechia denmark djibouti
    dominica ecuador egypt england eritrea estonia eswatini ethiopia europe fiji finland france gabon gambia
    georgia germany ghana greece greenland grenada guatemala guinea guyana haiti honduras hungary iceland india
    indonesia iran iraq ireland israel italy jamaica japan jordan kazakhstan kenya kiribati kosovo kuwait
    kyrgyzstan laos latvia lebanon lesotho liberia libya liechtenstein lithuania luxembourg madagascar malawi
    malaysia maldives mali malta mauritania mauritius mexico moldova monaco mongolia montenegro morocco mozambique
    myanmar namibia nauru nepal netherlands nicaragua niger nigeria norway oman pakistan palau panama paraguay
    peru philippines poland portugal qatar romania russia rwanda samoa scotland senegal serbia seychelles
    singapore slovakia slovenia somalia spain sudan suriname sweden switzerland syria taiwan tajikistan tanzania
    thailand togo tonga tunisia turkey turkmenistan tuvalu uganda ukraine uruguay uzbekistan vanuatu venezuela
    vietnam wales yemen zambia zimbabwe uk usa us america britain bavaria tuscany texas california florida oregon
    ohio colorado arizona nevada utah virginia georgia michigan illinois scandinavia asia africa provence
    catalonia ontario quebec""".split()  # noqa: SIM905
)
_TWO_WORDS = ("new zealand", "south africa", "south korea", "north korea", "saudi arabia", "costa rica", "sri lanka",
              "el salvador", "united states", "united kingdom", "great britain", "northern ireland",
              "czech republic", "burkina faso", "cape verde", "sierra leone", "ivory coast")  # fmt: skip


def date_of(text: str) -> str | None:
    """The day of the year that a text names, as `MM-DD` (`YYYY-MM-DD` with a year)."""
    for pattern, order in ((_ISO, (2, 3, 1)), (_DAY_FIRST, (2, 1, 3)), (_MONTH_FIRST, (1, 2, 3))):
        match = pattern.search(text)
        if match:
            month, day, year = (match.group(part) for part in order)
            number = (
                int(month) if month.isdigit() else 1 + next(i for i, m in enumerate(_MONTHS) if m.startswith(month[:3]))
            )
            return f"{number:02}-{int(day):02}" + (f" {year}" if year else "")
    return next((date for name, date in _NAMED_DAYS.items() if name in text), None)


def clock_of(text: str) -> str | None:
    """The time of day that a text names; an hour without a half of the day fits both."""
    for word, time in _PARTS.items():
        if re.search(rf"\b{word}\b", text):
            return time
    text = _MONTH_FIRST.sub(" ", _DAY_FIRST.sub(" ", _ISO.sub(" ", text)))
    for match in _CLOCK.finditer(text):
        half, after, hour, minute, suffix = match.groups()
        number = int(after or hour)
        announced = match.group().startswith(("at ", "from ", "to ", "until ", "around ", "about "))
        if number > 24 or (minute and int(minute) > 59) or not (half or minute or suffix or announced):
            continue
        minutes = number * 60 + (_HALVES[half] if half else int(minute or 0))
        suffix = (suffix or "").replace(".", "")
        if suffix == "pm" and number < _EVENING_HOUR:
            minutes += 720
        elif not suffix and number <= _EVENING_HOUR:
            return f"{minutes // 60 % 12 or 12}:{minutes % 60:02}?"
        return f"{minutes // 60:02}:{minutes % 60:02}"
    return None


def days_of(text: str) -> str | None:
    """The weekdays that a text names."""
    named = {match.group(1) for match in _WEEKDAY.finditer(text)}
    return " ".join(day for day in _DAYS if day in named) or None


def part_of_day(text: str) -> str | None:
    """The part of the day that a text names."""
    match = _PART_OF_DAY.search(text)
    return match.group(1) if match else None


def contact_of(text: str) -> str:
    """An address, handle or number as it is compared: without blanks and the like."""
    text = text.strip(" .,;!\"'()").removeprefix("at ").removeprefix("on ")
    return re.sub(r"[\s()/-]+", "", text) if re.search(r"\d{3}", text) and "@" not in text else text


def number_of(text: str) -> str | None:
    """The first number in a text."""
    match = re.search(r"\b\d+(?:[.,]\d+)*\b", text)
    return match.group().replace(",", "") if match else None


def words_of(text: str) -> str:
    """The words that matter of a text, in order, each once."""
    return " ".join(dict.fromkeys(terms(text)))


def is_region(value: str) -> bool:
    """Whether a place is a country or the like, which says less than a town."""
    return value in COUNTRIES or value in {words_of(name) for name in _TWO_WORDS} or value in _STEMMED


_STEMMED = frozenset(words_of(name) for name in COUNTRIES)


_TRADES = (
    frozenset({"engin", "develop", "programm", "programmer", "coder"}),
    frozenset({"doctor", "surgeon", "physician", "gp", "pediatrician"}),
)


_RANK_WORDS = frozenset(
    words_of("junior senior lead head principal intern trainee assistant chief vice apprentice").split()
)


def _same_trade(old: str, new: str) -> bool:
    if {word for word in old.split() if word in _RANK_WORDS} != {word for word in new.split() if word in _RANK_WORDS}:
        return False
    first, second = old.rsplit(maxsplit=1)[-1], new.rsplit(maxsplit=1)[-1]
    doctors = _TRADES[1]
    if first.endswith("olog") or second.endswith("olog") or {first, second} & doctors:
        return all(word in doctors or word.endswith("olog") for word in (first, second))
    return any({first, second} <= family for family in _TRADES)


def same_value(attribute: str, old: str, new: str) -> bool:
    """Whether two values of an attribute may both be true: equal, or one only says more."""
    if old == new:
        return True
    if attribute.endswith(("email", "number", "handle", "#", "last name")) or attribute in {"birth year", "graduated"}:
        return False
    if attribute == "job" and old and new and _same_trade(old, new):
        return True
    if attribute.endswith("@time"):
        return _same_time(old, new)
    if attribute == "age" or attribute.startswith("count:") or attribute.endswith(("@day", "@date")):
        return False
    if attribute == "birthday":
        if not (old[0].isdigit() and new[0].isdigit()):  # a month alone
            return not (old[0].isalpha() and new[0].isalpha())
        (day, *year), (other, *other_year) = old.split(), new.split()
        return day == other and (not year or not other_year or year == other_year)
    if attribute in {"home", "workplace"} and is_region(old) != is_region(new):
        return True
    if attribute == "employment" and {old, new} <= {"self employ", "employ"}:
        return False
    first, second = set(old.split()), set(new.split())
    return first <= second or second <= first


def _same_time(old: str, new: str) -> bool:
    """`9:00?` fits 09:00 and 21:00."""
    if "?" in old and "?" not in new:
        old, new = new, old
    if "?" in new and "?" not in old:
        hour, minute = old.split(":")
        return f"{int(hour) % 12 or 12}:{minute}?" == new
    return old == new
