"""Are the weights and the floor fitted to the data they were measured on? They are chosen again, with hold-out.

Each conversation is left out in turn: weights (by coordinate ascent on a coarse grid, from all equal) and the floor's
thresholds are chosen on the others and measured on the one left out. Beside them stand the fixed values of the code.

    python benchmarks/holdout.py DATA.json
"""

from __future__ import annotations

import itertools
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import recollect
from recollect.evaluation.dataset import load_dataset
from recollect.evaluation.run import UNANSWERABLE, StandingClock, asked_at, store_conversation
from recollect.recall import floor, recall
from recollect.recall.arms import WEIGHTS

ARMS = list(WEIGHTS)
GRID = (0.0, 0.25, 0.5, 1.0, 1.5, 2.0)
PASSES = 2
THRESHOLDS = list(
    itertools.product(
        (0.2, 0.25, 0.3, 0.35, 0.4, 0.5),
        (0.2, 0.25, 0.3, 0.35, 0.4),
        (-9, -0.6, -0.5, -0.45, -0.4, -0.35, -0.3, -0.25, -0.2),
    )
)
DEAREST = 0.02  # what the floor may cost of recall@10


@dataclass
class Asked:
    """One question with the evidence for each of its candidates."""

    evidence: Any  # candidates x arms
    right: Any  # which candidates answer it
    answers: int
    answerable: bool
    words: float
    meaning: float
    attribution: float

    def measured(self, weights: Any) -> tuple[float, float]:
        """Recall@10 and reciprocal rank."""
        order = np.argsort(-(self.evidence @ weights), kind="stable")
        right = self.right[order]
        first = np.flatnonzero(right)
        return right[:10].sum() / self.answers, 1 / (first[0] + 1) if len(first) else 0.0


def ask_all(path: Path) -> list[list[Asked]]:
    """The evidence of every question, by conversation."""
    data, clock = load_dataset(path), StandingClock()
    seen: dict[str, Any] = {}

    def watch(arms: Any, attribution: float) -> bool:
        seen.update(arms=arms, attribution=attribution)
        return True

    setattr(recall, "relevant", watch)  # noqa: B010  the one place where all evidence passes
    asked: list[list[Asked]] = []
    with tempfile.TemporaryDirectory() as root, recollect.open(root, orchestrator="holdout", clock=clock) as memory:
        first = 1
        for conversation in data.conversations:
            store_conversation(memory, clock, conversation)
            numbers = {turn.id: number for number, turn in enumerate(conversation.turns, first)}
            first += len(conversation.turns)
            asked.append([])
            for question in conversation.questions:
                gold = {numbers[each] for each in question.evidence if each in numbers}
                answerable = question.category != UNANSWERABLE
                if answerable and not gold:
                    continue
                clock.moment = asked_at(conversation, question)
                seen.update(arms={}, attribution=0.0)
                memory.recall(question.text, user=conversation.id)
                arms = seen["arms"]
                found = sorted({number for evidence in arms.values() for number in evidence}, reverse=True)
                table = np.array([[arms[arm].get(number, 0.0) for arm in ARMS] for number in found])
                asked[-1].append(
                    Asked(
                        evidence=table.reshape(len(found), len(ARMS)),
                        right=np.array([number in gold for number in found], bool),
                        answers=max(1, len(gold)),
                        answerable=answerable,
                        words=max(arms.get("window", {}).values(), default=0.0),
                        meaning=max(arms.get("vector", {}).values(), default=0.0),
                        attribution=seen["attribution"],
                    )
                )
            print(f"\r  {len(asked)} of {len(data.conversations)} conversations\033[K\r", end="", file=sys.stderr)
    return asked


def figures(questions: list[Asked], weights: Any) -> tuple[float, float]:
    rows = [question.measured(weights) for question in questions if question.answerable]
    recalled, reciprocal = np.mean(rows, axis=0)
    return recalled, reciprocal


def chosen_weights(questions: list[Asked]) -> Any:
    weights = np.ones(len(ARMS))
    best = sum(figures(questions, weights))
    for _ in range(PASSES):
        for arm in range(len(ARMS)):
            for value in GRID:
                tried = weights.copy()
                tried[arm] = value
                if (score := sum(figures(questions, tried))) > best + 1e-9:
                    weights, best = tried, score
    return weights


def floored(questions: list[Asked], recalls: list[float], limits: tuple[float, float, float]) -> tuple[float, float]:
    """The part of the unanswerable questions that is silenced, and what it costs of recall@10."""
    words, meaning, attribution = limits
    silent = [(each.words < words and each.meaning < meaning) or each.attribution < attribution for each in questions]
    hushed = [quiet for quiet, each in zip(silent, questions, strict=True) if not each.answerable]
    cost = [r for r, quiet, each in zip(recalls, silent, questions, strict=True) if each.answerable and quiet]
    answerable = sum(each.answerable for each in questions)
    return sum(hushed) / max(1, len(hushed)), sum(cost) / max(1, answerable)


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__)
        return 1
    asked = ask_all(Path(sys.argv[1]))
    fixed = np.array([WEIGHTS[arm] for arm in ARMS])
    limits = (floor.WORDS, floor.MEANING, floor.ATTRIBUTION)
    rows = []
    for left_out, test in enumerate(asked):
        train = [each for number, part in enumerate(asked) if number != left_out for each in part]
        weights = chosen_weights(train)
        recalls = {id(each): each.measured(fixed)[0] for each in [*train, *test]}
        train_recalls, test_recalls = ([recalls[id(each)] for each in part] for part in (train, test))
        options = [(floored(train, train_recalls, each), each) for each in THRESHOLDS]
        _, chosen = max(((hushed, -cost), each) for (hushed, cost), each in options if cost <= DEAREST)
        count = sum(each.answerable for each in test)
        rows.append(
            (count, *figures(test, weights), *figures(test, fixed), *floored(test, test_recalls, chosen),
             *floored(test, test_recalls, limits))
        )  # fmt: skip
        shown = " ".join(f"{arm} {value:g}" for arm, value in zip(ARMS, weights, strict=True))
        print(f"without {left_out + 1:>2}: {shown}; floor {chosen}", flush=True)
    table = np.array(rows)
    means = np.average(table[:, 1:], axis=0, weights=table[:, 0])
    print(f"{'':<22}{'R@10':>8}{'MRR':>8}{'silenced':>10}{'cost R@10':>11}")
    for name, (r, m, hushed, cost) in (
        ("chosen on the others", (means[0], means[1], means[4], means[5])),
        ("fixed in the code", (means[2], means[3], means[6], means[7])),
    ):
        print(f"{name:<22}{r:>8.3f}{m:>8.3f}{hushed:>10.3f}{cost:>11.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
