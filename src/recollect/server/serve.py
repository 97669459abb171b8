"""Running the server: where it listens, who may call, and how it ends."""

from __future__ import annotations

import asyncio
import os
import socket
import threading
from collections.abc import Callable
from pathlib import Path

import uvicorn

from recollect.errors import ConfigError, StorageUnavailable
from recollect.server.app import build_app
from recollect.server.gatekeeper import Gatekeeper, is_loopback
from recollect.server.stdio import local_identity
from recollect.server.tracing import configure
from recollect.system import MemorySystem

_SHUTDOWN_SECONDS = 20


def serve(
    memory: MemorySystem,
    *,
    user: str,
    chat: str | None = None,
    host: str | None = None,
    port: int | None = None,
    unix_socket: Path | None = None,
    watch: bool = True,
    told: Callable[[str], None] = lambda _: None,
) -> None:
    """Serves until it is ended; what runs then is finished first. `told` hears where it listens."""
    settings = memory.settings.server
    place, number = host or settings.host, settings.port if port is None else port
    loopback = is_loopback(place)
    guarded = any(token.revoked_at is None for token in memory.tokens())
    if not loopback and not guarded:
        raise ConfigError(
            f"listening on {place} needs tokens: anybody could call",
            code="tokens_needed",
            hint="recollect token create --for-user USER",
        )
    configure()
    local = local_identity(memory, user, chat)
    hosts = frozenset({"localhost", "127.0.0.1", "::1", place.strip("[]")}) if loopback else None
    gatekeeper = Gatekeeper(memory, local if loopback and not guarded else None, hosts)
    app = build_app(memory, gatekeeper, local)
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_SHUTDOWN_SECONDS,
        limit_concurrency=1000,
    )
    sockets = [_listening(place, number)]
    if unix_socket is not None:
        sockets.append(_private(unix_socket))
    stop = threading.Event()
    watching = None
    if watch and memory.settings.memory.ingest.enabled:
        watching = threading.Thread(target=_watch, args=(memory, stop), name="recollect ingest", daemon=True)
        watching.start()
    try:
        told(f"http://{place}:{sockets[0].getsockname()[1]}")
        asyncio.run(uvicorn.Server(config).serve(sockets))
    finally:
        stop.set()
        if watching is not None:
            watching.join(timeout=5.0)
        if unix_socket is not None:
            unix_socket.unlink(missing_ok=True)


def _watch(memory: MemorySystem, stop: threading.Event) -> None:
    try:
        memory.watch_ingest(stop)
    except Exception as error:  # noqa: BLE001  the server goes on without it
        memory.log.write("memory.ingest.watch_failed", level="error", detail=type(error).__name__)


def _listening(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((host.strip("[]"), port))
    except OSError as error:
        made.close()
        raise StorageUnavailable(
            f"cannot listen on {host}:{port}: {error.strerror}", code="cannot_listen", hint="choose another --port"
        ) from error
    return made


def _private(path: Path) -> socket.socket:
    """A socket that only this operating-system user can use."""
    path.unlink(missing_ok=True)
    made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(0o177)
    try:
        made.bind(str(path))
    except OSError as error:
        made.close()
        raise StorageUnavailable(f"cannot listen on {path}: {error.strerror}", code="cannot_listen") from error
    finally:
        os.umask(before)
    return made
