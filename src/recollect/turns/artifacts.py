"""The one store of artifacts: what is saved, under which tags and keys, for how long, and how it is found."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from recollect.errors import InvalidInput, ScopeDenied, StorageError, StorageUnavailable
from recollect.knowledge import masked_value
from recollect.log import MemoryLog
from recollect.model.artifact import Artifact, ArtifactKind, Wanted, check_tags
from recollect.model.check import Checker
from recollect.model.clock import Clock, to_micros
from recollect.model.ids import IdFactory, check_opaque_id
from recollect.model.turn import TurnFingerprint, stored_fingerprint
from recollect.storage.interface import Reader, Storage, Writer
from recollect.turns.blobs import Blobs

DAYS = 365
_LARGEST_INDEXED = 4_000_000
_LARGEST = 25_000_000
_SNAPSHOT = 4_000
_PAGE = 500
_SNAPSHOT_VALUE = 400
_ATTEMPTS = 5
_OF_A_TURN = frozenset({ArtifactKind.TURN_LOG, ArtifactKind.FINGERPRINT, ArtifactKind.REACTION})
_OF_THE_CONVERSATION = frozenset({ArtifactKind.ACTIVE_SET, ArtifactKind.BUCKET})
ACTIVE_SET_TAG = "conv.state:conversation_state_v1"
# How many days something of a user is kept at most, by the type that the host gives them; others have a week.
_CAPS = {"anonymous": 1, "registered": 7, "privileged": 90, "paid": 365}
_UNKNOWN_CAP = 7


@dataclass(frozen=True, slots=True)
class Place:
    """Whose conversation something belongs to, and which turn, track and bundle of it."""

    user_id: str
    conversation_id: str
    turn_id: str | None = None
    track_id: str | None = None
    bundle_id: str | None = None

    def __post_init__(self) -> None:
        missing = [
            name for name in ("user_id", "conversation_id") if getattr(self, name) is None or getattr(self, name) == ""
        ]
        if missing:
            raise ScopeDenied(f"an artifact needs a {missing[0]}", code="missing_id", field=missing[0])
        for name, field in (
            ("user_id", "userId"),
            ("conversation_id", "conversationId"),
            ("turn_id", "turnId"),
            ("track_id", "trackId"),
            ("bundle_id", "bundleId"),
        ):
            if getattr(self, name) is not None:
                check_opaque_id(getattr(self, name), field)


def readable_fingerprint(artifact: Artifact) -> TurnFingerprint | None:
    """The fingerprint that an artifact holds; None where it was changed behind our back and is none any more."""
    try:
        return stored_fingerprint(artifact.content)
    except InvalidInput:
        return None


class Artifacts:
    """Artifacts of one orchestrator."""

    def __init__(
        self,
        storage: Storage,
        clock: Clock,
        ids: IdFactory,
        log: MemoryLog,
        blobs: Callable[[], Blobs],
        names: tuple[str, str],
    ) -> None:
        """`names` are the tenant and the project that this orchestrator is to its host."""
        self._storage = storage
        self._clock = clock
        self._ids = ids
        self._log = log
        self._blobs = blobs
        self._names = names

    def check_own(self, tenant: str | None, project: str | None) -> None:
        """A tenant and a project that are not this orchestrator's are refused."""
        for given, own, name in zip((tenant, project), self._names, ("tenant", "project"), strict=True):
            if given is not None and given != own:
                self._log.write("memory.scope_denied", level="warning", requested=str(given))
                raise ScopeDenied(f"this memory is not of the {name} {given!r}", requested=given, available=own)

    def make(
        self,
        kind: str,
        place: Place,
        content: Any,
        *,
        tags: Sequence[str] = (),
        unique_tags: Sequence[str] = (),
        index_only: bool = False,
        whole: Any = None,
        ttl_days: int | None = None,
        user_type: str | None = None,
        created_at: datetime | None = None,
        until: datetime | None = None,
    ) -> Artifact:
        """An artifact, checked, its blob written; it is kept once `put` has put it into the index.

        `whole` is what the blob holds where the index holds something else than the beginning of it. `until` is when it
        goes, where that does not follow from the user.
        """
        kind = checked_kind(kind, place)
        now = self._clock.now()
        content = _plain(content, _LARGEST if not index_only else _LARGEST_INDEXED)
        unique = unique_key(kind, place, check_tags(unique_tags, "uniqueTags"))
        own = [kind if kind.startswith("artifact:") else f"artifact:{kind}"]
        own += [f"turn:{place.turn_id}"] if place.turn_id else []
        own += [f"track:{place.track_id}"] if place.track_id else []
        artifact = Artifact(
            artifact_id=self._ids.new(),
            kind=kind,
            user_id=place.user_id,
            conversation_id=place.conversation_id,
            turn_id=place.turn_id,
            track_id=place.track_id,
            bundle_id=place.bundle_id,
            tags=check_tags([*own, *unique_tags, *check_tags(tags, "extraTags")], "tags"),
            unique_key=unique,
            content=content,
            created_at=created_at or now,
            updated_at=now,
            expires_at=until or now + timedelta(days=days_kept(ttl_days, user_type)),
        )
        if index_only:
            return artifact
        stored = content if whole is None else _plain(whole, _LARGEST)
        name, digest = self._blobs().put(
            place.user_id, place.conversation_id, artifact.artifact_id, stored, self._ids.new()
        )
        snapshot = content if whole is not None else _snapshot(content)
        return replace(artifact, content=snapshot, blob=name, blob_digest=digest)

    @staticmethod
    def filled(artifact: Artifact, content: Any) -> Artifact:
        """An artifact with what its index holds, which was not known when its blob was written."""
        return replace(artifact, content=_plain(content, _LARGEST_INDEXED))

    def by_key(self, reader: Reader, place: Place, kind: str, unique_key: str) -> Artifact | None:
        """The one artifact that has a key, unless its time is over."""
        found = reader.artifact_by_key(place.user_id, place.conversation_id, kind, unique_key)
        return None if found is None or self._is_over(found) else found

    def _is_over(self, artifact: Artifact) -> bool:
        return artifact.expires_at is not None and artifact.expires_at <= self._clock.now()

    def put(self, writer: Writer, artifact: Artifact) -> tuple[Artifact, str | None]:
        """Puts an artifact into the index, in the place of the one that has its key; and the blob that it replaced."""
        if artifact.unique_key is not None:
            old = writer.artifact_by_key(artifact.user_id, artifact.conversation_id, artifact.kind, artifact.unique_key)
            if old is not None:
                since = artifact.created_at if self._is_over(old) else old.created_at
                artifact = replace(artifact, artifact_id=old.artifact_id, created_at=since)
                writer.put_artifact(artifact)
                return artifact, old.blob if old.blob != artifact.blob else None
        writer.put_artifact(artifact)
        return artifact, None

    def save(self, artifacts: Sequence[Artifact], also: Callable[[Writer], Any] = lambda _: None) -> list[Artifact]:
        """Keeps artifacts that were made, all or none, with what else belongs to the transaction."""

        def work(writer: Writer) -> list[tuple[Artifact, str | None]]:
            kept = [self.put(writer, artifact) for artifact in artifacts]
            also(writer)
            return kept

        try:
            kept = self._storage.write(work)
        except BaseException:
            self.discard(artifacts)
            raise
        self.drop_blobs(name for _, name in kept)
        return [artifact for artifact, _ in kept]

    def discard(self, artifacts: Sequence[Artifact]) -> None:
        """Removes the blobs of artifacts that were made and not kept."""
        self.drop_blobs(artifact.blob for artifact in artifacts)

    def drop_blobs(self, names: Iterable[str | None]) -> None:
        """Removes blobs that nothing names any more; what cannot be removed now is swept up later."""
        for name in names:
            if name is not None:
                try:
                    self._blobs().drop([name])
                except StorageUnavailable as error:
                    self._log.write("memory.blob.left", level="warning", blob=name, detail=error.message)

    def find(self, wanted: Wanted) -> list[Artifact]:
        """What a search wants, newest first."""
        return self._storage.read(lambda reader: self.found(reader, wanted))

    def found(self, reader: Reader, wanted: Wanted) -> list[Artifact]:
        """As `find`, inside a transaction."""
        return reader.artifacts(wanted, to_micros(self._clock.now()))

    def whole(self, artifact: Artifact) -> Any:
        """The content with what only the blob holds; what the index holds is newer."""
        for _ in range(_ATTEMPTS):
            if artifact.blob is None or artifact.blob_digest is None:
                return artifact.content
            try:
                stored = self._blobs().get(artifact.blob, artifact.blob_digest)
                break
            except StorageError:
                # It may have been written anew since it was found: then its blob has another name.
                known = artifact
                newer = self._storage.read(lambda reader: reader.artifact(known.artifact_id))  # noqa: B023
                if newer is None or newer.blob == artifact.blob:
                    raise
                artifact = newer
        else:
            raise StorageUnavailable("this artifact changes faster than it can be read", hint="try again")
        if artifact.kind == ArtifactKind.TURN_LOG and isinstance(stored, dict) and isinstance(artifact.content, dict):
            return {**stored, **artifact.content}
        return stored

    def readable(self, artifact: Artifact) -> Any:
        """As `whole`; where the blob is gone or damaged, what the index holds."""
        try:
            return self.whole(artifact)
        except StorageError as error:
            self._log.write("memory.blob.unreadable", level="warning", blob=artifact.blob, code=error.code)
            return artifact.content

    def change(self, artifact_id: str, changed: Callable[[Artifact], Artifact | None]) -> bool:
        """Puts what an artifact becomes in its place, as it is stored at that moment; one that is gone stays gone."""

        def work(writer: Writer) -> tuple[bool, str | None]:
            stored = writer.artifact(artifact_id)
            newer = None if stored is None else changed(stored)
            if stored is None or newer is None:
                return False, None
            writer.put_artifact(newer)
            return True, stored.blob if stored.blob != newer.blob else None

        done, gone = self._storage.write(work)
        self.drop_blobs([gone])
        return done

    def drop(self, writer: Writer, artifacts: Sequence[Artifact]) -> list[str]:
        """Takes artifacts out of the index; the names of their blobs, which are to be removed after it is done."""
        writer.drop_artifacts([artifact.artifact_id for artifact in artifacts])
        return [artifact.blob for artifact in artifacts if artifact.blob is not None]

    def removed(self, find: Callable[[Writer], Sequence[Artifact]]) -> int:
        """Removes what is found inside a transaction, and then its blobs; how many."""
        gone: list[str] = []

        def work(writer: Writer) -> int:
            found = find(writer)
            gone[:] = self.drop(writer, found)
            return len(found)

        count = self._storage.write(work)
        self.drop_blobs(gone)
        return count

    def rewritten(self, artifact: Artifact, whole: Any) -> Artifact:
        """An artifact with another blob, which is written; the old one is still there."""
        name, digest = self._blobs().put(
            artifact.user_id, artifact.conversation_id, artifact.artifact_id, whole, self._ids.new()
        )
        return replace(artifact, blob=name, blob_digest=digest)

    @property
    def blobs(self) -> Blobs:
        """Where the blobs are."""
        return self._blobs()

    def erase(self) -> None:
        """Removes every blob there is."""
        self._blobs().erase()

    def collect(self) -> int:
        """Removes what has expired, and blobs that nothing names: what a crash left behind. How many artifacts."""
        now, count = to_micros(self._clock.now()), 0
        while gone := self.removed(lambda writer: writer.expired_artifacts(now, _PAGE)):
            count += gone
        self._blobs().sweep(lambda: self._storage.read(lambda reader: reader.artifact_blobs()))
        return count


def checked_kind(kind: Any, place: Place) -> str:
    """A kind that what belongs to this place may have."""
    check = Checker()
    kind = check.attempt(check_opaque_id, kind, "kind", "")
    check.done()
    if kind in _OF_A_TURN and place.turn_id is None:
        raise ScopeDenied(f"{kind} belongs to a turn and needs a turn_id", code="missing_id", field="turn_id")
    if kind in _OF_THE_CONVERSATION and place.turn_id is not None:
        raise InvalidInput.of("invalid_input", "turnId", place.turn_id, f"absent: {kind} belongs to the conversation")
    return str(kind)


def unique_key(kind: str, place: Place, tags: tuple[str, ...]) -> str | None:
    """What there may be only one of: the store itself sees to it."""
    if kind in {ArtifactKind.TURN_LOG, ArtifactKind.FINGERPRINT}:
        return f"turn:{place.turn_id}"
    if kind == ArtifactKind.ACTIVE_SET:
        return ACTIVE_SET_TAG
    if kind == ArtifactKind.BUCKET and not any(tag.startswith("mem:bucket:") for tag in tags):
        raise InvalidInput.of("invalid_tags", "uniqueTags", list(tags), "mem:bucket:<id>")
    # What belongs to a turn is unique in it: another turn's does not take its place.
    return json.dumps([place.turn_id, *sorted(tags)]) if tags else None


def days_kept(asked: Any, user_type: Any) -> int:
    """For how many days something of a user of a type is kept."""
    check = Checker()
    days = DAYS if asked is None else check.integer(asked, "ttlDays", "invalid_ttl", 1, 36_500)
    if user_type is not None and not isinstance(user_type, str):
        check.fail("invalid_input", "userType", user_type, "text")
    check.done()
    return days if user_type is None else min(days, _CAPS.get(user_type, _UNKNOWN_CAP))


def _plain(content: Any, largest: int) -> Any:
    """A content as plain JSON without secrets, in bounds."""
    try:
        text = json.dumps(masked_value(content), allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        raise InvalidInput.of("invalid_content", "content", type(content).__name__, "plain JSON") from None
    if len(text) > largest:
        raise InvalidInput.of("invalid_content", "content", f"{len(text)} bytes", f"at most {largest} bytes of JSON")
    return json.loads(text)


def _snapshot(content: Any) -> Any:
    """What the index holds of a blob's content: all of it where it is small, else the beginning of its values."""
    if len(json.dumps(content)) <= _SNAPSHOT:
        return content
    if not isinstance(content, dict):
        return {"cut": json.dumps(content)[:_SNAPSHOT_VALUE]}
    cut: dict[str, Any] = {}
    for name, value in list(content.items())[: _SNAPSHOT // _SNAPSHOT_VALUE]:
        text = json.dumps(value)
        cut[name[:_SNAPSHOT_VALUE]] = value if len(text) <= _SNAPSHOT_VALUE else text[:_SNAPSHOT_VALUE] + "…"
    return {**cut, "cut": True}
