"""The state of a store's schema, whatever the engine."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaStatus:
    """What there is to say of a store's schema."""

    engine: str
    place: str
    schema: int
    newest: int
    pending: tuple[str, ...]
    partitions: int = 0
    vector_indexes: tuple[str, ...] = ()
    row_security: str | None = None
    server: str | None = None
