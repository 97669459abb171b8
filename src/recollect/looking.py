"""The part of a memory for those who look at it: what there is, what changed when, how it hangs together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any

from recollect.arguments import flag, memory_types, number_from
from recollect.errors import InvalidInput, NotFound
from recollect.knowledge import Access, everything
from recollect.knowledge.people import Circle
from recollect.model.check import Checker
from recollect.model.clock import Clock, parse_time, to_micros
from recollect.model.edge import Edge
from recollect.model.event import Event, EventKind
from recollect.model.ids import check_uuid
from recollect.model.memory import Kind, Memory
from recollect.model.person import Person
from recollect.model.scope import Speaker, Visibility, gate
from recollect.model.status import Status
from recollect.recall import rewound
from recollect.storage.interface import Reader, Storage
from recollect.surface import Listing

_ENDS = ("toMemoryId", "fromMemoryId", "by")
_EPOCH = date(1970, 1, 1)
_LAST = 2**62
_MOST_NODES = 2_000


@dataclass(frozen=True, slots=True)
class Changed:
    """Something that happened to a memory, and the memory as it is now."""

    event: Event
    memory: Memory


@dataclass(frozen=True, slots=True)
class Pulse:
    """The sequence of the newest event, and whether anything has changed since the one that was asked about."""

    sequence: int
    changed: bool


@dataclass(frozen=True, slots=True)
class Learned:
    """How many memories of a type, from a kind of source, were learned on a day (UTC)."""

    day: date
    type: str
    source_type: str
    count: int


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two memories that both count and contradict each other."""

    one: Memory
    other: Memory


@dataclass(frozen=True, slots=True)
class Graph:
    """Memories, the edges among them, and the people they are about; `about` has the ids of people by memory.

    `truncated` says that there is more than was asked for.
    """

    memories: list[Memory] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)
    people: list[Person] = field(default_factory=list)
    about: dict[str, list[str]] = field(default_factory=dict)
    truncated: bool = False


class Looking:
    """What a `MemorySystem` shows of itself."""

    _speaker: Callable[[str | None, str | None], Speaker]
    person: Callable[..., Person]

    def _look(self, storage: Storage, clock: Clock, access: Access) -> None:
        self.__storage = storage
        self.__clock = clock
        self.__access = access

    def list(
        self,
        *,
        user: str | None = None,
        chat: str | None = None,
        types: Iterable[Any] | None = None,
        statuses: Iterable[Any] = (Status.ACTIVE,),
        include_expired: bool = False,
        known_at: datetime | str | None = None,
        limit: int = 100,
        offset: int = 0,
    ) -> Listing:
        """What the speaker may see, newest first; with `known_at` as it was then."""
        check = Checker()
        if not isinstance(statuses, Iterable):
            raise InvalidInput.of("invalid_input", "statuses", statuses, "a list")
        wanted = [check.enum(Status, item, "statuses", "invalid_status") for item in statuses]
        check.done()
        moment = None if known_at is None else parse_time(known_at, "knownAt")
        visibility = gate(
            self.__storage.orchestrator_id,
            self._speaker(user, chat),
            self.__clock.now(),
            statuses=wanted,
            include_expired=flag(include_expired, "includeExpired"),
            known_at=moment,
            types=memory_types(types),
        )
        limit, offset = number_from(limit, "limit", 1), number_from(offset, "offset", 0)

        def read(reader: Reader) -> Listing:
            found = reader.memories(visibility, limit=limit, offset=offset)
            shown = [memory for memory in found.memories if not self.__access.withheld(memory)]
            if moment is not None:
                shown = [rewound(reader, memory, moment) for memory in shown]
            return Listing(shown, found.damaged)

        return self.__storage.read(read)

    def changes(
        self,
        *,
        user: str | None = None,
        chat: str | None = None,
        after: int = 0,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
        kinds: Iterable[Any] | None = None,
        limit: int = 100,
    ) -> Sequence[Changed]:
        """What happened to the memories that the speaker may see, the last first.

        In a period, or after the `sequence` of an event; `kinds` are the only kinds of events. What was forgotten is
        not among it.
        """
        seen = self._all(user, chat)
        start = 0 if since is None else to_micros(parse_time(since, "since"))
        end = _LAST if until is None else to_micros(parse_time(until, "until"))
        most, first = number_from(limit, "limit", 1), _sequence(after)
        check = Checker()
        wanted = None if kinds is None else [check.enum(EventKind, each, "kinds", "invalid_kind") for each in kinds]
        check.done()

        def read(reader: Reader) -> list[Changed]:
            found = []
            known: dict[str, Memory | None] = {}
            for event in reader.changes(seen, first, start, end, most, wanted):
                named = [event.memory_id, *(event.detail[end] for end in _ENDS if end in event.detail)]
                if all(self._shown(reader, seen, each, known) for each in named):
                    memory = known[str(event.memory_id)]
                    found += [] if memory is None else [Changed(event, memory)]
            return found

        return self.__storage.read(read)

    def pulse(self, *, user: str | None = None, chat: str | None = None, after: int | None = None) -> Pulse:
        """Whether anything has changed for the speaker since an event, and which event is the newest now.

        That is how a page that is open stays up to date; what was forgotten counts, though nothing of it is left.
        """
        seen = self._all(user, chat)

        def read(reader: Reader) -> Pulse:
            newest = reader.newest_event()
            first = newest if after is None else _sequence(after)
            changed = first < newest and (
                reader.acted(seen.speaker.actor, first) or bool(reader.changes(seen, first, 0, _LAST, 1))
            )
            return Pulse(newest, changed)

        return self.__storage.read(read)

    def learned(
        self, *, user: str | None = None, chat: str | None = None, since: datetime | str | None = None
    ) -> Sequence[Learned]:
        """How much was learned on which day, by type and source, whatever became of it since; in the order of days."""
        seen = self._all(user, chat)
        start = 0 if since is None else to_micros(parse_time(since, "since"))
        rows = self.__storage.read(lambda reader: reader.learned(seen, start))
        return [Learned(_EPOCH + timedelta(days=day), kind, source, count) for day, kind, source, count in rows]

    def conflicts(self, *, user: str | None = None, chat: str | None = None, limit: int = 100) -> Sequence[Conflict]:
        """Memories that contradict each other and both count, the newest contradiction first."""
        seen = gate(self.__storage.orchestrator_id, self._speaker(user, chat), self.__clock.now())
        most = number_from(limit, "limit", 1)

        def read(reader: Reader) -> list[Conflict]:
            pairs = reader.open_conflicts(seen, most)
            found, _ = reader.by_seq(seen, sorted({seq for pair in pairs for seq in pair}))
            known = {seq: memory for seq, memory in found.items() if not self.__access.withheld(memory)}
            return [Conflict(known[one], known[other]) for one, other in pairs if one in known and other in known]

        return self.__storage.read(read)

    def graph(
        self,
        *,
        user: str | None = None,
        chat: str | None = None,
        around: str | None = None,
        about: str | None = None,
        limit: int = 300,
    ) -> Graph:
        """How memories hang together: the newest, those `around` a memory, or those `about` somebody.

        With them come what they replaced and what they are related to, as far as the limit goes.
        """
        if around is not None and about is not None:
            raise InvalidInput.of("invalid_input", "around", around, "alone: around a memory or about somebody")
        seen = self._all(user, chat)
        most = min(number_from(limit, "limit", 1), _MOST_NODES)
        people = [] if about is None else [self.person(about, user=user, chat=chat)]
        if around is not None:
            check_uuid(around, "around")

        def read(reader: Reader) -> Graph:
            start = self._centre(reader, seen, around, people, most)
            return self._grown(reader, seen, start, most)

        return self.__access.guarded("graph", seen.speaker, lambda: self.__storage.read(read))

    def _all(self, user: str | None, chat: str | None) -> Visibility:
        return everything(self.__storage.orchestrator_id, self._speaker(user, chat), self.__clock.now(), (Kind.MEMORY,))

    def _shown(self, reader: Reader, seen: Visibility, memory_id: Any, known: dict[str, Memory | None]) -> bool:
        if memory_id not in known:
            found = reader.memory(seen, str(memory_id))
            known[memory_id] = None if found is None or self.__access.withheld(found) else found
        return known[memory_id] is not None

    def _centre(
        self, reader: Reader, seen: Visibility, around: str | None, people: Sequence[Person], most: int
    ) -> Sequence[Memory]:
        if around is not None:
            memory = reader.memory(seen, around)
            if memory is None or self.__access.withheld(memory):
                raise NotFound(f"no memory {around}", hint="`list` shows what there is", memoryId=around)
            subjects = reader.subjects([around]).get(around, [])
            found, _ = reader.by_seq(seen, reader.about(seen, [each.person_id for each in subjects], most - 1))
            others = [each for each in found.values() if each.memory_id != around]
            return [memory, *(each for each in others if not self.__access.withheld(each))]
        if people:
            found, _ = reader.by_seq(seen, reader.about(seen, [each.person_id for each in people], most))
            return [each for each in found.values() if not self.__access.withheld(each)]
        counting = gate(seen.orchestrator_id, seen.speaker, seen.now)
        # What contradicts something and what is about somebody is worth seeing before what is merely new.
        told = [seq for pair in reader.open_conflicts(counting, most // 8) for seq in pair]
        persons = [each.person_id for each in Circle.known(reader, seen.speaker).current()]
        told += reader.about(counting, persons, most // 2) if persons else []
        found, _ = reader.by_seq(counting, list(dict.fromkeys(told))[:most])
        first = {each.memory_id: each for each in found.values()}
        first |= {each.memory_id: each for each in reader.memories(counting, limit=most + 1, offset=0).memories}
        return [each for each in first.values() if not self.__access.withheld(each)]

    def _grown(self, reader: Reader, seen: Visibility, start: Sequence[Memory], most: int) -> Graph:
        """Some memories, those that edges lead to from them, and who they are about."""
        nodes = {memory.memory_id: memory for memory in start[:most]}
        truncated = len(start) > most
        edges = reader.edges(seen, list(nodes))
        known: dict[str, Memory | None] = {}
        for edge in edges:
            for end in (edge.from_memory_id, edge.to_memory_id):
                if end not in nodes and self._shown(reader, seen, end, known):
                    if len(nodes) >= most:
                        truncated = True
                    elif (memory := known[end]) is not None:
                        nodes[end] = memory
        subjects = reader.subjects(list(nodes))
        people = {person.person_id: person for found in subjects.values() for person in found}
        return Graph(
            memories=list(nodes.values()),
            edges=[edge for edge in edges if edge.from_memory_id in nodes and edge.to_memory_id in nodes],
            people=list(people.values()),
            about={memory_id: [person.person_id for person in found] for memory_id, found in subjects.items()},
            truncated=truncated,
        )


def _sequence(after: Any) -> int:
    if not isinstance(after, int) or isinstance(after, bool) or not 0 <= after < _LAST:
        raise InvalidInput.of("invalid_input", "after", after, "the sequence of an event")
    return after
