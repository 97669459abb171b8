"""Scope: who may see a memory; and the one gate through which every read goes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from recollect.errors import InvalidInput, ScopeDenied
from recollect.model.check import Checker
from recollect.model.ids import check_orchestrator_id
from recollect.model.status import Status

# How events name a chat that acts without a user; no user may be called so.
_CHAT_ACTOR = "chat:"


class ScopeKind(StrEnum):
    """The three kinds of audience."""

    PERSONAL = "personal"
    GROUP = "group"
    SHARED = "shared"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Who may see a memory: one user, one chat, or everybody of the orchestrator. Exactly one of them."""

    owner_user_id: str | None = None
    chat_id: str | None = None
    shared: bool = False

    def __post_init__(self) -> None:
        check = Checker()
        check.opaque(self.owner_user_id, "ownerUserId")
        check.opaque(self.chat_id, "chatId")
        given = (self.owner_user_id is not None) + (self.chat_id is not None) + (self.shared is True)
        if given != 1 or type(self.shared) is not bool:
            seen = f"ownerUserId={self.owner_user_id!r}, chatId={self.chat_id!r}, shared={self.shared}"
            check.fail("invalid_scope", "scope", seen, "exactly one of an owner, a chat, or shared")
        check.done()

    @property
    def kind(self) -> ScopeKind:
        """Personal, group or shared."""
        if self.shared:
            return ScopeKind.SHARED
        return ScopeKind.PERSONAL if self.owner_user_id is not None else ScopeKind.GROUP


@dataclass(frozen=True, slots=True, kw_only=True)
class Speaker:
    """Who speaks, and where. At least one of them: a missing identity is an error and never widens a scope."""

    user: str | None = None
    chat: str | None = None

    def __post_init__(self) -> None:
        check = Checker()
        check.opaque(self.user, "user")
        check.opaque(self.chat, "chat")
        if isinstance(self.user, str) and self.user.startswith(_CHAT_ACTOR):
            check.fail("invalid_id", "user", self.user, f"one that does not begin with {_CHAT_ACTOR!r}")
        check.done()
        if self.user is None and self.chat is None:
            raise ScopeDenied(
                "neither a user nor a chat was given, so nothing may be seen or written",
                code="identity_required",
                hint="say who is speaking: user=… or chat=…",
            )

    @property
    def actor(self) -> str:
        """The name that events are recorded under."""
        return self.user if self.user is not None else f"{_CHAT_ACTOR}{self.chat}"

    def scope(self, kind: Any = None) -> Scope:
        """The scope that is written to: personal by default, group only in a chat, shared only when asked for."""
        if kind is None:
            kind = ScopeKind.PERSONAL if self.user is not None else ScopeKind.GROUP
        check = Checker()
        wanted = check.enum(ScopeKind, kind, "scope", "invalid_scope")
        check.done()
        if wanted is ScopeKind.SHARED:
            return Scope(shared=True)
        if wanted is ScopeKind.PERSONAL and self.user is not None:
            return Scope(owner_user_id=self.user)
        if wanted is ScopeKind.GROUP and self.chat is not None:
            return Scope(chat_id=self.chat)
        missing = "user" if wanted is ScopeKind.PERSONAL else "chat"
        raise InvalidInput.of(
            "invalid_scope",
            missing,
            None,
            f"given for a {wanted.value} memory",
            hint=f"say which {missing} this is for",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Visibility:
    """What one caller may see; made by `gate` alone, compiled by storage into every query, before any top-k."""

    orchestrator_id: str
    speaker: Speaker
    statuses: frozenset[Status]
    now: datetime
    include_expired: bool = False
    known_at: datetime | None = None
    valid_at: datetime | None = None
    types: frozenset[StrEnum] | None = None
    kinds: frozenset[str] = frozenset({"memory"})


def gate(
    orchestrator_id: str,
    speaker: Speaker,
    now: datetime,
    *,
    statuses: Iterable[Status] = (Status.ACTIVE,),
    include_expired: bool = False,
    known_at: datetime | None = None,
    valid_at: datetime | None = None,
    types: Iterable[StrEnum] | None = None,
    kinds: Iterable[str] = ("memory",),
) -> Visibility:
    """Turns an identity, a time and what is asked for into the filter that every read uses.

    `known_at` asks for what was believed at a time, `valid_at` for what was true then.
    """
    return Visibility(
        orchestrator_id=check_orchestrator_id(orchestrator_id),
        speaker=speaker,
        statuses=frozenset(statuses),
        now=now,
        include_expired=include_expired,
        known_at=known_at,
        valid_at=valid_at,
        types=None if types is None else frozenset(types),
        kinds=frozenset(kinds),
    )
