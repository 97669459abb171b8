"""Token: who may call from outside, as whom, with which rights and until when."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class Rights(StrEnum):
    """What a caller may do; each includes the one before."""

    READ = "read"
    WRITE = "write"
    ADMIN = "admin"

    def include(self, needed: Rights) -> bool:
        """Whether these rights are enough."""
        order = list(Rights)
        return order.index(self) >= order.index(needed)


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A token without what proves it: only its digest is kept."""

    token_id: str
    digest: str
    user_id: str
    rights: Rights
    created_at: datetime
    chat_id: str | None = None
    label: str | None = None
    expires_at: datetime | None = None
    revoked_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """Who calls: never taken from what a call says."""

    orchestrator_id: str
    user: str
    rights: Rights
    chat: str | None = None
    token_id: str | None = None
