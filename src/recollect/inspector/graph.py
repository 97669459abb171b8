"""The graph: memories and people, how they are related, and what contradicts what."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nicegui import ui

from recollect.inspector.frame import View
from recollect.inspector.parts import COLOURS, counted, empty_state, heading, memory_row, shortened
from recollect.inspector.sample import sample_button

EDGES: Mapping[str, str] = {
    "RelatedTo": "#94a3b8",
    "Updates": "#2563eb",
    "Contradicts": "#dc2626",
    "CausedBy": "#b45309",
    "PartOf": "#7c3aed",
}
_PERSON = "#f59e0b"
_SIZES = [100, 300, 1000, 2000]
_MANY = 400
_NAMED = 60


async def build(view: View) -> None:
    """The page."""
    heading("Graph", "Memories and people. Click one to see it, again to look around it; red lines contradict.")
    page = _Graph(view)
    await page.build()


class _Graph:
    def __init__(self, view: View) -> None:
        self._view = view
        self._around = view.query.get("around")
        self._about = view.query.get("about")
        self._shown: dict[str, Any] = {}
        self._chosen: str | None = None

    async def build(self) -> None:
        with ui.row().classes("options"):
            self._limit = ui.select(_SIZES, value=300, label="At most", on_change=self.show)
            self._limit.props("outlined dense").classes("limit")
            self._whole = ui.button("Everything", icon="zoom_out_map", on_click=self._everything)
            self._whole.props("outline dense no-caps")
            self._told = ui.label().classes("quiet")
        with ui.element("div").classes("graph"):
            self._place = ui.element("div").classes("canvas")
            self._side = ui.column().classes("panel side").props('aria-live="polite"')
        await self.show()

    async def _everything(self) -> None:
        self._around = self._about = self._chosen = None
        await self.show()

    async def show(self) -> None:
        """The graph as it is, around what was chosen."""
        found = await self._view.attempt(
            lambda: self._view.ask("graph", around=self._around, about=self._about, limit=self._limit.value)
        )
        if found is None:
            return
        self._shown = found
        self._whole.set_visibility(bool(self._around or self._about))
        conflicts = sum(edge["edgeType"] == "Contradicts" for edge in found["edges"])
        more = ", and more" if found["truncated"] else ""
        told = [
            counted(len(found["memories"]), "memory", "memories") + more,
            counted(len(found["people"]), "person", "people"),
            counted(len(found["edges"]), "edge", "edges"),
        ]
        told += [counted(conflicts, "contradiction", "contradictions")] if conflicts else []
        self._told.set_text(", ".join(told))
        self._place.clear()
        with self._place:
            if found["memories"]:
                ui.echart(_options(found), on_point_click=self._clicked).classes("chart").props(
                    'role="img" aria-label="The graph of memories and people"'
                )
            else:
                empty_state("hub", "There is nothing to draw yet.", "Remember something, or begin with a sample.")
                sample_button(self._view)
        self._side.clear()
        with self._side:
            ui.label("Click a node.").classes("quiet")
            _legend()

    async def _clicked(self, event: Any) -> None:
        if event.data_type != "node":
            return
        node = str(event.data["id"])
        if node == self._chosen:
            is_person = node in self._shown["labels"]
            self._around, self._about = (None, node) if is_person else (node, None)
            self._chosen = None
            await self.show()
            return
        self._chosen = node
        self._side.clear()
        with self._side:
            self._describe(node)

    def _describe(self, node: str) -> None:
        labels: Mapping[str, str] = self._shown["labels"]
        if node in labels:
            ui.label(labels[node]).classes("subtitle")
            ui.link("Open", f"/people/{node}")
            known = [each for each in self._shown["memories"] if node in self._shown["about"].get(each["memoryId"], [])]
        else:
            known = [each for each in self._shown["memories"] if each["memoryId"] == node]
        for memory in known[:20]:
            about = [labels[each] for each in self._shown["about"].get(memory["memoryId"], []) if each in labels]
            memory_row(memory, about=about)
        ui.label("Click it again to look around it.").classes("quiet")


def _legend() -> None:
    for name, colour in (*COLOURS.items(), ("Person", _PERSON)):
        with ui.row().classes("legend"):
            ui.element("span").classes("dot").style(f"background: {colour}")
            ui.label(name)
    for name, colour in EDGES.items():
        with ui.row().classes("legend"):
            ui.element("span").classes("line").style(f"background: {colour}")
            ui.label(name)


def _options(found: Mapping[str, Any]) -> dict[str, Any]:
    """What ECharts draws. Texts are drawn on a canvas, so nothing in them can be anything but text."""
    named = len(found["memories"]) <= _NAMED
    nodes = [
        {
            "id": each["memoryId"],
            "name": shortened(each["content"], 40),
            "value": each["importance"],
            "symbolSize": 8 + each["importance"] / 8,
            "label": {"show": named},
            "itemStyle": {
                "color": COLOURS.get(each["type"], "#64748b"),
                "opacity": 1 if each["status"] == "active" else 0.35,
            },
        }
        for each in found["memories"]
    ]
    nodes += [
        {
            "id": person_id,
            "name": label,
            "symbol": "diamond",
            "value": len(label),
            "symbolSize": 26,
            "itemStyle": {"color": _PERSON},
            "label": {"show": True},
        }
        for person_id, label in found["labels"].items()
    ]
    links = [
        {
            "source": each["fromMemoryId"],
            "target": each["toMemoryId"],
            "lineStyle": {
                "color": EDGES.get(each["edgeType"], "#94a3b8"),
                "width": 3 if each["edgeType"] == "Contradicts" else 1.5,
                "type": "dashed" if each["edgeType"] == "Contradicts" else "solid",
            },
        }
        for each in found["edges"]
    ]
    links += [
        {"source": memory_id, "target": person_id, "symbol": ["none", "none"], "lineStyle": {"opacity": 0.4}}
        for memory_id, people in found["about"].items()
        for person_id in people
    ]
    few = len(nodes) <= _MANY
    return {
        "tooltip": {"renderMode": "richText", "formatter": "{b}"},
        "animation": few,
        "series": [
            {
                "type": "graph",
                "layout": "force",
                "roam": True,
                "draggable": few,
                "data": nodes,
                "links": links,
                "edgeSymbol": ["none", "arrow"],
                "edgeSymbolSize": 6,
                "label": {"position": "right", "color": "#64748b", "fontSize": 11},
                "labelLayout": {"hideOverlap": True},
                "emphasis": {"focus": "adjacency", "label": {"show": True}},
                "force": {
                    "repulsion": 120 if few else 30,
                    "edgeLength": 70 if few else 25,
                    "gravity": 0.08,
                    "layoutAnimation": True,
                    "friction": 0.3 if few else 0.15,
                },
            }
        ],
    }
