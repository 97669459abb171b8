from __future__ import annotations

import math
from datetime import UTC, datetime

import pytest

from recollect import Edge, EdgeType, InvalidInput

A, B, E = (f"01a1e211-3468-7353-a549-44981910000{n}" for n in range(3))


def make(**changes):
    values = {
        "edge_id": E,
        "from_memory_id": A,
        "to_memory_id": B,
        "edge_type": "RelatedTo",
        "weight": 1.0,
        "created_at": datetime(2026, 1, 1, tzinfo=UTC),
    }
    return Edge(**{**values, **changes})


@pytest.mark.parametrize("name", ["RelatedTo", "Updates", "Contradicts", "CausedBy", "PartOf"])
def test_all_five_types(name):
    assert make(edge_type=name).edge_type is EdgeType(name)
    assert len(EdgeType) == 5


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"edge_type": "relatedto"}, "invalid_edge_type"),
        ({"edge_type": "Likes"}, "invalid_edge_type"),
        ({"edge_type": None}, "invalid_edge_type"),
        ({"weight": 1.1}, "invalid_weight"),
        ({"weight": -0.1}, "invalid_weight"),
        ({"weight": math.nan}, "invalid_weight"),
        ({"weight": True}, "invalid_weight"),
        ({"weight": "1"}, "invalid_weight"),
        ({"to_memory_id": A}, "invalid_edge"),
        ({"from_memory_id": "x"}, "invalid_id"),
        ({"reason": "  "}, "invalid_reason"),
        ({"reason": "x" * 1001}, "invalid_reason"),
    ],
)
def test_what_is_not_an_edge_is_refused(change, code):
    with pytest.raises(InvalidInput) as caught:
        make(**change)
    assert caught.value.code == code
