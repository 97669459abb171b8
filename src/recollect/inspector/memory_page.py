"""One memory: what it says, where it came from, what happened to it, what it is related to, and what can be done."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from nicegui import background_tasks, ui

from recollect.errors import NotFound, RecollectError
from recollect.inspector.frame import View, tell
from recollect.inspector.parts import (
    COLOURS,
    TYPES,
    badge,
    confirmed,
    counted,
    empty_state,
    facts,
    filled_in,
    more,
    panel,
    shortened,
    undoable,
    when,
)
from recollect.model.ids import is_uuid
from recollect.model.token import Rights

_PIN, _UNPINNED = 100, 50
_AROUND = 200
_LISTED = 50
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
        self._pending_note = ui.column().classes("notes")
        self._body = ui.column().classes("whole")
        self._pending: asyncio.Task[None] | None = None

    async def show(self) -> None:
        """All of it, as it is now."""
        try:
            memory = (await self._view.ask("show", memory_id=self._id))["memory"]
        except NotFound as error:
            if not self._body.default_slot.children:
                raise
            self._body.clear()
            with self._body:
                empty_state("delete_forever", "This memory is not there any more.", error.hint or "")
            return
        events = (await self._view.ask("history", memory_id=self._id))["events"]
        around = await self._view.ask("graph", around=self._id, limit=_AROUND)
        people = {each["personId"]: around["labels"][each["personId"]] for each in around["people"]}
        about = [(each, people[each]) for each in around["about"].get(self._id, []) if each in people]
        self._body.clear()
        with self._body:
            with panel(classes="said"):
                ui.label(memory["content"]).classes("quote").props("dir=auto")
                facts(memory)
                with ui.row().classes("actions"):
                    if self._view.api.may(Rights.WRITE) and self._pending is None:
                        self._actions(memory)
                    ui.link("Show in graph", f"/graph?around={self._id}").classes("quiet")
            with ui.element("div").classes("columns"):
                with ui.element("div").classes("column"):
                    _details(memory, about)
                    _provenance(memory)
                with ui.element("div").classes("column"):
                    _history(events)
                    _related(self._id, around)

    def _actions(self, memory: Mapping[str, Any]) -> None:
        active = memory["status"] == "active"
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
        def fields() -> Callable[[], Awaitable[Any]]:
            content = ui.textarea("What it says", value=memory["content"]).props("outlined autofocus rows=6")
            kind = ui.select([*TYPES], label="Type", value=memory["type"]).props("outlined dense")
            importance = ui.number("Importance", value=memory["importance"], min=0, max=100, precision=0)
            importance.props("outlined dense")

            async def save() -> dict[str, Any]:
                new = {"content": content.value, "type": kind.value, "importance": int(importance.value or 0)}
                changed = {name: value for name, value in new.items() if value != memory[name]}
                if changed:
                    await self._view.ask("edit", memory_id=self._id, **changed, reason="edited in the inspector")
                return changed

            return save

        changed = await filled_in(self._view, "Edit", "", "Save", fields)
        if changed:
            before = {name: memory[name] for name in changed}
            await self.show()
            self._noted("Changed.", lambda: self._do("edit", **before, reason="undone in the inspector"))

    async def _pin(self, memory: Mapping[str, Any]) -> None:
        before, after = memory["importance"], _UNPINNED if memory["importance"] == _PIN else _PIN
        if await self._do("edit", importance=after) is not None:
            told = "Pinned: it is never put away." if after == _PIN else "No longer pinned."
            self._noted(told, lambda: self._do("edit", importance=before))

    async def _supersede(self) -> None:
        def fields() -> Callable[[], Awaitable[Any]]:
            content = ui.textarea("The new memory").props("outlined autofocus rows=4")

            async def supersede() -> dict[str, Any]:
                reason = "superseded in the inspector"
                return await self._view.ask("supersede", memory_id=self._id, content=content.value or "", reason=reason)

            return supersede

        told = "The old memory stays in the history and is no longer recalled."
        done = await filled_in(self._view, "What is true instead?", told, "Supersede", fields)
        if done is not None:
            await self.show()
            self._noted("Superseded.", self._reinstate)

    async def _reinstate(self) -> None:
        await self._do("reinstate", reason="in the inspector")

    async def _retract(self) -> None:
        told = "It stays in its history and is never recalled again."
        if await confirmed(self._view, "Retract this memory?", told, "Retract"):
            await self._later("Retracting", lambda: self._do("retract"))

    async def _forget(self) -> None:
        told = "It is erased for good, with what was said of it, everywhere; it is not learned again."
        if await confirmed(self._view, "Forget this memory?", told, "Forget"):

            async def forget() -> None:
                done = await self._view.attempt(lambda: self._view.ask("forget", memory_id=self._id))
                if done is not None:
                    ui.navigate.to("/")

            await self._later("Forgetting", forget)

    async def _later(self, what: str, work: Callable[[], Awaitable[Any]]) -> None:
        """Does what cannot be taken back only after a few seconds, in which it can; nothing else is done meanwhile."""
        with self._pending_note, ui.row().classes("undo") as line:
            told = ui.label()

        async def wait() -> None:
            for left in range(_UNDO_SECONDS, 0, -1):
                told.set_text(f"{what} in {counted(left, 'second', 'seconds')}.")
                await asyncio.sleep(1)
            with self._pending_note:
                self._pending = None
                try:
                    await work()
                except RecollectError as error:
                    tell(error)
                line.delete()

        async def stop() -> None:
            if self._pending is not None:
                self._pending.cancel()
                self._pending = None
            line.delete()
            await self.show()

        with line:
            ui.button("Undo", on_click=stop).props("flat dense")
        self._pending = background_tasks.create(wait(), name=what)
        await self.show()


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
            ui.label(PurePath(source["sourcePath"]).name).classes("id").props("dir=auto")
            ui.link("The files that became memories", "/ingest")
        conversation, message = source["conversationId"], source["messageId"]
        if is_uuid(conversation) and is_uuid(message):
            ui.link("What was said", f"/sessions/{conversation}?message={message}")
        if conversation and message:
            ui.link("The turns of the conversation", f"/turns?which={quote(conversation, safe='')}")
        elif conversation:
            ui.label(f"Conversation {conversation}").classes("id")


def _history(events: list[dict[str, Any]]) -> None:
    with panel("History"):
        more(len(events) - _LISTED, "earlier")
        _happened(events[-_LISTED:])


def _happened(events: list[dict[str, Any]]) -> None:
    with ui.element("ol").classes("history"):
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
        for edge in touching[:_LISTED]:
            leads = edge["fromMemoryId"] == memory_id
            other = known[edge["toMemoryId"] if leads else edge["fromMemoryId"]]
            with ui.link(target=f"/memory/{other['memoryId']}").classes("memory"):
                colour = "#b91c1c" if edge["edgeType"] == "Contradicts" else COLOURS.get(other["type"])
                with ui.row().classes("facts"):
                    badge(f"{edge['edgeType']} {'→' if leads else '←'}", colour)
                    if other["status"] != "active":
                        badge(other["status"], "#b91c1c")
                ui.label(shortened(other["content"], 200)).classes("content").props("dir=auto")
        more(len(touching) - _LISTED)
        if around["truncated"]:
            ui.link("More in the graph", f"/graph?around={memory_id}").classes("quiet")
