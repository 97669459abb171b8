"""Ingest: drop a file, watch it become memories."""

from __future__ import annotations

import base64
import json
from typing import Any

from nicegui import ui

from recollect.inspector.frame import View
from recollect.inspector.parts import badge, empty_state, heading, panel, when
from recollect.model.token import Rights

_LARGEST = 20_000_000


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
            ui.toggle({"shared": "For everybody", "personal": "For me"}, value="shared")
            .props("no-caps unelevated padding='4px 12px'")
            .classes("choice")
        )
        ui.upload(
            label="Drop files here",
            multiple=True,
            auto_upload=True,
            max_file_size=_LARGEST,
            on_upload=take,
            on_rejected=lambda: ui.notify("Too large: at most 20 MB", type="negative", position="top"),
        ).props("flat bordered").classes("upload")


def _report(report: dict[str, Any]) -> None:
    good = report["status"] == "processed"
    badge(report["status"], "#15803d" if good else "#b91c1c")
    ui.label(report["name"])
    if good:
        ui.label(f"{report['memories']} memories, {report['superseded']} replaced").classes("quiet")
    else:
        ui.label(f"{report['message'] or ''} [{report['code']}]").classes("quiet")


def _file_row(file: dict[str, Any]) -> None:
    try:
        name = json.loads(file["name"])[-1]
    except (ValueError, LookupError, TypeError):
        name = file["name"]
    with ui.element("article").classes("memory"):
        ui.label(str(name)).classes("content")
        with ui.row().classes("facts"):
            badge(f"version {file['version']}", "#475569")
            ui.label(when(file.get("finishedAt"))).classes("quiet")
            if file.get("documentId"):
                ui.link("Its memory", f"/memory/{file['documentId']}")
