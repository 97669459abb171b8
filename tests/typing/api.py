"""Read by the type checker only: what a user's code may rely on."""

from __future__ import annotations

from typing import assert_type

import recollect


def story() -> None:
    with recollect.open("./data", orchestrator="home") as memory:
        assert_type(memory, recollect.MemorySystem)
        receipt = memory.remember("My wife's name is Sarah", user="alex", type="Identity", importance=90)
        assert_type(receipt, recollect.Receipt)
        assert_type(receipt.memory, recollect.Memory | None)
        found = memory.recall("What is my wife called?", user="alex")
        assert_type(found.hits, list[recollect.Hit])
        for item in memory.list(user="alex"):
            assert_type(item, recollect.Memory)
        memory.remember("x", user="alex", colour="blue")  # type: ignore[call-arg]


async def async_story() -> None:
    async with recollect.aio.open("./data", orchestrator="home") as memory:
        assert_type(await memory.remember("x", user="alex", importance=3), recollect.Receipt)
        assert_type(await memory.recall("x", user="alex"), recollect.Recall)
