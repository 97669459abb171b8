"""What a turn has at hand before it begins: preloading a long conversation, from the index alone.

Blobs are removed before it is measured, so one that was read would fail the run. The bare loop reads the same rows with
a bare connection and parses their JSON.

    python benchmarks/preload.py [TURNS ...]        (default 100 2000)
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
import time
from pathlib import Path

import apsw

import recollect
from recollect import Place, Turn, TurnFingerprint

ROUNDS = 100
BOUND = 20.0
_BARE = (
    "SELECT content FROM artifacts WHERE user_id = 'alex' AND conversation_id = 'c1' AND kind = ?"
    " ORDER BY created_at DESC LIMIT ?"
)
_READ = (("artifact:turn.fingerprint.v1", 96), ("artifact:turn.log.reaction", 128), ("artifact:turn.log", 3))


def fill(memory: recollect.MemorySystem, turns: int) -> None:
    for number in range(turns):
        fingerprint = TurnFingerprint(turn_id=f"turn-{number:05}", made_at=memory.clock.now()).updated(
            objective=f"Plan part {number} of the journey",
            topics=["journey", f"part {number}"],
            assertions=[{"key": f"format {number % 7}", "value": "lists", "severity": "must", "scope": "objective"}],
            facts=[{"key": f"stop {number}", "value": f"Town number {number}", "scope": "objective"}],
            assistant_signals=[{"key": f"offer {number % 50}", "value": "Pro plan", "severity": "mention"}],
        )
        place = Place("alex", "c1", f"turn-{number:05}")
        memory.keep_turn(Turn(place=place, fingerprint=fingerprint, message="And then?", answer="Then on."))
        if number % 10 == 0:
            memory.give_feedback("alex", "c1", f"turn-{number:05}", "ok", "good")
        if sys.stderr.isatty():
            print(f"\r  {number:,} of {turns:,} turns\033[K\r", end="", file=sys.stderr)


def measure(turns: int) -> float:
    settings = {"storage": {"synchronous": "normal"}, "embedding": {"provider": "none"}}
    with (
        tempfile.TemporaryDirectory() as root,
        recollect.open(root, orchestrator="bench", settings=settings) as memory,
    ):
        fill(memory, turns)
        shutil.rmtree(Path(root) / "bench" / "memory" / "blobs")
        bare = apsw.Connection(str(Path(root) / "bench" / "memory" / "memory.db"), flags=apsw.SQLITE_OPEN_READONLY)
        assert len(memory.preload_turns("alex", "c1").memories) == min(turns, 32)
        own, loop = [], []
        for _ in range(ROUNDS):
            start = time.perf_counter()
            memory.preload_turns("alex", "c1")
            middle = time.perf_counter()
            for kind, limit in _READ:
                [json.loads(row[0]) for row in bare.execute(_BARE, (kind, limit))]
            own.append(1000 * (middle - start))
            loop.append(1000 * (time.perf_counter() - middle))
        bare.close()
    half = _percentile(own, 0.5)
    print(
        f"{turns:>8,}{half:>10.2f}{_percentile(own, 0.95):>10.2f}{_percentile(loop, 0.5):>12.2f}"
        f"{half / _percentile(loop, 0.5):>8.1f}",
        flush=True,
    )
    return half


def _percentile(values: list[float], part: float) -> float:
    return sorted(values)[int(part * len(values))]


def main() -> int:
    sizes = [int(argument) for argument in sys.argv[1:]] or [100, 2_000]
    print(f"{'turns':>8}{'p50 ms':>10}{'p95 ms':>10}{'bare ms':>12}{'ratio':>8}")
    medians = [measure(size) for size in sizes]
    print(f"bound: {BOUND:g} ms p50 at 2,000 turns, and no blob read")
    return 0 if medians[-1] <= BOUND else 1


if __name__ == "__main__":
    sys.exit(main())
