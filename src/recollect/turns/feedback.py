"""Feedback: what users and the gate think of an answer; it stands by itself and in the log of the turn it is about."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from recollect.errors import InvalidInput, NotFound
from recollect.model.artifact import Artifact, ArtifactKind, Wanted, Within
from recollect.model.check import Checker
from recollect.model.clock import Clock, parse_time, to_iso
from recollect.model.turn import Origin, Reaction
from recollect.storage.interface import Reader, Storage, Writer
from recollect.turns.artifacts import Artifacts, Place
from recollect.turns.log import MOST_ENTRIES, entry

# What a gate is less sure of is no feedback.
SURE = 0.70
LONGEST = 1_000
_MOST_MIRRORED = 100
_MOST_REPORTED = 10_000
_AREA = "feedback"


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """What somebody thought of the answer of a turn."""

    turn_id: str
    origin: Origin
    given_at: datetime
    reaction: Reaction | None = None
    text: str = ""
    confidence: float = 1.0
    from_turn_id: str | None = None
    conversation_id: str = ""
    objective: str = ""

    def to_json(self) -> dict[str, Any]:
        """The document of `artifact:turn.log.reaction`."""
        return {
            "turn_id": self.turn_id,
            "text": self.text,
            "confidence": self.confidence,
            "ts": to_iso(self.given_at),
            "reaction": self.reaction,
            "origin": str(self.origin),
            "from_turn_id": self.from_turn_id,
            "objective": self.objective,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedbackReport:
    """Feedback of a user in a period, in counts: over all, and by conversation."""

    since: datetime | None
    until: datetime | None
    total: dict[str, int]
    conversations: dict[str, dict[str, int]]


class Feedbacks:
    """Takes feedback, replaces it, clears it, reports it."""

    def __init__(self, storage: Storage, clock: Clock, artifacts: Artifacts) -> None:
        self._storage = storage
        self._clock = clock
        self._artifacts = artifacts

    def give(
        self,
        place: Place,
        reaction: Any,
        text: Any = "",
        *,
        origin: Any = Origin.USER,
        confidence: Any = 1.0,
        from_turn_id: str | None = None,
        user_type: str | None = None,
    ) -> Feedback | None:
        """Notes feedback on a turn. None where there is none now: a user cleared theirs, or a gate was not sure.

        A user has one reaction to a turn, which a new one replaces and `None` clears; a gate's are added.
        """
        given = self._checked(place, reaction, text, origin, confidence, from_turn_id)
        machine = given.origin is Origin.MACHINE
        if machine and (not given.text or given.confidence < SURE):
            return None
        clears = not machine and given.reaction is None and not given.text
        unique = [f"origin:{given.origin.value}"]
        if machine:
            told = hashlib.sha256(f"{given.from_turn_id} {given.text}".encode()).hexdigest()[:24]
            unique.append(f"from:{told}")
        made = self._artifacts.make(
            ArtifactKind.REACTION,
            place,
            given.to_json(),
            unique_tags=unique,
            index_only=True,
            user_type=user_type,
            created_at=given.given_at,
        )

        def work(writer: Writer) -> None:
            log = self._log_of(writer, place)
            if log is None:
                raise NotFound(f"no turn {place.turn_id} in this conversation", code="turn_not_found")
            assert made.unique_key is not None  # noqa: S101  reactions always have one
            earlier = self._artifacts.by_key(writer, place, made.kind, made.unique_key)
            if clears:
                writer.drop_artifacts([] if earlier is None else [earlier.artifact_id])
            else:
                # Feedback that was given anew is new: it is shown with its own time.
                kept = made if earlier is None else replace(made, artifact_id=earlier.artifact_id)
                objective = (log.content.get("turn_summary") or {}).get("objective") or ""
                until = (
                    kept.expires_at
                    if log.expires_at is None
                    else min(log.expires_at, kept.expires_at or log.expires_at)
                )
                told = {**kept.content, "objective": objective}
                writer.put_artifact(replace(kept, content=told, expires_at=until))
            if machine and earlier is not None:
                return
            writer.put_artifact(self._mirrored(log, None if clears else given, given.origin))

        self._storage.write(work)
        return None if clears else given

    def _checked(
        self, place: Place, reaction: Any, text: Any, origin: Any, confidence: Any, from_turn_id: Any
    ) -> Feedback:
        check = Checker()
        if place.turn_id is None:
            check.fail("missing_field", "turnId", None, "given: feedback is about a turn")
        wanted = None if reaction is None else check.enum(Reaction, reaction, "reaction", "invalid_reaction")
        source = check.enum(Origin, origin, "origin", "invalid_origin")
        told = "" if text is None or text == "" else check.text(text, "text", "invalid_input", LONGEST)
        sure = check.fraction(confidence, "confidence", "invalid_confidence")
        check.opaque(from_turn_id, "fromTurnId")
        check.done()
        return Feedback(
            turn_id=place.turn_id or "",
            conversation_id=place.conversation_id,
            origin=source,
            given_at=self._clock.now(),
            reaction=wanted,
            text=told,
            confidence=1.0 if source is Origin.USER else sure,
            from_turn_id=from_turn_id or place.turn_id,
        )

    def _mirrored(self, log: Artifact, given: Feedback | None, origin: Origin) -> Artifact:
        """A turn's log with feedback as it stands now."""
        content = dict(log.content)
        told = dict(content.get("turn_log") or {})
        feedbacks, entries = list(told.get("feedbacks") or []), list(told.get("entries") or [])
        if origin is Origin.USER:  # there is one of theirs at most
            feedbacks = [each for each in feedbacks if each.get("origin") != origin]
            entries = [
                each for each in entries if each.get("area") != _AREA or each.get("data", {}).get("origin") != origin
            ]
        if given is not None:
            data = {"confidence": given.confidence, "from_turn_id": given.from_turn_id}
            data |= {"origin": origin.value, "reaction": given.reaction}
            feedbacks.append({"type": _AREA, "ts": to_iso(given.given_at), "text": given.text, **data})
            words = f"{given.text} [{given.reaction}]" if given.reaction else given.text
            entries.append(entry(_AREA, words.strip(), given.given_at, data=data))
        told |= {"feedbacks": feedbacks[-_MOST_MIRRORED:], "entries": entries[-MOST_ENTRIES:]}
        return replace(log, content={**content, "turn_log": told}, updated_at=self._clock.now())

    def _log_of(self, reader: Reader, place: Place) -> Artifact | None:
        log = self._artifacts.by_key(reader, place, ArtifactKind.TURN_LOG, f"turn:{place.turn_id}")
        return log if log is not None and isinstance(log.content, dict) else None

    def without(self, writer: Writer, place: Place) -> list[Artifact]:
        """What a turn that is rolled back said of others is taken out of their logs; its own reactions."""
        wanted = Wanted(
            user_id=place.user_id,
            conversation_id=place.conversation_id,
            kinds=[ArtifactKind.REACTION],
            limit=_MOST_REPORTED,
        )
        own = [
            each
            for each in self._artifacts.found(writer, wanted)
            if isinstance(each.content, dict) and each.content.get("from_turn_id") == place.turn_id
        ]
        for each in own:
            log = self._log_of(writer, replace(place, turn_id=each.turn_id))
            if log is None or each.turn_id == place.turn_id:
                continue
            content = dict(log.content)
            told = dict(content.get("turn_log") or {})
            told["feedbacks"] = [
                line for line in told.get("feedbacks") or [] if line.get("from_turn_id") != place.turn_id
            ]
            told["entries"] = [
                line
                for line in told.get("entries") or []
                if line.get("area") != _AREA or line.get("data", {}).get("from_turn_id") != place.turn_id
            ]
            writer.put_artifact(replace(log, content={**content, "turn_log": told}, updated_at=self._clock.now()))
        return own

    def report(self, user_id: str, since: Any = None, until: Any = None) -> FeedbackReport:
        """Feedback of a user in a period, in counts."""
        start = None if since is None else parse_time(since, "since")
        end = None if until is None else parse_time(until, "until")
        if start is not None and end is not None and start > end:
            raise InvalidInput.of("invalid_input", "until", until, "after since")
        times = [*([(">=", start)] if start else []), *([("<", end)] if end else [])]
        wanted = Wanted(
            user_id=user_id,
            within=Within.USER,
            kinds=[ArtifactKind.REACTION],
            times=times,
            limit=_MOST_REPORTED,
        )
        found = self._artifacts.find(wanted)
        conversations = dict.fromkeys(sorted({each.conversation_id for each in found}))
        return FeedbackReport(
            since=start,
            until=end,
            total=_counts(found),
            conversations={
                name: _counts([each for each in found if each.conversation_id == name]) for name in conversations
            },
        )


def read_feedback(artifact: Artifact) -> Feedback | None:
    """Feedback from its artifact; None for what is none."""
    data = artifact.content
    if not isinstance(data, dict) or artifact.turn_id is None:
        return None
    reaction, origin = data.get("reaction"), data.get("origin")
    return Feedback(
        turn_id=artifact.turn_id,
        conversation_id=artifact.conversation_id,
        origin=Origin(origin) if isinstance(origin, str) and origin in set(Origin) else Origin.MACHINE,
        reaction=Reaction(reaction) if isinstance(reaction, str) and reaction in set(Reaction) else None,
        text=str(data.get("text") or ""),
        confidence=sure if isinstance(sure := data.get("confidence"), float) else 0.0,
        given_at=artifact.created_at,
        from_turn_id=data.get("from_turn_id"),
        objective=str(data.get("objective") or ""),
    )


def _counts(found: Sequence[Artifact]) -> dict[str, int]:
    told = [feedback for each in found if (feedback := read_feedback(each)) is not None]
    origins = Counter(each.origin for each in told)
    reactions = Counter(each.reaction or Reaction.NEUTRAL for each in told)
    return {
        "total": len(told),
        **{origin.value: origins[origin] for origin in Origin},
        **{reaction.value: reactions[reaction] for reaction in Reaction},
    }
