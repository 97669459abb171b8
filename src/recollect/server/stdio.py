"""MCP over standard input and output. A client waits for the first answer: the memory is opened when it is needed."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING

from recollect.model.token import Identity, Rights

if TYPE_CHECKING:
    from recollect.system import MemorySystem


def local_identity(memory: MemorySystem, user: str, chat: str | None = None) -> Identity:
    """Whoever sits at this machine: they may do what the command line may."""
    return Identity(orchestrator_id=memory.orchestrator_id, user=user, chat=chat, rights=Rights.ADMIN)


def serve_stdio(
    open_memory: Callable[[], MemorySystem], *, user: str, chat: str | None = None, tools: str = "recollect"
) -> None:
    """Answers until the input ends, as whoever the environment names."""
    with _quick_import():
        from recollect.server.mcp import build_mcp
    memory = _Opened(open_memory)
    _end_when_told(memory)
    try:
        build_mcp(memory, lambda: local_identity(memory(), user, chat), tools).run("stdio")
    finally:
        memory.close()


def _end_when_told(memory: _Opened) -> None:
    """Ctrl-C and SIGTERM end it at once: the thread that waits for input hears of nothing else."""

    def end(number: int, _: object) -> None:
        memory.close()
        os._exit(128 + number)

    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, end)


@contextmanager
def _quick_import() -> Iterator[None]:
    """The SDK makes hundreds of models as it is imported, most for messages that are never sent.

    Each is finished when it is first used, and nothing of it is looked through for garbage: a fifth of the wait.
    """
    from pydantic import BaseModel

    gc.disable()
    BaseModel.model_config["defer_build"] = True
    try:
        yield
    finally:
        del BaseModel.model_config["defer_build"]
        gc.enable()


class _Opened:
    """A memory that is opened by the first who asks. One that cannot be opened is tried again by the next."""

    def __init__(self, opening: Callable[[], MemorySystem]) -> None:
        self._opening = opening
        self._memory: MemorySystem | None = None
        self._lock = Lock()

    def __call__(self) -> MemorySystem:
        with self._lock:
            if self._memory is None:
                self._memory = self._opening()
            return self._memory

    def close(self) -> None:
        """Closes it, if anybody asked for it."""
        if self._memory is not None:
            self._memory.close()
