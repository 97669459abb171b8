"""One memory: what it says, where it came from, what happened to it, what it is related to, and what can be done."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any
from urllib.parse import quote

from nicegui import background_tasks, ui

from recollect.errors import RecollectError
from recollect.inspector.frame import View, tell
from recollect.inspector.parts import (
    COLOURS,
    TYPES,
    badge,
    confirmed,
    facts,
    panel,
    shortened,
    subheading,
    undoable,
    when,
)
from recollect.model.token import Rights

_PIN = 100
_UNDO_SECONDS = 6
_HAPPENED = {
    "memory.created": ("add_circle", "Learned"),
    "memory.edited": ("edit", "Changed"),
    "memory.status_changed": ("swap_horiz", "Status"),
    "edge.created": ("link", "Related"),
    "memory.source_added": ("library_add_check", "Heard again"),
    "access.denied": ("block", "Somebody else reached for it"),
}


async def build(view: View, memory_id: str) -> None:
    """The page."""
    page = _Page(view, memory_id)
    await page.show()
    view.live(page.show)


class _Page:
    def __init__(self, view: View, memory_id: str) -> None:
        self._view = view
        self._id = memory_id
        self._notes = ui.column().classes("notes")
        self._body = ui.column().classes("whole")
        self._pending: asyncio.Task[None] | None = None

    async def show(self) -> None:
        """All of it, as it is now."""
        memory = (await self._view.ask("show", memory_id=self._id))["memory"]
        events = (await self._view.ask("history", memory_id=self._id))["events"]
        around = await self._view.ask("graph", around=self._id, limit=40)
        people = {each["personId"]: around["labels"][each["personId"]] for each in around["people"]}
        about = [(each, people[each]) for each in around["about"].get(self._id, []) if each in people]
        self._body.clear()
        with self._body:
            with panel(classes="said"):
                ui.label(memory["content"]).classes("quote")
                facts(memory)
                if self._view.api.may(Rights.WRITE):
                    self._actions(memory)
            with ui.element("div").classes("columns"):
                with ui.element("div").classes("column"):
                    _details(memory, about)
                    _provenance(memory)
                with ui.element("div").classes("column"):
                    _history(events)
                    _related(self._id, around)

    def _actions(self, memory: Mapping[str, Any]) -> None:
        active = memory["status"] == "active"
        with ui.row().classes("actions"):
            if active:
                _button("Edit", "edit", lambda: self._edit(memory))
                pinned = memory["importance"] == _PIN
                _button("Unpin" if pinned else "Pin", "push_pin", lambda: self._pin(memory))
                _button("Supersede", "published_with_changes", self._supersede)
            if memory["status"] in {"superseded", "archived"}:
                _button("Let it count again", "restore", self._reinstate)
            if memory["status"] in {"active", "superseded"}:
                _button("Retract", "unpublished", self._retract)
            _button("Forget", "delete_forever", self._forget, "negative")
            ui.link("Show in graph", f"/graph?around={self._id}").classes("quiet")

    async def _do(self, name: str, /, **given: Any) -> dict[str, Any] | None:
        done: dict[str, Any] | None = await self._view.attempt(
            lambda: self._view.ask(name, memory_id=self._id, **given)
        )
        if done is not None:
            await self.show()
        return done

    def _noted(self, text: str, undo: Callable[[], Awaitable[Any]]) -> None:
        self._notes.clear()
        with self._notes:
            undoable(text, undo)

    async def _edit(self, memory: Mapping[str, Any]) -> None:
        with ui.dialog() as dialog, ui.card().classes("dialog"):
            subheading("Edit")
            content = ui.textarea("What it says", value=memory["content"]).props("outlined autogrow autofocus")
            kind = ui.select([*TYPES], label="Type", value=memory["type"]).props("outlined dense")
            importance = ui.number("Importance", value=memory["importance"], min=0, max=100, precision=0)
            importance.props("outlined dense")
            with ui.row().classes("actions"):
                ui.button("Cancel", on_click=lambda: dialog.submit(None)).props("flat")
                ui.button("Save", on_click=lambda: dialog.submit("save")).props("unelevated")
        if await dialog == "save":
            new = {"content": content.value, "type": kind.value, "importance": int(importance.value or 0)}
            changed = {name: value for name, value in new.items() if value != memory[name]}
            before = {name: memory[name] for name in changed}
            if changed and await self._do("edit", **changed, reason="edited in the inspector") is not None:
                self._noted("Changed.", lambda: self._do("edit", **before, reason="undone in the inspector"))
        dialog.delete()

    async def _pin(self, memory: Mapping[str, Any]) -> None:
        before, after = memory["importance"], 50 if memory["importance"] == _PIN else _PIN
        if await self._do("edit", importance=after) is not None:
            told = "Pinned: it is never put away." if after == _PIN else "No longer pinned."
            self._noted(told, lambda: self._do("edit", importance=before))

    async def _supersede(self) -> None:
        with ui.dialog() as dialog, ui.card().classes("dialog"):
            subheading("What is true instead?")
            ui.label("The old memory stays in the history and is no longer recalled.").classes("quiet")
            content = ui.textarea("The new memory").props("outlined autogrow autofocus")
            with ui.row().classes("actions"):
                ui.button("Cancel", on_click=lambda: dialog.submit(None)).props("flat")
                ui.button("Supersede", on_click=lambda: dialog.submit("do")).props("unelevated")
        text = (content.value or "").strip() if await dialog == "do" else ""
        dialog.delete()
        if text and await self._do("supersede", content=text, reason="superseded in the inspector") is not None:
            self._noted("Superseded.", self._reinstate)

    async def _reinstate(self) -> None:
        await self._do("reinstate", reason="in the inspector")

    async def _retract(self) -> None:
        told = "It stays in its history and is never recalled again."
        if await confirmed("Retract this memory?", told, "Retract"):
            self._later("Retracting", lambda: self._do("retract"))

    async def _forget(self) -> None:
        told = "It is erased for good, with what was said of it, everywhere; it is not learned again."
        if await confirmed("Forget this memory?", told, "Forget"):

            async def forget() -> None:
                done = await self._view.attempt(lambda: self._view.ask("forget", memory_id=self._id))
                if done is not None:
                    ui.navigate.to("/")

            self._later("Forgetting", forget)

    def _later(self, what: str, work: Callable[[], Awaitable[Any]]) -> None:
        """Does what cannot be taken back only after a few seconds, in which it can."""

        async def wait() -> None:
            await asyncio.sleep(_UNDO_SECONDS)
            with self._notes:
                try:
                    await work()
                except RecollectError as error:
                    tell(error)
                self._notes.clear()

        async def stop() -> None:
            task.cancel()

        task = background_tasks.create(wait(), name=what)
        self._noted(f"{what} in {_UNDO_SECONDS} seconds.", stop)


def _button(text: str, icon: str, work: Callable[[], Awaitable[None]], colour: str = "primary") -> None:
    ui.button(text, icon=icon, on_click=work, color=colour).props("outline dense no-caps")


def _details(memory: Mapping[str, Any], about: list[tuple[str, str]]) -> None:
    with panel("Details"):
        for name, value in (
            ("Importance", str(memory["importance"])),
            ("Confidence", f"{memory['confidence']:.2f}"),
            ("Visible to", _audience(memory)),
            ("Sensitivity", memory["sensitivity"]),
            ("Observed", when(memory["observedAt"])),
            ("Learned", when(memory["createdAt"])),
            ("True from", when(memory["validFrom"])),
            ("True until", when(memory["validTo"])),
            ("Expires", when(memory["expiresAt"])),
            ("Id", memory["memoryId"]),
        ):
            if value:
                with ui.element("div").classes("detail"):
                    ui.label(name).classes("quiet")
                    ui.label(value).classes("id" if name == "Id" else "")
        if about:
            with ui.element("div").classes("detail"):
                ui.label("About").classes("quiet")
                with ui.row().classes("facts"):
                    for person_id, label in about:
                        ui.link(label, f"/people/{person_id}").classes("person")


def _audience(memory: Mapping[str, Any]) -> str:
    if memory["scope"] == "shared":
        return "everybody"
    return f"{memory['ownerUserId']} alone" if memory["scope"] == "personal" else f"the chat {memory['chatId']}"


def _provenance(memory: Mapping[str, Any]) -> None:
    source = memory["source"]
    with panel("Where it came from"):
        with ui.row().classes("facts"):
            badge(source["sourceType"].replace("_", " "), "#475569")
            badge(f"by {source['capturedBy']}", "#475569")
            badge(memory["trust"], "#0f766e" if memory["trust"] == "stated" else "#b45309")
        if source["speaker"]:
            ui.label(f"Said by {source['speaker']}")
        if source["sourcePath"]:
            ui.label(source["sourcePath"]).classes("id")
            ui.link("The files that became memories", "/ingest")
        conversation = source["conversationId"]
        if conversation and source["messageId"]:
            ui.link("What was said", f"/sessions/{quote(conversation, safe='')}?message={quote(source['messageId'])}")
            ui.link("The turns of the conversation", f"/turns?which={quote(conversation, safe='')}")
        elif conversation:
            ui.label(f"Conversation {conversation}").classes("id")


def _history(events: list[dict[str, Any]]) -> None:
    with panel("History"), ui.element("ol").classes("history"):
        for event in events:
            icon, name = _HAPPENED.get(event["kind"], ("circle", event["kind"]))
            with ui.element("li"):
                ui.icon(icon).props("aria-hidden=true")
                with ui.element("div"):
                    ui.label(f"{name}{_detail(event)}")
                    if event["reason"]:
                        ui.label(event["reason"]).classes("quiet")
                    ui.label(f"{when(event['occurredAt'])} by {event['actor']}").classes("quiet")


def _detail(event: Mapping[str, Any]) -> str:
    detail = event["detail"]
    if event["kind"] == "memory.status_changed":
        return f": {detail.get('from')} → {detail.get('to')}"
    if event["kind"] == "memory.edited":
        return ": " + ", ".join(f"{name} was {shortened(str(old), 80)}" for name, old in detail["before"].items())
    if event["kind"] == "edge.created":
        return f": {detail.get('edgeType')}"
    return ""


def _related(memory_id: str, around: Mapping[str, Any]) -> None:
    known = {each["memoryId"]: each for each in around["memories"]}
    touching = [each for each in around["edges"] if memory_id in {each["fromMemoryId"], each["toMemoryId"]}]
    with panel("Related"):
        if not touching:
            ui.label("Nothing is related to it.").classes("quiet")
        for edge in touching:
            leads = edge["fromMemoryId"] == memory_id
            other = known[edge["toMemoryId"] if leads else edge["fromMemoryId"]]
            with ui.link(target=f"/memory/{other['memoryId']}").classes("memory"):
                colour = "#b91c1c" if edge["edgeType"] == "Contradicts" else COLOURS.get(other["type"])
                with ui.row().classes("facts"):
                    badge(f"{edge['edgeType']} {'→' if leads else '←'}", colour)
                    if other["status"] != "active":
                        badge(other["status"], "#b91c1c")
                ui.label(shortened(other["content"], 200)).classes("content")
