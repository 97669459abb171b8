"""Times that questions name become spans to compare with."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from recollect.recall.when import asks_when, spans

NOW = datetime(2026, 6, 17, 15, 0, tzinfo=UTC)  # a Wednesday


def covered(question: str, *moment: int) -> bool:
    return any(span.covers(datetime(*moment, 12, tzinfo=UTC)) for span in spans(question, NOW))


@pytest.mark.parametrize(
    ("question", "inside", "outside"),
    [
        ("What did I do on 3 June 2024?", (2024, 6, 3), (2024, 6, 20)),
        ("What happened on June 3rd, 2024?", (2024, 6, 3), (2024, 7, 3)),
        ("What happened on 2024-06-03?", (2024, 6, 3), (2023, 6, 3)),
        ("Where was I in May 2023?", (2023, 5, 31), (2023, 6, 1)),
        ("What did we plan last May?", (2026, 5, 2), (2026, 4, 2)),
        ("Who visited in march?", (2025, 3, 9), (2025, 4, 9)),
        ("What did I say yesterday?", (2026, 6, 16), (2026, 6, 15)),
        ("What did I say two weeks ago?", (2026, 6, 3), (2026, 5, 20)),
        ("What happened 3 days ago?", (2026, 6, 14), (2026, 6, 10)),
        ("What did we decide last week?", (2026, 6, 10), (2026, 6, 16)),
        ("What did we decide last month?", (2026, 5, 10), (2026, 4, 10)),
        ("What did I buy last year?", (2025, 2, 1), (2024, 2, 1)),
        ("What did I buy in 2021?", (2021, 12, 31), (2022, 1, 1)),
        ("Whom did I meet last weekend?", (2026, 6, 13), (2026, 6, 10)),
        ("What did she say on Monday?", (2026, 6, 15), (2026, 6, 16)),
        ("What happened a couple of months ago?", (2026, 4, 18), (2026, 1, 1)),
    ],
)
def test_times_are_understood(question, inside, outside):
    assert covered(question, *inside)
    assert not covered(question, *outside)


@pytest.mark.parametrize(
    "question",
    ["What may I eat?", "May I come in?", "Who is April's brother's friend?", "I have 2 dogs", ""],
)
def test_what_names_no_time_finds_none(question):
    assert spans(question, NOW) == []


def test_a_year_says_less_than_a_day():
    (year,) = spans("in 2021", NOW)
    (day,) = spans("on 2021-03-04", NOW)
    assert year.weight < day.weight
    assert day.end - day.start == timedelta(days=3)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("When did we meet?", True),
        ("What year was it?", True),
        ("How long have I lived here?", True),
        ("What do I like?", False),
        ("Call me when you can", False),
    ],
)
def test_questions_for_a_time(question, answer):
    assert asks_when(question) is answer
