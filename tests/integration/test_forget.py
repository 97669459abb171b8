"""What is forgotten leaves no byte behind, and stays forgotten."""

from __future__ import annotations

import pytest

from recollect import InvalidInput, NotFound

FACT = "I'm allergic to zanzibar peanuts"


def everything(memory) -> str:
    return "".join(map(str, memory.list(user="alex", statuses=["active", "superseded", "retracted", "archived"])))


def test_a_forgotten_memory_leaves_no_trace(memory):
    session = memory.session_of(user="alex")
    memory.persist_turn(session.session_id, f"Remember that {FACT}", f"I'll remember that: {FACT}")
    handle = memory.create_session(user="alex")
    handle.call("transcript_append", "user", f"As I said: {FACT.upper()}")
    kept = memory.remember(FACT, user="alex", reason="zanzibar again").memory
    memory.edit(kept.memory_id, importance=90, user="alex", reason=f"about {FACT}")
    other = memory.remember("I drink tea", user="alex").memory
    assert not memory.verify_erased("zanzibar").clean

    gone = memory.forget(kept.memory_id, user="alex")

    assert (gone.memories, gone.messages) == (1, 2)
    assert memory.verify_erased(FACT).clean and memory.verify_erased("zanzibar peanuts").clean
    assert memory.recall("zanzibar peanuts", user="alex", include_messages=True, floor=False).hits[:1] != [kept]
    assert "zanzibar" not in everything(memory).lower()
    with pytest.raises(NotFound):
        memory.show(kept.memory_id, user="alex")
    assert memory.show(other.memory_id, user="alex") == other
    assert memory.messages(session.session_id)[0].content == "[forgotten]"


def test_a_document_goes_with_its_parts(memory):
    whole = memory.add_document("The vault is behind the zanzibar. " * 100, user="alex", scope="personal").memory
    memory.forget(whole.memory_id, user="alex")
    assert memory.recall("zanzibar vault", user="alex").hits == []
    assert memory.verify_erased("behind the zanzibar").clean


def test_what_is_like_it_is_left_alone(memory):
    tea = memory.remember("tea", user="alex").memory
    session = memory.session_of(user="alex")
    memory.add_message(session.session_id, "user", "The team went well")
    handle = memory.create_session(user="alex")
    handle.call("transcript_append", "user", "My steady friend")
    handle.call("kv_set", "user", "value")
    user = memory.remember("user value", user="alex").memory
    memory.forget([tea.memory_id, user.memory_id], user="alex")
    assert memory.messages(session.session_id)[0].content == "The team went well"
    assert handle.call("transcript_read_last", 1)[0].content == "My steady friend"
    assert handle.call("kv_get", "user") == "value"


def test_every_wording_of_it_goes(memory):
    session = memory.session_of(user="alex")
    memory.persist_turn(session.session_id, "I saw Dr Zorbas yesterday", "Noted: you saw Dr Zorbas")
    memory.update_profile("alex", notes="I saw Dr Zorbas yesterday, by the way")
    handle = memory.create_session(user="alex")
    handle.call("transcript_append", "user", 'I saw Dr Zorbas\nyesterday, the "zebra"')
    handle.call("kv_set", "note", "I saw Dr Zorbas yesterday")
    kept = memory.remember("I saw Dr Zorbas yesterday", user="alex").memory
    memory.edit(kept.memory_id, content="I saw Dr Zorbas last spring", user="alex")
    memory.forget(kept.memory_id, user="alex")
    assert memory.verify_erased("Zorbas").clean
    assert handle.call("transcript_read_last", 1)[0].content == "[forgotten]"


def test_a_long_text_is_found_wherever_it_lies(memory):
    text = "".join(f"zebra number {n} crosses the road. " for n in range(400))
    memory.remember(text, user="alex")
    assert not memory.verify_erased(text).clean


def test_a_fact_of_a_group_goes_from_everybodys_sessions(memory):
    fact = memory.remember("I love quinoa salads", user="ann", chat="team", scope="group").memory
    session = memory.session_of(user="ann", chat="team")
    memory.add_message(session.session_id, "user", "I love quinoa salads")
    memory.forget(fact.memory_id, user="bob", chat="team")
    memory.learn_pending()
    assert memory.verify_erased("quinoa salads").clean


@pytest.mark.only_on("sqlite")
def test_what_cannot_be_overwritten_now_is_overwritten_later(memory, open_memory, root):
    import apsw

    kept = memory.remember(FACT, user="alex").memory
    reader = apsw.Connection(str(root / "home" / "memory" / "memory.db"))
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM memories").fetchall()
    assert memory.forget(kept.memory_id, user="alex").scrubbed is False
    reader.close()
    memory.close()
    with open_memory() as again:
        assert again.verify_erased(FACT).clean


def test_what_is_forgotten_is_not_learned_again_but_may_be_told_again(memory):
    kept = memory.remember("I live in Berlin", user="alex").memory
    memory.forget(kept.memory_id, user="alex")
    (refused,) = memory.extract([("user", "I live in Berlin.")], user="alex")
    assert (refused.outcome, refused.code) == ("refused", "forgotten")
    assert memory.extract([("user", "I live in Berlin.")], user="bob")[0].outcome == "stored"
    assert memory.remember("I live in Berlin", user="alex").outcome == "stored"
    assert memory.extract([("user", "I live in Berlin.")], user="alex")[0].outcome == "merged"


def test_forgetting_somebody(memory):
    memory.remember("My wife Sarah likes quinces", user="alex")
    memory.remember("My wife is allergic to walnuts", user="alex")
    memory.remember("I like quinces", user="alex")
    gone = memory.forget_person("Sarah", user="alex")
    assert (gone.memories, gone.people) == (2, 1)
    assert memory.people(user="alex") == []
    assert memory.verify_erased("walnuts").clean and memory.verify_erased("Sarah").clean
    assert [each.content for each in memory.list(user="alex")] == ["I like quinces"]


def test_forgetting_a_user_leaves_others_alone(memory):
    memory.remember("I keep xylophones", user="alex")
    memory.remember("My wife Zuzana sings", user="alex")
    memory.update_profile("alex", notes="plays the xylophones")
    session = memory.session_of(user="alex")
    memory.persist_turn(session.session_id, "I bought two xylophones", "Nice")
    handle = memory.create_session(user="alex")
    handle.call("transcript_append", "user", "three xylophones")
    memory.remember("I keep bees", user="bob")
    gone = memory.forget_user("alex")
    assert gone.memories >= 2 and gone.sessions == 2 and gone.people == 1
    assert memory.verify_erased("xylophones").clean and memory.verify_erased("Zuzana").clean
    assert [each.content for each in memory.list(user="bob")] == ["I keep bees"]


def test_forgetting_everything_must_be_confirmed(open_memory):
    with open_memory("other") as other:
        other.remember("I stay", user="alex")
    memory = open_memory()
    memory.remember("I vanish", user="alex")
    with pytest.raises(InvalidInput) as refused:
        memory.forget_everything("other")
    assert refused.value.code == "not_confirmed"
    memory.forget_everything("home")
    with open_memory() as again:
        assert len(again.list(user="alex")) == 0 and again.stats().events == 0
    with open_memory("other") as other:
        assert len(other.list(user="alex")) == 1


def test_nobody_forgets_for_others(memory, logged):
    kept = memory.remember("I live in Berlin", user="alex").memory
    other = memory.remember("I live in Bonn", user="mallory").memory
    with pytest.raises(NotFound):
        memory.forget([other.memory_id, kept.memory_id], user="mallory")
    assert memory.show(kept.memory_id, user="alex") == kept
    assert memory.show(other.memory_id, user="mallory") == other
    assert any(line["event"] == "memory.access.denied" for line in logged())


@pytest.mark.parametrize("what", ["", "nonsense", [], [1], None, 7])
def test_ids_that_are_none_are_refused(memory, what):
    with pytest.raises(InvalidInput):
        memory.forget(what, user="alex")


@pytest.mark.parametrize("text", ["", "ab", None, 7])
def test_texts_that_are_none_cannot_be_verified(memory, text):
    with pytest.raises(InvalidInput):
        memory.verify_erased(text)


@pytest.mark.only_on("sqlite")
def test_a_store_that_was_filled_before_holds_nothing_of_what_is_forgotten(memory):
    receipts = memory.remember_many([f"Fact {n} about turnips and {'x' * (n % 90)}" for n in range(600)], user="alex")
    kept = [each.memory.memory_id for each in receipts]
    memory.forget(kept[::2], user="alex")
    assert memory.verify_erased("Fact 2 about turnips").clean
    assert not memory.verify_erased("Fact 3 about turnips").clean
