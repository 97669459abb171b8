"""Channels of the reference orchestrator: where messages come in and answers go out. A folder, or HTTP on loopback."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Protocol

from recollect.agent.hooks import Inbound
from recollect.errors import InvalidInput, RecollectError
from recollect.model.ids import check_opaque_id

_LARGEST = 1_000_000


class Channel(Protocol):
    """Brings messages to a queue, and takes answers back."""

    name: str

    def poll(self, put: Callable[[Inbound], None]) -> int:
        """Hands over what has come in; how much."""
        ...

    def reply(self, inbound: Inbound, answer: str) -> None:
        """Sends an answer."""
        ...


def read_inbound(data: Any, channel: str) -> Inbound:
    """A message as JSON: `{"id", "user", "text", "chat"?, "conversation"?}`."""
    if not isinstance(data, dict):
        raise InvalidInput.of("invalid_message", "message", data, "an object")
    text = data.get("text")
    if not isinstance(text, str) or not text.strip():
        raise InvalidInput.of("invalid_message", "text", text, "text")
    for name in ("chat", "conversation"):
        if data.get(name) is not None:
            check_opaque_id(data[name], name)
    return Inbound(
        message_id=check_opaque_id(data.get("id"), "id"),
        channel=channel,
        text=text,
        user=check_opaque_id(data.get("user"), "user"),
        chat=data.get("chat"),
        conversation_id=data.get("conversation"),
    )


class FolderChannel:
    """Messages as JSON files in `inbox/`, answers as JSON files of the same name in `outbox/`.

    A message leaves the inbox when its answer is there: after a crash it is answered, once.
    """

    def __init__(self, folder: Path, name: str = "folder") -> None:
        self.name = name
        self._inbox, self._outbox, self._bad = folder / "inbox", folder / "outbox", folder / "rejected"
        for each in (self._inbox, self._outbox, self._bad):
            each.mkdir(parents=True, exist_ok=True)

    def poll(self, put: Callable[[Inbound], None]) -> int:
        """Hands over what lies in the inbox; what is no message is put aside."""
        count = 0
        for path in sorted(self._inbox.glob("*.json")):
            try:
                put(read_inbound(json.loads(path.read_text("utf-8")), self.name))
                count += 1
            except (ValueError, RecollectError):
                path.replace(self._bad / path.name)
        return count

    def reply(self, inbound: Inbound, answer: str) -> None:
        """Puts the answer into the outbox and takes the message out of the inbox."""
        told = json.dumps({"id": inbound.message_id, "answer": answer}, ensure_ascii=False)
        name = f"{inbound.message_id}.json".replace(os.sep, "_")
        hidden = self._outbox / f".{name}"
        hidden.write_text(told, "utf-8")
        hidden.replace(self._outbox / name)
        for path in self._inbox.glob("*.json"):
            if self._is(path, inbound):
                path.unlink(missing_ok=True)

    @staticmethod
    def _is(path: Path, inbound: Inbound) -> bool:
        try:
            return bool(json.loads(path.read_text("utf-8")).get("id") == inbound.message_id)
        except (ValueError, AttributeError, OSError):
            return False


class HttpChannel:
    """`POST /messages` with a message, answered with its answer; on loopback only."""

    def __init__(self, name: str = "http", port: int = 0, timeout: float = 30.0) -> None:
        self.name = name
        self._waiting: list[Inbound] = []
        self._answers: dict[int, str] = {}  # by request: two callers may have chosen the same id
        self._asking: set[int] = set()
        self._changed = threading.Condition()
        self._timeout = timeout
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                outer._take(self)

            def log_message(self, *_: Any) -> None:
                """What comes in is logged by memory, not here."""

        self._server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/messages"
        threading.Thread(target=self._server.serve_forever, name="recollect channel", daemon=True).start()

    def _take(self, request: BaseHTTPRequestHandler) -> None:
        try:
            length = int(request.headers.get("Content-Length") or 0)
            if length > _LARGEST:
                raise InvalidInput.of("invalid_message", "message", f"{length} bytes", f"at most {_LARGEST} bytes")
            inbound = read_inbound(json.loads(request.rfile.read(length)), self.name)
        except RecollectError as error:
            self._send(request, 400, {"error": error.to_json()})
            return
        except ValueError:
            self._send(request, 400, {"error": {"code": "invalid_json", "message": "this is not JSON", "hint": None}})
            return
        with self._changed:
            self._waiting.append(inbound)
            self._asking.add(id(inbound))
            done = self._changed.wait_for(lambda: id(inbound) in self._answers, self._timeout)
            self._asking.discard(id(inbound))
            answer = self._answers.pop(id(inbound), "")
        if done:
            self._send(request, 200, {"id": inbound.message_id, "answer": answer})
        else:
            self._send(request, 504, {"error": {"code": "timeout", "message": "no answer yet", "hint": "ask again"}})

    @staticmethod
    def _send(request: BaseHTTPRequestHandler, status: int, data: dict[str, Any]) -> None:
        body = json.dumps(data, ensure_ascii=False).encode()
        request.send_response(status)
        request.send_header("Content-Type", "application/json")
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body)

    def poll(self, put: Callable[[Inbound], None]) -> int:
        """Hands over what was posted."""
        with self._changed:
            waiting, self._waiting = self._waiting, []
        for inbound in waiting:
            put(inbound)
        return len(waiting)

    def reply(self, inbound: Inbound, answer: str) -> None:
        """Lets the request that waits go on."""
        with self._changed:
            if id(inbound) in self._asking:  # or else nobody waits for it any more
                self._answers[id(inbound)] = answer
                self._changed.notify_all()

    def close(self) -> None:
        """Stops listening."""
        self._server.shutdown()
        self._server.server_close()
