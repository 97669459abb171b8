"""People: who is meant, per speaker; a name that is learned later is attached, and no relation crosses speakers."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from recollect.knowledge.lexicon import SAME_RELATION, SINGLE_RELATIONS
from recollect.knowledge.mentions import Mention, mentions
from recollect.knowledge.naming import folded
from recollect.model.clock import SystemClock
from recollect.model.ids import IdFactory
from recollect.model.person import Person, Relation
from recollect.model.scope import Speaker
from recollect.storage.interface import Reader

# Relations that one person may have had to somebody one after the other.
_GROWS_INTO = (
    frozenset({"girlfriend", "fiance", "wife", "partner", "spouse"}),
    frozenset({"boyfriend", "fiance", "husband", "partner", "spouse"}),
    frozenset({"friend", "best friend"}),
    frozenset({"boss", "manager", "supervisor"}),
    frozenset({"child", "baby", "son", "daughter", "kid"}),
    frozenset({"parent", "mother", "father"}),
    frozenset({"sibling", "brother", "sister", "twin"}),
)


_NEVER = datetime.max.replace(tzinfo=UTC)
_NOBODY_NEW = IdFactory(SystemClock())


@dataclass(slots=True)
class Resolved:
    """Who a text is about: people, how each was worded, and what could not be told."""

    people: list[Person] = field(default_factory=list)
    worded: dict[str, str] = field(default_factory=dict)
    question: str | None = None

    def is_own(self, wording: str) -> bool:
        """Whether a name is that of somebody who stands in a relation to the speaker: nobody else's Sarah."""
        person = next((each for each in self.people if each.person_id == self.worded.get(wording)), None)
        return person is not None and bool(person.relations)


class Circle:
    """The people of one speaker, and what becomes of them while texts are read; `changed` has to be stored."""

    def __init__(self, people: list[Person], ids: IdFactory, now: datetime) -> None:
        self._people = {each.person_id: each for each in people}
        self._ids = ids
        self._now = now
        self.changed: dict[str, Person] = {}
        self.created: set[str] = set()

    @classmethod
    def known(cls, reader: Reader, speaker: Speaker) -> Circle:
        """The people of a speaker, to be looked up only: nobody is made."""
        return cls(reader.people(speaker.scope()), _NOBODY_NEW, _NEVER)

    @property
    def is_empty(self) -> bool:
        """Whether nobody is known."""
        return not self._people

    def current(self) -> list[Person]:
        """Everybody who was not merged into somebody else, with the names and relations of those who were."""
        return [self._whole(person) for person in self._people.values() if person.merged_into is None]

    def _whole(self, person: Person) -> Person:
        """A person with the names and relations of those who were merged into them."""
        whole = person
        for other in self._people.values():
            if other.merged_into is not None and self.root(other) is person:
                for name in other.names:
                    whole = whole.with_name(name, person.updated_at)
                for relation in other.relations:
                    whole = whole.with_relation(relation, person.updated_at)
        return whole

    def root(self, person: Person) -> Person:
        """The person that somebody was merged into, or the one themself."""
        for _ in self._people:
            if person.merged_into is None or person.merged_into not in self._people:
                break
            person = self._people[person.merged_into]
        return person

    def group(self, person_id: str) -> list[str]:
        """The ids of everybody that is the same person."""
        person = self._people.get(person_id)
        if person is None:
            return [person_id]
        root = self.root(person)
        return [each.person_id for each in self._people.values() if self.root(each) is root]

    def member(self, person_id: str) -> Person:
        """Somebody by id, as stored."""
        return self._people[person_id]

    def own_relation(self, person: Person) -> str | None:
        """What somebody is to who speaks; `wife's brother` where it leads over another."""
        for relation in person.relations:
            if relation.of is None:
                return relation.relation
        for relation in person.relations:
            other = self._people.get(relation.of or "")
            if other is not None:
                return f"{self.own_relation(other) or other.name}'s {relation.relation}"
        return None

    def known_names(self) -> frozenset[str]:
        """Every name of everybody, folded; of full names the first name, too."""
        names = [folded(name) for person in self._people.values() for name in person.names]
        return frozenset([*names, *(name.split()[0] for name in names)])

    def resolve_text(self, text: str) -> Resolved:
        """Everybody that a text speaks of; who is new is made."""
        resolved = Resolved()
        for mention in mentions(text, self.known_names()):
            self._resolve_into(resolved, mention)
        return resolved

    def find_text(self, text: str) -> list[Person]:
        """Those of them that a text speaks of; nobody is made."""
        found: list[Person] = []
        for mention in mentions(text, self.known_names()):
            of = self._found_of(mention)
            for person in self._candidates(mention.name, mention.relation, of) or self._candidates(
                mention.name, None, None
            ):
                if person not in found:
                    found.append(person)
        return found

    def resolve_reference(self, reference: str) -> Resolved:
        """Somebody named outright: `Sarah`, `my wife`, `wife`, `my wife Sarah`; or by an id."""
        resolved = Resolved()
        if reference in self._people:
            resolved.people.append(self.root(self._people[reference]))
            return resolved
        lowered = reference.strip()
        candidates = mentions(lowered, self.known_names()) or mentions(f"my {lowered}", self.known_names())
        for mention in candidates[-1:] or [Mention(name=lowered.removeprefix("@").strip())]:
            self._resolve_into(resolved, mention)
        return resolved

    def find_reference(self, reference: str) -> list[Person]:
        """Those that a reference may mean; nobody is made."""
        if reference in self._people:
            return [self._whole(self.root(self._people[reference]))]
        plain = reference.strip()
        named = self._candidates(plain, None, None)
        if named:
            return named
        for text in (plain, f"my {plain}"):
            found = self.find_text(text)
            if found:
                return found
        return []

    def _resolve_into(self, resolved: Resolved, mention: Mention) -> Person | None:
        of = None
        if mention.of is not None:
            owner = self._resolve_into(Resolved(), mention.of)
            if owner is None:
                return None
            of = owner.person_id
        person = self._resolve(resolved, mention, of)
        if person is not None:
            for alias in mention.aliases:
                person = self._keep(person.with_name(alias, self._now))
            if person.person_id not in [each.person_id for each in resolved.people]:
                resolved.people = [each for each in resolved.people if each.person_id != person.person_id] + [person]
            else:
                resolved.people = [person if each.person_id == person.person_id else each for each in resolved.people]
            for wording in _wordings(mention):
                resolved.worded[wording] = person.person_id
        return person

    def _found_of(self, mention: Mention) -> str | None:
        if mention.of is None:
            return None
        owners = self._candidates(mention.of.name, mention.of.relation, self._found_of(mention.of))
        return owners[0].person_id if owners else ""

    def _candidates(self, name: str | None, relation: str | None, of: str | None) -> list[Person]:
        """Everybody who has this name and relation, as far as they are given."""
        found = []
        for person in self.current():
            if name is not None and not any(_same_name(name, known) for known in person.names):
                continue
            if relation is not None and not _has_relation(person, relation, of):
                continue
            if name is not None or relation is not None:
                found.append(person)
        return found

    def _resolve(self, resolved: Resolved, mention: Mention, of: str | None) -> Person | None:
        name, relation = mention.name, mention.relation
        if name is None:
            related = self._candidates(None, relation, of)
            if len(related) > 1 and (relation or "") not in SINGLE_RELATIONS:
                resolved.question = _which(f"your {relation}", related, self)
                return None
            return max(related, key=lambda person: person.person_id) if related else self._create(None, relation, of)
        named = self._candidates(name, None, None)
        if relation is None:
            if len(named) > 1:
                exact = [person for person in named if any(folded(name) == folded(known) for known in person.names)]
                if len(exact) != 1:
                    resolved.question = _which(name, named, self)
                    return None
                named = exact
            return self._named(named[0], name) if named else self._create(name, None, None)
        return self._both(resolved, name, relation, of, named)

    def _both(self, resolved: Resolved, name: str, relation: str, of: str | None, named: list[Person]) -> Person:
        both = [person for person in named if _has_relation(person, relation, of)]
        if both:
            return self._named(both[0], name)
        nameless = [person for person in self._candidates(None, relation, of) if person.name is None]
        free = [person for person in named if not person.relations or self._grew(person, relation, of)]
        link = Relation(relation, of)
        if nameless and (relation in SINGLE_RELATIONS or len(nameless) == 1):
            if len(free) == 1 and not free[0].relations:
                self._merge(nameless[0], free[0])
                return self._keep(free[0].with_relation(link, self._now))
            return self._keep(nameless[0].with_name(name, self._now))
        if len(free) == 1:
            return self._named(self._keep(free[0].with_relation(link, self._now)), name)
        if named:
            resolved.question = f"Is {name}, your {relation}, the same person as {self.described(named[0])}?"
        return self._create(name, relation, of)

    def _grew(self, person: Person, relation: str, of: str | None) -> bool:
        own = {each.relation for each in person.relations if each.of == of}
        return any(relation in stages and own & stages for stages in _GROWS_INTO)

    def described(self, person: Person) -> str:
        """A person in words: `Sarah, your wife`."""
        relation = self.own_relation(person)
        if person.name is None:
            return f"your {relation}"
        return f"{person.name}, your {relation}" if relation else person.name

    def _named(self, person: Person, name: str) -> Person:
        """The person under the fuller of two names."""
        if person.name is not None and _same_name(name, person.name) and len(name.split()) > len(person.name.split()):
            return self._keep(replace(person, name=name, aliases=(*person.aliases, person.name), updated_at=self._now))
        return person

    def _create(self, name: str | None, relation: str | None, of: str | None) -> Person:
        person = Person(
            person_id=self._ids.new(),
            name=name,
            relations=() if relation is None else (Relation(relation, of),),
            created_at=self._now,
            updated_at=self._now,
        )
        self.created.add(person.person_id)
        return self._keep(person)

    def _merge(self, secondary: Person, primary: Person) -> None:
        self._keep(replace(secondary, merged_into=primary.person_id, updated_at=self._now))

    def _keep(self, person: Person) -> Person:
        if self._people.get(person.person_id) != person:
            self._people[person.person_id] = person
            self.changed[person.person_id] = person
        return person


def _same_name(first: str, second: str) -> bool:
    """Whether two names may be one person's: equal, or one is the first name of the other."""
    one, other = folded(first).split(), folded(second).split()
    return (
        one == other
        or (min(len(one), len(other)) == 1 and one[0] == other[0])
        or (one[0] in {"dr", "mr", "mrs", "ms", "prof"} and one[1:] == other[-1:])
    )


def _has_relation(person: Person, relation: str, of: str | None) -> bool:
    wanted = SAME_RELATION.get(relation, relation)
    return any(SAME_RELATION.get(each.relation, each.relation) == wanted and each.of == of for each in person.relations)


def _which(what: str, people: list[Person], circle: Circle) -> str:
    return f"Which {what.removeprefix('your ')} is meant: {' or '.join(circle.described(each) for each in people[:4])}?"


def _wordings(mention: Mention) -> list[str]:
    """How claims word the subject that this is a mention of."""
    worded = []
    if mention.name is not None:
        worded += [f"name {folded(mention.name)}", f"name {folded(mention.name).split()[0]}"]
    worded += [f"name {folded(alias)}" for alias in mention.aliases]
    if mention.relation is not None:
        own = f"relation {mention.relation}"
        worded.append(own if mention.of is None else f"{_wordings(mention.of)[-1]} / {own}")
    return worded
