"""Artifacts of turn memory: read and written over queries of the same names on every engine."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from recollect.model.artifact import Artifact, Wanted, Within
from recollect.model.clock import from_micros, parse_time, to_micros
from recollect.storage.relational.knowledge import KnowledgeReader, KnowledgeWriter
from recollect.storage.relational.rows import Row


class ArtifactReader(KnowledgeReader):
    """Finds artifacts inside one transaction."""

    def artifacts(self, wanted: Wanted, now: int) -> list[Artifact]:
        return [_artifact(row) for row in self._rows(*_query(wanted, now))]

    def artifact(self, artifact_id: str) -> Artifact | None:
        row = self._row("artifact", {"artifact_id": artifact_id})
        return None if row is None else _artifact(row)

    def is_said_elsewhere(self, memory_id: str, conversation_id: str, turn_id: str) -> bool:
        asked = {"memory_id": memory_id, "conversation_id": conversation_id, "turn_id": turn_id}
        return self._row("said_elsewhere", asked) is not None

    def artifact_by_key(self, user_id: str, conversation_id: str, kind: str, unique_key: str) -> Artifact | None:
        asked = {"user_id": user_id, "conversation_id": conversation_id, "kind": kind, "unique_key": unique_key}
        row = self._row("artifact_by_key", asked)
        return None if row is None else _artifact(row)

    def count_artifacts(self, wanted: Wanted, now: int) -> int:
        _, values = _query(wanted, now)
        del values["limit"]
        return int(self._rows("count_artifacts", values)[0][0])

    def expired_artifacts(self, now: int, limit: int) -> list[Artifact]:
        return [_artifact(row) for row in self._rows("expired_artifacts", {"now": now, "limit": limit})]

    def artifacts_after(
        self, after: str, limit: int, user_id: str | None = None, conversation_id: str | None = None
    ) -> list[Artifact]:
        asked = {"after": after, "limit": limit, "user_id": user_id, "conversation_id": conversation_id}
        return [_artifact(row) for row in self._rows("artifacts_after", asked)]

    def artifact_blobs(self) -> list[str]:
        return [row[0] for row in self._rows("artifact_blobs")]


class ArtifactWriter(ArtifactReader, KnowledgeWriter):
    """Changes artifacts inside one transaction."""

    def put_artifact(self, artifact: Artifact) -> None:
        own = {"artifact_id": artifact.artifact_id}
        self._run(
            "put_artifact",
            {
                **own,
                "kind": str(artifact.kind),
                "user_id": artifact.user_id,
                "conversation_id": artifact.conversation_id,
                "turn_id": artifact.turn_id,
                "track_id": artifact.track_id,
                "bundle_id": artifact.bundle_id,
                "unique_key": artifact.unique_key,
                "tags": json.dumps(artifact.tags),
                "content": json.dumps(artifact.content),
                "blob": artifact.blob,
                "blob_digest": artifact.blob_digest,
                "created_at": to_micros(artifact.created_at),
                "updated_at": to_micros(artifact.updated_at),
                "expires_at": None if artifact.expires_at is None else to_micros(artifact.expires_at),
            },
        )
        self._run("drop_artifact_tags", own)
        for tag in artifact.tags:
            self._run("add_artifact_tag", {**own, "user_id": artifact.user_id, "tag": tag})

    def drop_artifacts(self, artifact_ids: Iterable[str]) -> None:
        for artifact_id in artifact_ids:
            self._run("drop_artifact", {"artifact_id": artifact_id})


def _query(wanted: Wanted, now: int) -> tuple[str, dict[str, Any]]:
    """The query that finds what is wanted by the narrowest index, and its values."""
    in_conversation = wanted.within is not Within.USER
    kinds = None if wanted.kinds is None else [str(kind) for kind in wanted.kinds]
    values: dict[str, Any] = {
        "user_id": wanted.user_id,
        "conversation_id": wanted.conversation_id if in_conversation else None,
        "track_id": wanted.track_id if wanted.within is Within.TRACK else None,
        "bundle_id": wanted.bundle_id,
        "turn_ids": None if wanted.turn_ids is None else json.dumps(list(wanted.turn_ids)),
        "kinds": None if kinds is None else json.dumps(kinds),
        "all_tags": json.dumps(list(wanted.all_tags)),
        "any_tags": None if wanted.any_tags is None else json.dumps(list(wanted.any_tags)),
        "not_tags": json.dumps(list(wanted.not_tags)),
        "times": json.dumps([[operator, _micros(at)] for operator, at in wanted.times]),
        "beyond_at": None if wanted.beyond is None else to_micros(wanted.beyond[0]),
        "beyond_id": None if wanted.beyond is None else wanted.beyond[1],
        "now": now,
        "limit": wanted.limit,
    }
    if wanted.all_tags:
        return "artifacts_tagged", {**values, "tag": next(iter(wanted.all_tags))}
    if wanted.turn_ids is not None and in_conversation:
        return "artifacts_of_turns", values
    if kinds is not None and len(kinds) == 1:
        name = "artifacts_of_kind" if in_conversation else "artifacts_of_user_kind"
        return name, {**values, "kind": kinds[0]}
    return "artifacts_in_conversation" if in_conversation else "artifacts_of_user", values


def _micros(moment: datetime | str) -> int:
    return to_micros(parse_time(moment, "times"))


def _artifact(row: Row) -> Artifact:
    return Artifact(
        artifact_id=row[0],
        kind=row[1],
        user_id=row[2],
        conversation_id=row[3],
        turn_id=row[4],
        track_id=row[5],
        bundle_id=row[6],
        unique_key=row[7],
        tags=tuple(json.loads(row[8])),
        content=json.loads(row[9]),
        blob=row[10],
        blob_digest=row[11],
        created_at=from_micros(row[12]),
        updated_at=from_micros(row[13]),
        expires_at=None if row[14] is None else from_micros(row[14]),
    )
