"""Learning by rules: sentences in which users tell something lasting about themselves, their people and their plans."""

from __future__ import annotations

import re
from collections.abc import Iterator

from recollect.knowledge.claims import read_claims
from recollect.knowledge.extract.facts import Fact
from recollect.knowledge.lazy import lazy
from recollect.knowledge.lexicon import RELATIONS
from recollect.knowledge.mentions import mentions
from recollect.knowledge.secrets import find
from recollect.knowledge.understand import asked_to_remember, type_of
from recollect.model.memory import MemoryType

_LONGEST_MESSAGE = 2_000
_SENTENCE = lazy(r"(?<!\b[MDS][rst]\.)(?<!\bMrs\.)(?<=[.!?…])\s+|\n+|\s+[-–—]+\s+(?=[A-Z])|(?<=\w)\s*;\s+")
# What a whole message is, when nothing in it is told by the user of themself.
_NOT_TOLD = lazy(
    r"```|^\s*(?:>|\||#include|def |class |import |SELECT )|[{};]\s*$|\bjust kidding\b|\bkidding\b|"
    r"\bjoke\b|\bjoking\b|\bjk\b|(?<!\w)/s\b|\bsarcas|"
    r"\b(?:translate|proofread|rephrase|paraphrase|rewrite|reword|summari[sz]e|correct (?:this|my|the)|"
    r"fix (?:this|the|my) (?:sentence|grammar|text|english)|"
    r"grammar|spell[- ]?check|how do you say|how (?:would|do) (?:i|you) (?:say|write)|"
    r"what does .{1,60} mean|complete (?:this|the) sentence|continue (?:this|the) (?:story|text))\b|"
    r"^\s*(?:act as|pretend|imagine|suppose|assume|let'?s (?:say|pretend|imagine)|roleplay|role-play|"
    r"you are|write|draft|compose|create|generate|"
    r"in (?:the|my|this|a) (?:book|novel|film|movie|story|game|song|play|show|series|poem|dream)|lyrics|quote)\b|"
    r"^\s*\w+ (?:said|says|asked|told|wrote|claims?|thinks?)\b.*[\"“']|^\s*[\"“].*[\"”]\s*\W*$|\bsays?,? [\"“]",
    re.IGNORECASE,
)
# Somebody else's words, or a text that was pasted to be worked on.
_OTHERS = lazy(
    r"\b(?:said|asked|wrote|says|writes|replied|told me|goes)\s*[:,]|\bsaid the\b|"
    r"\b(?:check|review|read|edit|look at|improve|answer|reply to|polish|shorten) (?:this|the following|"
    r"my|these)\b[^.?!]{0,20}"
    r"(?:email|mail|essay|text|letter|message|paragraph|sentence|draft|post|cv|resume|story|code)\b|^\s*for example\b|"
    r"\b(?:hi|hello|dear) [A-Z]\w+,|\bhow many\b|\bword problem\b",
    re.IGNORECASE,
)
_QUESTION_TAIL = lazy(
    (
        r"(?:[,.;]\s+|\s+(?:so|and|but)\s+)(?:so |and |but )?(?:remind me|what|how|which|where|when|who|why|"
        r"can|could|do|does|did|is|are|should|would|will|any|got any|whats|what's|how's|am i|may i|"
        r"have you)\b[^.!]*\?\s*$"
    ),
    re.IGNORECASE,
)
_ASKS = lazy(
    r"^\W*(?:(?:so|and|but|ok|okay|hey|hi|hello|please|well)[\s,]+)*(?:what|how|which|where|when|who|"
    r"whom|whose|why|can|could|do|does|did|is|are|am|was|were|should|"
    r"would|will|shall|have you|has|may i|any|isn't|aren't|don't you|doesn't)\b",
    re.IGNORECASE,
)
_OPENING = lazy(
    r"^\W*(?:(?:hey|hi|hello|ok|okay|oh|ah|well|so|yes|yeah|yep|no|nope|btw|by the way|fyi|also|and|but|"
    r"actually|anyway|honestly|tbh|just so you know|"
    r"for the record|good news|bad news|big news|update|guess what|note|sorry|thanks|thank you|great|"
    r"cool|nice|sure|right|hmm|wow|oops|correction|wait|plus|"
    r"to be honest|in case you wonder|in case it helps|for context|some background|little background|"
    r"quick update|heads up|i (?:forgot to mention|should mention|should add)(?: that)?|"
    r"for future reference|note to self|did i mention(?: that)?|you should know(?: that)?|as you know|"
    r"it turns out(?: that)?|turns out|fun fact|long story short)\b[\s,:;.!-]*)+",
    re.IGNORECASE,
)
_OWN = lazy(
    (
        r"^(?:ich|meine?|unsere?|j'habite|je|j'ai|j'aime|mon|ma|soy|vivo|trabajo|mi|tengo|me llamo|me gusta|"
        r"no como|abito|sono|watashi|私は|i|i'm|im|i've|ive|i'd|i'll|we|we're|we've|we'll|my|our|both of us|"
        r"me)\b"
    ),
    re.IGNORECASE,
)
_PREFERRED = lazy(
    r"^(?:please\s+)?(?:always|never|don'?t|do not|stop|from now on|in future|keep)\b.*\b(?:me|answer|"
    r"reply|respond|use|using|write|call|emojis?|answers?|responses?|units?|short|brief|language)\b|"
    r"^(?:please\s+)?call me\s+\w|^you can (?:reach|call|contact|text|email) me\b|^please (?:always|"
    r"never|answer|reply|respond|use|keep)\b",
    re.IGNORECASE,
)
_UNREAL = lazy(
    r"\bif (?:i|we|my|you|it|only)\b|\b(?:i|we|he|she)(?:'d| would)\b(?! (?:rather|prefer))|"
    r"\bwould (?:be|love|like|have)\b|\bwish\b|\bimagine\b|\bsuppose\b|\bwhat if\b|"
    r"\bmight\b|\bmaybe\b|\bperhaps\b|\bprobably\b|\bcould (?:be|have)\b|\bthinking (?:about|of)\b|"
    r"\bconsidering\b|\bwonder|\bdream(?:t|ed)? (?:of|that|about)\b|\bi hope\b|\bsomeday\b|"
    r"\bone day\b|\bas if\b|\bpretend|\bi guess\b|\bif possible\b|\bfeel like\b|\bi'm (?:a robot|batman|immortal)\b",
    re.IGNORECASE,
)
_PASSING = lazy(
    r"\b(?:i'?m|i am|we'?re|we are|i'?ve been|i feel|feeling|i was) (?:so |really |a bit |very |too |"
    r"just |still |kind of |pretty |all |feeling )*(?:tired|hungry|thirsty|bored|busy|sleepy|late|early|"
    r"cold|hot|"
    r"stuck|lost|confused|happy|sad|excited|annoyed|angry|stressed|nervous|fine|good|great|ok|okay|here|"
    r"back|done|ready|sure|not sure|sorry|glad|afk|exhausted|drunk|"
    r"impressed|surprised|curious|dying|on (?:the|my|a) (?:bus|train|way|phone|call|couch|sofa|break|"
    r"plane|subway|tram|toilet)|in (?:a|the) (?:meeting|car|queue|line|shower|bath|kitchen|office|lobby|"
    r"middle|mood)|at (?:the|my) "
    r"(?:airport|gym|office|desk|store|supermarket|shop|station|bar|doctor's|dentist|hairdresser|"
    r"checkout|moment)|out (?:of|for)|home now|having|eating|drinking|watching|listening|cooking|waiting|"
    r"sitting|standing|"
    r"walking|typing|writing|reading|looking|trying|going|leaving|heading|about to|asking|kidding|joking|"
    r"testing|wondering|talking|running late|freezing|starving|hungover|hiccup\w*|sneezing|crying|"
    r"laughing)\b|"
    r"\bright now\b|\bat the moment\b|\bjust now\b|\bbrb\b|\bbe right back\b|\bgotta go\b|"
    r"\bin a (?:minute|second|moment|bit)\b|\bin \d+ minutes\b|\bthis (?:second|minute)\b|\b(?:müde|"
    r"hungrig|fatigué|cansad[oa])\b|\bi've told\b|\basked me\b|\bi have a (?:question|headache|cold|"
    r"problem|feeling|doubt|bug)\b|"
    r"\bi need (?:help|your|some help|a (?:break|nap|coffee|drink|hand|minute|recipe|plan|list|name|"
    r"title)|ideas?|advice|an idea|a moment|to (?:think|go|pee|sleep|know|see|check|understand))\b|"
    r"\bi (?:want|need|'d like) (?:you|a|an|some|more|to know|to see|to ask|to understand|to buy)\b|"
    r"\bi (?:don'?t|do not|didn'?t) (?:know|think|understand|get|see|mean|care|believe|remember|"
    r"want (?:that|this|it)|like (?:that|this|it)\b(?! when))|\bi (?:think|mean|see|agree|disagree|"
    r"understand|know (?:that|what|how)|get it|told you|asked|said|meant|guess|bet|doubt|"
    r"love (?:it|this|that|you|your|the (?:second|first|last))|like (?:it|this|that|your|the (?:second|"
    r"first|last|idea))|hate (?:this|that|it)|got it|appreciate|can'?t (?:see|find|believe|open|log|"
    r"wait)|could use|just (?:ate|had|woke|got (?:home|back|up)|finished|saw|watched|realized|noticed)|"
    r"forgot|already (?:tried|did|know|have|told)|could eat|told you|'ll (?:try|let|check|see|think|do|"
    r"be|get|take|go)|didn'?t (?:ask|say|mean|do)|tried|copied|pasted|clicked|ran the|opened|restarted|"
    r"deleted the|updated the|need to (?:think|go|run))\b|\b(?:the|this|that|your) (?:answer|code|link|"
    r"file|image|response|suggestion|recipe|error|page)\b|"
    r"\bmy (?:question|point|bad|mistake|problem|code|computer|internet|wifi|battery|phone is (?:dead|at|"
    r"on)|bus|train|taxi|uber|food|pizza|coffee|tea|screen|browser|laptop is (?:slow|hot|at)|head hurts|"
    r"feet|back hurts|stomach)\b(?! (?:of|is a|is an|type|order))",
    re.IGNORECASE,
)
_ONCE = lazy(
    r"^(?:i|we) (?:just |also |really |finally |only )?(?:watched|ate|had (?:a|an|some|lunch|dinner|"
    r"breakfast|to|the)|went (?:to|out|for|back)|saw|tried|slept|woke|cooked|drank|read|listened|talked|"
    r"spoke|called|texted|looked|walked|ran into|"
    r"found (?:a|the|it|this)|heard|missed|took (?:the|a (?:nap|walk|shower|bath|taxi|break))|spent|"
    r"played|cleaned|washed|fixed|parked|ordered|got (?:a |the )?(?:email|call|message|coffee|haircut|"
    r"text|home|back|up|stuck|lost|wet)|dropped|spilled|broke (?:a|the)|paid|asked|said|told|stayed|"
    r"made (?:a|some|the|dinner|lunch|pasta|soup)|sent|wrote|put|left (?:the|my)|sat|stood|laughed|cried|"
    r"forgot|locked)\b",
    re.IGNORECASE,
)
_TRIVIAL_DAY = lazy(
    r"\b(?:today|this morning|tonight|last night|yesterday|this afternoon|this evening|earlier)\b", re.IGNORECASE
)
_LIFE = lazy(
    r"\b(?:moved|married|divorced|engaged|quit|stopped|started|joined|graduated|retired|adopted|bought|"
    r"sold|born|died|passed away|broke up|split up|separated|promoted|hired|fired|laid off|"
    r"diagnosed|pregnant|signed|enrolled|switched|changed|became|turned|gave up|grew up|studied|founded|"
    r"cancelled|canceled|decided|agreed|broke my|broke his|broke her|had (?:a baby|surgery|our)|used to|"
    r"won|ran (?:a|my)|climbed|visited|been to|lost my|got (?:my|a new|married|engaged|divorced|promoted|"
    r"a job|accepted|into))\b",
    re.IGNORECASE,
)
_COMMANDS = lazy(
    r"^(?:please |can you |could you |kindly )?(?:book|write|translate|tell|give|show|make|find|explain|"
    r"help|let|list|suggest|recommend|search|look|check|play|open|set|turn|start|stop|order|send|email|"
    r"call(?! me)|text|draft|"
    r"create|generate|add|remove|delete|compare|convert|calculate|plan|describe|read|repeat|try|"
    r"use(?! metric)|go|continue|sort|format|fix|debug|run|test|ignore|forget|say|sing|define|name|pick|"
    r"choose|schedule|wake|remind)\b",
    re.IGNORECASE,
)
_DATED = lazy(
    (
        r"\b(?:january|february|march|april|may|june|july|august|september|october|november|december|monday|"
        r"tuesday|wednesday|thursday|friday|saturday|sunday|tomorrow|next (?:week|month|year|\w+day)|"
        r"\d{4}-\d\d-\d\d|\d{1,2}(?:st|nd|rd|th)?)\b"
    ),
    re.IGNORECASE,
)
_PROJECT = lazy(
    (
        r"^(?:the|this year's|next) (?:\w+ ){0,3}?(?:deadline|launch|release|meeting|standup|retro|wedding|"
        r"conference|project|exam|interview|appointment|trip|budget|contract|office|team|client|rent|party|"
        r"flight|presentation|demo|review)\b"
    ),
    re.IGNORECASE,
)
_WEAK = ("is:", "on:", "does:", "has:", "count:")
_FEWEST_WORDS = 3
_MOST_WORDS = 40


def extract_facts(message: str) -> list[Fact]:
    """What one message of a user tells that will still matter in a month."""
    if len(message) > _LONGEST_MESSAGE or (
        (_NOT_TOLD.search(message) or _OTHERS.search(message)) and asked_to_remember(message) is None
    ):
        return []
    facts = []
    for sentence in _SENTENCE.split(message.strip()):
        for part in _parts(sentence):
            fact = _fact(part)
            if fact is not None and not find(part):
                facts.append(fact)
    return facts


def _parts(sentence: str) -> Iterator[str]:
    """The statements of a sentence, each for itself."""
    asked = asked_to_remember(sentence)
    if asked is not None:
        yield sentence
        return
    sentence = _QUESTION_TAIL.sub("", sentence)
    joined = re.split(
        (
            r",?\s+(?:but|because|and)\s+(?=(?:i|i'm|i've|my|our|we|we're)\b(?! both))|,\s+(?=(?:i|i'm|i've|my|"
            r"our|we|we're|it|they|so|which|please|what|any|can|thanks|the old)\b)"
        ),
        sentence,
        flags=re.IGNORECASE,
    )
    if len(joined[0].split()) < _FEWEST_WORDS and len(joined) > 1:  # "my gf and I broke up" is one statement
        yield sentence
        return
    yield from joined


def _fact(sentence: str) -> Fact | None:
    asked = asked_to_remember(sentence)
    if asked is not None:
        return None if re.match(r"in \d+ (?:minute|hour|second)", asked) else Fact(sentence.strip(), 0.95)
    text = sentence.strip().strip('"“”() ').strip()
    if text.endswith("?") or _ASKS.match(text):
        return None
    opened = _OPENING.sub("", text).strip()
    text = opened or text
    text = re.sub(
        r"[,\s]*(?:lol|haha+|:\)|:D|😂|🎉|these days|btw|by the way|thanks|please|!+)[\s!.]*$",
        "",
        text,
        flags=re.IGNORECASE,
    ).strip()
    words = text.split()
    if len(words) < _FEWEST_WORDS - 1 or len(words) > _MOST_WORDS:
        return None
    confidence = _confidence(text)
    if not confidence:
        return None
    return Fact(text[:1].upper() + text[1:].rstrip(" .!,"), confidence)


def _confidence(text: str) -> float:
    if _UNREAL.search(text) or _PASSING.search(text):
        return 0.0
    if _PREFERRED.match(text):
        return 0.8
    if _COMMANDS.match(text):
        return 0.0
    own = bool(_OWN.match(text))
    kind = type_of(text)
    if not own:
        return _of_others(text, kind)
    if _ONCE.match(text) and not _LIFE.search(text):
        return 0.0 if _TRIVIAL_DAY.search(text) or not _DATED.search(text) else 0.5
    if _LIFE.search(text):
        return 0.85
    if kind in {MemoryType.DECISION, MemoryType.GOAL, MemoryType.PREFERENCE, MemoryType.IDENTITY}:
        return 0.85
    claims = read_claims(text).said
    if any(not said.attribute.startswith(_WEAK) for said in claims):
        return 0.85
    if _TRIVIAL_DAY.search(text):
        return 0.4
    if claims or _DATED.search(text):
        return 0.75
    return 0.7 if re.match(r"^(?:i|we|my|our)\b", text, re.IGNORECASE) else 0.0


def _of_others(text: str, kind: MemoryType) -> float:
    """A sentence that begins with somebody or something else: about the speaker's people or plans, or the world."""
    if _PROJECT.match(text) and (_DATED.search(text) or read_claims(text).said):
        return 0.75
    people = mentions(text)
    if not people:
        return 0.8 if re.search(r"\b(?:is|are) my (?:\w+ ){0,2}favou?rite\b", text, re.IGNORECASE) else 0.0
    first = text.split(maxsplit=1)[0].strip(",'").removesuffix("'s").lower()
    related = any(person.relation for person in people)
    begins = first in RELATIONS or any((person.name or "").lower().startswith(first) for person in people)
    if not begins:
        return 0.75 if related and re.search(r"\b(?:my|our)\b", text, re.IGNORECASE) else 0.0
    if not related and (
        _TRIVIAL_DAY.search(text) or re.search(r"\b(?:was|were) (?:born|written|founded|invented)\b", text)
    ):
        return 0.4
    return 0.8 if read_claims(text).said or kind is MemoryType.PREFERENCE else 0.7
