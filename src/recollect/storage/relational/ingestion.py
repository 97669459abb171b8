"""Ingestion and bulletins: read and written over queries of the same names on every engine."""

from __future__ import annotations

import json
from collections.abc import Iterable

from recollect.model.clock import from_micros, to_micros
from recollect.model.ingested import Ingested
from recollect.model.scope import Visibility
from recollect.storage.relational.artifacts import ArtifactReader, ArtifactWriter
from recollect.storage.relational.rows import Row


class IngestionReader(ArtifactReader):
    """Reads which files became memories, and what is in doubt."""

    def ingested_latest(self, name: str) -> Ingested | None:
        row = self._row("ingested_latest", {"name": name})
        return None if row is None else _ingested(row)

    def ingested_by_digest(self, digest: str) -> Ingested | None:
        row = self._row("ingested_by_digest", {"digest": digest})
        return None if row is None else _ingested(row)

    def ingested_list(self, limit: int) -> list[Ingested]:
        return [_ingested(row) for row in self._rows("ingested_list", {"limit": limit})]

    def ingested_memory_ids(self, name: str, version: int) -> list[str]:
        return [row[0] for row in self._rows("ingested_memory_ids", {"name": name, "version": version})]

    def is_held_elsewhere(self, memory_id: str, name: str) -> bool:
        return self._row("held_elsewhere", {"memory_id": memory_id, "name": name}) is not None

    def source_paths(self, memory_id: str) -> list[str]:
        return [row[0] for row in self._rows("source_paths", {"memory_id": memory_id})]

    def newest_of_type(self, visibility: Visibility, kind: str, limit: int) -> list[int]:
        values = self._gate(visibility)
        scopes = [row[0] for row in self._rows("visible_scopes", values)]
        asked = {**values, "type": kind, "limit": limit}
        found = [row[0] for scope in scopes for row in self._rows("newest_of_type", {**asked, "scope_id": scope})]
        return sorted(found, reverse=True)[:limit]

    def open_conflicts(self, visibility: Visibility, limit: int) -> list[tuple[int, int]]:
        rows = self._rows("open_conflicts", {**self._gate(visibility), "limit": limit})
        return [(row[0], row[1]) for row in rows]

    def doubtful(self, visibility: Visibility, limit: int) -> list[int]:
        return [row[0] for row in self._rows("doubtful", {**self._gate(visibility), "limit": limit})]


class IngestionWriter(IngestionReader, ArtifactWriter):
    """Notes which files became memories."""

    def add_ingested(self, ingested: Ingested, memory_ids: Iterable[str]) -> None:
        key = {"name": ingested.name, "version": ingested.version}
        self._run(
            "add_ingested",
            {
                **key,
                "digest": ingested.digest,
                "document_id": ingested.document_id,
                "manifest": json.dumps(ingested.manifest),
                "finished_at": to_micros(ingested.finished_at),
            },
        )
        for memory_id in dict.fromkeys(memory_ids):
            self._run("add_ingested_memory", {**key, "memory_id": memory_id})


def _ingested(row: Row) -> Ingested:
    return Ingested(
        name=row[0],
        version=row[1],
        digest=row[2],
        document_id=row[3],
        manifest=json.loads(row[4]),
        finished_at=from_micros(row[5]),
    )
