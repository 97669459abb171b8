"""Modifiers decide between near equals and never outvote relevance."""

from __future__ import annotations

import math
from datetime import timedelta

from recollect.recall.modify import modifiers


def total(*, importance=50, confidence=1.0, age=timedelta(0), contradicted=False):
    micros = age // timedelta(microseconds=1)
    return math.prod(modifiers(importance, confidence, micros, contradicted=contradicted).values())


def test_each_moves_a_score_its_way():
    plain = total()
    assert total(importance=100) > plain > total(importance=0)
    assert plain > total(age=timedelta(days=400))
    assert plain > total(confidence=0.1)
    assert plain > total(contradicted=True)


def test_all_together_move_it_by_less_than_a_tenth_of_itself():
    best = total(importance=100)
    worst = total(importance=0, confidence=0.0, contradicted=True, age=timedelta(days=10_000))
    assert best / worst < 1.2
    assert best < 1.1
    assert worst > 0.9


def test_what_lies_in_the_future_is_not_younger_than_now():
    assert total(age=timedelta(days=-30)) == total()
