"""The part of a memory that says who may call from outside: tokens."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from dataclasses import replace
from datetime import datetime, timedelta

from recollect.errors import NotFound, ScopeDenied
from recollect.knowledge.draft import expiry
from recollect.log import MemoryLog
from recollect.model.check import Checker
from recollect.model.clock import Clock
from recollect.model.ids import IdFactory, check_opaque_id, check_uuid
from recollect.model.token import Identity, Rights, Token
from recollect.storage.interface import Storage

_FORM = re.compile(r"rcl_([0-9a-f]{32})_([A-Za-z0-9_-]{43})")
_LONGEST_LABEL = 100
# Compared with where there is no such token, so that this takes as long.
_NOBODY = hashlib.sha256(b"").hexdigest()


class Admitting:
    """What a `MemorySystem` does with tokens."""

    def _admit(self, storage: Storage, clock: Clock, ids: IdFactory, log: MemoryLog) -> None:
        self.__storage = storage
        self.__clock = clock
        self.__ids = ids
        self.__log = log

    def create_token(
        self,
        user: str,
        *,
        chat: str | None = None,
        rights: Rights | str = Rights.READ,
        expires: datetime | timedelta | str | None = None,
        label: str | None = None,
    ) -> tuple[str, Token]:
        """A token with which somebody calls as a user (in a chat). Its text is told once and not kept."""
        check = Checker()
        check.attempt(check_opaque_id, user, "user", "")
        check.opaque(chat, "chat")
        wanted = check.enum(Rights, rights, "rights", "invalid_rights")
        named = check.optional_text(label, "label", "invalid_input", _LONGEST_LABEL)
        check.done()
        now = self.__clock.now()
        token_id, secret = self.__ids.new(), secrets.token_urlsafe(32)
        token = Token(
            token_id=token_id,
            digest=_digest(secret),
            user_id=user,
            chat_id=chat,
            rights=wanted,
            label=named,
            created_at=now,
            expires_at=None if expires is None else expiry(expires, now),
        )
        self.__storage.write(lambda writer: writer.put_token(token))
        self.__log.write("memory.token.created", tokenId=token_id, user=user, rights=wanted.value)
        return f"rcl_{token_id.replace('-', '')}_{secret}", token

    def tokens(self) -> list[Token]:
        """Every token, the oldest first; what they are is not known any more."""
        return self.__storage.read(lambda reader: reader.tokens())

    def revoke_token(self, token_id: str) -> Token:
        """From now on nobody gets in with this token."""
        check_uuid(token_id, "tokenId")
        now = self.__clock.now()
        found = self.__storage.read(lambda reader: reader.token(token_id))
        if found is None:
            raise NotFound(f"no token {token_id}", code="token_not_found", hint="`token list` shows what there is")
        revoked = replace(found, revoked_at=found.revoked_at or now)
        self.__storage.write(lambda writer: writer.put_token(revoked))
        self.__log.write("memory.token.revoked", tokenId=token_id)
        return revoked

    def admitted(self, text: str) -> Identity:
        """Who calls with a token. What is forged, expired, revoked or another orchestrator's is refused and logged."""
        match = _FORM.fullmatch(text)
        digits = match.group(1) if match else "0" * 32
        token_id = f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"
        found = self.__storage.read(lambda reader: reader.token(token_id))
        same = hmac.compare_digest(_digest(match.group(2) if match else ""), _NOBODY if found is None else found.digest)
        valid = found if same and match is not None else None
        why = _refused(valid, self.__clock.now())
        if valid is None or why is not None:
            self.__log.write("memory.token.refused", level="warning", why=why, tokenId=token_id if found else None)
            raise ScopeDenied("this token is not valid", code="invalid_token", hint="ask for a new one")
        return Identity(
            orchestrator_id=self.__storage.orchestrator_id,
            user=valid.user_id,
            chat=valid.chat_id,
            rights=valid.rights,
            token_id=valid.token_id,
        )


def _refused(token: Token | None, now: datetime) -> str | None:
    """Why nobody gets in with a token; None where they do."""
    if token is None:
        return "unknown"
    if token.revoked_at is not None:
        return "revoked"
    return "expired" if token.expires_at is not None and token.expires_at <= now else None


def _digest(secret: str) -> str:
    # A secret of 256 random bits needs no salt and no slow hash: there is nothing to guess it by.
    return hashlib.sha256(secret.encode()).hexdigest()
