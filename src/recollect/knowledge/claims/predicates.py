"""Predicates: which attribute of its subject a clause speaks of, and the value it gives it.

Attributes with a colon are about one thing each (`likes:coffee`): they are claimed or denied, and only that can
conflict. All others have one value at a time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from recollect.knowledge.claims.attributes import facets_of
from recollect.knowledge.claims.clauses import Clause
from recollect.knowledge.claims.doing import actions, states_of
from recollect.knowledge.claims.found import BE, Found
from recollect.knowledge.claims.people import PERSON_RULES
from recollect.knowledge.claims.things import made, of_thing
from recollect.knowledge.claims.values import clock_of, date_of, days_of, words_of
from recollect.knowledge.claims.words import base_of
from recollect.knowledge.lazy import lazy
from recollect.knowledge.lexicon import QUALIFIED, RELATIONS, STATES, is_job

_NEGATION = lazy(
    r"^(?:(?:do|does|did|am|is|are|have|has|can|will) )?(?:not|no longer|never)(?: ever)? |^(?:am|is|are|"
    r"have|has) no longer "
)


_STOPPED = lazy(
    r"^(?:have |has )?(?:stopped|quit|quitted|gave up on|gave up|given up on|given up|ended|cancelled|"
    r"canceled|scrapped|abandoned|wiped|uninstalled|removed|threw away|threw out|returned|closed|dropped|"
    r"am done with|is done with|"
    r"am off|is off|got off|deleted|got rid of|sold|gave away|lost|donated|resigned from|left|"
    r"unsubscribed from|deactivated|cut out|stopped with|dropped out of|broke up with|split up with|separated from|"
    r"divorced|finished with|outgrew|got over|sworn off|swore off|walked away from|moved out of)\s+(?P<what>.+)$"
)


def read(clause: Clause, names: frozenset[str]) -> Iterator[Found]:
    """What a clause claims; `names` are the words that were written with a capital."""
    for found in _read(clause, names):
        # What holds only on some days leaves room for other values, and for what it denies.
        limited = clause.limited and not _STOPPED.match(clause.predicate)
        if not limited or "@day" in found.attribute or (":" in found.attribute and not found.negated):
            yield found._replace(attribute=_in_one_order(found.attribute))


_CLASS = lazy(r" (?:class|classes|lesson|lessons|session|sessions|practice|training|appointment)(?=$|@)")


def _in_one_order(attribute: str) -> str:
    """`username on github` as `github username`: nouns are told apart by their words, not by their order."""
    kind, colon, rest = attribute.rpartition(":")
    noun, at, facet = _CLASS.sub("", rest).partition("@")
    if " / " in noun or noun.startswith("relation ") or " " not in noun or "|" in noun:
        return attribute
    ending = next((end for end in ("#", " handle", " email", " number") if noun.endswith(end)), "")
    words = sorted(words_of(noun.removesuffix(ending)).split())
    return f"{kind}{colon}{' '.join(words)}{ending}{at}{facet}"


def _read(clause: Clause, names: frozenset[str]) -> Iterator[Found]:
    if not clause.predicate:
        return
    there = re.match(r"there (?:is|are) (?P<n>\d+) (?P<what>.+)$", clause.predicate)
    if there:
        yield Found(f"count:there {words_of(there['what'])}", there["n"])
        return
    if clause.subject.noun:
        yield from of_thing(clause)
    else:
        yield from _of_person(clause, names)


def _of_person(clause: Clause, names: frozenset[str]) -> Iterator[Found]:
    text = re.sub(
        r"^(?:have|has) (?=(?:\w+ed|got|gotten|become|begun|gone|taken|given|sold|bought|left|quit|lost|found|"
        r"broken|split|cut|grown|risen|come|met|sworn)\b)(?!got (?:a|an|\d|to|no|my)\b)",
        "",
        clause.predicate,
    )
    text = re.sub(r"^gave (?P<what>.+) away$", r"gave away \g<what>", text)
    text = re.sub(r"^(?:have |has )?(?:become|come to be|turned into|been) (?!\w+ing\b)", "is ", text)
    text = re.sub(r"^(?:have |has )?(?:come|grown|started|begun|learned|learnt|began) (?:how )?to (?=\w)", "", text)
    text = re.sub(r"^can (?!not\b)", "", text)
    text = re.sub(r"^(?:have|has) to (?=work\b)", "", text)
    text = re.sub(r"^(?:can no longer|no longer can|can not|no longer) (?:stand|bear) ", "hate ", text)
    when = _when(clause, text)
    if when:
        yield from when
        return
    thing = made(text)
    if thing:
        yield from thing
        return
    relation = _relation_of(clause, text, names)
    if relation:
        yield from relation
        return
    stopped = _STOPPED.match(text)
    if stopped:
        yield from _ended(stopped)
        return
    negated = bool(_NEGATION.match(text))
    if negated:
        text = re.sub(r"\b(?:not|no longer|never)(?: ever)? ", "", text, count=1)
        text = re.sub(r"^(?:do|does|did|can|will) ", "", text)
    text = re.sub(r"^(?:have|has) been (?=\w+ing\b)", "am ", text)
    text = re.sub(
        r"^(?:have|has) (?=(?:moved|become|turned|changed|switched|started|joined|got|gotten|bought|retired|"
        r"relocated|transferred|adopted|upgraded|divorced|married|separated|taken|begun|gone)\b)",
        "",
        text,
    )
    where = re.match(rf"^{BE} in (?P<v>[\w -]+)$", text)
    if where and negated and where["v"].split()[0] in names:
        yield Found("home", words_of(where["v"]), negated)
    at = re.match(rf"^{BE} at (?P<v>[\w-]+)$", text)
    if at and at["v"] in names:
        yield Found("workplace", words_of(at["v"]), negated)
        return
    for candidate in dict.fromkeys([text, re.sub(r" on (?:\w+day|the .+)$| at the .+$", "", text)]):
        for pattern, build in PERSON_RULES:
            match = pattern.match(candidate)
            if match:
                found = [each._replace(negated=each.negated != negated) if negated else each for each in build(match)]
                if found:
                    yield from found
                    return
    be = re.match(rf"^{BE} (?P<what>.+)$", text)
    if be:
        yield from states_of(be["what"], negated=negated)
        return
    yield from actions(text, negated=negated)


def _when(clause: Clause, text: str) -> list[Found]:
    """`Yoga is on Monday`: something without an article looks like somebody's name."""
    if not clause.subject.owner.startswith("name ") or " " in clause.subject.owner.removeprefix("name "):
        return []
    match = re.match(
        (
            rf"^(?:{BE}|(?:was |got |is )?(?:moved|pushed|rescheduled|postponed|changed) to|starts?|begins?)(?= |"
            rf"$)(?P<v>.*)$"
        ),
        text,
    )
    value = f"{match['v']}" if match else ""
    if match and (days_of(value) or clock_of(value) or date_of(value)) and not re.search(r"\bborn\b|birthday", text):
        return [
            each._replace(attribute=f"when{each.attribute}") for each in facets_of("", value) if "@" in each.attribute
        ]
    return []


def _ended(match: re.Match[str]) -> Iterator[Found]:
    verb, what = match.group(), match["what"]
    job = re.match(
        r"(?:(?:my|his|her|the|their|a) )?(?:[\w-]+ )?(?:job|position|role)(?: (?:at|with|for|in) (?P<v>.+))?$", what
    )
    if job:
        yield Found("workplace", words_of(job["v"] or ""), negated=True)
        if not job["v"]:
            yield Found("job", "", negated=True)
        return
    if re.match(r"(?:have |has )?(?:broke up|split up|separated|divorced)", verb):
        yield Found("marital", "single")
        yield Found("with:person", words_of(what), negated=True)
        return
    doing = re.match(r"(?P<verb>\w+ing)\b ?(?P<rest>.*)$", what)
    if doing:
        base = base_of(doing["verb"])
        if base == "work":
            place = re.match(r"(?:at|for|with) (?P<v>.+)$", doing["rest"])
            yield Found("workplace", words_of(place["v"]) if place else "", negated=True)
        elif base == "be":
            yield from states_of(doing["rest"], negated=True)
        else:
            yield from actions(f"{base} {doing['rest']}".strip(), negated=True)
        return
    yield Found("with:", words_of(what), negated=True)
    if match.group().startswith(("left", "resigned", "have left", "has left", "dropped out")):
        yield Found("workplace", words_of(what), negated=True)
        yield Found("school", words_of(what), negated=True)


def _relation_of(clause: Clause, text: str, names: frozenset[str]) -> list[Found]:
    """`my boss is Tom`, `Tom is my boss`: who somebody is to who speaks."""
    owner = clause.subject.owner
    negated = bool(re.match(rf"^{BE} (?:not|no longer) ", text))
    text = re.sub(r"^(\w+) (?:not|no longer) ", r"\1 ", text)
    match = re.match(rf"^{BE} (?:called |named )?(?P<v>[\w'-]+\.?(?: [\w'-]+)?)$", text)
    if owner.startswith("relation ") and match:
        value = match["v"]
        first = value.split()[0].rstrip(".")
        if (
            first in names
            and first not in STATES
            and not is_job(value)
            and not value[0].isdigit()
            and first not in _NOT_NAMES
        ):
            return [Found(owner, words_of(value), negated=negated, of_self=True)]
        return []
    inverse = re.match(rf"^(?:{BE}|became|replaced .+ as) (?:my|our) (?P<what>.+)$", text)
    if inverse is None:
        inverse = re.match(r"^(?:has |have )?replaced .+ as (?:my|our) (?P<what>.+)$", text)
    if inverse and (owner.startswith("name ") or owner == "self"):
        what = re.sub(r"^(?:new|current) ", "", inverse["what"])
        name = words_of(owner.removeprefix("name "))
        relation = QUALIFIED.get(what) or RELATIONS.get(what, "")
        if relation and owner != "self":
            return [Found(f"relation {relation}", name, negated=negated, of_self=True)]
        if owner != "self" and words_of(what) and len(what.split()) <= _SHORT:
            return [Found(what, name, negated=negated, of_self=True)]
    return []


_SHORT = 4


_NOT_NAMES = frozenset(
    [
        "a",
        "an",
        "the",
        "in",
        "on",
        "at",
        "not",
        "no",
        "from",
        "very",
        "so",
        "too",
        "here",
        "there",
        "home",
        "back",
        "my",
        "our",
        "his",
        "her",
        "their",
        "sick",
        "tired",
        "ill",
        "fine",
        "great",
        "nice",
        "kind",
        "tall",
        "short",
        "pregnant",
        "dead",
        "alive",
        "strict",
        "funny",
    ]
)
