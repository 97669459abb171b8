"""Many threads and several processes on one root: no error reaches a caller, and all writes are there."""

from __future__ import annotations

import multiprocessing
import os
import threading
import time
from itertools import count

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
            for turn in count():
                if time.monotonic() >= end:
                    break
                one = memory.remember(f"{user} was at the harbour, trip {turn}", user=user).memory
                acknowledged.append(one.memory_id)
                receipts = memory.remember_many([f"{user} saw ship {n} on trip {turn}" for n in range(5)], user=user)
                acknowledged.extend(receipt.memory.memory_id for receipt in receipts)
                newer = memory.supersede(
                    one.memory_id, content=f"{user} was at the airport, trip {turn}", user=user
                ).memory
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


def in_child(work) -> int:
    """Runs work in a forked child; its exit code says whether it went well."""
    child = os.fork()
    if child == 0:
        try:
            work()
            os._exit(0)
        except BaseException:  # noqa: BLE001
            os._exit(2)
    return child


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.parametrize("own", [False, True], ids=["inherited", "opened anew"])
def test_parent_and_forked_child_lose_nothing_whoever_closes_first(root, own):
    memory = recollect.open(root, orchestrator="home")
    memory.remember("from the parent", user="alex")
    closed_end, told_end = os.pipe()

    def work():
        mine = recollect.open(root, orchestrator="home") if own else memory
        mine.remember("from the child", user="alex")
        os.read(closed_end, 1)
        for number in range(20):
            mine.remember(f"from the child after the parent closed {number}", user="alex")
        assert mine.stats().memories == 23
        mine.close()

    child = in_child(work)
    memory.remember("from the parent again", user="alex")
    while memory.stats().memories < 3:
        time.sleep(0.01)
    memory.close()
    os.write(told_end, b"x")
    assert os.waitpid(child, 0)[1] == 0
    with recollect.open(root, orchestrator="home") as memory:
        assert memory.stats().memories == 23
    assert_sound(root / "home" / "memory" / "memory.db")


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_forking_while_other_threads_write_and_read(memory):
    stop = threading.Event()

    def work(number):
        while not stop.is_set():
            memory.remember(f"busy {number}", user="alex")
            memory.recall("busy", user="alex")

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    codes = []
    for _ in range(5):
        child = in_child(lambda: (memory.remember(f"from child {os.getpid()}", user="child"), memory.close()))
        codes.append(os.waitpid(child, 0)[1])
    stop.set()
    for thread in threads:
        thread.join()
    assert codes == [0] * 5
    assert len(memory.list(user="child")) == 5


def test_idle_connections_are_few_and_closed_with_the_store(memory):
    barrier = threading.Barrier(40)
    threads = [
        threading.Thread(target=lambda: memory._storage.read(lambda reader: barrier.wait(20))) for _ in range(40)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(memory._storage._readers._idle) <= 16
    memory.close()
    assert memory._storage._readers._idle == []


def test_an_interrupt_as_the_commit_returns_does_not_deny_what_happened(memory, monkeypatch):
    """The signal arrives while the commit syncs: all of the group is durable, and its other callers are told so."""
    commit = memory._storage._commit
    outcome = {}
    waiting, go = threading.Event(), threading.Event()

    def interrupted():
        commit()
        if not outcome.get("struck"):
            outcome["struck"] = True
            raise KeyboardInterrupt

    def slow(writer):
        waiting.set()
        go.wait(5)
        raise recollect.InvalidInput.of("test", "x", 1, "2")

    def hold():
        with pytest.raises(recollect.InvalidInput):
            memory._storage.write(slow)

    def follow(number):
        try:
            outcome[number] = memory.remember(f"fact {number}", user="alex").outcome
        except KeyboardInterrupt:
            outcome[number] = "interrupted"

    holder = threading.Thread(target=hold)
    holder.start()
    waiting.wait(5)
    followers = [threading.Thread(target=follow, args=(number,)) for number in range(4)]
    for thread in followers:
        thread.start()
    while len(memory._storage._commits._queue) < 4:
        time.sleep(0.001)
    monkeypatch.setattr(memory._storage, "_commit", interrupted)
    go.set()
    for thread in (holder, *followers):
        thread.join()
    assert sorted(outcome[number] for number in range(4)) == ["interrupted", "stored", "stored", "stored"]
    assert memory.stats().memories == 4


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
