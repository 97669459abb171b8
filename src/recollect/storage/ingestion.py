"""What a storage engine offers for ingestion and bulletins."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from recollect.model.ingested import Ingested
from recollect.model.scope import Visibility


class IngestionReader(Protocol):
    """Which files became memories, and what is in doubt."""

    def ingested_latest(self, name: str) -> Ingested | None:
        """The newest version of a file."""
        ...

    def ingested_by_digest(self, digest: str) -> Ingested | None:
        """A file with this content, under any name."""
        ...

    def ingested_list(self, limit: int) -> list[Ingested]:
        """Files, the last ingested first."""
        ...

    def ingested_memory_ids(self, name: str, version: int) -> list[str]:
        """The memories that a version of a file gave."""
        ...

    def is_held_elsewhere(self, memory_id: str, name: str) -> bool:
        """Whether anything but the file of this name says what a memory says."""
        ...

    def source_paths(self, memory_id: str) -> list[str]:
        """The files that a memory came from."""
        ...

    def newest_of_type(self, visibility: Visibility, kind: str, limit: int) -> list[int]:
        """The newest visible memories of a type, newest first."""
        ...

    def open_conflicts(self, visibility: Visibility, limit: int) -> list[tuple[int, int]]:
        """Pairs of visible memories that contradict each other, newest first."""
        ...

    def doubtful(self, visibility: Visibility, limit: int) -> list[int]:
        """Visible memories that are less than half sure, newest first."""
        ...


class IngestionWriter(Protocol):
    """Notes which files became memories."""

    def add_ingested(self, ingested: Ingested, memory_ids: Iterable[str]) -> None:
        """A version of a file, and the memories that it gave."""
        ...
