"""People: who is known, by which names and relations, and what is known about them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from nicegui import ui

from recollect.inspector.frame import View
from recollect.inspector.parts import confirmed, empty_state, filled_in, heading, memory_row, more, panel
from recollect.inspector.sample import sample_button
from recollect.model.token import Rights

_MOST = 200


async def build(view: View) -> None:
    """The list."""
    heading("People", "Everybody you have spoken of.")
    shown = ui.element("div").classes("people")

    async def show() -> None:
        found = await view.ask("people")
        shown.clear()
        with shown:
            if not found["people"]:
                empty_state("group", "Nobody is known yet.", 'Say who matters: recollect remember "My wife Sarah …"')
                sample_button(view)
            for person in found["people"][:_MOST]:
                with ui.link(target=f"/people/{person['personId']}").classes("memory person-card"):
                    ui.label(found["labels"][person["personId"]]).classes("content")
                    if person["aliases"]:
                        ui.label("also " + ", ".join(person["aliases"])).classes("quiet")
            more(len(found["people"]) - _MOST)

    await show()
    view.live(show)


async def build_one(view: View, person_id: str) -> None:
    """One person."""
    page = _Person(view, person_id)
    await page.show()
    view.live(page.show)


class _Person:
    def __init__(self, view: View, person_id: str) -> None:
        self._view = view
        self._id = person_id
        self._body = ui.column().classes("whole")

    async def show(self) -> None:
        """What is known of the person."""
        found = await self._view.ask("about-person", person=self._id)
        person, labels = found["person"], (await self._view.ask("people"))["labels"]
        self._body.clear()
        with self._body:
            heading(labels.get(self._id, person["name"] or "somebody"), _also(person))
            with ui.row().classes("actions"):
                if self._view.api.may(Rights.WRITE):
                    _button("Rename", "edit", lambda: self._rename(person))
                    _button("Merge", "merge", lambda: self._merge(labels))
                    _button("Undo the last change", "undo", self._undo)
                    _button("Forget", "delete_forever", self._forget, "negative")
                ui.link("Show in graph", f"/graph?about={self._id}").classes("quiet")
            with panel(f"What is known ({len(found['memories'])})"):
                for memory in found["memories"][:_MOST]:
                    memory_row(memory)
                more(len(found["memories"]) - _MOST)
                if not found["memories"]:
                    ui.label("Nothing but the name.").classes("quiet")

    async def _do(self, name: str, /, **given: Any) -> None:
        if await self._view.attempt(lambda: self._view.ask(name, person=self._id, **given)) is not None:
            await self.show()

    async def _rename(self, person: Mapping[str, Any]) -> None:
        def fields() -> Callable[[], Awaitable[Any]]:
            name = ui.input("Name", value=person["name"] or "").props("outlined autofocus")
            return lambda: self._view.ask("rename-person", person=self._id, name=(name.value or "").strip())

        if await filled_in(self._view, "Another name", "", "Rename", fields) is not None:
            await self.show()

    async def _merge(self, labels: Mapping[str, str]) -> None:
        def fields() -> Callable[[], Awaitable[Any]]:
            others = {each: label for each, label in labels.items() if each != self._id}
            into = ui.select(others, label="The other", with_input=True).props("outlined")
            return lambda: self._view.ask("merge-people", person=self._id, into=into.value or "")

        told = "What is known of this one will be known of the other."
        if await filled_in(self._view, "Who is the same person?", told, "Merge", fields) is not None:
            await self.show()

    async def _undo(self) -> None:
        await self._do("undo-person")

    async def _forget(self) -> None:
        told = "The person and every fact about them are erased for good. This cannot be undone."
        if await confirmed(self._view, "Forget this person?", told, "Forget"):
            done = await self._view.attempt(lambda: self._view.ask("forget-person", person=self._id))
            if done is not None:
                ui.navigate.to("/people")


def _also(person: Mapping[str, Any]) -> str:
    """What the person is called beside their label."""
    return f"also {', '.join(person['aliases'])}" if person["aliases"] else ""


def _button(text: str, icon: str, work: Callable[[], Awaitable[None]], colour: str = "primary") -> None:
    ui.button(text, icon=icon, on_click=work, color=colour).props("outline dense no-caps")
