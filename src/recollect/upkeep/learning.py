"""Learning in the background: each conversation when it has been quiet for a while; what is due survives a restart."""

from __future__ import annotations

from datetime import timedelta

from recollect.knowledge import Learner, Utterance
from recollect.log import MemoryLog
from recollect.model.clock import Clock, to_micros
from recollect.model.scope import Speaker
from recollect.storage.interface import Reader, Storage, Writer
from recollect.upkeep.background import Background

_BATCH = 20
_MOST_MESSAGES = 200
_FIRST_PAUSE = timedelta(seconds=30)
_MOST_DOUBLED = 7
_IDLE_SECONDS = 20.0
_SHORTEST_WAIT = 0.05


class Learning:
    """Works through the conversations that are due, on request or in a background thread."""

    def __init__(self, storage: Storage, clock: Clock, learner: Learner, log: MemoryLog) -> None:
        self._storage = storage
        self._clock = clock
        self._learner = learner
        self._log = log
        self._background = Background("recollect-learning", self.run, log, self._idle)
        self.start, self.stop = self._background.start, self._background.stop

    def run(self, *, all_pending: bool = False) -> int:
        """Learns from what is due, or from everything that waits; returns how many facts were stored."""
        now = 2**62 if all_pending else to_micros(self._clock.now())
        stored, failed = 0, set[str]()
        while not self._background.stopped:
            due = self._storage.read(lambda reader: reader.due_extractions(now, _BATCH + len(failed)))
            due = [each for each in due if each not in failed]
            if not due:
                break
            for session_id in due:
                learned = self._learn(session_id)
                if learned is None:
                    failed.add(session_id)
                stored += learned or 0
        return stored

    def _learn(self, session_id: str) -> int | None:
        """How many facts a session gave; None if it has to be tried again."""
        session, said, last, attempts = self._storage.read(lambda reader: _unlearned(reader, session_id))
        if session is None:
            self._storage.write(lambda writer: writer.put_extraction(session_id, last[1], 0, None))
            return 0
        stored = 0
        try:
            if said:
                receipts = self._learner.learn(said, session, session_id)
                stored = sum(receipt.outcome == "stored" for receipt in receipts)
        except Exception as error:  # noqa: BLE001  one conversation must not hold up the others: it is tried again later
            pause = _FIRST_PAUSE * 2 ** min(_MOST_DOUBLED, attempts)
            again = to_micros(self._clock.now() + pause)
            self._log.write("memory.extraction.failed", level="warning", detail=f"{type(error).__name__}: {error}")
            self._storage.write(lambda writer: writer.put_extraction(session_id, last[0], attempts + 1, again))
            return None

        def finish(writer: Writer) -> None:
            more = writer.last_position(session_id) > last[1]
            writer.put_extraction(session_id, last[1], 0, to_micros(self._clock.now()) if more else None)

        self._storage.write(finish)
        return stored

    def _idle(self) -> float:
        """Seconds until the next conversation is due, as far as that is soon."""
        due = self._storage.read(lambda reader: reader.next_extraction())
        if due is None:
            return _IDLE_SECONDS
        return min(_IDLE_SECONDS, max(_SHORTEST_WAIT, (due - to_micros(self._clock.now())) / 1e6))


def _unlearned(reader: Reader, session_id: str) -> tuple[Speaker | None, list[Utterance], tuple[int, int], int]:
    """Who speaks in a session, what was said since it was last learned from, and from where to where that is."""
    session, state = reader.session(session_id), reader.extraction(session_id)
    if session is None or state is None or (session.user_id is None and session.chat_id is None):
        return None, [], (0, 0), 0
    position, attempts, _ = state
    messages = reader.messages_after(session_id, position, _MOST_MESSAGES)
    said = [
        Utterance(role=each.role.value, text=each.content, said_at=each.created_at, message_id=each.message_id)
        for each in messages
        if each.role.value in {"user", "assistant"}
    ]
    newest = messages[-1].position if messages else position
    return Speaker(user=session.user_id, chat=session.chat_id), said, (position, newest), attempts
