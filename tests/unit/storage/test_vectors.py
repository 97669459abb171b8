"""The index in memory: exact while small, chosen by signs when large, and never the truth."""

from __future__ import annotations

import sys
import threading

import numpy as np
import pytest

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


def unit(vector):
    return vector / np.linalg.norm(vector)


def test_a_small_index_is_exact(topics):
    stored, index = rows(topics, 500), VectorIndex()
    index.add(stored[:300])
    index.add(stored[300:])
    found = index.search(topics[3].tobytes(), 20)
    assert [hit.seq for hit in found] == exact(stored, topics[3], 20)
    assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)


def test_a_large_index_finds_nearly_all_and_what_was_added_since(topics):
    stored, index = rows(topics, 30_000), VectorIndex()
    index.add(stored)
    shares = []
    for topic in topics[:20]:
        wanted = exact(stored, topic, 50)
        shares.append(len(set(wanted) & {hit.seq for hit in index.search(topic.tobytes(), 50)}) / 50)
    print(f"{np.mean(shares):.3f} of the exact best 50")
    assert np.mean(shares) > 0.9
    late = (90_001, 90_001, topics[5].tobytes())
    index.add([late])
    assert index.search(topics[5].tobytes(), 1)[0].seq == 90_001


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


@pytest.mark.parametrize("count", [300, 8_000, 30_000])
def test_neither_order_nor_the_time_of_loading_nor_what_is_gone_changes_what_is_found(topics, count):
    stored = rows(topics, count)
    order = np.random.default_rng(4).permutation(count)
    gone = rows(topics, count // 3, first=1_000_000, seed=5)

    def found(*parts, without=()):
        index = VectorIndex()
        for part in parts:
            index.add(part)
        index.drop(seq for _, seq, _ in without)
        assert len(index) == count
        hits = [index.search(topic.tobytes(), 50) for topic in topics[:20]]
        return [sorted((-hit.score, hit.seq) for hit in each) for each in hits]

    at_once = found(stored)
    assert found([stored[n] for n in order]) == at_once
    assert found(stored[: count // 2], stored[count // 2 :]) == at_once
    assert found(gone[:50], stored[: count // 2], gone[50:], stored[count // 2 :], without=gone) == at_once


def test_a_similarity_is_the_same_wherever_it_is_asked_for(topics):
    stored, index = rows(topics, 20_000), VectorIndex()
    index.add(stored)
    found = index.search(topics[2].tobytes(), 50)
    assert sorted(index.similarities(topics[2].tobytes(), [hit.seq for hit in reversed(found)])) == sorted(found)
    assert [index.similarities(topics[2].tobytes(), [hit.seq]) for hit in found] == [[hit] for hit in found]


def test_all_that_are_equally_near_are_found(topics):
    index = VectorIndex()
    index.add([(n, n, topics[n % 2].tobytes()) for n in range(1, 41)])
    assert sorted(hit.seq for hit in index.search(topics[1].tobytes(), 5)) == list(range(1, 41, 2))


def test_a_dropped_vector_is_gone_and_the_others_stay(topics):
    stored, index = rows(topics, 500), VectorIndex()
    index.add(stored)
    index.drop([1, 250, 500, 777])
    rest = [row for row in stored if row[1] not in {1, 250, 500}]
    assert len(index) == len(rest)
    for seq in (1, 250, 500):
        assert index.similarities(topics[0].tobytes(), [seq]) == []
    assert [hit.seq for hit in index.search(topics[3].tobytes(), 20)] == exact(rest, topics[3], 20)


@pytest.mark.parametrize("dimension", [3, 64, 70, 384])
def test_any_number_of_dimensions(dimension):
    chance = np.random.default_rng(6)
    made = chance.standard_normal((20_000, dimension)).astype(np.float32)
    index = VectorIndex()
    index.add([(n, n, row.tobytes()) for n, row in enumerate(made, 1)])
    assert index.search(made[77].tobytes(), 10)[0].seq == 78


@pytest.fixture
def _eager_threads():
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(usual)


@pytest.mark.usefixtures("_eager_threads")
def test_who_searches_while_others_add_and_drop_never_takes_one_vector_for_another(topics):
    stored, changing = rows(topics, 3_000), rows(topics, 2_000, first=10_001, seed=7)
    true = {
        seq: float(np.dot(unit(np.frombuffer(data, np.float32)), unit(topics[0]))) for _, seq, data in stored + changing
    }
    index, wrong, done = VectorIndex(), [], threading.Event()
    index.add(stored)

    def search():
        while not done.is_set():
            wrong.extend(hit for hit in index.search(topics[0].tobytes(), 500) if abs(hit.score - true[hit.seq]) > 1e-4)

    threads = [threading.Thread(target=search) for _ in range(2)]
    for thread in threads:
        thread.start()
    for _ in range(10):
        for start in range(0, len(changing), 200):
            index.add(changing[start : start + 200])
        for start in range(0, len(changing), 200):
            index.drop(seq for _, seq, _ in changing[start : start + 200])
    done.set()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert len(index) == len(stored)
