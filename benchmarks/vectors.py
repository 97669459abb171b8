"""How many of the truly nearest vectors a large index finds, and how fast, next to a bare numpy product.

The vectors are real: lines of prose in the Python sources that are installed, embedded by the default model. Asked are
other such lines, which have near ones, and questions of everyday life, to which nothing there is near.

    python benchmarks/vectors.py [COUNT]        (default 50000)
"""

from __future__ import annotations

import random
import re
import sys
import sysconfig
import time
from pathlib import Path

import numpy as np

from recollect.embedding.onnx import minilm
from recollect.storage.sqlite.vectors import VectorIndex

LIMIT = 62  # what a recall asks for
LEAST_FOUND = 0.95
PROSE = re.compile(r"""^[\s#"'*-]*([A-Z][a-z' ]+ [a-z].{20,180})$""", re.MULTILINE)
ASKED = 200
QUESTIONS = [
    f"{question} {rest}"
    for question in ("Where did my sister", "When does our neighbour", "Why would the children", "How often did Sarah")
    for rest in (
        "go for a swim last summer?", "play the cello in the evening?", "cook without any garlic?",
        "adopt a dog from the shelter?", "paint the kitchen door green?", "miss the train to Toronto?",
        "plant tomatoes on the balcony?", "run a half marathon in the rain?", "sell the old Volvo?",
        "learn Portuguese with a friend?",
    )
]  # fmt: skip


def prose(count: int) -> list[str]:
    """Distinct lines of prose in a random order that is always the same."""
    lines: set[str] = set()
    for folder in ("stdlib", "purelib"):
        for file in sorted(Path(sysconfig.get_path(folder)).rglob("*.py")):
            lines.update(match.strip() for match in PROSE.findall(file.read_text("utf-8", "ignore")))
    found = sorted(lines)
    random.Random(1).shuffle(found)
    return found[:count]


def embedded(texts: list[str]) -> np.ndarray:
    model, rows = minilm(), []
    for start in range(0, len(texts), 2_000):
        rows += [np.frombuffer(row, np.float32) for row in model.embed_documents(texts[start : start + 2_000])]
        if sys.stderr.isatty():
            print(f"\r  embedding {len(rows):,} of {len(texts):,}\033[K\r", end="", file=sys.stderr)
    return np.stack(rows)


def measure(label: str, index: VectorIndex, stored: np.ndarray, asked: np.ndarray) -> float:
    shares: dict[int, list[float]] = {10: [], 50: []}
    taken, bare = [], []
    for query in asked:
        start = time.perf_counter()
        found = [hit.seq for hit in index.search(query.tobytes(), LIMIT)]
        between = time.perf_counter()
        exact = np.argpartition(-(stored @ query), LIMIT)[:LIMIT]
        bare.append(1000 * (time.perf_counter() - between))
        taken.append(1000 * (between - start))
        best = exact[np.argsort(-(stored[exact] @ query))].tolist()
        for most, share in shares.items():
            share.append(len(set(best[:most]) & set(found[:most])) / most)
    p50, numpy_p50 = float(np.median(taken)), float(np.median(bare))
    ten, fifty = (float(np.mean(share)) for share in shares.values())
    print(f"{label:<18}{ten:>10.3f}{fifty:>10.3f}{p50:>10.2f}{numpy_p50:>10.2f}{p50 / numpy_p50:>10.2f}")
    return ten


def main() -> int:
    count = int(sys.argv[1]) if sys.argv[1:] else 50_000
    vectors = embedded(prose(count + ASKED))
    stored, others = vectors[:-ASKED], vectors[-ASKED:]
    index = VectorIndex()
    index.add([(number, number, row.tobytes()) for number, row in enumerate(stored)])
    print(f"{len(stored):,} vectors")
    print(f"{'asked':<18}{'best 10':>10}{'best 50':>10}{'p50 ms':>10}{'numpy ms':>10}{'x numpy':>10}")
    least = min(
        measure("other lines", index, stored, others),
        measure("nothing near", index, stored, embedded(QUESTIONS)),
    )
    print(f"bound: {LEAST_FOUND} of the best 10")
    return 0 if least >= LEAST_FOUND else 1


if __name__ == "__main__":
    sys.exit(main())
