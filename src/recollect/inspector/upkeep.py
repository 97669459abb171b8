"""Upkeep: what would be put away, what is wrong, and the buttons that see to it."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from recollect.errors import NotFound
from recollect.inspector.frame import View
from recollect.inspector.parts import badge, confirmed, empty_state, heading, memory_row, more, panel
from recollect.model.token import Rights

_SHOWN = 20
_REASONS = {"expired": "whose time is over", "superseded": "that were replaced", "evicted": "beyond the cap"}


async def build(view: View) -> None:
    """The page."""
    heading("Upkeep", "What no longer counts and would be put away, and what is wrong in the store.")
    if not view.api.may(Rights.ADMIN):
        empty_state("lock", "Upkeep is for administrators.", "Sign in with a token that has the right to admin.")
        return
    page = _Upkeep(view)
    await page.show()
    view.live(page.show)


class _Upkeep:
    def __init__(self, view: View) -> None:
        self._view = view
        self._collected = ui.column().classes("results")
        self._examine = ui.button("Look for what is wrong", icon="health_and_safety", on_click=self._look)
        self._examine.props("outline dense no-caps")
        self._diagnosed = ui.column().classes("results")

    async def show(self) -> None:
        """What would be put away now."""
        planned = await self._view.ask("gc", dry_run=True)
        known = {reason: await self._shown(planned[reason][:_SHOWN]) for reason in _REASONS}
        self._collected.clear()
        with self._collected, panel("Would be put away"):
            if not planned["count"]:
                ui.label("Nothing: all that is there counts.").classes("quiet")
                return
            for reason, told in _REASONS.items():
                if planned[reason]:
                    badge(f"{len(planned[reason])} {told}", "#b45309")
                    for memory in known[reason]:
                        memory_row(memory)
                    more(len(planned[reason]) - len(known[reason]), "that are not shown here")
            with ui.row().classes("actions"):
                ui.button("Put them away", icon="inventory_2", on_click=self._collect).props("outline dense no-caps")

    async def _shown(self, memory_ids: list[str]) -> list[dict[str, Any]]:
        """Those that whoever looks may see: upkeep goes over everybody's."""
        found = []
        for memory_id in memory_ids:
            try:
                found.append((await self._view.ask("show", memory_id=memory_id))["memory"])
            except NotFound:
                continue
        return found

    async def _collect(self) -> None:
        told = "They are archived, not deleted: each can be let count again."
        if await confirmed(self._view, "Put away what no longer counts?", told, "Put away"):
            done = await self._view.attempt(lambda: self._view.ask("gc"))
            if done is not None:
                ui.notify(f"{done['count']} put away", type="positive", position="top")
                await self.show()

    async def _look(self) -> None:
        self._examine.props("loading")
        found = await self._view.attempt(lambda: self._view.ask("doctor"))
        self._examine.props(remove="loading")
        if found is not None:
            self._diagnosed.clear()
            with self._diagnosed:
                _show_findings(found)


def _show_findings(found: dict[str, Any]) -> None:
    with panel(f"{found['checked']} memories were looked at"):
        if not found["findings"]:
            ui.label("Nothing is wrong.").classes("quiet")
        for each in found["findings"][:_SHOWN]:
            with ui.row().classes("facts"):
                badge(each["kind"].replace("_", " "), "#b91c1c")
                ui.label(each["message"])
                if each["remedy"]:
                    ui.label(each["remedy"]).classes("quiet")
        if found["findings"]:
            ui.label("recollect doctor --fix repairs what can be repaired.").classes("quiet")
