"""The same data gives the same results: whatever came first, whoever asks, however long they have been running."""

from __future__ import annotations

import random
import subprocess
import sys

import pytest

pytestmark = pytest.mark.usefixtures("real_model")

PLACES = ["harbour", "station", "market", "museum", "library", "stadium", "theatre", "airport", "castle", "bridge"]
TASTES = ["bitter", "sweet", "strong", "weak", "burnt", "creamy", "cold", "sour", "smooth", "watery"]
DRINKS = ["coffee", "cocoa", "lemonade"]
# Many that match a question equally well: every one holds the same number of words, most of them the same.
NOTES = [f"The {drink} of the {place} tastes {taste} here" for drink in DRINKS for place in PLACES for taste in TASTES]
QUESTIONS = ["coffee", "Where does the cocoa taste sweet?", "lemonade market", "What tastes burnt at the castle?"]


def answers(memory):
    """What is found with all arms and by words alone, with scores."""
    found = [
        memory.recall(question, user="alex", floor=False, arms=arms)
        for question in QUESTIONS
        for arms in (None, ["text"], ["vector"])
    ]
    return [[(hit.memory.content, hit.score) for hit in each.hits] for each in found]


def shuffled(seed):
    notes = list(NOTES)
    random.Random(seed).shuffle(notes)
    return notes


def test_the_order_of_insertion_changes_nothing(open_memory):
    orders = []
    for seed in range(3):
        with open_memory(f"order{seed}") as memory:
            notes = shuffled(seed)
            memory.remember_many(notes[:100], user="alex")
            for note in notes[100:110]:
                memory.remember(note, user="alex")
            memory.remember_many(notes[110:], user="alex")
            orders.append(answers(memory))
    assert len(orders[0][0]) == 20
    assert orders[0] == orders[1] == orders[2]


def test_of_what_matches_equally_well_the_newer_is_found(open_memory, clock):
    old, new = shuffled(1)[:150], shuffled(1)[150:]
    with open_memory() as memory:
        memory.remember_many(old, user="alex")
        clock.advance(days=30)
        memory.remember_many(new, user="alex")
        found = memory.recall("coffee", user="alex", arms=["text"], floor=False).hits
    assert {hit.memory.content for hit in found} <= set(new)


def test_who_has_been_running_for_long_answers_like_who_just_came(open_memory):
    with open_memory() as running:
        running.remember_many(NOTES[:250], user="alex")
        answers(running)
        with open_memory() as other:
            receipts = other.remember_many(NOTES[250:], user="alex")
            other.edit(receipts[0].memory.memory_id, content="The cocoa of the castle tastes burnt", user="alex")
            for receipt in receipts[1:4]:
                other.forget(receipt.memory.memory_id, user="alex")
            for memory_id in [each.memory_id for each in other.list(user="alex", limit=200).memories][150:160]:
                other.forget(memory_id, user="alex")
            other.upkeep()
        with open_memory() as fresh:
            expected = answers(fresh)
        assert answers(running) == expected


@pytest.mark.only_on("sqlite")
def test_who_has_fallen_far_behind_catches_up(open_memory, monkeypatch):
    from recollect.storage.sqlite import writer

    monkeypatch.setattr(writer, "_NOTES_KEPT", 2)
    with open_memory() as running, open_memory() as other:
        ids = [receipt.memory.memory_id for receipt in running.remember_many(NOTES[:60], user="alex")]
        answers(running)
        for memory_id in ids[:20]:
            other.forget(memory_id, user="alex")
        other.edit(ids[30], content="The cocoa of the castle tastes burnt", user="alex")
        other.upkeep()
        with open_memory() as fresh:
            expected = answers(fresh)
        assert answers(running) == expected


def test_a_deleted_session_is_gone_for_everybody(open_memory):
    with open_memory() as running, open_memory() as other:
        other.remember_many(NOTES[:100], user="alex")
        talk = other.session_of(user="alex")
        for note in NOTES[100:140]:
            other.persist_turn(talk.session_id, note, "Noted")
        other.upkeep()
        running.recall("coffee", user="alex", include_messages=True)
        other.delete_session(talk.session_id)
        with open_memory() as fresh:
            expected = answers(fresh)
        assert answers(running) == expected


ASKING = """
import sys, recollect
with recollect.open(sys.argv[1], orchestrator="home", files=sys.argv[2]) as memory:
    for question in sys.argv[3:]:
        hits = memory.recall(question, user="alex", floor=False).hits
        print([(hit.memory.memory_id, round(hit.score, 4)) for hit in hits])
"""


def test_every_process_answers_alike(open_memory, place, root):
    with open_memory() as memory:
        memory.remember_many(shuffled(2), user="alex")
    command = [sys.executable, "-c", ASKING, str(place), str(root), *QUESTIONS]
    told = {
        subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout
        for environment in ({"PYTHONHASHSEED": "1"}, {"PYTHONHASHSEED": "2", "OPENBLAS_NUM_THREADS": "1"})
    }
    assert len(told) == 1
    assert told.pop().count("\n") == len(QUESTIONS)
