"""Recollect: long-term memory for AI agents.

The names below are the public surface. They are loaded when they are first used, so that `import recollect`
costs an agent next to nothing at start-up.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from recollect import aio
    from recollect.errors import (
        ConfigError,
        CorruptDatabase,
        DamagedMemory,
        ForeignDatabase,
        IllegalTransition,
        InvalidInput,
        MemoryDisabled,
        NewerSchema,
        NotFound,
        RecollectError,
        ScopeDenied,
        StorageBusy,
        StorageError,
        StorageUnavailable,
        Violation,
    )
    from recollect.knowledge import Draft, Link, Receipt
    from recollect.model.edge import Edge, EdgeType
    from recollect.model.event import Event, EventKind
    from recollect.model.memory import Memory, MemoryType, Sensitivity
    from recollect.model.scope import Scope, ScopeKind
    from recollect.model.source import CapturedBy, Source, SourceType, Trust
    from recollect.model.status import Status
    from recollect.recall import Hit, Recall
    from recollect.surface import Listing, Stats
    from recollect.system import MemorySystem, open  # noqa: A004  the public name is recollect.open

_HOMES = {
    "CapturedBy": "recollect.model.source",
    "ConfigError": "recollect.errors",
    "CorruptDatabase": "recollect.errors",
    "DamagedMemory": "recollect.errors",
    "Draft": "recollect.knowledge",
    "Edge": "recollect.model.edge",
    "EdgeType": "recollect.model.edge",
    "Event": "recollect.model.event",
    "EventKind": "recollect.model.event",
    "ForeignDatabase": "recollect.errors",
    "Hit": "recollect.recall",
    "IllegalTransition": "recollect.errors",
    "InvalidInput": "recollect.errors",
    "Link": "recollect.knowledge",
    "Listing": "recollect.surface",
    "Memory": "recollect.model.memory",
    "MemoryDisabled": "recollect.errors",
    "MemorySystem": "recollect.system",
    "MemoryType": "recollect.model.memory",
    "NewerSchema": "recollect.errors",
    "NotFound": "recollect.errors",
    "Recall": "recollect.recall",
    "Receipt": "recollect.knowledge",
    "RecollectError": "recollect.errors",
    "Scope": "recollect.model.scope",
    "ScopeDenied": "recollect.errors",
    "ScopeKind": "recollect.model.scope",
    "Sensitivity": "recollect.model.memory",
    "Source": "recollect.model.source",
    "SourceType": "recollect.model.source",
    "Stats": "recollect.surface",
    "Status": "recollect.model.status",
    "StorageBusy": "recollect.errors",
    "StorageError": "recollect.errors",
    "StorageUnavailable": "recollect.errors",
    "Trust": "recollect.model.source",
    "Violation": "recollect.errors",
    "aio": "recollect",
    "open": "recollect.system",
}

__all__ = [
    "CapturedBy",
    "ConfigError",
    "CorruptDatabase",
    "DamagedMemory",
    "Draft",
    "Edge",
    "EdgeType",
    "Event",
    "EventKind",
    "ForeignDatabase",
    "Hit",
    "IllegalTransition",
    "InvalidInput",
    "Link",
    "Listing",
    "Memory",
    "MemoryDisabled",
    "MemorySystem",
    "MemoryType",
    "NewerSchema",
    "NotFound",
    "Recall",
    "Receipt",
    "RecollectError",
    "Scope",
    "ScopeDenied",
    "ScopeKind",
    "Sensitivity",
    "Source",
    "SourceType",
    "Stats",
    "Status",
    "StorageBusy",
    "StorageError",
    "StorageUnavailable",
    "Trust",
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
