"""Tokens: read and written over queries of the same names on every engine."""

from __future__ import annotations

from recollect.model.clock import from_micros, to_micros
from recollect.model.token import Rights, Token
from recollect.storage.relational.ingestion import IngestionReader, IngestionWriter
from recollect.storage.relational.rows import Row


class TokenReader(IngestionReader):
    """Reads tokens inside one transaction."""

    def token(self, token_id: str) -> Token | None:
        row = self._row("token", {"token_id": token_id})
        return None if row is None else _token(row)

    def tokens(self) -> list[Token]:
        return [_token(row) for row in self._rows("tokens")]


class TokenWriter(TokenReader, IngestionWriter):
    """Writes tokens inside one transaction."""

    def put_token(self, token: Token) -> None:
        moments = {"created_at": token.created_at, "expires_at": token.expires_at, "revoked_at": token.revoked_at}
        self._run(
            "put_token",
            {
                "token_id": token.token_id,
                "digest": token.digest,
                "user_id": token.user_id,
                "chat_id": token.chat_id,
                "rights": token.rights.value,
                "label": token.label,
                **{name: None if at is None else to_micros(at) for name, at in moments.items()},
            },
        )


def _token(row: Row) -> Token:
    return Token(
        token_id=row[0],
        digest=row[1],
        user_id=row[2],
        chat_id=row[3],
        rights=Rights(row[4]),
        label=row[5],
        created_at=from_micros(row[6]),
        expires_at=None if row[7] is None else from_micros(row[7]),
        revoked_at=None if row[8] is None else from_micros(row[8]),
    )
