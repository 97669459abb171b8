"""The part of a memory that moves it: exports, imports and backups."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from recollect.conversations.kept import SessionFiles
from recollect.errors import InvalidInput
from recollect.knowledge import Draft, Receipt, Remember
from recollect.log import MemoryLog
from recollect.model.graph import GRAPH, written
from recollect.model.memory import Memory
from recollect.model.scope import Speaker
from recollect.model.session import Message, Session
from recollect.model.source import CapturedBy, Source
from recollect.storage.interface import Storage
from recollect.storage.layout import Layout
from recollect.turns import Artifacts
from recollect.upkeep.foreign import Fact, Talk, read_foreign
from recollect.upkeep.transfer import export_lines, import_lines, is_export

_LONGEST_ID = 200
_MOST = 1_000_000
_MANY = 500
_NAMED = 10
_KEY = "importKey"

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What was taken in, in counts. What had been taken in before counts as known; `others` is other users'.

    `unreadable` are items of another shape than the format has.
    """

    format: str
    memories: int = 0
    known: int = 0
    refused: int = 0
    others: int = 0
    unreadable: int = 0
    sessions: int = 0
    messages: int = 0
    rows: dict[str, int] = field(default_factory=dict)


class Moving:
    """What a `MemorySystem` does to be moved."""

    _artifacts: Artifacts
    list: Callable[..., Any]
    session_of: Callable[..., Session]
    messages: Callable[..., Any]
    add_message: Callable[..., Message]

    def _move(self, storage: Storage, layout: Layout, log: MemoryLog, remember: Remember) -> None:
        self.__storage = storage
        self.__files = SessionFiles(layout.memory)
        self.__log = log
        self.__remember = remember

    def export(self) -> Iterator[str]:
        """All of this orchestrator's memory as lines of JSON, for `import_data`. Whoever has it has everything."""
        self.__log.write("memory.exported")
        return export_lines(self.__storage, self._artifacts.blobs, self.__files)

    def export_markdown(self, *, user: str | None = None, chat: str | None = None) -> str:
        """What the speaker may see, to be read: by type, newest first, with ids and sources."""
        found = self.list(user=user, chat=chat, limit=_MOST).memories
        types = dict.fromkeys(memory.type.value for memory in sorted(found, key=lambda each: each.type.value))
        parts = ["# What is remembered\n"]
        for kind in types:
            lines = [_line(memory) for memory in found if memory.type.value == kind]
            parts.append(f"## {kind}\n\n" + "\n".join(lines) + "\n")
        return "\n".join(parts)

    def import_data(
        self,
        text: str,
        *,
        user: str | None = None,
        chat: str | None = None,
        format: str | None = None,
        namespace: str | None = None,
        progress: Progress = lambda _done, _total: None,
    ) -> Imported:
        """Takes in an export, once, however often: our own, lossless, into an empty memory; or another's.

        That is one of mem0, a LangGraph store, the reference MCP memory, ChatGPT or Claude. `namespace` says which of a
        LangGraph store's is the speaker's: `memories.alex`.
        """
        text = text.removeprefix("\ufeff")
        if format is None and is_export(text.partition("\n")[0]):
            rows = import_lines(self.__storage, self._artifacts.blobs, self.__files, text.split("\n"))
            return Imported(format="recollect", rows=rows, memories=rows.get("memories", 0))
        speaker = Speaker(user=user, chat=chat)
        given = read_foreign(text, format)
        # Somebody else's memories do not become the caller's: they are imported as that user.
        facts = [each for each in _of_namespace(given.facts, namespace) if each.user in {None, user}]
        drafts = [_draft(given.kind, fact) for fact in facts]
        receipts: list[Receipt] = []
        for start in range(0, len(drafts), _MANY):
            receipts += self.__remember.many(drafts[start : start + _MANY], speaker)
            progress(len(receipts), len(drafts))
        sessions, messages = self._talks(given.kind, given.talks, speaker, progress)
        self.__log.write("memory.imported", format=given.kind, memories=len(receipts), sessions=sessions)
        return Imported(
            format=given.kind,
            memories=sum(each.outcome == "stored" for each in receipts),
            known=sum(each.outcome == "merged" for each in receipts),
            refused=sum(each.outcome == "refused" for each in receipts),
            others=len(given.facts) - len(facts),
            unreadable=given.unreadable,
            sessions=sessions,
            messages=messages,
        )

    def _talks(self, kind: str, talks: Sequence[Talk], speaker: Speaker, progress: Progress) -> tuple[int, int]:
        """Keeps conversations, each in a session of its own; what is there of one is not kept again."""
        sessions = messages = 0
        for number, talk in enumerate(talks, 1):
            if not talk.said:
                continue
            place = hashlib.sha256(talk.key.encode()).hexdigest()[:32]
            where = {"provider": f"{kind}:{place}", "chat": speaker.chat, "user": speaker.user}
            session = self.session_of(f"import-{kind}", **where)
            known = {each.metadata.get(_KEY) for each in self.messages(session.session_id, limit=_MOST)}
            sessions += not known
            for said in talk.said:
                if said.key in known:
                    continue
                metadata = {"title": talk.title[:_LONGEST_ID], _KEY: said.key}
                self.add_message(session.session_id, said.role, said.text, metadata, said_at=said.at)
                messages += 1
            progress(number, len(talks))
        return sessions, messages

    def backup(self, path: str | Path) -> Path:
        """A consistent copy of the database while it is used; on a server, that is the server's own affair."""
        target = Path(path)
        self.__storage.backup(target)
        self.__log.write("memory.backup", path=str(target))
        return target


def _draft(kind: str, fact: Fact) -> Draft:
    """What another memory knew, as something to be remembered; what was part of a graph stays part of it."""
    key = f"import {hashlib.sha256(fact.key.encode()).hexdigest()}"
    if fact.graph is not None:
        source = Source(captured_by=CapturedBy.SYSTEM, conversation_id=GRAPH)
        return Draft(content=fact.content, summary=written(dict(fact.graph)), source=source, key=key, verbatim=True)
    source = Source(captured_by=CapturedBy.SYSTEM, conversation_id=f"import:{kind}")
    return Draft(content=fact.content, observed_at=fact.at, source=source, key=key)


def _of_namespace(facts: Sequence[Fact], wanted: str | None) -> list[Fact]:
    """The facts of one namespace and what lies in it; where there are several, somebody must say which is meant."""
    if wanted is not None:
        names = tuple(wanted.split("."))
        return [each for each in facts if each.namespace[: len(names)] == names]
    found = sorted({".".join(each.namespace) for each in facts if each.namespace})
    if len(found) > 1:
        raise InvalidInput.of(
            "several_namespaces",
            "namespace",
            ", ".join(found[:_NAMED]),
            "said: there are several",
            hint="--namespace says whose it is",
        )
    return list(facts)


# What would be markup in the middle of a line, and at its beginning.
_MARKUP = re.compile(r"([\\`*_\[\]<>&|])")
_BEGINNING = re.compile(r"^(#+|[-+]|\d+(?=[.)]))")


def _line(memory: Memory) -> str:
    where = memory.source.source_path or memory.source.conversation_id or memory.source.source_type.value
    told = f"{memory.created_at:%Y-%m-%d}, {_as_text(where)}, `{memory.memory_id}`"
    return f"- {_as_text(memory.content)}  \n  {told}"


def _as_text(value: str) -> str:
    """A stored text in Markdown: no mark in it marks anything."""
    return _BEGINNING.sub(r"\\\1", _MARKUP.sub(r"\\\1", " ".join(value.split())))
