"""Both engines side by side: durable adds per second and recall latency with 1, 4 and 16 clients.

PostgreSQL is the test suite's own server on this machine, or the one that RECOLLECT_TEST_POSTGRES names. Clients are
threads of one process that share one memory. It is checked that PostgreSQL chooses vectors from an index (by its own
plan), and that a user who sees one hundredth of everything still gets all results asked for.

    python benchmarks/engines.py [SIZE]        (default 100000)
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg

import recollect
from recall import DIMENSION, TopicVectors, fill, texts
from recollect.storage.interface import Vector
from recollect.storage.postgres.search import EXACT_UP_TO, vector_text
from recollect.storage.postgres.statements import statements

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from postgres_server import Databases, Server, ordinary_url  # type: ignore[import-not-found]  # the tests' own

CLIENTS = (1, 4, 16)
RECALLS = 192
ADDS = 192
BATCH = 2_000


@contextmanager
def places(folder: str) -> Iterator[dict[str, str]]:
    """Where each engine keeps its memories."""
    given = os.environ.get("RECOLLECT_TEST_POSTGRES")
    server = None if given else Server().create()
    # A server that syncs, as the file does.
    if server is not None:
        server.stop("fast")
        server.start(fsync="on", shared_buffers="512MB")
        admin = f"postgresql://postgres@127.0.0.1:{server.port}/postgres"
        databases = Databases(admin, server.url("DATABASE"))
    else:
        databases = Databases(str(given), ordinary_url(str(given)))
    try:
        yield {"sqlite": f"{folder}/here", "postgresql": databases.new()}
    finally:
        if server is not None:
            server.remove()
        else:
            databases.drop_all()


def spread(work: Callable[[Any], Any], items: list[Any], clients: int) -> tuple[float, float, float]:
    """All items by several clients: how many a second, and the median and 95th percentile of one in milliseconds."""

    def timed(item: Any) -> float:
        start = time.perf_counter()
        work(item)
        return 1000 * (time.perf_counter() - start)

    with ThreadPoolExecutor(clients) as threads:
        start = time.perf_counter()
        taken = sorted(threads.map(timed, items))
        whole = time.perf_counter() - start
    return len(items) / whole, taken[len(taken) // 2], taken[int(0.95 * len(taken))]


def scans_signs_alone(memory: recollect.MemorySystem) -> bool:
    """Whether PostgreSQL's plan chooses vectors from an index, without reading them."""

    def plan(reader: Any) -> str:
        model = reader._row("find_model", {"name": "topics"})
        scopes = [row[0] for row in reader._connection.execute("SELECT scope_id FROM recollect.scopes").fetchall()]
        values = {
            "vector": vector_text(TopicVectors().embed_queries(["t1 w1"])[0]),
            "orchestrator_id": memory.orchestrator_id,
            "scopes": scopes,
            "model_id": model[0],
            "chosen": 992,
            "limit": 62,
        }
        text = b"EXPLAIN " + statements()["nearest_by_signs"]
        return "\n".join(row[0] for row in reader._connection.execute(text, values).fetchall())

    return "Index Only Scan" in memory._storage.read(plan)


def vacuum(place: str) -> None:
    """As the server does by itself within a minute or so."""
    with psycopg.connect(place, autocommit=True) as connection:
        connection.execute("VACUUM ANALYZE")


def measure(engine: str, place: str, folder: str, size: int) -> bool:
    embedder = TopicVectors()
    with recollect.open(place, orchestrator="bench", embedder=embedder, files=folder) as memory:
        start = time.perf_counter()
        fill(memory, size)
        filled = time.perf_counter() - start
        start = time.perf_counter()
        memory.upkeep()
        tuned = time.perf_counter() - start
        print(f"{engine}: {size:,} memories stored at {size / filled:,.0f}/s; upkeep took {tuned:.0f} s")
        if engine == "postgresql":
            vacuum(place)
        questions = texts(RECALLS, 10**9, 3, 8)
        vectors = {text: Vector("topics", DIMENSION, embedder.embed_queries([text])[0]) for text in questions}
        memory._vectors.query = lambda text: vectors[text]  # type: ignore[method-assign]
        for text in questions[:10]:
            memory.recall(text, user="many")
        print(f"{'clients':>10}{'adds/s':>10}{'p50 ms':>10}{'recalls/s':>12}{'p50 ms':>10}{'p95 ms':>10}")
        for clients in CLIENTS:
            new = texts(ADDS, 10**8 + clients)
            rate, add, _ = spread(lambda text: memory.remember(text, user="many"), new, clients)
            recalls, p50, p95 = spread(lambda text: memory.recall(text, user="many"), questions, clients)
            print(f"{clients:>10}{rate:>10,.0f}{add:>10.1f}{recalls:>12,.0f}{p50:>10.1f}{p95:>10.1f}", flush=True)
        full = all(len(memory.recall(text, user="few", floor=False).hits) == 20 for text in questions[:20])
        print(f"a user who sees 1 % gets all 20 results: {'yes' if full else 'NO'}")
        indexed = True
        if engine == "postgresql" and size > EXACT_UP_TO:
            indexed = scans_signs_alone(memory)
            print(f"vectors are chosen by an index of their signs: {'yes' if indexed else 'NO'}")
    return full and indexed


def main() -> int:
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    with tempfile.TemporaryDirectory() as folder, places(folder) as where:
        passed = [measure(engine, place, folder, size) for engine, place in where.items()]
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main())
