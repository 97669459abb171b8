"""What operations take, checked: camelCase or snake_case, nothing unknown.

Who calls is never taken from what is passed: a `user_id` or `chat_id` that is not the caller's is refused.
"""

from __future__ import annotations

import json
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic.alias_generators import to_camel

_ID = r"^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"
_LONGEST = 100_000
_MOST = 1_000


class Parameters(BaseModel):
    """What a call takes: camelCase or snake_case, nothing unknown."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True, alias_generator=to_camel, strict=True)

    @model_validator(mode="before")
    @classmethod
    def _is_text(cls, data: Any) -> Any:
        """Half a character is no text, wherever it stands."""
        try:
            json.dumps(data, ensure_ascii=False, default=str).encode()
        except UnicodeEncodeError:
            raise ValueError("texts are valid Unicode, without lone surrogates") from None
        return data

    user_id: str | None = Field(None, description="Who calls; only to be sure: it must be the caller's own.")
    chat_id: str | None = Field(None, description="Where; it must be the caller's own.")


class Nothing(Parameters):
    """Nothing to say."""


class Add(Parameters):
    """A memory to be stored."""

    content: str = Field(max_length=_LONGEST, description="What to remember.")
    type: str | None = Field(None, description="One of the eight types, such as Fact or Todo.")
    importance: int | None = Field(None, ge=0, le=100)
    confidence: float | None = Field(None, ge=0.0, le=1.0)
    scope: str | None = Field(None, description="personal, group or shared.")
    source: str | None = Field(None, max_length=200, description="Where it comes from: a conversation's id.")
    expires_days: float | None = Field(None, gt=0, le=36_500, description="After how many days it is forgotten.")
    subjects: list[str] | None = Field(None, max_length=10, description="Who it is about.")
    key: str | None = Field(None, max_length=256, description="Repeating a call with a key makes no second memory.")


class Search(Parameters):
    """A question."""

    query: str = Field(max_length=10_000, description="What to look for.")
    limit: int = Field(10, ge=1, le=_MOST)
    about: str | None = Field(None, max_length=200, description="Only what is about this person.")
    types: list[str] | None = Field(None, max_length=8)
    include_messages: bool = False
    floor: bool = Field(True, description="false: the best there is, even if nothing is about the question.")
    known_at: str | None = Field(None, max_length=64, description="What was believed at a time.")
    valid_at: str | None = Field(None, max_length=64, description="What was true at a time.")


class List(Parameters):
    """Which memories to list."""

    limit: int = Field(20, ge=1, le=_MOST)
    offset: int = Field(0, ge=0, le=1_000_000)
    include_expired: bool = False
    types: list[str] | None = Field(None, max_length=8)
    statuses: list[str] | None = Field(
        None, max_length=4, description="Such as superseded; only what counts otherwise."
    )
    known_at: str | None = Field(None, max_length=64, description="As it was at a time.")


class One(Parameters):
    """One memory."""

    memory_id: str = Field(pattern=_ID)


class Message(Parameters):
    """A message that is to be answered."""

    message: str = Field(max_length=_LONGEST)
    max_tokens: int = Field(2000, ge=0, le=1_000_000)


class ForBulletin(Parameters):
    """A message that a bulletin is made for."""

    message: str = Field("", max_length=_LONGEST)
    conversation_id: str | None = Field(None, min_length=1, max_length=256)
    max_chars: int = Field(4000, ge=0, le=1_000_000)


class Who(Parameters):
    """A person, by a name, a relation or an id."""

    person: str = Field(min_length=1, max_length=200)


class Some(Parameters):
    """How many."""

    limit: int = Field(20, ge=1, le=_MOST)


class InSession(Parameters):
    """A session of the caller's."""

    session_id: str = Field(pattern=_ID)
    limit: int = Field(50, ge=1, le=_MOST)
    before: str | None = Field(None, pattern=_ID, description="Only what was said before this message.")


class Said(Parameters):
    """Something that was said in a session of the caller's; without one, in the one that is theirs."""

    role: str = Field(description="user, assistant, system or tool.")
    content: str = Field(max_length=_LONGEST)
    session_id: str | None = Field(None, pattern=_ID)
    said_at: str | None = Field(None, max_length=64, description="When it was said, if that was not now.")


class OfTurn(Parameters):
    """A turn of a conversation."""

    conversation_id: str = Field(min_length=1, max_length=256)
    turn_id: str = Field(min_length=1, max_length=256)


class OfConversation(Parameters):
    """A conversation."""

    conversation_id: str = Field(min_length=1, max_length=256)
    limit: int = Field(20, ge=1, le=_MOST)


class ForJournal(Parameters):
    """A message that a journal is made for, and who is to read it."""

    conversation_id: str = Field(min_length=1, max_length=256)
    message: str = Field("", max_length=_LONGEST)
    view: Literal["gate", "reconciler", "downstream", "final_answer"] = "gate"


class Reacted(OfTurn):
    """What the caller thinks of the answer of a turn; no reaction and no text clears it."""

    reaction: str | None = None
    text: str = Field("", max_length=1_000)


class Change(One):
    """New values for some fields of a memory; the old ones stay in its history."""

    content: str | None = Field(None, max_length=_LONGEST)
    summary: str | None = Field(None, max_length=1_000)
    type: str | None = None
    importance: int | None = Field(None, ge=0, le=100)
    confidence: float | None = Field(None, ge=0.0, le=1.0)
    sensitivity: str | None = None
    reason: str | None = Field(None, max_length=1_000)


class Replace(One):
    """What takes the place of a memory: another memory, or a new one."""

    by: str | None = Field(None, pattern=_ID, description="A memory that there is.")
    content: str | None = Field(None, max_length=_LONGEST, description="What is true instead.")
    reason: str | None = Field(None, max_length=1_000)


class Because(One):
    """One memory, and why."""

    reason: str | None = Field(None, max_length=1_000)


class Relate(Parameters):
    """Two memories, and how they are related."""

    from_memory_id: str = Field(pattern=_ID)
    to_memory_id: str = Field(pattern=_ID)
    edge_type: str = "RelatedTo"
    reason: str | None = Field(None, max_length=1_000)


class Period(Parameters):
    """A period, or what came after an event."""

    after: int = Field(0, ge=0, le=2**53, description="The sequence of the last event that is known.")
    since: str | None = Field(None, max_length=64)
    until: str | None = Field(None, max_length=64)
    kinds: list[str] | None = Field(None, max_length=20, description="Such as memory.created; all of them otherwise.")
    limit: int = Field(100, ge=1, le=_MOST)


class LastSeen(Parameters):
    """The last event that is known."""

    after: int | None = Field(None, ge=0, le=2**53, description="The sequence of an event; none yet otherwise.")


class Since(Parameters):
    """A period that lasts until now."""

    since: str | None = Field(None, max_length=64)


class Surroundings(Parameters):
    """What to show of the graph: the newest, what is around a memory, or what is about somebody."""

    around: str | None = Field(None, pattern=_ID)
    about: str | None = Field(None, min_length=1, max_length=200)
    limit: int = Field(300, ge=1, le=2_000)


class Rename(Who):
    """Another name for somebody."""

    name: str = Field(min_length=1, max_length=200)


class Merge(Who):
    """Two that are one person."""

    into: str = Field(min_length=1, max_length=200)


class Collect(Parameters):
    """What to put away, or to tell only."""

    dry_run: bool = False


class Dropped(Parameters):
    """A file that is to become memories."""

    name: str = Field(min_length=1, max_length=200, pattern=r"^[^/\\\x00]+$", description="With its ending: notes.md.")
    content_base64: str = Field(max_length=100_000_000, description="What is in it.")
    scope: str = Field("shared", description="personal, group or shared.")
