"""The active set: which memories a conversation works with, and how far its turns have gone into buckets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from recollect.errors import InvalidInput
from recollect.model.artifact import ArtifactKind, Wanted
from recollect.model.clock import parse_time, to_iso, to_micros
from recollect.model.ids import check_opaque_id
from recollect.storage.interface import Reader
from recollect.turns.artifacts import ACTIVE_SET_TAG, Place

_MOST_CHOSEN = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class ActiveSet:
    """Selection state of a conversation. `new` is a conversation that has none yet."""

    picked_bucket_ids: tuple[str, ...] = ()
    selected_local_memories_turn_ids: tuple[str, ...] | None = None
    # What was really put into buckets: the time and the id of the last fingerprint, never a model's word.
    covered: tuple[datetime, str] | None = None
    since_last_reconcile: int = 0
    conversation_title: str = ""
    new: bool = False

    def to_json(self, now: datetime) -> dict[str, Any]:
        """The document, with the names that the seeds have."""
        return {
            "version": "v1",
            "picked_bucket_ids": list(self.picked_bucket_ids),
            "selected_local_memories_turn_ids": (
                None if self.selected_local_memories_turn_ids is None else list(self.selected_local_memories_turn_ids)
            ),
            "last_reconciled_ts": "" if self.covered is None else to_iso(self.covered[0]),
            "last_reconciled_id": "" if self.covered is None else self.covered[1],
            "since_last_reconcile": self.since_last_reconcile,
            "conversation_title": self.conversation_title,
            "updated_at": to_iso(now),
        }


def read_active_set(reader: Reader, place: Place) -> ActiveSet:
    """The active set of a conversation."""
    found = reader.artifact_by_key(place.user_id, place.conversation_id, ArtifactKind.ACTIVE_SET, ACTIVE_SET_TAG)
    return ActiveSet(new=True) if found is None else _read(found.content)


def _read(data: Any) -> ActiveSet:
    data = data if isinstance(data, Mapping) else {}
    covered = None
    try:
        if data.get("last_reconciled_ts"):
            covered = parse_time(data["last_reconciled_ts"], "last_reconciled_ts"), str(data["last_reconciled_id"])
    except (InvalidInput, KeyError):
        covered = None  # what was covered is not known: the turns are looked at again
    since = data.get("since_last_reconcile")
    chosen = data.get("selected_local_memories_turn_ids")
    return ActiveSet(
        picked_bucket_ids=_texts(data.get("picked_bucket_ids")),
        selected_local_memories_turn_ids=None if chosen is None else _texts(chosen),
        covered=covered,
        since_last_reconcile=since if type(since) is int and since >= 0 else 0,
        conversation_title=str(data.get("conversation_title") or ""),
    )


def counted(reader: Reader, place: Place, state: ActiveSet, now: datetime) -> ActiveSet:
    """The active set with the number of turns that have not gone into buckets yet, as they are stored now."""
    wanted = Wanted(
        user_id=place.user_id,
        conversation_id=place.conversation_id,
        kinds=[ArtifactKind.FINGERPRINT],
        beyond=state.covered,
    )
    return replace(state, since_last_reconcile=reader.count_artifacts(wanted, to_micros(now)))


def _texts(values: Any) -> tuple[str, ...]:
    """Those of some values that can be ids: what no search could take is left out."""
    texts = [value for value in values if _is_id(value)] if isinstance(values, list | tuple) else []
    return tuple(dict.fromkeys(texts))[:_MOST_CHOSEN]


def _is_id(value: Any) -> bool:
    try:
        check_opaque_id(value, "id")
    except InvalidInput:
        return False
    return True
