"""The timeline: what was learned when, memory as of any day, and what changed between two."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any

from nicegui import ui

from recollect.inspector.frame import View
from recollect.inspector.parts import COLOURS, empty_state, heading, memory_row, panel
from recollect.inspector.sample import sample_button

_AT_ONCE = 50
_MOST_CHANGES = 1_000
_SOURCES = ("#0f766e", "#2563eb", "#b45309", "#7c3aed", "#64748b")


async def build(view: View) -> None:
    """The page."""
    heading("Timeline", "What was learned when. Move the day to see memory as it was then.")
    page = _Timeline(view)
    await page.build()
    view.live(page.refresh)


class _Timeline:
    def __init__(self, view: View) -> None:
        self._view = view
        self._learned: list[dict[str, Any]] = []

    async def build(self) -> None:
        self._learned = (await self._view.ask("learned"))["learned"]
        if not self._learned:
            empty_state("timeline", "Nothing was learned yet.", "Remember something, or begin with a sample.")
            sample_button(self._view)
            self._view.live(ui.navigate.reload)
            return
        self._first, self._today = date.fromisoformat(self._learned[0]["day"]), datetime.now(UTC).date()
        self._first = min(self._first, self._today - timedelta(days=1))
        with panel():
            self._by = ui.toggle({"type": "By type", "sourceType": "By source"}, value="type", on_change=self._draw)
            self._by.props("no-caps unelevated padding='4px 12px'").classes("choice")
            self._chart = (
                ui.echart(self._options())
                .classes("bars")
                .props('role="img" aria-label="How much was learned on each day"')
            )
        with panel("As it was"):
            days = (self._today - self._first).days
            with ui.row().classes("options scrub"):
                self._day = ui.slider(min=0, max=days, value=days, on_change=self._scrubbed)
                self._day.props('label :label-value="" aria-label="Day" debounce=150')
                self._date = ui.input(value=self._today.isoformat(), on_change=self._dated)
                self._date.props('type=date outlined dense aria-label="Day"')
            self._listed = ui.column().classes("results")
        with panel("What changed between two days"):
            with ui.row().classes("options"):
                before = max(self._first, self._today - timedelta(days=7)).isoformat()
                self._from = ui.input("From", value=before, on_change=self._compare).props("type=date outlined dense")
                self._to = ui.input("To", value=self._today.isoformat(), on_change=self._compare)
                self._to.props("type=date outlined dense")
            self._compared = ui.column().classes("results")
        await self._list()
        await self._compare()

    async def refresh(self) -> None:
        """Everything again, since memory has changed."""
        if self._learned:
            self._learned = (await self._view.ask("learned"))["learned"]
            self._draw()
            await self._list()
            await self._compare()

    def _draw(self) -> None:
        self._chart.options.clear()
        self._chart.options.update(self._options())
        self._chart.update()

    def _options(self) -> dict[str, Any]:
        by = "type" if not hasattr(self, "_by") else self._by.value
        counts: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
        for each in self._learned:
            counts[each[by]][each["day"]] += each["count"]
        days = [(self._first + timedelta(days=n)).isoformat() for n in range((self._today - self._first).days + 1)]
        colours = COLOURS if by == "type" else dict(zip(sorted(counts), _SOURCES, strict=False))
        return {
            "tooltip": {"trigger": "axis", "renderMode": "richText"},
            "legend": {"type": "scroll", "top": 0, "textStyle": {"color": "#64748b"}},
            "grid": {"left": 40, "right": 16, "top": 40, "bottom": 28},
            "xAxis": {"type": "category", "data": days},
            "yAxis": {"type": "value", "minInterval": 1},
            "series": [
                {
                    "name": name.replace("_", " "),
                    "type": "bar",
                    "stack": "all",
                    "barMaxWidth": 40,
                    "itemStyle": {"color": colours.get(name, "#64748b")},
                    "data": [counted.get(day, 0) for day in days],
                }
                for name, counted in sorted(counts.items())
            ],
        }

    async def _scrubbed(self) -> None:
        self._date.set_value((self._first + timedelta(days=int(self._day.value or 0))).isoformat())

    async def _dated(self) -> None:
        day = _day(self._date.value)
        if day is not None:
            self._day.set_value(max(0, min((day - self._first).days, (self._today - self._first).days)))
        await self._list()

    async def _list(self) -> None:
        day = _day(self._date.value)
        if day is None:
            return
        known_at = None if day >= self._today else f"{day.isoformat()}T23:59:59Z"
        found = await self._view.attempt(lambda: self._view.ask("list", limit=_AT_ONCE, known_at=known_at))
        if found is None:
            return
        self._listed.clear()
        with self._listed:
            memories = found["memories"]
            some = f"The newest {_AT_ONCE}" if len(memories) == _AT_ONCE else str(len(memories))
            ui.label(f"{some} memories that counted on {day.isoformat()}").classes("quiet")
            for memory in memories:
                memory_row(memory)

    async def _compare(self) -> None:
        start, end = _day(self._from.value), _day(self._to.value)
        if start is None or end is None:
            return
        since, until = f"{start.isoformat()}T00:00:00Z", f"{(end + timedelta(days=1)).isoformat()}T00:00:00Z"
        found = await self._view.attempt(
            lambda: self._view.ask("changes", since=since, until=until, limit=_MOST_CHANGES)
        )
        if found is None:
            return
        self._compared.clear()
        with self._compared:
            _show_difference(found["changes"])


def _show_difference(changes: Iterable[Mapping[str, Any]]) -> None:
    learned, changed, ended = {}, {}, {}
    for each in changes:
        memory, kind = each["memory"], each["event"]["kind"]
        if kind == "memory.created":
            learned[memory["memoryId"]] = memory
        elif kind == "memory.edited":
            changed[memory["memoryId"]] = memory
        elif kind == "memory.status_changed":
            ended[memory["memoryId"]] = memory
    if not learned and not changed and not ended:
        ui.label("Nothing.").classes("quiet")
    for title, memories in (("Learned", learned), ("Changed", changed), ("No longer the same status", ended)):
        if memories:
            ui.label(f"{title}: {len(memories)}").classes("quiet")
            for memory in list(memories.values())[:_AT_ONCE]:
                memory_row(memory)


def _day(text: Any) -> date | None:
    try:
        return date.fromisoformat(str(text))
    except ValueError:
        return None
