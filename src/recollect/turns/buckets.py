"""Buckets: what a conversation's turns have told, gathered by subject over time; merged into, never replaced."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import Any

from recollect.model.artifact import Artifact, ArtifactKind, Wanted
from recollect.model.clock import Clock, to_iso, to_micros
from recollect.model.terms import terms
from recollect.model.turn import Item, ItemKind, TurnFingerprint
from recollect.storage.interface import Reader, Storage, Writer
from recollect.turns.active_set import ActiveSet, counted, read_active_set
from recollect.turns.artifacts import Artifacts, Place, readable_fingerprint, unique_key

KINDS = (ItemKind.ASSERTION, ItemKind.EXCEPTION, ItemKind.FACT)
_WINDOW = 200
_MOST_BUCKETS = 24
_MOST_SLICES = 50
_MOST_SIGNALS = 32
_MOST_SUPPORT = 20
_TOP = 4
_NEW_WEIGHT = 0.5
_LIGHTEST = 0.05
_SEEN_AGAIN = 0.3
_CONTRADICTED = 0.5
_LONGEST_NAME = 60
_ATTEMPTS = 5


@dataclass(slots=True)
class Bucket:
    """Everything that was told on one subject: slices of time, oldest first."""

    bucket_id: str
    name: str
    short_desc: str = ""
    topic_centroid: list[str] = field(default_factory=list)
    enabled: bool = True
    timeline: list[dict[str, Any]] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """The whole document."""
        return {
            "version": "v1",
            "bucket_id": self.bucket_id,
            "name": self.name,
            "short_desc": self.short_desc,
            "topic_centroid": self.topic_centroid,
            "enabled": self.enabled,
            "timeline": self.timeline,
        }

    def card(self) -> dict[str, Any]:
        """What the index holds: enough to choose and to show it without reading it whole."""
        last = self.timeline[-1] if self.timeline else {}
        top = {kind.value: sorted(last.get(kind.value, []), key=lambda each: -each["weight"])[:_TOP] for kind in KINDS}
        slices = [{name: each[name] for name in ("ts_from", "ts_to", "objective_hint")} for each in self.timeline[-3:]]
        return {**self.to_json(), "timeline": slices, "slices": len(self.timeline), "top_signals": top}


def enabled(*, switched_on: bool) -> bool:
    """Whether buckets are kept: a setting, and the two switches that a host's environment may have."""
    environment = os.environ
    return (
        switched_on
        and environment.get("LONG_MEMORIES_LOG") != "1"
        and environment.get("MEMORY_RECONCILE_ENABLED") != "0"
    )


class Buckets:
    """Puts what turns have told into the buckets of their conversation."""

    def __init__(self, storage: Storage, clock: Clock, artifacts: Artifacts) -> None:
        self._storage = storage
        self._clock = clock
        self._artifacts = artifacts

    def cards(self, reader: Reader, place: Place) -> list[dict[str, Any]]:
        """The cards of a conversation's buckets, the one changed last first; no blob is read."""
        wanted = Wanted(
            user_id=place.user_id,
            conversation_id=place.conversation_id,
            kinds=[ArtifactKind.BUCKET],
            limit=_MOST_BUCKETS,
        )
        found = sorted(self._artifacts.found(reader, wanted), key=lambda each: each.updated_at, reverse=True)
        return [each.content for each in found if isinstance(each.content, dict) and each.content.get("enabled")]

    def reconcile(self, place: Place, user_type: str | None = None) -> int:
        """Puts the turns that are not in buckets yet into them; how many turns. Nothing is done twice or lost."""
        done = 0
        for _ in range(_ATTEMPTS):
            read = self._storage.read(lambda reader: self._due(reader, place))
            if not read.turns:
                return done
            changed = self._filled(read)
            until = max((turn.expires_at for turn in read.turns if turn.expires_at is not None), default=None)
            made = [self._artifact(place, bucket, user_type, until) for bucket in changed]
            last = read.turns[-1]
            state = replace(read.state, covered=(last.updated_at, last.artifact_id))
            if self._kept(place, read.state, state, made, until):
                done += len(read.turns)
            else:
                self._artifacts.discard(made)
        return done

    def _kept(
        self, place: Place, before: ActiveSet, after: ActiveSet, made: Sequence[Artifact], until: datetime | None
    ) -> bool:
        """Keeps buckets and the watermark in one transaction; False if somebody else was here in between."""
        moved: list[bool] = []
        own = replace(place, turn_id=None, track_id=None, bundle_id=None)

        def advance(writer: Writer) -> None:
            now = self._clock.now()
            state = read_active_set(writer, own)
            moved[:] = [state.covered != before.covered]
            if moved[0]:
                raise _MovedOnError
            state = counted(writer, own, replace(state, covered=after.covered, new=False), now)
            content = state.to_json(now)
            artifact = self._artifacts.make(ArtifactKind.ACTIVE_SET, own, content, index_only=True, until=until)
            self._artifacts.put(writer, artifact)

        try:
            self._artifacts.save(made, advance)
        except _MovedOnError:
            return False
        return True

    def _due(self, reader: Reader, place: Place) -> _Due:
        state = read_active_set(reader, place)
        wanted = Wanted(
            user_id=place.user_id,
            conversation_id=place.conversation_id,
            kinds=[ArtifactKind.FINGERPRINT],
            beyond=state.covered,
            limit=10_000,
        )
        waiting = self._artifacts.found(reader, wanted)
        turns = sorted(waiting, key=lambda each: (each.updated_at, each.artifact_id))[:_WINDOW]
        stored = Wanted(
            user_id=place.user_id, conversation_id=place.conversation_id, kinds=[ArtifactKind.BUCKET], limit=1_000
        )
        return _Due(state, turns, reader.artifacts(stored, to_micros(self._clock.now())) if turns else [])

    def _filled(self, read: _Due) -> list[Bucket]:
        """The buckets that change, with what the turns tell merged into them."""
        known = {
            each.bucket_id: each
            for artifact in read.buckets
            if (each := read_bucket(self._artifacts.readable(artifact)))
        }
        changed: dict[str, Bucket] = {}
        slices: dict[str, dict[str, Any]] = {}
        for artifact in read.turns:
            fingerprint = readable_fingerprint(artifact)
            if fingerprint is None or not any(fingerprint.items(kind) for kind in KINDS):
                continue
            bucket = _home(known, fingerprint)
            known[bucket.bucket_id] = changed[bucket.bucket_id] = bucket
            into = slices.get(bucket.bucket_id)
            if into is None:
                into = slices[bucket.bucket_id] = _carried(bucket, fingerprint)
                bucket.timeline.append(into)
            _merge(into, fingerprint)
            bucket.topic_centroid = list(dict.fromkeys([*bucket.topic_centroid, *fingerprint.topics]))[-16:]
        for bucket in changed.values():
            while len(bucket.timeline) > _MOST_SLICES:
                bucket.timeline[:2] = [_joined(bucket.timeline[0], bucket.timeline[1])]
        return list(changed.values())

    def _artifact(
        self, place: Place, bucket: Bucket, user_type: str | None = None, until: datetime | None = None
    ) -> Artifact:
        own = Place(place.user_id, place.conversation_id)
        return self._artifacts.make(
            ArtifactKind.BUCKET,
            own,
            bucket.card(),
            unique_tags=[f"mem:bucket:{bucket.bucket_id}"],
            whole=bucket.to_json(),
            user_type=user_type,
            until=None if user_type else until,
        )

    def without(self, place: Place, turn_id: str) -> None:
        """Takes what only one turn has told out of the buckets of its conversation."""
        own = Place(place.user_id, place.conversation_id)
        wanted = Wanted(
            user_id=own.user_id, conversation_id=own.conversation_id, kinds=[ArtifactKind.BUCKET], limit=1_000
        )
        for artifact in self._artifacts.find(wanted):
            bucket = read_bucket(self._artifacts.readable(artifact))
            if bucket is None or not _unsupported(bucket, turn_id):
                continue
            if bucket.timeline:
                self._artifacts.save([self._artifact(own, bucket, until=artifact.expires_at)])
            else:
                self._artifacts.removed(partial(_same_one, artifact))

    def whole(self, place: Place, bucket_id: str) -> dict[str, Any] | None:
        """A bucket with its whole timeline."""
        key = (
            unique_key(ArtifactKind.BUCKET, Place(place.user_id, place.conversation_id), (f"mem:bucket:{bucket_id}",))
            or ""
        )
        found = self._storage.read(lambda reader: self._artifacts.by_key(reader, place, ArtifactKind.BUCKET, key))
        return None if found is None else self._artifacts.whole(found)


def _same_one(artifact: Artifact, reader: Reader) -> list[Artifact]:
    found = reader.artifact(artifact.artifact_id)
    return [] if found is None else [found]


@dataclass(frozen=True, slots=True)
class _Due:
    state: ActiveSet
    turns: list[Artifact]
    buckets: list[Artifact]


class _MovedOnError(Exception):
    """Another process has put turns into buckets meanwhile."""


def read_bucket(data: Any) -> Bucket | None:
    """A bucket from its document; None for what is none."""
    if not isinstance(data, Mapping) or not isinstance(data.get("bucket_id"), str):
        return None
    return Bucket(
        bucket_id=data["bucket_id"],
        name=str(data.get("name") or ""),
        short_desc=str(data.get("short_desc") or ""),
        topic_centroid=list(data.get("topic_centroid") or []),
        enabled=bool(data.get("enabled", True)),
        timeline=[each for each in data.get("timeline") or [] if _is_slice(each)],
    )


def _is_slice(data: Any) -> bool:
    """Whether something is a slice of time as `_carried` makes them."""
    signals = (each for kind in KINDS for each in data.get(kind.value, [])) if isinstance(data, Mapping) else ()
    return (
        isinstance(data, Mapping)
        and all(isinstance(data.get(name), str) for name in ("ts_from", "ts_to", "objective_hint"))
        and all(isinstance(each, Mapping) and {"key", "weight", "support_turn_ids"} <= each.keys() for each in signals)
    )


def _home(known: Mapping[str, Bucket], fingerprint: TurnFingerprint) -> Bucket:
    """The bucket that a turn belongs to: the one that shares most of its words, or a new one."""
    words = {term for text in (fingerprint.objective, *fingerprint.topics) for term in terms(text)}
    best, most = None, 0
    for bucket in known.values():
        shared = len(words & {term for text in (bucket.name, *bucket.topic_centroid) for term in terms(text)})
        if bucket.enabled and shared > most:
            best, most = bucket, shared
    if best is None and len(known) >= _MOST_BUCKETS:
        best = max(known.values(), key=lambda each: len(each.timeline))
    if best is not None:
        return best
    name = (fingerprint.topics[0] if fingerprint.topics else fingerprint.objective or "general")[:_LONGEST_NAME]
    # No word of it: an id stays where a name is forgotten.
    bucket_id = f"obj-{hashlib.sha256(name.encode()).hexdigest()[:16]}"
    return known.get(bucket_id) or Bucket(bucket_id=bucket_id, name=name, short_desc=fingerprint.objective)


def _carried(bucket: Bucket, fingerprint: TurnFingerprint) -> dict[str, Any]:
    """A new slice: what was known last is carried on, so that the newest slice is what holds now."""
    last = bucket.timeline[-1] if bucket.timeline else {}
    moment = to_iso(fingerprint.made_at)
    return {
        "ts_from": moment,
        "ts_to": moment,
        "objective_hint": fingerprint.objective,
        **{kind.value: [dict(each) for each in last.get(kind.value, [])] for kind in KINDS},
    }


def _merge(into: dict[str, Any], fingerprint: TurnFingerprint) -> None:
    """Adds what a turn tells: seen again it weighs more, contradicted less; nothing is thrown out by being old."""
    moment = to_iso(fingerprint.made_at)
    into["ts_to"] = max(into["ts_to"], moment)
    for kind in KINDS:
        signals = into[kind.value]
        for item in fingerprint.items(kind):
            told = item.to_json()
            same = next((each for each in signals if _same(each, told)), None)
            for each in signals:
                if each is not same and _slot(each) == item.slot:
                    each["weight"] = max(_LIGHTEST, round(each["weight"] * _CONTRADICTED, 4))
            if same is None:
                same = {**told, "weight": _NEW_WEIGHT, "support_turn_ids": []}
                signals.append(same)
            elif fingerprint.turn_id not in same["support_turn_ids"]:
                same["weight"] = round(same["weight"] + (1.0 - same["weight"]) * _SEEN_AGAIN, 4)
            same["last_seen_ts"] = moment
            support = dict.fromkeys([*same["support_turn_ids"], fingerprint.turn_id])
            same["support_turn_ids"] = list(support)[-_MOST_SUPPORT:]
        signals.sort(key=lambda each: (each["weight"], each["last_seen_ts"]), reverse=True)
        del signals[_MOST_SIGNALS:]


def _unsupported(bucket: Bucket, turn_id: str) -> bool:
    """Takes a turn out of a bucket, with the signals that nothing else supports; whether it was in it."""
    found = False
    for each in bucket.timeline:
        for kind in KINDS:
            kept = []
            for signal in each.get(kind.value, []):
                support = [known for known in signal["support_turn_ids"] if known != turn_id]
                found = found or len(support) < len(signal["support_turn_ids"])
                if support:
                    kept.append({**signal, "support_turn_ids": support})
            each[kind.value] = kept
    bucket.timeline = [each for each in bucket.timeline if any(each.get(kind.value) for kind in KINDS)]
    return found


def _joined(older: Mapping[str, Any], newer: Mapping[str, Any]) -> dict[str, Any]:
    """Two slices as one; what only the older one has stays."""
    joined = {**newer, "ts_from": older["ts_from"]}
    for kind in KINDS:
        held = [dict(each) for each in newer.get(kind.value, [])]
        held += [dict(each) for each in older.get(kind.value, []) if not any(_same(each, known) for known in held)]
        joined[kind.value] = held[:_MOST_SIGNALS]
    return joined


def _same(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return _slot(one) == _slot(other) and one.get("value") == other.get("value")


def _slot(signal: Mapping[str, Any]) -> tuple[str, str | None, str | None]:
    return Item(key=signal["key"], scope=signal.get("scope"), applies_to=signal.get("applies_to")).slot
