"""Clauses: a text taken apart into who or what it speaks of, and what it says of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from recollect.knowledge.claims.subjects import MANY_NAMES, NO_NAMES, SHORT, TRADES, Subject, noun_of, within
from recollect.knowledge.lazy import lazy
from recollect.knowledge.lexicon import QUALIFIED, RELATIONS
from recollect.knowledge.verbs import AUXILIARIES, BASE_VERBS, FINITE_VERBS

_CORRECTING = (
    r"actually|correction|sorry|oops|nope|no|wait|scratch that|i was wrong|that was wrong|i made a mistake|my mistake|"
    r"my bad|i meant|i mean|let me correct (?:that|myself)|that is wrong|that is not right|it turns out(?: that)?|"
    r"turns out(?: that)?|i misspoke|i got (?:that|it) wrong|on second thought|to be precise|typo on my side|"
    r"i (?:told|gave) you (?:something|the) wrong(?: \w+)?|i (?:need|have|want) to correct (?:myself|"
    r"that|something)|i mixed (?:it|that) up|"
    r"i (?:have )?(?:just )?(?:checked|found out|realised|realized|noticed|looked it up|"
    r"double-checked)(?: that| and)?|i (?:have )?learned that|"
    r"i have come to (?:realise|realize)(?: that)?"
)
_OPENING = lazy(
    rf"^(?:(?P<correcting>{_CORRECTING})|by the way|btw|fyi|well|so|ok|okay|oh|hey|hi|just so you know|"
    rf"good news|bad news|"
    r"update|also|and|but|then|because|since then|although|though|which means|please note(?: that)?|note(?: that)?|"
    r"remember(?: that)?|as of [\w ]{1,20}?(?=,)|from now on|these days|nowadays|recently|lately|"
    r"currently|at the moment|"
    r"now|today|yesterday|tomorrow|finally|sadly|unfortunately|luckily|happily|officially|apparently|in fact|"
    r"last (?:week|weekend|month|year|night|spring|summer|autumn|fall|winter|\w+day)|this (?:week|month|"
    r"year|morning|summer)|"
    r"since (?:last|this) \w+|starting (?:next|this|in|from|on)? ?\w+|(?:\d+|a few|a couple of|a) (?:day|"
    r"week|month|year)s? ago|"
    r"(?:after|before|when|since|due to|thanks to|because of|at|in|on|for|with|by) [^,]{1,60}(?=,)|"
    r"(?:(?:after|with|at|in|on) (?:the|my|our|a) (?:new )?\w+|since \w+)(?= (?:i|we|my|our|he|she|it|"
    r"they)\b)|please|mind you|"
    r"everyone knows(?: that)?|i think(?: that)?|i (?:can|want to) tell you(?: that)?|"
    r"i just wanted to (?:say|tell you)(?: that)?|"
    r"guess what|big news|you should know(?: that)?|for the record|just to clarify|to be clear|"
    r"quick update|news|heads up|"
    r"(?:my|our|the) [\w ]{1,30} (?:says|said|told me|decided|asked|shows?|showed|confirms?|confirmed|"
    r"means?)(?: that| to)?)\b[\s,:;.!-]*(?=\S)"
)
_START = r"i|we|my|our|he|she|it|they|his|her|their|there|that|call me|nobody|everyone|mine"
_GOING_ON = r"am|is|are|was|have|has|had|now|no longer|do not|does not|did not|never|not|will|can not|" + "|".join(
    sorted(FINITE_VERBS | BASE_VERBS)
)
_SPLIT = lazy(
    rf"[.;!?:]+\s+|\s+-\s+|,?\s+(?:but|because|so|although|though|while|whereas|except that|which|who)\s+(?=\S)|"
    rf",\s+(?:and\s+)?(?=(?:{_START}|the|now|no longer|not|never|instead)\b)|,\s+(?=\w+(?: \w+)?'s\s)|"
    rf",\s+and\s+|,\s+(?=[\w' ]{{1,30}}\b(?:is|are|has|was|got|moved|lives|works)\b)|"
    rf"\s+and\s+(?=(?:{_START}|{_GOING_ON})\b)|\s+and\s+(?=[\w'-]+ (?:is|has|was) )|\s*[()]\s*"
)
_ADVERBS = lazy(
    r"\b(?:now|currently|presently|still|really|just|recently|finally|officially|already|actually|also|definitely|"
    r"absolutely|totally|mostly|basically|these days|nowadays|at the moment|right now|for now|again|"
    r"instead|too|as well|"
    r"since then|from now on|as of [\w ]{1,14}$|lately|permanently|both|all|sadly|truly|quite|very|"
    r"pretty|super|so much|a lot|"
    r"fully|completely|partly|entirely|most of the time|in fact|always|usually|normally|generally|"
    r"typically|mainly|only|the new|brand new)\b"
)
_CHANGE = lazy(
    r"\b(?:now|no longer|anymore|instead|switched|changed|moved|again|new|became|turned|started|since|these days|"
    r"nowadays|from now on|rescheduled|replaced|became|as of|recently|lately|finally|actually|pushed|shifted)\b"
)
_TAIL = lazy(
    r"\s*\b(?:since (?!then)[^,]+|for (?:the )?(?:last|past|some|many)[^,]*|for \d+ (?:day|week|month|"
    r"year|hour)s?\b[^,]*|for a (?:while|year|month|week|long time)|for good|for ages|last (?:week|"
    r"weekend|month|year|spring|summer|autumn|fall|"
    r"winter|\w+day)|this (?:week|month|year|spring|summer|\w+day)|(?:\d+|a few|a couple of|a) (?:day|"
    r"week|month|year)s? ago|"
    r"(?:in|back in) (?:january|february|march|april|may|june|july|august|september|october|november|"
    r"december|(?:19|20)\d\d)"
    r"(?: (?:19|20)\d\d)?|after (?:the|my|our|all|a) [^,]*|as of [^,]*|from (?:next|this) \w+|"
    r"starting [^,]*|until [^,]*|"
    r"you got that wrong|by the way|though|yesterday|today|tomorrow|because .*|due to .*|thanks to .*)$"
)
_WITHDRAWN = (
    lazy(r",?\s*\b(?:and )?not (?!only\b)(?:at |on |in |to |for |by )?(?P<value>[^,.;]+?)(?:,? (?P<kept>[^,.;]+))?$"),
    lazy(r"\b(?:instead of|rather than) (?:at |on |in |to |for |by )?(?P<value>[^,.;]+)"),
)
_NOT_STATED = lazy(
    r"\b(?:if|would|might|may(?= (?:be|move|go|buy|get|change|switch|become))|could|should|want to|wants to|wanted to|"
    r"plan to|plans to|planning|hope to|hoping|thinking (?:about|of)|considering|wish|dream of|used to|about to|"
    r"going to (?!the|a|school|church|college|university|work|bed)|almost|nearly|pretend|imagine|as if|as though|"
    r"would like|wondering|applied|applying|interview(?:ed|ing)?|looking (?:for|into|at)|dreamed|dreamt|supposed to|"
    r"tried to|trying to|when i was|as a (?:kid|child|teenager)|years ago|back then|ever since i was|growing up)\b"
)
# Somebody else's words: what "I" is in them is not who speaks.
_REPORTED = lazy(
    r"(?P<who>(?:(?:my|our|the|a|his|her) )?[\w' ]{1,30}?) (?:said|says|asked|asks|wrote|writes|replied|claims?|"
    r"told (?:me|us)(?! to\b))\b"
)
# What a correction is about, before it says what is right.
_MEANT = lazy(
    r"(?:i (?:got|had|have) (?P<what>.+?) (?:wrong|mixed up)|"
    r"(?:i was (?:wrong|mistaken) about|i made a mistake (?:about|with)|i mixed up) (?P<about>.+))$"
)
_APPOSITION = lazy(
    r"(?P<who>\b[\w']+), (?:my|our|his|her|the) [\w' -]{2,25}, (?=(?:is|was|has|are|have|moved|got|"
    r"turned|can|will|no longer|\w+s|\w+ed)\b)"
)
_CONDITION = lazy(
    r"\b(?:on|at) weekends?\b|\b(?:on (?:mon|tues|wednes|thurs|fri|satur|sun)days|every (?:mon|tues|"
    r"wednes|thurs|fri|satur|sun)day)\b|\bduring\b|"
    r"\bin (?:the )?(?:summer|winter)s?\b|"
    r"\bsometimes\b|\boccasionally\b|\bwhen(?:ever)?\b|\bon (?:vacation|holidays?)\b|"
    r"\bpart of the year\b|\bfor (?:a|the) (?:week|weekend|day)\b"
)
_WHEN = lazy(
    r"\s+(?:(?:on|in) (?:the (?:week|weekend) of )?\d{4}-\d\d-\d\d(?: (?:in the \w+|at night))?|"
    r"in (?:the |early |late )?(?:spring|summer|autumn|fall|winter))$"
)
_DATED = lazy(r"(?:was|were) born|graduated|(?:is|are) in \w+$|(?:married|founded|started|moved here|retired) in")
_BEGINS_WITHOUT_ME = frozenset(
    [
        "sold",
        "quit",
        "moved",
        "got",
        "bought",
        "passed",
        "stopped",
        "started",
        "switched",
        "changed",
        "left",
        "lost",
        "finished",
        "joined",
        "gave",
        "became",
        "adopted",
        "broke",
        "turned",
        "replaced",
        "cancelled",
    ]
)
_QUESTION = lazy(r"\?\s*$")


@dataclass(slots=True)
class Clause:
    """What is said of a subject; `limited` where it holds only at times, and excludes nothing else."""

    subject: Subject
    predicate: str
    changed: bool = False
    withdrawn: list[str] = field(default_factory=list)
    limited: bool = False


def clauses(text: str, names: frozenset[str]) -> Iterator[Clause]:
    """The clauses of a text in its plain wording that state something; what is asked, wished or past is left out.

    `names` are the words that were written with a capital.
    """
    reader = _Reader(names)
    for sentence in re.split(r"(?<=[.!?;])\s+", text):
        if not _QUESTION.search(sentence):
            yield from reader.read(sentence)


class _Reader:
    """Reads sentence by sentence; a clause without a subject goes on about the last one."""

    def __init__(self, names: frozenset[str]) -> None:
        self._names = names
        self._with: str | None = None
        self._new = False
        self._quoting = False
        self._last: Subject | None = None
        self._it: Subject | None = None
        self._she: Subject | None = None

    def read(self, sentence: str) -> Iterator[Clause]:
        """The clauses of one sentence."""
        changed = bool(_CHANGE.search(sentence))
        self._with, self._quoting = None, False
        sentence = _APPOSITION.sub(r"\g<who> ", sentence)
        together = re.match(r"^(?P<who>[^\W\d][\w'-]*) and i\b(?= (?!am|have))", sentence)
        if together:
            self._with, sentence = together["who"], sentence[together.end("who") + len(" and ") :]
        for piece in _SPLIT.split(sentence.rstrip(".!?; ")):
            clause = self._clause(piece, changed=changed)
            if clause is not None:
                yield clause

    def _clause(self, piece: str, *, changed: bool) -> Clause | None:
        piece = piece.strip(" ,")
        meant = _MEANT.match(piece)
        if meant is not None and (found := self._subject(f"{meant['what'] or meant['about']} is")) is not None:
            self._refer(found[0])
            self._last = found[0]
            return None
        reported = _REPORTED.match(piece)
        if reported is not None and (found := self._subject(f"{reported['who']} is")) is not None and not found[0].noun:
            self._she = found[0]
        quoting, self._quoting = self._quoting or reported is not None, False
        if reported is not None and reported.end() == len(piece):
            self._quoting = True  # what follows is what was said
        piece = _without_openings(piece)
        if not piece or (quoting and re.match(r"(?:i|we)\b", piece)):
            return None
        withdrawn: list[str] = []
        bare = re.fullmatch(r"(?:and )?not (?:at |on |in |to |for |by |a |an |the )?([^,]+)", piece)
        if bare and self._last is not None and not _has_verb(bare.group(1)):
            return Clause(self._last, "", changed=True, withdrawn=[bare.group(1)])
        denied = re.search(r"\b(?:am|is|are|do|does|did|have|has|can|will|was|were|could|would|should) not\b", piece)
        for pattern in _WITHDRAWN[1:] if denied else _WITHDRAWN:
            match = pattern.search(piece)
            if match and match.start() > 0:
                withdrawn.append(match["value"])
                piece = (piece[: match.start()] + piece[match.end() :]).strip(" ,")
        piece = " ".join(_ADVERBS.sub(" ", piece).split())
        either = re.match(
            r"(?P<s>.+?\b(?:am|is|are)) not (?:(?:a|an|the|at|on|in) )?(?P<gone>[^,]+?),? but (?P<v>.+)$", piece
        )
        if either:
            withdrawn.append(either["gone"])
            piece = f"{either['s']} {either['v']}"
        if not piece:
            return None
        if _NOT_STATED.search(piece):
            self._mention(piece)
            return Clause(self._last, "", withdrawn=withdrawn) if withdrawn and self._last else None
        found = self._subject(piece)
        if found is None and self._new and self._it is not None and len(piece.split()) <= SHORT:
            self._new = False
            return Clause(self._it, f"is {piece}", changed=True)
        if found is None:
            return Clause(self._last, "", changed=changed, withdrawn=withdrawn) if withdrawn and self._last else None
        subject, rest = found
        self._last = subject
        if subject.owner != "self" and not subject.noun:
            self._she = subject
        if subject.noun:
            self._it = subject
        predicate = rest
        if not subject.noun:
            predicate = _WHEN.sub("", predicate) or predicate
        while (shorter := _TAIL.sub("", predicate)) != predicate and shorter and not _DATED.match(predicate):
            predicate = shorter
        new = re.match(r"(?:has|have|got|has got|have got)\s+a(?:n)?\s+(?:new |different )?([\w ]{2,30})$", predicate)
        self._new = bool(new)
        given = re.match(r"(?:have |has )?(?:given|gave) (?:my|our|the) ([\w ]{2,30}?) a new name$", predicate)
        if given:
            self._new = True
            self._refer(within(subject, f"{given.group(1)} name", named=False))
        elif new:
            self._refer(self._inside(subject, new.group(1), named=False))
        elif object_ := re.search(
            r"\b(?:my|our|the|his|her|their) ((?:[\w-]+ ?){1,3})$|\b(?:my|our|the|his|her|their) ([\w-]+(?: [\w-]+)?)",
            predicate,
        ):
            phrase = re.sub(r" \w+ed$", "", object_.group(1) or object_.group(2))
            whose = Subject("self") if subject.owner == "somebody" else subject
            if not subject.noun:
                self._refer(within(whose, phrase, named=False))
        elif not subject.noun and (plural := re.match(r"(?:have |has )?(?:changed|switched) (\w+)s\b", predicate)):
            self._refer(within(subject, plural.group(1), named=False))
        named = [word for word in predicate.split()[1:] if word in self._names]
        if named and subject.owner == "self" and len(self._names) < MANY_NAMES:
            self._she = Subject(f"name {named[-1]}")
        apart = (
            r"(?:broke|split|separated|called off|divorced|ended)|(?:am|are|is) (?:not|no longer) (?:friends|"
            r"together|dating|married)"
        )
        if self._with and re.match(apart, predicate):
            withdrawn.append(self._with)
        limited = not subject.noun and bool(_CONDITION.search(rest))
        return Clause(subject, predicate.strip(" ,"), changed=changed, withdrawn=withdrawn, limited=limited)

    def _refer(self, subject: Subject) -> None:
        """What the pronouns of later clauses stand for."""
        if subject.noun:
            self._it = subject
            if subject.owner == "self":
                self._she = None
        else:
            self._she = self._it = subject

    def _mention(self, piece: str) -> None:
        found = self._subject(piece)
        if found is not None:
            self._last = found[0]

    def _subject(self, piece: str) -> tuple[Subject, str] | None:
        words = piece.split()
        first = words[0]
        if re.match(
            r"(?:1|some|another|either|neither|any|all|most|both) of\b|(?:another|some|any|every|a|an) ", piece
        ):
            return None
        if first in {"mine", "ours"} and self._it is not None:
            return self._it, " ".join(words[1:])
        if first == "its" and self._it is not None:
            return self._of(self._it, words[1:])
        if first in {"i", "we", "me"}:
            return Subject("self"), " ".join(words[1:])
        if first in {"he", "she", "they"}:
            return (self._she, " ".join(words[1:])) if self._she else self._they(words)
        if first in {"it", "that"}:
            return self._it or Subject("somebody"), " ".join(words[1:])
        if first in {"his", "her", "their"}:
            owner = self._she or self._it
            return self._of(owner, words[1:]) if owner else None
        if re.match(r"(?:call|do not call|no longer call|stop calling|never call) me ", piece):
            return Subject("self"), piece
        if first == "there":
            return Subject("self", "", shared=True), piece
        if _goes_on(words) and self._last is not None:
            return self._last, piece
        if first in _BEGINS_WITHOUT_ME and len(words) > 1 and words[1] not in AUXILIARIES:
            return Subject("self"), piece
        if first in {"both", "all"} and len(words) > 2 and words[1] in {"my", "our", "the"}:
            words, first = words[1:], words[1]
        if first in {"my", "our", "the", "this", "these", "those"}:
            return self._of(Subject("self", shared=first != "my"), words[1:], determined=True)
        return self._of(None, words)

    def _they(self, words: list[str]) -> tuple[Subject, str] | None:
        return self._it or Subject("somebody"), " ".join(words[1:])

    def _of(self, owner: Subject | None, words: list[str], *, determined: bool = False) -> tuple[Subject, str] | None:
        """A subject from a noun phrase: `wife's brother Tom`, `phone number`, `Sarah's birthday`."""
        at = _verb(words, determined=determined or owner is not None)
        if at is None or at == 0:
            return None
        phrase, rest = words[:at], " ".join(words[at:])
        if phrase[0] in {"other", "second", "third", "another", "first", "old", "former", "previous"}:
            return None  # one of several, or one that was
        subject = owner or Subject("self", shared=True)
        while True:
            possessive = next((i for i, word in enumerate(phrase) if word.endswith(("'s", "s'"))), None)
            if possessive is None:
                break
            head = " ".join([*phrase[:possessive], phrase[possessive].removesuffix("'s").removesuffix("'")])
            subject = self._inside(subject, head, named=owner is None and subject.owner == "self" and subject.shared)
            owner, phrase = subject, phrase[possessive + 1 :]
        if not phrase:
            return subject, rest
        return self._inside(subject, " ".join(phrase), named=owner is None), rest

    def _inside(self, subject: Subject, phrase: str, *, named: bool) -> Subject:
        words = phrase.split()
        if named and len(words) > 1 and not set(words) <= self._names:
            named = False
        if (
            len(words) > 1
            and words[0] in RELATIONS
            and not subject.noun
            and (
                words[1] not in self._names
                or words[-1] in NO_NAMES
                or (words[0] in TRADES and len(self._names) >= MANY_NAMES)
            )
            and words[1] not in {"and", "in", "from", "at", "of", "who"}
            and " ".join(words[:2]) not in QUALIFIED
        ):
            return Subject(subject.owner, noun_of(phrase), subject.shared)
        if subject.noun:
            return Subject(subject.owner, f"{subject.noun} {noun_of(phrase)}", subject.shared)
        return within(subject, phrase, named=named)


def _verb(words: list[str], *, determined: bool) -> int | None:
    """Where the verb stands behind a noun phrase."""
    for at, word in enumerate(words[:9]):
        if at == 0:
            continue
        if word in AUXILIARIES:
            return at
        if (
            word.endswith("ed")
            and len(word) > SHORT
            and at >= 1
            and not any(w in AUXILIARIES for w in words[at + 1 : at + 6])
        ):
            return at
        if word in FINITE_VERBS and (
            word
            not in {
                "uses",
                "plans",
                "walks",
                "runs",
                "rides",
                "costs",
                "calls",
                "starts",
                "shares",
                "drinks",
                "plays",
                "shops",
                "reports",
                "houses",
                "likes",
                "bats",
            }
            or at + 1 < len(words)
        ):
            return at
        if (
            word in BASE_VERBS
            and words[at - 1].endswith("s")
            and not words[at - 1].endswith(("'s", "ss"))
            and determined
        ):
            return at
        if word in {"no", "never", "not"} and at + 1 < len(words):
            return at
    return None


def _goes_on(words: list[str]) -> bool:
    """Whether a clause begins with its verb: it is about the same as the one before."""
    first = words[0]
    if first in {"no", "never", "now", "not"} and len(words) > 1:
        return True
    if first in AUXILIARIES:
        return True
    return (first in FINITE_VERBS or first in BASE_VERBS) and len(words) > 1 and words[1] not in AUXILIARIES


def _has_verb(text: str) -> bool:
    return any(word in AUXILIARIES for word in text.split())


def _without_openings(piece: str) -> str:
    while True:
        match = _OPENING.match(piece)
        if match is None or match.end() == len(piece):
            return piece
        piece = piece[match.end() :]
