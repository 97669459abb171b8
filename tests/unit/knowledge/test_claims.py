"""What a text claims, of whom; and that any text can be read, quickly."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.knowledge.claims import read_claims
from recollect.knowledge.claims.values import clock_of, date_of, same_value


def claims(text: str) -> set[tuple[str, str, str, bool]]:
    return {(said.owner, said.attribute, said.value, said.negated) for said in read_claims(text).said}


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("My favourite colour is red", ("self", "color favorit", "red", False)),
        ("I live in Berlin", ("self", "home", "berlin", False)),
        ("We've moved to Hamburg last month", ("self", "home", "hamburg", False)),
        ("I no longer live in Berlin", ("self", "home", "berlin", True)),
        ("My wife's birthday is on the 4th of May", ("relation wife", "birthday", "05-04", False)),
        ("Sarah is thirty-four", ("name sarah", "age", "34", False)),
        ("Our standup is at 9", ("self", "standup@time", "9:00?", False)),
        ("Standup has been moved to 10:30 am", ("self", "standup@time", "10:30", False)),
        ("I don't like coffee anymore", ("self", "likes:coffe", "coffe", True)),
        ("I have two kids", ("self", "count:child", "2", False)),
        ("I work at Google as an engineer", ("self", "workplace", "googl", False)),
        ("Tom is my boss", ("self", "relation boss", "tom", False)),
        ("I quit smoking", ("self", "does:smoke:", "", True)),
    ],
)
def test_what_is_claimed(text, claim):
    assert claim in claims(text)


@pytest.mark.parametrize(
    "text",
    ["I used to live in Rome", "I might move to Rome", "Do I live in Rome?", "If I lived in Rome, I'd eat pasta"],
)
def test_what_is_past_possible_or_asked_is_not_claimed(text):
    assert not {claim for claim in claims(text) if claim[1] == "home"}


def test_values_are_compared_by_what_they_mean():
    assert clock_of("at half past 9") == "9:30?"
    assert same_value("standup@time", "9:00?", "09:00") and not same_value("standup@time", "9:00?", "10:00")
    assert date_of("on the 3rd of may") == date_of("may 3") == "05-03"
    assert same_value("home", "germani", "berlin") and not same_value("home", "berlin", "munich")
    assert same_value("job", "teacher", "math teacher") and not same_value("job", "teacher", "nurs")


@given(st.text(max_size=400))
def test_any_text_can_be_read(text):
    read_claims(text)


@pytest.mark.parametrize("part", ["my ", "not ", "my wife's ", "i have a ", "'s ", ", is", "1 ", "and i "])
def test_no_text_is_read_for_long(part):
    import time

    start = time.process_time()
    read_claims(part * 1000)
    assert time.process_time() - start < 1.0
