"""Many threads and several processes on one root: no error reaches a caller, and all writes are there."""

from __future__ import annotations

import multiprocessing
import os
import threading
import time

import pytest
from checks import assert_sound

import recollect

SPAWN = multiprocessing.get_context("spawn")


def work_together(root, seconds, name, answers):
    """Eight threads of one process, writing, changing and reading."""
    acknowledged, errors, reads = [], [], []
    end = time.monotonic() + seconds

    def work(number):
        user = f"{name}-{number}"
        try:
            while time.monotonic() < end:
                one = memory.remember(f"{user} was at the harbour", user=user).memory
                acknowledged.append(one.memory_id)
                receipts = memory.remember_many([f"{user} saw ship {n}" for n in range(5)], user=user)
                acknowledged.extend(receipt.memory.memory_id for receipt in receipts)
                newer = memory.supersede(one.memory_id, content=f"{user} was at the airport", user=user).memory
                acknowledged.append(newer.memory_id)
                found = memory.recall("harbour airport ship", user=user)
                assert found.hits
                assert all(hit.memory.scope.owner_user_id == user for hit in found.hits)
                assert memory.list(user=user, limit=5).damaged == []
                reads.append(1)
        except BaseException as error:  # noqa: BLE001
            errors.append(repr(error))

    with recollect.open(root, orchestrator="home") as memory:
        threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    answers.put((acknowledged, errors, len(reads)))


def share(root, seconds):
    answers = SPAWN.Queue()
    processes = [SPAWN.Process(target=work_together, args=(root, seconds, f"p{n}", answers)) for n in range(4)]
    for process in processes:
        process.start()
    results = [answers.get(timeout=seconds + 90) for _ in processes]
    for process in processes:
        process.join()
    acknowledged = [memory_id for ids, _, _ in results for memory_id in ids]
    errors = [error for _, found, _ in results for error in found]
    assert errors == []
    assert len(set(acknowledged)) == len(acknowledged)
    assert all(reads > 0 for *_, reads in results)
    with recollect.open(root, orchestrator="home") as memory:
        assert memory.stats().memories == len(acknowledged)
    assert_sound(root / "home" / "memory" / "memory.db")
    print(
        f"4 processes x 8 threads, {seconds} s: {len(acknowledged)} writes, {sum(r for *_, r in results)} read rounds"
    )


@pytest.mark.timeout(180)
def test_threads_and_processes_share_a_root(root):
    share(root, 4)


@pytest.mark.torture
def test_threads_and_processes_share_a_root_for_20_seconds(root):
    share(root, 20)


def test_opening_at_once_makes_one_store(root):
    answers = SPAWN.Queue()
    processes = [SPAWN.Process(target=work_together, args=(root, 0.2, f"p{n}", answers)) for n in range(4)]
    for process in processes:
        process.start()
    assert [errors for _, errors, _ in (answers.get(timeout=60) for _ in processes)] == [[], [], [], []]
    for process in processes:
        process.join()


def test_a_reader_with_an_open_view_never_blocks_the_writer(memory):
    memory.remember("before", user="alex")

    def slow(reader):
        before = reader.counts()
        memory.remember("during", user="alex")
        return before, reader.counts()

    before, after = memory._storage.read(slow)
    assert before == after
    assert memory.stats().memories == 2


def test_group_commit_tells_each_caller_its_own_result(memory):
    outcomes = {}
    barrier = threading.Barrier(16)

    def work(number):
        barrier.wait()
        try:
            outcomes[number] = memory.remember(
                "  " if number % 3 == 0 else f"fact {number}", user="alex"
            ).memory.content
        except recollect.InvalidInput:
            outcomes[number] = "refused"
        try:
            memory.retract("01a1e211-3468-7353-a549-4498191f34f2", user="alex")
        except recollect.NotFound:
            outcomes[number] += " missing"

    threads = [threading.Thread(target=work, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outcomes == {n: ("refused" if n % 3 == 0 else f"fact {n}") + " missing" for n in range(16)}


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_uses_the_store_without_harming_the_parent(memory):
    memory.remember("from the parent", user="alex")
    child = os.fork()
    if child == 0:
        try:
            memory.remember("from the child", user="alex")
            os._exit(0 if memory.stats().memories == 2 else 1)
        except BaseException:  # noqa: BLE001
            os._exit(2)
    assert os.waitpid(child, 0)[1] == 0
    memory.remember("from the parent again", user="alex")
    assert memory.stats().memories == 3


def test_an_interrupted_leader_hands_the_others_work_on(memory):
    """Ctrl-C strikes the thread that happens to run everybody's writes: only its own write ends."""
    started, release = threading.Event(), threading.Event()
    outcome = {}

    def interrupted(writer):
        started.set()
        release.wait(5)
        raise KeyboardInterrupt

    def lead():
        try:
            memory._storage.write(interrupted)
        except KeyboardInterrupt:
            outcome["leader"] = "interrupted"

    def follow(number):
        outcome[number] = memory.remember(f"fact {number}", user="alex").outcome

    leader = threading.Thread(target=lead)
    leader.start()
    started.wait(5)
    followers = [threading.Thread(target=follow, args=(number,)) for number in range(4)]
    for thread in followers:
        thread.start()
    release.set()
    for thread in (leader, *followers):
        thread.join()
    assert outcome == {"leader": "interrupted", **dict.fromkeys(range(4), "stored")}
    assert memory.stats().memories == 4
