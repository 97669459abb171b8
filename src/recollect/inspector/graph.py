"""The graph: memories and people, how they are related, and what contradicts what."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from nicegui import ui

from recollect.inspector.frame import View
from recollect.inspector.parts import COLOURS, counted, empty_state, heading, memory_row, more, shortened
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
_STEP = 60
_LISTED = 20
# Moves and scales the drawing so that all of it is seen, when its parts have found their places.
_FIT = """
for (const wait of [400, 1200, 2500, 5000]) setTimeout(() => {
  const chart = getElement(CHART)?.chart
  const series = chart?.getModel()?.getSeriesByIndex(0)
  if (!series || (wait > 400 && chart.recollectMoved)) return
  chart.off('graphroam'); chart.on('graphroam', () => { chart.recollectMoved = true })
  const data = series.getData(), xs = [], ys = []
  for (let at = 0; at < data.count(); at++) {
    const place = data.getItemLayout(at)
    if (place && isFinite(place[0])) { xs.push(place[0]); ys.push(place[1]) }
  }
  if (!xs.length) return
  const view = series.coordinateSystem.getBoundingRect()
  const left = Math.min(...xs), right = Math.max(...xs), top = Math.min(...ys), bottom = Math.max(...ys)
  const zoom = 0.86 * Math.min(view.width / Math.max(right - left, 1), view.height / Math.max(bottom - top, 1), 4)
  chart.setOption({series: [{center: [(left + right) / 2, (top + bottom) / 2], zoom: zoom}]})
}, wait)
"""


async def build(view: View) -> None:
    """The page."""
    heading("Graph", "Memories and people. Choose one to see it and to look around it; red dashed lines contradict.")
    page = _Graph(view)
    await page.build()
    view.live(page.refresh)


class _Graph:
    def __init__(self, view: View) -> None:
        self._view = view
        self._around = view.query.get("around")
        self._about = view.query.get("about")
        self._shown: dict[str, Any] = {}
        self._chosen: str | None = None
        self._chart: ui.echart | None = None

    async def build(self) -> None:
        with ui.row().classes("options"):
            self._limit = ui.select(_SIZES, value=300, label="At most", on_change=self.show)
            self._limit.props("outlined dense").classes("limit")
            # For those who do not point at things, or do not see where they lie.
            self._find = ui.select({}, label="Find", with_input=True, clearable=True, on_change=self._found)
            self._find.props("outlined dense options-dense").classes("find")
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

    async def _ask(self, around: str | None, about: str | None, limit: int) -> Any:
        return await self._view.attempt(
            lambda: self._view.ask("graph", around=around, about=about, limit=limit),
        )

    def _wanted(self) -> tuple[str | None, str | None, int]:
        """What stands in the fields: an answer to anything else comes too late."""
        return self._around, self._about, self._limit.value

    async def show(self) -> None:
        """The graph as it is, around what was chosen."""
        wanted = self._wanted()
        found = await self._ask(*wanted)
        if found is not None and wanted == self._wanted():
            self._chosen = None
            self._draw(found)
            self._explain()

    async def refresh(self) -> None:
        """The same again, since memory has changed; what was drawn stays where it is."""
        wanted = self._wanted()
        found = await self._ask(*wanted)
        if found is not None and wanted == self._wanted() and found != self._shown:
            self._draw(found)

    def _draw(self, found: dict[str, Any]) -> None:
        self._shown = found
        self._whole.set_visibility(bool(self._around or self._about))
        self._told.set_text(_told(found))
        names = {each["memoryId"]: shortened(each["content"], 60) for each in found["memories"]}
        self._find.set_options({**found["labels"], **names})
        if found["memories"] and self._chart is not None:
            self._chart.options.clear()
            self._chart.options.update(_options(found))
            self._chart.update()
        else:
            self._place.clear()
            with self._place:
                self._chart = _chart(found, self._clicked) if found["memories"] else None
                if self._chart is None:
                    empty_state("hub", "There is nothing to draw yet.", "Remember something, or begin with a sample.")
                    sample_button(self._view)
        if self._chart is not None:
            ui.run_javascript(_FIT.replace("CHART", str(self._chart.id)))

    def _explain(self) -> None:
        self._side.clear()
        with self._side:
            ui.label("Click a node, or find one by its words.").classes("quiet")
            _legend()

    async def _clicked(self, event: Any) -> None:
        if event.data_type != "node":
            return
        node = str(event.data["id"])
        if node == self._chosen:
            await self._expand(node)
        else:
            self._choose(node)

    def _found(self) -> None:
        if self._find.value:
            self._choose(str(self._find.value))

    def _choose(self, node: str) -> None:
        self._chosen = node
        self._side.clear()
        with self._side:
            self._describe(node)
        if self._chart is not None:
            self._chart.run_chart_method("dispatchAction", {"type": "highlight", "name": _name(self._shown, node)})

    async def _expand(self, node: str) -> None:
        """Adds what is around a node to what is drawn."""
        is_person = node in self._shown["labels"]
        found = await self._ask(None if is_person else node, node if is_person else None, _STEP)
        if found is not None:
            self._draw(_joined(self._shown, found))

    async def _focus(self, node: str) -> None:
        """Draws only what is around a node."""
        self._around, self._about = (None, node) if node in self._shown["labels"] else (node, None)
        await self.show()

    def _describe(self, node: str) -> None:
        labels: Mapping[str, str] = self._shown["labels"]
        if node in labels:
            ui.label(labels[node]).classes("subtitle")
            ui.link("Open", f"/people/{node}")
            known = [each for each in self._shown["memories"] if node in self._shown["about"].get(each["memoryId"], [])]
        else:
            known = [each for each in self._shown["memories"] if each["memoryId"] == node]
        with ui.row().classes("actions"):
            ui.button("Expand", icon="hub", on_click=lambda: self._expand(node)).props("outline dense no-caps")
            focus = ui.button("Only this", icon="center_focus_strong", on_click=lambda: self._focus(node))
            focus.props("outline dense no-caps")
        for memory in known[:_LISTED]:
            about = [labels[each] for each in self._shown["about"].get(memory["memoryId"], []) if each in labels]
            memory_row(memory, about=about)
        more(len(known) - _LISTED)


def _chart(found: Mapping[str, Any], clicked: Callable[[Any], Awaitable[None]]) -> ui.echart:
    made = ui.echart(_options(found), on_point_click=clicked).classes("chart")
    return made.props('role="img" aria-label="The graph of memories and people"')


def _told(found: Mapping[str, Any]) -> str:
    conflicts = sum(edge["edgeType"] == "Contradicts" for edge in found["edges"])
    told = [
        counted(len(found["memories"]), "memory", "memories") + (", and more" if found["truncated"] else ""),
        counted(len(found["people"]), "person", "people"),
        counted(len(found["edges"]), "edge", "edges"),
    ]
    return ", ".join(told + ([counted(conflicts, "contradiction", "contradictions")] if conflicts else []))


def _name(found: Mapping[str, Any], node: str) -> str:
    """What a node is called in the drawing."""
    if node in found["labels"]:
        return str(found["labels"][node])
    return next((shortened(each["content"], 40) for each in found["memories"] if each["memoryId"] == node), "")


def _joined(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """Two graphs as one, each of their parts once."""

    def once(name: str, key: str) -> list[Any]:
        return list({each[key]: each for each in (*one[name], *other[name])}.values())

    return {
        "memories": once("memories", "memoryId"),
        "edges": once("edges", "edgeId"),
        "people": once("people", "personId"),
        "about": {**one["about"], **other["about"]},
        "labels": {**one["labels"], **other["labels"]},
        "truncated": one["truncated"] or other["truncated"],
    }


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
    nodes, links = _nodes(found), _links(found)
    few = len(nodes) <= _MANY
    # The more there are, the closer they stand.
    spread = max(6.0, 140 / (1 + len(nodes) / 40))
    return {
        "tooltip": {"renderMode": "richText"},
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
                    "repulsion": spread,
                    "edgeLength": 10 + spread / 2,
                    "gravity": 0.15,
                    "layoutAnimation": True,
                    "friction": 0.3 if few else 0.15,
                },
            }
        ],
    }


def _nodes(found: Mapping[str, Any]) -> list[dict[str, Any]]:
    named = len(found["memories"]) <= _NAMED
    size = 1.0 if len(found["memories"]) <= _MANY else 0.5
    nodes = [
        {
            "id": each["memoryId"],
            "name": shortened(each["content"], 40),
            "value": each["importance"],
            "symbolSize": (8 + each["importance"] / 8) * size,
            "label": {"show": named, "width": 150, "overflow": "truncate"},
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
    return nodes


def _links(found: Mapping[str, Any]) -> list[dict[str, Any]]:
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
    return links
