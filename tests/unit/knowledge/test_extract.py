"""What is learned from what users say, by rules: measured on utterances with hard negatives."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labelled import labelled
from recollect.knowledge.extract import extract_facts
from recollect.model.terms import terms

THRESHOLD = 0.7


def same(first: str, second: str) -> bool:
    one, other = set(terms(first)), set(terms(second))
    if not one or not other:
        return first.casefold() == second.casefold()
    return len(one & other) / len(one | other) >= 0.5 or one <= other or other <= one


def test_the_labelled_utterances():
    found = false = missed = 0
    for case in labelled("utterances"):
        learned = [fact.content for fact in extract_facts(case["text"]) if fact.confidence >= THRESHOLD]
        missing = [fact for fact in case["facts"] if not any(same(fact, each) for each in learned)]
        false += sum(not any(same(each, fact) for fact in case["facts"]) for each in learned)
        missed += len(missing)
        found += len(case["facts"]) - len(missing)
    precision, recall = found / (found + false), found / (found + missed)
    print(f"extraction: precision {precision:.3f}, recall {recall:.3f} of {found + missed}")
    assert precision >= 0.93 and recall >= 0.84


def test_the_set_is_large_enough():
    cases = labelled("utterances")
    assert len(cases) >= 300 and sum(not case["facts"] for case in cases) >= 100


@pytest.mark.parametrize(
    "text",
    [
        "What's the capital of France?",
        "If I lived in Paris I would eat croissants",
        "I'm so tired",
        "lol just kidding, I'm a robot",
        "Translate: I live in Berlin",
        "Book me a flight to Rome",
        "my password is hunter2!",
        "Paris is the capital of France",
        "My friend asked: I live in Berlin, should I move?",
        "Can you check this email? Hi Bob, I work at Acme now. I'm not allergic to peanuts.",
        "My boss said: I am vegan",
    ],
)
def test_nothing_is_learned_from(text):
    assert not [fact for fact in extract_facts(text) if fact.confidence >= THRESHOLD]


def test_a_fact_beside_a_question():
    assert [fact.content for fact in extract_facts("I'm vegan, what can I cook?")] == ["I'm vegan"]


@given(st.text(max_size=300))
def test_any_text_can_be_learned_from(text):
    for fact in extract_facts(text):
        assert fact.content and 0.0 <= fact.confidence <= 1.0
