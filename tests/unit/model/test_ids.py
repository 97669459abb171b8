from __future__ import annotations

import threading
import unicodedata
import uuid
from datetime import UTC, datetime

import pytest

from recollect import InvalidInput
from recollect.model.clock import SystemClock
from recollect.model.ids import IdFactory, check_orchestrator_id
from recollect.testing import FakeClock


def test_ids_are_version_7_and_carry_their_time():
    clock = FakeClock(datetime(2026, 5, 17, tzinfo=UTC))
    made = uuid.UUID(IdFactory(clock).new())
    assert (made.version, made.variant) == (7, uuid.RFC_4122)
    assert made.int >> 80 == int(clock.now().timestamp() * 1000)


def test_ids_sort_by_creation_within_one_moment_and_when_the_clock_jumps_back():
    clock = FakeClock()
    factory = IdFactory(clock)
    made = [factory.new() for _ in range(20_000)]
    clock.advance(hours=-1)
    made += [factory.new() for _ in range(100)]
    clock.advance(days=3650)
    made.append(factory.new())
    clock.set(datetime(1970, 1, 1, tzinfo=UTC))
    made.append(factory.new())
    assert made == sorted(made)
    assert len(set(made)) == len(made)


def test_threads_never_share_an_id():
    factory, made = IdFactory(SystemClock()), []
    threads = [threading.Thread(target=lambda: made.extend(factory.new() for _ in range(2_000))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(made)) == 16_000


@pytest.mark.parametrize("name", ["home", "a", "0", "support-bot", "my_bot.v2", "x" * 63])
def test_orchestrator_ids_that_name_one_folder(name):
    assert check_orchestrator_id(name) == name


@pytest.mark.parametrize(
    "name",
    [
        "", ".", "..", "../x", "a/b", "a\\b", "/etc", "Home", "HOME", "a b", " a", "a ", "a.", ".a", "-a", "a..b",
        "con", "nul.txt", "recollect.toml", "com1", "x" * 64, "caf\u00e9", unicodedata.normalize("NFD", "caf\u00e9"),
        "\uff48ome", "h\u043eme",
        "\u0131d", "stra\u00dfe", "a\x00", "a\n", "home\u200b", None, 7, b"home", ["home"],
    ],
)  # fmt: skip
def test_orchestrator_ids_that_could_escape_or_collide_are_refused(name):
    with pytest.raises(InvalidInput) as caught:
        check_orchestrator_id(name)
    assert caught.value.code == "invalid_orchestrator_id"


def test_several_at_once_are_in_order_and_behind_all_before() -> None:
    factory = IdFactory(SystemClock())
    made = [factory.new(), *factory.several(5_000), factory.new()]
    assert made == sorted(set(made))
    assert factory.several(0) == []
