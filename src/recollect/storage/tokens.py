"""What a storage engine offers for tokens."""

from __future__ import annotations

from typing import Protocol

from recollect.model.token import Token


class TokenReader(Protocol):
    """Finds tokens."""

    def token(self, token_id: str) -> Token | None:
        """A token by its id."""
        ...

    def tokens(self) -> list[Token]:
        """Every token, the oldest first."""
        ...


class TokenWriter(Protocol):
    """Changes tokens."""

    def put_token(self, token: Token) -> None:
        """A new token, or one that is revoked."""
        ...
