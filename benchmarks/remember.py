"""What remembering costs as a memory grows: reading a fact, its people, what it replaces, the model, the disk.

Facts like those people tell (homes, jobs, favourites, likes, schedules) are remembered one by one by one user who has
many, with the default embedding model. The bound is 15 ms p50 at 100,000 memories, of which reading and the search for
conflicts are to be the smaller part.
"""

from __future__ import annotations

import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

import recollect
from recollect.knowledge import Draft

SIZES = [int(size) for size in sys.argv[1:]] or [1_000, 100_000]
FACTS = 200
BATCH = 5_000
BOUND_MS = 15.0
CITIES = ["Oslo", "Rome", "Lima", "Kyoto", "Accra", "Porto", "Quito", "Tunis", "Riga", "Perth"]
THINGS = ["tea", "jazz", "chess", "rice", "figs", "rain", "trains", "tulips", "soup", "maps"]
PEOPLE = ["my wife Sarah", "my brother Tom", "Anna", "my boss", "my son Max"]


def fact(chance: random.Random, number: int) -> str:
    return chance.choice(
        [
            f"I live in {chance.choice(CITIES)}",
            f"My favourite drink is {chance.choice(THINGS)} number {number}",
            f"{chance.choice(PEOPLE)} likes {chance.choice(THINGS)} and {number}",
            f"Our standup number {number % 50} is at {number % 12 + 1}",
            f"I work at company {number} as an engineer",
            f"I no longer like {chance.choice(THINGS)} of kind {number}",
        ]
    )


class Stopwatch:
    """How long a function takes in all its calls."""

    def __init__(self, work: Callable[..., Any]) -> None:
        self.work, self.seconds = work, 0.0

    def __call__(self, *values: Any, **named: Any) -> Any:
        start = time.perf_counter()
        try:
            return self.work(*values, **named)
        finally:
            self.seconds += time.perf_counter() - start


def main() -> int:
    passed = True
    print(
        f"{'memories':>10}{'p50 ms':>10}{'p95 ms':>10}{'people and conflicts ms':>26}{'embedding ms':>14}{'bound':>8}"
    )
    for size in SIZES:
        chance = random.Random(size)
        with tempfile.TemporaryDirectory() as folder, recollect.open(folder, orchestrator="bench") as memory:
            fill(memory, chance, size)
            take_in = memory._remember._evolve.take_in = Stopwatch(memory._remember._evolve.take_in)  # type: ignore[method-assign]
            embed = memory._remember._embed = Stopwatch(memory._remember._embed)  # type: ignore[method-assign]
            times = []
            for number in range(FACTS):
                start = time.perf_counter()
                memory.remember(fact(chance, size + number), user="alex")
                times.append(1000 * (time.perf_counter() - start))
        p50, p95 = statistics.median(times), sorted(times)[int(0.95 * len(times))]
        bound = f"{BOUND_MS:.0f}" if size == 100_000 else "-"
        passed &= size != 100_000 or p50 <= BOUND_MS
        parts = f"{1000 * take_in.seconds / FACTS:>26.2f}{1000 * embed.seconds / FACTS:>14.2f}"
        print(f"{size:>10,}{p50:>10.2f}{p95:>10.2f}{parts}{bound:>8}")
    return 0 if passed else 1


def fill(memory: recollect.MemorySystem, chance: random.Random, size: int) -> None:
    """Facts with their claims; the vectors of most are made up, since making real ones would take an hour."""
    real = memory._vectors.for_writing
    (vector,) = real(["a fact"])
    memory._vectors.for_writing = lambda texts: [vector] * len(texts)  # type: ignore[method-assign]
    for start in range(0, size, BATCH):
        facts = [fact(chance, start + number) for number in range(BATCH)]
        memory.remember_many([Draft(content=text) for text in facts[: size - start]], user="alex")
    memory._vectors.for_writing = real  # type: ignore[method-assign]


if __name__ == "__main__":
    sys.exit(main())
