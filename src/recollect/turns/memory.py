"""Turn memory: keeps a turn, takes it back, and has at hand what the next one needs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import partial
from typing import Any

from recollect.errors import InvalidInput, NotFound, Refused
from recollect.knowledge import Draft, Receipt, Remember, refusal
from recollect.knowledge.transition import set_status
from recollect.model.artifact import Artifact, ArtifactKind, Wanted, Within
from recollect.model.clock import Clock
from recollect.model.scope import Speaker
from recollect.model.status import Status
from recollect.model.turn import ItemKind, TurnFingerprint, read_items, stored_fingerprint, tag_key
from recollect.storage.interface import Reader, Storage, Vector, Writer
from recollect.turns.active_set import ActiveSet, counted, read_active_set
from recollect.turns.artifacts import Artifacts, Place
from recollect.turns.buckets import Buckets
from recollect.turns.feed import drafts, sentence
from recollect.turns.feedback import Feedback, Feedbacks, read_feedback
from recollect.turns.log import TurnLog, document
from recollect.turns.signals import TAG
from recollect.turns.signals import tags as signal_tags

START = "conv.start"
_PRIOR = 3
_MEMORIES = 32
_SIGNALS = 64
_FEEDBACK = 128
_MOST = 10_000
_PAGE = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A turn as it is to be kept."""

    place: Place
    fingerprint: TurnFingerprint
    log: TurnLog = field(default_factory=TurnLog)
    message: str = ""
    answer: str = ""
    selected: Sequence[str] | None = None
    picked_buckets: Sequence[str] = ()
    chat: str | None = None
    user_type: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationState:
    """What a turn has at hand before it begins; all of it from the index, none of it from blobs."""

    active_set: ActiveSet
    memories: tuple[TurnFingerprint, ...] = ()
    feedback: tuple[Feedback, ...] = ()
    signals: tuple[TurnFingerprint, ...] = ()
    prior_turns: tuple[Artifact, ...] = ()
    buckets: tuple[dict[str, Any], ...] = ()

    @property
    def is_new(self) -> bool:
        """Whether the conversation begins with this turn."""
        return self.active_set.new


class TurnMemory:
    """The turns of one orchestrator's conversations."""

    def __init__(
        self,
        storage: Storage,
        clock: Clock,
        remember: Remember,
        artifacts: Artifacts,
        feedbacks: Feedbacks,
        buckets: Buckets,
    ) -> None:
        self._storage = storage
        self._clock = clock
        self._remember = remember
        self._artifacts = artifacts
        self._feedbacks = feedbacks
        self._buckets = buckets

    def preload(self, place: Place, *, with_buckets: bool = True) -> ConversationState:
        """What is at hand before a turn: everything in one look at the index."""

        def work(reader: Reader) -> ConversationState:
            state = read_active_set(reader, place)
            recent = self._fingerprints(reader, self._wanted(place, ArtifactKind.FINGERPRINT, _MEMORIES))
            chosen = state.selected_local_memories_turn_ids
            earlier = self._turns(reader, place, chosen) if chosen else []
            memories = {each.turn_id: each for each in [*earlier, *recent]}
            reactions = self._artifacts.found(reader, self._wanted(place, ArtifactKind.REACTION, _FEEDBACK))
            signals = Wanted(
                user_id=place.user_id,
                within=Within.USER,
                kinds=[ArtifactKind.FINGERPRINT],
                all_tags=[TAG],
                limit=_SIGNALS,
            )
            cards = self._buckets.cards(reader, place) if with_buckets else []
            return ConversationState(
                active_set=state,
                memories=tuple(sorted(memories.values(), key=lambda each: (each.made_at, each.turn_id), reverse=True)),
                feedback=tuple(each for artifact in reactions if (each := read_feedback(artifact)) is not None),
                signals=tuple(self._fingerprints(reader, signals)),
                prior_turns=tuple(self._artifacts.found(reader, self._wanted(place, ArtifactKind.TURN_LOG, _PRIOR))),
                buckets=tuple(cards),
            )

        return self._storage.read(work)

    def keep(self, turn: Turn) -> list[Receipt]:
        """Keeps a turn: log, fingerprint, active set and what it tells for good, in one transaction.

        A turn that is kept again, after a retry or once its answer is known, takes its own place.
        """
        place, fingerprint = turn.place, turn.fingerprint
        if place.turn_id != fingerprint.turn_id:
            raise InvalidInput.of("invalid_fingerprint", "turn_id", fingerprint.turn_id, "that of the turn")
        told = drafts(fingerprint, place)
        vectors = self._remember.vectors([(draft.content, None) for draft in told])
        said = {"user_message": turn.message, "answer": turn.answer}
        topics = [f"topic:{key}" for topic in fingerprint.topics if (key := tag_key(topic))]
        log = self._artifacts.make(
            ArtifactKind.TURN_LOG, place, {}, tags=["kind:turn.log", *topics], whole=said, user_type=turn.user_type
        )

        def work(writer: Writer) -> tuple[list[Receipt], str | None]:
            receipts = self._learn(writer, turn, told, vectors)
            state = read_active_set(writer, place)
            first = state.new or self._is_first(writer, place)
            content = self._logged(writer, turn, receipts)
            _, gone = self._artifacts.put(writer, self._artifacts.filled(log, content))
            self._artifacts.put(writer, self._fingerprint(turn, first=first))
            self._put_active_set(writer, turn, state)
            return receipts, gone

        try:
            receipts, gone = self._storage.write(work)
        except BaseException:
            self._artifacts.discard([log])
            raise
        self._artifacts.drop_blobs([gone])
        turn.log.state["fingerprint"] = fingerprint.to_json()
        return receipts

    def _learn(
        self, writer: Writer, turn: Turn, told: Sequence[Draft], vectors: Sequence[Vector | None]
    ) -> list[Receipt]:
        """What lasts of a turn, through the one write path; what may not be stored does not undo the turn."""
        speaker = Speaker(user=turn.place.user_id, chat=turn.chat)
        receipts = []
        for draft, vector in zip(told, vectors, strict=True):
            try:
                receipt = writer.attempt(partial(self._remember.within, writer, draft, vector, speaker))
            except (Refused, InvalidInput) as error:
                receipt = refusal(error)
            receipts.append(receipt)
        return receipts

    @staticmethod
    def _logged(reader: Reader, turn: Turn, receipts: Sequence[Receipt]) -> dict[str, Any]:
        """The log of a turn, with what was learned from it, so that it can be taken back."""
        place = turn.place
        key = f"turn:{place.turn_id}"
        earlier = reader.artifact_by_key(place.user_id, place.conversation_id, ArtifactKind.TURN_LOG, key)
        before = {} if earlier is None else earlier.content
        content = document(turn.log, turn.fingerprint, place.conversation_id, turn.message, turn.answer, before)
        learned = {
            "stored": [each.memory.memory_id for each in receipts if each.outcome == "stored" and each.memory],
            "superseded": [old.memory_id for each in receipts for old in each.superseded],
        }
        known = before.get("turn_log", {}).get("state", {}).get("learned")
        content["turn_log"]["state"]["learned"] = _merged(known, learned)
        return content

    def _fingerprint(self, turn: Turn, *, first: bool) -> Artifact:
        return self._artifacts.make(
            ArtifactKind.FINGERPRINT,
            turn.place,
            turn.fingerprint.to_json(),
            tags=[*([START] if first else []), *signal_tags(turn.fingerprint)],
            index_only=True,
            user_type=turn.user_type,
        )

    def _is_first(self, reader: Reader, place: Place) -> bool:
        """Whether a turn is the first of its conversation, also when it is kept again."""
        wanted = replace(self._wanted(place, ArtifactKind.FINGERPRINT, 2), all_tags=[START])
        found = self._artifacts.found(reader, wanted)
        return all(each.turn_id == place.turn_id for each in found) and bool(found)

    def _put_active_set(self, writer: Writer, turn: Turn, state: ActiveSet) -> None:
        own = Place(turn.place.user_id, turn.place.conversation_id)
        now = self._clock.now()
        newer = replace(
            state,
            new=False,
            picked_bucket_ids=tuple(turn.picked_buckets) or state.picked_bucket_ids,
            selected_local_memories_turn_ids=(
                state.selected_local_memories_turn_ids if turn.selected is None else tuple(turn.selected)
            ),
            conversation_title=state.conversation_title or turn.fingerprint.conversation_title,
        )
        content = counted(writer, own, newer, now).to_json(now)
        made = self._artifacts.make(ArtifactKind.ACTIVE_SET, own, content, index_only=True, user_type=turn.user_type)
        self._artifacts.put(writer, made)

    def roll_back(self, place: Place) -> bool:
        """Takes a turn back: its artifacts, what it said of others, and what was learned from it alone.

        Nothing that belongs to the conversation goes with it. False if there is no such turn.
        """
        if place.turn_id is None:
            raise InvalidInput.of("missing_field", "turnId", None, "given")
        gone: list[str] = []

        def work(writer: Writer) -> bool:
            wanted = replace(self._everything(place), turn_ids=[place.turn_id or ""])
            own = self._artifacts.found(writer, wanted)
            said = self._feedbacks.without(writer, place)
            log = next((each for each in own if each.kind == ArtifactKind.TURN_LOG), None)
            self._unlearn(writer, place, {} if log is None else log.content)
            every = {each.artifact_id: each for each in [*own, *said]}
            gone[:] = self._artifacts.drop(writer, list(every.values()))
            state = read_active_set(writer, place)
            if not state.new and every:
                self._forget_choice(writer, place, state)
            return bool(every)

        done = self._storage.write(work)
        self._artifacts.drop_blobs(gone)
        return done

    def _forget_choice(self, writer: Writer, place: Place, state: ActiveSet) -> None:
        own = Place(place.user_id, place.conversation_id)
        now = self._clock.now()
        chosen = state.selected_local_memories_turn_ids
        left = None if chosen is None else tuple(each for each in chosen if each != place.turn_id)
        newer = counted(writer, own, replace(state, selected_local_memories_turn_ids=left), now)
        made = self._artifacts.make(ArtifactKind.ACTIVE_SET, own, newer.to_json(now), index_only=True)
        self._artifacts.put(writer, made)

    def _unlearn(self, writer: Writer, place: Place, content: dict[str, Any]) -> None:
        """What a turn had stored is retracted, and what that had replaced counts again."""
        learned = content.get("turn_log", {}).get("state", {}).get("learned") or {}
        now = self._clock.now()
        reason = f"the turn {place.turn_id} was rolled back"
        for name, was, then in (
            ("stored", Status.ACTIVE, Status.RETRACTED),
            ("superseded", Status.SUPERSEDED, Status.ACTIVE),
        ):
            for memory_id in learned.get(name) or ():
                memory = writer.any_memory(memory_id)
                if memory is not None and memory.status is was and memory.scope.owner_user_id in {None, place.user_id}:
                    set_status(writer, memory, then, place.user_id, now, reason)

    def turns(self, place: Place, limit: int) -> list[TurnFingerprint]:
        """The fingerprints of a conversation's last turns, newest first."""
        return self._storage.read(
            lambda reader: self._fingerprints(reader, self._wanted(place, ArtifactKind.FINGERPRINT, limit))
        )

    def log_of(self, place: Place) -> dict[str, Any]:
        """The whole log of a turn."""
        key = f"turn:{place.turn_id}"
        found = self._storage.read(
            lambda reader: reader.artifact_by_key(place.user_id, place.conversation_id, ArtifactKind.TURN_LOG, key)
        )
        if found is None:
            raise NotFound(f"no turn {place.turn_id} in this conversation", code="turn_not_found")
        content: dict[str, Any] = self._artifacts.whole(found)
        return content

    def conversation(self, place: Place, *, materialize: bool, days: int) -> dict[str, Any]:
        """Everything that is kept of a conversation, by turn; blobs are read only to `materialize`."""
        if type(days) is not int or not 1 <= days <= 36_500:  # noqa: PLR2004  a century
            raise InvalidInput.of("invalid_input", "days", days, "a number of days")
        since = self._clock.now() - timedelta(days=days)
        wanted = replace(self._everything(place), times=[(">=", since)])
        state, found = self._storage.read(
            lambda reader: (read_active_set(reader, place), self._artifacts.found(reader, wanted))
        )
        start = next((each for each in found if START in each.tags), None)
        title = state.conversation_title
        if not title and start is not None and isinstance(start.content, dict):
            title = str(start.content.get("conversation_title") or "")
        turns: dict[str, list[dict[str, Any]]] = {}
        for each in reversed(found):
            if each.turn_id is not None:
                turns.setdefault(each.turn_id, []).append(self._described(each, materialize=materialize))
        return {
            "user_id": place.user_id,
            "conversation_id": place.conversation_id,
            "conversation_title": title or None,
            "active_set": None if state.new else state.to_json(self._clock.now()),
            "turns": [{"turn_id": turn_id, "artifacts": own} for turn_id, own in turns.items()],
            "artifacts": [self._described(each, materialize=materialize) for each in found if each.turn_id is None],
        }

    def _described(self, artifact: Artifact, *, materialize: bool) -> dict[str, Any]:
        return {
            "artifact_id": artifact.artifact_id,
            "kind": artifact.kind,
            "tags": list(artifact.tags),
            "ts": artifact.created_at,
            "index_only": artifact.index_only,
            "content": self._artifacts.whole(artifact) if materialize else artifact.content,
        }

    def _fingerprints(self, reader: Reader, wanted: Wanted) -> list[TurnFingerprint]:
        return [stored_fingerprint(each.content) for each in self._artifacts.found(reader, wanted)]

    def _turns(self, reader: Reader, place: Place, turn_ids: Sequence[str]) -> list[TurnFingerprint]:
        wanted = replace(self._wanted(place, ArtifactKind.FINGERPRINT, _MOST), turn_ids=list(turn_ids))
        return self._fingerprints(reader, wanted)

    def _wanted(self, place: Place, kind: str, limit: int) -> Wanted:
        return Wanted(user_id=place.user_id, conversation_id=place.conversation_id, kinds=[kind], limit=limit)

    def _everything(self, place: Place) -> Wanted:
        return Wanted(user_id=place.user_id, conversation_id=place.conversation_id, limit=_MOST)

    # Forgetting and order

    def forget_user(self, user_id: str) -> int:
        """Removes every artifact of a user."""
        return self._removed(partial(_page, user_id=user_id))

    def forget_conversation(self, conversation_id: str) -> int:
        """Removes every artifact of a conversation."""
        return self._removed(partial(_page, conversation_id=conversation_id))

    def _removed(self, first_page: Callable[[Reader], list[Artifact]]) -> int:
        count = 0
        while self._storage.read(first_page):  # looked at first: most sessions have no turns
            count += self._artifacts.removed(first_page)
        return count

    def redact(
        self, redacted: Callable[[str], str], *, user_id: str | None = None, conversation_id: str | None = None
    ) -> int:
        """Takes what is forgotten out of artifacts of a user, of a conversation or of all; how many it was in."""
        count, after = 0, ""
        own = partial(_page, user_id=user_id, conversation_id=conversation_id)
        while page := self._storage.read(partial(own, after=after)):
            count += sum(self._redacted(artifact, redacted) for artifact in page)
            after = page[-1].artifact_id
        return count

    def _redacted(self, artifact: Artifact, redacted: Callable[[str], str]) -> bool:
        content = _mapped(artifact.content, redacted)
        whole = self._artifacts.whole(artifact) if artifact.blob else None
        clean = _mapped(whole, redacted)
        if content == artifact.content and clean == whole:
            return False
        tags = tuple(tag for tag in artifact.tags if not tag.startswith("topic:"))
        newer = replace(artifact, content=content, tags=tags)
        if artifact.blob is not None:
            newer = self._artifacts.rewritten(newer, clean)
        self._artifacts.replace(artifact, newer)
        return True

    def collect(self) -> int:
        """Removes artifacts whose time is over, and blobs that nothing names; how many artifacts."""
        return self._artifacts.collect()


def _page(
    reader: Reader, *, after: str = "", user_id: str | None = None, conversation_id: str | None = None
) -> list[Artifact]:
    return reader.artifacts_after(after, _PAGE, user_id, conversation_id)


def _merged(known: Any, learned: dict[str, list[str]]) -> dict[str, list[str]]:
    """What a turn has had stored and replaced, also by an earlier keeping of it."""
    before = known if isinstance(known, dict) else {}
    return {name: list(dict.fromkeys([*(before.get(name) or []), *ids])) for name, ids in learned.items()}


def _mapped(value: Any, redacted: Callable[[str], str]) -> Any:
    """A JSON value with every text in it redacted, and without the items that say what is forgotten."""
    if isinstance(value, str):
        return redacted(value)
    if isinstance(value, dict):
        return {name: _mapped(_others(name, each, redacted), redacted) for name, each in value.items()}
    return [_mapped(each, redacted) for each in value] if isinstance(value, list) else value


def _others(name: str, value: Any, redacted: Callable[[str], str]) -> Any:
    """Of a list of items, those that do not say what is forgotten in the words that memory had for them."""
    if name not in set(ItemKind) or not isinstance(value, list):
        return value
    kind = ItemKind(name)
    return [
        each
        for each in value
        if not (items := read_items([each], kind)) or redacted(told := sentence(items[0], kind)) == told
    ]
