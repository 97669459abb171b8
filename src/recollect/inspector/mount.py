"""Where the pages hang in the server: which paths there are, what a browser is told about them, and signing in."""

from __future__ import annotations

import html
import logging
import re
from collections.abc import Awaitable, Callable
from importlib import resources
from urllib.parse import quote

from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from nicegui import core, ui
from starlette.datastructures import Headers, MutableHeaders
from starlette.routing import Mount
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from recollect.errors import RecollectError
from recollect.inspector import (
    conflicts,
    graph,
    health,
    ingest,
    memory_page,
    people,
    search,
    sees,
    sessions,
    timeline,
    upkeep,
)
from recollect.inspector.api import Api
from recollect.inspector.frame import View, framed
from recollect.server.door import SIGN_IN, SIGN_OUT, cookie_name, credential
from recollect.server.gatekeeper import Gatekeeper, error_body, status_of
from recollect.system import MemorySystem

_STYLE = "/_inspector/style.css"
_ID = r"[0-9a-f-]{36}"
_PATHS = re.compile(
    rf"/(|memory/{_ID}|graph|timeline|prompt|conflicts|people|people/{_ID}|sessions|sessions/{_ID}|turns"
    r"|ingest|upkeep|status|_nicegui/.*|_nicegui_ws/.*)"
)
# Pages are made by scripts of our own; whatever text they show loads nothing from anywhere and sends nothing anywhere.
_POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; font-src 'self' data:; connect-src 'self'; object-src 'none'; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",  # without any, forms would not say where they come from
}
# "/" searches from everywhere, from the first moment on: nothing of it has to come from the server.
_SCRIPT = """
document.documentElement.lang = "en"
document.addEventListener("keydown", event => {
  const typing = event.target.closest?.("input, select, textarea")
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || typing) return
  event.preventDefault()
  const search = document.querySelector("input[type=search]")
  if (search) search.focus()
  else document.querySelector("a.brand")?.click()
})
"""
_TIMEOUT = 30.0


def mount(app: FastAPI, memory: MemorySystem, gatekeeper: Gatekeeper) -> None:
    """Adds the inspector's pages to an application."""
    _add_sign_in(app, gatekeeper)
    _add_pages(lambda request: Api(memory, gatekeeper, credential(request.headers)))

    @app.get(_STYLE, include_in_schema=False)
    async def style() -> Response:
        return Response(_file("style.css"), media_type="text/css", headers={"Cache-Control": "max-age=60"})

    ui.add_head_html(f'<link rel="stylesheet" href="{_STYLE}">', shared=True)
    ui.add_head_html(f"<script>{_SCRIPT}</script>", shared=True)
    ui.run_with(
        app,
        title="Recollect",
        favicon=_ICON,
        dark=None,
        tailwind=False,
        show_welcome_message=False,
        binding_refresh_interval=None,
    )
    core.app.config.socket_io_js_transports = ["websocket"]
    # What goes wrong in a page is noted as everywhere else: by its kind, in our own log.
    logging.getLogger("nicegui").setLevel(logging.CRITICAL)
    core.app.on_exception(Api(memory, gatekeeper, None).failed)
    for route in app.routes:
        if isinstance(route, Mount) and route.app is core.app:
            route.app = _Known(core.app)


_ICON = (
    "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Crect width='32' height='32' "
    "rx='8' fill='%230f766e'/%3E%3Cpath d='M9 22V10h8a4 4 0 0 1 0 8H9m8 0 6 4' fill='none' stroke='white' "
    "stroke-width='3' stroke-linecap='round' stroke-linejoin='round'/%3E%3C/svg%3E"
)


class _Known:
    """Lets through what is one of our pages or belongs to them; anything else is not found, in words for programs."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not _PATHS.fullmatch(scope["path"]):
            accepted = Headers(scope=scope).get("accept", "") if scope["type"] == "http" else ""
            told = RecollectError("Not Found", code="not_found")
            page = HTMLResponse(_file("not-found.html"), 404, headers=_HEADERS)
            answer = page if "text/html" in accepted else JSONResponse(error_body(told), 404)
            await answer(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(_HEADERS)
            await send(message)

        await self._app(scope, receive, with_headers)


def _add_sign_in(app: FastAPI, gatekeeper: Gatekeeper) -> None:
    page = _file("sign-in.html")

    def shown(request: Request, message: str, status: int = 200) -> HTMLResponse:
        text = page.replace("<!-- message -->", message).replace("<!-- to -->", quote(_inside(request), safe="/"))
        return HTMLResponse(text, status, headers=_HEADERS)

    @app.get(SIGN_IN, include_in_schema=False)
    async def ask(request: Request) -> Response:
        return shown(request, "")

    @app.post(SIGN_IN, include_in_schema=False)
    async def sign_in(request: Request) -> Response:
        form = await request.form()
        token = form.get("token")
        try:
            gatekeeper.check_site(request.headers, writes=False)
            identity = gatekeeper.identify(token if isinstance(token, str) else "")
            gatekeeper.charge(identity)
        except RecollectError as error:
            wrong = "This token is not valid: it may have expired or been revoked."
            told = wrong if error.code == "invalid_token" else f"{error.message}."
            return shown(request, html.escape(told), status_of(error))
        answer = RedirectResponse(_inside(request), 303)
        secure = request.url.scheme == "https"
        name = cookie_name(request.headers)
        answer.set_cookie(name, str(token).strip(), httponly=True, samesite="strict", secure=secure)
        return answer

    @app.get(SIGN_OUT, include_in_schema=False)
    async def sign_out(request: Request) -> Response:
        answer = RedirectResponse(SIGN_IN, 303)
        answer.delete_cookie(cookie_name(request.headers), httponly=True, samesite="strict")
        return answer


def _inside(request: Request) -> str:
    """Where somebody wanted to go: a page of ours, or the first one."""
    wanted = request.query_params.get("to", "")
    return wanted if _PATHS.fullmatch(wanted.partition("?")[0]) and wanted.startswith("/") else "/"


def _add_pages(api: Callable[[Request], Api]) -> None:
    def page(path: str, title: str, build: Callable[[View], Awaitable[None]]) -> None:
        @ui.page(path, title=f"{title} · Recollect", response_timeout=_TIMEOUT)
        async def show(request: Request) -> None:
            await framed(request, api(request), path, build)

    def page_of(path: str, section: str, title: str, build: Callable[[View, str], Awaitable[None]]) -> None:
        @ui.page(path, title=f"{title} · Recollect", response_timeout=_TIMEOUT)
        async def show(request: Request, which: str = "") -> None:
            await framed(request, api(request), section, lambda view: build(view, which))

    page("/", "Search", search.build)
    page("/graph", "Graph", graph.build)
    page("/timeline", "Timeline", timeline.build)
    page("/prompt", "What the model sees", sees.build)
    page("/conflicts", "Conflicts", conflicts.build)
    page("/people", "People", people.build)
    page("/sessions", "Sessions", sessions.build)
    page("/ingest", "Ingest", ingest.build)
    page("/upkeep", "Upkeep", upkeep.build)
    page("/status", "Health", health.build)
    page_of("/memory/{which}", "/", "Memory", memory_page.build)
    page_of("/people/{which}", "/people", "Person", people.build_one)
    page_of("/sessions/{which}", "/sessions", "Session", sessions.build_one)
    page_of("/turns", "/sessions", "Turns", sessions.build_turns)


def _file(name: str) -> str:
    return (resources.files(__package__) / name).read_text("utf-8")
