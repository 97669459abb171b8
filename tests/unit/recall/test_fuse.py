"""Fusion: exact figures, and the same order for the same evidence."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.recall.fuse import Ranking, reciprocal_ranks, weighted_sum

WEIGHTS = {"text": 1.0, "vector": 0.5}


def test_reciprocal_ranks_are_weight_over_k_plus_rank_from_one():
    arms = {"text": {1: 0.9, 2: 0.5, 3: 0.1}, "vector": {3: 0.8, 1: 0.2}}
    scores = reciprocal_ranks(arms, WEIGHTS, 60)
    assert scores == {
        1: pytest.approx(1 / 61 + 0.5 / 62),
        2: pytest.approx(1 / 62),
        3: pytest.approx(1 / 63 + 0.5 / 61),
    }


def test_equal_evidence_shares_a_rank_whatever_the_order_it_came_in():
    one = reciprocal_ranks({"text": {1: 0.5, 2: 0.5, 3: 0.4}}, WEIGHTS, 60)
    other = reciprocal_ranks({"text": {3: 0.4, 2: 0.5, 1: 0.5}}, WEIGHTS, 60)
    assert one == other
    assert one[1] == one[2] == pytest.approx(1 / 61)
    assert one[3] == pytest.approx(1 / 63)


def test_a_weighted_sum_is_a_part_of_what_the_heaviest_arms_could_give():
    weights = {"a": 2.0, "b": 1.0, "c": 1.0, "d": 0.5}
    scores = weighted_sum({"a": {1: 1.0}, "b": {1: 0.5, 2: 1.0}}, weights)
    assert scores == {1: pytest.approx(2.5 / 4), 2: pytest.approx(1 / 4)}


def test_a_weak_arm_cannot_drag_a_strong_one_down():
    arms = {"text": {1: 0.9, 2: 0.2}, "vector": {2: 0.3, 1: 0.2}}
    scores = weighted_sum(arms, WEIGHTS)
    assert scores[1] > scores[2]


@given(st.dictionaries(st.integers(0, 50), st.floats(0.001, 1), min_size=1))
def test_ranks_follow_evidence(evidence):
    ranking = Ranking(evidence)
    for one in evidence.values():
        for other in evidence.values():
            assert (one > other) == (ranking.rank(one) < ranking.rank(other))
