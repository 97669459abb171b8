"""Session: one conversation of one agent, with the messages that were said in it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any


class Role(StrEnum):
    """Who speaks in a session."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A conversation; it belongs to one agent, and may be with one user, in one chat of a provider."""

    session_id: str
    agent_id: str
    store_types: tuple[str, ...]
    created_at: datetime
    updated_at: datetime
    provider: str = "local"
    chat_id: str | None = None
    user_id: str | None = None
    expires_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One utterance, exactly as it was said. `memory_id` is what it is searched by."""

    message_id: str
    session_id: str
    position: int
    role: Role
    content: str
    created_at: datetime
    token_count: int
    metadata: dict[str, Any] = field(default_factory=dict)
    memory_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What a model was used for in a session: requests, tokens, and what they cost."""

    model: str
    requests: int
    input_tokens: int
    output_tokens: int
    cost: float


@dataclass(frozen=True, slots=True, kw_only=True)
class UserProfile:
    """What is noted of a user, by provider."""

    user_id: str
    provider: str
    updated_at: datetime
    username: str | None = None
    display_name: str | None = None
    notes: str | None = None
