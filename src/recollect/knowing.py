"""The part of a memory that is about what it knows: people, learning, forgetting, and keeping it in order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from recollect.config import Settings
from recollect.conversations import Sessions
from recollect.errors import InvalidInput, StorageError
from recollect.ingest.redact import redact_files
from recollect.knowledge import Access, Evolve, Learner, Receipt, Remember, Utterance
from recollect.knowledge.forget import Forget, Forgotten, traces
from recollect.knowledge.persons import Persons
from recollect.llm import ChatModel, create_model
from recollect.log import MemoryLog
from recollect.model.check import Checker
from recollect.model.clock import Clock
from recollect.model.ids import IdFactory, check_opaque_id, check_uuid
from recollect.model.person import Person
from recollect.model.scope import Speaker
from recollect.prompt.snapshots import drop_snapshots
from recollect.storage.interface import Storage
from recollect.storage.layout import Layout
from recollect.storage.residue import files_holding
from recollect.turns import TurnMemory
from recollect.upkeep import Collected, Collector, Diagnosis, Doctor, Filler, Learning

_ROLES = frozenset({"user", "assistant", "system", "tool"})
_SHORTEST_TRACE = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Erased:
    """Whether anything of a text is left, and where."""

    clean: bool
    places: tuple[str, ...]


class Knowing:
    """What a `MemorySystem` does with what it knows."""

    settings: Settings
    _sessions: Sessions
    _turns: TurnMemory

    def _know(
        self,
        storage: Storage,
        layout: Layout,
        clock: Clock,
        ids: IdFactory,
        log: MemoryLog,
        access: Access,
        remember: Remember,
        filler: Filler,
    ) -> None:
        memory = self.settings.memory
        self.__log = log
        self.__storage = storage
        self.__layout = layout
        self._persons = Persons(storage, clock, ids)
        self._learner = Learner(remember, log, memory.extraction_confidence_threshold, self._language_model)
        self._learning = Learning(storage, clock, self._learner, log)
        self._forget = Forget(storage, clock, access, log, self._redact_files)
        self._collector = Collector(storage, clock, memory.max_entries)
        self._doctor = Doctor(storage, clock, ids, Evolve(ids), log, filler.run)
        self.__model: ChatModel | None = None

    def _wake_up(self) -> None:
        """What is done when memory is opened; a store that cannot do it now is opened all the same."""
        try:
            self._forget.scrub_due()
            if self.settings.memory.auto_gc:
                self._collector.expired()
        except StorageError as error:
            self.__log.write("memory.upkeep.failed", level="warning", detail=error.message)
        if self.settings.memory.extraction_enabled and self.__storage.read(lambda reader: reader.next_extraction()):
            self._learning.start()

    def _language_model(self) -> ChatModel | None:
        if self.__model is None:
            self.__model = create_model(self.settings.llm)
        return self.__model

    # People

    def people(self, *, user: str | None = None, chat: str | None = None) -> list[Person]:
        """Everybody that the speaker has spoken of: names, aliases and relations."""
        return self._persons.all(Speaker(user=user, chat=chat))

    def person(self, reference: str, *, user: str | None = None, chat: str | None = None) -> Person:
        """The one person that a name, a relation such as `my wife`, or an id means."""
        return self._persons.find(_reference(reference), Speaker(user=user, chat=chat))

    def rename_person(self, reference: str, name: str, *, user: str | None = None, chat: str | None = None) -> Person:
        """Gives somebody another name; the old one is still known."""
        return self._persons.rename(_reference(reference), name, Speaker(user=user, chat=chat))

    def merge_people(self, reference: str, into: str, *, user: str | None = None, chat: str | None = None) -> Person:
        """Two that are one person: what is known of the first is known of the second."""
        return self._persons.merge(_reference(reference), _reference(into), Speaker(user=user, chat=chat))

    def split_person(
        self,
        reference: str,
        name: str,
        memories: Sequence[str],
        *,
        relation: str | None = None,
        user: str | None = None,
        chat: str | None = None,
    ) -> Person:
        """One who is two people: these facts are about somebody new of this name."""
        if not _is_list(memories):
            raise InvalidInput.of("invalid_input", "memories", memories, "a list of ids of facts about this person")
        for memory_id in memories:
            check_uuid(memory_id, "memoryId")
        speaker = Speaker(user=user, chat=chat)
        return self._persons.split(_reference(reference), name, memories, speaker, relation)

    def undo_person(self, reference: str, *, user: str | None = None, chat: str | None = None) -> Person:
        """Takes back the last change to somebody: a name, a merge or a split."""
        return self._persons.undo(_reference(reference), Speaker(user=user, chat=chat))

    # Learning

    def extract(
        self,
        messages: Iterable[tuple[str, str]],
        *,
        user: str | None = None,
        chat: str | None = None,
        conversation_id: str | None = None,
    ) -> list[Receipt]:
        """Learns from (role, text) messages at once: a receipt for every fact that the user told."""
        speaker = Speaker(user=user, chat=chat)
        if conversation_id is not None:
            check_opaque_id(conversation_id, "conversationId")
        return self._learner.learn(_utterances(messages), speaker, conversation_id)

    def learn_pending(self) -> int:
        """Learns from every conversation that waits for it, without waiting until it is due; how many facts."""
        return self._learning.run(all_pending=True)

    # Forgetting

    def forget(self, memory_id: str | Sequence[str], *, user: str | None = None, chat: str | None = None) -> Forgotten:
        """Erases memories for good, with what was said of them and all that is derived; they are not learned again."""
        ids = [memory_id] if isinstance(memory_id, str) else memory_id
        if not _is_list(ids) or not ids:
            raise InvalidInput.of("invalid_input", "memoryId", memory_id, "an id, or a list of ids")
        for each in ids:
            check_uuid(each, "memoryId")
        return self._forget.memories(ids, Speaker(user=user, chat=chat))

    def forget_person(self, reference: str, *, user: str | None = None, chat: str | None = None) -> Forgotten:
        """Erases somebody, and every fact about them that the speaker may see."""
        return self._forget.person(_reference(reference), Speaker(user=user, chat=chat))

    def forget_user(self, user: str) -> Forgotten:
        """Erases everything that is one user's alone: memories, people, sessions and profile."""
        check_opaque_id(user, "user")
        self._turns.forget_user(user)
        drop_snapshots(self.__layout.bulletins)
        return self._forget.user(user, self._sessions.delete_all_of)

    def verify_erased(self, text: str) -> Erased:
        """Looks for what is left of a text in the store, its journals, sessions, logs and all other files."""
        check = Checker()
        wanted = check.text(text, "text", "invalid_input")
        check.done()
        if len(wanted) < _SHORTEST_TRACE:
            raise InvalidInput.of("invalid_input", "text", text, f"at least {_SHORTEST_TRACE} characters")
        needles = traces([wanted])
        places = [*self.__storage.residue(needles), *files_holding(self.__layout.memory, needles)]
        return Erased(clean=not places, places=tuple(dict.fromkeys(places)))

    def _redact_files(
        self,
        speaker: Speaker | None,
        redacted: Callable[[str], str],
        needles: Sequence[bytes],
        sources: Sequence[str],
    ) -> None:
        """Everything outside the memories themselves that tells what is forgotten."""
        drop_snapshots(self.__layout.bulletins)
        redact_files([self.__layout.processed, self.__layout.rejected], needles, redacted, sources)
        self._sessions.redact(speaker, redacted)
        if speaker is None or speaker.user is not None:
            self._turns.redact(redacted, user_id=None if speaker is None else speaker.user)
        chat = None if speaker is None else speaker.chat
        for session in self._sessions.list() if chat is not None else ():
            if session.chat_id == chat:
                self._turns.redact(redacted, conversation_id=session.session_id)

    # Order

    def gc(self, *, dry_run: bool = False, superseded_for: timedelta = timedelta(0)) -> Collected:
        """Puts away what no longer counts: expired, superseded (for at least a time), beyond the cap."""
        if superseded_for < timedelta(0):
            raise InvalidInput.of("invalid_input", "supersededFor", superseded_for, "a duration")
        collected = self._collector.run(dry_run=dry_run, superseded_for=superseded_for)
        return collected if dry_run else replace(collected, artifacts=self._turns.collect())

    def doctor(self, *, fix: bool = False) -> Diagnosis:
        """Looks for duplicates, contradictions, missing vectors, orphans and the like; repairs them when asked to."""
        model = getattr(self, "embedding_model", None)
        diagnosis = self._doctor.examine(model)
        return self._doctor.fix(diagnosis) if fix else diagnosis


def _is_list(value: Any) -> bool:
    return isinstance(value, list | tuple)


def _reference(reference: Any) -> str:
    if not isinstance(reference, str) or not reference.strip():
        raise InvalidInput.of("invalid_input", "person", reference, "a name, a relation or an id")
    return reference.strip()


def _utterances(messages: Any) -> list[Utterance]:
    if isinstance(messages, str | bytes) or not isinstance(messages, Iterable):
        raise InvalidInput.of("invalid_input", "messages", messages, "a list of (role, text)")
    said = []
    for each in messages:
        if not isinstance(each, tuple | list) or len(each) != 2 or not all(isinstance(part, str) for part in each):  # noqa: PLR2004
            raise InvalidInput.of("invalid_input", "messages", each, "a pair of a role and a text")
        if each[0] not in _ROLES:
            raise InvalidInput.of("invalid_role", "role", each[0], "one of " + ", ".join(sorted(_ROLES)))
        said.append(Utterance(role=each[0], text=each[1]))
    return said
