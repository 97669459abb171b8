"""MCP over standard input and output. It imports nothing of the web server: a client waits for its first answer."""

from __future__ import annotations

from recollect.model.token import Identity, Rights
from recollect.server.mcp import build_mcp
from recollect.system import MemorySystem


def local_identity(memory: MemorySystem, user: str, chat: str | None = None) -> Identity:
    """Whoever sits at this machine: they may do what the command line may."""
    return Identity(orchestrator_id=memory.orchestrator_id, user=user, chat=chat, rights=Rights.ADMIN)


def serve_stdio(memory: MemorySystem, *, user: str, chat: str | None = None, tools: str = "recollect") -> None:
    """Answers until the input ends, as whoever the environment names."""
    identity = local_identity(memory, user, chat)
    build_mcp(memory, lambda: identity, tools).run("stdio")
