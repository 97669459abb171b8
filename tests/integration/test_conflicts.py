"""Supersession as users see it, on labelled pairs: what is stored first, what is stored later, what still counts."""

from __future__ import annotations

from labelled import Score, labelled
from recollect.model.status import Status


def test_the_labelled_pairs(memory):
    score, wrong, subjects = Score(), [], 0
    for number, pair in enumerate(labelled("pairs")):
        chat = f"chat-{number}"
        users = {pair.get("old_by", "alex"), pair.get("new_by", "alex")}
        scopes = {pair.get("old_scope", "personal"), pair.get("new_scope", "personal")}
        # In a group people are known by their names; otherwise every pair has users of its own.
        name = (lambda user: user) if "group" in scopes and len(users) > 1 else (lambda user, n=number: f"{user}-{n}")
        old = memory.remember(
            pair["old"], user=name(pair.get("old_by", "alex")), chat=chat, scope=pair.get("old_scope", "personal")
        ).memory
        memory.remember(
            pair["new"], user=name(pair.get("new_by", "alex")), chat=chat, scope=pair.get("new_scope", "personal")
        )
        stored = memory.show(old.memory_id, user=name(pair.get("old_by", "alex")), chat=chat)
        found = stored.status is Status.SUPERSEDED
        score.count(expected=pair["conflict"], found=found)
        if found != pair["conflict"]:
            wrong.append((pair["category"], pair["old"], pair["new"]))
            subjects += found and pair["category"] == "subjects"
    print(f"supersession: {score}")
    assert score.precision >= 0.97 and score.recall >= 0.85, wrong
    assert subjects == 0


def test_the_set_is_large_enough():
    pairs = labelled("pairs")
    assert len(pairs) >= 400
    assert len({pair["category"] for pair in pairs}) >= 20
