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
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from recollect.errors import RecollectError
from recollect.model.token import Identity
from recollect.server.door import Door, Metrics
from recollect.server.gatekeeper import Gatekeeper, current, error_body, status_of
from recollect.server.mcp import build_mcp
from recollect.server.operations import OPERATIONS, Operation, call
from recollect.server.parameters import Parameters
from recollect.server.rpc import answer
from recollect.system import MemorySystem


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


def build_app(
    memory: MemorySystem,
    gatekeeper: Gatekeeper,
    local: Identity | None = None,
    pages: Callable[[FastAPI], None] | None = None,
    tools: str = "recollect",
) -> FastAPI:
    """The application over one memory.

    `local` is who calls over the Unix socket, `pages` adds pages for browsers, `tools` are those that MCP offers.
    """
    mcp = build_mcp(lambda: memory, current.get, tools)
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
    posted = frozenset({"/rpc", *(f"/v1/{operation.name}" for operation in OPERATIONS)})
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
    if pages is not None:
        pages(app)
    app.add_middleware(
        Door,
        memory=memory,
        gatekeeper=gatekeeper,
        metrics=metrics,
        local=local,
        posted=posted,
        has_pages=pages is not None,
    )
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


async def _told(_: Request, error: RecollectError) -> Response:
    return JSONResponse(json.loads(json.dumps(error_body(error), default=str)), status_of(error))


async def _invalid(_: Request, error: RequestValidationError) -> Response:
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"][1:] if part != "body") or "body"
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
