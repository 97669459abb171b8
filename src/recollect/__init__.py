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
        Refused,
        ScopeDenied,
        SessionError,
        StorageBusy,
        StorageError,
        StorageUnavailable,
        Unsupported,
        Violation,
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
    from recollect.upkeep import (
        Collected,
        Diagnosis,
        Finding,
    )

_HOMES = {
    "Agent": "recollect.agent",
    "Answered": "recollect.agent",
    "CapturedBy": "recollect.model.source",
    "Collected": "recollect.upkeep",
    "ConfigError": "recollect.errors",
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
    "Finding": "recollect.upkeep",
    "ForeignDatabase": "recollect.errors",
    "Forgotten": "recollect.knowledge",
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
    "Person": "recollect.model.person",
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
    "Collected",
    "ConfigError",
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
    "Finding",
    "ForeignDatabase",
    "Forgotten",
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
    "Person",
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
