"""What became of the files of one run."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

FileStatus = Literal["processed", "duplicate", "rejected", "waiting", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FileReport:
    """What became of one file. `code` says why it was rejected, waits (still being written) or failed (tried again)."""

    name: str
    status: FileStatus
    path: str | None = None
    version: int | None = None
    memories: int = 0
    edges: int = 0
    superseded: int = 0
    refused: int = 0
    code: str | None = None
    message: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestReport:
    """What became of every file that was there."""

    files: tuple[FileReport, ...] = field(default=())

    def count(self, status: FileStatus) -> int:
        """How many ended in a way."""
        return sum(each.status == status for each in self.files)

    @property
    def memories(self) -> int:
        """How many memories were stored."""
        return sum(each.memories for each in self.files)
