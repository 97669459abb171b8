"""Ingested: a file that became memories, one row for every version of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Ingested:
    """One version of a file. `document_id` is the memory that stands for the whole of it."""

    name: str
    version: int
    digest: str
    document_id: str | None
    manifest: dict[str, Any]
    finished_at: datetime
