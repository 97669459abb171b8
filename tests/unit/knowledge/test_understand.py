"""A text that is to be remembered is understood: the command goes, dates become absolute, the type is told."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from recollect.knowledge.understand import (
    absolute_dates,
    asked_to_remember,
    content_key,
    corrected,
    correction,
    duration,
    understand,
)

NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)  # a Monday


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("Remember that I'm allergic to peanuts", "I'm allergic to peanuts"),
        ("remember my favorite color is blue", "My favorite color is blue"),
        ("Don't forget: the car is in garage 3", "The car is in garage 3"),
        ("Please don't forget that mum hates lilies", "Mum hates lilies"),
        ("Save this: the spare key is with Tom", "The spare key is with Tom"),
        ("Keep in mind that I work nights", "I work nights"),
        ("Can you remember that my wife likes tulips?", "My wife likes tulips"),
        ("Note that the office moved", "The office moved"),
    ],
)
def test_the_command_is_stripped(said, kept):
    assert understand(said, NOW).content == kept
    assert asked_to_remember(said) == kept


@pytest.mark.parametrize(
    "text",
    [
        "Remember when we met?",
        "I remember my grandmother",
        "Save money for the trip",
        "Note the smell of rain",
        "Remember the milk",
        "Remember that time I fell",
        "Note that down",
        "Store: open 9-5",
        "Remember to breathe is my favorite song",
    ],
)
def test_what_is_no_command_stays_whole(text):
    assert understand(text, NOW).content == text
    assert asked_to_remember(text) is None


@pytest.mark.parametrize(
    ("text", "absolute"),
    [
        ("My exam is tomorrow", "My exam is 2026-11-17"),
        ("I met Ana yesterday", "I met Ana on 2026-11-15"),
        ("We leave next Friday", "We leave on 2026-11-20"),
        ("We moved two weeks ago", "We moved on 2026-11-02"),
        ("The visa ends in three months", "The visa ends in February 2027"),
        ("We moved to Oslo last May", "We moved to Oslo in May 2026"),
        ("I started here last year", "I started here in 2025"),
        ("Today's weather is nice", "Today's weather is nice"),
        ("I go running every Friday", "I go running every Friday"),
        ("I haven't smoked in 3 years", "I haven't smoked in 3 years"),
        ("I finished the book in 3 days", "I finished the book in 3 days"),
        ("My favorite song is Yesterday", "My favorite song is Yesterday"),
        ("I read USA Today every day", "I read USA Today every day"),
        ("The last Monday of the month is payday", "The last Monday of the month is payday"),
        ("I work in three weeks sprints", "I work in three weeks sprints"),
        ("My last week at Google was fun", "My last week at Google was fun"),
    ],
)
def test_relative_dates_become_absolute(text, absolute):
    assert absolute_dates(text, NOW) == absolute


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("We decided to use PostgreSQL", "Decision"),
        ("Remind me to buy milk", "Todo"),
        ("Don't forget to call Mum", "Todo"),
        ("My goal is to run a marathon", "Goal"),
        ("I prefer concise answers", "Preference"),
        ("Call me Alex", "Identity"),
        ("We visited Rome on 2026-05-03", "Event"),
        ("The office is in Berlin", "Fact"),
        ("Call of Duty is my favorite game", "Preference"),
        ("Clean code is important", "Fact"),
        ("I'm a bit tired", "Fact"),
    ],
)
def test_the_type_is_told_by_the_wording(text, kind):
    assert understand(text, NOW).type == kind


@pytest.mark.parametrize(
    ("text", "days"), [("for 2 weeks", 14), ("14 days", 14), ("a month", 30), ("for the next 3 days", 3)]
)
def test_durations_in_words(text, days):
    assert duration(text) == timedelta(days=days)
    assert duration("2026-12-24") is None


def test_until_when_is_said_in_the_command():
    told = understand("Remember for 2 weeks that I'm on a diet", NOW)
    assert (told.content, told.expires) == ("I'm on a diet", timedelta(days=14))


@pytest.mark.parametrize(
    ("text", "change"),
    [
        ("not 9, 10", ("9", "10")),
        ("Actually it's 10, not 9", ("9", "10")),
        ("no, not May 3 but May 4", ("May 3", "May 4")),
        ("My standup is at 10, not 9", None),
        ("I live in Berlin", None),
    ],
)
def test_a_correction_without_a_subject(text, change):
    assert correction(text) == change


def test_a_correction_is_put_into_the_fact():
    assert corrected("Our standup is at 9", "9", "10") == "Our standup is at 10"
    assert corrected("Our standup is at 19", "9", "10") is None


def test_equal_facts_have_equal_digests():
    assert content_key("I live in Berlin.") == content_key("  i LIVE in berlin")
    assert content_key("I live in Berlin") != content_key("I live in Bern")
    assert content_key("!!!") != content_key("???")
