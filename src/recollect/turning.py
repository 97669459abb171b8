"""The part of a memory that is about turns: artifacts, fingerprints, feedback, signals, buckets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from recollect.config import Settings
from recollect.knowledge import Receipt, Remember
from recollect.log import MemoryLog
from recollect.model.artifact import Artifact, Wanted
from recollect.model.clock import Clock
from recollect.model.ids import IdFactory
from recollect.model.turn import Origin, Reaction, TurnFingerprint
from recollect.storage.interface import Storage
from recollect.storage.layout import Layout
from recollect.turns import (
    Artifacts,
    Buckets,
    ConversationState,
    Feedback,
    FeedbackReport,
    Feedbacks,
    Place,
    Promotion,
    Turn,
    TurnMemory,
    open_blobs,
)
from recollect.turns.artifacts import checked_kind
from recollect.turns.blobs import Blobs
from recollect.turns.buckets import enabled
from recollect.turns.shapes import checked
from recollect.turns.signals import promoted


class Turning:
    """What a `MemorySystem` does with turns."""

    settings: Settings
    _turns: TurnMemory

    def _take_turns(
        self, storage: Storage, layout: Layout, clock: Clock, ids: IdFactory, log: MemoryLog, remember: Remember
    ) -> None:
        turns = self.settings.turns
        names = (turns.tenant or storage.orchestrator_id, turns.project or "default")
        self._artifacts = Artifacts(storage, clock, ids, log, self._opened(layout), names)
        self._feedbacks = Feedbacks(storage, clock, self._artifacts)
        self._buckets = Buckets(storage, clock, self._artifacts)
        self._turns = TurnMemory(storage, clock, remember, self._artifacts, self._feedbacks, self._buckets)

    def _opened(self, layout: Layout) -> Callable[[], Blobs]:
        """Blobs, opened when the first is needed: a remote store costs nothing before."""
        made: list[Blobs] = []

        def blobs() -> Blobs:
            if not made:
                made.append(open_blobs(self.settings.turns.blobs, layout.blobs, layout.orchestrator_id))
            return made[0]

        return blobs

    @property
    def keeps_buckets(self) -> bool:
        """Whether what turns tell is gathered in buckets."""
        return enabled(switched_on=self.settings.turns.buckets)

    # Artifacts

    def save_artifact(
        self,
        kind: str,
        content: Any,
        *,
        user_id: str,
        conversation_id: str,
        turn_id: str | None = None,
        track_id: str | None = None,
        bundle_id: str | None = None,
        extra_tags: Sequence[str] = (),
        unique_tags: Sequence[str] = (),
        index_only: bool = False,
        ttl_days: int | None = None,
        user_type: str | None = None,
        tenant: str | None = None,
        project: str | None = None,
    ) -> Artifact:
        """Keeps an artifact; with `unique_tags` in the place of the one that has them already.

        `index_only` keeps all of it in the index; otherwise a blob holds the whole. It is kept for `ttl_days` (365),
        or less where the `user_type` says so.
        """
        self._artifacts.check_own(tenant, project)
        place = Place(user_id, conversation_id, turn_id, track_id, bundle_id)
        made = self._artifacts.make(
            kind,
            place,
            checked(checked_kind(kind, place), content, turn_id),
            tags=extra_tags,
            unique_tags=unique_tags,
            index_only=index_only,
            ttl_days=ttl_days,
            user_type=user_type,
        )
        return self._artifacts.save([made])[0]

    def find_artifacts(
        self,
        *,
        user_id: str,
        scope: str = "conversation",
        conversation_id: str | None = None,
        track_id: str | None = None,
        bundle_id: str | None = None,
        turn_ids: Sequence[str] | None = None,
        kinds: Sequence[str] | None = None,
        all_tags: Sequence[str] = (),
        any_tags: Sequence[str] | None = None,
        not_tags: Sequence[str] = (),
        times: Sequence[tuple[str, datetime | str]] = (),
        limit: int = 100,
    ) -> list[Artifact]:
        """Artifacts of a user, newest first: kinds AND tags AND scope AND time.

        `scope` is `user`, `conversation` or `track`; its id must be given. `times` are pairs such as `(">=", moment)`.
        """
        return self._artifacts.find(
            Wanted(
                user_id=user_id,
                within=scope,
                conversation_id=conversation_id,
                track_id=track_id,
                bundle_id=bundle_id,
                turn_ids=turn_ids,
                kinds=kinds,
                all_tags=all_tags,
                any_tags=any_tags,
                not_tags=not_tags,
                times=times,
                limit=limit,
            )
        )

    def artifact_content(self, artifact: Artifact) -> Any:
        """The whole content of an artifact, from its blob where it has one."""
        return self._artifacts.whole(artifact)

    def fetch_conversation_artifacts(
        self, user_id: str, conversation_id: str, *, materialize: bool = False, days: int = 365
    ) -> dict[str, Any]:
        """Everything that is kept of a conversation, by turn, with its title; blobs are read only to `materialize`."""
        return self._turns.conversation(Place(user_id, conversation_id), materialize=materialize, days=days)

    # Turns

    def preload_turns(self, user_id: str, conversation_id: str) -> ConversationState:
        """What is at hand before a turn, in one look at the index: memories, feedback, signals, the active set."""
        return self._turns.preload(Place(user_id, conversation_id), with_buckets=self.keeps_buckets)

    def keep_turn(self, turn: Turn) -> list[Receipt]:
        """Keeps a turn: log, fingerprint, active set and what it tells for good, in one transaction."""
        return self._turns.keep(turn)

    def roll_back_turn(self, user_id: str, conversation_id: str, turn_id: str) -> bool:
        """Takes a turn back with all that came of it; what is the conversation's stays. False if there is none."""
        return self._turns.roll_back(Place(user_id, conversation_id, turn_id))

    def turns(self, user_id: str, conversation_id: str, *, limit: int = 20) -> list[TurnFingerprint]:
        """The fingerprints of a conversation's last turns, newest first."""
        return self._turns.turns(Place(user_id, conversation_id), limit)

    def turn_log(self, user_id: str, conversation_id: str, turn_id: str) -> dict[str, Any]:
        """The whole log of one turn: what was said, its fingerprint, entries and feedback."""
        return self._turns.log_of(Place(user_id, conversation_id, turn_id))

    # Feedback

    def give_feedback(
        self,
        user_id: str,
        conversation_id: str,
        turn_id: str,
        reaction: Reaction | str | None,
        text: str = "",
        *,
        origin: Origin | str = Origin.USER,
        confidence: float = 1.0,
        from_turn_id: str | None = None,
        user_type: str | None = None,
    ) -> Feedback | None:
        """Notes what somebody thinks of the answer of a turn, beside it and in its log.

        A user has one reaction to a turn: a new one replaces it, none (and no text) clears it. A machine's are added,
        where it is at least 0.70 sure. Returns the feedback that stands now.
        """
        place = Place(user_id, conversation_id, turn_id)
        return self._feedbacks.give(
            place,
            reaction,
            text,
            origin=origin,
            confidence=confidence,
            from_turn_id=from_turn_id,
            user_type=user_type,
        )

    def feedback_report(
        self, user_id: str, *, since: datetime | str | None = None, until: datetime | str | None = None
    ) -> FeedbackReport:
        """Feedback of a user in a period, in counts: over all, and by conversation."""
        return self._feedbacks.report(user_id, since, until)

    # Signals and buckets

    def promoted(self, user_id: str, key: str) -> Promotion:
        """Whether something was promoted to a user before, in any conversation: when, how often, how strongly."""
        return promoted(self._artifacts, user_id, key)

    def reconcile_buckets(self, user_id: str, conversation_id: str, *, user_type: str | None = None) -> int:
        """Puts the turns that are not in buckets yet into them; how many. Nothing where buckets are switched off."""
        return self._buckets.reconcile(Place(user_id, conversation_id), user_type) if self.keeps_buckets else 0

    def bucket(self, user_id: str, conversation_id: str, bucket_id: str) -> dict[str, Any] | None:
        """A bucket with its whole timeline."""
        return self._buckets.whole(Place(user_id, conversation_id), bucket_id)
