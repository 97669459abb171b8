"""Conflicts: pairs of memories that contradict each other and both count, with the ways to settle them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nicegui import ui

from recollect.inspector.frame import View
from recollect.inspector.parts import empty_state, heading, memory_row
from recollect.model.token import Rights

_MOST = 100


async def build(view: View) -> None:
    """The page."""
    heading("Conflicts", "Memories that contradict each other. Keep one: the other is superseded, not deleted.")
    shown = ui.column().classes("results")

    async def show() -> None:
        found = (await view.ask("conflicts", limit=_MOST))["conflicts"]
        shown.clear()
        with shown:
            if not found:
                empty_state("handshake", "Nothing contradicts anything.", "What does will be listed here.")
            for each in found:
                _show_pair(view, each)

    await show()
    view.live(show)


def _show_pair(view: View, pair: Mapping[str, Any]) -> None:
    with ui.element("article").classes("pair"):
        for kept, other in ((pair["one"], pair["other"]), (pair["other"], pair["one"])):
            with ui.element("div"):
                memory_row(kept)
                if view.api.may(Rights.WRITE):
                    _keep_button(view, kept["memoryId"], other["memoryId"])


def _keep_button(view: View, kept: str, other: str) -> None:
    async def keep() -> None:
        done = await view.attempt(
            lambda: view.ask("supersede", memory_id=other, by=kept, reason="settled in the inspector")
        )
        if done is not None:
            await view.look()

    ui.button("Keep this one", icon="check", on_click=keep).props("outline dense no-caps")
