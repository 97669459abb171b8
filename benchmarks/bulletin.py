"""What a bulletin costs on every message, as memories pile up: made from what was recalled, and with the recall.

python benchmarks/bulletin.py [SIZE ...]        (default 1000 100000)
"""

from __future__ import annotations

import sys
import tempfile
import time

import recollect
from recall import TopicVectors, texts

ROUNDS = 60
BATCH = 5_000
BOUND = 5.0
TYPES = ["Fact"] * 14 + ["Observation", "Goal", "Todo", "Decision", "Preference", "Event"]


def fill(memory: recollect.MemorySystem, size: int) -> None:
    for start in range(0, size, BATCH):
        drafts = [
            {
                "content": text,
                "type": TYPES[n % len(TYPES)],
                "verbatim": True,
                "expires": "never",
                "confidence": 0.3 if n % 500 == 0 else 0.9,
            }
            for n, text in enumerate(texts(min(BATCH, size - start), start))
        ]
        memory.remember_many(drafts, user="alex")
        if sys.stderr.isatty():
            print(f"\r  {start + len(drafts):,} of {size:,} memories\033[K\r", end="", file=sys.stderr)
    some = memory.list(user="alex", limit=100)
    for one, other in zip(some[:20], some[20:40], strict=True):
        memory.contradict(one.memory_id, other.memory_id, user="alex")


def measure(size: int) -> float:
    settings = {"storage": {"synchronous": "normal"}}
    with (
        tempfile.TemporaryDirectory() as root,
        recollect.open(root, orchestrator="bench", embedder=TopicVectors(), settings=settings) as memory,
    ):
        fill(memory, size)
        alone, whole = [], []
        for number, text in enumerate(texts(ROUNDS + 5, 10**9 + size, 3, 12)):
            start = time.perf_counter()
            recalled = memory.recall(text, user="alex")
            middle = time.perf_counter()
            memory.bulletin(text, user="alex", conversation_id="c", recalled=recalled)
            done = time.perf_counter()
            if number >= 5:  # the first ones build indexes
                alone.append(1000 * (done - middle))
                whole.append(1000 * (done - start))
    row = "".join(f"{_percentile(each, part):>10.2f}" for each in (alone, whole) for part in (0.5, 0.95))
    print(f"{size:>12,}{row}", flush=True)
    return _percentile(alone, 0.5)


def _percentile(values: list[float], part: float) -> float:
    return sorted(values)[int(part * len(values))]


def main() -> int:
    sizes = [int(argument) for argument in sys.argv[1:]] or [1_000, 100_000]
    print(f"{'':>12}{'bulletin':>20}{'with the recall':>20}")
    print(f"{'memories':>12}" + f"{'p50 ms':>10}{'p95 ms':>10}" * 2)
    medians = [measure(size) for size in sizes]
    print(f"bound: the bulletin <= {BOUND:g} ms p50 at 100,000")
    return 0 if medians[-1] <= BOUND else 1


if __name__ == "__main__":
    sys.exit(main())
