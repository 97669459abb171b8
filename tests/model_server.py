"""A language model's server on loopback that speaks OpenAI's protocol and says what a test tells it to."""

from __future__ import annotations

import json
import threading
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class ModelServer:
    """Answers from a script: texts, or ways to fail. What it was asked is kept in `requests`."""

    def __init__(self) -> None:
        self.script: list[str] = []
        self.requests: list[dict] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.requests.append(body)
                step = outer.script.pop(0) if len(outer.script) > 1 else outer.script[0]
                with suppress(BrokenPipeError, ConnectionResetError):  # the client has had enough
                    outer.play(self, body, step)

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def play(self, handler: BaseHTTPRequestHandler, body: dict, step: str) -> None:
        if step == "500":
            self.send(handler, 500, b'{"error": {"message": "broken"}}')
        elif step == "hang":
            time.sleep(3)
            self.send(handler, 200, b"{}")
        elif step == "garbage":
            self.send(handler, 200, b"<html>not what you expect</html>")
        elif step == "cut":
            self.answer(handler, body, "The dose is never more than", whole=False)
        elif step == "empty":
            self.answer(handler, body, "")
        else:
            self.answer(handler, body, step)

    def answer(self, handler: BaseHTTPRequestHandler, body: dict, text: str, *, whole: bool = True) -> None:
        base = {"id": "x", "created": 1, "model": body["model"]}
        if not body.get("stream"):
            message = {"role": "assistant", "content": text}
            usage = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
            done = {
                **base,
                "object": "chat.completion",
                "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
                "usage": usage,
            }
            self.send(handler, 200, json.dumps(done).encode())
            return
        handler.send_response(200)
        handler.send_header("Content-Type", "text/event-stream")
        handler.end_headers()
        for piece in [text[i : i + 4] for i in range(0, len(text), 4)]:
            choice = {"index": 0, "delta": {"role": "assistant", "content": piece}, "finish_reason": None}
            chunk = {**base, "object": "chat.completion.chunk", "choices": [choice]}
            handler.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())
        if not whole:
            return
        end = {
            **base,
            "object": "chat.completion.chunk",
            "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}],
        }
        handler.wfile.write(f"data: {json.dumps(end)}\n\ndata: [DONE]\n\n".encode())

    @staticmethod
    def send(handler: BaseHTTPRequestHandler, status: int, body: bytes) -> None:
        handler.send_response(status)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)
