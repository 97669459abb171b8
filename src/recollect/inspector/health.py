"""Health: how much there is, how long calls take, and whether anything waits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nicegui import ui

from recollect.inspector.frame import View
from recollect.inspector.parts import COLOURS, bar, heading, panel

_UNITS = ("bytes", "kB", "MB", "GB", "TB")
_STEP = 1000


async def build(view: View) -> None:
    """The page."""
    heading("Health", "Sizes, latency, and what waits to be done.")
    shown = ui.element("div").classes("columns")

    async def show() -> None:
        found = await view.ask("health")
        shown.clear()
        with shown:
            _show_counts(found)
            _show_latency(found["latencyMs"])

    await show()
    view.live(show)
    ui.timer(5.0, show, immediate=False)


def _show_counts(found: Mapping[str, Any]) -> None:
    stats = found["stats"]
    active = stats["byStatus"].get("active", 0)
    missing = max(0, stats["waitingVectors"])
    with panel("What there is"):
        with ui.element("div").classes("figures"):
            for name, value in (
                ("memories", f"{stats['memories']:,}"),
                ("that count", f"{active:,}"),
                ("edges", f"{stats['edges']:,}"),
                ("events", f"{stats['events']:,}"),
                ("vectors", f"{stats['vectors']:,}"),
                ("vectors missing", f"{missing:,}"),
                ("on disk", "on a server" if stats["sizeBytes"] is None else _size(stats["sizeBytes"])),
                ("model", (found["embeddingModel"] or "none: words alone")),
            ):
                with ui.element("div").classes("figure"):
                    ui.label(str(value)).classes("value")
                    ui.label(name).classes("quiet")
        most = max(stats["byType"].values(), default=1)
        for kind, count in sorted(stats["byType"].items()):
            if kind in COLOURS:
                bar(kind, count, f"{count:,}", most)


def _show_latency(latency: Mapping[str, Mapping[str, float]]) -> None:
    with panel("How long the last calls took"), ui.element("table").classes("table"):
        with ui.element("thead"), ui.element("tr"):
            for name in ("operation", "p50 ms", "p95 ms", "calls"):
                with ui.element("th"):
                    ui.label(name)
        with ui.element("tbody"):
            for name, each in latency.items():
                with ui.element("tr"):
                    for value in (name, f"{each['p50']:.1f}", f"{each['p95']:.1f}", f"{each['calls']:.0f}"):
                        with ui.element("td"):
                            ui.label(value)


def _size(count: float) -> str:
    for unit in _UNITS:
        if count < _STEP or unit == _UNITS[-1]:
            return f"{count:.0f} {unit}" if unit == "bytes" else f"{count:.1f} {unit}"
        count /= _STEP
    return ""
