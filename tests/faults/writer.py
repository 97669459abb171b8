"""A process that writes until it is killed, and says on standard output what was acknowledged.

With a number as second argument it kills itself at that write, sync or truncation of the disk.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import apsw

import recollect
from recollect.log import MemoryLog
from recollect.model.clock import SystemClock
from recollect.storage.layout import Layout
from recollect.storage.sqlite import SqliteStorage


class DeadlyFile(apsw.VFSFile):
    steps_left = -1

    def step(self):
        if DeadlyFile.steps_left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        DeadlyFile.steps_left -= 1

    def xWrite(self, data, offset):  # noqa: N802
        self.step()
        super().xWrite(data, offset)

    def xSync(self, flags):  # noqa: N802
        self.step()
        super().xSync(flags)

    def xTruncate(self, size):  # noqa: N802
        self.step()
        super().xTruncate(size)


class DeadlyDisk(apsw.VFS):
    def __init__(self):
        super().__init__("deadly", "")

    def xOpen(self, name, flags):  # noqa: N802
        return DeadlyFile("", name, flags)


def open_deadly(root: Path) -> recollect.MemorySystem:
    layout = Layout.of(root, "home")
    layout.create()
    log = MemoryLog(layout.log, SystemClock(), "home")
    storage = SqliteStorage(layout.database, "home", log, vfs="deadly")
    return recollect.MemorySystem(storage, layout=layout, log=log)


def say(memory: recollect.Memory | None) -> None:
    assert memory is not None
    os.write(1, f"{memory.memory_id}\n".encode())


def main() -> None:
    root = Path(sys.argv[1])
    if len(sys.argv) > 2:
        disk = DeadlyDisk()
        DeadlyFile.steps_left = int(sys.argv[2])
        memory = open_deadly(root)
    else:
        disk = None
        memory = recollect.open(root, orchestrator="home")
    rounds = 6 if disk else 10**9
    for number in range(rounds):
        first = memory.remember(f"fact {number} about the harbour", user="alex").memory
        say(first)
        for receipt in memory.remember_many([f"part {n} of {number}" for n in range(3)], user="alex"):
            say(receipt.memory)
        say(memory.supersede(first.memory_id, content=f"fact {number} corrected", user="alex").memory)
    memory.close()
    os.write(1, b"done\n")


if __name__ == "__main__":
    main()
