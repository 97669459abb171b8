"""The timeline: what was learned when, memory as of any day, and what changed between two."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime, timedelta
from functools import partial
from typing import Any

from nicegui import ui

from recollect.inspector.frame import View
from recollect.inspector.parts import COLOURS, counted, empty_state, heading, memory_row, more, panel
from recollect.inspector.sample import sample_button

_AT_ONCE = 50
_DIFFERENCES = {
    "Learned": "memory.created",
    "Changed": "memory.edited",
    "No longer the same status": "memory.status_changed",
}
_GREY, _FAINT = "#7c8797", "rgba(124, 135, 151, 0.25)"  # to be read on light and on dark
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
        self._lists = self._compares = 0  # how often each was asked for: an answer that comes late is not shown

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
                self._day.props('aria-label="Day" debounce=150')
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
            "legend": {"type": "scroll", "top": 0, "textStyle": {"color": _GREY}},
            "grid": {"left": 48, "right": 16, "top": 40, "bottom": 28},
            "xAxis": {"type": "category", "data": days, "axisLabel": {"color": _GREY}},
            "yAxis": {
                "type": "value",
                "minInterval": 1,
                "axisLabel": {"color": _GREY},
                "splitLine": {"lineStyle": {"color": _FAINT}},
            },
            "series": [
                {
                    "name": name.replace("_", " "),
                    "type": "bar",
                    "stack": "all",
                    "barMaxWidth": 40,
                    "itemStyle": {"color": colours.get(name, "#64748b")},
                    "data": [daily.get(day, 0) for day in days],
                }
                for name, daily in sorted(counts.items())
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
        self._lists += 1
        mine = self._lists
        known_at = None if day >= self._today else f"{day.isoformat()}T23:59:59Z"
        found = await self._view.attempt(lambda: self._view.ask("list", limit=_AT_ONCE, known_at=known_at))
        if found is None or mine != self._lists:
            return
        self._listed.clear()
        with self._listed:
            memories = found["memories"]
            newest = "The newest " if len(memories) == _AT_ONCE else ""
            told = f"{newest}{counted(len(memories), 'memory', 'memories')} that counted on {day.isoformat()}"
            ui.label(told).classes("quiet")
            for memory in memories:
                memory_row(memory)

    async def _compare(self) -> None:
        start, end = _day(self._from.value), _day(self._to.value)
        if start is None or end is None:
            return
        self._compares += 1
        mine = self._compares
        start, end = sorted((start, end))
        since, until = f"{start.isoformat()}T00:00:00Z", f"{(end + timedelta(days=1)).isoformat()}T00:00:00Z"
        learned = sum(each["count"] for each in self._learned if start.isoformat() <= each["day"] <= end.isoformat())
        found = {}
        for title, kind in _DIFFERENCES.items():
            ask = partial(self._view.ask, "changes", since=since, until=until, kinds=[kind], limit=_AT_ONCE)
            answer = await self._view.attempt(ask)
            if answer is None or mine != self._compares:
                return
            found[title] = answer["changes"]
        self._compared.clear()
        with self._compared:
            if not any(found.values()):
                ui.label("Nothing.").classes("quiet")
            for title, changes in found.items():
                _show_changes(title, changes, learned if title == "Learned" else None)


def _show_changes(title: str, changes: Iterable[Mapping[str, Any]], count: int | None) -> None:
    """What happened in one way, each memory once and with what became of it then."""
    last = {each["memory"]["memoryId"]: each for each in reversed(list(changes))}
    if not last:
        return
    shown = list(last.values())[::-1]
    cut = " (the newest)" if len(shown) == _AT_ONCE else ""
    ui.label(f"{title}: {len(shown) if count is None else count:,}{cut}").classes("quiet")
    for each in shown:
        detail = each["event"]["detail"]
        became = f"{detail['from']} → {detail['to']}" if "from" in detail and "to" in detail else ""
        memory_row(each["memory"], note=became)
    if count is not None:
        more(count - len(shown))


def _day(text: Any) -> date | None:
    try:
        return date.fromisoformat(str(text))
    except ValueError:
        return None
