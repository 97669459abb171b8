from __future__ import annotations

import json

import pytest

from recollect import InvalidInput
from recollect.model.text import camel
from recollect.model.wire import dump, load_edge, load_memory, load_source

MEMORY_KEYS = [
    "memoryId", "orchestratorId", "type", "importance", "content", "summary", "confidence", "source", "status",
    "scope", "ownerUserId", "chatId", "sensitivity", "observedAt", "createdAt", "updatedAt", "expiresAt",
    "validFrom", "validTo", "kind", "trust",
]  # fmt: skip
SOURCE_KEYS = [
    "sourceType",
    "capturedBy",
    "sourcePath",
    "conversationId",
    "workflowRunId",
    "stepId",
    "messageId",
    "speaker",
    "position",
]


@pytest.fixture
def stored(memory):
    return memory.remember("The sky is blue", user="alex", expires="14d").memory


def test_a_memory_leaves_in_camel_case_with_every_key_in_order(stored):
    data = dump(stored)
    assert list(data) == MEMORY_KEYS
    assert list(data["source"]) == SOURCE_KEYS
    assert (data["scope"], data["ownerUserId"], data["chatId"]) == ("personal", "alex", None)
    json.dumps(data, allow_nan=False)


def test_a_memory_comes_back_as_it_left(stored, memory):
    assert load_memory(json.loads(json.dumps(dump(stored)))) == stored
    shared = memory.remember("For all", user="alex", scope="shared").memory
    assert load_memory(dump(shared)) == shared


def test_an_edge_comes_back_as_it_left(stored, memory):
    other = memory.remember("Another", user="alex").memory
    edge = memory.link(stored.memory_id, other.memory_id, "PartOf", user="alex", reason="why")
    assert load_edge(json.loads(json.dumps(dump(edge)))) == edge


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"importance": 101}, "invalid_importance"),
        ({"importance": True}, "invalid_importance"),
        ({"type": "Rumour"}, "invalid_memory_type"),
        ({"confidence": float("nan")}, "invalid_confidence"),
        ({"chatId": "team"}, "invalid_scope"),
        ({"scope": "group"}, "invalid_scope"),
        ({"scope": "cosmic"}, "invalid_scope"),
        ({"colour": "blue"}, "unknown_field"),
        ({"createdAt": "soon"}, "invalid_time"),
        ({"source": None}, "invalid_input"),
        ({"source": {"sourceType": "ingest_file"}}, "incomplete_source"),
        ({"source": {"sourceKind": "x"}}, "unknown_field"),
    ],
)
def test_wrong_json_has_the_same_codes_as_wrong_values(stored, change, code):
    with pytest.raises(InvalidInput) as caught:
        load_memory({**dump(stored), **change})
    assert caught.value.code == code


def test_a_missing_key_is_named(stored):
    data = dump(stored)
    del data["updatedAt"]
    with pytest.raises(InvalidInput) as caught:
        load_memory(data)
    assert (caught.value.code, caught.value.violations[0].field) == ("missing_field", "updatedAt")


def test_trust_cannot_be_claimed(stored):
    assert load_memory({**dump(stored), "trust": "outside"}).trust == "stated"


@pytest.mark.parametrize("data", [None, [], "text", 7])
def test_what_is_no_object_is_refused(data):
    for load in (load_memory, load_source, load_edge):
        with pytest.raises(InvalidInput):
            load(data)


def test_camel_case():
    assert camel("from_memory_id") == "fromMemoryId"
