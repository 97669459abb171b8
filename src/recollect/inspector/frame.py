"""What all pages share: the header, the way to the other pages, live updates, and errors told in words."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

from fastapi import Request
from nicegui import ui

from recollect.errors import RecollectError
from recollect.inspector.api import Api
from recollect.inspector.parts import empty_state
from recollect.server.door import SIGN_IN, SIGN_OUT

SECTIONS = (
    ("/", "search", "Search"),
    ("/graph", "hub", "Graph"),
    ("/timeline", "timeline", "Timeline"),
    ("/prompt", "visibility", "What the model sees"),
    ("/conflicts", "compare_arrows", "Conflicts"),
    ("/people", "group", "People"),
    ("/sessions", "forum", "Sessions"),
    ("/ingest", "upload_file", "Ingest"),
    ("/upkeep", "cleaning_services", "Upkeep"),
    ("/status", "monitor_heart", "Health"),
)
_THEME = "recollect_theme"
_THEMES = {"dark": True, "light": False}
_LOOK_EVERY = 2.0
_PATIENCE = 30.0
_UNKNOWN = frozenset({"missing_token", "invalid_token"})

Refresh = Callable[[], Awaitable[None] | None]


class View:
    """One open page: what it asks with, and what is done when memory changes."""

    def __init__(self, api: Api, request: Request) -> None:
        self.api = api
        self.query = request.query_params
        self._refreshes: list[Refresh] = []
        self._last: int | None = None
        self._talking = 0
        self._stale = False

    async def ask(self, name: str, /, **given: Any) -> dict[str, Any]:
        """What an operation answers."""
        return await self.api.ask(name, **given)

    def live(self, refresh: Refresh) -> None:
        """Does something whenever memory has changed."""
        self._refreshes.append(refresh)

    @contextmanager
    def talking(self) -> Iterator[None]:
        """While somebody is asked something nothing is drawn anew: what they typed would be gone."""
        self._talking += 1
        try:
            yield
        finally:
            self._talking -= 1

    async def attempt(self, work: Callable[[], Awaitable[Any]]) -> Any:
        """Does something that may be refused; then the page says so and stays as it is. None where it was."""
        try:
            return await work()
        except RecollectError as error:
            tell(error)
            return None

    async def look(self) -> None:
        """Looks whether anything has happened since the last look."""
        try:
            found = await self.ask("pulse", after=self._last)
            self._last = found["sequence"]
            self._stale = self._stale or found["changed"]
            if self._stale and not self._talking:
                self._stale = False
                for refresh in self._refreshes:
                    done = refresh()
                    if inspect.isawaitable(done):
                        await done
        except RecollectError as error:
            tell(error)


def tell(error: RecollectError) -> None:
    """An error, as a note on the page. Who is nobody any more has to sign in again."""
    if error.code in _UNKNOWN:
        ui.navigate.to(SIGN_IN)
        return
    hint = f" ({error.hint})" if error.hint else ""
    ui.notify(f"{error.message}{hint}", type="negative", position="top", close_button="OK", group=error.code)


async def framed(request: Request, api: Api, section: str, build: Callable[[View], Awaitable[None]]) -> None:
    """A page in its frame."""
    view = View(api, request)
    ui.colors(primary="#0f766e", negative="#b91c1c", positive="#15803d", warning="#b45309")
    dark = ui.dark_mode(_THEMES.get(request.cookies.get(_THEME, "")))
    main = ui.element("div").classes("page")
    with ui.left_drawer(value=None).props("width=248 breakpoint=1023 show-if-above").classes("nav") as drawer:
        _navigation(section)
    with ui.header().classes("top"):
        ui.button(icon="menu", on_click=drawer.toggle).props('flat round dense aria-label="Pages"').classes("menu")
        with ui.link(target="/").classes("brand"):
            ui.label("Recollect").classes("name")
        ui.label(api.orchestrator_id).classes("quiet orchestrator").props('title="Whose memory this is"')
        ui.space()
        ui.label(api.identity().user).classes("who").props('title="Who is signed in"')
        _theme_button(dark)
        if api.is_signed_in:
            ui.link("Sign out", SIGN_OUT).classes("quiet")
    ui.skip_link("Skip to content", target=main)
    with main:
        waiting = ui.element("div").classes("waiting").props('role="status" aria-label="Loading"')
    try:
        await ui.context.client.connected(_PATIENCE)  # the frame is on the screen before anything is asked
    except TimeoutError:
        return  # nobody looks any more
    waiting.delete()
    with main:
        try:
            await build(view)
        except RecollectError as error:
            empty_state("error_outline", error.message, error.hint or "Go back, or search for it.")
        except Exception as error:  # noqa: BLE001  a page says so, and nothing more
            api.failed(error)
            empty_state("error_outline", "Something went wrong here.", "The log says what; try again.")
    ui.on_exception(lambda: ui.notify("Something went wrong here.", type="negative", position="top"))
    await view.look()
    ui.timer(_LOOK_EVERY, view.look, immediate=False)


def _navigation(section: str) -> None:
    with ui.element("nav").props('aria-label="Pages"'):
        for path, icon, name in SECTIONS:
            current = " current" if path == section else ""
            with ui.link(target=path).classes(f"entry{current}") as entry:
                if current:
                    entry.props('aria-current="page"')
                ui.icon(icon).props("aria-hidden=true")
                ui.label(name)
    ui.label("/ to search, Tab to move").classes("quiet hint")


def _theme_button(dark: ui.dark_mode) -> None:
    async def turn() -> None:
        # Without a choice it is as the system is, which only the browser knows.
        is_dark = await ui.run_javascript("document.body.classList.contains('body--dark')")
        dark.value = not is_dark
        name = "dark" if dark.value else "light"
        ui.run_javascript(f"document.cookie = '{_THEME}={name}; path=/; SameSite=Strict; max-age=31536000'")

    ui.button(icon="contrast", on_click=turn).props('flat round dense aria-label="Light or dark"')
