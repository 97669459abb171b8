"""What somebody is or does: claims of one thing each, which are stated or denied."""

from __future__ import annotations

import re
from collections.abc import Iterator

from recollect.knowledge.claims.found import Found
from recollect.knowledge.claims.values import clock_of, date_of, days_of, part_of_day, words_of
from recollect.knowledge.claims.words import base_of, head_of
from recollect.knowledge.lazy import lazy
from recollect.knowledge.lexicon import STATES, is_job
from recollect.knowledge.verbs import BASE_VERBS, DISLIKING, LIKING


def states_of(what: str, *, negated: bool) -> Iterator[Found]:
    """What somebody is."""
    what = re.sub(r"^(?:happily|newly|strictly|recently|fully|mostly) ", "", what)
    state = STATES.get(what) or STATES.get(re.sub(r"^(?:a|an) ", "", what))
    if state is None and (
        first := re.match(
            r"(?P<s>single|married|divorced|engaged|separated|vegan|vegetarian)\b(?: to\b| with\b| from\b)?", what
        )
    ):
        what, state = first["s"], STATES[first["s"]]
    if state:
        value = words_of(re.sub(r"^(?:a|an) ", "", what))
        if state == "diet" and value in {"meat eater", "meat-eat", "carnivor", "omnivor"}:
            value = "omnivor"
        yield Found(state, value, negated)
        if state == "diet" and value in {"vegan", "vegetarian"} and not negated:
            yield Found("does:eat:meat", "meat", negated=True)
        return
    doing = re.match(r"(?P<verb>\w+ing)\b ?(?P<rest>.*)$", what)
    if doing and base_of(doing["verb"]) in BASE_VERBS:
        yield from actions(f"{base_of(doing['verb'])} {doing['rest']}".strip(), negated=negated)
        return
    noun = re.match(r"(?:a|an|the) (?P<n>.+?)(?: (?:at|for|with|in|by) (?P<v>[^,]+))?$", what)
    if noun and is_job(noun["n"]):
        yield Found("job", words_of(noun["n"]), negated)
        if noun["v"] and not negated:
            yield Found("workplace", words_of(noun["v"]))
        return
    if is_job(what) and len(what.split()) <= 3:
        yield Found("job", words_of(what), negated)
        return
    if noun is None and re.match(
        r"(?:at|in|on|here|there|back|home|not|tired|busy|sorry|sure|happy|sad|late|early)\b", what
    ):
        on = re.match(r"(?:on|in) (?:the |a |an )?(?P<v>.+)$", what)
        if on:
            yield Found(f"on:{head_of(on['v'])}", words_of(on["v"]), negated)
        return
    yield Found(f"is:{head_of(what)}", words_of(what), negated)


_CONSUMING = frozenset("drink eat smoke take have get".split())  # noqa: SIM905


_VERB_PHRASE = lazy(r"^(?P<verb>[a-z-]+)(?: (?P<rest>.+))?$")


def actions(text: str, *, negated: bool) -> Iterator[Found]:
    """What somebody does or likes, of one thing each."""
    text = re.sub(
        (
            r"^(?:am|is|are|have been|has been|started|began|have started|has started|begun|taken up|took up|"
            r"love to|like to|likes to|loves to|get to|got into|am into|is into) (?=\w+)"
        ),
        lambda match: "like " if "into" in match.group() else "",
        text,
    )
    match = _VERB_PHRASE.match(text)
    if match is None:
        return
    verb, rest = base_of(match["verb"]), match["rest"] or ""
    if verb not in BASE_VERBS:
        return
    if verb in LIKING | DISLIKING:
        sign = negated != (verb in DISLIKING)
        for part in re.split(r",| and | or ", rest):
            if words_of(part):
                yield Found(f"likes:{head_of(part)}", words_of(part), sign)
        return
    if verb in {
        "say",
        "tell",
        "think",
        "mean",
        "know",
        "hope",
        "expect",
        "decide",
        "agree",
        "promise",
        "remember",
        "forget",
        "go",
    } and not re.match(r"to |running|swimming|hiking|jogging|climbing|dancing|fishing", rest):
        return
    words = words_of(rest)
    head = head_of(rest)
    number = re.search(r"(?<!at )\b(\d+(?:\.\d+)?)\b(?!:|\s?(?:am|pm)\b|(?:st|nd|rd|th)\b)", rest)
    if number and not negated and date_of(rest) is None:
        kept = " ".join(word for word in words.split() if word != number.group(1))
        doing = "" if verb in _CONSUMING else verb
        yield Found(f"count:{doing} {kept}".replace(": ", ":"), number.group(1))
    else:
        yield Found(f"does:{verb}:{head}", words, negated)
    if not negated:
        yield from times_of(f"{verb} {head}", rest, always=False)


def times_of(attribute: str, text: str, *, always: bool) -> Iterator[Found]:
    """When something is done: at a time of the day, on days, on a date."""
    clock = clock_of(text if always else f" {text}")
    if clock:
        yield Found(f"{attribute}@time", clock)
    part = part_of_day(text)
    if part and not clock:
        yield Found(f"{attribute}@part", part)
    days = days_of(text)
    if days:
        yield Found(f"{attribute}@days", days)
