from __future__ import annotations

import pytest

from recollect import CapturedBy, InvalidInput, Source, SourceType, Trust

IDS = {"workflow_run_id": "run-1", "step_id": "step-1", "conversation_id": "c-1", "source_path": "/data/notes.md"}


@pytest.mark.parametrize("source_type", list(SourceType))
@pytest.mark.parametrize("captured_by", list(CapturedBy))
def test_all_types_and_capturers_with_the_ids_they_need(source_type, captured_by):
    source = Source(source_type=source_type.value, captured_by=captured_by.value, **IDS)
    assert (source.source_type, source.captured_by) == (source_type, captured_by)
    assert (len(SourceType), len(CapturedBy)) == (5, 3)


@pytest.mark.parametrize(
    ("source_type", "missing", "field"),
    [
        ("workflow_output", "workflow_run_id", "workflowRunId"),
        ("workflow_output", "step_id", "stepId"),
        ("channel_transcript", "conversation_id", "conversationId"),
        ("ingest_file", "source_path", "sourcePath"),
    ],
)
def test_a_type_without_the_id_it_needs_is_refused(source_type, missing, field):
    with pytest.raises(InvalidInput) as caught:
        Source(source_type=source_type, **{name: value for name, value in IDS.items() if name != missing})
    assert caught.value.code == "incomplete_source"
    assert caught.value.violations[0].field == field
    assert source_type in caught.value.message


@pytest.mark.parametrize(
    "path",
    [
        "notes.md",
        "./notes.md",
        "",
        " ",
        "/data/../etc/passwd",
        "/data//notes.md",
        "/data/./x",
        "/data/",
        7,
        "/a\x00b",
        "/tmp/\ud800",
    ],
)
def test_paths_are_absolute_and_canonical(path):
    with pytest.raises(InvalidInput) as caught:
        Source(source_path=path)
    assert caught.value.code == "invalid_source_path"


@pytest.mark.parametrize(("field", "value", "code"), [
    ("source_type", "rumour", "invalid_source_type"),
    ("captured_by", "spy", "invalid_captured_by"),
    ("conversation_id", "", "invalid_id"),
    ("step_id", "a\nb", "invalid_id"),
    ("workflow_run_id", 7, "invalid_id"),
])  # fmt: skip
def test_other_wrong_values(field, value, code):
    with pytest.raises(InvalidInput) as caught:
        Source(**{field: value})
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("source_type", "captured_by", "trust"),
    [
        ("manual", "user", Trust.STATED),
        ("channel_transcript", "user", Trust.STATED),
        ("channel_transcript", "extractor", Trust.DERIVED),
        ("workflow_output", "system", Trust.DERIVED),
        ("ingest_file", "user", Trust.OUTSIDE),
        ("ingest_file", "extractor", Trust.OUTSIDE),
    ],
)
def test_trust_follows_from_the_source(source_type, captured_by, trust):
    ids = IDS if source_type == "ingest_file" else {**IDS, "source_path": None}
    assert Source(source_type=source_type, captured_by=captured_by, **ids).trust is trust


def test_whatever_lies_in_a_file_comes_from_outside():
    assert Source(source_path="/data/notes.md").trust is Trust.OUTSIDE
