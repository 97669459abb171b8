"""The operations that every way in offers: a name, the rights it needs, what it takes, and the call it stands for.

Who calls is never taken from what is passed: a `user_id` or `chat_id` that is not the caller's is refused.
"""

from __future__ import annotations

import asyncio
import base64
import itertools
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from recollect.embedding.tokens import default_counter
from recollect.errors import InvalidInput, ScopeDenied, SessionError
from recollect.model.artifact import ArtifactKind
from recollect.model.ids import is_uuid
from recollect.model.session import Session
from recollect.model.source import CapturedBy, Source
from recollect.model.token import Identity, Rights
from recollect.model.wire import dump
from recollect.prompt.render import render_context, render_people
from recollect.server import parameters as of
from recollect.server.latency import LATENCY
from recollect.server.parameters import Parameters
from recollect.server.tracing import span
from recollect.system import MemorySystem

_ALL = 1_000_000
_MOST_TURNS = 10_000
_LONGEST_NAME = 200  # what file systems take, with room for what is put before it


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
    started = time.perf_counter()
    with span(f"recollect.{operation.name}"):
        answer = dump(operation.run(memory, identity, parameters))
    LATENCY.observe(operation.name, time.perf_counter() - started)
    return answer


def _who(identity: Identity) -> dict[str, Any]:
    return {"user": identity.user, "chat": identity.chat}


def _add(memory: MemorySystem, identity: Identity, p: of.Add) -> Any:
    fields: dict[str, Any] = {
        name: value
        for name in ("type", "importance", "confidence", "scope", "key")
        if (value := getattr(p, name)) is not None
    }
    if p.expires_days is not None:
        fields["expires"] = timedelta(days=p.expires_days)
    if p.subjects:
        fields["about"] = p.subjects
    if p.scope is None and p.chat_id is not None and p.user_id is None:
        fields["scope"] = "group"  # said of a chat, and of nobody in it
    if p.source is not None:
        fields["source"] = Source(captured_by=CapturedBy.USER, conversation_id=p.source)
    return memory.remember(p.content, **_who(identity), **fields)


def _search(memory: MemorySystem, identity: Identity, p: of.Search) -> Any:
    found = memory.recall(
        p.query,
        **_who(identity),
        top_n=p.limit,
        about=p.about,
        types=p.types,
        include_messages=p.include_messages,
        floor=p.floor,
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
        if hit.message is None or _is_theirs(identity, memory.session(hit.message.session_id))
    ]
    return {
        "query": found.query,
        "mode": found.mode,
        "note": found.note,
        "hits": hits,
        "edges": found.edges,
        "omitted": found.omitted,
    }


def _own_session(memory: MemorySystem, identity: Identity, session_id: str | None) -> Any:
    if session_id is None:
        return memory.session_of("chat", user=identity.user, chat=identity.chat)
    found = memory.session(session_id)
    if found is None or not _is_theirs(identity, found):
        raise SessionError(f"no session {session_id}", sessionId=session_id)
    return found


def _is_theirs(identity: Identity, session: Session | None) -> bool:
    """Whether a session is the caller's, and not of another chat than the one they call from."""
    if session is None:
        return True  # it has no session any more, and the gate has let it through
    own = session.user_id == identity.user or (session.user_id is None and session.chat_id is not None)
    return own and session.chat_id in {None, identity.chat}


def _own_conversation(memory: MemorySystem, identity: Identity, conversation_id: str) -> str:
    """A conversation of turns; one that is a session is only seen where the session is."""
    if is_uuid(conversation_id):
        found = memory.session(conversation_id)
        if found is not None and not _is_theirs(identity, found):
            raise SessionError(f"no session {conversation_id}", sessionId=conversation_id)
    return conversation_id


def _list(memory: MemorySystem, identity: Identity, p: of.List) -> Any:
    fields: dict[str, Any] = {} if p.statuses is None else {"statuses": p.statuses}
    found = memory.list(
        **_who(identity),
        limit=p.limit,
        offset=p.offset,
        include_expired=p.include_expired,
        types=p.types,
        known_at=p.known_at,
        **fields,
    )
    return {"memories": found.memories}


def _edit(memory: MemorySystem, identity: Identity, p: of.Change) -> Any:
    given = p.model_dump(exclude_none=True, exclude={"memory_id", "reason", "user_id", "chat_id"})
    return {"memory": memory.edit(p.memory_id, **_who(identity), reason=p.reason, **given)}


def _supersede(memory: MemorySystem, identity: Identity, p: of.Replace) -> Any:
    return memory.supersede(p.memory_id, p.by, content=p.content, **_who(identity), reason=p.reason)


def _link(memory: MemorySystem, identity: Identity, p: of.Relate) -> Any:
    made = memory.link(p.from_memory_id, p.to_memory_id, p.edge_type, **_who(identity), reason=p.reason)
    return {"edge": made}


def _changes(memory: MemorySystem, identity: Identity, p: of.Period) -> Any:
    found = memory.changes(**_who(identity), after=p.after, since=p.since, until=p.until, kinds=p.kinds, limit=p.limit)
    return {"changes": found}


def _graph(memory: MemorySystem, identity: Identity, p: of.Surroundings) -> Any:
    found = memory.graph(**_who(identity), around=p.around, about=p.about, limit=p.limit)
    return {**dump(found), "labels": {each.person_id: each.label for each in found.people}}


def _people(memory: MemorySystem, identity: Identity, _: of.Nothing) -> Any:
    found = memory.people(**_who(identity))
    return {"people": found, "labels": {each.person_id: each.label for each in found}}


def _conversations(memory: MemorySystem, identity: Identity, p: of.Some) -> Any:
    """Conversations with turns, the one used last first."""
    found = memory.find_artifacts(
        user_id=identity.user, scope="user", kinds=[ArtifactKind.FINGERPRINT.value], limit=_MOST_TURNS
    )
    counts: dict[str, dict[str, Any]] = {}
    for each in sorted(found, key=lambda artifact: artifact.created_at, reverse=True):
        known = counts.setdefault(
            each.conversation_id, {"conversationId": each.conversation_id, "turns": 0, "lastAt": each.created_at}
        )
        known["turns"] += 1
    theirs = (
        each
        for each in counts.values()
        if not is_uuid(each["conversationId"]) or _is_theirs(identity, memory.session(each["conversationId"]))
    )
    return {"conversations": list(itertools.islice(theirs, p.limit))}


def _ingest_file(memory: MemorySystem, identity: Identity, p: of.Dropped) -> Any:
    if p.name in {".", ".."} or len(p.name.encode()) > _LONGEST_NAME:
        raise InvalidInput.of("invalid_name", "name", p.name, f"the name of a file, of up to {_LONGEST_NAME} bytes")
    try:
        data = base64.b64decode(p.content_base64, validate=True)
    except ValueError:  # what is no base64, or not even ASCII
        raise InvalidInput.of("invalid_input", "contentBase64", "…", "base64") from None
    with tempfile.TemporaryDirectory(prefix="recollect-") as folder:
        path = Path(folder) / p.name
        path.write_bytes(data)
        return memory.ingest([path], **_who(identity), scope=p.scope)


def _gc(memory: MemorySystem, _: Identity, p: of.Collect) -> Any:
    found = memory.gc(dry_run=p.dry_run)
    names = ("expired", "superseded", "evicted")
    ids = {name: [each.memory_id for each in getattr(found, name)] for name in names}
    return {"count": found.count, "artifacts": found.artifacts, "dryRun": found.dry_run, **ids}


def _health(memory: MemorySystem, _: Identity, __: of.Nothing) -> Any:
    return {"stats": memory.stats(), "embeddingModel": memory.embedding_model, "latencyMs": LATENCY.told()}


def _about_person(memory: MemorySystem, identity: Identity, p: of.Who) -> Any:
    person = memory.person(p.person, **_who(identity))
    hits = memory.recall(p.person, **_who(identity), about=person.person_id, top_n=100).hits
    return {"person": person, "memories": [hit.memory for hit in hits]}


def _sessions(memory: MemorySystem, identity: Identity, p: of.Some) -> Any:
    own = [each for each in memory.sessions(limit=_ALL) if each.user_id == identity.user and _is_theirs(identity, each)]
    return {"sessions": own[: p.limit]}


def _messages(memory: MemorySystem, identity: Identity, p: of.InSession) -> Any:
    session = _own_session(memory, identity, p.session_id)
    return {"messages": memory.messages(session.session_id, limit=p.limit, before=p.before)}


def _add_message(memory: MemorySystem, identity: Identity, p: of.Said) -> Any:
    session = _own_session(memory, identity, p.session_id)
    return {"message": memory.add_message(session.session_id, p.role, p.content, said_at=p.said_at)}


def _bulletin(memory: MemorySystem, identity: Identity, p: of.ForBulletin) -> Any:
    made = memory.bulletin(p.message, **_who(identity), conversation_id=p.conversation_id, max_chars=p.max_chars)
    return {**dump(made), "tokenCount": made.token_count}


def _context(memory: MemorySystem, identity: Identity, p: of.Message) -> Any:
    """What was found, and as `text` what an agent puts into its system prompt."""
    found = memory.context(p.message, **_who(identity), max_tokens=p.max_tokens)
    parts = (render_people(memory.people(**_who(identity))), render_context(found))
    text = "\n\n".join(part for part in parts if part)
    return {**dump(found), "text": text, "textTokenCount": default_counter().count(text)}


def _turns(memory: MemorySystem, identity: Identity, p: of.OfConversation) -> Any:
    conversation = _own_conversation(memory, identity, p.conversation_id)
    return {"turns": [each.to_json() for each in memory.turns(identity.user, conversation, limit=p.limit)]}


def _journal(memory: MemorySystem, identity: Identity, p: of.ForJournal) -> Any:
    from recollect.agent.turn import Scratchpad, journal_for  # the agent layer, for this one alone

    conversation = _own_conversation(memory, identity, p.conversation_id)
    pad = Scratchpad(memory, identity.user, conversation, "next", p.message, chat=identity.chat)
    text = asyncio.run(journal_for(pad, p.view))
    return {"journal": text, "view": p.view, "tokenCount": default_counter().count(text)}


def _feedback(memory: MemorySystem, identity: Identity, p: of.Reacted) -> Any:
    conversation = _own_conversation(memory, identity, p.conversation_id)
    return {"feedback": memory.give_feedback(identity.user, conversation, p.turn_id, p.reaction, p.text)}


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
    _operation("remember", "add", _WRITE, of.Add, "Store something to be remembered.", _add),
    _operation("recall", "search", _READ, of.Search, "Find what answers a question, with citations.", _search),
    _operation("list", "list", _READ, of.List, "List memories, newest first.", _list),
    _operation(
        "show", "show", _READ, of.One, "Show one memory.", lambda m, i, p: {"memory": m.show(p.memory_id, **_who(i))}
    ),
    _operation(
        "history",
        "history",
        _READ,
        of.One,
        "Show what happened to a memory.",
        lambda m, i, p: {"events": m.history(p.memory_id, **_who(i))},
    ),
    _operation(
        "edges",
        "edges",
        _READ,
        of.One,
        "Show how a memory is related to others.",
        lambda m, i, p: {"edges": m.edges(p.memory_id, **_who(i))},
    ),
    _operation(
        "forget",
        "delete",
        _WRITE,
        of.One,
        "Forget a memory for good.",
        lambda m, i, p: m.forget(p.memory_id, **_who(i)),
    ),
    _operation(
        "retract",
        "retract",
        _WRITE,
        of.One,
        "Mark a memory as wrong.",
        lambda m, i, p: {"memory": m.retract(p.memory_id, **_who(i))},
    ),
    _operation(
        "context",
        "context",
        _READ,
        of.Message,
        "What a model should know before it answers.",
        _context,
    ),
    _operation("bulletin", "bulletin", _READ, of.ForBulletin, "What to have in mind for a message.", _bulletin),
    _operation(
        "people",
        "people",
        _READ,
        of.Nothing,
        "List the people that are known.",
        _people,
    ),
    _operation("about-person", "about_person", _READ, of.Who, "What is known about somebody.", _about_person),
    _operation("edit", "edit", _WRITE, of.Change, "Change fields of a memory; the old values stay known.", _edit),
    _operation("supersede", "supersede", _WRITE, of.Replace, "Put something else in a memory's place.", _supersede),
    _operation(
        "reinstate",
        "reinstate",
        _WRITE,
        of.Because,
        "Let a superseded or archived memory count again.",
        lambda m, i, p: {"memory": m.restore(p.memory_id, **_who(i), reason=p.reason)},
    ),
    _operation("link", "link", _WRITE, of.Relate, "Relate two memories.", _link),
    _operation("changes", "changes", _READ, of.Period, "What happened to memories, the last first.", _changes),
    _operation(
        "pulse",
        "pulse",
        _READ,
        of.LastSeen,
        "Whether anything has changed since an event.",
        lambda m, i, p: m.pulse(**_who(i), after=p.after),
    ),
    _operation(
        "learned",
        "learned",
        _READ,
        of.Since,
        "How much was learned on which day.",
        lambda m, i, p: {"learned": m.learned(**_who(i), since=p.since)},
    ),
    _operation("graph", "graph", _READ, of.Surroundings, "How memories and people hang together.", _graph),
    _operation(
        "conflicts",
        "conflicts",
        _READ,
        of.Some,
        "Memories that contradict each other.",
        lambda m, i, p: {"conflicts": m.conflicts(**_who(i), limit=p.limit)},
    ),
    _operation(
        "rename-person",
        "rename_person",
        _WRITE,
        of.Rename,
        "Give somebody another name.",
        lambda m, i, p: {"person": m.rename_person(p.person, p.name, **_who(i))},
    ),
    _operation(
        "merge-people",
        "merge_people",
        _WRITE,
        of.Merge,
        "Two that are one person.",
        lambda m, i, p: {"person": m.merge_people(p.person, p.into, **_who(i))},
    ),
    _operation(
        "undo-person",
        "undo_person",
        _WRITE,
        of.Who,
        "Take back the last change to somebody.",
        lambda m, i, p: {"person": m.undo_person(p.person, **_who(i))},
    ),
    _operation(
        "forget-person",
        "forget_person",
        _WRITE,
        of.Who,
        "Forget somebody for good, with every fact about them.",
        lambda m, i, p: m.forget_person(p.person, **_who(i)),
    ),
    _operation("sessions", "sessions", _READ, of.Some, "List the caller's sessions.", _sessions),
    _operation("messages", "messages", _READ, of.InSession, "What was said in a session.", _messages),
    _operation("add-message", "add_message", _WRITE, of.Said, "Keep something that was said.", _add_message),
    _operation("conversations", "conversations", _READ, of.Some, "The caller's conversations.", _conversations),
    _operation("turns", "turns", _READ, of.OfConversation, "The fingerprints of a conversation's turns.", _turns),
    _operation(
        "turn",
        "turn",
        _READ,
        of.OfTurn,
        "All that is kept of a turn.",
        lambda m, i, p: {"turn": m.turn_log(i.user, _own_conversation(m, i, p.conversation_id), p.turn_id)},
    ),
    _operation("journal", "journal", _READ, of.ForJournal, "What an agent would be given of its turns.", _journal),
    _operation("feedback", "feedback", _WRITE, of.Reacted, "Say what you think of the answer of a turn.", _feedback),
    _operation(
        "ingest",
        "ingest",
        _ADMIN,
        of.Nothing,
        "Turn the files in the drop folder into memories.",
        lambda m, _i, _p: m.ingest(wait=False),
    ),
    _operation("ingest-file", "ingest_file", _ADMIN, of.Dropped, "Turn one file into memories.", _ingest_file),
    _operation(
        "ingested",
        "ingested",
        _READ,
        of.Some,
        "The files that became memories.",
        lambda m, i, p: {"files": m.ingested(**_who(i), limit=p.limit)},
    ),
    _operation("stats", "stats", _READ, of.Nothing, "How much there is, in counts.", lambda m, _i, _p: m.stats()),
    _operation("health", "health", _READ, of.Nothing, "How much there is, and how long calls take.", _health),
    _operation("gc", "gc", _ADMIN, of.Collect, "Put away what no longer counts, or say what would be.", _gc),
    _operation(
        "doctor", "doctor", _ADMIN, of.Nothing, "Look for what is wrong in the store.", lambda m, _i, _p: m.doctor()
    ),
)
BY_NAME = {operation.name: operation for operation in OPERATIONS}
BY_METHOD = {operation.method: operation for operation in OPERATIONS}
