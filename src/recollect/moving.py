"""The part of a memory that moves it: exports, imports and backups."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from recollect.knowledge import Draft, Receipt, Remember
from recollect.log import MemoryLog
from recollect.model.memory import Memory
from recollect.model.scope import Speaker
from recollect.model.session import Message, Session
from recollect.model.source import CapturedBy, Source
from recollect.prompt.lines import one_line
from recollect.storage.interface import Storage
from recollect.turns import Artifacts
from recollect.upkeep.foreign import Talk, read_foreign
from recollect.upkeep.transfer import export_lines, import_lines, is_export

_LONGEST_ID = 200
_MOST = 1_000_000
_MANY = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What was taken in, in counts. What had been taken in before counts as known; `others` is other users'."""

    format: str
    memories: int = 0
    known: int = 0
    refused: int = 0
    others: int = 0
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

    def _move(self, storage: Storage, log: MemoryLog, remember: Remember) -> None:
        self.__storage = storage
        self.__log = log
        self.__remember = remember

    def export(self) -> Iterator[str]:
        """All of this orchestrator's memory as lines of JSON, for `import_data`. Whoever has it has everything."""
        self.__log.write("memory.exported")
        return export_lines(self.__storage, self._artifacts.blobs)

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
        self, text: str, *, user: str | None = None, chat: str | None = None, format: str | None = None
    ) -> Imported:
        """Takes in an export, once, however often: our own, lossless, into an empty memory; or another's.

        That is one of mem0, a LangGraph store, the reference MCP memory, ChatGPT or Claude.
        """
        if format is None and is_export(text.partition("\n")[0]):
            rows = import_lines(self.__storage, self._artifacts.blobs, text.split("\n"))
            return Imported(format="recollect", rows=rows, memories=rows.get("memories", 0))
        speaker = Speaker(user=user, chat=chat)
        kind, found, talks = read_foreign(text, format)
        # Somebody else's memories do not become the caller's: they are imported as that user.
        facts = [fact for fact in found if fact.user in {None, user}]
        drafts = [
            Draft(
                content=fact.content,
                observed_at=fact.at,
                source=Source(captured_by=CapturedBy.SYSTEM, conversation_id=f"import:{kind}"),
                key=f"import {hashlib.sha256(fact.key.encode()).hexdigest()}",
            )
            for fact in facts
        ]
        receipts: Sequence[Receipt] = []
        for start in range(0, len(drafts), _MANY):
            receipts = [*receipts, *self.__remember.many(drafts[start : start + _MANY], speaker)]
        sessions, messages = self._talks(kind, talks, speaker)
        self.__log.write("memory.imported", format=kind, memories=len(receipts), sessions=sessions)
        return Imported(
            format=kind,
            memories=sum(each.outcome == "stored" for each in receipts),
            known=sum(each.outcome == "merged" for each in receipts),
            refused=sum(each.outcome == "refused" for each in receipts),
            others=len(found) - len(facts),
            sessions=sessions,
            messages=messages,
        )

    def _talks(self, kind: str, talks: Sequence[Talk], speaker: Speaker) -> tuple[int, int]:
        """Keeps conversations, each in a session of its own; what is there of one is not kept again."""
        sessions = messages = 0
        for talk in talks:
            if not talk.said:
                continue
            place = hashlib.sha256(talk.key.encode()).hexdigest()[:32]
            where = {"provider": f"{kind}:{place}", "chat": speaker.chat, "user": speaker.user}
            session = self.session_of(f"import-{kind}", **where)
            known = len(self.messages(session.session_id, limit=_MOST))
            sessions += known == 0
            for role, content, at in talk.said[known:]:
                metadata = {"title": talk.title[:_LONGEST_ID], **({"saidAt": at.isoformat()} if at else {})}
                self.add_message(session.session_id, role, content, metadata)
                messages += 1
        return sessions, messages

    def backup(self, path: str | Path) -> Path:
        """A consistent copy of the database while it is used; on a server, that is the server's own affair."""
        target = Path(path)
        self.__storage.backup(target)
        self.__log.write("memory.backup", path=str(target))
        return target


def _line(memory: Memory) -> str:
    where = memory.source.source_path or memory.source.conversation_id or memory.source.source_type.value
    return f"- {one_line(memory.content)}  \n  {memory.created_at:%Y-%m-%d}, {one_line(where)}, `{memory.memory_id}`"
