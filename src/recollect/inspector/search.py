"""Search as you type, with the reasons for every score and what was left out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from nicegui import ui

from recollect.inspector.frame import View
from recollect.inspector.parts import (
    TYPES,
    bar,
    counted,
    empty_state,
    factor_bar,
    facts,
    heading,
    memory_row,
    shortened,
)
from recollect.inspector.sample import sample_button

_NEWEST = 30
_ARMS = {
    "text": "words",
    "window": "words around",
    "answer": "answers it",
    "conversation": "conversation",
    "vector": "meaning",
    "nearby": "meaning around",
    "person": "who said it",
    "about": "who it is about",
    "time": "time",
    "dated": "tells a time",
    "statement": "statement",
}
_LEFT_OUT = {
    "belowFloor": "not about the question",
    "belowTopN": "further down",
    "duplicates": "say the same",
    "sourceDenied": "source no longer allowed",
    "damaged": "damaged in the store",
}


async def build(view: View) -> None:
    """The page."""
    page = _Search(view)
    heading("What does your agent know?")
    await page.build()
    view.live(page.show)


class _Search:
    def __init__(self, view: View) -> None:
        self._view = view
        self._asked = 0
        self._shown: tuple[str, Any] | None = None

    async def build(self) -> None:
        with ui.row().classes("search"):
            self._query = ui.input(placeholder="Ask anything", value=self._view.query.get("q", ""))
            self._query.props('type=search outlined dense debounce=200 autofocus aria-label="Search" clearable')
            self._query.classes("query").on_value_change(self.show)
            self._types = ui.select([*TYPES], label="Types", multiple=True, clearable=True, on_change=self.show)
            self._types.props("outlined dense options-dense use-chips").classes("types")
        with ui.row().classes("options"):
            self._messages = ui.switch("Messages", on_change=self.show)
            self._floor = ui.switch("Relevant only", value=True, on_change=self.show)
            self._known_at = ui.input("As of", on_change=self.show).props("type=date outlined dense clearable")
        self._results = ui.column().classes("results").props('aria-live="polite"')
        await self.show()

    async def show(self) -> None:
        """The results for what stands in the fields; an answer that comes late is not shown."""
        self._asked += 1
        mine = self._asked
        query = (self._query.value or "").strip()
        options = {
            "types": self._types.value or None,
            "known_at": f"{self._known_at.value}T23:59:59Z" if self._known_at.value else None,
        }
        if query:
            found = await self._view.attempt(
                lambda: self._view.ask(
                    "recall",
                    query=query,
                    limit=20,
                    include_messages=bool(self._messages.value),
                    floor=bool(self._floor.value),
                    **options,
                )
            )
        else:
            found = await self._view.attempt(lambda: self._view.ask("list", limit=_NEWEST, **options))
        if found is None or mine != self._asked or self._shown == (query, found):
            return  # what is there already stays as it is, with whatever somebody has opened in it
        self._shown = (query, found)
        address = f"/?q={quote(query, safe='')}" if query else "/"
        ui.run_javascript(f"history.replaceState(history.state, '', {json.dumps(address)})")
        self._results.clear()
        with self._results:
            if query:
                _show_hits(found)
            else:
                await self._show_newest(found["memories"])

    async def _show_newest(self, memories: list[dict[str, Any]]) -> None:
        if memories:
            ui.label("The newest memories").classes("quiet")
            for memory in memories:
                memory_row(memory)
        elif self._types.value or self._known_at.value:
            empty_state("filter_alt_off", "Nothing fits these filters.", "Take one of them away.")
        else:
            empty_state(
                "psychology",
                "There is nothing here yet.",
                'Tell it something: recollect remember "I like tea" — or begin with a sample.',
            )
            sample_button(self._view)


def _show_hits(found: Mapping[str, Any]) -> None:
    count = len(found["hits"])
    ui.label(f"{counted(count, 'result', 'results')} · {found['mode']}").classes("quiet")
    if found["note"]:
        ui.label(found["note"]).classes("warning")
    if not count:
        empty_state(
            "search_off",
            "Nothing is about this.",
            "Recall rather says nothing than something else. Switch “Relevant only” off to see the nearest.",
        )
    for hit in found["hits"]:
        _show_hit(hit)
    left = [f"{number} {_LEFT_OUT.get(why, why)}" for why, number in found["omitted"].items() if number]
    if left:
        ui.label("Left out: " + ", ".join(left)).classes("quiet omitted")


def _show_hit(hit: Mapping[str, Any]) -> None:
    with ui.element("article").classes("hit"):
        message = hit.get("message")
        if message is not None:
            place = f"/sessions/{message['sessionId']}?message={message['messageId']}"
            with ui.link(target=place).classes("memory"):
                ui.label(shortened(message["content"])).classes("content").props("dir=auto")
                ui.label(f"{message['role']} said, {message['createdAt'][:10]}").classes("quiet")
        else:
            with ui.link(target=f"/memory/{hit['memory']['memoryId']}").classes("memory"):
                ui.label(shortened(hit["memory"]["content"])).classes("content").props("dir=auto")
                facts(hit["memory"], about=hit["about"])
        with ui.expansion(f"Score {hit['score']:.2f}: why").classes("why").props("dense") as opened:
            # Drawn when somebody wants to know: most scores are never asked about.
            opened.on_value_change(lambda event: _explain(opened, hit["why"]) if event.value else None)


def _explain(place: ui.expansion, why: Mapping[str, Any]) -> None:
    if not place.default_slot.children:
        with place:
            _show_why(why)


def _show_why(why: Mapping[str, Any]) -> None:
    """How much every arm said, and how the modifiers bent it."""
    with ui.element("div").classes("reasons"):
        with ui.element("div"):
            ui.label("Rank · evidence · weight, by arm").classes("quiet")
            for name, arm in why["arms"].items():
                told = f"#{arm['rank']} · {arm['evidence']:.2f} · {arm['weight']:g}"
                bar(_ARMS.get(name, name), arm["evidence"], told)
        with ui.element("div"):
            ui.label("Modifiers").classes("quiet")
            for name, factor in why["modifiers"].items():
                factor_bar(name, factor)
            bar("relevance", why["relevance"], f"{why['relevance']:.2f}", max(1.0, why["relevance"]))
