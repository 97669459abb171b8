"""Vectors are made now or later and never stand in the way: a real endpoint on loopback fails, hangs and recovers."""

from __future__ import annotations

import itertools
import json
import shutil
import struct
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

import recollect
from recollect.embedding import EmbeddingFailed
from recollect.embedding.libraries import fastembed, wordllama
from recollect.embedding.onnx import OnnxEmbedder, minilm
from recollect.model.terms import terms


class Endpoint:
    """An OpenAI-compatible embeddings server whose behaviour a test sets; vectors count a few known words."""

    WORDS = ("coffee", "tea", "train", "garden")

    def __init__(self):
        self.behaviour = "good"
        self.requests = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.requests.append((self.path, self.headers.get("Authorization"), body))
                outer.answer(self, body["input"])

            def log_message(self, *args):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def answer(self, handler, texts):
        status, body = 200, json.dumps({"data": [self.row(n, text) for n, text in enumerate(texts)]}).encode()
        if self.behaviour == "error":
            status, body = 500, b"oops"
        elif self.behaviour == "hang":
            time.sleep(3)
        elif self.behaviour == "garbage":
            body = b"<html>not json"
        elif self.behaviour == "short":
            body = json.dumps({"data": [{"index": 0, "embedding": [1.0]}]}).encode()
        elif self.behaviour == "half":
            body = json.dumps({"data": [self.row(0, texts[0])][: len(texts) // 2]}).encode()
        elif self.behaviour == "nan":
            body = body.replace(b"1.0", b"NaN").replace(b"0.5", b"NaN")
        try:
            handler.send_response(status)
            handler.end_headers()
            handler.wfile.write(body)
        except OSError:
            return

    def row(self, number, text):
        return {"index": number, "embedding": [1.0 if w in text.lower() else 0.0 for w in self.WORDS] + [0.5]}


@pytest.fixture
def endpoint():
    endpoint = Endpoint()
    yield endpoint
    endpoint.server.shutdown()
    endpoint.server.server_close()


@pytest.fixture
def remote(root, clock, endpoint, open_memory):
    settings = {
        "embedding": {"provider": "openai:test", "base_url": endpoint.url, "dimension": 5, "timeout_seconds": 1.0}
    }
    with open_memory(settings=settings) as memory:
        yield memory


def wait_for(condition):
    for _ in range(200):
        if condition():
            return
        time.sleep(0.02)
    raise AssertionError("it did not happen in time")


def test_a_remote_vector_is_filled_in_behind_the_write(remote, endpoint, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "the-key")
    remote.remember("I drink coffee", user="alex")
    wait_for(lambda: remote.stats().vectors == 1)
    path, authorization, body = endpoint.requests[0]
    assert (path, authorization, body["model"]) == ("/v1/embeddings", "Bearer the-key", "test")
    recalled = remote.recall("coffee", user="alex")
    assert recalled.mode == "hybrid"
    assert recalled.hits[0].why["arms"]["vector"]["rank"] == 1


@pytest.mark.parametrize("trouble", ["error", "hang", "garbage", "short", "half", "nan"])
def test_a_failing_model_fails_no_write_and_no_recall_and_is_made_up_for(remote, endpoint, clock, logged, trouble):
    endpoint.behaviour = trouble
    start = time.monotonic()
    receipts = remote.remember_many(["I drink coffee", "I take the train"], user="alex")
    assert time.monotonic() - start < 0.5
    assert [receipt.outcome for receipt in receipts] == ["stored", "stored"]
    recalled = remote.recall("Which train do I take?", user="alex")
    assert recalled.mode == "text-only"
    assert recalled.note == "the embedding model did not answer"
    assert recalled.hits[0].memory.content == "I take the train"
    wait_for(lambda: any(line["event"] == "memory.embedding.failed" for line in logged()))
    endpoint.behaviour = "good"

    def made_up_for():
        clock.advance(hours=2)  # an attempt that was under way may have put the next one off
        remote.upkeep()
        return remote.stats().vectors == 2

    wait_for(made_up_for)
    assert remote.recall("coffee", user="alex").mode == "hybrid"


def test_retries_wait_longer_and_longer(root, clock, endpoint, open_memory):
    endpoint.behaviour = "error"
    settings = {"embedding": {"provider": "openai:test", "base_url": endpoint.url, "dimension": 5}}
    with open_memory(settings=settings) as memory:
        memory.remember("I drink coffee", user="alex")
        wait_for(lambda: endpoint.requests)
        tried = []
        for _ in range(200):
            time.sleep(0.001)
            before = len(endpoint.requests)
            memory.upkeep()
            if len(endpoint.requests) > before:
                tried.append(clock.now())
            clock.advance(seconds=10)
    pauses = [(later - sooner).total_seconds() for sooner, later in itertools.pairwise(tried)]
    assert len(tried) <= 10
    assert pauses == sorted(pauses)
    assert pauses[-1] >= 300


def test_the_queue_survives_a_restart(root, clock, endpoint, open_memory):
    endpoint.behaviour = "error"
    settings = {"embedding": {"provider": "openai:test", "base_url": endpoint.url, "dimension": 5}}
    with open_memory(settings=settings) as memory:
        memory.remember("I drink coffee", user="alex")
        wait_for(lambda: endpoint.requests)
    endpoint.behaviour = "good"
    clock.advance(hours=1)
    with open_memory(settings=settings) as memory:
        wait_for(lambda: memory.stats().vectors == 1)


def test_an_edit_gets_a_new_vector(remote):
    one = remote.remember("I drink coffee", user="alex").memory.memory_id
    wait_for(lambda: remote.stats().vectors == 1)
    remote.edit(one, content="I drink tea", user="alex")
    wait_for(lambda: remote.stats().vectors == 1)
    arms = remote.recall("tea", user="alex").hits[0].why["arms"]
    assert arms["vector"]["evidence"] > 0.9


def test_texts_are_embedded_once_and_in_batches(remote, endpoint):
    remote.remember_many([f"coffee number {n}" for n in range(100)], user="alex")
    wait_for(lambda: remote.stats().vectors == 100)
    assert len(endpoint.requests) <= 4
    for _ in range(5):
        remote.recall("coffee", user="alex")
    assert sum(body["input"] == ["coffee"] for _, _, body in endpoint.requests) == 1


def test_without_a_model_recall_is_text_only_and_says_so(memory):
    memory.remember("I drink coffee", user="alex")
    recalled = memory.recall("coffee", user="alex")
    assert (recalled.mode, recalled.note) == ("text-only", "no embedding model is installed")
    assert len(recalled.hits) == 1


def open_with(open_memory, provider):
    return open_memory(settings={"embedding": {"provider": provider}})


def test_changing_the_model_goes_on_with_the_old_vectors_until_the_new_are_complete(root, clock, open_memory):
    with open_with(open_memory, "wordllama") as memory:
        memory.remember_many([f"I drink coffee number {n}" for n in range(150)], user="alex")
        assert memory.embedding_model == "wordllama-256"
    with open_with(open_memory, "minilm") as memory:
        assert memory.embedding_model == "wordllama-256"
        assert memory.recall("espresso", user="alex", floor=False).mode == "hybrid"

        def stop_half_way(done, total):
            if done >= 64:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            memory.reindex(stop_half_way)
        assert memory.recall("espresso", user="alex", floor=False).mode == "hybrid"
        assert memory.embedding_model == "wordllama-256"
        heard = []
        assert memory.reindex(lambda done, total: heard.append((done, total))) == 150 - 64
        assert heard[0] == (0, 86)
        assert heard[-1] == (86, 86)
        assert memory.embedding_model == "all-MiniLM-L6-v2-int8"
        assert memory.recall("espresso", user="alex", floor=False).mode == "hybrid"
        assert memory.stats().vectors == 150
    with open_with(open_memory, "minilm") as memory:
        assert memory.embedding_model == "all-MiniLM-L6-v2-int8"


def test_a_model_that_is_gone_is_named_and_text_serves(root, clock, endpoint, open_memory):
    with open_with(open_memory, "wordllama") as memory:
        memory.remember("I drink coffee", user="alex")
        memory._storage.write(lambda writer: writer._run("add_model", {"name": "lost-model", "dimension": 8}))
        memory._storage.write(lambda writer: writer.activate_model("lost-model"))
    with open_with(open_memory, "wordllama") as memory:
        recalled = memory.recall("coffee", user="alex")
        assert recalled.mode == "text-only"
        assert "lost-model" in recalled.note
        assert "reindex" in recalled.note
        memory.reindex()
        assert memory.recall("coffee", user="alex").mode == "hybrid"


def test_reindexing_without_a_model_says_what_to_install(memory):
    with pytest.raises(EmbeddingFailed) as caught:
        memory.reindex()
    assert "recollect[local]" in caught.value.hint


def similarity(one: bytes, other: bytes) -> float:
    size = len(one) // 4
    a, b = struct.unpack(f"<{size}f", one), struct.unpack(f"<{size}f", other)
    return sum(x * y for x, y in zip(a, b, strict=True))


@pytest.mark.parametrize("make", [minilm, wordllama])
def test_the_packaged_models_put_like_by_like(make):
    model = make()
    texts = ["A man is eating food.", "A man is eating a piece of bread.", "The stock market fell on Tuesday."]
    one, near, far = model.embed_documents(texts)
    assert len(one) == 4 * model.dimension
    assert similarity(one, one) == pytest.approx(1.0, abs=1e-4)
    assert similarity(one, near) > similarity(one, far) + 0.2
    assert model.embed_documents(texts[::-1]) == [far, near, one]


def test_many_threads_load_a_model_once():
    model, answers = minilm(), []
    threads = [threading.Thread(target=lambda: answers.extend(model.embed_queries(["hello"]))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(answers)) == 1


def test_weights_that_were_changed_are_refused(tmp_path):
    good = minilm()
    copies = []
    for file, digest in good._files:
        copy = tmp_path / file.name
        shutil.copy(file, copy)
        copies.append((copy, digest))
    copies[1][0].write_bytes(copies[1][0].read_bytes() + b" ")
    with pytest.raises(EmbeddingFailed, match="not the file that was chosen"):
        OnnxEmbedder("changed", 384, copies).embed_queries(["x"])


def test_a_library_that_is_not_installed_is_named():
    with pytest.raises(EmbeddingFailed) as caught:
        fastembed("some-model").embed_queries(["x"])
    assert caught.value.hint == "pip install 'recollect[fastembed]'"


def test_an_unknown_provider_is_refused(root, clock, open_memory):
    with pytest.raises(recollect.ConfigError) as caught:
        open_with(open_memory, "magic")
    assert caught.value.details["key"] == "embedding.provider"


def test_terms_and_vectors_know_who_spoke(root, clock, open_memory):
    with open_with(open_memory, "none") as memory:
        source = recollect.Source(source_type="channel_transcript", conversation_id="c", speaker="Caroline", position=0)
        memory.remember("I went to the sea", user="alex", source=source)
        assert terms("Caroline") == ["carolin"]
        assert len(memory.recall("Where was Caroline?", user="alex").hits) == 1


class Words:
    """An embedder whose vectors count known words, and which can be told to fail."""

    dimension = 6
    is_local = True
    known = ("alpha", "beta", "gamma", "delta", "epsilon")

    def __init__(self, name="words"):
        self.name = name
        self.fails = False
        self.meanwhile = None

    def embed_documents(self, texts):
        if self.meanwhile:
            meanwhile, self.meanwhile = self.meanwhile, None
            meanwhile()
        if self.fails or any("poison" in text for text in texts):
            raise RuntimeError("no")
        return [struct.pack("<6f", *(float(word in text) for word in self.known), 0.1) for text in texts]

    embed_queries = embed_documents


def vector_evidence(memory, query):
    return {
        hit.memory.content: hit.why["arms"].get("vector", {}).get("evidence", 0.0)
        for hit in memory.recall(query, user="alex", floor=False).hits
    }


def test_the_vector_of_a_text_that_was_edited_meanwhile_is_not_kept(root, clock, open_memory):
    model = Words()
    with open_memory(embedder=model) as memory:
        model.fails = True
        one = memory.remember("alpha beta gamma", user="alex").memory.memory_id
        model.fails = False
        model.meanwhile = lambda: memory._change.edit(
            one, {"content": "delta epsilon"}, memory._speaker("alex", None), None
        )
        memory.upkeep()
        clock.advance(hours=2)
        memory.upkeep()
        assert vector_evidence(memory, "alpha beta gamma")["delta epsilon"] < 0.5
        assert vector_evidence(memory, "delta epsilon")["delta epsilon"] > 0.9


def test_an_edited_memory_is_not_found_by_what_it_used_to_mean(root, clock, open_memory):
    model = Words()
    with open_memory(embedder=model) as memory:
        one = memory.remember("alpha beta gamma", user="alex").memory.memory_id
        assert vector_evidence(memory, "alpha beta gamma") == {"alpha beta gamma": 1.0}
        model.fails = True
        memory.edit(one, content="delta epsilon", user="alex")
        model.fails = False
        asked = memory.recall("alpha beta gamma", user="alex", floor=False, arms=["vector"])
        assert asked.hits == []


def test_a_memory_edited_many_times_is_still_found_by_meaning(root, clock, open_memory):
    with open_memory(embedder=Words()) as memory:
        memory.remember("epsilon", user="alex")
        one = memory.remember("alpha", user="alex").memory.memory_id
        for number in range(80):
            memory.edit(one, content=f"alpha {number}", user="alex")
            memory.upkeep()
            memory.recall("alpha", user="alex")
        assert vector_evidence(memory, "alpha")["alpha 79"] > 0.9


def test_one_bad_text_does_not_hold_up_the_others(root, clock, open_memory):
    with open_memory(embedder=Words()) as memory:
        memory.remember_many(["poison", *(f"alpha {n}" for n in range(30))], user="alex")
        for _ in range(60):
            clock.advance(hours=2)
            memory.upkeep()
        assert memory.stats().vectors == 30


def test_a_process_that_still_has_the_old_model_loses_no_vectors(root, clock, monkeypatch, open_memory):
    from recollect import system

    models = {"old": Words("old"), "new": Words("new")}
    monkeypatch.setattr(system, "by_name", lambda name, settings: models[name])
    one = open_memory(embedder=models["old"])
    one.remember("alpha", user="alex")
    other = open_memory(embedder=models["new"])
    other.reindex()
    one.remember("delta epsilon", user="alex")
    clock.advance(hours=2)
    other.upkeep()
    assert vector_evidence(other, "delta epsilon")["delta epsilon"] > 0.9
    assert vector_evidence(one, "delta epsilon")["delta epsilon"] > 0.9
    assert one.embedding_model == "new"
    one.close()
    other.close()


@pytest.mark.parametrize("answer", [[b"123"], [None], [], "nonsense", [struct.pack("<7f", *range(7))], [bytes(24)]])
def test_whatever_a_model_answers_memory_goes_on(root, clock, answer, open_memory):
    model = Words()
    model.embed_documents = model.embed_queries = lambda texts: answer
    with open_memory(embedder=model) as memory:
        assert memory.remember("alpha", user="alex").outcome == "stored"
        assert memory.recall("alpha", user="alex").mode == "text-only"


def test_a_provider_that_is_not_installed_costs_no_write(root, clock, open_memory):
    with open_with(open_memory, "fastembed:some-model") as memory:
        assert memory.remember("alpha", user="alex").outcome == "stored"
        assert len(memory.recall("alpha", user="alex").hits) == 1


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_fills_in_its_own_vectors(remote, endpoint):
    import os

    remote.remember("I drink coffee", user="alex")
    wait_for(lambda: remote.stats().vectors == 1)
    child = os.fork()
    if child == 0:
        try:
            remote.remember("I drink tea", user="alex")
            wait_for(lambda: remote.stats().vectors == 2)
            os._exit(0 if remote.recall("tea", user="alex").mode == "hybrid" else 1)
        except BaseException:  # noqa: BLE001
            os._exit(2)
    assert os.waitpid(child, 0)[1] == 0
