"""The loop of an agent that remembers: look up, answer, write back."""

from recollect.agent.hooks import Inbound, MemoryHooks
from recollect.agent.loop import Agent, Answered
from recollect.agent.manager import MemoryManager, MemoryStore, SemanticRetriever
from recollect.agent.orchestrator import Orchestrator, Step, Workflow
from recollect.agent.turn import (
    ContextClient,
    Scratchpad,
    ctx_reconciler_stream,
    extract_assistant_signals,
    fetch_conversation_artifacts,
    persist_turn_fingerprint,
    preload_conversation_memory_state,
    retrospective_context_view,
    save_artifact,
    update_turn_fingerprint,
)

__all__ = [
    "Agent",
    "Answered",
    "ContextClient",
    "Inbound",
    "MemoryHooks",
    "MemoryManager",
    "MemoryStore",
    "Orchestrator",
    "Scratchpad",
    "SemanticRetriever",
    "Step",
    "Workflow",
    "ctx_reconciler_stream",
    "extract_assistant_signals",
    "fetch_conversation_artifacts",
    "persist_turn_fingerprint",
    "preload_conversation_memory_state",
    "retrospective_context_view",
    "save_artifact",
    "update_turn_fingerprint",
]
