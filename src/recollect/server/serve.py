"""Running the server: where it listens, who may call, and how it ends."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import stat
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

import uvicorn
from fastapi import FastAPI

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
    pages: Callable[[FastAPI, MemorySystem, Gatekeeper], None] | None = None,
    tools: str = "recollect",
    told: Callable[[str], None] = lambda _: None,
) -> None:
    """Serves until it is ended; what runs then is finished first.

    `pages` adds pages for people, `tools` are those of MCP, `told` hears where it listens.
    """
    settings = memory.settings.server
    place, number = host or settings.host, settings.port if port is None else port
    loopback = is_loopback(place)
    if not loopback and not any(token.revoked_at is None for token in memory.tokens()):
        raise ConfigError(
            f"listening on {place} needs tokens: anybody could call",
            code="tokens_needed",
            hint="recollect token create --for-user USER",
        )
    configure()
    local = local_identity(memory, user, chat)
    hosts = frozenset({"localhost", "127.0.0.1", "::1", place.strip("[]")}) if loopback else None
    gatekeeper = Gatekeeper(memory, local if loopback else None, hosts)
    added = None if pages is None else lambda app: pages(app, memory, gatekeeper)
    app = build_app(memory, gatekeeper, None if unix_socket is None else local, added, tools)
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_SHUTDOWN_SECONDS,
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
        asyncio.run(_Server(config).serve(sockets))
    finally:
        stop.set()
        if watching is not None:
            watching.join(timeout=5.0)
        if unix_socket is not None:
            unix_socket.unlink(missing_ok=True)


class _Server(uvicorn.Server):
    """Ends when it is told to, and lets those who started it tidy up: uvicorn's own would be killed in the middle."""

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """Takes the signals that end it, for as long as it runs."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {each: signal.signal(each, self.handle_exit) for each in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for each, handler in before.items():
                signal.signal(each, handler)


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


def _clear(path: Path, made: socket.socket) -> None:
    """Removes a socket that a server left behind; a file, or a socket that somebody listens on, is left alone."""
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return
    if stat.S_ISSOCK(mode):
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as asking:
            if asking.connect_ex(str(path)) != 0:
                path.unlink(missing_ok=True)
                return
    made.close()
    raise StorageUnavailable(f"{path} is there already", code="cannot_listen", hint="choose another --socket")


def _private(path: Path) -> socket.socket:
    """A socket that only this operating-system user can use."""
    made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    _clear(path, made)
    before = os.umask(0o177)
    try:
        made.bind(str(path))
    except OSError as error:
        made.close()
        raise StorageUnavailable(f"cannot listen on {path}: {error.strerror}", code="cannot_listen") from error
    finally:
        os.umask(before)
    return made
