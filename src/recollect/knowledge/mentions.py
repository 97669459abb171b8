"""Mentions: who a text speaks of, as it speaks of them: by a name, by a relation, or by both."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from recollect.knowledge.lazy import lazy
from recollect.knowledge.lexicon import QUALIFIED, RELATIONS, is_job
from recollect.knowledge.naming import (
    ADJECTIVES,
    CALENDAR,
    COMMON,
    COMPANY,
    COMPOUND,
    NO_NAMES,
    OF_SOMEBODY,
    PARTICLES,
    PERSONAL,
    PLURALS,
    RANKS,
    TITLES,
    folded,
    is_namelike,
    is_place,
)

_TOKEN = lazy(r"[^\W\d_][\w]*(?:['’.-][^\W\d_]\w*)*[’']?|\d+|[^\w\s]")
_POSSESSIVE = lazy(r"['’]s$|(?<=s)['’]$", re.IGNORECASE)


@dataclass(slots=True)
class Mention:
    """Somebody as a text speaks of them; `of` is whose relation they are, if not the speaker's."""

    name: str | None = None
    relation: str | None = None
    of: Mention | None = None
    aliases: list[str] = field(default_factory=list)
    sure: bool = True

    def same_as(self, other: Mention) -> bool:
        """Whether two mentions in one text are of the same person."""
        if self.name and other.name and folded(self.name) == folded(other.name):
            return True
        return (
            self.relation is not None
            and (self.relation, _key(self.of)) == (other.relation, _key(other.of))
            and not (self.name and other.name)
        )


def _key(mention: Mention | None) -> tuple[str | None, str | None] | None:
    return None if mention is None else (mention.relation, mention.name)


@dataclass(slots=True)
class _Word:
    text: str
    at: int
    bare: str
    possessive: bool
    starts: bool

    @property
    def low(self) -> str:
        return self.bare.lower()


def mentions(text: str, known: frozenset[str] = frozenset()) -> list[Mention]:
    """Who a text speaks of; `known` are names (folded) of people that are known, who need no further evidence."""
    text = text[:_LONGEST]
    if not known and not _MAY_MENTION.search(text):
        return []
    return _Finder(text, known).find()


_TITLED = frozenset({"uncle", "aunt", "auntie", "grandma", "grandpa", "granny", "cousin"})
# Somebody is spoken of by a name, or as somebody's.
_MAY_MENTION = lazy(r"[^\x00-\x7f]|\b(?i:my|our|his|her|their|mum|mom|dad|grandma|grandpa|granny|mine)\b|\b[A-Z][a-z]")
_LONGEST = 2_000


class _Finder:
    def __init__(self, text: str, known: frozenset[str]) -> None:
        self._text = text
        self._known = known
        self._words = list(_words(text))
        self._has_capitals = text != text.lower() or not any(c.isascii() and c.isalpha() for c in text)
        self._found: list[Mention] = []
        self._aliases: list[tuple[str, str]] = []

    def find(self) -> list[Mention]:
        at = 0
        while at < len(self._words):
            at = max(self._at(at), at + 1)
        self._nicknames()
        return self._found

    def _add(self, mention: Mention) -> Mention:
        for earlier in self._found:
            if earlier.same_as(mention):
                earlier.name = earlier.name or mention.name
                earlier.relation = earlier.relation or mention.relation
                earlier.of = earlier.of or mention.of
                return earlier
        self._found.append(mention)
        return mention

    def _word(self, at: int) -> str:
        return self._words[at].low if 0 <= at < len(self._words) else ""

    def _at(self, at: int) -> int:
        """Looks at one place; returns where to go on."""
        word = self._word(at)
        if word in PLURALS and (several := self._several(at)) > at:
            return several
        if word in {"my", "our"}:
            return self._related(at + 1, None)
        if (
            word in {"a", "an"}
            and self._word(at + 1) in RELATIONS
            and self._word(at + 2) == "of"
            and self._word(at + 3) in {"mine", "ours"}
        ):
            name, end = self._name_behind(at + 4)
            self._add(Mention(name=name, relation=RELATIONS[self._word(at + 1)]))
            return end if name else at + 4
        if word in {"his", "her", "their"} and self._word(at + 1) == "name" and self._word(at + 2) in {"is", "was"}:
            name, end = self._name(at + 3, anywhere=True)
            nameless = [each for each in self._found if each.name is None]
            if name and nameless:
                nameless[-1].name = name
            return end if name else at + 1
        if word in {"mum", "mom", "dad", "grandma", "grandpa", "granny", "mummy", "daddy"} and self._word(
            at - 1
        ) not in {"a", "the"} | set(RELATIONS):
            if at == 0 or self._words[at].bare[0].isupper():
                self._add(Mention(relation=RELATIONS.get(word, word)))
            return at + 1
        if word in _TITLED and at + 1 < len(self._words) and self._words[at].bare[0].isupper():
            name, end = self._name(at + 1)
            if name:
                self._add(Mention(name=name, relation=RELATIONS[word]))
                return end
        if (
            word in CALENDAR
            and self._word(at + 1) == "is"
            and self._word(at + 2) in {"my", "our"}
            and self._word(at + 3) in RELATIONS
        ):
            self._add(Mention(name=self._words[at].bare, relation=RELATIONS[self._word(at + 3)]))
            return at + 4
        name, end = self._name(at)
        return self._named(at, name, end) if name else at + 1

    def _several(self, at: int) -> int:
        """`my sons Leo and Max`, `two daughters: Ella and Ruby`."""
        relation, end = PLURALS[self._word(at)], at + 1
        if self._word(at - 1) not in {
            "my",
            "our",
            "2",
            "3",
            "4",
            "5",
            "two",
            "three",
            "four",
            "five",
            "little",
            "older",
            "younger",
            "both",
        }:
            return at
        while self._word(end) in {",", ":", "are", "is", "called", "named", "-", "("}:
            end += 1
        names: list[str] = []
        while (found := self._name(end))[0]:
            names.append(str(found[0]))
            end = found[1]
            if self._word(end) not in {",", "and", "&"}:
                break
            end += 1 + (self._word(end) == "," and self._word(end + 1) == "and")
        if len(names) < 2:
            return at
        for name in names:
            self._add(Mention(name=name, relation=relation))
        return end

    def _related(self, at: int, of: Mention | None) -> int:
        """`[my] wife's brother Tom`: a relation with what stands behind it."""
        start = at
        while self._word(at) in ADJECTIVES:
            at += 1
        rank = ""
        if self._word(at) in RANKS and self._word(at + 1) in RELATIONS:
            rank, at = f"{self._word(at)} ", at + 1
        two = f"{self._word(at)} {self._word(at + 1)}"
        if two in QUALIFIED:
            relation, last = QUALIFIED[two], at + 1
        elif self._word(at) in RELATIONS or self._word(at) in QUALIFIED:
            relation, last = RELATIONS.get(self._word(at)) or QUALIFIED[self._word(at)], at
        else:
            return start
        if is_job(relation) and self._word(last + 1) in {"appointment", "visit"}:
            self._add(Mention(relation=f"{rank}{relation}", of=of))
            return last + 1
        if self._word(last + 1) in {"tongue", "in-law", "figure"}:
            return last + 2
        if (
            relation in {"partner", "child", "baby", "student", "client", "vet", "crush", "ex", "intern", "employee"}
            and self._word(last + 1) in COMPOUND
        ):
            return last + 1
        mention = Mention(relation=f"{rank}{relation}", of=of)
        possessive = self._words[last].possessive
        after = last + 1
        if possessive:
            if self._word(after) == "name" and self._word(after + 1) in {"is", "was", "'s"}:
                mention.name, after = self._name(after + 2, anywhere=True)
                self._add(mention)
                return after
            mention = self._add(mention)
            chained = self._related(after, mention)
            return max(after, chained)
        name, end = self._name_behind(after)
        if name:
            mention.name, after = name, end
        mention = self._add(mention)
        if name and self._words[end - 1].possessive:
            return self._related(end, mention)
        return after

    def _name_behind(self, at: int) -> tuple[str | None, int]:
        """A name that stands behind a relation: `my wife Sarah`, `my wife, Sarah,`, `my wife is Sarah`."""
        word = self._word(at)
        if word in {"named", "called"}:
            return self._name(at + 1, anywhere=True)
        if word in {"is", "was"} and self._word(at + 1) in {"named", "called"}:
            return self._name(at + 2, anywhere=True)
        if word in {"is", "are"}:
            name, end = self._name(at + 1)
            closed = self._word(end) in {"", ".", ",", "!", ";", "and", "now", "(", "-", "but", "who"}
            if name and closed:
                return name, end
            candidate = self._word(at + 1)
            if (
                not self._has_capitals
                and closed
                and candidate.isalpha()
                and self._word(at + 2) in {"", ".", ",", "now"}
                and folded(candidate) in self._known
            ):
                return candidate.capitalize(), at + 2
            return None, at
        if word in {",", "(", "-", ":"}:
            name, end = self._name(at + 1)
            if name and self._word(end) in {",", ")", "", ".", "-", "and", "who", "is"}:
                return name, end + (self._word(end) in {",", ")"})
            candidate = self._word(at + 1)
            if (
                not self._has_capitals
                and self._word(at + 2) == ","
                and candidate.isalpha()
                and candidate not in COMMON
                and word == ","
            ):
                return candidate.capitalize(), at + 3
            return None, at
        name, end = self._name(at)
        if (
            name
            and " " in name
            and re.search(r"\bcalls? my$", self._text[: self._words[max(at - 1, 0)].at].rstrip().lower())
        ):
            first, _, other = name.partition(" ")
            self._aliases.append((first, other))
            return first, end
        if name:
            return name, end
        if (
            not self._has_capitals
            and word.isalpha()
            and len(word) > 1
            and word not in COMMON
            and not word.endswith(("ly", "ing", "ed"))
        ):
            behind = self._word(at + 1)
            if self._words[at].possessive or not behind or behind in COMMON or not behind.isalpha():
                return self._words[at].bare.capitalize(), at + 1
        return None, at

    def _name(self, at: int, *, anywhere: bool = False) -> tuple[str | None, int]:
        """One to four words that look like a name; `anywhere` takes a word without a capital, too."""
        parts: list[str] = []
        start = at
        if self._word(at) in TITLES and at + 1 < len(self._words):
            title = self._words[at].bare
            at += 1 + (self._word(at + 1) == ".")
            name, end = self._name(at)
            return (f"{title} {name}", end) if name else (None, start)
        while at < len(self._words) and len(parts) < 4:
            word = self._words[at]
            namelike = is_namelike(word.bare) and word.low not in NO_NAMES
            particle = (
                parts and word.low in PARTICLES and at + 1 < len(self._words) and is_namelike(self._words[at + 1].bare)
            )
            if not namelike and not particle:
                break
            parts.append(word.bare)
            at += 1
            if word.possessive:
                break
        if not parts and anywhere and start < len(self._words):
            word = self._words[start]
            if word.bare.isalpha() and word.low not in COMMON and word.low not in {"not", "a", "the", "my"}:
                return word.bare[:1].upper() + word.bare[1:], start + 1
        return (" ".join(parts) or None), at if parts else start

    def _named(self, at: int, name: str, end: int) -> int:
        """A name in the text: what it is to the speaker, or whether there is reason to take it for somebody's."""
        last = self._words[end - 1]
        before = self._text[: self._words[at].at].rstrip().lower()
        if (
            re.search(r"\b(?:my (?:\w+ )?name is|i am|i'm|call me|call myself|it's|this is|i go by)$", before)
            and not last.possessive
        ):
            return end
        if re.search(r"\b(?:we|i|everyone|everybody|people|friends) (?:just |always )?calls?$", before) and " " in name:
            name, _, other = name.partition(" ")
            self._add(Mention(name=name))
            self._aliases.append((name, other))
            return end
        if re.search(
            (
                r"\b(?:dog|cat|horse|puppy|kitten|hamster|rabbit|parrot|car|boat|company|team|project|app|"
                r"band)\s*,?$"
            ),
            before,
        ):
            return end  # a pet or a thing has a name, too
        relation_at = None
        if (
            self._word(end) in {"is", "was"}
            and self._word(end + 1) in {"a", "an"}
            and self._word(end + 2) in RELATIONS
            and self._word(end + 3) == "of"
            and self._word(end + 4) in {"mine", "ours"}
        ):
            self._add(Mention(name=name, relation=RELATIONS[self._word(end + 2)]))
            return end + 5
        if self._word(end) in {"is", "was"} and self._word(end + 1) in {"my", "our"}:
            relation_at = end + 2
        elif (
            self._word(end) in {"is", "was"}
            and self._word(end + 1) in {"also", "now", "actually"}
            and self._word(end + 2) in {"my", "our"}
        ):
            relation_at = end + 3
        elif self._word(end) in {",", "("} and self._word(end + 1) in {"my", "our"}:
            relation_at = end + 2
        if relation_at is not None:
            probe = _Finder("", self._known)
            probe._text, probe._words, probe._has_capitals = self._text, self._words, self._has_capitals
            stop = probe._related(relation_at, None)
            if probe._found and not self._words[min(stop, len(self._words)) - 1].possessive:
                own = probe._found[0]
                own_last = probe._found[-1]
                if own is own_last:
                    own.name = name
                    self._add(own)
                else:
                    own_last.name = name
                    for each in probe._found:
                        self._add(each)
                return stop
        if folded(name) in self._known or folded(name.split()[0]) in self._known:
            mention = self._add(Mention(name=name))
            return self._related(end, mention) if last.possessive else end
        rest = self._text[last.at + len(last.text) :].lstrip()
        if last.possessive:
            if self._word(end) in RELATIONS or f"{self._word(end)} {self._word(end + 1)}" in QUALIFIED:
                mention = self._add(Mention(name=name))
                return max(self._related(end, mention), end)
            if OF_SOMEBODY.match(rest) and not is_place(name):
                self._add(Mention(name=name))
            return end
        personal = PERSONAL.match(rest)
        if personal and personal.groupdict().get("job") and not is_job(personal["job"]):
            personal = None
        if (
            (personal and not is_place(name))
            or COMPANY.search(before)
            or (
                re.match(r"and\b", rest)
                and re.search(r"\band\s+[A-Z]\w+\s+(?:are|were|have|got|live|both)\b", f" {rest}")
            )
            or (
                re.search(r"[A-Z]\w+ and$", self._text[: self._words[at].at].rstrip())
                and re.match(r"(?:are|were|have|got|live|both)\b", rest)
            )
        ):
            self._add(Mention(name=name))
        return end

    def _nicknames(self) -> None:
        """Other names for those who were mentioned."""
        if not self._found and not self._aliases:
            return
        for known, other in self._aliases:
            self._alias(known, other)
        name = r"([^\W\d_a-z][\w'’.-]*(?: [^\W\d_a-z][\w'’.-]*)?)"
        for pattern in (
            (
                rf"{name},? \(?(?:aka|a\.k\.a\.|also known as|better known as|goes by|nicknamed|"
                rf"short(?:ened)? to)\)? {name}"
            ),
            rf"{name}(?:['’]s| has the) nickname(?: is|,|:)? {name}",
            (
                rf"{name}[^.]*?,? \(?(?:but |and |though )?(?:everyone|everybody|we|i|people|friends|all) (?:just |"
                rf"always )?calls? (?:him|her|them) {name}"
            ),
            rf"{name},? (?:who )?(?:is )?(?:also )?(?:called|known as) {name}",
        ):
            for match in re.finditer(pattern, self._text):
                self._alias(match.group(1), match.group(2))
        for match in re.finditer(rf"{name} is (?:short for|{name}['’]s nickname|a nickname for) ?{name}?", self._text):
            self._alias(match.group(2) or match.group(3) or "", match.group(1))
        called = re.search(
            rf"(?:everyone|everybody|we|i|people|friends) (?:just |always )?calls? (?:him|her|them) {name}", self._text
        )
        if called and len(self._found) == 1 and self._found[0].name is None:
            self._found[0].name = called.group(1)

    def _alias(self, name: str, alias: str) -> None:
        if not name or not alias or folded(alias) == folded(name) or folded(alias) in NO_NAMES:
            return
        person = next((each for each in self._found if each.name and folded(each.name).endswith(folded(name))), None)
        spare = next((each for each in self._found if each.name and folded(each.name) == folded(alias)), None)
        if person is None:
            person = spare if spare is not None else self._add(Mention(name=name))
            person.name = name
        elif spare is not None and spare is not person:
            person.relation = person.relation or spare.relation
            self._found.remove(spare)
        if alias not in person.aliases:
            person.aliases.append(alias)


def _words(text: str) -> Iterator[_Word]:
    starts = True
    for match in _TOKEN.finditer(text):
        word = match.group()
        bare = _POSSESSIVE.sub("", word)
        yield _Word(word, match.start(), bare, bare != word, starts)
        starts = word in {".", "!", "?", ":", ";"}
