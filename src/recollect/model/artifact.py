"""Artifact: one indexed record of a conversation or one of its turns, found by kind, tags, scope and time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from recollect.errors import InvalidInput, ScopeDenied
from recollect.model.check import Checker
from recollect.model.ids import check_opaque_id

_LONGEST_TAG = 320  # an id, with what it is the id of
_MOST_TAGS = 64
_MOST = 10_000
_NO_TAGS: tuple[str, ...] = ()
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class ArtifactKind(StrEnum):
    """The kinds that turn memory itself writes; a host may have others."""

    TURN_LOG = "artifact:turn.log"
    FINGERPRINT = "artifact:turn.fingerprint.v1"
    REACTION = "artifact:turn.log.reaction"
    ACTIVE_SET = "conversation.active_set.v1"
    BUCKET = "conversation.memory.bucket.v1"


class Within(StrEnum):
    """How far a search reaches: everything of a user, one conversation, or one track of it."""

    USER = "user"
    CONVERSATION = "conversation"
    TRACK = "track"


class Operator(StrEnum):
    """How a time is compared."""

    BEFORE = "<"
    UNTIL = "<="
    AT = "="
    SINCE = ">="
    AFTER = ">"
    NOT_AT = "<>"


@dataclass(frozen=True, slots=True, kw_only=True)
class Artifact:
    """A record. What belongs to a turn has a `turn_id`; what belongs to the conversation has none.

    `content` is what the index holds; `blob` names where the whole lies, None for what is only in the index.
    """

    artifact_id: str
    kind: str
    user_id: str
    conversation_id: str
    content: Any
    created_at: datetime
    updated_at: datetime
    turn_id: str | None = None
    track_id: str | None = None
    bundle_id: str | None = None
    tags: tuple[str, ...] = ()
    unique_key: str | None = None
    blob: str | None = None
    blob_digest: str | None = None
    expires_at: datetime | None = None

    @property
    def index_only(self) -> bool:
        """Whether the index holds all of it."""
        return self.blob is None


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A search for artifacts, newest first: kinds AND tags AND scope AND time. A scope without its id is an error."""

    user_id: str
    within: Within | str = Within.CONVERSATION
    conversation_id: str | None = None
    track_id: str | None = None
    bundle_id: str | None = None
    turn_ids: Sequence[str] | None = None
    kinds: Sequence[str] | None = None
    all_tags: Sequence[str] = ()
    any_tags: Sequence[str] | None = None
    not_tags: Sequence[str] = ()
    times: Sequence[tuple[Operator | str, datetime | str]] = ()
    beyond: tuple[datetime, str] | None = None
    limit: int = 100

    def __post_init__(self) -> None:
        check = Checker()
        user = check.opaque(self.user_id, "userId")
        within = check.enum(Within, self.within, "scope", "invalid_scope")
        object.__setattr__(self, "within", within)
        for value, field in (
            (self.conversation_id, "conversationId"),
            (self.track_id, "trackId"),
            (self.bundle_id, "bundleId"),
        ):
            check.opaque(value, field)
        for values, field in ((self.turn_ids, "turnIds"), (self.kinds, "kinds")):
            for value in listed(values, field):
                check.attempt(check_opaque_id, value, field, "")
        for tags, field in ((self.all_tags, "allTags"), (self.any_tags, "anyTags"), (self.not_tags, "notTags")):
            check.attempt(check_tags, tags, field, _NO_TAGS)
        times = []
        for each in listed(self.times, "times"):
            if not isinstance(each, tuple | list) or len(each) != 2:  # noqa: PLR2004  a pair
                check.fail("invalid_input", "times", each, "a pair of an operator and a time")
                continue
            operator = check.enum(Operator, each[0], "times", "invalid_operator")
            times.append((operator, check.time(each[1], "times", _EPOCH)))
        object.__setattr__(self, "times", tuple(times))
        check.integer(self.limit, "limit", "invalid_limit", 1, _MOST)
        check.done()
        if user is None:
            raise ScopeDenied("artifacts are a user's: no user was given", code="missing_user", hint="give user_id")
        reach = self.conversation_id is None and self.within is not Within.USER
        if reach or (self.within is Within.TRACK and self.track_id is None):
            missing = "conversation_id" if reach else "track_id"
            raise ScopeDenied(
                f"the scope {within.value} needs a {missing}", code="missing_id", hint=f"give {missing}", field=missing
            )


def listed(values: Any, field: str) -> list[Any]:
    """The members of a list that a caller gave; one text is no list."""
    if values is None:
        return []
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise InvalidInput.of("invalid_input", field, values, "a list")
    return list(values)


def check_tags(tags: Any, field: str) -> tuple[str, ...]:
    """Tags in order, each once: printable texts without blanks at the ends."""
    given = dict.fromkeys(listed(tags, field))
    if len(given) > _MOST_TAGS:
        raise InvalidInput.of("invalid_tags", field, f"{len(given)} tags", f"at most {_MOST_TAGS}")
    for tag in given:
        if not isinstance(tag, str) or not 0 < len(tag) <= _LONGEST_TAG or not tag.isprintable() or tag != tag.strip():
            raise InvalidInput.of("invalid_tags", field, tag, f"1 to {_LONGEST_TAG} printable characters each")
    return tuple(given)
