"""Whom a statement is about: told by its sentences, not by who said it."""

from __future__ import annotations

import pytest

from recollect.recall.attribution import Statement, attribution

WORTH = {"danc": 3.0, "studio": 4.0}


def told(*statements, among_two=True):
    made = [Statement(content, own, support) for content, own, support in statements]
    return attribution(made, ["jon"], WORTH, among_two=among_two)


def test_what_another_says_of_themself_speaks_against_the_person_asked_about():
    assert told(("I opened a dance studio.", False, 0.4)) < -0.5
    assert told(("I opened a dance studio.", True, 0.4)) > 0.5


@pytest.mark.parametrize(
    "content",
    ["Your dance studio looks great!", "Jon's dance studio looks great!", "Hey! How is your dance studio going?"],
)
def test_what_another_says_to_or_of_them_speaks_for_them(content):
    assert told((content, False, 0.4)) > 0.5


def test_a_sentence_counts_and_not_the_whole_text():
    mixed = "Congrats on your dance studio! I bought a new car."
    assert told((mixed, False, 0.4)) > 0.5


def test_you_means_somebody_only_where_two_people_talk():
    assert told(("Your dance studio looks great!", False, 0.4), among_two=False) < 0


def test_the_better_matched_side_wins():
    both = [("I opened a dance studio.", False, 0.4), ("I would love to dance.", True, 0.4)]
    assert told(*both) < 0 < told((both[0][0], True, 0.4), (both[1][0], False, 0.4))


def test_a_question_about_nobody_tells_nothing():
    assert told(("Is there a dance studio?", False, 0.0)) == 0


def test_nothing_found_tells_nothing():
    assert told() == 0
