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
        MemoryManager,
        MemoryStore,
        SemanticRetriever,
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
        ScopeDenied,
        SessionError,
        StorageBusy,
        StorageError,
        StorageUnavailable,
        Unsupported,
        Violation,
    )
    from recollect.knowledge import (
        Draft,
        Link,
        Receipt,
    )
    from recollect.model.edge import (
        Edge,
        EdgeType,
    )
    from recollect.model.event import (
        Event,
        EventKind,
    )
    from recollect.model.memory import (
        Kind,
        Memory,
        MemoryType,
        Sensitivity,
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
    from recollect.prompt import (
        RetrievedContext,
        SearchResult,
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

_HOMES = {
    "Agent": "recollect.agent",
    "Answered": "recollect.agent",
    "CapturedBy": "recollect.model.source",
    "ConfigError": "recollect.errors",
    "CorruptDatabase": "recollect.errors",
    "DamagedMemory": "recollect.errors",
    "DamagedSession": "recollect.errors",
    "Draft": "recollect.knowledge",
    "Edge": "recollect.model.edge",
    "EdgeType": "recollect.model.edge",
    "Event": "recollect.model.event",
    "EventKind": "recollect.model.event",
    "ForeignDatabase": "recollect.errors",
    "Hit": "recollect.recall",
    "IllegalTransition": "recollect.errors",
    "InvalidInput": "recollect.errors",
    "Kind": "recollect.model.memory",
    "Link": "recollect.knowledge",
    "Listing": "recollect.surface",
    "Memory": "recollect.model.memory",
    "MemoryDisabled": "recollect.errors",
    "MemoryManager": "recollect.agent",
    "MemoryStore": "recollect.agent",
    "MemorySystem": "recollect.system",
    "MemoryType": "recollect.model.memory",
    "Message": "recollect.model.session",
    "NewerSchema": "recollect.errors",
    "NotFound": "recollect.errors",
    "Recall": "recollect.recall",
    "Receipt": "recollect.knowledge",
    "RecollectError": "recollect.errors",
    "RetrievedContext": "recollect.prompt",
    "Role": "recollect.model.session",
    "Scope": "recollect.model.scope",
    "ScopeDenied": "recollect.errors",
    "ScopeKind": "recollect.model.scope",
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
    "StorageBusy": "recollect.errors",
    "StorageError": "recollect.errors",
    "StorageUnavailable": "recollect.errors",
    "Store": "recollect.conversations",
    "StorePlace": "recollect.conversations",
    "TranscriptEntry": "recollect.conversations",
    "Trust": "recollect.model.source",
    "Unsupported": "recollect.errors",
    "Usage": "recollect.model.session",
    "UserProfile": "recollect.model.session",
    "Violation": "recollect.errors",
    "aio": "recollect",
    "open": "recollect.system",
}

__all__ = [
    "Agent",
    "Answered",
    "CapturedBy",
    "ConfigError",
    "CorruptDatabase",
    "DamagedMemory",
    "DamagedSession",
    "Draft",
    "Edge",
    "EdgeType",
    "Event",
    "EventKind",
    "ForeignDatabase",
    "Hit",
    "IllegalTransition",
    "InvalidInput",
    "Kind",
    "Link",
    "Listing",
    "Memory",
    "MemoryDisabled",
    "MemoryManager",
    "MemoryStore",
    "MemorySystem",
    "MemoryType",
    "Message",
    "NewerSchema",
    "NotFound",
    "Recall",
    "Receipt",
    "RecollectError",
    "RetrievedContext",
    "Role",
    "Scope",
    "ScopeDenied",
    "ScopeKind",
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
    "StorageBusy",
    "StorageError",
    "StorageUnavailable",
    "Store",
    "StorePlace",
    "TranscriptEntry",
    "Trust",
    "Unsupported",
    "Usage",
    "UserProfile",
    "Violation",
    "aio",
    "open",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'recollect' has no attribute {name!r}")
    value = import_module("recollect.aio") if name == "aio" else getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
