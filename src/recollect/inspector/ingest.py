"""Ingest: drop a file, watch it become memories."""

from __future__ import annotations

import base64
from typing import Any

from nicegui import ui

from recollect.inspector.frame import View
from recollect.inspector.parts import badge, counted, empty_state, heading, more, panel, when
from recollect.model.token import Rights

_LISTED = 20


async def build(view: View) -> None:
    """The page."""
    heading("Ingest", "Drop a file: text, Markdown, JSON, and PDF, DOCX, HTML or CSV where their extra is installed.")
    if view.api.may(Rights.ADMIN):
        _drop_zone(view)
    else:
        ui.label("Your token may not ingest; you see what others have ingested for everybody.").classes("quiet")
    shown = ui.column().classes("results")

    async def show() -> None:
        files = (await view.ask("ingested", limit=100))["files"]
        shown.clear()
        with shown:
            if not files:
                empty_state("upload_file", "No file has become memories yet.", "Drop one above, or into the folder.")
            for each in files:
                _file_row(each)

    await show()
    view.live(show)


def _drop_zone(view: View) -> None:
    reports = ui.column().classes("notes")
    largest = view.api.largest_file_mb

    def too_large() -> None:
        ui.notify(f"Too large: at most {largest} MB", type="negative", position="top")

    async def take(event: Any) -> None:
        name, data = event.file.name, await event.file.read()
        with reports:
            line = ui.row().classes("facts")
            with line:
                ui.spinner(size="sm")
                ui.label(f"{name} is being read")
        done = await view.attempt(
            lambda: view.ask(
                "ingest-file", name=name, content_base64=base64.b64encode(data).decode(), scope=scope.value
            )
        )
        line.clear()
        with line:
            if done is None:
                badge("refused", "#b91c1c")
                ui.label(name)
            for report in [] if done is None else done["files"]:
                _report(report)
        await view.look()

    with panel(classes="drop"):
        scope = (
            ui.toggle({"personal": "For me", "shared": "For everybody"}, value="personal")
            .props("no-caps unelevated padding='4px 12px'")
            .classes("choice")
        )
        zone = ui.upload(
            label=f"Drop files here, up to {largest} MB each",
            multiple=True,
            auto_upload=True,
            max_file_size=largest * 1024**2,
            on_upload=take,
            on_rejected=too_large,
        )
        zone.props("flat bordered").classes("upload")

        def failed() -> None:
            zone.reset()  # or it would be sent again with the next one
            ui.notify("It could not be sent.", type="negative", position="top")

        zone.on("failed", failed)


def _report(report: dict[str, Any]) -> None:
    good = report["status"] == "processed"
    badge(report["status"], "#15803d" if good else "#b91c1c")
    ui.label(report["name"])
    if good:
        made = counted(report["memories"], "memory", "memories")
        ui.label(f"{made}, {report['superseded']} replaced").classes("quiet")
    else:
        ui.label(f"{report['message'] or ''} [{report['code']}]").classes("quiet")


def _file_row(file: dict[str, Any]) -> None:
    with ui.element("article").classes("memory"):
        ui.label(file["name"]).classes("content").props("dir=auto")
        with ui.row().classes("facts"):
            badge(f"version {file['version']}", "#475569")
            ui.label(when(file.get("finishedAt"))).classes("quiet")
            if file.get("documentId"):
                ui.link("The document", f"/memory/{file['documentId']}")
        made = list((file["manifest"].get("ids") or {}).values())
        with ui.row().classes("facts"):
            for number, memory_id in enumerate(made[:_LISTED], 1):
                ui.link(f"memory {number}", f"/memory/{memory_id}")
            more(len(made) - _LISTED)
