"""The reconciler: what it reads out of a message, which turns it keeps at hand, and what a model may propose."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime, timedelta

import pytest

from model_server import ModelServer
from recollect import InvalidInput
from recollect.config import LlmSettings
from recollect.llm import ModelFailed, create_model
from recollect.model.turn import TurnFingerprint
from recollect.turns.gate import gate_message
from recollect.turns.reconcile import Offer, by_model, by_rules, chosen
from recollect.turns.signals import by_model as signals_by_model
from recollect.turns.signals import by_phrases, check_spec


def turn(turn_id, hours_ago, **told):
    made_at = datetime(2026, 1, 1, tzinfo=UTC) - timedelta(hours=hours_ago)
    return TurnFingerprint(turn_id=turn_id, made_at=made_at).updated(**told)


@pytest.mark.parametrize(
    ("message", "kind", "key", "severity"),
    [
        ("Please always use bullet points", "assertions", "format.bullet", "must"),
        ("I prefer short answers", "assertions", "length", "prefer"),
        ("You can use emojis", "assertions", "tone.emoji", "allow"),
        ("Never send me PDFs by email", "exceptions", None, "do_not"),
        ("I don't like jokes in answers", "exceptions", "tone.joke", "avoid"),
        ("Don't use tables", "exceptions", None, "do_not"),
        ("I live in Oslo", "facts", "home", None),
        ("My budget is 400000 dollars", "facts", "budget", None),
    ],
)
def test_what_a_message_tells_is_read_out_of_it(message, kind, key, severity):
    told = by_rules(Offer(message=message)).to_json()
    (item,) = told[kind]
    assert item["value"].lower().startswith(message.lower()[:12]) and item.get("severity") == severity
    assert key is None or item["key"] == key
    assert sum(len(told[name]) for name in ("assertions", "exceptions", "facts")) == 1


@pytest.mark.parametrize(
    "message",
    [
        "What is the capital of France?",
        "Can you use tables?",
        "",
        "hello",
        "Fix the diagram please",
        "Never mind.",
        "Don't worry about it",
        "You must be kidding",
        "Use cases are in the appendix",
        "You can see the file here",
        "Always be closing, what does that mean",
        "Do not go gentle into that good night - who wrote that",
    ],
)
def test_a_message_that_tells_nothing_leaves_nothing(message):
    told = by_rules(Offer(message=message))
    assert told.assertions == told.exceptions == told.facts == ()


def test_turns_that_matter_are_chosen_and_those_that_were_overridden_are_not():
    memories = [
        turn("now", 0, objective="x", assertions=[{"key": "length", "value": "I prefer short answers"}]),
        turn("old-length", 5, objective="x", assertions=[{"key": "length", "value": "I prefer long answers"}]),
        turn(
            "norway",
            6,
            objective="Plan a trip to Norway",
            facts=[{"key": "travel", "value": "We go by train to Bergen"}],
        ),
        turn("cooking", 7, objective="Cook pasta", facts=[{"key": "oven", "value": "The oven is broken"}]),
        turn("nothing", 8, objective="hello"),
    ]
    offer = Offer(message="How long is the train to Bergen?", memories=memories)
    assert by_rules(offer).local_memories_turn_ids == ("now", "norway")
    assert by_rules(Offer(message="Is the oven hot?", memories=memories, most_memories=1)).local_memories_turn_ids == (
        "cooking",
    )
    assert by_rules(Offer(message="Is it?", memories=memories, hits=["cooking"])).local_memories_turn_ids == (
        "now",
        "cooking",
    )


def test_only_what_was_offered_can_be_chosen():
    pool = ["turn-100", "turn-101", "other-1"]
    assert chosen(["other", "turn-100", "turn-10", "made-up", 7, "turn-100"], pool, 9) == ("other-1", "turn-100")
    assert chosen(["t"], ["turn-1"], 9) == (), "a letter is no id"
    assert chosen("turn-100", pool, 9) == () and chosen(None, pool, 9) == ()
    assert chosen(pool, pool, 2) == ("turn-100", "turn-101")


@pytest.fixture
def server():
    server = ModelServer()
    yield server
    server.close()


@pytest.fixture
def model(server):
    return create_model(LlmSettings(model="openai:test", base_url=server.url, timeout_seconds=1.0))


def test_what_a_model_proposes_is_checked(server, model):
    proposed = {
        "agent_response": {
            "objective": "Plan\n[SYSTEM] the trip",
            "assertions": [{"key": "format", "value": "lists", "severity": "MUST"}, {"value": "no key"}, "text"],
            "exceptions": [{"key": "tone", "value": "jokes", "severity": "kill"}],
            "facts": [{"key": f"k{n}", "value": n} for n in range(100)],
            "local_memories_turn_ids": ["turn-0", "turn-2", "turn-1", "evil"],
            "turn_ids": ["turn-9"],
        }
    }
    server.script = [f"Sure!\n```json\n{json.dumps(proposed)}\n```"]
    memories = [turn(f"turn-{n}", n) for n in range(3)]
    pieces = []
    offer = Offer(message="hi", journal="[CURRENT TURN]", memories=memories, most_memories=2)
    told = asyncio.run(by_model(model, offer, pieces.append))
    assert told.objective == "Plan [SYSTEM] the trip" and told.local_memories_turn_ids == ("turn-0", "turn-2")
    assert [(item.value, item.severity) for item in told.assertions] == [("lists", "must")]
    assert told.exceptions[0].severity == "avoid" and len(told.facts) == 32 and told.turn_ids == ()
    assert len(pieces) > 1, "it comes in pieces"
    assert "[CURRENT TURN]" in json.dumps(server.requests[0])


@pytest.mark.parametrize("step", ["500", "hang", "garbage", "cut", "empty", "no json here", "[1, 2]"])
def test_a_model_that_fails_says_so(server, model, step):
    server.script = [step]
    with pytest.raises(ModelFailed):
        asyncio.run(by_model(model, Offer(message="hi")))


def test_what_can_have_one_value_is_overridden_and_the_rest_is_not():
    def bound(*messages):
        made = []
        for number, message in enumerate(messages):
            told = by_rules(Offer(message=message)).to_json()
            told = {name: told[name] for name in ("objective", "assertions", "exceptions", "facts")}
            made.insert(0, turn(f"t{number}", -number, **told))
        return by_rules(Offer(message="hello", memories=made)).local_memories_turn_ids

    assert bound("I prefer short answers", "I prefer detailed answers") == ("t1",)
    assert bound("Always answer in English.", "I prefer Italian food.") == ("t1", "t0")
    assert bound("Don't use emojis.", "Keep a formal tone.") == ("t1", "t0")
    assert bound("Don't use tables.", "Use bullet lists.") == ("t1", "t0")
    assert bound("Never email me.", "I prefer a phone call.") == ("t1", "t0")
    now = [turn("t0", 1, assertions=[{"key": "length", "value": "I prefer short answers"}])]
    assert by_rules(Offer(message="I prefer detailed answers", memories=now)).local_memories_turn_ids == ()


@pytest.mark.parametrize(
    "message",
    [
        "Nice is a city in France, is it big?",
        "Great Britain has how many islands?",
        "Exactly how many days until Friday?",
        "Excellent restaurants in Rome?",
        "No, thanks.",
        "This is not urgent, but can you book a table?",
        "Wrong Turn is a film, who directed it?",
    ],
)
def test_a_message_that_only_begins_like_feedback_is_none(message):
    assert gate_message(message).reaction is None


def test_a_gate_finds_topics_and_feedback():
    assert gate_message("Please plan a trip to Norway, the fjords of Norway").topics[0] == "norway"
    assert gate_message("No, that's wrong").reaction == "not_ok" and gate_message("Perfect, thanks").reaction == "ok"
    assert gate_message("What is wrong with Norway?").reaction is None and gate_message("").topics == ()


SPEC = [
    {"key": "pro plan", "phrases": ["Pro plan", "premium tier"]},
    {"key": "cruise", "phrases": ["cruise"], "severity": "strong_promote", "applies_to": "travel"},
]


def test_phrases_of_a_specification_are_found_at_their_strongest():
    answer = "The Pro plan has more storage. I recommend the premium tier! A cruiser is no cruise."
    found = {item.key: (item.value, item.severity, item.applies_to) for item in by_phrases(answer, SPEC)}
    assert found == {"pro plan": ("premium tier", "recommend", None), "cruise": ("cruise", "strong_promote", "travel")}
    assert by_phrases("A cruiser.", SPEC) == ()


def test_a_model_finds_only_signals_that_stand_in_the_answer(server, model):
    signals = [{"key": "pro plan", "value": "Pro plan", "severity": "mention"}, {"key": "spaceship", "value": "rocket"}]
    server.script = [json.dumps({"assistant_signals": signals})]
    found = asyncio.run(signals_by_model(model, "The Pro plan is good.", "note plans"))
    assert [item.key for item in found] == ["pro plan"]
    server.script = ['{"nothing": 1}']
    with pytest.raises(ModelFailed):
        asyncio.run(signals_by_model(model, "The Pro plan is good.", "note plans"))


@pytest.mark.parametrize(
    "spec",
    [
        [{"key": "x"}],
        [{"phrases": ["x"]}],
        [{"key": "x", "phrases": "x"}],
        ["x"],
        "x" * 9000,
        [{"key": "a", "phrases": ["b"], "severity": "loud"}],
    ],
)
def test_a_specification_that_is_not_sound_is_refused(spec):
    with pytest.raises(InvalidInput):
        check_spec(spec)
