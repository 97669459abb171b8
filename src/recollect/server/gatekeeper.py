"""Who gets in: tokens, the caller's rate, the size of requests, and the hosts that are asked for."""

from __future__ import annotations

import ipaddress
import time
from collections import OrderedDict
from collections.abc import Mapping
from contextvars import ContextVar
from threading import Lock
from typing import Any

from recollect.errors import InvalidInput, RecollectError, ScopeDenied
from recollect.model.token import Identity
from recollect.system import MemorySystem

_MOST_CALLERS = 10_000
_REFUSED = "refused"  # all who are refused share what a single caller may do
current: ContextVar[Identity] = ContextVar("recollect_identity")


class TooMany(RecollectError):
    """A caller asks too often."""

    default_code = "too_many_requests"


class Rate:
    """Lets every caller make so many requests in a minute, evenly refilled."""

    def __init__(self, per_minute: int) -> None:
        self._per_minute = per_minute
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = Lock()

    def check(self, caller: str) -> None:
        """Takes one request off what a caller has left."""
        if not self._per_minute:
            return
        now = time.monotonic()
        with self._lock:
            left, since = self._left.pop(caller, (float(self._per_minute), now))
            left = min(self._per_minute, left + (now - since) * self._per_minute / 60)
            self._left[caller] = (max(left - 1, 0.0), now)
            while len(self._left) > _MOST_CALLERS:
                self._left.popitem(last=False)
        if left < 1:
            raise TooMany("too many requests", hint="wait a moment")


class Gatekeeper:
    """Says who calls, or that they may not."""

    def __init__(self, memory: MemorySystem, local: Identity | None, hosts: frozenset[str] | None) -> None:
        """`local` is who calls without a token on this machine, if anybody does. `hosts` are the names we answer to."""
        self._memory = memory
        self._local = local
        self._hosts = hosts
        self._rate = Rate(memory.settings.server.requests_per_minute)

    def admit(self, headers: Mapping[str, str], on_socket: Identity | None, *, writes: bool) -> Identity:
        """Who calls. `on_socket` is who does where only they can; `writes` tells requests that may change something."""
        if on_socket is None:
            self.check_site(headers, writes=writes)
        given = headers.get("authorization", "")
        scheme, _, token = given.partition(" ")
        if given and scheme.lower() != "bearer":
            raise self._refused("no bearer token", ScopeDenied("only bearer tokens get in", code="invalid_token"))
        identity = self.identify(token if given else None, on_socket)
        self.charge(identity)
        return identity

    def identify(self, token: str | None, on_socket: Identity | None = None) -> Identity:
        """Whose a token is; without one, who calls from this machine, as long as nobody needs one."""
        if token is None:
            return self._without_token(on_socket)
        try:
            return self._memory.admitted(token.strip())
        except ScopeDenied:
            self._rate.check(_REFUSED)  # whoever guesses is slowed down, and nobody else
            raise

    def _without_token(self, on_socket: Identity | None) -> Identity:
        # Looked up every time: the first token that is made closes the door, and revoking the last does not open it.
        found = on_socket or (None if self._local is None or self._memory.tokens() else self._local)
        if found is None:
            hint = "Authorization: Bearer rcl_…"
            raise self._refused("missing", ScopeDenied("a token is needed", code="missing_token", hint=hint))
        return found

    def _refused(self, why: str, error: ScopeDenied) -> ScopeDenied:
        """What a caller is told who gets no further; it is logged, and so are those who try often."""
        self._memory.log.write("memory.token.refused", level="warning", why=why)
        self._rate.check(_REFUSED)
        return error

    def charge(self, identity: Identity) -> None:
        """Takes one request off what a caller may make."""
        self._rate.check(identity.token_id or "local")

    def check_site(self, headers: Mapping[str, str], *, writes: bool) -> None:
        """A page in a browser gets nowhere: it names another host or itself, and cannot say that it sends JSON."""
        host, origin = headers.get("host", ""), headers.get("origin")
        if self._hosts is not None and (host.rpartition(":")[0] or host).strip("[]") not in self._hosts:
            raise self._refused("host", ScopeDenied("this server does not answer to that name", code="forbidden"))
        if origin is not None and origin.partition("://")[2] != host:
            raise self._refused("origin", ScopeDenied("this server does not answer other sites", code="forbidden"))
        if writes and headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            raise InvalidInput.of("invalid_request", "Content-Type", headers.get("content-type"), "application/json")


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a host."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


_BY_CODE = {"missing_token": 401, "invalid_token": 401, "method_not_allowed": 405, "request_too_large": 413}


def status_of(error: RecollectError) -> int:
    """The status that an error is told with over HTTP."""
    from recollect import errors

    told = _BY_CODE.get(error.code)
    if told is not None:
        return told
    for kind, status in (
        (TooMany, 429),
        (errors.ScopeDenied, 403),
        (errors.NotFound, 404),
        (errors.SessionError, 404),
        (errors.IllegalTransition, 409),
        (errors.MemoryDisabled, 503),
        (errors.StorageError, 503),
    ):
        if isinstance(error, kind):
            return status
    return 400


def error_body(error: RecollectError) -> dict[str, Any]:
    """An error as every way in tells it."""
    return {"error": error.to_json()}
