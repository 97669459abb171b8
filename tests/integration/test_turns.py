"""Turn memory as a host uses it: fingerprints, feedback, signals, artifacts, what survives and what goes."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

import turn_host
from recollect import (
    Agent,
    ContextClient,
    DamagedMemory,
    InvalidInput,
    NotFound,
    Place,
    ScopeDenied,
    Scratchpad,
    Turn,
    TurnFingerprint,
    preload_conversation_memory_state,
    retrospective_context_view,
    update_turn_fingerprint,
)

WHERE = {"user_id": "alex", "conversation_id": "c1"}


def keep(memory, turn_id, user="alex", conversation="c1", **told):
    message = told.pop("message", "")
    fingerprint = TurnFingerprint(turn_id=turn_id, made_at=memory.clock.now()).updated(**told)
    return memory.keep_turn(Turn(place=Place(user, conversation, turn_id), fingerprint=fingerprint, message=message))


def kinds(memory, **where):
    return [each.kind for each in memory.find_artifacts(**{**WHERE, **where})]


# The seed's sequence


def host(place, root, first, last):
    return subprocess.Popen(
        [sys.executable, Path(turn_host.__file__), str(place), str(root), str(first), str(last)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )


def test_a_conversation_of_thirty_turns_with_a_crash_in_the_middle(place, root, open_memory):
    process = host(place, root, 0, 30)
    kept = []
    for line in process.stdout:
        kept.append(int(line.split()[1]))
        if len(kept) == 12:
            os.kill(process.pid, signal.SIGKILL)
            break
    process.communicate()
    again = host(place, root, 12, 30)  # the turn that may have been half done is done again
    output, _ = again.communicate(timeout=120)
    assert again.returncode == 0 and output.count("kept") == 18
    with open_memory() as memory:
        turns = memory.turns("alex", "conv-1", limit=100)
        assert [each.turn_id for each in turns] == [f"turn-{n:03}" for n in range(29, -1, -1)]
        logs = memory.find_artifacts(user_id="alex", conversation_id="conv-1", kinds=["artifact:turn.log"])
        assert len(logs) == 30
        for each in (turns[0], turns[15], turns[29]):
            log = memory.turn_log("alex", "conv-1", each.turn_id)
            assert log["turn_log"]["state"]["fingerprint"] == each.to_json()
            assert log["user_message"] == turn_host.message(int(each.turn_id[-3:]))
            assert log["answer"]
        # Preferences that changed: the newer one holds, in the graph and for the reconciler.
        known = {each.content for each in memory.list(user="alex")}
        assert "My budget is 4000 euros" in known and "My budget is 3000 euros" not in known
        assert "I live in Oslo" in known and "Never suggest cruises" in known
        assert memory.promoted("alex", "Pro Plan").times == 3
        assert not memory.promoted("alex", "newsletter") and not memory.promoted("eve", "pro plan")
        report = memory.feedback_report("alex")
        assert report.conversations == {"conv-1": {**report.total}} and report.total["not_ok"] == 1
        pad = Scratchpad(memory, "alex", "conv-1", "turn-030", "Please answer: which budget do I have?")
        final = asyncio.run(_downstream(pad))
        assert "My budget is 4000 euros" in final and "3000" not in final
        assert "signal: pro plan = Pro plan (recommend)" in final
        assert "reaction=not_ok" in final and "text: too long" in final
        blobs = list((root / "home" / "memory" / "blobs").rglob("*.json"))
        assert len(blobs) <= 31, "each turn has one blob; one may be left by the crash"


async def _downstream(pad):
    from recollect import ctx_reconciler_stream

    journal = await retrospective_context_view(pad)
    told = await ctx_reconciler_stream(pad, guess_package_json=journal)
    pad.selected_local_memories_turn_ids = told["local_memories_turn_ids"]
    return await retrospective_context_view(pad, view="final_answer")


def test_the_title_is_fetched_as_hosts_fetch_it(memory):
    async def host():
        pad = Scratchpad(memory, "alex", "c1", "t1", "Plan my trip to Norway?")
        await preload_conversation_memory_state(pad)
        update_turn_fingerprint(objective="Plan a trip", topics=["norway"])
        from recollect import persist_turn_fingerprint

        await persist_turn_fingerprint(pad)
        assert pad.tlog.state["fingerprint"]["objective"] == "Plan a trip"
        ctx = ContextClient(memory)
        await ctx.save_artifact(
            kind="artifact:notes", tenant="home", project="default", user_id="alex", conversation_id="c1",
            turn_id="t1", track_id="main", content={"a": 1}, extra_tags=["mine"], index_only=True,
        )  # fmt: skip
        title = await ctx.fetch_conversation_artifacts(**WHERE, materialize=False, days=365).get("conversation_title")
        return title, await ctx.fetch_conversation_artifacts(**WHERE)

    title, everything = asyncio.run(host())
    assert title == "Plan a trip"
    assert [each["turn_id"] for each in everything["turns"]] == ["t1"]


# Artifacts


def test_kinds_and_tags_and_scope_and_time(memory, clock):
    memory.save_artifact("artifact:note", {"n": 1}, **WHERE, turn_id="t1", extra_tags=["a", "b"], index_only=True)
    clock.advance(days=1)
    later = clock.now()
    memory.save_artifact("artifact:note", {"n": 2}, **WHERE, turn_id="t2", extra_tags=["b"], index_only=True)
    memory.save_artifact("artifact:other", {"n": 3}, **WHERE, turn_id="t2", extra_tags=["b"], index_only=True)
    memory.save_artifact("artifact:note", {"n": 4}, user_id="alex", conversation_id="c2", track_id="x", index_only=True)
    memory.save_artifact("artifact:note", {"n": 5}, user_id="eve", conversation_id="c1", index_only=True)

    def found(**wanted):
        return [each.content["n"] for each in memory.find_artifacts(**{**WHERE, **wanted})]

    assert found() == [3, 2, 1]
    assert found(kinds=["artifact:note"]) == [2, 1]
    assert found(kinds=["artifact:note"], all_tags=["b"]) == [2, 1]
    assert found(kinds=["artifact:note"], all_tags=["b", "a"]) == [1]
    assert found(kinds=["artifact:note"], any_tags=["turn:t2", "a"]) == [2, 1], "kinds AND tags, never OR"
    assert found(not_tags=["a"], any_tags=["b"]) == [3, 2]
    assert found(any_tags=[]) == [], "none of nothing"
    assert found(times=[(">=", later)]) == [3, 2] and found(times=[("<", later)]) == [1]
    assert found(times=[("<>", later), ("<=", later)]) == [1] and found(times=[("=", later), (">", later)]) == []
    assert found(turn_ids=["t1"]) == [1] and found(turn_ids=[]) == []
    assert found(scope="user") == [4, 3, 2, 1] and found(scope="user", kinds=["artifact:note"], limit=1) == [4]
    assert found(scope="track", conversation_id="c2", track_id="x") == [4]
    assert found(conversation_id="nowhere") == []


@pytest.mark.parametrize(
    ("wanted", "code"),
    [
        ({"scope": "conversation", "conversation_id": None}, "missing_id"),
        ({"scope": "track"}, "missing_id"),
        ({"user_id": None}, "missing_user"),
        ({"scope": "everything"}, "invalid_scope"),
        ({"times": [("~", "2026-01-01")]}, "invalid_operator"),
        ({"times": [(">", "yesterday")]}, "invalid_time"),
        ({"all_tags": "a"}, "invalid_input"),
        ({"limit": 0}, "invalid_limit"),
    ],
)
def test_a_search_that_is_not_sound_is_refused(memory, wanted, code):
    with pytest.raises((InvalidInput, ScopeDenied)) as refused:
        memory.find_artifacts(**{**WHERE, **wanted})
    assert refused.value.code == code


def test_what_may_be_there_once_is_there_once(memory):
    first = memory.save_artifact("artifact:card", {"v": 1}, **WHERE, unique_tags=["card:1"], index_only=True)
    second = memory.save_artifact("artifact:card", {"v": 2}, **WHERE, unique_tags=["card:1"], index_only=True)
    other = memory.save_artifact("artifact:card", {"v": 3}, **WHERE, unique_tags=["card:2"], index_only=True)
    assert first.artifact_id == second.artifact_id != other.artifact_id
    assert [each.content for each in memory.find_artifacts(**WHERE, all_tags=["card:1"])] == [{"v": 2}]


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"kind": "artifact:turn.fingerprint.v1"}, "missing_id"),
        ({"kind": "conversation.active_set.v1", "turn_id": "t"}, "invalid_input"),
        ({"kind": "conversation.memory.bucket.v1", "content": {"bucket_id": "x"}}, "invalid_tags"),
        ({"kind": ""}, "invalid_id"),
        ({"kind": "artifact:turn.fingerprint.v1", "turn_id": "t", "content": {"x": 1}}, "invalid_fingerprint"),
        (
            {
                "kind": "artifact:turn.fingerprint.v1",
                "turn_id": "t",
                "content": {"turn_id": "t", "made_at": "2026-01-01T00:00"},
            },
            "invalid_time",
        ),
        ({"kind": "artifact:turn.log.reaction", "turn_id": "t", "content": {"confidence": "high"}}, "invalid_content"),
        ({"kind": "artifact:turn.log", "turn_id": "t", "content": [1, 2]}, "invalid_content"),
        (
            {
                "kind": "conversation.memory.bucket.v1",
                "unique_tags": ["mem:bucket:x"],
                "content": {"bucket_id": "x", "timeline": [1]},
            },
            "invalid_content",
        ),
        ({"content": object()}, "invalid_content"),
        ({"content": "x" * 5_000_000}, "invalid_content"),
        ({"content": float("nan")}, "invalid_content"),
        ({"tenant": "other"}, "scope_denied"),
        ({"project": "other"}, "scope_denied"),
        ({"conversation_id": ""}, "missing_id"),
        ({"user_id": None}, "missing_id"),
        ({"extra_tags": ["a\nb"]}, "invalid_tags"),
        ({"ttl_days": 0}, "invalid_ttl"),
    ],
)
def test_an_artifact_that_is_not_sound_is_refused(memory, given, code):
    sound = {"kind": "artifact:x", "content": {}, "index_only": True, **WHERE}
    with pytest.raises((InvalidInput, ScopeDenied)) as refused:
        memory.save_artifact(**{**sound, **given})
    assert refused.value.code == code
    assert kinds(memory, scope="user") == []


def test_what_is_of_users_of_a_type_is_kept_as_long_as_theirs(memory, clock):
    for user_type in ("anonymous", "registered", "stranger", "paid", None):
        memory.save_artifact("artifact:x", user_type, **WHERE, user_type=user_type, index_only=True)

    def left():
        return sorted(str(each.content) for each in memory.find_artifacts(**WHERE))

    clock.advance(days=2)
    assert left() == ["None", "paid", "registered", "stranger"]
    clock.advance(days=6)
    assert left() == ["None", "paid"]
    assert memory.gc().artifacts == 3
    clock.advance(days=400)
    assert left() == [] and memory.gc().artifacts == 2


def test_a_blob_holds_what_is_large_and_is_checked_when_read(memory, root):
    big = {"text": "x" * 50_000, "n": 1}
    saved = memory.save_artifact("artifact:big", big, **WHERE)
    (found,) = memory.find_artifacts(**WHERE)
    assert not found.index_only and len(json.dumps(found.content)) < 5_000 and found.content["n"] == 1
    assert memory.artifact_content(found) == big
    (file,) = (root / "home" / "memory" / "blobs").rglob("*.json")
    file.write_bytes(file.read_bytes().replace(b"xxx", b"yyy", 1))
    with pytest.raises(DamagedMemory) as damaged:
        memory.artifact_content(saved)
    assert damaged.value.code == "damaged_blob"


def test_secrets_do_not_get_into_artifacts(memory, root):
    key = "sk-proj-" + "Zq3" * 16
    keep(memory, "t1", objective=f"use {key}", facts=[{"key": "api key", "value": key}], message=f"my key is {key}")
    kept = json.dumps(memory.turn_log("alex", "c1", "t1")) + json.dumps(memory.turns("alex", "c1")[0].to_json())
    assert key not in kept
    assert memory.verify_erased(key).clean


# Turns


def test_a_turn_that_is_kept_again_is_there_once(memory):
    told = {"facts": [{"key": "home", "value": "I live in Oslo"}], "objective": "Say where I live"}
    (receipt,) = keep(memory, "t1", **told)
    assert receipt.outcome == "stored" and receipt.memory.source.message_id == "t1"
    assert receipt.memory.source.conversation_id == "c1"
    (again,) = keep(memory, "t1", **told)
    assert again.memory.memory_id == receipt.memory.memory_id
    assert sorted(kinds(memory)) == ["artifact:turn.fingerprint.v1", "artifact:turn.log", "conversation.active_set.v1"]
    assert len(memory.list(user="alex")) == 1


def test_preferences_and_facts_become_memories_that_last_and_change(memory):
    keep(memory, "t1", assertions=[{"key": "format", "value": "tables", "severity": "must"}])
    keep(memory, "t2", facts=[{"key": "budget.cap", "value": 400000}], exceptions=[{"key": "tone", "value": "jokes"}])
    (receipt,) = keep(memory, "t3", assertions=[{"key": "format", "value": "lists"}])
    assert [old.content for old in receipt.superseded] == ["My preferred format is tables"]
    known = {each.content: each.type.value for each in memory.list(user="alex")}
    assert known["My preferred format is lists"] == "Preference"
    assert known["I don't want jokes as tone"] == "Preference" and known["My budget cap is 400000"] == "Fact"
    assert keep(memory, "t4", assertions=[{"key": "format", "value": "mermaid", "scope": "objective"}]) == []
    assert "My preferred format is lists" in {each.content for each in memory.list(user="alex")}


def test_a_turn_that_is_rolled_back_leaves_nothing_and_takes_nothing_with_it(memory, root):
    keep(memory, "t1", facts=[{"key": "home", "value": "I live in Oslo"}], objective="first")
    before = {each.artifact_id for each in memory.find_artifacts(**WHERE)}
    keep(memory, "t2", facts=[{"key": "home", "value": "I live in Bergen"}], objective="second")
    memory.give_feedback(
        "alex", "c1", "t1", "not_ok", "that was wrong", origin="machine", confidence=0.9, from_turn_id="t2"
    )
    memory.give_feedback("alex", "c1", "t1", "ok", "fine by me")
    assert {each.content for each in memory.list(user="alex")} == {"I live in Bergen"}
    assert memory.roll_back_turn("alex", "c1", "t2")
    after = memory.find_artifacts(**WHERE)
    assert before < {each.artifact_id for each in after} and len(after) == len(before) + 1
    assert [each.turn_id for each in memory.turns("alex", "c1")] == ["t1"]
    assert {each.content for each in memory.list(user="alex")} == {"I live in Oslo"}
    log = memory.turn_log("alex", "c1", "t1")["turn_log"]
    assert [each["text"] for each in log["feedbacks"]] == ["fine by me"]
    assert len(list((root / "home" / "memory" / "blobs").rglob("*.json"))) == 1
    assert not memory.roll_back_turn("alex", "c1", "t2")
    assert memory.fetch_conversation_artifacts("alex", "c1")["active_set"]["since_last_reconcile"] == 1


def lives_in(memory, *cities):
    for number, city in enumerate(cities, 1):
        keep(memory, f"t{number}", objective="w", facts=[{"key": "city", "value": f"I live in {city}"}])


def known(memory):
    return sorted(each.content for each in memory.list(user="alex"))


def test_turns_can_be_rolled_back_in_any_order(memory):
    lives_in(memory, "Rome", "Oslo", "Paris")
    memory.roll_back_turn("alex", "c1", "t2")
    assert known(memory) == ["I live in Paris"]
    memory.roll_back_turn("alex", "c1", "t3")
    assert known(memory) == ["I live in Rome"], "what was before, not what was rolled back"


def test_what_another_turn_says_too_survives_a_roll_back(memory):
    lives_in(memory, "Rome", "Rome")
    memory.roll_back_turn("alex", "c1", "t1")
    assert known(memory) == ["I live in Rome"]
    memory.roll_back_turn("alex", "c1", "t2")


def test_a_turn_that_was_rolled_back_can_be_kept_again(memory):
    lives_in(memory, "Rome")
    memory.roll_back_turn("alex", "c1", "t1")
    assert known(memory) == []
    lives_in(memory, "Rome")
    assert known(memory) == ["I live in Rome"]


def test_a_roll_back_takes_messages_promises_and_buckets_along(memory):
    agent = Agent(memory, user="alex", turns=True)
    first = asyncio.run(agent.answer("I live in Rome."))
    second = asyncio.run(agent.answer("Remember that my dog is called Rex."))
    memory.reconcile_buckets("alex", first.session_id)
    assert known(memory) == ["I live in Rome", "My dog is called Rex."]
    for answered in (first, second):
        assert memory.roll_back_turn("alex", first.session_id, answered.turn_id)
    memory.learn_pending()
    assert known(memory) == [] and memory.messages(first.session_id) == []
    state = memory.preload_turns("alex", first.session_id)
    assert state.active_set.conversation_title == ""
    assert "Rome" not in json.dumps([memory.bucket("alex", first.session_id, c["bucket_id"]) for c in state.buckets])


def test_a_turn_at_its_bounds_is_kept(memory):
    huge = [{"key": f"k{n} " + "漢" * 200, "value": f"{n} " + "漢" * 3000, "scope": "thread"} for n in range(100)]
    told = dict.fromkeys(["assertions", "exceptions", "facts", "assistant_signals"], huge)
    keep(memory, "t1", objective="漢" * 3000, topics=["ﷺ" * 41] * 50, **told)
    assert len(memory.turns("alex", "c1")[0].facts) == 32
    answered = asyncio.run(Agent(memory, user="alex", turns=True).answer("tell me about " + "ﷺ" * 41))
    assert memory.turn_log("alex", answered.session_id, answered.turn_id)


def test_a_selection_that_cannot_be_is_left_out(memory):
    fingerprint = TurnFingerprint(turn_id="t1", made_at=memory.clock.now())
    chosen = ["bad id ", "x" * 300, "\n", "t0"]
    memory.keep_turn(Turn(place=Place("alex", "c1", "t1"), fingerprint=fingerprint, selected=chosen))
    assert memory.preload_turns("alex", "c1").active_set.selected_local_memories_turn_ids == ("t0",)


def test_a_missing_blob_stops_neither_forgetting_nor_listing(memory, root):
    (receipt,) = keep(memory, "t1", facts=[{"key": "pet", "value": "My pet is called Zanzibarius"}])
    for file in (root / "home" / "memory" / "blobs").rglob("*.json"):
        file.unlink()
    assert memory.fetch_conversation_artifacts("alex", "c1", materialize=True)["turns"]
    memory.forget(receipt.memory.memory_id, user="alex")
    assert memory.verify_erased("My pet is called Zanzibarius").clean


def test_words_made_of_what_is_forgotten_go_with_it(memory):
    agent = Agent(memory, user="alex", turns=True)
    session = asyncio.run(agent.answer("I live in Zanzibarius")).session_id
    memory.reconcile_buckets("alex", session)
    memory.forget([each.memory_id for each in memory.list(user="alex")], user="alex")
    kept = json.dumps(memory.fetch_conversation_artifacts("alex", session, materialize=True), default=str)
    assert "zanzibarius" not in kept.lower()


def test_forgetting_beside_others_undoes_nothing_of_theirs(memory, monkeypatch):
    (receipt,) = keep(memory, "t1", facts=[{"key": "pet", "value": "My pet is called Zanzibarius"}], message="hi")
    keep(memory, "t2", objective="My pet is called Zanzibarius")
    from recollect.turns.artifacts import Artifacts

    change, beside = (
        Artifacts.change,
        iter(
            [
                lambda: memory.give_feedback("alex", "c1", "t1", "ok", "fine"),
                lambda: memory.roll_back_turn("alex", "c1", "t2"),
            ]
        ),
    )

    def at_once(self, artifact_id, changed):
        for other in beside:
            other()
        return change(self, artifact_id, changed)

    monkeypatch.setattr(Artifacts, "change", at_once)
    memory.forget(receipt.memory.memory_id, user="alex")
    assert [each["text"] for each in memory.turn_log("alex", "c1", "t1")["turn_log"]["feedbacks"]] == ["fine"]
    assert [each.turn_id for each in memory.turns("alex", "c1")] == ["t1"]


def test_what_is_unique_in_a_turn_is_not_another_turns(memory):
    one = memory.save_artifact("artifact:note", {"v": 1}, **WHERE, turn_id="t1", unique_tags=["x"], index_only=True)
    two = memory.save_artifact("artifact:note", {"v": 2}, **WHERE, turn_id="t2", unique_tags=["x"], index_only=True)
    assert one.artifact_id != two.artifact_id
    assert [each.content for each in memory.find_artifacts(**WHERE, turn_ids=["t2"])] == [{"v": 2}]
    three = memory.save_artifact("artifact:note", {"v": 3}, **WHERE, unique_tags=["a b"], index_only=True)
    four = memory.save_artifact("artifact:note", {"v": 4}, **WHERE, unique_tags=["a", "b"], index_only=True)
    assert three.artifact_id != four.artifact_id


def test_everything_of_a_short_lived_user_is_short_lived(memory, clock):
    fingerprint = TurnFingerprint(turn_id="t1", made_at=clock.now()).updated(
        facts=[{"key": "home", "value": "I live in Oslo"}]
    )
    memory.keep_turn(Turn(place=Place("alex", "c1", "t1"), fingerprint=fingerprint, user_type="anonymous"))
    memory.give_feedback("alex", "c1", "t1", "ok", "fine")
    memory.reconcile_buckets("alex", "c1")
    clock.advance(days=2)
    assert kinds(memory, scope="user") == [] and known(memory) == []
    with pytest.raises(NotFound):
        memory.turn_log("alex", "c1", "t1")
    memory.gc()


def test_a_write_that_fails_leaves_no_turn_and_no_blob(memory, root, monkeypatch):
    def broken(*_):
        raise OSError("no")

    from recollect.turns.memory import TurnMemory

    monkeypatch.setattr(TurnMemory, "_put_active_set", broken)
    with pytest.raises(OSError, match="no"):
        keep(memory, "t1", facts=[{"key": "home", "value": "I live in Oslo"}])
    assert kinds(memory) == [] and list(memory.list(user="alex")) == []
    assert not list((root / "home" / "memory" / "blobs").rglob("*.json"))


def test_what_a_crash_left_is_swept_up_when_it_is_old(memory, root):
    keep(memory, "t1", objective="x")
    orphan = root / "home" / "memory" / "blobs" / "aa" / "bb" / "left.json"
    orphan.parent.mkdir(parents=True)
    orphan.write_text("{}")
    memory.gc()
    assert orphan.exists(), "it may be about to be committed"
    os.utime(orphan, (0, 0))
    memory.gc()
    assert not orphan.exists() and memory.turn_log("alex", "c1", "t1")


def test_everything_of_a_user_is_apart(memory):
    keep(memory, "t1", objective="mine", assistant_signals=[{"key": "k", "value": "v"}])
    assert memory.turns("eve", "c1") == [] and memory.preload_turns("eve", "c1").is_new
    assert memory.preload_turns("eve", "c2").signals == ()
    with pytest.raises(NotFound):
        memory.turn_log("eve", "c1", "t1")
    with pytest.raises(NotFound):
        memory.give_feedback("eve", "c1", "t1", "ok")
    assert not memory.roll_back_turn("eve", "c1", "t1")
    assert memory.turns("alex", "c1")


def test_preloading_reads_the_index_alone(memory, root):
    for number in range(5):
        keep(
            memory,
            f"t{number}",
            objective=f"turn {number}",
            message="hello",
            assistant_signals=[{"key": "k", "value": 1}],
        )
    memory.give_feedback("alex", "c1", "t0", "ok")
    for file in (root / "home" / "memory" / "blobs").rglob("*.json"):
        file.unlink()
    state = memory.preload_turns("alex", "c1")
    assert [each.turn_id for each in state.memories] == ["t4", "t3", "t2", "t1", "t0"]
    assert len(state.prior_turns) == 3 and len(state.signals) == 5
    assert [(each.turn_id, each.objective) for each in state.feedback] == [("t0", "turn 0")]


def test_a_selection_that_was_kept_is_there_again(memory, clock):
    for number in range(40):
        clock.advance(minutes=1)
        fingerprint = TurnFingerprint(turn_id=f"t{number}", made_at=clock.now()).updated(objective=f"turn {number}")
        chosen = ["t0"] if number == 39 else None
        memory.keep_turn(Turn(place=Place("alex", "c1", f"t{number}"), fingerprint=fingerprint, selected=chosen))
    state = memory.preload_turns("alex", "c1")
    assert state.active_set.selected_local_memories_turn_ids == ("t0",)
    assert len(state.memories) == 33 and state.memories[-1].turn_id == "t0"


# Feedback


def test_a_user_has_one_reaction_to_a_turn(memory):
    keep(memory, "t1", objective="x")
    memory.give_feedback("alex", "c1", "t1", "not_ok", "wrong")
    memory.give_feedback("alex", "c1", "t1", "ok", "right after all")
    (reaction,) = memory.find_artifacts(**WHERE, kinds=["artifact:turn.log.reaction"])
    assert reaction.content["reaction"] == "ok" and "origin:user" in reaction.tags
    log = memory.turn_log("alex", "c1", "t1")["turn_log"]
    assert [each["text"] for each in log["feedbacks"]] == ["right after all"]
    assert [each["msg"] for each in log["entries"] if each["area"] == "feedback"] == ["right after all [ok]"]
    keep(memory, "t1", objective="x")
    assert memory.turn_log("alex", "c1", "t1")["turn_log"]["feedbacks"], "keeping a turn again keeps its feedback"
    assert memory.give_feedback("alex", "c1", "t1", None) is None
    assert memory.find_artifacts(**WHERE, kinds=["artifact:turn.log.reaction"]) == []
    log = memory.turn_log("alex", "c1", "t1")["turn_log"]
    assert log["feedbacks"] == [] and log["entries"] == []


def test_a_machine_adds_what_it_is_sure_of(memory):
    keep(memory, "t1", objective="x")
    gate = {"origin": "machine", "from_turn_id": "t2"}
    assert memory.give_feedback("alex", "c1", "t1", None, "maybe", confidence=0.69, **gate) is None
    assert memory.give_feedback("alex", "c1", "t1", "ok", "", confidence=0.9, **gate) is None
    for text in ("one", "two", "two"):
        assert memory.give_feedback("alex", "c1", "t1", "not_ok", text, confidence=0.7, **gate)
    memory.give_feedback("alex", "c1", "t1", "ok", "mine")
    told = memory.turn_log("alex", "c1", "t1")["turn_log"]["feedbacks"]
    assert [(each["origin"], each["text"]) for each in told] == [
        ("machine", "one"),
        ("machine", "two"),
        ("user", "mine"),
    ]
    assert memory.feedback_report("alex").total == {
        "total": 3, "user": 1, "machine": 2, "ok": 1, "not_ok": 2, "neutral": 0,
    }  # fmt: skip


def test_feedback_is_reported_by_period(memory, clock):
    keep(memory, "t1", objective="x")
    memory.give_feedback("alex", "c1", "t1", "ok")
    clock.advance(days=10)
    keep(memory, "t2", conversation="c2", objective="y")
    memory.give_feedback("alex", "c2", "t2", "neutral", "so so")
    report = memory.feedback_report("alex", since=clock.now() - timedelta(days=1))
    assert list(report.conversations) == ["c2"] and report.total["neutral"] == 1
    assert memory.feedback_report("alex", until=clock.now()).total["total"] == 1
    with pytest.raises(InvalidInput):
        memory.feedback_report("alex", since="2026-02-01", until="2026-01-01")


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"reaction": "great"}, "invalid_reaction"),
        ({"reaction": "ok", "origin": "god"}, "invalid_origin"),
        ({"reaction": "ok", "text": "x" * 1001}, "invalid_input"),
        ({"reaction": "ok", "confidence": 2}, "invalid_confidence"),
        ({"reaction": "ok", "turn_id": "t9"}, "turn_not_found"),
    ],
)
def test_feedback_that_is_not_sound_leaves_nothing(memory, given, code):
    keep(memory, "t1", objective="x")
    with pytest.raises((InvalidInput, NotFound)) as refused:
        memory.give_feedback(**{"user_id": "alex", "conversation_id": "c1", "turn_id": "t1", **given})
    assert refused.value.code == code
    assert memory.find_artifacts(**WHERE, kinds=["artifact:turn.log.reaction"]) == []


# Signals


def test_what_was_promoted_is_known_in_every_conversation(memory, clock):
    keep(memory, "t1", assistant_signals=[{"key": "Pro Plan", "value": "Pro plan", "severity": "mention"}])
    first = clock.now()
    clock.advance(days=3)
    keep(
        memory,
        "t2",
        conversation="c2",
        assistant_signals=[{"key": "pro-plan", "value": "x", "severity": "strong_promote"}],
    )
    keep(memory, "t3", conversation="c2", assistant_signals=[{"key": "プロ", "value": "x"}])
    told = memory.promoted("alex", "PRO PLAN")
    assert (told.times, told.first_at, told.last_at, told.strongest) == (2, first, clock.now(), "strong_promote")
    assert told.turn_ids == ("t2", "t1")
    assert memory.promoted("alex", "プロ").times == 1 and not memory.promoted("alex", "プラン")
    assert len(memory.preload_turns("alex", "c9").signals) == 3
    with pytest.raises(InvalidInput):
        memory.promoted("alex", " ")


# Buckets


def test_turns_go_into_buckets_once_and_are_merged(memory, clock):
    for number, value in enumerate(["tables", "lists", "lists"]):
        clock.advance(hours=1)
        keep(
            memory,
            f"t{number}",
            objective="write a report",
            topics=["report"],
            assertions=[{"key": "format", "value": value}],
        )
    assert memory.reconcile_buckets("alex", "c1") == 3
    assert memory.reconcile_buckets("alex", "c1") == 0, "nothing is done twice"
    state = memory.preload_turns("alex", "c1")
    assert state.active_set.since_last_reconcile == 0 and state.active_set.covered is not None
    (card,) = state.buckets
    weights = {each["value"]: each["weight"] for each in card["top_signals"]["assertions"]}
    assert weights["lists"] > 0.5 > weights["tables"], "contradicted, kept, and less"
    clock.advance(days=30)
    keep(
        memory,
        "t9",
        objective="report again",
        topics=["report"],
        facts=[{"key": "deadline", "value": "The deadline is in May"}],
    )
    assert memory.reconcile_buckets("alex", "c1") == 1
    bucket = memory.bucket("alex", "c1", card["bucket_id"])
    assert len(bucket["timeline"]) == 2, "merged into, not replaced"
    newest = bucket["timeline"][-1]
    assert {each["value"] for each in newest["assertions"]} == {"tables", "lists"}
    assert newest["facts"][0]["support_turn_ids"] == ["t9"]
    memory.roll_back_turn("alex", "c1", "t9")
    left = memory.bucket("alex", "c1", card["bucket_id"])["timeline"][-1]
    assert left["assertions"] and not left["facts"], "what others told stays"


def test_a_full_bucket_takes_what_is_new_and_a_turn_that_grew(memory, clock):
    keep(memory, "t1", topics=["fmt"], facts=[{"key": f"k{n}", "value": f"value {n}"} for n in range(32)])
    memory.reconcile_buckets("alex", "c1")
    clock.advance(days=-1)
    keep(memory, "t2", topics=["fmt"], facts=[{"key": "new", "value": "value new"}])
    assert memory.reconcile_buckets("alex", "c1") == 1, "also when the clock was set back"
    clock.advance(days=3)
    keep(memory, "t2", topics=["fmt"], facts=[{"key": "newer", "value": "value newer"}])
    assert memory.reconcile_buckets("alex", "c1") == 1
    (card,) = memory.preload_turns("alex", "c1").buckets
    newest = memory.bucket("alex", "c1", card["bucket_id"])["timeline"][-1]["facts"]
    assert {"value newer"} <= {each["value"] for each in newest}


@pytest.mark.parametrize(("name", "value"), [("LONG_MEMORIES_LOG", "1"), ("MEMORY_RECONCILE_ENABLED", "0")])
def test_buckets_can_be_switched_off(memory, monkeypatch, name, value):
    keep(memory, "t1", topics=["x"], facts=[{"key": "a", "value": "b"}])
    monkeypatch.setenv(name, value)
    assert memory.reconcile_buckets("alex", "c1") == 0
    assert memory.preload_turns("alex", "c1").buckets == ()
    monkeypatch.delenv(name)
    assert memory.reconcile_buckets("alex", "c1") == 1


def test_two_who_fill_buckets_at_once_lose_nothing(open_memory):
    from concurrent.futures import ThreadPoolExecutor

    with open_memory() as one, open_memory() as other:
        for number in range(20):
            keep(one, f"t{number}", topics=[f"topic{number % 3}"], facts=[{"key": f"k{number}", "value": f"v{number}"}])
        with ThreadPoolExecutor(2) as pool:
            done = sum(pool.map(lambda memory: memory.reconcile_buckets("alex", "c1"), [one, other]))
        assert done == 20
        cards = one.preload_turns("alex", "c1").buckets
        buckets = [one.bucket("alex", "c1", card["bucket_id"]) for card in cards]
        supported = {t for b in buckets for s in b["timeline"] for f in s["facts"] for t in f["support_turn_ids"]}
        assert supported == {f"t{number}" for number in range(20)}


# Forgetting


def test_what_is_forgotten_leaves_the_turns_too(memory, root):
    (receipt, *_) = keep(
        memory, "t1", facts=[{"key": "home", "value": "I live in Trondheim near the river"}],
        message="I live in Trondheim near the river", objective="I live in Trondheim near the river",
    )  # fmt: skip
    keep(memory, "t2", facts=[{"key": "diet", "value": "vegetarian"}], objective="tell my diet")
    memory.forget(receipt.memory.memory_id, user="alex")
    assert memory.verify_erased("I live in Trondheim near the river").clean
    assert "Trondheim" not in json.dumps(memory.turn_log("alex", "c1", "t1"))
    diet = next(each for each in memory.list(user="alex") if "diet" in each.content)
    memory.forget(diet.memory_id, user="alex")
    assert memory.turns("alex", "c1")[0].facts == (), "an item that says what was forgotten goes, too"
    keep(memory, "t3", user="eve", objective="mine")
    memory.forget_user("alex")
    assert kinds(memory, scope="user") == [] and len(memory.turns("eve", "c1")) == 1
    assert len(list((root / "home" / "memory" / "blobs").rglob("*.json"))) == 1


def test_the_turns_of_a_session_go_with_it(memory):
    session = memory.session_of(user="alex")
    keep(memory, "t1", conversation=session.session_id, objective="x")
    keep(memory, "t2", objective="y")
    memory.delete_session(session.session_id)
    assert memory.turns("alex", session.session_id) == [] and len(memory.turns("alex", "c1")) == 1


# With a model


@pytest.fixture
def server():
    from model_server import ModelServer

    server = ModelServer()
    yield server
    server.close()


@pytest.mark.parametrize("step", ["500", "garbage", "cut", "not what was asked for"])
def test_a_reconciler_that_fails_selects_nothing_and_the_turn_goes_on(memory, server, step):
    from recollect.config import LlmSettings
    from recollect.llm import create_model

    keep(memory, "t1", objective="trip", assertions=[{"key": "length", "value": "I prefer short answers"}])
    model = create_model(LlmSettings(model="openai:test", base_url=server.url, timeout_seconds=1.0))
    server.script = [step]
    pad = Scratchpad(memory, "alex", "c1", "t2", "Never use tables in the trip plan", model=model)

    async def host():
        from recollect import ctx_reconciler_stream, extract_assistant_signals, persist_turn_fingerprint

        told = await ctx_reconciler_stream(pad, guess_package_json=await retrospective_context_view(pad))
        update_turn_fingerprint(objective=told["objective"], exceptions=told["exceptions"], scratchpad=pad)
        assert await extract_assistant_signals("Take the Pro plan", "note plans", scratchpad=pad) == []
        await persist_turn_fingerprint(pad)
        return told

    told = asyncio.run(host())
    assert told["local_memories_turn_ids"] == [] and told["by"] == "rules, since the model failed"
    assert memory.turns("alex", "c1")[0].exceptions[0].value == "Never use tables in the trip plan"


# The agent, and the command line


def test_the_agent_keeps_its_turns_when_it_is_asked_to(memory):
    spec = [{"key": "memory", "phrases": ["remember that"]}]
    agent = Agent(memory, user="alex", turns=True, assistant_signal_spec=spec)
    first = asyncio.run(agent.answer("I prefer short answers"))
    second = asyncio.run(agent.answer("No, that's wrong. Never use tables"))
    session = first.session_id
    turns = memory.turns("alex", session)
    assert [each.turn_id for each in turns] == [second.turn_id, first.turn_id]
    assert turns[0].exceptions[0].severity == "do_not" and turns[1].assertions[0].value == "I prefer short answers"
    assert memory.promoted("alex", "memory").times == 2, "the answers say so"
    (feedback,) = memory.preload_turns("alex", session).feedback
    assert (feedback.turn_id, feedback.reaction, feedback.from_turn_id) == (first.turn_id, "not_ok", second.turn_id)
    assert Agent(memory, user="alex")._keeps_turns is False
    assert {each.metadata["turnId"] for each in memory.messages(session)} == {first.turn_id, second.turn_id}


def test_the_settings_switch_it_on(open_memory):
    with open_memory(settings={"agents": {"chat": {"memory": ["database"], "turns": True}}}) as memory:
        answered = asyncio.run(Agent(memory, user="alex").answer("hello"))
        assert memory.turn_log("alex", answered.session_id, answered.turn_id)["user_message"] == "hello"


def test_turns_on_the_command_line(run):
    said = run("chat", "--turns", "I prefer short answers", "--json").json
    turn = said["turnId"]
    listed = run("turn", "list", "--json").json
    assert listed["turns"][0]["turn_id"] == turn and listed["sessionId"] == said["sessionId"]
    assert turn in run("turn", "list").out
    assert run("turn", "feedback", turn, "not_ok", "--text", "too long").out == f"{turn}: not_ok too long\n"
    shown = run("turn", "show", turn)
    assert "user: I prefer short answers" in shown.out and "feedback: user not_ok too long" in shown.out
    assert run("turn", "show", turn, "--json").json["turn"]["turn_log"]["feedbacks"][0]["text"] == "too long"
    assert run("turn", "report", "--json").json["total"]["not_ok"] == 1
    journal = run("journal", "How long?", "--view", "final_answer").out
    assert "length=I prefer short answers (prefer)" in journal and "text: too long" in journal
    assert run("journal", "How long?", "--json").json["journal"].startswith("[CURRENT TURN]\n")
    assert run("turn", "feedback", turn, "clear", "--json").json["feedback"] is None
    assert run("turn", "show", "nothing", "--json").json["error"]["code"] == "turn_not_found"
    assert run("turn", "list", "--user", "eve", "--json").json["error"]["code"] == "session_not_found"
    stolen = run("turn", "list", "--user", "eve", "--session", said["sessionId"], "--json")
    assert stolen.json["error"]["code"] == "session_not_found"
