"""Who is meant, per speaker, in any order of mention."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labelled import labelled
from recollect.knowledge.mentions import mentions
from recollect.knowledge.people import Circle
from recollect.model.clock import SystemClock
from recollect.model.ids import IdFactory

IDS = IdFactory(SystemClock())


def circle(*facts: str) -> Circle:
    known = Circle([], IDS, datetime.now(UTC))
    for fact in facts:
        known.resolve_text(fact)
    return known


def known(*facts: str) -> list[tuple[str | None, str | None]]:
    people = circle(*facts)
    return sorted(((each.name, people.own_relation(each)) for each in people.current()), key=str)


def test_the_labelled_dialogues():
    wrong = []
    for case in labelled("people"):
        got = sorted(((name or "").lower(), relation or "") for name, relation in known(*case["facts"]))
        wanted = sorted(((each["name"] or "").lower(), each["relation"] or "") for each in case["people"])
        if got != wanted:
            wrong.append((case["facts"], wanted, got))
    assert len(wrong) <= len(labelled("people")) // 50, wrong


SAYINGS = ["my wife likes tea", "Sarah likes jazz", "my wife Sarah cooks", "my wife, Sarah, is tall",
           "Sarah is my wife", "my wife's name is Sarah", "my wife is Sarah", "my wife sarah likes tea"]  # fmt: skip
NAMING = SAYINGS[2:]


@pytest.mark.parametrize("naming", NAMING)
@pytest.mark.parametrize("other", SAYINGS)
def test_one_person_whatever_comes_first(naming, other):
    assert known(naming, other) == [("Sarah", "wife")]
    assert known(other, naming) == [("Sarah", "wife")]


@pytest.mark.parametrize(
    ("fact", "people"),
    [
        ("It's my wife's birthday", [(None, "wife")]),
        ("Today's meeting was long", []),
        ("The season is over", []),
        ("My personal best is 20 minutes", []),
        ("Jason lives in Madison", [("Jason", None)]),
        ("My mother tongue is German", []),
        ("Python is my favourite language", []),
        ("Monday is my busiest day", []),
        ("Remember my wife Sarah likes Italian food", [("Sarah", "wife")]),
        ("My best friend's name is Łukasz", [("Łukasz", "best friend")]),
        ("私の妻", []),
    ],
)
def test_words_inside_words_and_sentence_starts_are_nobody(fact, people):
    assert known(fact) == people


def test_possessives_chain():
    assert known("my wife Sarah works at home", "my wife's brother Tom is a pilot") == [
        ("Sarah", "wife"),
        ("Tom", "wife's brother"),
    ]


def test_two_sons_stay_two_and_a_third_word_for_one_is_asked_about():
    people = circle("my son Max is five", "my son Leo is three")
    assert len(people.current()) == 2
    assert "Max" in str(people.resolve_text("my son likes trains").question)


def test_the_same_name_with_two_relations_is_kept_apart_and_asked_about():
    people = circle("my wife Sarah likes tea")
    assert people.resolve_text("my colleague Sarah is from Rome").question
    assert len(people.current()) == 2
    assert "Which Sarah" in str(people.resolve_text("Sarah likes tulips").question)


def test_other_names():
    people = circle("My brother Robert is tall", "Robert, aka Bob, likes chess", "Bob lives in Rome")
    (person,) = people.current()
    assert (person.name, "Bob" in person.aliases) == ("Robert", True)
    assert known("Anna Schmidt works at Siemens", "Anna likes tea") == [("Anna Schmidt", None)]


def test_a_girlfriend_becomes_a_wife():
    people = circle("my girlfriend Anna is a nurse", "Anna is my wife")
    assert len(people.current()) == 1


@given(st.text(max_size=300))
def test_any_text_can_be_read(text):
    mentions(text)
    circle(text, text)
