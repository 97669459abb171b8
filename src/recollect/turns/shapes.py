"""What artifacts of our own kinds must look like, whoever saves them: what could not be read later is refused now."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recollect.errors import InvalidInput
from recollect.model.artifact import ArtifactKind
from recollect.model.turn import Origin, Reaction, read_fingerprint
from recollect.turns.buckets import read_bucket


def checked(kind: str, content: Any, turn_id: str | None) -> Any:
    """A content as its kind has it; one of a host's own kind as it is."""
    if kind not in set(ArtifactKind):
        return content
    if not isinstance(content, Mapping):
        raise InvalidInput.of("invalid_content", "content", content, f"an object, as {kind} has it")
    if kind == ArtifactKind.FINGERPRINT:
        if content.get("turn_id") != turn_id:
            raise InvalidInput.of("invalid_fingerprint", "turn_id", content.get("turn_id"), "that of the turn")
        return read_fingerprint(content).to_json()
    if kind == ArtifactKind.REACTION:
        return _reaction(content)
    if kind == ArtifactKind.TURN_LOG:
        return _log(content)
    if kind == ArtifactKind.BUCKET:
        return _bucket(content)
    return dict(content)


def _reaction(content: Mapping[str, Any]) -> dict[str, Any]:
    if content.get("reaction") not in {None, *Reaction} or content.get("origin") not in set(Origin):
        raise InvalidInput.of("invalid_content", "content", dict(content), "a reaction with an origin")
    if not isinstance(content.get("text", ""), str) or not isinstance(content.get("confidence", 1.0), int | float):
        raise InvalidInput.of("invalid_content", "content", dict(content), "a reaction with a text and a confidence")
    return {**content, "confidence": float(content.get("confidence", 1.0))}


def _log(content: Mapping[str, Any]) -> dict[str, Any]:
    told = content.get("turn_log", {})
    lists = isinstance(told, Mapping) and all(
        isinstance(told.get(name, []), list) and all(isinstance(each, Mapping) for each in told.get(name, []))
        for name in ("feedbacks", "entries")
    )
    if not lists or not isinstance(told.get("state", {}), Mapping):
        raise InvalidInput.of("invalid_content", "content", dict(content), "a turn_log with state, entries, feedbacks")
    return dict(content)


def _bucket(content: Mapping[str, Any]) -> dict[str, Any]:
    bucket = read_bucket(content)
    if bucket is None or len(bucket.timeline) != len(content.get("timeline") or []):
        raise InvalidInput.of("invalid_content", "content", dict(content), "a bucket with slices of time")
    return bucket.to_json()
