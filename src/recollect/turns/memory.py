"""Turn memory: keeps a turn, takes it back, and has at hand what the next one needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import partial
from typing import Any

from recollect.errors import InvalidInput, NotFound, Refused
from recollect.knowledge import Draft, Receipt, Remember, refusal
from recollect.knowledge.access import everything
from recollect.knowledge.forget import FORGOTTEN
from recollect.knowledge.transition import set_status
from recollect.model.artifact import Artifact, ArtifactKind, Wanted, Within
from recollect.model.clock import Clock
from recollect.model.edge import EdgeType
from recollect.model.memory import Memory
from recollect.model.scope import Speaker
from recollect.model.status import Status
from recollect.model.turn import ItemKind, TurnFingerprint, read_items, tag_key
from recollect.storage.interface import Reader, Storage, Vector, Writer
from recollect.turns.active_set import ActiveSet, counted, read_active_set
from recollect.turns.artifacts import DAYS, Artifacts, Place, days_kept, readable_fingerprint
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
    """A turn as it is to be kept. `told` is what its message asked to be remembered and was stored already."""

    place: Place
    fingerprint: TurnFingerprint
    log: TurnLog = field(default_factory=TurnLog)
    message: str = ""
    answer: str = ""
    selected: Sequence[str] | None = None
    picked_buckets: Sequence[str] = ()
    chat: str | None = None
    user_type: str | None = None
    told: Sequence[Receipt] = ()


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
        days = days_kept(None, turn.user_type)
        told = drafts(fingerprint, place, None if days >= DAYS else timedelta(days=days))
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
            print_ = self._fingerprint(turn, first=first)
            if state.covered is not None and print_.updated_at <= state.covered[0]:  # the clock was set back
                print_ = replace(print_, updated_at=state.covered[0] + timedelta(microseconds=1))
            self._artifacts.put(writer, print_)
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
                if receipt.memory is not None and receipt.memory.status is Status.RETRACTED:  # rolled back before
                    again = replace(draft, key=None)
                    receipt = writer.attempt(partial(self._remember.within, writer, again, vector, speaker))
            except (Refused, InvalidInput) as error:
                receipt = refusal(error)
            receipts.append(receipt)
        return receipts

    def _logged(self, reader: Reader, turn: Turn, receipts: Sequence[Receipt]) -> dict[str, Any]:
        """The log of a turn, with what was learned from it, so that it can be taken back."""
        place = turn.place
        earlier = self._artifacts.by_key(reader, place, ArtifactKind.TURN_LOG, f"turn:{place.turn_id}")
        before = _mapping(None if earlier is None else earlier.content)
        content = document(turn.log, turn.fingerprint, place.conversation_id, turn.message, turn.answer, before)
        learned = {
            "stored": [
                each.memory.memory_id
                for each in [*turn.told, *receipts]
                if each.outcome == "stored" and each.memory is not None
            ]
        }
        known = _learned(before)
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
            self._unlearn(writer, place, {} if log is None else _mapping(log.content))
            every = {each.artifact_id: each for each in [*own, *said]}
            gone[:] = self._artifacts.drop(writer, list(every.values()))
            messages = [
                each
                for each in writer.messages(place.conversation_id, _MOST)
                if each.metadata.get("turnId") == place.turn_id
            ]
            session = writer.session(place.conversation_id)
            if session is not None and session.user_id in {None, place.user_id}:
                writer.drop_messages(messages)
            state = read_active_set(writer, place)
            if not state.new and every:
                self._forget_choice(writer, place, state, own)
            return bool(every)

        done = self._storage.write(work)
        self._artifacts.drop_blobs(gone)
        if done:
            self._buckets.without(place, place.turn_id)
        return done

    def _forget_choice(self, writer: Writer, place: Place, state: ActiveSet, gone: Sequence[Artifact]) -> None:
        """The conversation's own state without what the turn had put into it: its choice of itself, its title."""
        own = Place(place.user_id, place.conversation_id)
        now = self._clock.now()
        chosen = state.selected_local_memories_turn_ids
        left = None if chosen is None else tuple(each for each in chosen if each != place.turn_id)
        titles = {_mapping(each.content).get("conversation_title") for each in gone if START in each.tags}
        title = "" if state.conversation_title in titles else state.conversation_title
        newer = replace(state, selected_local_memories_turn_ids=left, conversation_title=title)
        content = counted(writer, own, newer, now).to_json(now)
        self._artifacts.put(writer, self._artifacts.make(ArtifactKind.ACTIVE_SET, own, content, index_only=True))

    def _unlearn(self, writer: Writer, place: Place, log: Mapping[str, Any]) -> None:
        """What only this turn has told is retracted; what it had taken the place of counts again."""
        for memory_id in _learned(log).get("stored") or ():
            memory = writer.any_memory(memory_id)
            if memory is None or memory.scope.owner_user_id not in {None, place.user_id}:
                continue
            if memory.status not in {Status.ACTIVE, Status.SUPERSEDED}:
                continue
            if writer.is_said_elsewhere(memory_id, place.conversation_id, place.turn_id or ""):
                continue
            counted_still = memory.status is Status.ACTIVE
            self._set(writer, place, memory, Status.RETRACTED)
            if counted_still:
                self._restore_before(writer, place, memory)

    def _restore_before(self, writer: Writer, place: Place, memory: Memory) -> None:
        """What a memory had taken the place of counts again; where that was retracted, what was before it."""
        seen = everything(memory.orchestrator_id, Speaker(user=place.user_id), self._clock.now())
        for edge in writer.edges(seen, [memory.memory_id]):
            if edge.edge_type is EdgeType.UPDATES and edge.from_memory_id == memory.memory_id:
                before = writer.any_memory(edge.to_memory_id)
                if before is not None and before.status is Status.SUPERSEDED:
                    self._set(writer, place, before, Status.ACTIVE)
                elif before is not None and before.status is Status.RETRACTED:
                    self._restore_before(writer, place, before)

    def _set(self, writer: Writer, place: Place, memory: Memory, status: Status) -> None:
        reason = f"the turn {place.turn_id} was rolled back"
        set_status(writer, memory, status, place.user_id, self._clock.now(), reason)

    def turns(self, place: Place, limit: int) -> list[TurnFingerprint]:
        """The fingerprints of a conversation's last turns, newest first."""
        return self._storage.read(
            lambda reader: self._fingerprints(reader, self._wanted(place, ArtifactKind.FINGERPRINT, limit))
        )

    def log_of(self, place: Place) -> dict[str, Any]:
        """The whole log of a turn."""
        key = f"turn:{place.turn_id}"
        found = self._storage.read(lambda reader: self._artifacts.by_key(reader, place, ArtifactKind.TURN_LOG, key))
        if found is None:
            raise NotFound(f"no turn {place.turn_id} in this conversation", code="turn_not_found")
        return dict(_mapping(self._artifacts.whole(found)))

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
            "content": self._artifacts.readable(artifact) if materialize else artifact.content,
        }

    def _fingerprints(self, reader: Reader, wanted: Wanted) -> list[TurnFingerprint]:
        found = (readable_fingerprint(each) for each in self._artifacts.found(reader, wanted))
        return [each for each in found if each is not None]

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
        """Takes what is forgotten out of one artifact, as it is stored at that moment."""
        made: list[Artifact] = []

        def changed(stored: Artifact) -> Artifact | None:
            content = _mapped(stored.content, redacted)
            if content == stored.content and not made:
                return None
            tags = tuple(tag for tag in stored.tags if not tag.startswith("topic:"))
            newer = replace(stored, content=_without_names(content), tags=tags)
            return replace(newer, blob=made[0].blob, blob_digest=made[0].blob_digest) if made else newer

        if artifact.blob is not None:
            whole = self._artifacts.readable(artifact)
            clean = _mapped(whole, redacted)
            if clean != whole or _mapped(artifact.content, redacted) != artifact.content:
                made.append(self._artifacts.rewritten(artifact, _without_names(clean)))
        done = self._artifacts.change(artifact.artifact_id, changed)
        if not done:
            self._artifacts.discard(made)
        return done

    def collect(self) -> int:
        """Removes artifacts whose time is over, and blobs that nothing names; how many artifacts."""
        return self._artifacts.collect()


def _page(
    reader: Reader, *, after: str = "", user_id: str | None = None, conversation_id: str | None = None
) -> list[Artifact]:
    return reader.artifacts_after(after, _PAGE, user_id, conversation_id)


def _mapping(value: Any) -> Mapping[str, Any]:
    """An object, whatever is stored: nothing where it is none."""
    return value if isinstance(value, Mapping) else {}


def _learned(log: Mapping[str, Any]) -> Mapping[str, Any]:
    return _mapping(_mapping(_mapping(log.get("turn_log")).get("state")).get("learned"))


def _without_names(value: Any) -> Any:
    """A document without the words that were made of what is forgotten: topics, and names of buckets."""
    if isinstance(value, dict):
        blank: dict[str, Any] = {"topics": [], "topic_centroid": []}
        blank |= {"name": FORGOTTEN} if "bucket_id" in value else {}
        return {name: blank[name] if name in blank else _without_names(each) for name, each in value.items()}
    return [_without_names(each) for each in value] if isinstance(value, list) else value


def _merged(known: Any, learned: dict[str, list[str]]) -> dict[str, list[str]]:
    """What a turn has had stored and replaced, also by an earlier keeping of it."""
    before = _mapping(known)
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
