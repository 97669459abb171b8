"""Person: somebody that memories are about; belongs to the user (or the chat) who speaks of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Relation:
    """What somebody is to another: `wife`, `brother`, `boss`; to who speaks, or to the person `of`."""

    relation: str
    of: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Somebody, as far as is known. Without a name they are known by a relation alone."""

    person_id: str
    name: str | None
    aliases: tuple[str, ...] = ()
    relations: tuple[Relation, ...] = ()
    merged_into: str | None = None
    created_at: datetime
    updated_at: datetime

    @property
    def label(self) -> str:
        """How the person is called in texts: `Sarah (wife)`, `Sarah`, or `wife`."""
        own = next((each.relation for each in self.relations if each.of is None), None)
        if self.name is None:
            return own or next((each.relation for each in self.relations), "somebody")
        return self.name if own is None else f"{self.name} ({own})"

    @property
    def names(self) -> tuple[str, ...]:
        """Every name that the person is known by."""
        return self.aliases if self.name is None else (self.name, *self.aliases)

    def with_name(self, name: str, now: datetime) -> Person:
        """The person known by one more name, which becomes the name where there was none."""
        if name in self.names:
            return self
        if self.name is None:
            return replace(self, name=name, updated_at=now)
        return replace(self, aliases=(*self.aliases, name), updated_at=now)

    def with_relation(self, relation: Relation, now: datetime) -> Person:
        """The person with one more relation."""
        if relation in self.relations:
            return self
        return replace(self, relations=(*self.relations, relation), updated_at=now)
