"""The operations that every way in offers: a name, the rights it needs, what it takes, and the call it stands for.

Who calls is never taken from what is passed: a `user_id` or `chat_id` that is not the caller's is refused.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic.alias_generators import to_camel

from recollect.errors import ScopeDenied, SessionError
from recollect.model.source import CapturedBy, Source
from recollect.model.token import Identity, Rights
from recollect.model.wire import dump
from recollect.server.tracing import span
from recollect.system import MemorySystem

_ID = r"^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"
_LONGEST = 100_000
_MOST = 1_000
_ALL = 1_000_000


class Parameters(BaseModel):
    """What a call takes: camelCase or snake_case, nothing unknown."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True, alias_generator=to_camel, strict=True)

    @model_validator(mode="before")
    @classmethod
    def _is_text(cls, data: Any) -> Any:
        """Half a character is no text, wherever it stands."""
        try:
            json.dumps(data, ensure_ascii=False, default=str).encode()
        except UnicodeEncodeError:
            raise ValueError("texts are valid Unicode, without lone surrogates") from None
        return data

    user_id: str | None = Field(None, description="Who calls; only to be sure: it must be the caller's own.")
    chat_id: str | None = Field(None, description="Where; it must be the caller's own.")


class Nothing(Parameters):
    """Nothing to say."""


class Add(Parameters):
    """A memory to be stored."""

    content: str = Field(max_length=_LONGEST, description="What to remember.")
    type: str | None = Field(None, description="One of the eight types, such as Fact or Todo.")
    importance: int | None = Field(None, ge=0, le=100)
    confidence: float | None = Field(None, ge=0.0, le=1.0)
    scope: str | None = Field(None, description="personal, group or shared.")
    source: str | None = Field(None, max_length=200, description="Where it comes from: a conversation's id.")
    expires_days: float | None = Field(None, gt=0, le=36_500, description="After how many days it is forgotten.")
    subjects: list[str] | None = Field(None, max_length=10, description="Who it is about.")
    key: str | None = Field(None, max_length=256, description="Repeating a call with a key makes no second memory.")


class Search(Parameters):
    """A question."""

    query: str = Field(max_length=10_000, description="What to look for.")
    limit: int = Field(10, ge=1, le=_MOST)
    about: str | None = Field(None, max_length=200, description="Only what is about this person.")
    types: list[str] | None = Field(None, max_length=8)
    include_messages: bool = False
    known_at: str | None = Field(None, max_length=64, description="What was believed at a time.")
    valid_at: str | None = Field(None, max_length=64, description="What was true at a time.")


class List(Parameters):
    """Which memories to list."""

    limit: int = Field(20, ge=1, le=_MOST)
    offset: int = Field(0, ge=0, le=1_000_000)
    include_expired: bool = False
    types: list[str] | None = Field(None, max_length=8)


class One(Parameters):
    """One memory."""

    memory_id: str = Field(pattern=_ID)


class Message(Parameters):
    """A message that is to be answered."""

    message: str = Field(max_length=_LONGEST)
    max_tokens: int = Field(2000, ge=0, le=1_000_000)


class ForBulletin(Parameters):
    """A message that a bulletin is made for."""

    message: str = Field("", max_length=_LONGEST)
    conversation_id: str | None = Field(None, min_length=1, max_length=256)
    max_chars: int = Field(4000, ge=0, le=1_000_000)


class Who(Parameters):
    """A person, by a name, a relation or an id."""

    person: str = Field(min_length=1, max_length=200)


class Some(Parameters):
    """How many."""

    limit: int = Field(20, ge=1, le=_MOST)


class InSession(Parameters):
    """A session of the caller's."""

    session_id: str = Field(pattern=_ID)
    limit: int = Field(50, ge=1, le=_MOST)


class Said(Parameters):
    """Something that was said in a session of the caller's; without one, in the one that is theirs."""

    role: str = Field(description="user, assistant, system or tool.")
    content: str = Field(max_length=_LONGEST)
    session_id: str | None = Field(None, pattern=_ID)


class OfTurn(Parameters):
    """A turn of a conversation."""

    conversation_id: str = Field(min_length=1, max_length=256)
    turn_id: str = Field(min_length=1, max_length=256)


class OfConversation(Parameters):
    """A conversation."""

    conversation_id: str = Field(min_length=1, max_length=256)
    limit: int = Field(20, ge=1, le=_MOST)


class ForJournal(Parameters):
    """A message that a journal is made for, and who is to read it."""

    conversation_id: str = Field(min_length=1, max_length=256)
    message: str = Field("", max_length=_LONGEST)
    view: Literal["gate", "reconciler", "downstream", "final_answer"] = "gate"


class Reacted(OfTurn):
    """What the caller thinks of the answer of a turn; no reaction and no text clears it."""

    reaction: str | None = None
    text: str = Field("", max_length=1_000)


@dataclass(frozen=True, slots=True)
class Operation:
    """One thing that can be asked for."""

    name: str
    method: str
    rights: Rights
    parameters: type[Parameters]
    summary: str
    run: Callable[[MemorySystem, Identity, Any], Any]


def call(memory: MemorySystem, identity: Identity, operation: Operation, parameters: Parameters) -> Any:
    """Does what is asked for, if the caller may; the answer as plain JSON data."""
    if not identity.rights.include(operation.rights):
        memory.log.write(
            "memory.access.forbidden", level="warning", operation=operation.name, tokenId=identity.token_id
        )
        raise ScopeDenied(
            f"{operation.name} needs the right to {operation.rights.value}",
            code="forbidden",
            hint="ask for a token with it",
        )
    given = ((parameters.user_id, identity.user, "user_id"), (parameters.chat_id, identity.chat, "chat_id"))
    for value, own, name in given:
        if value is not None and value != own:
            memory.log.write("memory.scope_denied", level="warning", field=name, tokenId=identity.token_id)
            raise ScopeDenied(f"{name} is not yours", code="identity_mismatch", hint="who calls is told by the token")
    with span(f"recollect.{operation.name}"):
        return dump(operation.run(memory, identity, parameters))


def _who(identity: Identity) -> dict[str, Any]:
    return {"user": identity.user, "chat": identity.chat}


def _add(memory: MemorySystem, identity: Identity, p: Add) -> Any:
    fields: dict[str, Any] = {
        name: value
        for name in ("type", "importance", "confidence", "scope", "key")
        if (value := getattr(p, name)) is not None
    }
    if p.expires_days is not None:
        fields["expires"] = timedelta(days=p.expires_days)
    if p.subjects:
        fields["about"] = p.subjects
    if p.source is not None:
        fields["source"] = Source(captured_by=CapturedBy.USER, conversation_id=p.source)
    return memory.remember(p.content, **_who(identity), **fields)


def _search(memory: MemorySystem, identity: Identity, p: Search) -> Any:
    found = memory.recall(
        p.query,
        **_who(identity),
        top_n=p.limit,
        about=p.about,
        types=p.types,
        include_messages=p.include_messages,
        known_at=p.known_at,
        valid_at=p.valid_at,
    )
    hits = [
        {
            "kind": hit.kind,
            hit.kind if hit.kind == "message" else "memory": hit.message if hit.kind == "message" else hit.memory,
            "score": hit.score,
            "about": hit.about,
            "why": hit.why,
        }
        for hit in found.hits
    ]
    return {"query": found.query, "mode": found.mode, "hits": hits, "edges": found.edges, "omitted": found.omitted}


def _own_session(memory: MemorySystem, identity: Identity, session_id: str | None) -> Any:
    if session_id is None:
        return memory.session_of("chat", user=identity.user, chat=identity.chat)
    found = memory.session(session_id)
    theirs = found is not None and (
        found.user_id == identity.user or (found.user_id is None and found.chat_id is not None)
    )
    if found is None or not theirs or found.chat_id not in {None, identity.chat}:
        raise SessionError(f"no session {session_id}", sessionId=session_id)
    return found


def _list(memory: MemorySystem, identity: Identity, p: List) -> Any:
    found = memory.list(
        **_who(identity), limit=p.limit, offset=p.offset, include_expired=p.include_expired, types=p.types
    )
    return {"memories": found.memories}


def _about_person(memory: MemorySystem, identity: Identity, p: Who) -> Any:
    person = memory.person(p.person, **_who(identity))
    hits = memory.recall(p.person, **_who(identity), about=person.person_id, top_n=100).hits
    return {"person": person, "memories": [hit.memory for hit in hits]}


def _sessions(memory: MemorySystem, identity: Identity, p: Some) -> Any:
    own = [each for each in memory.sessions(limit=_ALL) if each.user_id == identity.user]
    return {"sessions": own[: p.limit]}


def _messages(memory: MemorySystem, identity: Identity, p: InSession) -> Any:
    session = _own_session(memory, identity, p.session_id)
    return {"messages": memory.messages(session.session_id, limit=p.limit)}


def _add_message(memory: MemorySystem, identity: Identity, p: Said) -> Any:
    session = _own_session(memory, identity, p.session_id)
    return {"message": memory.add_message(session.session_id, p.role, p.content)}


def _bulletin(memory: MemorySystem, identity: Identity, p: ForBulletin) -> Any:
    return memory.bulletin(p.message, **_who(identity), conversation_id=p.conversation_id, max_chars=p.max_chars)


def _turns(memory: MemorySystem, identity: Identity, p: OfConversation) -> Any:
    return {"turns": [each.to_json() for each in memory.turns(identity.user, p.conversation_id, limit=p.limit)]}


def _journal(memory: MemorySystem, identity: Identity, p: ForJournal) -> Any:
    from recollect.agent.turn import Scratchpad, journal_for  # the agent layer, for this one alone

    pad = Scratchpad(memory, identity.user, p.conversation_id, "next", p.message, chat=identity.chat)
    return {"journal": asyncio.run(journal_for(pad, p.view)), "view": p.view}


def _feedback(memory: MemorySystem, identity: Identity, p: Reacted) -> Any:
    return {"feedback": memory.give_feedback(identity.user, p.conversation_id, p.turn_id, p.reaction, p.text)}


def _operation(
    name: str,
    method: str,
    rights: Rights,
    parameters: type[Parameters],
    summary: str,
    run: Callable[[MemorySystem, Identity, Any], Any],
) -> Operation:
    return Operation(name, f"memory.{method}", rights, parameters, summary, run)


_READ, _WRITE, _ADMIN = Rights.READ, Rights.WRITE, Rights.ADMIN
OPERATIONS: Sequence[Operation] = (
    _operation("remember", "add", _WRITE, Add, "Store something to be remembered.", _add),
    _operation("recall", "search", _READ, Search, "Find what answers a question, with citations.", _search),
    _operation("list", "list", _READ, List, "List memories, newest first.", _list),
    _operation(
        "show", "show", _READ, One, "Show one memory.", lambda m, i, p: {"memory": m.show(p.memory_id, **_who(i))}
    ),
    _operation(
        "history",
        "history",
        _READ,
        One,
        "Show what happened to a memory.",
        lambda m, i, p: {"events": m.history(p.memory_id, **_who(i))},
    ),
    _operation(
        "edges",
        "edges",
        _READ,
        One,
        "Show how a memory is related to others.",
        lambda m, i, p: {"edges": m.edges(p.memory_id, **_who(i))},
    ),
    _operation(
        "forget", "delete", _WRITE, One, "Forget a memory for good.", lambda m, i, p: m.forget(p.memory_id, **_who(i))
    ),
    _operation(
        "retract",
        "retract",
        _WRITE,
        One,
        "Mark a memory as wrong.",
        lambda m, i, p: {"memory": m.retract(p.memory_id, **_who(i))},
    ),
    _operation(
        "context",
        "context",
        _READ,
        Message,
        "What a model should know before it answers.",
        lambda m, i, p: m.context(p.message, **_who(i), max_tokens=p.max_tokens),
    ),
    _operation("bulletin", "bulletin", _READ, ForBulletin, "What to have in mind for a message.", _bulletin),
    _operation(
        "people",
        "people",
        _READ,
        Nothing,
        "List the people that are known.",
        lambda m, i, _: {"people": m.people(**_who(i))},
    ),
    _operation("about-person", "about_person", _READ, Who, "What is known about somebody.", _about_person),
    _operation("sessions", "sessions", _READ, Some, "List the caller's sessions.", _sessions),
    _operation("messages", "messages", _READ, InSession, "What was said in a session.", _messages),
    _operation("add-message", "add_message", _WRITE, Said, "Keep something that was said.", _add_message),
    _operation("turns", "turns", _READ, OfConversation, "The fingerprints of a conversation's turns.", _turns),
    _operation(
        "turn",
        "turn",
        _READ,
        OfTurn,
        "All that is kept of a turn.",
        lambda m, i, p: {"turn": m.turn_log(i.user, p.conversation_id, p.turn_id)},
    ),
    _operation("journal", "journal", _READ, ForJournal, "What an agent would be given of its turns.", _journal),
    _operation("feedback", "feedback", _WRITE, Reacted, "Say what you think of the answer of a turn.", _feedback),
    _operation(
        "ingest",
        "ingest",
        _ADMIN,
        Nothing,
        "Turn the files in the drop folder into memories.",
        lambda m, _i, _p: m.ingest(wait=False),
    ),
    _operation("stats", "stats", _READ, Nothing, "How much there is, in counts.", lambda m, _i, _p: m.stats()),
    _operation(
        "gc", "gc", _ADMIN, Nothing, "Put away what no longer counts.", lambda m, _i, _p: {"count": m.gc().count}
    ),
)
BY_NAME = {operation.name: operation for operation in OPERATIONS}
BY_METHOD = {operation.method: operation for operation in OPERATIONS}
