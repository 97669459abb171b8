"""Sessions: what was said, the turns it was said in with their fingerprints, and feedback."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from nicegui import ui

from recollect.inspector.frame import View
from recollect.inspector.parts import badge, counted, empty_state, heading, panel, when
from recollect.model.token import Rights

_PAGE = 50
_LOOK_EVERY = 3.0
_CHUNK, _CHUNKS = 1_000, 20
_REACTIONS = {"ok": "thumb_up", "not_ok": "thumb_down", "neutral": "thumbs_up_down"}
_ITEMS = (
    ("assertions", "Assertions"),
    ("exceptions", "Exceptions"),
    ("facts", "Facts"),
    ("assistant_signals", "Assistant signals"),
)


async def build(view: View) -> None:
    """The list."""
    heading("Sessions", "Conversations: transcripts, and what each turn left behind.")
    shown = ui.column().classes("results")

    async def show() -> None:
        sessions = (await view.ask("sessions", limit=100))["sessions"]
        conversations = (await view.ask("conversations", limit=100))["conversations"]
        shown.clear()
        with shown:
            if not sessions and not conversations:
                empty_state("forum", "Nobody has talked yet.", "Talk: recollect chat --turns, or POST /v1/add-message.")
            turns = {each["conversationId"]: each["turns"] for each in conversations}
            for session in sessions:
                _session_row(session, turns.pop(session["sessionId"], 0))
            for conversation, count in turns.items():
                with ui.link(target=f"/turns?which={quote(conversation, safe='')}").classes("memory"):
                    ui.label(conversation).classes("content")
                    ui.label(counted(count, "turn", "turns")).classes("quiet")

    await show()
    view.live(show)


def _session_row(session: Mapping[str, Any], turns: int) -> None:
    with ui.link(target=f"/sessions/{session['sessionId']}").classes("memory"):
        where = f" in {session['chatId']}" if session.get("chatId") else ""
        ui.label(f"{session['agentId']}{where}").classes("content")
        with ui.row().classes("facts"):
            ui.label(when(session.get("updatedAt") or session["createdAt"])).classes("quiet")
            if turns:
                ui.label(counted(turns, "turn", "turns")).classes("quiet")
            ui.label(session["sessionId"]).classes("id")


async def build_one(view: View, session_id: str) -> None:
    """What was said in one session."""
    heading("Session")
    ui.label(session_id).classes("id")
    ui.link("Turns of this session", f"/turns?which={session_id}")
    shown = ui.column().classes("transcript")
    marked = view.query.get("message")
    state: dict[str, Any] = {"before": await _page_of(view, session_id, marked) if marked else None, "shown": None}

    async def show() -> None:
        messages = (await view.ask("messages", session_id=session_id, limit=_PAGE, before=state["before"]))["messages"]
        if messages == state["shown"]:
            return
        state["shown"] = messages
        shown.clear()
        with shown:
            if not messages:
                empty_state("forum", "Nothing was said here.", "Talk: recollect chat.")
                return
            if len(messages) == _PAGE:

                async def older() -> None:
                    state["before"] = messages[0]["messageId"]
                    await show()

                ui.button("Older", icon="expand_less", on_click=older).props("flat dense no-caps")
            for message in messages:
                chosen = " chosen" if message["messageId"] == marked else ""
                with ui.element("article").classes(f"said-by {message['role']}{chosen}"):
                    ui.label(message["content"]).classes("verbatim plain").props("dir=auto")
                    ui.label(f"{message['role']}, {when(message['createdAt'])}").classes("quiet")
            if state["before"] is not None:

                async def newest() -> None:
                    state["before"] = None
                    await show()

                ui.button("Newest", icon="expand_more", on_click=newest).props("flat dense no-caps")

    await show()
    view.live(show)
    ui.timer(_LOOK_EVERY, lambda: view.attempt(show), immediate=False)  # what is only said changes no memory
    if marked:
        ui.run_javascript("document.querySelector('.chosen')?.scrollIntoView({block: 'center'})")


async def _page_of(view: View, session_id: str, message_id: str) -> str | None:
    """What a message is shown before: itself and some that came after it; None where it is among the newest."""
    before = None
    for _ in range(_CHUNKS):
        some = (await view.ask("messages", session_id=session_id, limit=_CHUNK, before=before))["messages"]
        at = next((number for number, each in enumerate(some) if each["messageId"] == message_id), None)
        if at is not None:
            later = at + _PAGE // 2
            return before if later >= len(some) else some[later]["messageId"]
        if len(some) < _CHUNK:
            return None
        before = some[0]["messageId"]
    return None


async def build_turns(view: View, conversation_id: str) -> None:
    """The turns of one conversation."""
    heading("Turns")
    ui.label(conversation_id).classes("id")
    shown = ui.column().classes("results")

    async def show() -> None:
        turns = (await view.ask("turns", conversation_id=conversation_id, limit=_PAGE))["turns"]
        shown.clear()
        with shown:
            if not turns:
                empty_state("history", "No turns are kept of this conversation.", "Talk with recollect chat --turns.")
            for turn in turns:
                await _show_turn(view, conversation_id, turn, show)
            if len(turns) == _PAGE:
                ui.label(f"The newest {_PAGE} turns.").classes("quiet")

    if not conversation_id:
        empty_state("history", "Which conversation?", "Choose one under Sessions.")
        return
    await show()
    view.live(show)


async def _show_turn(view: View, conversation_id: str, turn: Mapping[str, Any], refresh: Any) -> None:
    log = (await view.ask("turn", conversation_id=conversation_id, turn_id=turn["turn_id"]))["turn"]
    with panel(classes="turn"):
        with ui.row().classes("facts"):
            ui.label(turn["objective"] or turn["turn_id"]).classes("subtitle")
            ui.label(when(turn["made_at"])).classes("quiet")
            for topic in turn["topics"]:
                ui.label(topic).classes("person")
        for role, name in (("user", "user_message"), ("assistant", "answer")):
            if log.get(name):
                with ui.element("article").classes(f"said-by {role}"):
                    ui.label(str(log[name])).classes("verbatim plain").props("dir=auto")
        for field, title in _ITEMS:
            if turn[field]:
                ui.label(title).classes("quiet")
                for item in turn[field]:
                    value = item.get("value") or item.get("text") or ""
                    ui.label(f"{item.get('key', '')}: {value}".strip(": ")).classes("item")
        _feedback(view, conversation_id, turn["turn_id"], log, refresh)


def _feedback(view: View, conversation_id: str, turn_id: str, log: Mapping[str, Any], refresh: Any) -> None:
    latest = (log.get("turn_log", {}).get("feedbacks") or [None])[-1]
    with ui.row().classes("facts"):
        if latest:
            badge(
                f"feedback: {str(latest.get('reaction')).replace('_', ' ')}",
                "#15803d" if latest.get("reaction") == "ok" else "#b91c1c",
            )
            ui.label(str(latest.get("text") or "")).classes("quiet")
        if not view.api.may(Rights.WRITE):
            return
        for reaction, icon in _REACTIONS.items():

            async def give(reaction: str = reaction) -> None:
                done = await view.attempt(
                    lambda: view.ask("feedback", conversation_id=conversation_id, turn_id=turn_id, reaction=reaction)
                )
                if done is not None:
                    await refresh()

            name = reaction.replace("_", " ")
            ui.button(icon=icon, on_click=give).props(f'flat round dense aria-label="This answer was {name}"')
