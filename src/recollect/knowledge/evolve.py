"""How what is known evolves when something new comes in: who it is about, what it claims, and what that replaces."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from recollect.knowledge.access import everything
from recollect.knowledge.claims import Reading, Said, read_claims
from recollect.knowledge.conflicts import excludes, is_of_one_thing, leaves_something, withdraws
from recollect.knowledge.naming import folded
from recollect.knowledge.people import Circle, Resolved
from recollect.knowledge.transition import add_edge, new_edge, supersede
from recollect.model.claim import Claim, Claimed
from recollect.model.clock import to_micros
from recollect.model.edge import Edge, EdgeType
from recollect.model.event import Event, EventKind
from recollect.model.ids import IdFactory
from recollect.model.memory import Memory
from recollect.model.person import Person
from recollect.model.scope import Scope, ScopeKind, Speaker
from recollect.model.source import Trust
from recollect.model.status import Status
from recollect.storage.interface import Writer

# How many memories of one slot, and how many of the newest, are looked at: a slot seldom has more than one.
_MOST_OF_A_SLOT = 50
# How sure something that was learned must be to replace what somebody stated.
_SURE = 0.8
_MOST_OF_ALL = 500


@dataclass(slots=True)
class Effects:
    """What came of a memory that was taken in."""

    people: tuple[Person, ...] = ()
    superseded: list[Memory] = field(default_factory=list)
    contradicts: list[Memory] = field(default_factory=list)
    question: str | None = None
    memory: Memory | None = None


class Evolve:
    """Takes memories in, inside a transaction: people, claims, conflicts."""

    def __init__(self, ids: IdFactory) -> None:
        self._ids = ids

    def circle(self, writer: Writer, speaker: Speaker, now: datetime) -> Circle:
        """The people of who speaks."""
        return Circle(writer.people(speaker.scope()), self._ids, now)

    def take_in(
        self,
        writer: Writer,
        memory: Memory,
        speaker: Speaker,
        circle: Circle,
        about: Sequence[str] = (),
        *,
        beside: Sequence[str] = (),
        new: bool = True,
    ) -> Effects:
        """Notes who a memory is about and what it claims, and lets go of what it replaces.

        What stands `beside` it was said to contradict it, and stays.
        """
        reading = read_claims(memory.content)
        resolved = self._people(writer, memory, speaker, circle, about)
        claims = [(self._claim(said, memory.scope, speaker, resolved), said) for said in reading.said]
        kept = [(claim, said) for claim, said in claims if claim is not None]
        effects = Effects(people=tuple(resolved.people), question=resolved.question, memory=memory)
        against = self._conflicts(writer, memory, speaker, circle, kept, reading, resolved)
        for memory_id, claimed in against.items():
            if memory_id not in beside:
                self._decide(writer, memory, speaker, claimed, effects)
        writer.set_claims(memory, [claim for claim, _ in kept], speaker.actor, new=new)
        return effects

    def _people(
        self, writer: Writer, memory: Memory, speaker: Speaker, circle: Circle, about: Sequence[str]
    ) -> Resolved:
        resolved = circle.resolve_text(memory.content)
        for reference in about:
            named = circle.resolve_reference(reference)
            resolved.people += [
                each for each in named.people if each.person_id not in {p.person_id for p in resolved.people}
            ]
            resolved.worded |= named.worded
            resolved.question = resolved.question or named.question
        self.store_people(writer, speaker, circle, memory.created_at)
        writer.add_subjects(memory.memory_id, [person.person_id for person in resolved.people])
        return resolved

    def store_people(self, writer: Writer, speaker: Speaker, circle: Circle, now: datetime) -> None:
        """Stores what was learned about people, with its events."""
        scope = speaker.scope()
        for person in circle.changed.values():
            writer.put_person(scope, person)
            kind = EventKind.PERSON_CREATED if person.person_id in circle.created else EventKind.PERSON_CHANGED
            if person.merged_into is not None:
                kind = EventKind.PERSON_MERGED
            detail = {"name": person.name, "into": person.merged_into} if person.merged_into else {"name": person.name}
            writer.add_events(
                [Event(kind=kind, actor=speaker.actor, occurred_at=now, person_id=person.person_id, detail=detail)]
            )
        circle.changed.clear()
        circle.created.clear()

    def _claim(self, said: Said, scope: Scope, speaker: Speaker, resolved: Resolved) -> Claim | None:
        subject = _subject(said.owner, scope, speaker, resolved, shared=said.shared)
        return None if subject is None else Claim(subject, said.attribute, said.value, said.negated, said.clause)

    def _conflicts(
        self,
        writer: Writer,
        memory: Memory,
        speaker: Speaker,
        circle: Circle,
        claims: Sequence[tuple[Claim, Said]],
        reading: Reading,
        resolved: Resolved,
    ) -> dict[str, list[Claimed]]:
        """What is claimed by others and cannot be true beside a memory, by the memory that claims it."""
        now = to_micros(memory.created_at)
        against: dict[str, list[Claimed]] = defaultdict(list)
        for claim, said in claims:
            for subject in _same_subjects(claim.subject, circle):
                # What is claimed of one thing each can only be denied, or claimed again: the rest need not be read.
                against_what = not claim.negated if is_of_one_thing(claim.attribute) else None
                for old in writer.claims(
                    memory.scope, subject, claim.attribute, now, _MOST_OF_A_SLOT, negated=against_what
                ):
                    if old.memory_id != memory.memory_id and excludes(claim, old.claim, changed=said.changed):
                        against[old.memory_id].append(old)
        if reading.withdrawn:
            latest = writer.latest_claims(memory.scope, now, _MOST_OF_ALL)
            for gone in reading.withdrawn:
                whose = _subject(gone.owner, memory.scope, speaker, resolved, shared=gone.shared) or ""
                for old in latest:
                    same = old.claim.subject in _same_subjects(whose, circle)
                    if (
                        old.memory_id != memory.memory_id
                        and same
                        and withdraws(gone.values, old.claim, gone.attributes)
                    ):
                        against[old.memory_id].append(old)
        return against

    def _decide(
        self, writer: Writer, memory: Memory, speaker: Speaker, claimed: Sequence[Claimed], effects: Effects
    ) -> None:
        """What becomes of a memory that another one is in conflict with: replaced, or both stay and are marked."""
        seen = everything(memory.orchestrator_id, speaker, memory.created_at)
        earlier = writer.memory(seen, claimed[0].memory_id)
        current = effects.memory or memory
        if earlier is None or earlier.status is not Status.ACTIVE or current.status is not Status.ACTIVE:
            return
        says_more = leaves_something(writer.claims_of(earlier.memory_id), claimed)
        if not _has_the_say(speaker, memory, claimed[0], earlier) or says_more or _passes_sooner(current, earlier):
            if says_more:  # what it says otherwise still counts; this it does not say any more
                for each in claimed:
                    writer.retire_claim(earlier.memory_id, each.claim)
            add_edge(writer, self._edge(EdgeType.CONTRADICTS, current, earlier, memory.created_at), speaker.actor)
            effects.contradicts.append(earlier)
            return
        newer, older = (current, earlier) if current.observed_at >= earlier.observed_at else (earlier, current)
        reason = f"says otherwise of {_worded(claimed[0].claim)}"
        edge = self._edge(EdgeType.UPDATES, newer, older, memory.created_at, reason)
        gone = supersede(writer, older, newer, edge, speaker.actor)
        if older is current:
            effects.memory = gone
        else:
            effects.superseded.append(gone)

    def _edge(self, kind: EdgeType, start: Memory, end: Memory, now: datetime, reason: str | None = None) -> Edge:
        return new_edge(self._ids, start.memory_id, end.memory_id, kind, now, reason)


def _same_subjects(subject: str, circle: Circle) -> Iterable[str]:
    """A subject under all the ids that one person may have."""
    kind, _, person_id = subject.partition(":")
    if kind != "person":
        return [subject]
    group = circle.group(person_id)
    # Of somebody who was not known to be a person then, it was said by the name alone.
    names = {folded(name) for each in group for name in circle.member(each).names}
    return [f"person:{each}" for each in group] + sorted({f"name {name}" for name in names})


def _worded(claim: Claim) -> str:
    return claim.attribute.split(":")[0].split("@")[0].rstrip("# ") or "it"


def _passes_sooner(memory: Memory, earlier: Memory) -> bool:
    """Whether a memory is for a while and what it contradicts is not: that one will be true again."""
    if memory.expires_at is None:
        return False
    return earlier.expires_at is None or earlier.expires_at > memory.expires_at


def _has_the_say(speaker: Speaker, memory: Memory, old: Claimed, earlier: Memory) -> bool:
    """Whether a speaker may replace what was said before.

    Nobody overrides what somebody said of themself but they themself; no file overrides what a person stated, and
    nothing that was learned does unless it is sure.
    """
    if memory.trust is Trust.OUTSIDE and earlier.trust is not Trust.OUTSIDE:
        return False
    if memory.trust is Trust.DERIVED and earlier.trust is Trust.STATED and memory.confidence < _SURE:
        return False
    kind, _, who = old.claim.subject.partition(":")
    return not (kind == "user" and folded(old.stated_by) == who and folded(speaker.actor) != who)


def _subject(owner: str, scope: Scope, speaker: Speaker, resolved: Resolved, *, shared: bool) -> str | None:
    """The key of who or what a claim is about; None where it is nobody in particular."""
    if owner == "somebody":
        return None
    if scope.kind is ScopeKind.PERSONAL:
        return "self" if owner == "self" else _person(owner, resolved) or owner
    if owner == "self":
        return "group" if shared else f"user:{folded(speaker.actor)}"
    if owner.startswith("name ") and not resolved.is_own(owner):
        return f"user:{owner.removeprefix('name ')}"
    return _person(owner, resolved) or f"{folded(speaker.actor)}: {owner}"


def _person(owner: str, resolved: Resolved) -> str | None:
    """The person whom a wording means; a full name by its first word, too."""
    person = resolved.worded.get(owner)
    if person is None and owner.startswith("name "):
        person = resolved.worded.get(" ".join(owner.split()[:2]))
    return None if person is None else f"person:{person}"
