"""The pieces that pages are made of. Stored text goes into labels only, which show it as text whatever it is."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Protocol

from nicegui import ui

TYPES = ("Fact", "Preference", "Decision", "Identity", "Event", "Observation", "Goal", "Todo")
COLOURS: Mapping[str, str] = {
    "Fact": "#2563eb",
    "Preference": "#db2777",
    "Decision": "#7c3aed",
    "Identity": "#0f766e",
    "Event": "#b45309",
    "Observation": "#64748b",
    "Goal": "#15803d",
    "Todo": "#dc2626",
}
_LONG = 400
_PINNED = 100


def when(moment: str | None) -> str:
    """A time of the API, short: its day and minute in UTC."""
    return "" if moment is None else moment[:16].replace("T", " ")


def counted(number: int, one: str, many: str) -> str:
    """A number with its word."""
    return f"{number} {one if number == 1 else many}"


def heading(text: str, told: str = "") -> None:
    """The title of a page, and in a line what it is for."""
    ui.label(text).classes("title").props('role="heading" aria-level="1"')
    if told:
        ui.label(told).classes("quiet lead")


def subheading(text: str) -> None:
    """The title of a part of a page."""
    ui.label(text).classes("subtitle").props('role="heading" aria-level="2"')


def empty_state(icon: str, text: str, hint: str) -> None:
    """What stands where there is nothing: what that means and what to do."""
    with ui.column().classes("empty"):
        ui.icon(icon).props("aria-hidden=true")
        ui.label(text).classes("empty-text")
        ui.label(hint).classes("quiet")


def badge(text: str, colour: str | None = None, title: str = "") -> None:
    """A word in a coloured frame; the words are ours, never what was stored."""
    made = ui.label(text).classes("badge")
    if colour is not None:
        made.style(f"--tint: {colour}")
    if title:
        made.tooltip(title)


@contextmanager
def panel(title: str = "", classes: str = "") -> Iterator[ui.element]:
    """A framed part of a page."""
    with ui.element("section").classes(f"panel {classes}") as made:
        if title:
            subheading(title)
        yield made


def shortened(text: str, most: int = _LONG) -> str:
    """A text, or its beginning."""
    return text if len(text) <= most else text[:most].rstrip() + " …"


def memory_row(memory: Mapping[str, Any], *, about: Any = (), note: str = "") -> None:
    """A memory in a list: what it says, and what kind it is; leads to its page."""
    with ui.link(target=f"/memory/{memory['memoryId']}").classes("memory"):
        gone = "" if memory["status"] == "active" else " gone"
        ui.label(shortened(memory["content"])).classes(f"content{gone}").props("dir=auto")
        facts(memory, about=about, note=note)


def facts(memory: Mapping[str, Any], *, about: Any = (), note: str = "") -> None:
    """What is known of a memory beside what it says, in a line."""
    with ui.row().classes("facts"):
        badge(memory["type"], COLOURS.get(memory["type"]))
        if memory["status"] != "active":
            badge(memory["status"], "#b91c1c")
        if memory["importance"] == _PINNED:
            badge("pinned", "#b45309")
        if memory["scope"] != "personal":
            badge(memory["scope"], "#475569", "Who may see it")
        if memory["trust"] != "stated":
            badge(memory["trust"], "#475569", "How far it may be trusted: follows from where it came from")
        for person in about:
            ui.label(str(person)).classes("person")
        ui.label(when(memory["observedAt"])).classes("quiet").props('title="When it was observed (UTC)"')
        if note:
            ui.label(note).classes("quiet")


def bar(name: str, value: float, shown: str, most: float = 1.0) -> None:
    """A named value as a small bar."""
    width = max(0.0, min(1.0, value / most if most else 0.0))
    _bar(name, shown, f"width: {100 * width:.1f}%", "")


def factor_bar(name: str, factor: float, widest: float = 0.05) -> None:
    """A factor as a small bar from the middle, where it changes nothing: it lifts to the right, lowers to the left."""
    part = max(-0.5, min(0.5, (factor - 1) / widest / 2))
    start = 50 + 100 * min(0.0, part)
    shown = "no change" if factor == 1 else f"{100 * (factor - 1):+.1f} %"
    _bar(name, shown, f"margin-left: {start:.1f}%; width: {100 * abs(part):.1f}%", "middle")


def _bar(name: str, shown: str, style: str, classes: str) -> None:
    with ui.element("div").classes("bar-row"):
        ui.label(name).classes("bar-name")
        with ui.element("div").classes(f"bar {classes}").props(f'role="img" aria-label="{name}: {shown}"'):
            ui.element("div").classes("fill").style(style)
        ui.label(shown).classes("bar-value")


class Talks(Protocol):
    """A page that somebody can be asked something on."""

    def talking(self) -> AbstractContextManager[None]:
        """While this lasts nothing is drawn anew."""
        ...

    async def attempt(self, work: Callable[[], Awaitable[Any]]) -> Any:
        """Does something that may be refused; None where it was."""
        ...


async def confirmed(page: Talks, question: str, detail: str, yes: str) -> bool:
    """Whether somebody says yes to something that cannot be taken back."""
    with page.talking():
        with ui.dialog() as dialog, ui.card().classes("dialog"):
            ui.label(question).classes("subtitle")
            ui.label(detail).classes("quiet")
            with ui.row().classes("actions"):
                ui.button("Cancel", on_click=lambda: dialog.submit(False)).props("flat autofocus")
                ui.button(yes, color="negative", on_click=lambda: dialog.submit(True)).props("unelevated")
        answer = await dialog
        dialog.delete()
    return bool(answer)


async def filled_in(
    page: Talks, title: str, told: str, yes: str, fields: Callable[[], Callable[[], Awaitable[Any]]]
) -> Any:
    """What came of a form: `fields` draws it and says what is done with it; None where nothing was.

    It stays open, with what was typed, until it was taken.
    """
    with page.talking():
        with ui.dialog() as dialog, ui.card().classes("dialog"):
            subheading(title)
            if told:
                ui.label(told).classes("quiet")
            work = fields()

            async def take() -> None:
                done = await page.attempt(work)
                if done is not None:
                    dialog.submit(done)

            with ui.row().classes("actions"):
                ui.button("Cancel", on_click=lambda: dialog.submit(None)).props("flat")
                ui.button(yes, on_click=take).props("unelevated")
        answer = await dialog
        dialog.delete()
    return answer


def undoable(text: str, undo: Callable[[], Awaitable[Any]]) -> None:
    """Says that something was done, with a button that takes it back."""
    with ui.row().classes("undo") as line:
        ui.label(text)

        async def back() -> None:
            line.delete()
            await undo()

        ui.button("Undo", on_click=back).props("flat dense")
        ui.button(icon="close", on_click=line.delete).props('flat round dense aria-label="Dismiss"')


def more(count: int, what: str = "more") -> None:
    """Says that a list was cut, and by how much."""
    if count > 0:
        ui.label(f"… and {count:,} {what}").classes("quiet")
