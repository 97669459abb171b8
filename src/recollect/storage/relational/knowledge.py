"""People, claims, forgetting and learning: read and written over queries of the same names on every engine."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence

from recollect.model.claim import Claim, Claimed
from recollect.model.clock import from_micros, to_micros
from recollect.model.event import Event, EventKind
from recollect.model.memory import Memory
from recollect.model.person import Person, Relation
from recollect.model.scope import Scope, Visibility
from recollect.model.session import Message, Session
from recollect.model.source import Source
from recollect.model.status import Status
from recollect.storage.knowledge import Damage
from recollect.storage.relational.conversations import ConversationReader, ConversationWriter, read_session
from recollect.storage.relational.reader import sound
from recollect.storage.relational.rows import DamagedRow, Row, read_event, read_memory, source_values

_NOWHERE = -1


class KnowledgeReader(ConversationReader):
    """Reads what is known about people and what memories claim."""

    def _known_scope(self, scope: Scope) -> int:
        """The number of a scope; one that no memory has where it was never written to."""
        values = {"kind": scope.kind.value, "owner_user_id": scope.owner_user_id, "chat_id": scope.chat_id}
        row = self._row("find_scope", values)
        return _NOWHERE if row is None else int(row[0])

    def people(self, scope: Scope) -> list[Person]:
        return self._people_of(self._known_scope(scope))

    def _people_of(self, scope_id: int) -> list[Person]:
        asked = {"scope_id": scope_id}
        rows = self._rows("people_of_scope", asked)
        if not rows:
            return []
        names: dict[str, list[str]] = defaultdict(list)
        for person_id, name in self._rows("names_of_scope", asked):
            names[person_id].append(name)
        relations: dict[str, list[Relation]] = defaultdict(list)
        for person_id, relation, of_person in self._rows("relations_of_scope", asked):
            relations[person_id].append(Relation(relation, of_person or None))
        return [
            Person(
                person_id=person_id,
                name=name,
                aliases=tuple(alias for alias in names[person_id] if alias != name),
                relations=tuple(relations[person_id]),
                merged_into=merged_into,
                created_at=from_micros(created_at),
                updated_at=from_micros(updated_at),
            )
            for person_id, name, merged_into, created_at, updated_at in rows
        ]

    def subjects(self, memory_ids: Iterable[str]) -> dict[str, list[Person]]:
        rows = self._rows("subjects", {"memory_ids": json.dumps(list(memory_ids))})
        known: dict[int, dict[str, Person]] = {}
        found: dict[str, list[Person]] = {}
        for memory_id, person_id, scope_id in rows:
            people = known.setdefault(scope_id, {each.person_id: each for each in self._people_of(scope_id)})
            person = _root(people, person_id)
            if person is not None and person not in found.setdefault(memory_id, []):
                found[memory_id].append(person)
        return found

    def about(self, visibility: Visibility, person_ids: Iterable[str], limit: int) -> list[int]:
        values = {**self._gate(visibility), "person_ids": json.dumps(list(person_ids)), "limit": limit}
        return [row[0] for row in self._rows("about", values)]

    def changes(
        self,
        visibility: Visibility,
        after: int,
        since: int,
        until: int,
        limit: int,
        kinds: Sequence[EventKind] | None = None,
    ) -> list[Event]:
        events = None if kinds is None else json.dumps([kind.value for kind in kinds])
        period = {"after": after, "since": since, "until": until, "limit": limit, "events": events}
        return self._sound_rows(read_event, "changes", {**self._gate(visibility), **period})

    def acted(self, actor: str, after: int) -> bool:
        return bool(self._rows("acted", {"orchestrator_id": self._orchestrator_id, "actor": actor, "after": after}))

    def newest_event(self) -> int:
        found = self._row("newest_event", {"orchestrator_id": self._orchestrator_id})
        return 0 if found is None or found[0] is None else int(found[0])

    def learned(self, visibility: Visibility, since: int) -> list[tuple[int, str, str, int]]:
        rows = self._rows("learned", {**self._gate(visibility), "since": since})
        return [(row[0], row[1], row[2], row[3]) for row in rows]

    def claims(
        self, scope: Scope, subject: str, attribute: str, now: int, limit: int, *, negated: bool | None = None
    ) -> list[Claimed]:
        asked = {
            "scope_id": self._known_scope(scope),
            "subject": subject,
            "attribute": attribute,
            "negated": int(negated or False),
            "or_negated": 1 if negated is None else int(negated),
        }
        return [_claimed(row) for row in self._rows("claims", {**asked, "now": now, "limit": limit})]

    def latest_claims(self, scope: Scope, now: int, limit: int) -> list[Claimed]:
        asked = {"scope_id": self._known_scope(scope), "now": now, "limit": limit}
        return [_claimed(row) for row in self._rows("latest_claims", asked)]

    def claims_of(self, memory_id: str) -> list[Claimed]:
        return [_claimed(row) for row in self._rows("claims_of", {"memory_id": memory_id})]

    def twin(self, scope: Scope, content_key: bytes, now: int) -> Memory | None:
        asked = {"scope_id": self._known_scope(scope), "content_key": content_key, "now": now}
        rows = self._decodable("twin", asked)
        return sound(rows[0]) if rows else None

    def known_keys(self, keys: Sequence[tuple[Scope, bytes]]) -> frozenset[tuple[Scope, bytes]]:
        if len(keys) == 1:
            ((scope, key),) = keys
            row = self._row("known_key", {"scope_id": self._known_scope(scope), "content_key": key})
            return frozenset() if row is None else frozenset(keys)
        by_scope: dict[Scope, list[str]] = defaultdict(list)
        for scope, key in keys:
            by_scope[scope].append(key.hex())
        found = []
        for scope, wanted in by_scope.items():
            asked = {"scope_id": self._known_scope(scope), "keys": json.dumps(wanted)}
            found += [(scope, bytes.fromhex(row[0])) for row in self._rows("known_keys", asked)]
        return frozenset(found)

    def is_forgotten(self, scope: Scope, content_key: bytes) -> bool:
        asked = {"scope_id": self._known_scope(scope), "content_key": content_key}
        return self._row("is_forgotten", asked) is not None

    def not_understood(self, limit: int) -> list[Memory]:
        return self._sound_memories("not_understood", {"limit": limit})

    def expired(self, now: int, limit: int) -> list[Memory]:
        return self._sound_memories("expired", {"now": now, "limit": limit})

    def superseded(self, before: int, limit: int) -> list[Memory]:
        return self._sound_memories("superseded", {"before": before, "limit": limit})

    def count_active(self, scope: Scope, now: int) -> int:
        return int(self._rows("count_active", {"scope_id": self._known_scope(scope), "now": now})[0][0])

    def least_valuable(self, scope: Scope, now: int, limit: int) -> list[Memory]:
        asked = {"scope_id": self._known_scope(scope), "now": now, "limit": limit}
        return self._sound_memories("least_valuable", asked)

    def _sound_memories(self, query: str, values: dict[str, int]) -> list[Memory]:
        return self._sound_rows(sound, query, values)

    def scopes(self) -> list[Scope]:
        return [
            Scope(owner_user_id=owner, chat_id=chat, shared=kind == "shared")
            for kind, owner, chat in self._rows("all_scopes")
        ]

    def every_memory(self, after: int, limit: int) -> tuple[list[Memory], list[Damage], int | None]:
        rows = self._decodable("every_memory", {"after": after, "limit": limit})
        found: list[Memory] = []
        damaged: list[Damage] = []
        for row in rows:
            try:
                found.append(read_memory(row[1:]))
            except DamagedRow as error:
                damaged.append(Damage(error.memory_id, error.message))
        return found, damaged, rows[-1][0] if len(rows) == limit else None

    def any_memory(self, memory_id: str) -> Memory | None:
        rows = self._decodable("any_memory", {"memory_id": memory_id})
        return sound(rows[0]) if rows else None

    def content_key_of(self, memory_id: str) -> bytes | None:
        row = self._row("content_key_of", {"memory_id": memory_id})
        return None if row is None or row[0] is None else bytes(row[0])

    def memories_of_person(self, person_id: str) -> list[str]:
        return [row[0] for row in self._rows("memories_of_person", {"person_id": person_id})]

    def memories_in(self, scope: Scope, limit: int) -> list[str]:
        asked = {"scope_id": self._known_scope(scope), "limit": limit}
        return [row[0] for row in self._rows("scope_memories", asked)]

    def person_events(self, person_id: str) -> list[Event]:
        return self._sound_rows(read_event, "person_events", {"person_id": person_id})

    def messages_of(
        self, user: str | None, chat: str | None, after: tuple[str, int], limit: int, *, everybody: bool
    ) -> list[Message]:
        asked = {"user": user, "chat": chat, "session_id": after[0], "position": after[1], "limit": limit}
        asked["everybody"] = everybody
        return [self._message(row) for row in self._rows("messages_of", asked)]

    def messages_after(self, session_id: str, position: int, limit: int) -> list[Message]:
        asked = {"session_id": session_id, "position": position, "limit": limit}
        return [self._message(row) for row in self._rows("messages_after", asked)]

    def message_ids_of(self, memory_id: str) -> list[str]:
        return [row[0] for row in self._rows("message_ids_of", {"memory_id": memory_id})]

    def sessions_of_user(self, user: str) -> list[Session]:
        return [read_session(row) for row in self._rows("sessions_of_user", {"user": user})]

    def extraction(self, session_id: str) -> tuple[int, int, int | None] | None:
        row = self._row("extraction", {"session_id": session_id})
        return None if row is None else (row[0], row[1], row[2])

    def due_extractions(self, now: int, limit: int) -> list[str]:
        return [row[0] for row in self._rows("due_extractions", {"now": now, "limit": limit})]

    def next_extraction(self) -> int | None:
        due: int | None = self._rows("next_extraction")[0][0]
        return due


class KnowledgeWriter(KnowledgeReader, ConversationWriter):
    """Writes what is known about people and what memories claim."""

    def _known_scope(self, scope: Scope) -> int:
        return self._scope_id(scope)

    def put_person(self, scope: Scope, person: Person) -> None:
        own = {"person_id": person.person_id}
        self._run(
            "put_person",
            {
                **own,
                "scope_id": self._scope_id(scope),
                "name": person.name,
                "merged_into": person.merged_into,
                "created_at": to_micros(person.created_at),
                "updated_at": to_micros(person.updated_at),
            },
        )
        self._run("drop_names", own)
        for name in person.names:
            self._run("add_name", {**own, "name": name})
        self._run("drop_relations", own)
        for each in person.relations:
            self._run("add_relation", {**own, "relation": each.relation, "of_person": each.of or ""})

    def erase_person(self, person_id: str) -> None:
        self._run("erase_person", {"person_id": person_id})
        self._run("blank_person_events", {"person_id": person_id})

    def add_subjects(self, memory_id: str, person_ids: Iterable[str]) -> None:
        for person_id in person_ids:
            self._run("add_subject", {"memory_id": memory_id, "person_id": person_id})

    def drop_subject(self, memory_id: str, person_id: str) -> None:
        self._run("drop_subject", {"memory_id": memory_id, "person_id": person_id})

    def set_claims(self, memory: Memory, claims: Sequence[Claim], stated_by: str, *, new: bool) -> None:
        if not new:
            self._run("drop_claims", {"memory_id": memory.memory_id})
        if claims:
            active, scope_id = int(memory.status is Status.ACTIVE), self._scope_id(memory.scope)
            rows = [
                (
                    memory.memory_id,
                    number,
                    scope_id,
                    claim.subject,
                    claim.attribute,
                    claim.value,
                    int(claim.negated),
                    stated_by,
                    claim.clause,
                    active,
                )
                for number, claim in enumerate(claims)
            ]
            self._run_all("add_claim", rows)

    def retire_claim(self, memory_id: str, claim: Claim) -> None:
        asked = {"subject": claim.subject, "attribute": claim.attribute, "value": claim.value}
        self._run("retire_claim", {"memory_id": memory_id, **asked})

    def set_key(self, memory_id: str, key: str) -> None:
        self._run("set_key", {"memory_id": memory_id, "key": key})

    def move_claims(self, memory_id: str, subject: str, target: str) -> None:
        self._run("move_claims", {"memory_id": memory_id, "subject": subject, "target": target})

    def set_content_key(self, memory_id: str, content_key: bytes | None) -> None:
        self._run("set_content_key", {"memory_id": memory_id, "content_key": content_key})

    def add_source(self, memory_id: str, source: Source) -> None:
        ordinal = self._rows("last_source", {"memory_id": memory_id})[0][0] + 1
        self._run_all("add_source", [(memory_id, ordinal, *source_values(source))])

    def note_forgotten(self, scope: Scope, content_keys: Iterable[bytes], now: int) -> None:
        for key in content_keys:
            self._run("note_forgotten", {"scope_id": self._scope_id(scope), "content_key": key, "now": now})

    def drop_forgotten(self, scope: Scope, content_key: bytes) -> None:
        self._run("drop_forgotten", {"scope_id": self._scope_id(scope), "content_key": content_key})

    def erase_memories(self, memory_ids: Sequence[str]) -> None:
        self._erase(memory_ids)
        for memory_id in memory_ids:
            self._run("blank_events", {"memory_id": memory_id})

    def blank_events(self, memory_id: str) -> None:
        self._run("blank_events", {"memory_id": memory_id})

    def redact_message(self, message_id: str, content: str) -> None:
        self._run("redact_message", {"message_id": message_id, "content": self._raw(content)})

    def drop_profiles(self, user: str) -> None:
        self._run("drop_profiles", {"user": user})

    def put_extraction(self, session_id: str, position: int, attempts: int, due_at: int | None) -> None:
        values = {"session_id": session_id, "position": position, "attempts": attempts, "due_at": due_at}
        self._run("put_extraction", values)


def _root(people: dict[str, Person], person_id: str) -> Person | None:
    """The person that somebody was merged into, or the one themself."""
    person = people.get(person_id)
    for _ in people:
        if person is None or person.merged_into is None:
            break
        person = people.get(person.merged_into)
    return person


def _claimed(row: Row) -> Claimed:
    return Claimed(row[0], Claim(row[1], row[2], row[3], bool(row[4]), row[6]), row[5])
