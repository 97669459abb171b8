"""Changes to people: renamed, merged, split; each followed by every fact, each with its event, each to be undone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TypeVar

from recollect.errors import IllegalTransition, InvalidInput
from recollect.knowledge.draft import refuse_secrets
from recollect.knowledge.forget import named
from recollect.knowledge.people import Circle
from recollect.model.check import Checker
from recollect.model.clock import Clock
from recollect.model.event import Event, EventKind
from recollect.model.ids import IdFactory
from recollect.model.person import Person, Relation
from recollect.model.scope import Speaker
from recollect.storage.interface import Reader, Storage, Writer

T = TypeVar("T")
_LONGEST_NAME = 200


class Persons:
    """The people of a speaker, and what may be changed about them."""

    def __init__(self, storage: Storage, clock: Clock, ids: IdFactory) -> None:
        self._storage = storage
        self._clock = clock
        self._ids = ids

    def all(self, speaker: Speaker) -> list[Person]:
        """Everybody that a speaker has spoken of, with all their names and relations, who was known first first."""

        def work(reader: Reader) -> list[Person]:
            return Circle.known(reader, speaker).current()

        return self._storage.read(work)

    def find(self, reference: str, speaker: Speaker) -> Person:
        """The one person that a name, a relation or an id means."""
        return self._storage.read(lambda reader: named(Circle.known(reader, speaker), reference)[0])

    def rename(self, reference: str, name: str, speaker: Speaker) -> Person:
        """Another name; the old one is still known."""
        name = _checked_name(name)

        def work(writer: Writer, circle: Circle, now: datetime) -> Person:
            person = _own(writer, speaker, named(circle, reference)[0])
            aliases = tuple(each for each in dict.fromkeys([*person.aliases, person.name]) if each and each != name)
            changed = replace(person, name=name, aliases=aliases, updated_at=now)
            self._put(writer, speaker, changed, EventKind.PERSON_CHANGED, now, before=_told(person))
            return changed

        return self._change(speaker, work)

    def merge(self, reference: str, into: str, speaker: Speaker) -> Person:
        """Two that are one: everything about the first is about the second from now on."""

        def work(writer: Writer, circle: Circle, now: datetime) -> Person:
            person, target = named(circle, reference)[0], named(circle, into)[0]
            if person.person_id == target.person_id:
                raise IllegalTransition("nobody can be merged with themself", personId=person.person_id)
            own = _own(writer, speaker, person)
            merged = replace(own, merged_into=target.person_id, updated_at=now)
            self._put(writer, speaker, merged, EventKind.PERSON_MERGED, now, into=target.person_id)
            return named(Circle.known(writer, speaker), target.person_id)[0]

        return self._change(speaker, work)

    def split(
        self, reference: str, name: str, memory_ids: Sequence[str], speaker: Speaker, relation: str | None = None
    ) -> Person:
        """One who is two: some facts are about somebody new of this name."""
        name = _checked_name(name)

        def work(writer: Writer, circle: Circle, now: datetime) -> Person:
            person = named(circle, reference)[0]
            group = circle.group(person.person_id)
            facts = {each for one in group for each in writer.memories_of_person(one)}
            for memory_id in memory_ids:
                if memory_id not in facts:
                    raise InvalidInput.of("invalid_input", "memories", memory_id, "a fact about this person")
            new = Person(
                person_id=self._ids.new(),
                name=name,
                relations=() if relation is None else (Relation(relation),),
                created_at=now,
                updated_at=now,
            )
            self._put(writer, speaker, new, EventKind.PERSON_SPLIT, now, out_of=person.person_id)
            self._move(writer, memory_ids, group, new.person_id)
            own = _own(writer, speaker, person)
            if name in own.aliases:
                kept = replace(own, aliases=tuple(each for each in own.aliases if each != name), updated_at=now)
                self._put(writer, speaker, kept, EventKind.PERSON_CHANGED, now, before=_told(own))
            return new

        return self._change(speaker, work)

    @staticmethod
    def _move(writer: Writer, memory_ids: Sequence[str], group: Sequence[str], target: str) -> None:
        for memory_id in memory_ids:
            for one in group:
                writer.drop_subject(memory_id, one)
                writer.move_claims(memory_id, f"person:{one}", f"person:{target}")
            writer.add_subjects(memory_id, [target])

    def undo(self, reference: str, speaker: Speaker) -> Person:
        """Takes back the last change to somebody: a name, a merge or a split."""

        def work(writer: Writer, circle: Circle, now: datetime) -> Person:
            person = self._last_changed(writer, circle, reference)
            event = _to_undo(writer.person_events(person.person_id))
            if event is None:
                raise IllegalTransition(f"there is nothing to undo about {reference!r}", personId=person.person_id)
            own = _own(writer, speaker, person)
            if event.kind is EventKind.PERSON_MERGED:
                undone = replace(own, merged_into=None, updated_at=now)
            elif event.kind is EventKind.PERSON_SPLIT:
                origin = str(event.detail["outOf"])
                self._move(writer, writer.memories_of_person(person.person_id), [person.person_id], origin)
                writer.erase_person(person.person_id)
                return _own(writer, speaker, circle.member(origin))
            else:
                before = event.detail["before"]
                undone = replace(own, name=before["name"], aliases=tuple(before["aliases"]), updated_at=now)
            self._put(writer, speaker, undone, EventKind.PERSON_CHANGED, now, undone=event.sequence)
            return undone

        return self._change(speaker, work)

    @staticmethod
    def _last_changed(writer: Writer, circle: Circle, reference: str) -> Person:
        """Who was changed last of all that are one person: a merge is undone by naming either."""
        person = named(circle, reference)[0]
        group = [circle.member(each) for each in circle.group(person.person_id)]

        def last(member: Person) -> int:
            event = _to_undo(writer.person_events(member.person_id))
            return 0 if event is None else event.sequence or 0

        return max(group, key=last)

    def _put(
        self, writer: Writer, speaker: Speaker, person: Person, kind: EventKind, now: datetime, **detail: object
    ) -> None:
        writer.put_person(speaker.scope(), person)
        told = {{"out_of": "outOf"}.get(key, key): value for key, value in detail.items()}
        writer.add_events(
            [Event(kind=kind, actor=speaker.actor, occurred_at=now, person_id=person.person_id, detail=told)]
        )

    def _change(self, speaker: Speaker, work: Callable[[Writer, Circle, datetime], T]) -> T:
        now = self._clock.now()
        return self._storage.write(lambda writer: work(writer, Circle.known(writer, speaker), now))


def _own(reader: Reader, speaker: Speaker, person: Person) -> Person:
    """A person as stored, without what those have who were merged into them."""
    return next(each for each in reader.people(speaker.scope()) if each.person_id == person.person_id)


def _told(person: Person) -> dict[str, object]:
    return {"name": person.name, "aliases": list(person.aliases)}


def _undoable(event: Event) -> bool:
    return event.kind in {EventKind.PERSON_MERGED, EventKind.PERSON_SPLIT} or "before" in event.detail


def _to_undo(events: Sequence[Event]) -> Event | None:
    """The last change that was not undone yet."""
    undone = {event.detail.get("undone") for event in events}
    return next((event for event in reversed(events) if _undoable(event) and event.sequence not in undone), None)


def _checked_name(name: str) -> str:
    check = Checker()
    checked = check.text(name, "name", "invalid_input", _LONGEST_NAME)
    check.done()
    refuse_secrets(checked)
    return " ".join(checked.split())
