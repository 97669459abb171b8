"""The index in memory: exact while small, grouped when large, and never the truth."""

from __future__ import annotations

import numpy as np
import pytest

from recollect.storage.sqlite import vectors
from recollect.storage.sqlite.vectors import VectorIndex

DIMENSION = 32


@pytest.fixture
def topics():
    return np.random.default_rng(1).standard_normal((60, DIMENSION)).astype(np.float32)


def rows(topics, count, first=1, seed=2):
    chance = np.random.default_rng(seed)
    made = topics[chance.integers(len(topics), size=count)] + 0.4 * chance.standard_normal((count, DIMENSION))
    return [(first + n, first + n, row.astype("<f4").tobytes()) for n, row in enumerate(made)]


def exact(stored, query, limit):
    matrix = np.array([np.frombuffer(row[2], np.float32) for row in stored])
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    scores = matrix @ (query / np.linalg.norm(query))
    return [stored[n][1] for n in np.argsort(-scores)[:limit]]


def test_a_small_index_is_exact(topics):
    stored, index = rows(topics, 500), VectorIndex()
    index.add(stored[:300])
    index.add(stored[300:])
    found = index.search(topics[3].tobytes(), 20)
    assert [hit.seq for hit in found] == exact(stored, topics[3], 20)
    assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)


def test_a_large_index_finds_nearly_all_and_what_was_added_since(topics, monkeypatch):
    monkeypatch.setattr(vectors, "EXACT_UP_TO", 2_000)
    stored, index = rows(topics, 8_000), VectorIndex()
    index.add(stored)
    assert index._groups is not None
    shares = []
    for topic in topics[:20]:
        wanted = exact(stored, topic, 50)
        shares.append(len(set(wanted) & {hit.seq for hit in index.search(topic.tobytes(), 50)}) / 50)
    print(f"{np.mean(shares):.3f} of the exact best 50")
    assert np.mean(shares) > 0.9
    late = (9_001, 9_001, topics[5].tobytes())
    index.add([late])
    assert index.search(topics[5].tobytes(), 1)[0].seq == 9_001


def test_a_newer_vector_takes_the_olders_place(topics):
    index = VectorIndex()
    index.add([(1, 7, topics[0].tobytes()), (2, 8, topics[1].tobytes())])
    index.add([(3, 7, topics[2].tobytes())])
    assert index.search(topics[0].tobytes(), 5)[0].seq != 7 or index.search(topics[0].tobytes(), 5)[0].score < 0.9
    assert index.search(topics[2].tobytes(), 1)[0].seq == 7
    (near,) = index.similarities(topics[2].tobytes(), [7, 99])
    assert (near.entry, near.seq, near.score) == (3, 7, pytest.approx(1.0))


def test_nothing_is_found_in_nothing():
    assert VectorIndex().search(np.ones(DIMENSION, np.float32).tobytes(), 5) == []


def test_one_reader_sees_what_another_process_or_object_wrote(root, clock, real_model):
    import recollect

    one = recollect.open(root, orchestrator="home", clock=clock)
    other = recollect.open(root, orchestrator="home", clock=clock)
    one.remember("I play the cello", user="alex")
    assert other.recall("Which musical instrument do I practise?", user="alex", arms=["vector"]).hits
    changed = one.remember("I drive a Volvo", user="alex").memory
    assert other.recall("What car do I have?", user="alex", arms=["vector"]).hits
    one.edit(changed.memory_id, content="I ride a horse called Star", user="alex")
    one.upkeep()
    found = other.recall("Which animal do I ride?", user="alex", arms=["vector"]).hits
    assert found[0].memory.content == "I ride a horse called Star"
    one.close()
    other.close()


def test_up_to_the_limit_neither_order_nor_the_time_of_loading_changes_what_is_found():
    count = 8_000  # far beyond small tests, and still searched exactly
    assert count < vectors.EXACT_UP_TO
    chance = np.random.default_rng(4)
    rows = chance.standard_normal((count, 16)).astype(np.float32)

    def found(*parts):
        index, entry = vectors.VectorIndex(), 0
        for part in parts:
            index.add([(entry + n, int(seq), rows[seq].tobytes()) for n, seq in enumerate(part, 1)])
            entry += len(part)
        return [[hit.seq for hit in index.search(query.tobytes(), 50)] for query in rows[:20] + 0.5]

    at_once = found(range(count))
    assert found(chance.permutation(count)) == at_once
    assert found(range(6_000), range(6_000, count)) == at_once
