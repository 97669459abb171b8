"""The doctor: finds what is wrong with a store, and repairs what can be repaired, after it was shown."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from recollect.errors import RecollectError
from recollect.knowledge import Circle, Evolve
from recollect.knowledge.conflicts import excludes
from recollect.knowledge.secrets import find
from recollect.knowledge.transition import new_edge, set_status, supersede
from recollect.knowledge.understand import NOT_READ, content_key
from recollect.log import MemoryLog
from recollect.model.claim import Claimed
from recollect.model.clock import Clock
from recollect.model.edge import EdgeType
from recollect.model.ids import IdFactory
from recollect.model.memory import Kind, Memory
from recollect.model.scope import Scope, Speaker
from recollect.model.status import Status
from recollect.storage.interface import Reader, Storage, Writer

_PAGE = 500
_ACTOR = "system:doctor"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something wrong: of which kind, with which memories or people, and what would be done about it."""

    kind: str
    message: str
    ids: tuple[str, ...] = ()
    remedy: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """Everything that was found, and how much of it was repaired."""

    findings: tuple[Finding, ...] = ()
    checked: int = 0
    fixed: int = 0
    not_fixed: tuple[str, ...] = field(default=())


class Doctor:
    """Looks at every memory of a store; shows ids and kinds, never contents."""

    def __init__(
        self,
        storage: Storage,
        clock: Clock,
        ids: IdFactory,
        evolve: Evolve,
        log: MemoryLog,
        fill_vectors: Callable[[], int],
    ) -> None:
        self._storage = storage
        self._clock = clock
        self._ids = ids
        self._evolve = evolve
        self._log = log
        self._fill_vectors = fill_vectors

    def examine(self, model: str | None) -> Diagnosis:
        """What is wrong; nothing is changed."""

        def work(reader: Reader) -> Diagnosis:
            look = _Look(reader, self._clock.now())
            findings = [*look.findings(), *look.missing_vectors(model)]
            return Diagnosis(findings=tuple(findings), checked=look.checked)

        return self._storage.read(work)

    def fix(self, diagnosis: Diagnosis) -> Diagnosis:
        """Repairs what was found; each repair is a transaction of its own and has its events."""
        fixed, failed = 0, []
        for finding in diagnosis.findings:
            if finding.remedy is None:
                continue
            try:
                if self._remedy(finding):
                    fixed += 1
            except RecollectError as error:
                failed.append(f"{finding.kind}: {error.message}")
        self._log.write("memory.doctor", found=len(diagnosis.findings), fixed=fixed)
        return Diagnosis(findings=diagnosis.findings, checked=diagnosis.checked, fixed=fixed, not_fixed=tuple(failed))

    def read_late(self) -> int:
        """Reads the memories that are from before memories were read, in the order of their making; how many."""
        read = 0
        while late := self._storage.read(lambda reader: [each.memory_id for each in reader.not_understood(_PAGE)]):
            self._storage.write(lambda writer, ids=late: self._understand(writer, ids))  # type: ignore[misc]
            read += len(late)
        return read

    def _remedy(self, finding: Finding) -> bool:
        if finding.kind == "missing_vectors":
            return self._fill_vectors() > 0
        remedies: dict[str, Callable[[Writer, Sequence[str]], bool]] = {
            "duplicate": self._merge_duplicates,
            "contradiction": self._settle,
            "not_understood": self._understand,
            "missing_subject": self._understand,
            "orphan_person": self._drop_people,
        }
        remedy = remedies.get(finding.kind)
        return remedy is not None and self._storage.write(lambda writer: remedy(writer, finding.ids))

    def _merge_duplicates(self, writer: Writer, ids: Sequence[str]) -> bool:
        """The first stays and gains the sources of the others, which are put away."""
        first, *others = _active(writer, ids)
        now = self._clock.now()
        for other in others:
            writer.add_source(first.memory_id, other.source)
            set_status(writer, other, Status.ARCHIVED, _ACTOR, now, f"the same as {first.memory_id}")
        return bool(others)

    def _settle(self, writer: Writer, ids: Sequence[str]) -> bool:
        """The one that was said last replaces the other."""
        both = sorted(_active(writer, ids), key=lambda memory: (memory.observed_at, memory.memory_id))
        if len(both) != 2:  # noqa: PLR2004  one of them has changed meanwhile
            return False
        older, newer = both
        now = self._clock.now()
        edge = new_edge(self._ids, newer.memory_id, older.memory_id, EdgeType.UPDATES, now, "found by the doctor")
        supersede(writer, older, newer, edge, _ACTOR)
        return True

    def _understand(self, writer: Writer, ids: Sequence[str]) -> bool:
        """Reads memories anew: who they are about and what they claim."""
        for memory in _active(writer, ids, any_status=True):
            speaker = speaker_of(memory.scope)
            if speaker is None or memory.source.position is not None:
                writer.set_content_key(memory.memory_id, NOT_READ)
                continue
            writer.set_content_key(memory.memory_id, content_key(memory.content))
            circle = self._evolve.circle(writer, speaker, self._clock.now())
            self._evolve.take_in(writer, memory, speaker, circle, new=False)
        return True

    @staticmethod
    def _drop_people(writer: Writer, ids: Sequence[str]) -> bool:
        for person_id in ids:
            if not writer.memories_of_person(person_id):
                writer.erase_person(person_id)
        return True


def speaker_of(scope: Scope) -> Speaker | None:
    """Who may be taken to speak in a scope; nobody in particular where everybody does."""
    if scope.shared:
        return None
    return Speaker(user=scope.owner_user_id, chat=scope.chat_id)


def _active(writer: Writer, ids: Sequence[str], *, any_status: bool = False) -> list[Memory]:
    found = [memory for memory_id in ids if (memory := writer.any_memory(memory_id)) is not None]
    return [memory for memory in found if any_status or memory.status is Status.ACTIVE]


class _Look:
    """One examination of one view of the store."""

    def __init__(self, reader: Reader, now: datetime) -> None:
        self._reader = reader
        self._now = now
        self._circles: dict[Scope, Circle] = {}
        self.checked = 0

    def findings(self) -> Iterator[Finding]:
        """Everything that is wrong, kind by kind."""
        said: dict[tuple[Scope, bytes], list[str]] = defaultdict(list)
        claimed: dict[tuple[Scope, str, str], list[Claimed]] = defaultdict(list)
        late: list[str] = []
        for memory in self._memories():
            if isinstance(memory, Finding):
                yield memory
                continue
            self.checked += 1
            if memory.kind is not Kind.MEMORY:
                continue
            known = self._reader.content_key_of(memory.memory_id)
            if known is None and memory.source.position is None:
                late.append(memory.memory_id)
            if find(memory.content):
                message = "a memory holds what looks like a secret; forget it if it is one"
                yield Finding(kind="secret", message=message, ids=(memory.memory_id,))
            if memory.status is not Status.ACTIVE or (memory.expires_at is not None and memory.expires_at <= self._now):
                continue
            if known:
                said[memory.scope, known].append(memory.memory_id)
                yield from self._missing_subjects(memory)
            for each in self._reader.claims_of(memory.memory_id):
                claimed[memory.scope, each.claim.subject, each.claim.attribute].append(each)
        if late:
            message = f"{len(late)} memories were stored before they could be understood"
            yield Finding(kind="not_understood", message=message, ids=tuple(late), remedy="read them anew")
        yield from _duplicates(said)
        yield from self._contradictions(claimed)
        yield from self._orphans()

    def _memories(self) -> Iterator[Memory | Finding]:
        after = 0
        while True:
            found, damaged, last = self._reader.every_memory(after, _PAGE)
            yield from found
            for damage in damaged:
                yield Finding(kind="damaged", message=damage.message, ids=(damage.memory_id,))
            if last is None:
                return
            after = last

    def _missing_subjects(self, memory: Memory) -> Iterator[Finding]:
        speaker = speaker_of(memory.scope)
        if speaker is None:
            return
        if memory.scope not in self._circles:
            self._circles[memory.scope] = Circle.known(self._reader, speaker)
        circle = self._circles[memory.scope]
        if circle.is_empty:
            return
        linked = {person.person_id for person in self._reader.subjects([memory.memory_id]).get(memory.memory_id, ())}
        meant = [person for person in circle.find_text(memory.content) if person.person_id not in linked]
        if len(meant) == 1 and not linked:
            message = f"a fact names {circle.described(meant[0])} and is not about them"
            yield Finding(kind="missing_subject", message=message, ids=(memory.memory_id,), remedy="read it anew")

    @staticmethod
    def _contradictions(claimed: dict[tuple[Scope, str, str], list[Claimed]]) -> Iterator[Finding]:
        seen: set[frozenset[str]] = set()
        for claims in claimed.values():
            for number, first in enumerate(claims):
                for second in claims[number + 1 :]:
                    pair = frozenset((first.memory_id, second.memory_id))
                    if len(pair) == 2 and pair not in seen and excludes(second.claim, first.claim):  # noqa: PLR2004
                        seen.add(pair)
                        yield Finding(
                            kind="contradiction",
                            message=f"two facts say different things of {first.claim.attribute}",
                            ids=(first.memory_id, second.memory_id),
                            remedy="let the newer replace the older",
                        )

    def _orphans(self) -> Iterator[Finding]:
        for scope in self._reader.scopes():
            people = self._reader.people(scope)
            needed = {each.of for person in people for each in person.relations} | {each.merged_into for each in people}
            for person in people:
                if person.person_id in needed or self._reader.memories_of_person(person.person_id):
                    continue
                message = "somebody of whom no fact is left"
                yield Finding(kind="orphan_person", message=message, ids=(person.person_id,), remedy="forget them")

    def missing_vectors(self, model: str | None) -> Iterator[Finding]:
        """Memories that are found by words alone."""
        count = self._reader.queue_length() if model is not None else 0
        if count:
            message = f"{count} memories wait for a vector"
            yield Finding(kind="missing_vectors", message=message, remedy="make them")


def _duplicates(said: dict[tuple[Scope, bytes], list[str]]) -> Iterator[Finding]:
    for ids in said.values():
        if len(ids) > 1:
            message = f"{len(ids)} memories say the same"
            yield Finding(kind="duplicate", message=message, ids=tuple(ids), remedy="keep the first")
