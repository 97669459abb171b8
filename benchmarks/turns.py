"""What memory adds to a turn: looking up before the answer, and keeping both messages after it, as messages pile up.

Without a language model; vectors cost nothing here (embedding a text is reported by benchmarks/recall.py).

    python benchmarks/turns.py [SIZE ...]        (default 100 10000 100000)
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time

import recollect
from recall import TopicVectors, texts
from recollect import MemoryManager, MemoryStore
from recollect.conversations.messages import said
from recollect.model.session import Session

TURNS = 60
BATCH = 1_000
BOUND = 25.0


def fill(memory: recollect.MemorySystem, session: Session, size: int) -> None:
    for start in range(0, size, BATCH):
        parts = texts(min(BATCH, size - start), start)
        roles = ("user", "assistant")
        memory._messages.add_all(session, [said(roles[n % 2], text) for n, text in enumerate(parts)])
        if sys.stderr.isatty():
            print(f"\r  {start + len(parts):,} of {size:,} messages\033[K\r", end="", file=sys.stderr)


async def measure(size: int) -> float:
    settings = {"storage": {"synchronous": "full"}}
    with (
        tempfile.TemporaryDirectory() as root,
        recollect.open(root, orchestrator="bench", embedder=TopicVectors(), settings=settings) as memory,
    ):
        manager = MemoryManager(MemoryStore(memory))
        session = await manager.store.get_or_create_session("local", None, "alex")
        fill(memory, session, size)
        before, after, both = [], [], []
        for number, text in enumerate(texts(TURNS + 5, 10**9 + size, 3, 12)):
            start = time.perf_counter()
            await manager.get_context_for_message(session, text)
            looked_up = time.perf_counter()
            await manager.persist_turn(session, text, f"t{number} w{number} w1 w2 an answer")
            done = time.perf_counter()
            if number >= 5:  # the first ones build indexes
                before.append(1000 * (looked_up - start))
                after.append(1000 * (done - looked_up))
                both.append(1000 * (done - start))
    row = "".join(f"{_percentile(each, part):>10.1f}" for each in (before, after, both) for part in (0.5, 0.95))
    print(f"{size:>12,}{row}", flush=True)
    return _percentile(both, 0.5)


def _percentile(values: list[float], part: float) -> float:
    return sorted(values)[int(part * len(values))]


def main() -> int:
    sizes = [int(argument) for argument in sys.argv[1:]] or [100, 10_000, 100_000]
    print(f"{'':>12}{'look up':>20}{'keep':>20}{'both':>20}")
    print(f"{'messages':>12}" + f"{'p50 ms':>10}{'p95 ms':>10}" * 3)
    medians = [asyncio.run(measure(size)) for size in sizes]
    print(f"bound: both <= {BOUND:g} ms p50 at 100,000 on a quiet machine")
    return 0 if medians[-1] <= BOUND else 1


if __name__ == "__main__":
    sys.exit(main())
