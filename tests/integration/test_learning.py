"""Learning from conversations: in the background, debounced per conversation, surviving a restart."""

from __future__ import annotations

import json
import time

import pytest

from model_server import ModelServer
from recollect import InvalidInput
from recollect.model.clock import SystemClock

MOVED = "By the way, we moved to Oslo in May. What should I cook tonight?"


def learned(memory, user="alex") -> list[str]:
    return [each.content for each in memory.list(user=user)]


def say(memory, text, user="alex"):
    session = memory.session_of(user=user)
    return memory.persist_turn(session.session_id, text, "Good to know.")[0]


def test_facts_are_learned_at_once_when_asked(memory):
    receipts = memory.extract([("user", MOVED), ("assistant", "I live in Paris, by the way")], user="alex")
    assert [each.memory.content for each in receipts] == ["We moved to Oslo in May"]
    assert receipts[0].memory.source.captured_by == "extractor"


def test_a_conversation_is_learned_from_when_it_is_quiet(memory, clock):
    message = say(memory, MOVED)
    memory.upkeep()
    assert learned(memory) == []
    clock.advance(seconds=20)
    say(memory, "I'm vegan")  # puts it off
    clock.advance(seconds=20)
    memory.upkeep()
    assert learned(memory) == []
    clock.advance(seconds=11)
    memory.upkeep()
    assert sorted(learned(memory)) == ["I'm vegan", "We moved to Oslo in May"]
    moved = next(each for each in memory.list(user="alex") if "Oslo" in each.content)
    assert moved.source.message_id == message.message_id
    memory.upkeep()
    assert len(learned(memory)) == 2


def test_a_running_memory_learns_by_itself(open_memory):
    settings = {"memory": {"extraction_debounce_seconds": 0.2}}
    with open_memory(settings=settings, clock=SystemClock()) as memory:
        say(memory, MOVED)
        deadline = time.monotonic() + 15
        while not learned(memory) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert learned(memory) == ["We moved to Oslo in May"]


def test_a_busy_conversation_does_not_hold_up_another(memory, clock):
    say(memory, MOVED, user="alex")
    clock.advance(seconds=25)
    say(memory, "I'm vegan", user="bob")
    clock.advance(seconds=6)
    memory.upkeep()
    assert learned(memory, "alex") == ["We moved to Oslo in May"] and learned(memory, "bob") == []


def test_what_waits_survives_a_restart(open_memory, clock):
    with open_memory() as memory:
        say(memory, MOVED)
    clock.advance(minutes=1)
    with open_memory() as memory:
        deadline = time.monotonic() + 10
        while not learned(memory) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert learned(memory) == ["We moved to Oslo in May"]


def test_what_was_learned_may_be_waited_for(memory):
    say(memory, MOVED)
    assert memory.learn_pending() == 1
    assert learned(memory) == ["We moved to Oslo in May"]


def test_a_long_conversation_is_learned_from_to_its_end(memory):
    session = memory.session_of(user="alex")
    memory.persist_turn(session.session_id, "I'm allergic to peanuts", "ok")
    for number in range(120):
        memory.persist_turn(session.session_id, f"Tell me joke number {number}", "ok")
    memory.persist_turn(session.session_id, "I live in Oslo", "ok")
    assert memory.learn_pending() == 2
    assert sorted(learned(memory)) == ["I live in Oslo", "I'm allergic to peanuts"]


def test_learning_may_be_switched_off(open_memory, clock):
    with open_memory(settings={"memory": {"extraction_enabled": False}}) as memory:
        say(memory, MOVED)
        clock.advance(minutes=1)
        memory.upkeep()
        assert learned(memory) == [] and memory.learn_pending() == 0


def test_what_is_not_sure_enough_is_dropped(open_memory):
    with open_memory(settings={"memory": {"extraction_confidence_threshold": 0.99}}) as memory:
        assert memory.extract([("user", MOVED)], user="alex") == []


def test_what_was_remembered_is_not_learned_twice(memory):
    memory.remember("Remember that I'm allergic to peanuts", user="alex")
    say(memory, "Remember that I'm allergic to peanuts")
    memory.learn_pending()
    assert learned(memory) == ["I'm allergic to peanuts"]


def test_what_was_recalled_is_not_learned_again(memory):
    kept = memory.remember("I live in Berlin", user="alex").memory
    memory.remember("I live in Oslo", user="alex")
    memory.extract([("user", f"You said: I live in Berlin [{kept.memory_id}]")], user="alex")
    assert learned(memory) == ["I live in Oslo"]


@pytest.mark.parametrize("messages", ["text", [("user",)], [("stranger", "hi")], [("user", 7)], None, 7])
def test_messages_that_are_none_are_refused(memory, messages):
    with pytest.raises(InvalidInput):
        memory.extract(messages, user="alex")


@pytest.fixture
def server():
    server = ModelServer()
    yield server
    server.close()


@pytest.fixture
def with_model(open_memory, server):
    settings = {"llm": {"model": "openai:test", "base_url": server.url, "timeout_seconds": 2.0}}
    with open_memory(settings=settings) as memory:
        yield memory


def facts(*items) -> str:
    return json.dumps([{"message": 0, "fact": fact, "confidence": sure} for fact, sure in items])


def test_a_model_proposes_and_is_asked_twice(with_model, server):
    server.script = [facts(("I moved to Oslo", 0.9), ("I cook tonight", 0.9)), "[true, false]"]
    receipts = with_model.extract([("user", MOVED)], user="alex")
    assert [each.memory.content for each in receipts] == ["I moved to Oslo"]
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    "answer",
    [
        "```json\n{facts}\n```",
        "Here you are: {facts} Hope it helps!",
    ],
)
def test_a_model_may_dress_its_answer_up(with_model, server, answer):
    server.script = [answer.replace("{facts}", facts(("I moved to Oslo", 0.9))), "```\n[true]\n```"]
    assert len(with_model.extract([("user", MOVED)], user="alex")) == 1


@pytest.mark.parametrize(
    "item",
    [
        {"message": 0, "fact": "I own a yacht in Monaco", "confidence": 0.99},  # never said
        {"message": 1, "fact": "I moved to Oslo", "confidence": 0.99},  # said by the assistant
        {"message": 9, "fact": "I moved to Oslo", "confidence": 0.99},
        {"message": 0, "fact": "I moved to Oslo", "confidence": 7},
        {"message": 0, "fact": "I moved to Oslo", "confidence": 0.2},
        {"message": 0, "fact": "", "confidence": 0.9},
        {"message": True, "fact": "I moved to Oslo", "confidence": 0.9},
        "I moved to Oslo",
    ],
)
def test_what_a_model_makes_up_is_dropped(with_model, server, item):
    server.script = [json.dumps([item]), "[true]"]
    said = [("user", MOVED), ("assistant", "So you moved to Oslo")]
    assert with_model.extract(said, user="alex") == []


@pytest.mark.parametrize("failure", ["500", "garbage", "{}", "null", "hang"])
def test_a_model_that_fails_leaves_it_to_the_rules(with_model, server, logged, failure):
    server.script = [failure]
    receipts = with_model.extract([("user", MOVED)], user="alex")
    assert [each.memory.content for each in receipts] == ["We moved to Oslo in May"]
    assert any(line["event"] == "memory.extraction.model_failed" for line in logged())
