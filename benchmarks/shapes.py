"""Does recall only suit conversations of one shape? The same data in other shapes, beside plain BM25 in the same run.

    python benchmarks/shapes.py DATA.json

`as it is`: each conversation a scope. `one scope`: all of them together, one after the other. `user and assistant`: the
speakers lose their names, and questions say "I" and "you". `long turns`: six turns in a row are one, said by nobody in
particular. `no speakers`: nobody knows who said what. Plain BM25 is FTS5 with porter stems over the same turns.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import apsw

from recollect.evaluation.dataset import Conversation, Dataset, Inquiry, Turn, load_dataset
from recollect.evaluation.metrics import average, measures
from recollect.evaluation.run import UNANSWERABLE, evaluate

TOGETHER = 6


def one_scope(data: Dataset) -> Dataset:
    turns, questions = [], []
    for conversation in data.conversations:
        turns += [
            replace(turn, id=_id(conversation, turn.id), session=_id(conversation, turn.session))
            for turn in conversation.turns
        ]
        questions += [
            replace(each, evidence=tuple(_id(conversation, turn) for turn in each.evidence))
            for each in conversation.questions
        ]
    return Dataset(data.name, (Conversation("all", tuple(turns), tuple(questions)),))


def _id(conversation: Conversation, name: str) -> str:
    return f"{conversation.id}/{name}"


def roles(data: Dataset) -> Dataset:
    def changed(conversation: Conversation) -> Conversation:
        names = list(dict.fromkeys(turn.speaker for turn in conversation.turns if turn.speaker))[:2]
        role = dict(zip(names, ("user", "assistant"), strict=False))
        turns = [replace(turn, speaker=role.get(turn.speaker or "", turn.speaker)) for turn in conversation.turns]
        questions = [replace(each, text=_personal(each.text, names)) for each in conversation.questions]
        return Conversation(conversation.id, tuple(turns), tuple(questions))

    return replace(data, conversations=tuple(map(changed, data.conversations)))


def _personal(text: str, names: list[str]) -> str:
    for name, (whose, who) in zip(names, (("my", "I"), ("your", "you")), strict=False):
        text = re.sub(rf"\b{name}'s?\b", whose, text)
        text = re.sub(rf"\b{name}\b", who, text)
    return text


def long_turns(data: Dataset) -> Dataset:
    def changed(conversation: Conversation) -> Conversation:
        turns: list[Turn] = []
        place: dict[str, str] = {}
        for session in dict.fromkeys(turn.session for turn in conversation.turns):
            said = [turn for turn in conversation.turns if turn.session == session]
            for start in range(0, len(said), TOGETHER):
                part = said[start : start + TOGETHER]
                place |= {turn.id: part[0].id for turn in part}
                text = "\n".join(f"{turn.speaker}: {turn.text}" for turn in part)
                turns.append(replace(part[0], speaker=None, text=text))
        questions = [
            replace(each, evidence=tuple(dict.fromkeys(place[turn] for turn in each.evidence if turn in place)))
            for each in conversation.questions
        ]
        return Conversation(conversation.id, tuple(turns), tuple(questions))

    return replace(data, conversations=tuple(map(changed, data.conversations)))


def no_speakers(data: Dataset) -> Dataset:
    return replace(
        data,
        conversations=tuple(
            replace(each, turns=tuple(replace(turn, speaker=None) for turn in each.turns))
            for each in data.conversations
        ),
    )


SHAPES: dict[str, Callable[[Dataset], Dataset]] = {
    "as it is": lambda data: data,
    "one scope": one_scope,
    "user and assistant": roles,
    "long turns": long_turns,
    "no speakers": no_speakers,
}


def plain(data: Dataset) -> dict[str, float]:
    """FTS5's BM25 over the text of a turn with its speaker, the words of the question OR-ed."""
    return average([measures(found, gold) for found, gold in _asked(data)])


def _asked(data: Dataset) -> Iterator[tuple[list[str], frozenset[str]]]:
    for conversation in data.conversations:
        store = apsw.Connection(":memory:")
        store.execute("CREATE VIRTUAL TABLE turns USING fts5 (id UNINDEXED, text, tokenize = 'porter unicode61')")
        store.executemany(
            "INSERT INTO turns VALUES (?, ?)",
            [(turn.id, f"{turn.speaker or ''}: {turn.text}") for turn in conversation.turns],
        )
        known = {turn.id for turn in conversation.turns}
        for question in conversation.questions:
            gold = frozenset(question.evidence) & known
            if gold and question.category != UNANSWERABLE:
                yield _matching(store, question), gold


def _matching(store: apsw.Connection, question: Inquiry) -> list[str]:
    words = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", question.text))
    asked = "SELECT id FROM turns WHERE turns MATCH ? ORDER BY bm25(turns) LIMIT 20"
    return [str(row[0]) for row in store.execute(asked, (words,))] if words else []


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__)
        return 1
    data = load_dataset(Path(sys.argv[1]))
    print(f"{'':<20}{'':<12}{'R@5':>8}{'R@10':>8}{'R@20':>8}{'MRR':>8}{'n':>7}")
    for name, shaped in SHAPES.items():
        shape = shaped(data)
        for way, figures in (("plain BM25", plain(shape)), ("recollect", evaluate(shape).overall)):
            row = "".join(f"{figures[each]:>8.3f}" for each in ("recall@5", "recall@10", "recall@20", "mrr"))
            print(f"{name:<20}{way:<12}{row}{figures['n']:>7.0f}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
