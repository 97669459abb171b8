"""A memory is valid by construction: every broken rule is named, with its field, value and allowed range."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta, timezone

import pytest

from recollect import InvalidInput, Memory, MemoryType, Scope, Sensitivity, Source, Status

NOW = datetime(2026, 5, 17, 9, 0, tzinfo=UTC)
ID = "01a1e211-3468-7353-a549-4498191f34f2"


def make(**changes):
    values = {
        "memory_id": ID,
        "orchestrator_id": "home",
        "type": "Fact",
        "importance": 50,
        "content": "The sky is blue",
        "summary": "sky",
        "confidence": 0.5,
        "source": Source(),
        "status": "active",
        "scope": Scope(owner_user_id="alex"),
        "sensitivity": "public",
        "observed_at": NOW,
        "created_at": NOW,
        "updated_at": NOW,
    }
    return Memory(**{**values, **changes})


def refused(**changes) -> InvalidInput:
    with pytest.raises(InvalidInput) as caught:
        make(**changes)
    return caught.value


@pytest.mark.parametrize("name", ["Fact", "Preference", "Decision", "Identity", "Event", "Observation", "Goal", "Todo"])
def test_all_eight_types_are_accepted_by_name_and_as_members(name):
    assert make(type=name).type is MemoryType(name)
    assert make(type=MemoryType(name)).type is MemoryType(name)
    assert len(MemoryType) == 8


@pytest.mark.parametrize("name", ["fact", "FACT", "Rumour", "", None, 3, ["Fact"], " Fact"])
def test_an_unknown_type_is_refused_with_the_list_of_known_ones(name):
    error = refused(type=name)
    assert error.code == "invalid_memory_type"
    assert error.violations[0].field == "type"
    assert "Observation" in error.message


@pytest.mark.parametrize("status", ["active", "superseded", "retracted", "archived"])
def test_all_four_statuses(status):
    assert make(status=status).status is Status(status)
    assert len(Status) == 4


def test_an_unknown_status_is_refused():
    assert refused(status="deleted").code == "invalid_status"


@pytest.mark.parametrize("importance", [0, 1, 50, 100])
def test_importance_within_its_range(importance):
    assert make(importance=importance).importance == importance


@pytest.mark.parametrize("importance", [101, -1, 300, True, False, "50", 50.0, math.nan, None, 2**63])
def test_importance_outside_its_range_or_not_a_whole_number_has_one_code(importance):
    error = refused(importance=importance)
    assert error.code == "invalid_importance"
    assert "0 to 100" in error.message
    assert repr(importance) in error.message


@pytest.mark.parametrize("confidence", [0, 0.0, 0.5, 1, 1.0])
def test_confidence_within_its_range_is_a_float(confidence):
    stored = make(confidence=confidence).confidence
    assert stored == confidence
    assert type(stored) is float


@pytest.mark.parametrize("confidence", [math.nan, math.inf, -math.inf, 1.1, 1.0000001, -0.1, True, "0.5", None])
def test_confidence_outside_its_range_or_not_finite_has_one_code(confidence):
    error = refused(confidence=confidence)
    assert error.code == "invalid_confidence"
    assert "0.0 to 1.0" in error.message


@pytest.mark.parametrize(
    "content", ["", "   ", "\n\t ", "\ufeff", None, 7, b"bytes", "a\x00b", "lone \ud800 surrogate"]
)
def test_content_that_is_no_text_is_refused(content):
    assert refused(content=content).code == "invalid_content"


def test_content_longer_than_the_limit_is_refused_and_the_message_stays_short():
    error = refused(content="x" * 100_001)
    assert error.code == "invalid_content"
    assert len(error.message) < 200
    assert len(make(content="x" * 100_000).content) == 100_000


def test_content_is_normalised():
    assert make(content="  cafe\u0301\r\nau lait\x07  ").content == "caf\u00e9\nau lait"


@pytest.mark.parametrize("memory_id", ["", "abc", ID.upper(), ID[:-1], ID + "0", None, 5])
def test_ids_are_full_lower_case_uuids(memory_id):
    assert refused(memory_id=memory_id).code == "invalid_id"


def test_sensitivity_is_one_of_three():
    assert make(sensitivity="sensitive").sensitivity is Sensitivity.SENSITIVE
    assert refused(sensitivity="secret").code == "invalid_sensitivity"


def test_times_are_kept_in_utc():
    oslo = timezone(timedelta(hours=2))
    assert make(observed_at=datetime(2026, 5, 17, 11, 0, tzinfo=oslo)).observed_at == NOW
    assert make(observed_at="2026-05-17T11:00:00+02:00").observed_at == NOW
    assert make(observed_at="2026-05-17").observed_at == datetime(2026, 5, 17, tzinfo=UTC)


@pytest.mark.parametrize("time", [datetime(2026, 5, 17), "yesterday", "2026-05-17T11:00:00", 5, None, ""])  # noqa: DTZ001
def test_times_without_a_zone_or_meaning_are_refused(time):
    assert refused(observed_at=time).code == "invalid_time"


def test_the_end_of_validity_is_not_before_its_beginning():
    assert refused(valid_from=NOW, valid_to=NOW - timedelta(seconds=1)).code == "invalid_time"
    assert make(valid_from=NOW, valid_to=NOW).valid_to == NOW


def test_every_violation_is_listed_at_once():
    error = refused(type="Rumour", importance=101, confidence=2, content=" ", status="x")
    assert [violation.code for violation in error.violations] == [
        "invalid_memory_type",
        "invalid_status",
        "invalid_importance",
        "invalid_content",
        "invalid_confidence",
    ]
    assert error.code == "invalid_memory_type"
    for violation in error.violations:
        assert violation.field in error.message


def test_a_memory_cannot_be_changed_in_place():
    with pytest.raises(AttributeError):
        make().importance = 3
