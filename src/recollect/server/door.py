"""The door that every request passes: its size, who calls, how long it takes, and no stack trace behind it."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import quote

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from recollect.errors import InvalidInput, RecollectError
from recollect.model.token import Identity
from recollect.server.gatekeeper import Gatekeeper, current, error_body, status_of
from recollect.system import MemorySystem

SIGN_IN, SIGN_OUT = "/sign-in", "/sign-out"
_COOKIE = "recollect_token"
_OPEN = ("/health", "/ready", "/openapi.json", "/docs")
_UNKNOWN_CALLER, _TOO_MANY = 401, 429
_PROGRAMS = ("/v1/", "/rpc", "/mcp", "/metrics")
_MCP = "/mcp"
_UPLOAD = re.compile(r"/_nicegui/client/[\w-]+/upload/\d+")
_FORM = 10_000


class Metrics:
    """How much is asked for, and how long it takes."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self.requests = Counter(
            "recollect_requests_total", "Requests by path and status.", ["path", "status"], registry=self._registry
        )
        self.seconds = Histogram(
            "recollect_request_seconds", "How long requests take.", ["path"], registry=self._registry
        )

    def text(self) -> bytes:
        """All of it, as Prometheus reads it."""
        return generate_latest(self._registry)


class Door:
    """Every request passes here: its size, who calls, how long it takes, and no stack trace behind it."""

    def __init__(
        self,
        app: ASGIApp,
        memory: MemorySystem,
        gatekeeper: Gatekeeper,
        metrics: Metrics,
        local: Identity | None,
        *,
        posted: frozenset[str],
        has_pages: bool,
    ) -> None:
        """`posted` are the paths of operations, which take POST alone."""
        self._app = app
        self._memory = memory
        self._gatekeeper = gatekeeper
        self._metrics = metrics
        self._local = local
        self._has_pages = has_pages
        self._posted = posted
        self._known = posted | {*_OPEN, _MCP, "/metrics"}
        self._largest = memory.settings.server.largest_request_kb * 1024
        # A file that somebody drops on a page may be as large as one that is dropped into the folder.
        self._largest_file = max(self._largest, memory.settings.memory.ingest.max_file_size_mb * 1024**2 + _FORM)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Lets a request in, or answers it here."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        if scope["type"] == "websocket":
            await self._talk(scope, headers, receive, send)
            return
        started, status = asyncio.get_running_loop().time(), [500]

        async def noted(message: Message) -> None:
            if message["type"] == "http.response.start":
                status[0] = message["status"]
            await send(message)

        path = scope["path"].rstrip("/")
        if path == _MCP:  # with the slash and without it, wherever pages are mounted
            scope = {**scope, "path": f"{_MCP}/", "raw_path": f"{_MCP}/".encode()}
        try:
            await self._answered(scope, headers, receive, noted)
        finally:
            known = path if path in self._known else "other"  # a label is kept for good
            self._metrics.requests.labels(known, str(status[0])).inc()
            self._metrics.seconds.labels(known).observe(asyncio.get_running_loop().time() - started)

    async def _answered(self, scope: Scope, headers: dict[str, str], receive: Receive, send: Send) -> None:
        begun = []

        async def noted(message: Message) -> None:
            begun.append(message["type"])
            await send(message)

        try:
            self._check(scope, headers)
            seconds = self._memory.settings.server.timeout_seconds
            await asyncio.wait_for(self._enter(scope, headers, receive, noted), seconds)
        except RecollectError as error:
            if status_of(error) == _UNKNOWN_CALLER and self._is_page(scope, headers):
                await RedirectResponse(_sign_in(scope), 303)(scope, receive, send)
                return
            await _answer(status_of(error), error_body(error), scope, receive, send)
        except TimeoutError:
            told = RecollectError("it took too long", code="timeout", hint="try again")
            await _answer(504, error_body(told), scope, receive, send)
        except Exception as error:  # noqa: BLE001  no trace of it reaches a caller
            kind = type(error).__name__
            self._memory.log.write("memory.server.failed", level="error", path=scope["path"], detail=kind)
            told = RecollectError("something went wrong here", code="internal_error")
            if not begun:
                await _answer(500, error_body(told), scope, receive, send)

    def _check(self, scope: Scope, headers: dict[str, str]) -> None:
        """Refuses what is too large, comes from nobody, or asks in another way than there is."""
        self._check_size(scope, headers)
        self._admit(scope, headers, writes=scope["method"] == "POST")
        if scope["path"] in self._posted and scope["method"] != "POST":
            raise RecollectError(f"{scope['path']} takes POST", code="method_not_allowed")

    async def _enter(self, scope: Scope, headers: dict[str, str], receive: Receive, send: Send) -> None:
        await self._app(scope, await self._bounded(receive, headers), send)

    async def _talk(self, scope: Scope, headers: dict[str, str], receive: Receive, send: Send) -> None:
        """A page that keeps in touch: let in like any other request, and checked again whenever it asks."""
        try:
            self._admit(scope, headers, writes=True)
        except RecollectError:
            await send({"type": "websocket.close", "code": 1008})
            return
        await self._app(scope, receive, send)

    def _admit(self, scope: Scope, headers: dict[str, str], *, writes: bool) -> None:
        """Notes who calls. What browsers send by themselves counts on pages only, and only for our own pages."""
        path, on_socket = scope["path"], self._on_socket(scope)
        if path in _OPEN or (self._has_pages and path in {SIGN_IN, SIGN_OUT}):
            return
        if path.startswith(_PROGRAMS) or not self._has_pages:
            current.set(self._gatekeeper.admit(headers, on_socket, writes=writes))
            return
        if on_socket is None:
            self._gatekeeper.check_site(headers, writes=False)
        if writes and "origin" not in headers:
            raise InvalidInput.of("invalid_request", "Origin", None, "given: pages are for browsers")
        current.set(self._gatekeeper.identify(credential(headers), on_socket))

    def _is_page(self, scope: Scope, headers: dict[str, str]) -> bool:
        wanted = scope["method"] == "GET" and "text/html" in headers.get("accept", "")
        return self._has_pages and wanted and not scope["path"].startswith(_PROGRAMS)

    def _on_socket(self, scope: Scope) -> Identity | None:
        """Who calls over the Unix socket: told by where we listen, which a caller cannot choose."""
        server = scope.get("server")
        return self._local if server is not None and server[1] is None else None

    def _check_size(self, scope: Scope, headers: dict[str, str]) -> None:
        largest = self._largest_file if _UPLOAD.fullmatch(scope["path"]) else self._largest
        if "content-length" in headers and "transfer-encoding" in headers:
            raise InvalidInput.of("invalid_request", "headers", "two lengths", "one length: which is it?")
        length = headers.get("content-length", "0")
        if not length.isdigit() or int(length) > largest:
            raise _too_large(largest)

    async def _bounded(self, receive: Receive, headers: dict[str, str]) -> Receive:
        """What comes in. What has no length is taken in here, until it is too much."""
        if "content-length" in headers or "transfer-encoding" not in headers:
            return receive
        body, more = b"", True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise InvalidInput.of("invalid_request", "body", "a part", "whole: the caller is gone")
            body += message.get("body", b"")
            more = message.get("more_body", False)
            if len(body) > self._largest:
                raise _too_large(self._largest)
        taken = [{"type": "http.request", "body": body, "more_body": False}]

        async def again() -> Message:
            return taken.pop() if taken else await receive()

        return again


def _sign_in(scope: Scope) -> str:
    """Where to sign in, and where to go on from there."""
    asked = scope["path"] + (f"?{scope['query_string'].decode('latin-1')}" if scope.get("query_string") else "")
    return f"{SIGN_IN}?to={quote(asked, safe='/')}" if asked != "/" else SIGN_IN


def cookie_name(headers: Mapping[str, str]) -> str:
    """What a browser keeps a token under: cookies do not tell ports apart, and there may be a server on each."""
    port = headers.get("host", "").rpartition(":")[2]
    return f"{_COOKIE}_{port}" if port.isdigit() else _COOKIE


def credential(headers: Mapping[str, str]) -> str | None:
    """The token that a browser sends: what it was signed in with, or a header that something put there."""
    scheme, _, token = headers.get("authorization", "").partition(" ")
    if scheme:
        return token if scheme.lower() == "bearer" else ""
    try:
        kept = SimpleCookie(headers.get("cookie", "")).get(cookie_name(headers))
    except CookieError:
        return ""
    return None if kept is None else kept.value


def _too_large(largest: int) -> InvalidInput:
    return InvalidInput.of("request_too_large", "body", "too much", f"at most {largest} bytes")


async def _answer(status: int, body: dict[str, Any], scope: Scope, receive: Receive, send: Send) -> None:
    headers = {_UNKNOWN_CALLER: {"WWW-Authenticate": "Bearer"}, _TOO_MANY: {"Retry-After": "1"}}.get(status, {})
    text = json.dumps(body, ensure_ascii=False, default=str).encode("utf-8", "backslashreplace")
    await Response(text, status, headers, "application/json")(scope, receive, send)
