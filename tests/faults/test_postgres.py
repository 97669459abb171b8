"""Faults of a server and of the way to it: others writing at once, lost connections, a primary that dies."""

from __future__ import annotations

import multiprocessing
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

import recollect
from postgres_server import PASSWORD, ROLE, Databases, Server
from recollect.errors import IllegalTransition, RecollectError, StorageUnavailable


@pytest.fixture
def url(databases):
    return databases.new()


def opened(url, files, **storage):
    return recollect.open(
        url, orchestrator="home", files=files, settings={"embedding": {"provider": "none"}, "storage": storage}
    )


def _replace(url, files, memory_id, number, ready, answers):
    with opened(url, files) as memory:
        ready.wait(30)
        try:
            receipt = memory.supersede(memory_id, content=f"value {number}", user="alex")
            answers.put(("stored", receipt.memory.memory_id))
        except IllegalTransition as error:
            answers.put(("refused", error.code))
        except BaseException as error:  # noqa: BLE001  the parent is told
            answers.put(("error", repr(error)))


def test_servers_that_replace_the_same_fact_at_once_leave_one_chain(url, tmp_path):
    context = multiprocessing.get_context("spawn")
    with opened(url, tmp_path) as memory:
        first = memory.remember("value 0", user="alex").memory
        ready, answers = context.Barrier(6), context.Queue()
        processes = [
            context.Process(target=_replace, args=(url, tmp_path, first.memory_id, n, ready, answers)) for n in range(6)
        ]
        for process in processes:
            process.start()
        outcomes = [answers.get(timeout=60) for _ in processes]
        for process in processes:
            process.join(30)
        stored = [value for outcome, value in outcomes if outcome == "stored"]
        assert len(stored) == 1, outcomes
        assert [outcome for outcome, _ in outcomes].count("refused") == 5
        active = memory.list(user="alex").memories
        assert [each.memory_id for each in active] == stored
        assert memory.show(first.memory_id, user="alex").status == "superseded"
        (edge,) = memory.edges(first.memory_id, user="alex")
        assert (edge.from_memory_id, edge.to_memory_id) == (stored[0], first.memory_id)


def test_the_same_key_at_once_makes_one_memory(url, tmp_path):
    with opened(url, tmp_path) as memory, ThreadPoolExecutor(8) as threads:
        for round_number in range(5):
            made = list(
                threads.map(
                    lambda n, r=round_number: memory.remember(f"try {n} of {r}", user="alex", key=f"order-{r}"),
                    range(8),
                )
            )
            assert len({receipt.memory.memory_id for receipt in made}) == 1
            assert sorted(receipt.outcome for receipt in made) == ["merged"] * 7 + ["stored"]


def test_two_that_replace_each_other_at_once_never_close_a_circle(url, tmp_path):
    with opened(url, tmp_path) as memory, ThreadPoolExecutor(2) as threads:

        def replace(ends):
            try:
                memory.supersede(ends[0], by=ends[1], user="alex")
            except RecollectError as error:
                return error.code
            return "replaced"

        for r in range(10):
            one, two = (memory.remember(f"step {n} of {r}", user="alex").memory.memory_id for n in range(2))
            outcomes = list(threads.map(replace, [(one, two), (two, one)]))
            assert outcomes.count("replaced") == 1, outcomes


def test_many_threads_write_and_read_without_an_error(url, tmp_path):
    with opened(url, tmp_path, connections=4) as memory, ThreadPoolExecutor(16) as threads:

        def turn(n):
            memory.remember(f"I have the number {n}", user=f"user{n % 3}")
            return memory.recall(f"number {n}", user=f"user{n % 3}").hits[0].memory.content

        assert list(threads.map(turn, range(96))) == [f"I have the number {n}" for n in range(96)]
        assert memory.stats().memories == 96


def cut_connections(admin_url):
    """As a restart of the server or of something between would."""
    with psycopg.connect(admin_url, autocommit=True) as admin:
        admin.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE application_name = 'recollect' AND datname = current_database()"
        )


def test_cut_connections_are_made_again_and_nothing_is_doubled(databases, url, tmp_path):
    """Cuts strike anywhere, also while a commit waits for its answer."""
    stop = threading.Event()

    def cut():
        while not stop.wait(0.3):
            cut_connections(databases.as_admin(url))

    with opened(url, tmp_path) as memory:
        saboteur = threading.Thread(target=cut)
        saboteur.start()
        try:
            with ThreadPoolExecutor(4) as threads:
                receipts = list(threads.map(lambda n: memory.remember(f"fact {n}", user="alex"), range(400)))
        finally:
            stop.set()
            saboteur.join()
        stored = memory.list(user="alex", limit=1000).memories
        assert sorted(each.content for each in stored) == sorted(f"fact {n}" for n in range(400))
        assert {each.memory_id for each in stored} == {receipt.memory.memory_id for receipt in receipts}


def test_a_commit_whose_answer_is_lost_is_looked_up(url, tmp_path, monkeypatch):
    """The server commits, the answer never comes: the write is not done twice."""
    with opened(url, tmp_path) as memory:
        memory.remember("before", user="alex")
        execute, lost = psycopg.Connection.execute, []

        def lose(self, query, *rest, **more):
            result = execute(self, query, *rest, **more)
            if query == "COMMIT" and not lost:
                lost.append(self)
                self.close()
                raise psycopg.OperationalError("the connection is lost")
            return result

        monkeypatch.setattr(psycopg.Connection, "execute", lose)
        receipt = memory.remember("once", user="alex")
        monkeypatch.undo()
        assert lost
        assert [each.content for each in memory.list(user="alex").memories] == ["once", "before"]
        assert memory.show(receipt.memory.memory_id, user="alex").content == "once"


@pytest.fixture
def lost(monkeypatch):
    """Runs a call whose first commit takes effect while its answer is lost."""

    def lost(call):
        execute, cut, begun = psycopg.Connection.execute, [], {}

        def lose(self, query, *rest, **more):
            result = execute(self, query, *rest, **more)
            if not isinstance(query, str | bytes) and "BEGIN" in query.as_string(self):
                begun[self] = "SERIALIZABLE" if "SERIALIZABLE" in query.as_string(self) else "reading"
            if query == "COMMIT" and not cut and begun.get(self) == "SERIALIZABLE":
                cut.append(self)
                self.close()
                raise psycopg.OperationalError("the connection is lost")
            return result

        with monkeypatch.context() as patch:
            patch.setattr(psycopg.Connection, "execute", lose)
            result = call()
        assert cut
        return result

    return lost


def test_writes_without_an_event_are_done_once_too(url, tmp_path, lost):
    with opened(url, tmp_path) as memory:
        session = memory.session_of("chat", user="alex")
        silent = memory.session_of("chat")

        def write(work):
            return lost(lambda: memory._storage.write(work))

        from recollect.model.session import Usage

        usage = Usage(model="gpt", requests=1, input_tokens=100, output_tokens=10, cost=0.5)
        write(lambda writer: writer.add_usage(session.session_id, usage))
        assert [each.input_tokens for each in memory.usage(session.session_id)] == [100]
        handle = memory.create_session(["database"], "chat", user="alex")
        before = len(memory.messages(silent.session_id))
        with pytest.MonkeyPatch.context() as patch:
            storage_write = memory._storage.write
            patch.setattr(memory._storage, "write", lambda work: lost(lambda: storage_write(work)))
            memory.add_message(silent.session_id, "user", "only once")
            handle.call("transcript_append", "user", "x once")
            handle.call("kv_set", "a", "b")
            assert handle.call("kv_delete", "a") is True
            made = memory.create_session(["database"], "chat", user="alex")
        assert len(memory.messages(silent.session_id)) == before + 1
        assert [entry.content for entry in handle.call("transcript_read_last", 9)] == ["x once"]
        assert made.session_id in {each.session_id for each in memory.sessions()}
        memory.upkeep()


def test_forks_beside_working_threads_harm_nobody(url, tmp_path):
    import os

    with opened(url, tmp_path) as memory:
        stop, errors, done = threading.Event(), [], []

        def work(worker):
            number = 0
            while not stop.is_set():
                try:
                    done.append(memory.remember(f"{worker} {number}", user="alex").memory.content)
                except Exception as error:  # noqa: BLE001  whatever it is, it is one too many
                    errors.append(repr(error))
                number += 1

        threads = [threading.Thread(target=work, args=(worker,)) for worker in range(3)]
        for thread in threads:
            thread.start()
        for _ in range(4):
            time.sleep(0.3)
            child = os.fork()
            if child == 0:
                os._exit(0)
            os.waitpid(child, 0)
        stop.set()
        for thread in threads:
            thread.join()
        assert errors == []
        stored = [each.content for each in memory.list(user="alex", limit=100_000).memories]
        assert sorted(stored) == sorted(done)


def test_a_server_that_stays_away_is_named_in_bounded_time(databases, tmp_path):
    server = Server().create()
    try:
        made = Databases(f"postgresql://postgres@127.0.0.1:{server.port}/postgres", server.url("DATABASE"))
        with opened(made.new(), tmp_path, busy_timeout_seconds=1.0) as memory:
            memory.remember("x", user="alex")
            server.kill()
            began = time.monotonic()
            with pytest.raises(StorageUnavailable) as caught:
                memory.remember("y", user="alex")
            assert time.monotonic() - began < 15
            assert "s3cret" not in str(caught.value)
    finally:
        server.remove()


def test_a_forked_child_and_its_parent_go_on(url, tmp_path):
    import os

    with opened(url, tmp_path) as memory:
        memory.remember("before", user="alex")
        child = os.fork()
        if child == 0:
            try:
                memory.remember("in the child", user="alex")
            finally:
                os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        memory.remember("in the parent", user="alex")
        assert {each.content for each in memory.list(user="alex").memories} == {
            "before",
            "in the child",
            "in the parent",
        }


@pytest.mark.timeout(180)
def test_when_the_primary_dies_the_standby_takes_over_and_nothing_acknowledged_is_lost(tmp_path):
    primary = Server().create()
    standby = None
    try:
        made = Databases(f"postgresql://postgres@127.0.0.1:{primary.port}/postgres", primary.url("DATABASE"))
        url = made.new()
        standby = primary.standby("standby1")
        with primary.admin() as admin:
            admin.execute("ALTER SYSTEM SET synchronous_standby_names = 'standby1'")
            admin.execute("SELECT pg_reload_conf()")
            wait_until(lambda: admin.execute("SELECT sync_state FROM pg_stat_replication").fetchone() == ("sync",))
        database = url.rpartition("/")[2]
        both = (
            f"postgresql://{ROLE}:{PASSWORD}@127.0.0.1:{primary.port},127.0.0.1:{standby.port}/{database}"
            "?target_session_attrs=read-write&connect_timeout=3"
        )
        acknowledged, refused = [], []
        stop = threading.Event()

        with opened(both, tmp_path, busy_timeout_seconds=60.0) as memory:

            def write(worker):
                number = 0
                while not stop.is_set():
                    try:
                        receipt = memory.remember(f"fact {worker} {number}", user="alex")
                        acknowledged.append(receipt.memory)
                    except RecollectError as error:
                        refused.append(error)
                    number += 1

            with ThreadPoolExecutor(4) as threads:
                work = [threads.submit(write, worker) for worker in range(4)]
                wait_until(lambda: len(acknowledged) > 100)
                primary.kill()
                before = len(acknowledged)
                standby.promote()
                wait_until(lambda: len(acknowledged) > before + 100)
                stop.set()
                for each in work:
                    each.result(60)
            stored = {each.memory_id: each.content for each in memory.list(user="alex", limit=100_000).memories}
            assert not refused, refused[:3]
            assert [each for each in acknowledged if stored.get(each.memory_id) != each.content] == []
            assert len(stored) == len(set(stored.values())), "a write was done twice"
            assert memory.recall(acknowledged[0].content, user="alex").hits
    finally:
        primary.remove()
        if standby is not None:
            standby.remove()


def wait_until(condition, seconds=60.0):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.05)
