"""Recollect: long-term memory for AI agents.

The names below are the public surface. They are loaded when they are first used, so that `import recollect`
costs an agent next to nothing at start-up.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from recollect import aio
    from recollect.agent import (
        Agent,
        Answered,
        ContextClient,
        Inbound,
        MemoryHooks,
        MemoryManager,
        MemoryStore,
        Orchestrator,
        Scratchpad,
        SemanticRetriever,
        Step,
        Workflow,
        ctx_reconciler_stream,
        extract_assistant_signals,
        fetch_conversation_artifacts,
        persist_turn_fingerprint,
        preload_conversation_memory_state,
        retrospective_context_view,
        save_artifact,
        update_turn_fingerprint,
    )
    from recollect.conversations import (
        SessionHandle,
        Store,
        StorePlace,
        TranscriptEntry,
    )
    from recollect.errors import (
        ConfigError,
        CorruptDatabase,
        DamagedMemory,
        DamagedSession,
        ForeignDatabase,
        IllegalTransition,
        InvalidInput,
        MemoryDisabled,
        NewerSchema,
        NotFound,
        RecollectError,
        Refused,
        ScopeDenied,
        SessionError,
        StorageBusy,
        StorageError,
        StorageUnavailable,
        Unsupported,
        Violation,
    )
    from recollect.ingest import (
        FileReport,
        IngestReport,
    )
    from recollect.knowing import (
        Erased,
    )
    from recollect.knowledge import (
        Draft,
        Forgotten,
        Link,
        Receipt,
    )
    from recollect.looking import (
        Changed,
        Conflict,
        Graph,
        Learned,
        Pulse,
    )
    from recollect.model.artifact import (
        Artifact,
        ArtifactKind,
    )
    from recollect.model.edge import (
        Edge,
        EdgeType,
    )
    from recollect.model.event import (
        Event,
        EventKind,
    )
    from recollect.model.ingested import (
        Ingested,
    )
    from recollect.model.memory import (
        Kind,
        Memory,
        MemoryType,
        Sensitivity,
    )
    from recollect.model.person import (
        Person,
        Relation,
    )
    from recollect.model.scope import (
        Scope,
        ScopeKind,
    )
    from recollect.model.session import (
        Message,
        Role,
        Session,
        Usage,
        UserProfile,
    )
    from recollect.model.source import (
        CapturedBy,
        Source,
        SourceType,
        Trust,
    )
    from recollect.model.status import (
        Status,
    )
    from recollect.model.turn import (
        Item,
        Reaction,
        TurnFingerprint,
    )
    from recollect.prompt import (
        RetrievedContext,
        SearchResult,
    )
    from recollect.prompt.blocks import (
        format_assistant_signals_block,
        format_feedback_block,
        format_turn_memories_block,
    )
    from recollect.prompt.bulletin import (
        Bulletin,
    )
    from recollect.prompt.journal import (
        JournalView,
    )
    from recollect.recall import (
        Hit,
        Recall,
    )
    from recollect.surface import (
        Listing,
        Stats,
    )
    from recollect.system import MemorySystem, open  # noqa: A004  the public name is recollect.open
    from recollect.turns import (
        ConversationState,
        Feedback,
        FeedbackReport,
        Place,
        Promotion,
        Turn,
        TurnLog,
    )
    from recollect.upkeep import (
        Collected,
        Diagnosis,
        Finding,
    )

_HOMES = {
    "Agent": "recollect.agent",
    "Answered": "recollect.agent",
    "Artifact": "recollect.model.artifact",
    "ArtifactKind": "recollect.model.artifact",
    "Bulletin": "recollect.prompt.bulletin",
    "CapturedBy": "recollect.model.source",
    "Changed": "recollect.looking",
    "Collected": "recollect.upkeep",
    "ConfigError": "recollect.errors",
    "Conflict": "recollect.looking",
    "ContextClient": "recollect.agent",
    "ConversationState": "recollect.turns",
    "CorruptDatabase": "recollect.errors",
    "DamagedMemory": "recollect.errors",
    "DamagedSession": "recollect.errors",
    "Diagnosis": "recollect.upkeep",
    "Draft": "recollect.knowledge",
    "Edge": "recollect.model.edge",
    "EdgeType": "recollect.model.edge",
    "Erased": "recollect.knowing",
    "Event": "recollect.model.event",
    "EventKind": "recollect.model.event",
    "Feedback": "recollect.turns",
    "FeedbackReport": "recollect.turns",
    "FileReport": "recollect.ingest",
    "Finding": "recollect.upkeep",
    "ForeignDatabase": "recollect.errors",
    "Forgotten": "recollect.knowledge",
    "Graph": "recollect.looking",
    "Hit": "recollect.recall",
    "IllegalTransition": "recollect.errors",
    "Inbound": "recollect.agent",
    "IngestReport": "recollect.ingest",
    "Ingested": "recollect.model.ingested",
    "InvalidInput": "recollect.errors",
    "Item": "recollect.model.turn",
    "JournalView": "recollect.prompt.journal",
    "Kind": "recollect.model.memory",
    "Learned": "recollect.looking",
    "Link": "recollect.knowledge",
    "Listing": "recollect.surface",
    "Memory": "recollect.model.memory",
    "MemoryDisabled": "recollect.errors",
    "MemoryHooks": "recollect.agent",
    "MemoryManager": "recollect.agent",
    "MemoryStore": "recollect.agent",
    "MemorySystem": "recollect.system",
    "MemoryType": "recollect.model.memory",
    "Message": "recollect.model.session",
    "NewerSchema": "recollect.errors",
    "NotFound": "recollect.errors",
    "Orchestrator": "recollect.agent",
    "Person": "recollect.model.person",
    "Place": "recollect.turns",
    "Promotion": "recollect.turns",
    "Pulse": "recollect.looking",
    "Reaction": "recollect.model.turn",
    "Recall": "recollect.recall",
    "Receipt": "recollect.knowledge",
    "RecollectError": "recollect.errors",
    "Refused": "recollect.errors",
    "Relation": "recollect.model.person",
    "RetrievedContext": "recollect.prompt",
    "Role": "recollect.model.session",
    "Scope": "recollect.model.scope",
    "ScopeDenied": "recollect.errors",
    "ScopeKind": "recollect.model.scope",
    "Scratchpad": "recollect.agent",
    "SearchResult": "recollect.prompt",
    "SemanticRetriever": "recollect.agent",
    "Sensitivity": "recollect.model.memory",
    "Session": "recollect.model.session",
    "SessionError": "recollect.errors",
    "SessionHandle": "recollect.conversations",
    "Source": "recollect.model.source",
    "SourceType": "recollect.model.source",
    "Stats": "recollect.surface",
    "Status": "recollect.model.status",
    "Step": "recollect.agent",
    "StorageBusy": "recollect.errors",
    "StorageError": "recollect.errors",
    "StorageUnavailable": "recollect.errors",
    "Store": "recollect.conversations",
    "StorePlace": "recollect.conversations",
    "TranscriptEntry": "recollect.conversations",
    "Trust": "recollect.model.source",
    "Turn": "recollect.turns",
    "TurnFingerprint": "recollect.model.turn",
    "TurnLog": "recollect.turns",
    "Unsupported": "recollect.errors",
    "Usage": "recollect.model.session",
    "UserProfile": "recollect.model.session",
    "Violation": "recollect.errors",
    "Workflow": "recollect.agent",
    "aio": "recollect",
    "ctx_reconciler_stream": "recollect.agent",
    "extract_assistant_signals": "recollect.agent",
    "fetch_conversation_artifacts": "recollect.agent",
    "format_assistant_signals_block": "recollect.prompt.blocks",
    "format_feedback_block": "recollect.prompt.blocks",
    "format_turn_memories_block": "recollect.prompt.blocks",
    "open": "recollect.system",
    "persist_turn_fingerprint": "recollect.agent",
    "preload_conversation_memory_state": "recollect.agent",
    "retrospective_context_view": "recollect.agent",
    "save_artifact": "recollect.agent",
    "update_turn_fingerprint": "recollect.agent",
}

__all__ = [
    "Agent",
    "Answered",
    "Artifact",
    "ArtifactKind",
    "Bulletin",
    "CapturedBy",
    "Changed",
    "Collected",
    "ConfigError",
    "Conflict",
    "ContextClient",
    "ConversationState",
    "CorruptDatabase",
    "DamagedMemory",
    "DamagedSession",
    "Diagnosis",
    "Draft",
    "Edge",
    "EdgeType",
    "Erased",
    "Event",
    "EventKind",
    "Feedback",
    "FeedbackReport",
    "FileReport",
    "Finding",
    "ForeignDatabase",
    "Forgotten",
    "Graph",
    "Hit",
    "IllegalTransition",
    "Inbound",
    "IngestReport",
    "Ingested",
    "InvalidInput",
    "Item",
    "JournalView",
    "Kind",
    "Learned",
    "Link",
    "Listing",
    "Memory",
    "MemoryDisabled",
    "MemoryHooks",
    "MemoryManager",
    "MemoryStore",
    "MemorySystem",
    "MemoryType",
    "Message",
    "NewerSchema",
    "NotFound",
    "Orchestrator",
    "Person",
    "Place",
    "Promotion",
    "Pulse",
    "Reaction",
    "Recall",
    "Receipt",
    "RecollectError",
    "Refused",
    "Relation",
    "RetrievedContext",
    "Role",
    "Scope",
    "ScopeDenied",
    "ScopeKind",
    "Scratchpad",
    "SearchResult",
    "SemanticRetriever",
    "Sensitivity",
    "Session",
    "SessionError",
    "SessionHandle",
    "Source",
    "SourceType",
    "Stats",
    "Status",
    "Step",
    "StorageBusy",
    "StorageError",
    "StorageUnavailable",
    "Store",
    "StorePlace",
    "TranscriptEntry",
    "Trust",
    "Turn",
    "TurnFingerprint",
    "TurnLog",
    "Unsupported",
    "Usage",
    "UserProfile",
    "Violation",
    "Workflow",
    "aio",
    "ctx_reconciler_stream",
    "extract_assistant_signals",
    "fetch_conversation_artifacts",
    "format_assistant_signals_block",
    "format_feedback_block",
    "format_turn_memories_block",
    "open",
    "persist_turn_fingerprint",
    "preload_conversation_memory_state",
    "retrospective_context_view",
    "save_artifact",
    "update_turn_fingerprint",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'recollect' has no attribute {name!r}")
    value = import_module("recollect.aio") if name == "aio" else getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
