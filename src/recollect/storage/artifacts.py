"""What a storage engine offers for artifacts of turn memory."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from recollect.model.artifact import Artifact, Wanted


class ArtifactReader(Protocol):
    """Finds artifacts."""

    def artifacts(self, wanted: Wanted, now: int) -> list[Artifact]:
        """What a search wants and has not expired, newest first."""
        ...

    def artifact(self, artifact_id: str) -> Artifact | None:
        """An artifact, whoever it belongs to; for what was found before and may have changed since."""
        ...

    def is_said_elsewhere(self, memory_id: str, conversation_id: str, turn_id: str) -> bool:
        """Whether a memory was said anywhere but in one turn."""
        ...

    def artifact_by_key(self, user_id: str, conversation_id: str, kind: str, unique_key: str) -> Artifact | None:
        """The one artifact that has a key."""
        ...

    def count_artifacts(self, wanted: Wanted, now: int) -> int:
        """How many artifacts of one kind a search in a conversation finds."""
        ...

    def expired_artifacts(self, now: int, limit: int) -> list[Artifact]:
        """Artifacts whose time is over; for upkeep only."""
        ...

    def artifacts_after(
        self, after: str, limit: int, user_id: str | None = None, conversation_id: str | None = None
    ) -> list[Artifact]:
        """Artifacts in the order of their ids, expired ones too; for upkeep and forgetting only."""
        ...

    def artifact_blobs(self) -> list[str]:
        """Every blob that an artifact names; for upkeep only."""
        ...


class ArtifactWriter(Protocol):
    """Changes artifacts."""

    def put_artifact(self, artifact: Artifact) -> None:
        """An artifact, new or changed; a second one with a key that is taken is refused by the store."""
        ...

    def drop_artifacts(self, artifact_ids: Iterable[str]) -> None:
        """Removes artifacts."""
        ...
