"""Blobs in S3: a real server of that protocol on loopback."""

from __future__ import annotations

import json

import boto3
import pytest
from moto.server import ThreadedMotoServer

import recollect
from recollect import Place, Turn, TurnFingerprint


@pytest.fixture
def bucket(monkeypatch):
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    for name, value in {
        "AWS_ACCESS_KEY_ID": "id",
        "AWS_SECRET_ACCESS_KEY": "key",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": f"http://{host}:{port}",
    }.items():
        monkeypatch.setenv(name, value)
    bucket = boto3.resource("s3").create_bucket(Bucket="memories")
    yield bucket
    server.stop()


@pytest.fixture
def memory(open_memory, bucket):
    with open_memory(settings={"turns": {"blobs": "s3://memories/agents"}}) as memory:
        yield memory


def test_blobs_live_in_a_bucket_and_go_with_what_they_belong_to(memory, bucket, root):
    def names():
        return [each.key for each in bucket.objects.all()]

    fingerprint = TurnFingerprint(turn_id="t1", made_at=memory.clock.now()).updated(objective="x")
    turn = Turn(place=Place("alex", "c1", "t1"), fingerprint=fingerprint, message="hello there", answer="hi")
    memory.keep_turn(turn)
    (name,) = names()
    assert name.startswith("agents/home/") and "alex" not in name
    assert json.loads(bucket.Object(name).get()["Body"].read()) == {"user_message": "hello there", "answer": "hi"}
    assert memory.turn_log("alex", "c1", "t1")["user_message"] == "hello there"
    assert not list((root / "home" / "memory" / "blobs").rglob("*.json"))
    memory.keep_turn(turn)
    assert len(names()) == 1, "what was replaced is removed"
    big = memory.save_artifact("artifact:big", {"x": "y" * 9000}, user_id="alex", conversation_id="c1")
    assert memory.artifact_content(big) == {"x": "y" * 9000}
    memory.roll_back_turn("alex", "c1", "t1")
    assert len(names()) == 1
    memory.gc()
    assert len(names()) == 1
    memory.forget_user("alex")
    assert names() == []


def test_everything_is_erased_there_too(memory, bucket):
    memory.save_artifact("artifact:big", {"x": 1}, user_id="alex", conversation_id="c1")
    bucket.put_object(Key="agents/other/kept.json", Body=b"{}")
    memory.forget_everything(confirm="home")
    assert [each.key for each in bucket.objects.all()] == ["agents/other/kept.json"]


def test_a_bucket_that_cannot_be_reached_is_told_and_leaves_nothing(open_memory, bucket):
    with open_memory(settings={"turns": {"blobs": "s3://nowhere/agents"}}) as memory:
        with pytest.raises(recollect.StorageUnavailable) as failed:
            memory.save_artifact("artifact:big", {"x": 1}, user_id="alex", conversation_id="c1")
        assert "key" not in failed.value.message
        assert memory.find_artifacts(user_id="alex", conversation_id="c1") == []


def test_a_place_that_nobody_knows_is_refused(open_memory):
    with open_memory(settings={"turns": {"blobs": "nosuch://x"}}) as memory, pytest.raises(recollect.ConfigError):
        memory.save_artifact("artifact:big", {"x": 1}, user_id="alex", conversation_id="c1")
