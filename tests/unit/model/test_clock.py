from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect import InvalidInput
from recollect.model.clock import from_micros, parse_time, to_iso, to_micros

moments = st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30), timezones=st.just(UTC))  # noqa: DTZ001


@given(moments)
def test_micros_are_exact(moment):
    assert from_micros(to_micros(moment)) == moment


@given(moments)
def test_iso_round_trips(moment):
    assert parse_time(to_iso(moment), "t") == moment


@given(moments, moments)
def test_the_order_of_texts_is_the_order_of_times(one, other):
    assert (to_iso(one) < to_iso(other)) == (one < other)


def test_iso_is_utc_with_microseconds():
    assert to_iso(datetime(2026, 5, 17, 11, tzinfo=timezone(timedelta(hours=2)))) == "2026-05-17T09:00:00.000000Z"


def test_times_at_the_edge_of_the_calendar_are_refused_not_crashed_on():
    with pytest.raises(InvalidInput) as caught:
        parse_time("9999-12-31T23:59:59-12:00", "t")
    assert caught.value.code == "invalid_time"
