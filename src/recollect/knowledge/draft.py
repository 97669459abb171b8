"""What comes in and what is answered: drafts as callers give them, and receipts of what became of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Literal

from recollect.errors import InvalidInput, RecollectError, Refused
from recollect.knowledge.secrets import find, masked
from recollect.knowledge.understand import duration
from recollect.model.check import Checker
from recollect.model.clock import parse_time
from recollect.model.edge import REASON_LENGTH
from recollect.model.ids import check_opaque_id
from recollect.model.memory import Kind, Memory, Sensitivity
from recollect.model.person import Person
from recollect.model.source import Source, SourceType

_BY_HAND = Source()
NEVER = "never"
_MOST_PEOPLE = 10

Outcome = Literal["stored", "merged", "refused"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """An edge to make from the new memory to one that is there."""

    to_memory_id: str
    edge_type: Any
    weight: Any = 1.0
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What a caller wants remembered, as given; nothing is checked until it becomes a memory.

    What is not given is understood from the content. `about` names people that it is about. `verbatim` keeps a text as
    it is: nothing in it is taken for a fact, and a secret in it is masked instead of refused. `found_by` is what it is
    searched by where that is not its content: a document is found by its parts.
    """

    content: Any
    type: Any = None
    importance: Any = None
    confidence: Any = 1.0
    summary: Any = None
    sensitivity: Any = Sensitivity.PUBLIC
    source: Source = _BY_HAND
    scope: Any = None
    observed_at: Any = None
    expires: Any = None
    valid_from: Any = None
    valid_to: Any = None
    links: Sequence[Link] = ()
    supersedes: Sequence[str] = ()
    reason: str | None = None
    key: str | None = None
    kind: Kind = Kind.MEMORY
    found_by: str | None = None
    about: Sequence[str] = ()
    verbatim: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """What became of one draft.

    `question` is what could not be told: which of two people is meant, say. `archived` made room where a cap is set.
    """

    outcome: Outcome
    memory: Memory | None = None
    superseded: tuple[Memory, ...] = ()
    contradicts: tuple[Memory, ...] = ()
    people: tuple[Person, ...] = ()
    reason: str | None = None
    code: str | None = None
    question: str | None = None
    archived: tuple[Memory, ...] = ()


def refusal(error: RecollectError) -> Receipt:
    """The receipt of something that was refused."""
    return Receipt(outcome="refused", reason=error.message, code=error.code)


def refuse_secrets(content: str) -> None:
    """Refuses what holds a secret; the error names its kind and never shows it."""
    secrets = find(content)
    if secrets:
        raise Refused(
            f"this holds a secret ({secrets[0].kind}), and secrets are never remembered",
            code="secret_detected",
            hint="leave the secret out, and keep it in a password manager",
        )


def without_secrets(draft: Draft) -> Draft:
    """A draft whose text is kept as it is, without the secrets in it."""
    fields: dict[str, Any] = {
        name: masked(value) for name in ("content", "found_by") if isinstance(value := getattr(draft, name), str)
    }
    return draft if all(getattr(draft, name) == value for name, value in fields.items()) else replace(draft, **fields)


def is_turn(source: Any) -> bool:
    """Whether something stands in a conversation as it was said: it is kept as such, and not taken for a fact."""
    return (
        isinstance(source, Source)
        and source.position is not None
        and source.source_type is SourceType.CHANNEL_TRANSCRIPT
    )


def checked_extras(draft: Draft) -> tuple[Sequence[Link], Sequence[str], str | None, Sequence[str]]:
    """The links, the superseded ids, the reason and the people of a draft, checked for their kinds."""
    if not draft.links and not draft.supersedes and draft.reason is None and draft.key is None and not draft.about:
        return (), (), None, ()  # nearly always, and on the path of every write
    check = Checker()
    about = [draft.about] if isinstance(draft.about, str) else draft.about
    if not isinstance(about, list | tuple) or not all(isinstance(each, str) and each.strip() for each in about):
        check.fail("invalid_input", "about", draft.about, "a list of names, relations or person ids")
    elif len(about) > _MOST_PEOPLE:
        check.fail("invalid_input", "about", len(about), f"at most {_MOST_PEOPLE} people")
    for name, kind in (("links", Link), ("supersedes", str)):
        given = getattr(draft, name)
        if not isinstance(given, list | tuple) or not all(isinstance(item, kind) for item in given):
            check.fail("invalid_input", name, given, f"a list of {kind.__name__}")
    reason = check.optional_text(draft.reason, "reason", "invalid_reason", REASON_LENGTH)
    reason = None if reason is None else masked(reason)
    if draft.key is not None:
        check.attempt(check_opaque_id, draft.key, "key", "")
    check.done()
    for told in (*about, *(link.reason for link in draft.links), draft.key):
        if told is not None:
            refuse_secrets(told)
    return draft.links, draft.supersedes, reason, about


def expiry(value: Any, now: datetime) -> datetime:
    """When something expires: a time, a duration from now, or a text such as `14d`, `for 2 weeks`, `36h` or a date."""
    try:
        if isinstance(value, str) and (long := duration(value)) is not None:
            value = long
        moment = now + value if isinstance(value, timedelta) else parse_time(value, "expires")
    except OverflowError:
        raise InvalidInput.of("invalid_expiry", "expires", value, "before the year 9999") from None
    except InvalidInput as error:
        raise InvalidInput.of(
            "invalid_expiry", "expires", value, "a time or a duration", hint="for example 14d, 2w or 2026-12-24"
        ) from error
    if moment <= now:
        raise InvalidInput.of("invalid_expiry", "expires", value, "in the future")
    return moment
