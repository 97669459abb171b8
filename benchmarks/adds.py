"""Durable adds per second, one by one and in batches, next to a bare APSW loop doing the same inserts.

Each add is a memory with its source, its row in the text index, a 384-d vector and its event. The bare loop is
handed finished values; it makes no ids, checks nothing and analyses no text. Both run in turn, several times,
and the ratio of the medians is what counts: machines are noisy.
"""

from __future__ import annotations

import random
import statistics
import struct
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import recollect
from recollect.log import MemoryLog
from recollect.model.clock import SystemClock, to_micros
from recollect.model.ids import IdFactory
from recollect.model.terms import terms
from recollect.storage.sql import queries
from recollect.storage.sqlite import SqliteStorage
from recollect.storage.sqlite.connection import connect

DIMENSION = 384
SINGLES = 300
BATCH = 5_000
ROUNDS = 9
WORDS = [
    "garden",
    "harbour",
    "mountain",
    "coffee",
    "sister",
    "project",
    "deadline",
    "guitar",
    "ticket",
    "hospital",
    "recipe",
    "winter",
    "camera",
    "manager",
    "lisbon",
    "bicycle",
    "contract",
    "birthday",
    "museum",
    "invoice",
    "puppy",
    "therapy",
    "marathon",
    "kitchen",
    "novel",
    "airport",
]


class RandomVectors:
    """An embedder that costs nothing, so that only storing is measured."""

    name = "random"
    dimension = DIMENSION
    is_local = True

    def __init__(self) -> None:
        chance = random.Random(7)
        self._vector = struct.pack(f"<{DIMENSION}f", *(chance.uniform(-1, 1) for _ in range(DIMENSION)))

    def embed_documents(self, texts: Sequence[str]) -> list[bytes]:
        return [self._vector] * len(texts)

    embed_queries = embed_documents


def sentences(count: int, seed: int) -> list[str]:
    chance = random.Random(seed)
    return [f"{' '.join(chance.choices(WORDS, k=9))} on day {chance.randrange(10_000)}." for _ in range(count)]


def per_second(work: Callable[[Any], Any], items: Sequence[Any]) -> float:
    start = time.perf_counter()
    work(items)
    return len(items) / (time.perf_counter() - start)


class Bare:
    """The same inserts with nothing around them."""

    def __init__(self, folder: Path) -> None:
        path = folder / "bare.db"
        log = MemoryLog(None, SystemClock(), "bare")
        SqliteStorage(path, "bare", log).close()
        self.connection = connect(path, busy_timeout=10, synchronous="full")
        self.connection.execute("INSERT INTO scopes (kind, owner_user_id) VALUES ('personal', 'alex')")
        self.connection.execute("INSERT INTO embedding_models (name, dimension) VALUES ('random', 384)")
        self.sql = queries("sqlite")

    def values(self, texts: Sequence[str]) -> list[tuple[Any, ...]]:
        ids, now = IdFactory(SystemClock()), to_micros(SystemClock().now())
        (vector,) = RandomVectors().embed_documents([""])
        made = []
        for text in texts:
            memory_id = ids.new()
            row = (memory_id, "bare", 1, "Fact", 50, text, text, 1.0, "active", "public", "stated")
            memory = (*row, now, now, now, None, None, None, None, bytes(32), "memory", bytes(16))
            source = (memory_id, 0, "manual", "user", None, None, None, None, None, None, None)
            event = (now, "memory.created", "alex", memory_id, None, None, None, None)
            made.append((memory, source, " ".join(terms(text)), vector, event))
        return made

    def insert(self, values: tuple[Any, ...]) -> None:
        memory, source, text, vector, event = values
        execute, sql = self.connection.execute, self.sql
        execute(sql["add_memory"], (None, *memory))
        seq = self.connection.last_insert_rowid()
        execute(sql["add_source"], source)
        execute(sql["add_terms"], (seq, text, "s1"))
        execute(sql["add_vector"], (seq, 1, vector))
        execute(sql["add_event"], event)

    def single(self, values: list[tuple[Any, ...]]) -> None:
        for row in values:
            self.connection.execute("BEGIN IMMEDIATE")
            self.insert(row)
            self.connection.execute("COMMIT")

    def batch(self, values: list[tuple[Any, ...]]) -> None:
        self.connection.execute("BEGIN IMMEDIATE")
        for row in values:
            self.insert(row)
        self.connection.execute("COMMIT")


def main() -> int:
    figures: dict[str, list[float]] = {"single": [], "bare single": [], "batch": [], "bare batch": []}
    with tempfile.TemporaryDirectory() as folder:
        memory = recollect.open(folder, orchestrator="bench", embedder=RandomVectors())
        bare = Bare(Path(folder))
        for turn in range(ROUNDS):
            few, many = sentences(SINGLES, 2 * turn), sentences(BATCH, 2 * turn + 1)
            figures["bare single"].append(per_second(bare.single, bare.values(few)))
            figures["single"].append(per_second(lambda texts: [memory.remember(t, user="alex") for t in texts], few))
            figures["bare batch"].append(per_second(bare.batch, bare.values(many)))
            figures["batch"].append(per_second(lambda texts: memory.remember_many(texts, user="alex"), many))
        stats = memory.stats()
        if stats.memories != ROUNDS * (SINGLES + BATCH) or stats.vectors != stats.memories:
            print("the store does not hold what was added")
            return 1
        memory.close()
    medians = {name: statistics.median(values) for name, values in figures.items()}
    title = f"durable adds/s (median of {ROUNDS})"
    print(f"{title:<34}{'recollect':>12}{'bare APSW':>12}{'ratio':>8}{'bound':>8}")
    passed = True
    for name, bound in (("single", 2.0), ("batch", 1.5)):
        ratio = medians[f"bare {name}"] / medians[name]
        passed &= ratio <= bound
        print(f"{name:<34}{medians[name]:>12,.0f}{medians[f'bare {name}']:>12,.0f}{ratio:>8.2f}{bound:>8.1f}")
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
