"""The async edge: the same names, awaited; cancellation leaves a write done or not done, never half."""

from __future__ import annotations

import asyncio

import pytest

import recollect


def run(coroutine):
    return asyncio.run(coroutine)


def test_the_same_names_awaited(root, place):
    async def story():
        async with recollect.aio.open(place, orchestrator="home", files=root) as memory:
            receipt = await memory.remember("My wife's name is Sarah", user="alex")
            found = await memory.recall("Who is my wife?", user="alex")
            await memory.retract(receipt.memory.memory_id, user="alex")
            return found, await memory.stats(), memory.orchestrator_id

    found, stats, name = run(story())
    assert found.hits[0].memory.content == "My wife's name is Sarah"
    assert (stats.by_status["retracted"], name) == (1, "home")


def test_it_can_be_awaited_without_a_block(root, place, open_memory):
    async def story():
        memory = await recollect.aio.open(place, orchestrator="home", files=root)
        await memory.remember("x", user="alex")
        await memory.close()

    run(story())
    with open_memory() as memory:
        assert memory.stats().memories == 1


def test_a_closed_memory_says_so_and_closes_twice(root, place):
    async def story():
        memory = await recollect.aio.open(place, orchestrator="home", files=root)
        await memory.close()
        await memory.close()
        await memory.remember("x", user="alex")

    with pytest.raises(recollect.StorageUnavailable) as caught:
        run(story())
    assert caught.value.code == "closed"


def test_errors_arrive_as_themselves(root, place):
    async def story():
        async with recollect.aio.open(place, orchestrator="home", files=root) as memory:
            await memory.remember(" ", user="alex")

    with pytest.raises(recollect.InvalidInput):
        run(story())


def test_many_at_once_are_all_there(root, place):
    async def story():
        async with recollect.aio.open(place, orchestrator="home", files=root) as memory:
            await asyncio.gather(*(memory.remember(f"fact {n}", user="alex") for n in range(200)))
            return (await memory.stats()).memories

    assert run(story()) == 200


def test_cancelled_writes_are_whole_or_absent_and_others_go_on(root, place):
    async def story():
        async with recollect.aio.open(place, orchestrator="home", files=root) as memory:
            tasks = [asyncio.create_task(memory.remember(f"fact {n}", user="alex")) for n in range(60)]
            for number, task in enumerate(tasks):
                await asyncio.sleep(0.0005)
                if number % 3 == 0:
                    task.cancel()
            done = await asyncio.gather(*tasks, return_exceptions=True)
            acknowledged = {r.memory.memory_id for r in done if isinstance(r, recollect.Receipt)}
            stats = await memory.stats()
            listed = {m.memory_id for m in await memory.list(user="alex")}
            return acknowledged, listed, stats

    acknowledged, listed, stats = run(story())
    assert acknowledged <= listed
    assert stats.memories == stats.events == len(listed)
