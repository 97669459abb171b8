"""Other models: fetched by name from a hub (a real server on loopback), kept whole, checked, and used for recall."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from recollect.embedding.onnx import minilm


class Hub:
    """Serves the files of the default model as `owner/encoder`."""

    def __init__(self):
        (model, _), (tokenizer, _) = minilm()._files
        self.files = {
            "/owner/encoder/resolve/main/onnx/model.onnx": model.read_bytes(),
            "/owner/encoder/resolve/main/tokenizer.json": tokenizer.read_bytes(),
        }
        self.breaks_off = False
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                data = outer.files.get(self.path)
                self.send_response(404 if data is None else 200)
                self.send_header("Content-Length", str(len(data or b"")))
                self.end_headers()
                self.wfile.write((data or b"")[: 1000 if outer.breaks_off else None])

            def log_message(self, *args):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


@pytest.fixture
def hub():
    hub = Hub()
    yield hub
    hub.server.shutdown()
    hub.server.server_close()


def test_a_model_that_was_fetched_finds_by_meaning(run, hub, root):
    pulled = run("model", "pull", "owner/encoder", "--hub", hub.url, "--json").json
    assert pulled["provider"] == f"onnx:{root}/models/owner--encoder"
    model = {"RECOLLECT_EMBEDDING__PROVIDER": pulled["provider"]}
    run("remember", "My spouse adores pasta", **model)
    run("remember", "The bicycle needs new brakes", **model)
    found = run("search", "what does my wife like to eat?", "--json", **model).json
    assert found["mode"] == "hybrid"
    assert found["hits"][0]["memory"]["content"] == "My spouse adores pasta"


def test_a_file_that_was_changed_since_is_not_loaded(run, hub, root):
    provider = run("model", "pull", "owner/encoder", "--hub", hub.url, "--json").json["provider"]
    file = root / "models" / "owner--encoder" / "model.onnx"
    file.write_bytes(file.read_bytes()[:-1] + b"x")
    model = {"RECOLLECT_EMBEDDING__PROVIDER": provider}
    assert run("remember", "My spouse adores pasta", **model).code == 0
    assert run("search", "pasta", "--json", **model).json["mode"] == "text-only"


def test_another_model_in_the_same_folder_is_not_taken_for_the_first(run, hub, root):
    model = {
        "RECOLLECT_EMBEDDING__PROVIDER": run("model", "pull", "owner/encoder", "--hub", hub.url, "--json").json[
            "provider"
        ]
    }
    run("remember", "My spouse adores pasta", **model)
    folder = root / "models" / "owner--encoder"
    (folder / "recollect.json").unlink()
    (folder / "model.onnx").write_bytes(b"another")
    found = run("search", "pasta", "--json", **model).json
    assert found["mode"] == "text-only"
    assert found["hits"]


def test_what_broke_off_leaves_nothing(run, hub, root):
    hub.breaks_off = True
    done = run("model", "pull", "owner/encoder", "--hub", hub.url, "--json")
    assert (done.code, done.json["error"]["code"]) == (1, "embedding_failed")
    assert list((root / "models" / "owner--encoder").iterdir()) == []


@pytest.mark.parametrize(
    ("name", "address", "code"),
    [
        ("owner/nothing", "", "embedding_failed"),
        ("../../etc", "", "invalid_model"),
        ("owner/encoder", "file:///etc", "invalid_model"),
        ("owner/encoder", "http://127.0.0.1:9", "embedding_failed"),
    ],
)
def test_what_cannot_be_fetched_is_said(run, hub, name, address, code):
    done = run("model", "pull", name, "--hub", address or hub.url, "--json")
    assert (done.code, done.json["error"]["code"]) == (1, code)
    assert "Traceback" not in done.err


def test_a_folder_without_a_model_says_how_to_get_one(run, tmp_path):
    done = run("search", "pasta", "--json", RECOLLECT_EMBEDDING__PROVIDER=f"onnx:{tmp_path}")
    assert "recollect model pull" in done.err
