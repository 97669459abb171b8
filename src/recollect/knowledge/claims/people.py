"""What is said of people: the wordings by which homes, jobs, ages, relations and the like are told."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from recollect.knowledge.claims.attributes import attribute_of
from recollect.knowledge.claims.doing import states_of, times_of
from recollect.knowledge.claims.found import BE, HAVE, Found
from recollect.knowledge.claims.subjects import noun_of
from recollect.knowledge.claims.values import clock_of, date_of, days_of, words_of
from recollect.knowledge.claims.words import PETS, head_of, kind_of
from recollect.knowledge.lazy import lazy

_PLACE = r"(?P<v>[^,]+?)(?:,.*| with .*| near .*| together.*| close to .*)?"


Rule = tuple[re.Pattern[str], Callable[[re.Match[str]], Iterator[Found]]]


def _place(attribute: str) -> Callable[[re.Match[str]], Iterator[Found]]:
    def build(match: re.Match[str]) -> Iterator[Found]:
        value = match["v"]
        if re.match(r"(?:a|an) ", value):
            yield Found("dwelling" if attribute == "home" else f"{attribute} kind", words_of(value))
        elif re.match(
            r"(?:the )?(?:same|office|countryside|suburbs|city|middle|center|house|hotel|past|present)\b", value
        ):
            return
        else:
            yield Found(attribute, words_of(re.sub(r"^(?:the|my|our) ", "", value)))

    return build


def _moving(match: re.Match[str]) -> Iterator[Found]:
    if match["from"]:
        yield Found("with:place", words_of(match["from"]), negated=True)
    if days_of(match["v"]) is None and not clock_of(match["v"]):
        yield from _place("home")(match)


def _plain(attribute: str) -> Callable[[re.Match[str]], Iterator[Found]]:
    return lambda match: iter([Found(attribute, words_of(match["v"]))] if words_of(match["v"]) else [])


def _fixed(attribute: str, value: str) -> Callable[[re.Match[str]], Iterator[Found]]:
    return lambda _match: iter([Found(attribute, value)])


def _number(attribute: str) -> Callable[[re.Match[str]], Iterator[Found]]:
    return lambda match: iter([Found(attribute, match["v"])])


def _date(match: re.Match[str]) -> Iterator[Found]:
    date = date_of(match.group())
    if date:
        yield Found("birthday", date)


def _work(match: re.Match[str]) -> Iterator[Found]:
    place, post = match.groupdict().get("v"), match.groupdict().get("post")
    if place:
        yield Found("workplace", words_of(place))
        if not re.search(r"self|freelanc", f"{post} {place}"):
            yield Found("employment", "employ")
    if post:
        yield Found("job", words_of(post))
        if not place and not re.search(r"self|freelanc", post):
            yield Found("employment", "employ")


def possessions(match: re.Match[str]) -> Iterator[Found]:
    """What somebody (or something) has: how many, none, a job, a birthday, or simply that."""
    what = match["what"].split(",")[0].removeprefix("got ")
    count = re.match(
        r"(?:about |around |over |exactly |a total of )?(?P<n>\d+) (?P<noun>[a-z][\w' -]*?)(?: on it)?$", what
    )
    none = re.match(r"(?:no|zero|0) (?P<noun>.+)$", what)
    if none:
        noun = kind_of(head_of(none["noun"]))
        yield Found(f"count:{noun}", "0")
        yield Found(f"has:{noun}", words_of(none["noun"]), negated=True)
    elif count:
        noun = kind_of(head_of(count["noun"]))
        yield Found(f"count:{noun}", count["n"])
        yield Found(f"has:{noun}", words_of(count["noun"]))
    elif re.match(r"(?:to|been|got to|a crush|the feeling|a question|a look|lunch|dinner|breakfast)\b", what):
        return
    elif birthday := date_of(what) if "birthday" in what else None:
        yield Found("birthday", birthday)
    elif job := re.match(
        (
            r"(?:a|an|the) (?:new )?(?:job|position|role|contract)(?: as (?:a|an|the) (?P<post>.+?))?(?: (?:at|"
            r"with|for|in) (?P<v>.+))?$"
        ),
        what,
    ):
        yield from _work(job)
    else:
        what = re.sub(r"^any ", "", what)
        days = None if re.match(r"(?:a|an|the) ", what) else days_of(what)
        if days:
            yield Found(f"{noun_of(re.split(r' (?:on|every) ', what)[0])}@day", days, of_self=True)
        yield Found(f"has:{kind_of(head_of(what))}", words_of(what))
        if head_of(what) in PETS:
            yield Found("has:pet", "pet")


def _amount(match: re.Match[str]) -> Iterator[Found]:
    if match["what"] in {"kg", "kilos", "pounds", "lbs"}:
        yield Found("weight", match["n"])
    else:
        yield Found(f"count:{words_of(match['what'])}", match["n"])


def _bought(match: re.Match[str]) -> Iterator[Found]:
    yield Found(f"has:{kind_of(head_of(match['what']))}", words_of(match["what"]))
    if head_of(match["what"]) in PETS:
        yield Found("has:pet", "pet")


def _driving(match: re.Match[str]) -> Iterator[Found]:
    if re.match(r"(?:to|into|home|him|her|them|me|us|people|crazy|every|on|for|from|a long|around)\b", match["v"]):
        return
    yield Found("car", words_of(match["v"]))


def _preferring(match: re.Match[str]) -> Iterator[Found]:
    text = re.sub(r"^to (?:be )?(?:\w+ (?:by|via|on|in) )?", "", match["v"])
    over = re.split(r"\b(?:over|to|rather than|instead of|than)\b", text, maxsplit=1)
    value = over[0].strip()
    if len(over) > 1:
        pair = sorted([words_of(value), words_of(over[1])])
        yield Found(f"prefers:{'|'.join(pair)}", "")
        yield Found("prefers " + "|".join(pair), words_of(value))
        return
    words = words_of(re.sub(r"\b(?:to|my|the|a|an|be|being)\b", " ", value)).split()
    if not words:
        return
    category = next((name for name, members in _CATEGORIES.items() if words[-1] in members), None)
    if category:
        yield Found(f"prefers {category}", words[-1])
    elif len(words) > 1:
        yield Found(f"prefers {words[-1]}", " ".join(words[:-1]))
    else:
        yield Found(f"likes:{words[-1]}", words[-1])


_CATEGORIES = {
    "drink": frozenset({"tea", "coffe", "coffee", "water", "juic", "beer", "wine", "milk", "soda", "cocoa"}),
    "pet": frozenset({"dog", "cat"}),
    "season": frozenset({"summer", "winter", "spring", "autumn", "fall"}),
    "part of day": frozenset({"morn", "even", "afternoon", "night"}),
    "transport": frozenset({"train", "plane", "car", "bus", "fli", "drive", "bike", "cycl"}),
    "place": frozenset({"citi", "countrysid", "beach", "mountain"}),
    "contact": frozenset({"email", "phone", "text", "call", "messag", "slack", "chat", "whatsapp"}),
    "mode": frozenset({"dark", "light"}),
    "system": frozenset({"window", "mac", "macos", "linux", "io", "android"}),
}


def _rule(pattern: str, build: Callable[[re.Match[str]], Iterator[Found]]) -> Rule:
    return lazy(pattern), build


PERSON_RULES: tuple[Rule, ...] = (
    _rule(r"^call me (?P<v>[^,]+)$", _plain("called")),
    _rule(
        (
            rf"^(?:{BE} (?:called|named|known as)|go(?:es)? by|prefers? to be called|"
            rf"would rather be called)(?: the name)? (?P<v>[^,]+)$"
        ),
        _plain("called"),
    ),
    _rule(
        rf"^(?:{BE} )?(?:recovered|back(?: home| at \w+)?|home) from (?P<v>.+)$",
        lambda match: iter([Found("with:state", words_of(match["v"]), negated=True)]),
    ),
    _rule(r"^(?:passed away|died|is dead|has died)$", lambda _m: iter([Found("gone", "gone")])),
    _rule(r"^graduated in (?P<v>\d{4})$", _number("graduated")),
    _rule(r"^(?:works? |working |am working )?(?P<v>full|part)[- ]time$", _plain("work time")),
    _rule(r"^(?:cut|reduced) (?:my|his|her) hours$", _fixed("work time", "part")),
    _rule(
        (
            rf"^{BE} in (?:my|his|her) (?:early |mid |late )?(?P<v>twenties|thirties|forties|fifties|sixties|"
            rf"seventies|eighties)$"
        ),
        _plain("decade of life"),
    ),
    _rule(
        (
            rf"^{BE} in (?P<v>kindergarten|preschool|nursery|primary school|elementary school|middle school|"
            rf"high school|college|(?:first|second|third|fourth|fifth|sixth|seventh|eighth|\w+th) grade|"
            rf"year \d+)$"
        ),
        _plain("stage of school"),
    ),
    _rule(rf"^{BE} (?P<v>in (?:the )?hospital|back home|at home)$", _plain("whereabouts")),
    _rule(
        r"^stepped down as (?:the |a )?(?P<post>.+)$",
        lambda match: iter([Found("job", words_of(match["post"]), negated=True)]),
    ),
    _rule(r"^(?:started|begun|began|found|got|have found) (?:a |my )?new job$", _fixed("employment", "employ")),
    _rule(
        r"^likes? (?P<a>.+?) (?:more|better) than (?P<b>.+)$",
        lambda match: iter(
            [Found("prefers " + "|".join(sorted([words_of(match["a"]), words_of(match["b"])])), words_of(match["a"]))]
        ),
    ),
    _rule(r"^works? there$", _fixed("workplace", "")),
    _rule(r"^(?:was |were )born in (?P<v>(?:19|20)\d\d)$", _number("birth year")),
    _rule(
        r"^(?:do not|no longer|stop|never) call(?:ing)? me (?P<v>[^,]+)$",
        lambda match: iter([Found("called", words_of(match["v"]), negated=True)]),
    ),
    _rule(rf"^(?:switched|changed|moved|went|{BE})(?: back)? to (?P<v>full|part)[- ]time$", _plain("work time")),
    _rule(rf"^{BE} based (?:out of|at|from) " + _PLACE + "$", _place("home")),
    _rule(rf"^(?:cut|cut back|{BE}|went|gone) (?:down|up|back) to (?P<n>\d+) (?P<what>[a-z].+)$", _amount),
    _rule(rf"^{BE} (?:down|up) to (?P<v>\d+) ?(?:kg|kilos?|pounds|lbs)$", _number("weight")),
    _rule(
        r"^gave birth.*$|^had (?:a|the|our|her|his|my) baby.*$|^lost the baby$",
        lambda _m: iter([Found("is:pregnant", "pregnant", negated=True)]),
    ),
    _rule(
        rf"^{BE} (?:a |an )?(?:heavy |chain |occasional )?(?P<no>non-)?smoker$",
        lambda match: iter([Found("does:smoke:", "", negated=bool(match["no"]))]),
    ),
    _rule(
        r"^goes? to (?P<v>.*\b(?:school|high|college|university|academy|elementary|kindergarten)\b.*)$",
        _plain("school"),
    ),
    _rule(
        r"^(?:switched|changed) \w+s? from (?P<from>.+?) to (?P<v>.+)$",
        lambda match: iter([Found("with:", words_of(match["from"]), negated=True)]),
    ),
    _rule(
        rf"^{HAVE} (?:a|an) (?:new )?(?:boyfriend|girlfriend)(?: .*)?$", lambda _m: iter([Found("marital", "dating")])
    ),
    _rule(
        (
            r"^(?:legally )?changed (?:my|his|her|their) (?P<which>last |first |middle |"
            r"sur)?name (?:from [\w ]+ )?to (?P<v>.+)$"
        ),
        lambda match: iter(
            [Found(f"{(match['which'] or '').strip().replace('sur', 'last')} name".strip(), words_of(match["v"]))]
        ),
    ),
    _rule(
        (
            r"^(?:moved|relocated|have moved|am moving|emigrated|returned) (?:back |house |home |over |out |"
            r"away |abroad )?(?:from (?P<from>.+?) )?to "
        )
        + _PLACE
        + "$",
        _moving,
    ),
    _rule(
        rf"^(?:{BE} )?(?:lives?|living|resides?|residing|based|settled|settled down|living together)(?: [\w -]+?)? in "
        + _PLACE
        + "$",
        _place("home"),
    ),
    _rule(rf"^(?:{BE} )?(?:lives?|living|resides?) (?:at|on) " + _PLACE + "$", _plain("address")),
    _rule(
        rf"^(?:{BE} )?(?:lives?|living) (?P<v>alone|by myself|on my own|with .+)$",
        lambda match: iter([Found("lives with", words_of(match["v"]) or "alone")]),
    ),
    _rule(rf"^{BE} (?:originally )?from (?P<v>.+)$", _plain("origin")),
    _rule(r"^(?:was |were )?born in (?P<v>[^\d]+)$", _plain("birthplace")),
    _rule(r"^grew up in (?P<v>[^\d]+)$", _plain("childhood home")),
    _rule(r"^(?:was |were )born (?:on|in) .+$", _date),
    _rule(
        (
            rf"^(?:{BE} |turned |turn |turns |turning |just turned |{BE} turning |have turned )(?:about |almost |"
            rf"only )?(?P<v>\d{{1,3}})(?: (?:years?|yrs?)(?: old| of age)?)?$"
        ),
        _number("age"),
    ),
    _rule(rf"^{BE} (?:about |around )?(?P<v>\d{{1,2}}) (?:months|weeks) old$", _number("age")),
    _rule(
        (
            rf"^(?:{BE} )?(?:works?|working|employed)(?: [\w-]+ly| full[- ]time| part[- ]time|"
            rf" remotely)? as (?:a |an |the )?(?P<post>.+?)(?: (?:at|for|with) (?P<v>.+))?$"
        ),
        _work,
    ),
    _rule(
        (
            rf"^(?:{BE} )?(?:works?|working|employed)(?: full[- ]time| part[- ]time| remotely)? (?:at|for|with|"
            rf"by) (?P<v>.+?)(?: as (?:a |an |the )?(?P<post>.+))?$"
        ),
        _work,
    ),
    _rule(
        r"^works? (?:from home|remotely|remote)$|^(?:am|is) (?:working )?(?:remote|remotely|from home)$",
        _fixed("work mode", "remote"),
    ),
    _rule(r"^works? (?:in|from) (?:the|an) office\b.*$|^(?:am|is) back in the office$", _fixed("work mode", "office")),
    _rule(rf"^(?:{BE} )?works? (?:in|on) (?P<v>.+)$", _plain("works in")),
    _rule(
        (
            r"^(?:joined|accepted a (?:new )?(?:job|position|offer) (?:at|with|from)|took a (?:new )?job (?:at|"
            r"with)|got hired (?:at|by)|was hired by|signed with) (?P<v>.+?)(?: as (?:a |an )?(?P<post>.+))?$"
        ),
        _work,
    ),
    _rule(
        (
            r"^(?:started|begun|began|found|got|landed|took) (?:(?:a |my )?(?:new )?(?:job|position|role)|"
            r"working|work)(?: as (?:a |an )?(?P<post>.+?))?(?: (?:at|for|with) (?P<v>.+))?$"
        ),
        _work,
    ),
    _rule(
        r"^(?:got|was|have been|has been|were) (?:promoted to|made|appointed)(?: be)? (?:a |an |the )?(?P<post>.+)$",
        _work,
    ),
    _rule(
        (
            r"^(?:transferred|switched|moved|changed)(?: teams?|"
            r" departments?)? from (?:the )?(?P<from>.+?) to (?:the )?(?P<v>.+)$"
        ),
        lambda match: iter(
            [
                Found("with:", words_of(match["from"]), negated=True),
                Found(f"with:{head_of(match['v'])}", words_of(match["v"])),
            ]
        ),
    ),
    _rule(
        r"^(?:became|become|becomes|retrained as|qualified as) (?:a |an |the )?(?P<what>.+)$",
        lambda match: states_of(match["what"], negated=False),
    ),
    _rule(
        (
            r"^(?:got|have gotten|was) (?:laid off|fired|let go|sacked|made redundant)(?: (?:from|by|"
            r"at) (?P<v>.+))?$|^lost (?:my|his|her|their) job(?: at (?P<v2>.+))?$"
        ),
        lambda match: iter(
            [
                Found("workplace", words_of(match["v"] or match["v2"] or ""), negated=True),
                Found("employment", "unemployed"),
            ]
        ),
    ),
    _rule(
        r"^(?:have |has )?retired(?: from .+)?$",
        lambda _m: iter(
            [Found("employment", "retired"), Found("workplace", "", negated=True), Found("job", "", negated=True)]
        ),
    ),
    _rule(r"^resigned$|^quit$|^handed in (?:my|his|her) notice$", _fixed("employment", "unemployed")),
    _rule(
        (
            r"^(?:got|have gotten|just got|are getting|have) (?:married|hitched|remarried)(?: to .+)?$|"
            r"^(?:married|remarried) .+$|^tied the knot$"
        ),
        _fixed("marital", "married"),
    ),
    _rule(
        (
            r"^(?:got|have gotten|just got|am getting|are getting) (?:divorced|a divorce)(?: from .+)?$|"
            r"^divorced$|^filed for divorce$"
        ),
        _fixed("marital", "divorced"),
    ),
    _rule(
        r"^got engaged(?: to .+)?$|^(?:am|is|are) engaged(?: to .+)?$|^proposed to .+$", _fixed("marital", "engaged")
    ),
    _rule(
        (
            r"^(?:broke|split|have split|have broken) up(?: with .+)?$|^separated$|^called off (?:the|our|my|his|"
            r"her) (?:engagement|wedding).*$|^(?:broke off|ended) (?:the|our|my) (?:engagement|relationship|"
            r"marriage)$"
        ),
        _fixed("marital", "single"),
    ),
    _rule(
        rf"^(?:{BE} )?(?:dating|seeing|in a relationship with|going out with) (?P<v>.+)$", _fixed("marital", "dating")
    ),
    _rule(
        r"^(?:got|was|have been) widowed$|^lost (?:my|his|her) (?:wife|husband|spouse)$", _fixed("marital", "widowed")
    ),
    _rule(
        r"^eats? (?:meat|everything|anything|fish and meat|meat and fish|chicken and beef)$",
        lambda _m: iter([Found("diet", "omnivor"), Found("does:eat:meat", "meat")]),
    ),
    _rule(
        (
            r"^(?:switched|changed|went|gone|go|goes|converted) (?:back )?(?:to )?(?:being |a |an )?(?P<v>vegan|"
            r"vegetarian|pescatarian|keto|carnivore)(?: diet)?$"
        ),
        _plain("diet"),
    ),
    _rule(rf"^{BE} (?P<v>\d[\d.,]* ?(?:cm|m|meters?|metres?|feet|foot|ft|inches)\b(?: \d+)?).*$", _number("height")),
    _rule(r"^weighs? (?:about |around )?(?P<v>\d[\d.,]*).*$", _number("weight")),
    _rule(
        rf"^(?:{BE} )?(?:earns?|earning|makes?|making) (?:about |around )?[$€£]?(?P<v>\d[\d.,]*k?).*$",
        _number("income"),
    ),
    _rule(
        (
            r"^pays? (?:about |around )?[$€£]?(?P<v>\d[\d.,]*k?)(?: \w+)?(?: a month| per month| monthly)? (?:in|"
            r"for|of) (?P<what>.+)$"
        ),
        lambda match: iter([Found(head_of(match["what"]), match["v"])]),
    ),
    _rule(
        rf"^(?:{BE} )?(?:stud(?:y|ies|ying)|enrolled|a student|goes to school|go to school) (?:at|in) (?P<v>[^,]+)$",
        _plain("school"),
    ),
    _rule(r"^transferred (?:from .+ )?to (?P<v>.+)$", _plain("school")),
    _rule(rf"^(?:{BE} )?(?:stud(?:y|ies|ying)|majoring in|majors? in) (?P<v>.+)$", _plain("subject of study")),
    _rule(r"^switched (?:my |his |her )?majors? (?:from .+ )?to (?P<v>.+)$", _plain("subject of study")),
    _rule(rf"^(?:{BE} )?(?:drives?|driving) (?:a |an |the |my )?(?P<v>.+)$", _driving),
    _rule(r"^(?:wakes?|gets?) up (?P<v>.+)$", lambda match: times_of("wakes up", match["v"], always=True)),
    _rule(
        r"^(?:goes? to bed|goes? to sleep|fall asleep) (?P<v>.+)$",
        lambda match: times_of("goes to bed", match["v"], always=True),
    ),
    _rule(
        rf"^{BE} allergic to (?P<v>.+)$",
        lambda match: iter(
            [
                Found(f"allergic:{head_of(part)}", words_of(part))
                for part in re.split(r",| and | or ", match["v"])
                if part.strip()
            ]
        ),
    ),
    _rule(
        r"^(?:outgrew|got over) (?:my|his|her) (?P<v>.+?) allergy$",
        lambda match: iter([Found(f"allergic:{head_of(match['v'])}", words_of(match["v"]), negated=True)]),
    ),
    _rule(
        rf"^{HAVE} (?:a |an )(?P<v>\w+) allergy$",
        lambda match: iter([Found(f"allergic:{head_of(match['v'])}", words_of(match["v"]))]),
    ),
    _rule(rf"^(?:{HAVE}|owns?|{HAVE} got|{HAVE} got|{BE} the owner of) (?P<what>.+)$", possessions),
    _rule(
        (
            r"^(?:bought|adopted|got)(?: myself| ourselves| himself| herself)? (?P<what>(?:a|an|another|"
            r"\d+) (?!new job).+)$"
        ),
        _bought,
    ),
    _rule(r"^prefers? (?P<v>.+)$", _preferring),
    _rule(
        r"^can not stand (?P<v>.+)$",
        lambda match: iter([Found(f"likes:{head_of(match['v'])}", words_of(match["v"]), negated=True)]),
    ),
    _rule(
        r"^(?:can be reached|reachable) (?:at|on|under|via) (?P<v>.+)$",
        lambda match: iter([Found("email" if "@" in match["v"] else "phone number", words_of(match["v"]))]),
    ),
    _rule(
        (
            r"^(?:switched|changed|moved|upgraded|converted) (?:from (?P<from>.+?) )?(?:over )?to (?:a |an |"
            r"the )?(?P<v>.+)$"
        ),
        lambda match: iter(
            [
                *([Found("with:", words_of(match["from"]), negated=True)] if match["from"] else []),
                Found(f"uses:{head_of(match['v'])}", words_of(match["v"])),
            ]
        ),
    ),
    _rule(
        (
            r"^(?:replaced|traded in|traded|swapped|exchanged) (?:my |our |the |a )?(?P<from>.+?) (?:with|for|"
            r"by) (?:a |an |my |the )?(?P<v>.+)$"
        ),
        lambda match: iter(
            [
                Found("with:", words_of(match["from"]), negated=True),
                Found(f"has:{head_of(match['v'])}", words_of(match["v"])),
                Found(attribute_of(match["from"])[0], words_of(match["v"])),
            ]
        ),
    ),
    _rule(
        r"^(?:uses?|using|am using|is using) (?P<v>.+?) (?:as|for) (?:my |our |the |his |her )?(?P<what>.+)$",
        lambda match: iter([Found(f"uses for {head_of(match['what'])}", words_of(match["v"]))]),
    ),
)
