"""kill -9 at any moment: nothing acknowledged is lost, nothing is half written, the next write works."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest
from checks import assert_sound, ids

import recollect

WRITER = Path(__file__).with_name("writer.py")


def database(root):
    return root / "home" / "memory" / "memory.db"


def check_after(root, output: str) -> int:
    acknowledged = {line for line in output.splitlines() if len(line) == 36}
    if database(root).exists() and database(root).stat().st_size:
        with recollect.open(root, orchestrator="home") as memory:
            memory.remember("life goes on", user="alex")
            listed = memory.list(user="alex", statuses=recollect.Status, limit=1_000_000)
            assert listed.damaged == []
            assert acknowledged <= {m.memory_id for m in listed}
        assert_sound(database(root))
        assert acknowledged <= ids(database(root))
    else:
        assert not acknowledged
    return len(acknowledged)


def kill_at_random(root, chance: random.Random) -> int:
    process = subprocess.Popen([sys.executable, WRITER, root], stdout=subprocess.PIPE, text=True)
    starting = chance.random() < 0.25  # otherwise it is killed when it has begun to write, however slow the machine is
    first = "" if starting else process.stdout.readline()
    time.sleep(chance.uniform(0.0, 0.7))
    process.kill()
    rest, _ = process.communicate()
    return check_after(root, first + rest)


def run_random(root, rounds: int) -> None:
    seed = random.randrange(10**6)
    print(f"seed {seed}")
    chance = random.Random(seed)
    kept = sum(kill_at_random(root if number % 4 else root / f"fresh{number}", chance) for number in range(rounds))
    print(f"{rounds} kills, {kept} acknowledged memories, none lost")
    assert kept > rounds


def test_killed_at_random_moments(tmp_path):
    run_random(tmp_path, 10)


@pytest.mark.torture
def test_killed_at_random_moments_200_times(tmp_path):
    run_random(tmp_path, 200)


def kill_at_step(root, step: int) -> bool:
    done = subprocess.run(
        [sys.executable, WRITER, root, str(step)], stdout=subprocess.PIPE, text=True, check=False, timeout=60
    )
    check_after(root, done.stdout)
    return done.stdout.endswith("done\n")


@pytest.mark.timeout(300)
@pytest.mark.parametrize("offset", range(6))
def test_killed_at_steps_of_the_disk(tmp_path, offset):
    """Every sixth write, sync or truncation from the first one, creation and migration included."""
    for step in range(offset * 3, 150, 18):
        kill_at_step(tmp_path / str(step), step)


@pytest.mark.torture
def test_killed_at_every_step_of_the_disk(tmp_path):
    step = 0
    while not kill_at_step(tmp_path / str(step), step):
        step += 1
    print(f"killed at each of {step} steps")
    assert step > 100
