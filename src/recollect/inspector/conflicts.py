"""Conflicts: pairs of memories that contradict each other and both count, with the ways to settle them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any

from nicegui import ui

from recollect.inspector.frame import View
from recollect.inspector.parts import empty_state, heading, memory_row, undoable
from recollect.model.token import Rights

_MOST = 100


async def build(view: View) -> None:
    """The page."""
    heading("Conflicts", "Memories that contradict each other. Keep one: the other is superseded, not deleted.")
    notes = ui.column().classes("notes")
    shown = ui.column().classes("results")

    async def show() -> None:
        found = (await view.ask("conflicts", limit=_MOST))["conflicts"]
        shown.clear()
        with shown:
            if not found:
                empty_state("handshake", "Nothing contradicts anything.", "What does will be listed here.")
            for each in found:
                _show_pair(view, each, settle)
            if len(found) == _MOST:
                ui.label(f"The newest {_MOST}.").classes("quiet")

    async def settle(kept: str, other: str) -> None:
        done = await view.attempt(
            lambda: view.ask("supersede", memory_id=other, by=kept, reason="settled in the inspector")
        )
        if done is not None:
            await show()
            notes.clear()
            with notes:
                undoable("The other one is superseded.", lambda: back(other))

    async def back(memory_id: str) -> None:
        await view.attempt(lambda: view.ask("reinstate", memory_id=memory_id, reason="undone in the inspector"))
        await show()

    await show()
    view.live(show)


def _show_pair(view: View, pair: Mapping[str, Any], settle: Callable[[str, str], Awaitable[None]]) -> None:
    with ui.element("article").classes("pair"):
        for kept, other in ((pair["one"], pair["other"]), (pair["other"], pair["one"])):
            with ui.element("div"):
                memory_row(kept)
                if view.api.may(Rights.WRITE):
                    keep = partial(settle, kept["memoryId"], other["memoryId"])
                    ui.button("Keep this one", icon="check", on_click=keep).props("outline dense no-caps")
