"""What the model sees: bulletin, context and journal for a message, exactly as they would be sent."""

from __future__ import annotations

import re
from typing import Any

from nicegui import ui

from recollect.inspector.frame import View
from recollect.inspector.parts import heading, panel, subheading

_CITED = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


async def build(view: View) -> None:
    """The page."""
    heading("What the model sees", "Type a message: this is what memory puts before the model, word for word.")
    page = _Sees(view)
    await page.build()
    view.live(page.show)


class _Sees:
    def __init__(self, view: View) -> None:
        self._view = view
        self._asked = 0

    async def build(self) -> None:
        known = (await self._view.ask("conversations", limit=100))["conversations"]
        conversations = [each["conversationId"] for each in known]
        with ui.row().classes("search"):
            self._message = ui.input(placeholder="A message to your agent", value=self._view.query.get("message", ""))
            self._message.props('outlined dense debounce=300 autofocus aria-label="Message"').classes("query")
            self._message.on_value_change(self.show)
            self._tokens = ui.number("Context tokens", value=2000, min=0, max=100_000, precision=0, on_change=self.show)
            self._tokens.props("outlined dense debounce=300").classes("tokens")
            self._conversation = ui.select(conversations, label="Conversation", clearable=True, on_change=self.show)
            self._conversation.props("outlined dense").classes("types").set_visibility(bool(conversations))
        self._shown = ui.element("div").classes("sees").props('aria-live="polite"')
        await self.show()

    async def show(self) -> None:
        """What would be sent for what stands in the field."""
        self._asked += 1
        mine = self._asked
        message = self._message.value or ""
        bulletin = await self._view.attempt(lambda: self._view.ask("bulletin", message=message))
        context = await self._view.attempt(
            lambda: self._view.ask("context", message=message, max_tokens=int(self._tokens.value or 0))
        )
        journal = None
        if self._conversation.value:
            journal = await self._view.attempt(
                lambda: self._view.ask("journal", message=message, conversation_id=self._conversation.value)
            )
        if bulletin is None or context is None or mine != self._asked:
            return
        self._shown.clear()
        with self._shown:
            _show("Bulletin", bulletin["text"], bulletin["tokenCount"], bulletin["mode"])
            _show("Context", context["text"], context["textTokenCount"], context["mode"])
            if journal is not None:
                _show("Journal", journal["journal"], journal["tokenCount"], journal["view"])
            else:
                talked = bool(self._conversation.options)
                told = (
                    "Choose a conversation." if talked else "There are no turns yet: talk with recollect chat --turns."
                )
                with panel("Journal"):
                    ui.label(told).classes("quiet")


def _show(title: str, text: str, tokens: int, mode: Any) -> None:
    with panel(classes="sent"):
        with ui.row().classes("facts"):
            subheading(title)
            ui.label(f"{tokens} tokens · {len(text)} characters · {mode}").classes("quiet")
        with ui.element("div").classes("verbatim").props("dir=auto"):
            at = 0
            for cited in _CITED.finditer(text):
                ui.label(text[at : cited.start()]).classes("inline")
                ui.link(cited[0], f"/memory/{cited[0]}")
                at = cited.end()
            ui.label(text[at:] or ("" if at else "(nothing)")).classes("inline")
