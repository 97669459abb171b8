"""What is said of things: standups, cars, phone numbers, teams."""

from __future__ import annotations

import re
from collections.abc import Iterator

from recollect.knowledge.claims.attributes import COLORS, MULTIPLE, SIDES, attribute_of, facets_of, given_value
from recollect.knowledge.claims.clauses import Clause
from recollect.knowledge.claims.doing import actions
from recollect.knowledge.claims.found import BE, Found
from recollect.knowledge.claims.people import PERSON_RULES, possessions
from recollect.knowledge.claims.subjects import noun_of
from recollect.knowledge.claims.values import date_of, number_of, words_of
from recollect.knowledge.claims.words import head_of
from recollect.knowledge.lazy import lazy
from recollect.knowledge.lexicon import is_job

_MADE = lazy(
    r"^(?:have |has |had )?(?P<verb>changed|renamed|moved|switched|pushed|raised|lowered|increased|"
    r"reduced|rescheduled|rechristened|"
    r"updated|extended|postponed|bumped|dyed|painted|repainted|cut|coloured|colored|upgraded|"
    r"set)(?: (?:my|our|the|his|her|their) (?P<noun>[\w ':-]+?)"
    r"|(?: (?P<bare>(?!from|to|back|out|over|in|down|up|house|home|teams|"
    r"jobs)[\w-]+(?: [\w-]+)?)))(?: from (?P<from>.+?))?(?: (?:to|into)(?: the| a| an)? (?P<v>.+)|"
    r" (?:(?:the )(?P<called>\w[\w ]*)|(?P<adjective>[\w-]+)))$"
)


def made(text: str) -> list[Found]:
    """`They changed the door code to 9023`: what is said of a thing by saying what was done to it."""
    match = _MADE.match(text)
    if match is None or (match["bare"] and match["bare"].endswith("s") and match["from"]):
        return []
    noun, verb = noun_of(match["noun"] or match["bare"]), match["verb"]
    value = match["v"] or match["called"] or match["adjective"]
    if match["adjective"] and verb not in {"dyed", "painted", "repainted", "cut", "coloured", "colored"}:
        return []
    if noun in {"mind", "name", "last name", "first name", "hours", "teams", "team", "major", "majors"} or (
        noun.endswith("name") and " " not in noun
    ):
        return []
    attribute, of_person = attribute_of(noun)
    if verb in {"renamed", "rechristened"}:
        found = [Found(f"{attribute} name", words_of(value), of_self=True)]
    else:
        found = [each._replace(of_self=True) for each in given_value(attribute, value, of_person=of_person)]
    return found


_GIVEN = lazy(
    r"^(?:(?:have|has) been |was |were |got |is being |gets |(?:have|has) )?(?:changed|moved|renamed|"
    r"rescheduled|pushed(?: back)?|"
    r"postponed|updated|increased|raised|lowered|reduced|switched|shifted|went up|gone up|go(?:es)? up|"
    r"went down|gone down|dropped|"
    r"slipped|delayed|rose|risen|grown|grew|shrunk|shrank|upgraded|bumped|extended|cut|brought forward|"
    r"set|scheduled|replaced|fixed|rebranded)"
    r"(?: (?:from|back from) (?P<from>.+?))?(?: (?:to|at|by|for|on|with|as) (?P<v>.+))$"
)


_MEETS = lazy(
    r"^(?:starts?|begins?|meets?|takes? place|happens?|runs?|leaves?|departs?|opens?|comes?|(?:is|are|"
    r"will be) (?:held|scheduled|set|due|planned)(?: for)?|(?:is|are|will be)(?= (?:on|at))|will be|"
    r"will start|will take place|goes out|go out|airs?|falls?)\b (?P<v>.+)$"
)


_ENDS = lazy(r"^(?:ends?|finishes?|closes?|arrives?|stops?|expires?|will end)\b (?P<v>.+)$")


def of_thing(clause: Clause) -> Iterator[Found]:
    """What a clause claims of a thing."""
    noun, text = clause.subject.noun, clause.predicate
    text = re.sub(r"^(?:have|has) (?=(?:moved|changed|gone|grown|risen|expired)\b)", "", text)
    noun, of_what = attribute_of(noun)
    negation = re.match(rf"^(?:{BE}|does|do|has|have) (?:not|no longer) (?P<rest>.*)$", text)
    if negation:
        rest = negation["rest"]
        for each in _valued(of_what, noun, re.sub(r"^be ", "", rest), clause):
            yield each._replace(negated=True)
        return
    thing = made(text)
    if thing:
        yield from thing
        return
    if re.match(r"^(?:has |have )?(?:died|passed away|(?:is|are) dead)$", text):
        yield Found("with:", words_of(noun), negated=True)
        return
    gone = re.match(
        (
            r"^(?:(?:was|is|got|has been|have been|were) )?(?:cancelled|canceled|scrapped|called off|over|"
            r"discontinued|abolished|no more|dropped|sold|stolen)$"
        ),
        text,
    )
    if gone:
        yield from (Found(f"{noun}{facet}", "", negated=True) for facet in SIDES)
        yield Found("with:", words_of(noun), negated=True)
        return
    given = _GIVEN.match(text)
    if given:
        if re.search(r"renamed|rebranded", text):
            yield Found(f"{noun} name", words_of(given["v"]))
            return
        value = given["v"]
        moved = re.search(r"\b(?:moved|pushed|rescheduled|shifted|postponed|brought forward)\b", text)
        if moved and re.match(r"\d{1,2}(?::\d\d)?(?: ?[ap]m)?$", value):
            value = f"at {value}"
        for each in _valued(of_what, noun, value, clause):
            yield each
            if moved and each.attribute == noun:
                yield each._replace(attribute=f"{noun}@place")
        return
    if noun == "birthday":
        yield from _valued(of_what, noun, re.sub(r"^\w+ ", "", text), clause)
        return
    passive = re.match(r"^(?:was|is|were|are) (?P<verb>\w+(?:ed|en|t)) by (?P<v>.+)$", text)
    if passive:
        yield Found(f"{noun} {passive['verb']} by", words_of(passive["v"]))
        return
    state = re.match(r"^(?:has |have )?(?P<v>expired|healed(?: completely)?|closed|reopened|finished)$", text)
    if state:
        yield Found(f"{noun} {'validity' if state['v'] == 'expired' else 'running'}", words_of(state["v"]))
        return
    named = re.match(rf"^(?:{BE} )(?:now )?(?:called|named) (?P<v>.+)$", text)
    if named:
        yield Found(f"{noun} name", words_of(named["v"]))
        return
    ends = _ENDS.match(text)
    if ends:
        yield from facets_of(f"{noun} end", ends["v"])
        return
    meets = _MEETS.match(text)
    if meets:
        yield from facets_of(noun, meets["v"])
        return
    be = re.match(rf"^(?:{BE}|was|were|became|will be|means|equals) (?P<v>.+)$", text)
    if be and not text.startswith(("was", "were")):
        yield from _valued(of_what, noun, be["v"], clause)
        return
    having = re.match(r"^(?:has|have|consists? of|contains?|holds?|includes?|employs?) (?P<what>.+)$", text)
    if having:
        for each in possessions(having):
            kind, _, rest = each.attribute.partition(":")
            yield each._replace(attribute=f"{kind}:{noun} {rest}" if rest else f"{noun} {kind}")
        return
    lasting = re.match(r"^(?:lasts?|takes?|runs for|goes on for) (?:about |around )?(?P<n>\d+) (?P<unit>\w+)$", text)
    if lasting:
        yield Found(f"count:{noun} {head_of(lasting['unit'])}", lasting["n"])
        return
    measure = re.match(
        r"^(?:costs?|weighs?|measures?|takes?|pays?|earns?|makes?) (?:about |around )?(?P<v>[$€£]?\d.*)$", text
    )
    if measure:
        yield Found(f"{noun} {text.split()[0].rstrip('s')}", number_of(measure["v"]) or words_of(measure["v"]))
        return
    for pattern, build in PERSON_RULES:
        match = pattern.match(text)
        if match and not text.startswith(("has", "have")):
            for each in build(match):
                yield each._replace(attribute=f"{noun} {each.attribute}")
            return
    for each in actions(text, negated=False):
        kind, _, rest = each.attribute.partition(":")
        yield each._replace(attribute=f"{kind}:{noun} {rest}" if rest else f"{noun} {kind}")


def _valued(of_person: bool, noun: str, value: str, clause: Clause) -> Iterator[Found]:
    value = value.strip()
    if noun == "birthday":
        date = date_of(value)
        if date:
            yield Found(noun, date)
        elif month := re.search(
            r"\b(january|february|march|april|may|june|july|august|september|october|november|december)\b", value
        ):
            yield Found(noun, month.group())
        return
    if noun == "age":
        number = number_of(value)
        if number:
            yield Found("age", number)
        return
    if noun == "name" and (owner := clause.subject.owner).startswith("relation ") and " / " not in owner:
        yield Found(owner, words_of(value), of_self=True)
        return
    if noun in {"home", "address"} and value.startswith("in "):
        yield Found("home", words_of(value))
        return
    if noun == "job" and not is_job(value) and not re.match(r"(?:a|an|the) ", value):
        return
    if of_person and value in COLORS:
        yield Found(f"{noun} color", value)
        return
    if of_person:
        if noun in {"weight", "height", "income"}:
            if number := number_of(value):
                yield Found(noun, number)
            return
        if re.match(r"(?:in|on|at|being|parked|broken|dirty|clean|full|empty|old|new|great|nice|fast|slow)\b", value):
            return
        yield Found(noun, words_of(re.sub(r"^(?:a|an|the) ", "", value.split(",")[0])))
        return
    if noun and noun.rsplit(maxsplit=1)[-1] in MULTIPLE and "favorite" not in noun:
        yield Found(f"is:{noun} {head_of(value)}", words_of(value))
        return
    inverse = re.match(r"(?:my|our) (?P<what>.+)$", value)
    if inverse and len(noun.split()) <= 3:
        what, person = attribute_of(re.sub(r"^(?:new|current) ", "", inverse["what"]))
        if "favorite" in what or person:
            yield Found(what, words_of(noun), of_self=True)
            return
    yield from facets_of(noun, value)
