"""The HTTP application: one route for every operation, JSON-RPC, MCP, health and metrics."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from fastapi.responses import JSONResponse, PlainTextResponse, Response
from mcp.server.transport_security import TransportSecuritySettings
from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from recollect.errors import InvalidInput, RecollectError
from recollect.model.token import Identity
from recollect.server.gatekeeper import Gatekeeper, current, error_body, status_of
from recollect.server.mcp import build_mcp
from recollect.server.operations import OPERATIONS, Operation, call
from recollect.server.parameters import Parameters
from recollect.server.rpc import answer
from recollect.system import MemorySystem

_OPEN = ("/health", "/ready", "/openapi.json", "/docs")


class ErrorDetail(BaseModel):
    """What went wrong, for programs and for people."""

    code: str
    message: str
    hint: str | None = None


class ErrorAnswer(BaseModel):
    """An error."""

    error: ErrorDetail


_ERRORS: dict[int | str, dict[str, Any]] = {
    status: {"model": ErrorAnswer, "description": told}
    for status, told in {
        400: "Something about the request is wrong.",
        401: "A token is missing or not valid.",
        403: "The caller may not do this.",
        404: "There is no such thing, or not for this caller.",
        409: "It cannot change that way.",
        413: "The request is too large.",
        429: "Too many requests.",
        503: "Memory cannot do it now.",
        504: "It took too long.",
    }.items()
}


def build_app(memory: MemorySystem, gatekeeper: Gatekeeper, local: Identity | None = None) -> FastAPI:
    """The application over one memory. `local` is who calls over the Unix socket."""
    mcp = build_mcp(lambda: memory, current.get)
    # Hosts and origins are checked at our own door, for every path alike.
    unguarded = TransportSecuritySettings(enable_dns_rebinding_protection=False)
    mcp_app = mcp.streamable_http_app(
        streamable_http_path="/", stateless_http=True, json_response=True, transport_security=unguarded
    )

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with mcp.session_manager.run():
            yield

    app = FastAPI(
        title="Recollect",
        version=version("recollect"),
        description="Long-term memory for AI agents. Who calls is told by the bearer token.",
        lifespan=lifespan,
        redoc_url=None,
    )
    metrics = Metrics()
    for operation in OPERATIONS:
        app.add_api_route(
            f"/v1/{operation.name}",
            _route(memory, operation),
            methods=["POST"],
            name=operation.name,
            summary=operation.summary,
            operation_id=operation.method.replace(".", "_"),
            response_model=dict[str, Any],
            responses=_ERRORS,
        )
    _add_rest(app, memory, metrics, gatekeeper)
    app.mount("/mcp", mcp_app)
    app.add_exception_handler(RecollectError, _told)  # type: ignore[arg-type]
    app.add_exception_handler(RequestValidationError, _invalid)  # type: ignore[arg-type]
    app.add_exception_handler(HTTPException, _plain)  # type: ignore[arg-type]
    app.openapi = lambda: _schema(app)  # type: ignore[method-assign]
    app.add_middleware(Door, memory=memory, gatekeeper=gatekeeper, metrics=metrics, local=local)
    return app


def _route(memory: MemorySystem, operation: Operation) -> Callable[..., Any]:
    kind = operation.parameters

    async def run(parameters: Parameters) -> dict[str, Any]:
        identity = current.get()
        result: dict[str, Any] = await asyncio.to_thread(call, memory, identity, operation, parameters)
        return result

    run.__annotations__["parameters"] = kind
    return run


def _add_rest(app: FastAPI, memory: MemorySystem, metrics: Metrics, gatekeeper: Gatekeeper) -> None:
    @app.get("/health", summary="Whether the server runs.")
    async def health() -> dict[str, str]:
        return {"status": "ok"}

    @app.get("/ready", summary="Whether memory can be used.", responses={503: _ERRORS[503]})
    async def ready() -> dict[str, str]:
        await asyncio.to_thread(memory.stats)
        return {"status": "ready"}

    @app.get("/metrics", summary="Metrics for Prometheus.", responses=_ERRORS, response_class=PlainTextResponse)
    async def measured() -> Response:
        return PlainTextResponse(metrics.text(), headers={"Content-Type": "text/plain; version=0.0.4; charset=utf-8"})

    @app.post("/rpc", summary="JSON-RPC 2.0 over the same operations.", responses=_ERRORS, include_in_schema=False)
    async def rpc(request: Request) -> Response:
        body = await request.body()
        told = await asyncio.to_thread(answer, memory, current.get(), body, gatekeeper.charge)
        return Response(status_code=204) if told is None else Response(told, media_type="application/json")


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
        self, app: ASGIApp, memory: MemorySystem, gatekeeper: Gatekeeper, metrics: Metrics, local: Identity | None
    ) -> None:
        self._app = app
        self._memory = memory
        self._gatekeeper = gatekeeper
        self._metrics = metrics
        self._local = local
        self._largest = memory.settings.server.largest_request_kb * 1024

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Lets a request in, or answers it here."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        path, started = scope["path"], asyncio.get_running_loop().time()
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        status = [500]
        begun = []

        async def noted(message: Message) -> None:
            if message["type"] == "http.response.start":
                status[0] = message["status"]
                begun.append(True)
            await send(message)

        try:
            self._check_size(headers)
            if path not in _OPEN:
                current.set(self._gatekeeper.admit(headers, self._on_socket(scope), writes=scope["method"] == "POST"))
            seconds = self._memory.settings.server.timeout_seconds
            await asyncio.wait_for(self._app(scope, await self._bounded(receive, headers), noted), seconds)
        except RecollectError as error:
            code = 413 if error.code == "request_too_large" else status_of(error)
            await _answer(code, error_body(error), scope, receive, noted)
        except TimeoutError:
            told = RecollectError("it took too long", code="timeout", hint="try again")
            await _answer(504, error_body(told), scope, receive, noted)
        except Exception as error:  # noqa: BLE001  no trace of it reaches a caller
            self._memory.log.write("memory.server.failed", level="error", path=path, detail=type(error).__name__)
            told = RecollectError("something went wrong here", code="internal_error")
            if not begun:
                await _answer(500, error_body(told), scope, receive, noted)
        finally:
            known = path if path.startswith(("/v1/", "/rpc", "/mcp", *_OPEN)) and status[0] != 404 else "other"  # noqa: PLR2004
            self._metrics.requests.labels(known, str(status[0])).inc()
            self._metrics.seconds.labels(known).observe(asyncio.get_running_loop().time() - started)

    def _on_socket(self, scope: Scope) -> Identity | None:
        """Who calls over the Unix socket: told by where we listen, which a caller cannot choose."""
        server = scope.get("server")
        return self._local if server is not None and server[1] is None else None

    def _check_size(self, headers: dict[str, str]) -> None:
        if "content-length" in headers and "transfer-encoding" in headers:
            raise InvalidInput.of("invalid_request", "headers", "two lengths", "one length: which is it?")
        length = headers.get("content-length", "0")
        if not length.isdigit() or int(length) > self._largest:
            raise _too_large(self._largest)

    async def _bounded(self, receive: Receive, headers: dict[str, str]) -> Receive:
        """What comes in. What has no length is taken in here, until it is too much."""
        if "content-length" in headers or "transfer-encoding" not in headers:
            return receive
        body, more = b"", True
        while more:
            message = await receive()
            body += message.get("body", b"")
            more = message.get("more_body", False)
            if len(body) > self._largest:
                raise _too_large(self._largest)
        taken = [{"type": "http.request", "body": body, "more_body": False}]

        async def again() -> Message:
            return taken.pop() if taken else await receive()

        return again


def _too_large(largest: int) -> InvalidInput:
    return InvalidInput.of("request_too_large", "body", "too much", f"at most {largest} bytes")


async def _answer(status: int, body: dict[str, Any], scope: Scope, receive: Receive, send: Send) -> None:
    headers = {"WWW-Authenticate": "Bearer"} if status == 401 else {}  # noqa: PLR2004
    text = json.dumps(body, ensure_ascii=False, default=str).encode("utf-8", "backslashreplace")
    await Response(text, status, headers, "application/json")(scope, receive, send)


async def _told(_: Request, error: RecollectError) -> Response:
    return JSONResponse(json.loads(json.dumps(error_body(error), default=str)), status_of(error))


async def _invalid(_: Request, error: RequestValidationError) -> Response:
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"][1:]) or "body"
    told = RecollectError(f"{where}: {first['msg']}", code="invalid_input")
    return JSONResponse(error_body(told), 400)


async def _plain(_: Request, error: HTTPException) -> Response:
    told = RecollectError(
        str(error.detail), code={404: "not_found", 405: "method_not_allowed"}.get(error.status_code, "error")
    )
    return JSONResponse(error_body(told), error.status_code, headers=dict(error.headers or {}))


def _schema(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI schema, without the status that we never answer with."""
    if app.openapi_schema is None:
        schema = get_openapi(title=app.title, version=app.version, description=app.description, routes=app.routes)
        schema.setdefault("components", {})["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        for path in schema["paths"].values():
            for operation in path.values():
                operation["responses"].pop("422", None)
                operation["security"] = [{"token": []}, {}]
        app.openapi_schema = schema
    return app.openapi_schema
