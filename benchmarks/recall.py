"""Recall latency at growing sizes, next to a bare numpy matrix product over the same number of vectors.

Two scopes are asked: one that holds everything, and one that holds a hundredth of it. Texts have the word
frequencies of a natural language, vectors lie around topics. The query's embedding is measured apart.

    python benchmarks/recall.py [SIZE ...]        (default 1000 10000 100000)
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

import recollect
from recollect.embedding.onnx import minilm
from recollect.storage.interface import Vector

DIMENSION = 384
TOPICS = 2_000
VOCABULARY = 30_000
QUERIES = 100
BATCH = 5_000
BOUNDS = "bounds: 10,000 <= 5 ms; 100,000 <= 1.0 x numpy; 1,000,000 <= 0.3 x numpy, 1 % of it <= 10 ms; p95 <= 3 x p50"


class TopicVectors:
    """An embedder that costs nothing: a text's vector lies near the topic that its first word names."""

    name = "topics"
    dimension = DIMENSION
    is_local = True

    def __init__(self) -> None:
        self.chance = np.random.default_rng(3)
        self.topics = self.chance.standard_normal((TOPICS, DIMENSION)).astype(np.float32)

    def embed_documents(self, texts: Sequence[str]) -> list[bytes]:
        numbers = [int(text.split(" ", 1)[0][1:]) % TOPICS for text in texts]
        noise = self.chance.standard_normal((len(texts), DIMENSION)).astype(np.float32)
        vectors = self.topics[numbers] + 0.8 * noise
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return [row.tobytes() for row in vectors]

    embed_queries = embed_documents


def texts(count: int, seed: int, shortest: int = 6, longest: int = 20) -> list[str]:
    """Sentences of some words, w0 the commonest, with Zipf's frequencies."""
    chance = np.random.default_rng(seed)
    weights = 1 / np.arange(1, VOCABULARY + 1)
    weights /= weights.sum()
    lengths = chance.integers(shortest, longest + 1, count)
    words = chance.choice(VOCABULARY, int(lengths.sum()), p=weights)
    parts = np.split(words, np.cumsum(lengths)[:-1])
    return [f"t{chance.integers(TOPICS)} " + " ".join(f"w{word}" for word in part) for part in parts]


def fill(memory: recollect.MemorySystem, size: int) -> None:
    for start in range(0, size, BATCH):
        batch = texts(min(BATCH, size - start), start)
        few = max(1, len(batch) // 100)
        memory.remember_many(batch[:few], user="few")
        memory.remember_many(batch[few:], user="many")
        if sys.stderr.isatty():
            print(f"\r  storing {start + len(batch):,} of {size:,}\033[K\r", end="", file=sys.stderr)


def latencies(work: Any, items: Sequence[Any]) -> tuple[float, float]:
    taken = []
    for item in items:
        start = time.perf_counter()
        work(item)
        taken.append(1000 * (time.perf_counter() - start))
    taken.sort()
    return taken[len(taken) // 2], taken[int(0.95 * len(taken))]


def numpy_product(size: int) -> float:
    """The median time of a bare product with `size` vectors and a partition for the best 50."""
    matrix = np.random.default_rng(5).standard_normal((size, DIMENSION), np.float32)
    query = matrix[0].copy()
    best = min(50, size - 1)
    return latencies(lambda _: np.argpartition(-(matrix @ query), best)[:best], range(15))[0]


def embedding() -> tuple[float, float]:
    model = minilm()
    model.embed_queries(["warm up"])
    questions = [f"What did we decide about the project number {n} in the meeting?" for n in range(60)]
    return latencies(lambda text: model.embed_queries([text]), questions)


def is_met(size: int, user: str, p50: float, p95: float, ratio: float) -> bool:
    """Whether the bounds that hold for this size and scope are kept."""
    most_ms = {(10_000, "many"): 5.0, (1_000_000, "few"): 10.0}.get((size, user), p50)
    most_ratio = {(100_000, "many"): 1.0, (1_000_000, "many"): 0.3}.get((size, user), ratio)
    return p50 <= most_ms and ratio <= most_ratio and p95 <= 3 * p50


def measure(size: int, embedder: TopicVectors) -> bool:
    met = True
    with tempfile.TemporaryDirectory() as root:
        quick = {"storage": {"synchronous": "normal"}}
        with recollect.open(root, orchestrator="bench", embedder=embedder, settings=quick) as memory:
            fill(memory, size)
            questions = texts(QUERIES, 10**9 + size, 3, 8)  # a question is shorter than what it asks for
            vectors = {text: Vector("topics", DIMENSION, embedder.embed_queries([text])[0]) for text in questions}
            # The embedding is measured apart: questions are answered from what was made beforehand.
            memory._vectors.query = lambda text: vectors[text]  # type: ignore[method-assign]
            bare = numpy_product(size)
            for user in ("many", "few"):
                for text in questions[:5]:
                    memory.recall(text, user=user)
                p50, p95 = latencies(lambda text, user=user: memory.recall(text, user=user), questions)
                visible = "all" if user == "many" else "1 %"
                print(f"{size:>12,}{visible:>8}{p50:>10.1f}{p95:>10.1f}{bare:>12.2f}{p50 / bare:>10.2f}", flush=True)
                met &= is_met(size, user, p50, p95, p50 / bare)
    return met


def main() -> int:
    sizes = [int(argument) for argument in sys.argv[1:]] or [1_000, 10_000, 100_000]
    embedder = TopicVectors()
    print(f"{'memories':>12}{'visible':>8}{'p50 ms':>10}{'p95 ms':>10}{'numpy ms':>12}{'x numpy':>10}")
    missed = [size for size in sizes if not measure(size, embedder)]
    p50, p95 = embedding()
    print(f"embedding a question: p50 {p50:.1f} ms, p95 {p95:.1f} ms")
    print(BOUNDS)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
