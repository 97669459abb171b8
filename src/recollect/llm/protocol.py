"""What a language model offers."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from recollect.errors import RecollectError


class ModelFailed(RecollectError):
    """The language model did not answer, or with something that is no answer."""

    default_code = "model_failed"


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message of a prompt: from the `system`, the `user` or the `assistant`."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class Completion:
    """A model's answer, and what it took."""

    text: str
    input_tokens: int = 0
    output_tokens: int = 0


class ChatModel(Protocol):
    """Something that answers."""

    @property
    def name(self) -> str:
        """Which model it is."""
        ...

    async def complete(self, messages: Sequence[ChatMessage]) -> Completion:
        """The whole answer; raises `ModelFailed` when there is none."""
        ...

    def stream(self, messages: Sequence[ChatMessage]) -> AsyncIterator[str]:
        """The answer piece by piece; raises `ModelFailed` when it breaks off."""
        ...
