"""A disk that is full or fails: a clear error, nothing half done, reads go on, and recovery needs no help."""

from __future__ import annotations

import itertools

import apsw
import pytest
from checks import assert_sound

import recollect
from recollect import StorageUnavailable
from recollect.log import MemoryLog
from recollect.model.clock import SystemClock
from recollect.storage.layout import Layout
from recollect.storage.sqlite import SqliteStorage

_names = itertools.count()


class Disk(apsw.VFS):
    """A disk that fails at the n-th write, sync or truncation, once or from then on."""

    def __init__(self):
        self.name = f"faulty{next(_names)}"
        self.left, self.error, self.lasting = -1, apsw.FullError, False
        super().__init__(self.name, "")

    def fail_at(self, step, error, *, lasting):
        self.left, self.error, self.lasting = step, error, lasting

    def heal(self):
        self.left = -1

    def step(self):
        if self.left == 0:
            if not self.lasting:
                self.left = -1
            raise self.error("injected")
        if self.left > 0:
            self.left -= 1

    def xOpen(self, name, flags):  # noqa: N802
        disk = self

        class File(apsw.VFSFile):
            def __init__(self):
                super().__init__("", name, flags)

            def xWrite(self, data, offset):  # noqa: N802
                disk.step()
                super().xWrite(data, offset)

            def xSync(self, flags):  # noqa: N802
                disk.step()
                super().xSync(flags)

            def xTruncate(self, size):  # noqa: N802
                disk.step()
                super().xTruncate(size)

        return File()


@pytest.fixture
def faulty(root):
    disk = Disk()
    layout = Layout.of(root, "home")
    layout.create()
    log = MemoryLog(layout.log, SystemClock(), "home")
    storage = SqliteStorage(layout.database, "home", log, vfs=disk.name)
    memory = recollect.MemorySystem(storage, layout=layout, log=log)
    yield memory, disk, layout.database
    disk.heal()
    memory.close()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("lasting", [False, True])
@pytest.mark.parametrize("error", [apsw.FullError, apsw.IOError])
def test_every_step_may_fail(faulty, error, lasting):
    memory, disk, path = faulty
    kept = memory.remember("there before", user="alex").memory
    expected, refused = {kept.memory_id}, 0
    for step in range(40):
        disk.fail_at(step, error, lasting=lasting)
        try:
            stored = memory.remember(f"number {step}", user="alex", supersedes=[]).memory
        except StorageUnavailable as failure:
            refused += 1
            assert failure.code == "storage_unavailable"
        else:
            expected.add(stored.memory_id)
        assert memory.show(kept.memory_id, user="alex") == kept
        disk.heal()
        expected.add(memory.remember(f"after {step}", user="alex").memory.memory_id)
    assert refused > 5
    assert {m.memory_id for m in memory.list(user="alex", limit=1000)} == expected
    assert_sound(path)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_failure_while_folding_the_log_back_is_not_a_lost_write(faulty, logged):
    """The checkpoint after a commit may fail: the write has happened and is acknowledged."""
    memory, disk, path = faulty
    memory._storage._writer.wal_autocheckpoint(1)
    acknowledged = 0
    for step in range(1, 40):
        disk.fail_at(step, apsw.FullError, lasting=False)
        try:
            stored = memory.remember(f"number {step}", user="alex").memory
        except StorageUnavailable:
            continue
        finally:
            disk.heal()
        acknowledged += 1
        assert memory.show(stored.memory_id, user="alex") == stored
    assert acknowledged
    assert memory.stats().memories == acknowledged
    assert any(line["event"] == "memory.storage.checkpoint_failed" for line in logged())
    assert_sound(path)
