"""The eval command: the common form goes in, honest figures come out."""

from __future__ import annotations

import gzip
import json

import pytest

from recollect.evaluation.metrics import average, measures, percentile

DATA = {
    "name": "tiny",
    "conversations": [
        {
            "id": "c1",
            "turns": [
                {"id": "t1", "session": "s1", "date": "2024-05-01", "speaker": "Ann", "text": "I bought a kayak."},
                {"id": "t2", "session": "s1", "date": "2024-05-01", "speaker": "Ben", "text": "My cat is ill."},
                {"id": "t3", "session": "s2", "date": "2024-06-01", "speaker": "Ann", "text": "I sold the kayak."},
            ],
            "questions": [
                {"id": "q1", "question": "Who has an ill cat?", "category": "single", "evidence": ["t2"]},
                {"id": "q2", "question": "What did Ann buy?", "category": "single", "evidence": ["t1"], "before": "t3"},
                {"id": "q3", "question": "What happened to the kayak?", "category": "multi", "evidence": ["t1", "t3"]},
                {"id": "q4", "question": "quarterly revenue forecast", "category": "adversarial", "evidence": []},
            ],
        },
        {"id": "c2", "turns": [{"id": "t1", "text": "My cat is ill, says somebody else."}], "questions": []},
    ],
}  # fmt: skip


@pytest.mark.parametrize("zipped", [False, True])
def test_a_data_set_is_measured(run, tmp_path, zipped):
    file = tmp_path / ("data.json.gz" if zipped else "data.json")
    raw = json.dumps(DATA).encode()
    file.write_bytes(gzip.compress(raw) if zipped else raw)
    done = run("eval", str(file), "--json", RECOLLECT_EMBEDDING__PROVIDER="minilm")
    assert done.code == 0, done.err
    report = done.json
    assert report["dataset"] == "tiny"
    assert {"recall@1", "recall@5", "recall@10", "recall@20", "all@10", "hit@10", "mrr", "ndcg@10", "n"} <= set(
        report["overall"]
    )
    assert report["overall"]["n"] == 3
    assert report["overall"]["recall@10"] == 1.0
    assert report["categories"]["multi"]["all@10"] == 1.0
    assert report["floor"]["silencedUnanswerable"] == 1.0
    assert set(report["latencyMs"]) == {"p50", "p95"}
    assert report["memoryMb"] > 0
    assert report["model"] == "all-MiniLM-L6-v2-int8"


def test_a_table_for_people_and_an_ablation(run, tmp_path):
    file = tmp_path / "data.json"
    file.write_text(json.dumps(DATA))
    done = run("eval", str(file), "--ablation", "--without", "time")
    assert done.code == 0, done.err
    assert "recall@10" in done.out
    left_out = [line.split()[0] for line in done.out.split("without  ")[1].splitlines()[1:]]
    assert "conversation" in left_out
    assert "time" not in left_out


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b"{}", b'{"conversations": [{}]}', b'{"conversations": 5}', b"\x1f\x8b broken"]
)
def test_what_is_no_data_set_is_refused(run, tmp_path, content):
    file = tmp_path / "data.json"
    file.write_bytes(content)
    done = run("eval", str(file), "--json")
    assert done.code == 1
    assert done.json["error"]["code"] == "invalid_dataset"


def test_a_missing_file_is_refused(run):
    assert run("eval", "/nowhere.json", "--json").json["error"]["code"] == "invalid_dataset"


def test_measures_of_one_answer():
    figures = measures(["x", "a", "y", "b"], frozenset({"a", "b", "c"}))
    assert figures["recall@1"] == 0
    assert figures["recall@5"] == pytest.approx(2 / 3)
    assert (figures["hit@5"], figures["all@5"], figures["mrr"]) == (1.0, 0.0, 0.5)
    assert figures["ndcg@10"] == pytest.approx((0.63093 + 0.43068) / (1 + 0.63093 + 0.5), abs=1e-4)
    assert measures([], frozenset({"a"}))["mrr"] == 0


def test_averages_and_percentiles():
    assert average([{"a": 1.0}, {"a": 0.0}]) == {"a": 0.5, "n": 2}
    assert average([]) == {"n": 0}
    assert percentile(range(100), 0.95) == 95
    assert percentile([], 0.5) == 0.0
