"""Forgetting for good: what is forgotten leaves no byte behind, and is not learned again by itself."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from recollect.errors import NotFound
from recollect.knowledge.access import Access, everything
from recollect.knowledge.claims import read_claims
from recollect.knowledge.people import Circle
from recollect.knowledge.understand import NOT_READ, content_key
from recollect.log import MemoryLog
from recollect.model.clock import Clock, to_micros
from recollect.model.edge import EdgeType
from recollect.model.event import Event, EventKind
from recollect.model.memory import Memory
from recollect.model.person import Person
from recollect.model.scope import Scope, Speaker, Visibility
from recollect.model.session import Message
from recollect.model.terms import terms
from recollect.model.text import summarise
from recollect.storage.interface import Reader, Storage, Writer

FORGOTTEN = "[forgotten]"
# Kept in the store while something that was erased may still lie in freed space.
SCRUB_DUE = "scrub_due"
_PAGE = 500
_CLOSEST = 50
_ALL = 1_000_000
_FEWEST_WORDS = 2
_SHORTEST = 8
# So many words in common, all that a fact has, say the same thing.
_TELLING = 3
_PIECE = 48
_MOST_PIECES = 50
_SHORT = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    """What was forgotten, in counts; never the content.

    `scrubbed` is false while others who are reading keep freed space from being overwritten: upkeep finishes that.
    """

    memories: int = 0
    people: int = 0
    messages: int = 0
    sessions: int = 0
    scrubbed: bool = True


class Forget:
    """Erases memories with everything that tells of them: messages, files, index entries, vectors, events' details."""

    def __init__(
        self,
        storage: Storage,
        clock: Clock,
        access: Access,
        log: MemoryLog,
        redact_files: Callable[[Speaker | None, Callable[[str], str], Sequence[bytes], Sequence[str]], None],
    ) -> None:
        self._storage = storage
        self._clock = clock
        self._access = access
        self._log = log
        self._redact_files = redact_files

    def memories(self, memory_ids: Sequence[str], speaker: Speaker) -> Forgotten:
        """Some memories that the speaker may see; all of them or none."""
        seen = everything(self._storage.orchestrator_id, speaker, self._clock.now())

        def find(reader: Reader) -> _Target:
            found = [self._access.visible(reader, seen, memory_id) for memory_id in dict.fromkeys(memory_ids)]
            return _Target.of(reader, seen, found, ())

        target = self._access.guarded("forget", speaker, lambda: self._storage.read(find))
        return self._forget(target, speaker)

    def person(self, reference: str, speaker: Speaker) -> Forgotten:
        """Somebody, and every fact about them that the speaker may see."""
        seen = everything(self._storage.orchestrator_id, speaker, self._clock.now())

        def find(reader: Reader) -> _Target:
            circle = Circle.known(reader, speaker)
            person = named(circle, reference)[0]
            ids = circle.group(person.person_id)
            return _Target.of(reader, seen, _about(reader, seen, ids), person.names, ids)

        return self._forget(self._storage.read(find), speaker)

    def user(self, user: str, delete_sessions: Callable[[str], int]) -> Forgotten:
        """Everything that is one user's alone: memories, people, sessions and profile."""
        scope = Scope(owner_user_id=user)
        sessions = delete_sessions(user)

        def work(writer: Writer) -> tuple[int, int]:
            memory_ids = writer.memories_in(scope, _ALL)
            writer.erase_memories(memory_ids)
            people = writer.people(scope)
            for person in people:
                writer.erase_person(person.person_id)
            writer.drop_profiles(user)
            now = self._clock.now()
            writer.add_events([Event(kind=EventKind.FORGOTTEN, actor=user, occurred_at=now)])
            writer.set_meta(SCRUB_DUE, "1")
            return len(memory_ids), len(people)

        memories, people = self._storage.write(work)
        read_claims.cache_clear()
        scrubbed = self.scrub([])
        self._log.write("memory.forget_user", memories=memories, people=people, sessions=sessions)
        return Forgotten(memories=memories, people=people, sessions=sessions, scrubbed=scrubbed)

    def _forget(self, target: _Target, speaker: Speaker) -> Forgotten:
        """Files first: after a crash in between the memory is still there, and can be forgotten again."""
        everybody = any(memory.scope.shared for memory in target.memories)
        needles = traces([*(each.text for each in target.wordings), *target.names])
        self._redact_files(None if everybody else speaker, target.redacted, needles, target.paths)
        messages = self._storage.write(lambda writer: self._erase(writer, target, speaker, everybody=everybody))
        read_claims.cache_clear()
        scrubbed = self.scrub(needles)
        self._log.write("memory.forget", count=len(target.memories), actor=speaker.actor)
        return Forgotten(memories=len(target.memories), people=len(target.people), messages=messages, scrubbed=scrubbed)

    def scrub(self, needles: Sequence[bytes]) -> bool:
        """Overwrites what was only freed; what cannot be done now, since others are reading, is done later."""
        if not self._storage.scrub(needles):
            self._log.write("memory.forget.scrub_postponed", level="warning")
            return False
        self._storage.write(lambda writer: writer.set_meta(SCRUB_DUE, ""))
        return True

    def scrub_due(self) -> None:
        """Finishes what could not be overwritten when it was forgotten."""
        if self._storage.read(lambda reader: reader.meta(SCRUB_DUE)):
            self.scrub([])

    def _erase(self, writer: Writer, target: _Target, speaker: Speaker, *, everybody: bool) -> int:
        now = self._clock.now()
        said = [
            message
            for message in _messages(writer, speaker, everybody=everybody)
            if message.message_id in target.message_ids or target.redacted(message.content) != message.content
        ]
        for message in said:
            writer.redact_message(message.message_id, FORGOTTEN)
        for memory in target.memories:
            key = writer.content_key_of(memory.memory_id) or content_key(memory.content)
            writer.note_forgotten(memory.scope, [key, content_key(memory.content)], to_micros(now))
        gone = [memory.memory_id for memory in [*target.memories, *target.parts]]
        searched = [message.memory_id for message in said if message.memory_id is not None]
        writer.erase_memories(list(dict.fromkeys([*gone, *searched])))
        self._redact_others(writer, target, speaker, now)
        for person_id in target.people:
            writer.erase_person(person_id)
        writer.add_events(
            [
                *(
                    Event(kind=EventKind.FORGOTTEN, actor=speaker.actor, occurred_at=now, memory_id=each)
                    for each in gone
                ),
                *(
                    Event(kind=EventKind.PERSON_FORGOTTEN, actor=speaker.actor, occurred_at=now, person_id=each)
                    for each in target.people
                ),
            ]
        )
        writer.set_meta(SCRUB_DUE, "1")
        return len(said)

    def _redact_others(self, writer: Writer, target: _Target, speaker: Speaker, now: datetime) -> None:
        """Takes what is forgotten out of summaries and documents that hold it, and out of the speaker's notes."""
        seen = everything(self._storage.orchestrator_id, speaker, now)
        for wording in target.wordings:
            matches = writer.match_terms(seen, terms(wording.text), _CLOSEST)
            found, _ = writer.by_seq(seen, [hit.seq for hit in matches.ranked])
            for memory in found.values():
                content = wording.taken_out(memory.content, set(terms(memory.content)))
                if content != memory.content:
                    edited = replace(memory, content=content, summary=summarise(content), updated_at=now)
                    writer.replace_memory(edited, terms(content), awaits_vector=True)
                    writer.set_content_key(memory.memory_id, NOT_READ)
                    writer.blank_events(memory.memory_id)
        if speaker.user is not None:
            profile = writer.profile(speaker.user, "local")
            if profile is not None and profile.notes and (notes := target.redacted(profile.notes)) != profile.notes:
                writer.put_profile(replace(profile, notes=notes))


@dataclass(frozen=True, slots=True)
class _Target:
    """What is to be forgotten: memories with their parts, every wording they had, where they were said, and of whom."""

    memories: list[Memory]
    parts: list[Memory]
    wordings: list[_Wording]
    message_ids: frozenset[str]
    names: tuple[str, ...] = ()
    people: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        reader: Reader,
        seen: Visibility,
        memories: Sequence[Memory],
        names: Sequence[str],
        people: Sequence[str] = (),
    ) -> _Target:
        """Looks up all that belongs to some memories."""
        ids = {memory.memory_id for memory in memories}
        parts = [
            part
            for edge in reader.edges(seen, ids)
            if edge.edge_type is EdgeType.PART_OF
            and edge.to_memory_id in ids
            and (part := reader.memory(seen, edge.from_memory_id)) is not None
        ]
        texts: dict[str, None] = {}
        for memory in memories:
            texts[memory.content] = None
            for event in reader.events(memory.memory_id):
                before = event.detail.get("before") or {}
                if isinstance(before.get("content"), str):
                    texts[before["content"]] = None
        said = frozenset(each for memory in memories for each in reader.message_ids_of(memory.memory_id))
        paths = tuple(dict.fromkeys(path for each in ids for path in reader.source_paths(each)))
        return cls(list(memories), parts, list(map(_Wording, texts)), said, tuple(names), tuple(people), paths)

    def redacted(self, text: str) -> str:
        """A text without what is forgotten: without its wording, or empty where it says the same in other words."""
        words = set(terms(text))
        for wording in self.wordings:
            text = wording.taken_out(text, words)
        named = any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE) for name in self.names)
        return FORGOTTEN if named else text


class _Wording:
    """One wording of something that is to be forgotten, as it is recognised elsewhere."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._pattern = _pattern(text)
        self._terms = {term for term in terms(text) if not term.isdigit()}

    def taken_out(self, text: str, words: set[str]) -> str:
        """A text without this wording; `words` are the text's terms."""
        if len(self._terms) >= _TELLING and self._terms <= words:
            return FORGOTTEN
        return self._pattern.sub(FORGOTTEN, text)


def named(circle: Circle, reference: str) -> list[Person]:
    """Those that a reference means; it is an error where there is nobody, or more than one."""
    found = circle.find_reference(reference)
    if not found:
        near = difflib.get_close_matches(reference, [name for person in circle.current() for name in person.names], n=1)
        hint = f"did you mean {near[0]}?" if near else "`people list` shows who is known"
        raise NotFound(f"nobody is known as {reference!r}", code="person_not_found", hint=hint)
    if len(found) > 1:
        told = ", ".join(f"{circle.described(person)} ({person.person_id})" for person in found)
        raise NotFound(f"{reference!r} may be {told}", code="person_ambiguous", hint="give the person's id")
    return found


def _about(reader: Reader, seen: Visibility, person_ids: Iterable[str]) -> list[Memory]:
    ids = dict.fromkeys(memory_id for person in person_ids for memory_id in reader.memories_of_person(person))
    return [memory for memory_id in ids if (memory := reader.memory(seen, memory_id)) is not None]


def _messages(reader: Reader, speaker: Speaker, *, everybody: bool) -> Iterable[Message]:
    """Everything that was said in the sessions of a speaker and in their chat, or by everybody, page by page."""
    after = ("", -1)
    while page := reader.messages_of(speaker.user, speaker.chat, after, _PAGE, everybody=everybody):
        yield from page
        after = (page[-1].session_id, page[-1].position)


def _pattern(text: str) -> re.Pattern[str]:
    """What finds a text wherever it stands as words, in any case and however its blanks were written.

    One word is too little to know a text by: only what says nothing else is taken for it.
    """
    words = text.rstrip(" .!").split()
    pattern = r"\s+".join(re.escape(word) for word in words)
    whole = len(words) < _FEWEST_WORDS or len(text) < _SHORTEST
    return re.compile(rf"\A\s*{pattern}\W*\Z" if whole else rf"(?<!\w){pattern}(?!\w)", re.IGNORECASE)


def traces(contents: Iterable[str]) -> list[bytes]:
    """The bytes by which contents would be found: pieces of them, escaped in JSON, and the words they were searched by.

    Pieces, since a long text does not lie in one piece in a database.
    """
    found: dict[bytes, None] = {}
    for content in contents:
        for text in (
            content,
            json.dumps(content)[1:-1],
            json.dumps(content, ensure_ascii=False)[1:-1],
            " ".join(terms(content)),
        ):
            for start in range(0, min(len(text), _PIECE * _MOST_PIECES), _PIECE):
                piece = text[start : start + _PIECE]
                if len(piece) == _PIECE or (start == 0 and len(piece) > _SHORT):
                    found[piece.lower().encode("utf-8", "surrogatepass")] = None
    return list(found)
