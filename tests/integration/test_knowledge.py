"""Knowledge that evolves: what is remembered, of whom, what replaces it, and what users see of that."""

from __future__ import annotations

from datetime import timedelta

import pytest

from recollect import InvalidInput, NotFound
from recollect.errors import IllegalTransition
from recollect.knowledge import Link
from recollect.model.status import Status

SECRET = "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"


def contents(found) -> list[str]:
    return [hit.memory.content for hit in found.hits]


def active(memory, **who) -> list[str]:
    return [each.content for each in memory.list(**who)]


# S1, S5: the newest favourite counts, among many users with the same sentence


def test_a_newer_fact_replaces_an_older_one(memory):
    old = memory.remember("My favourite colour is red", user="alex").memory
    receipt = memory.remember("My favorite color is blue", user="alex")
    assert [each.memory_id for each in receipt.superseded] == [old.memory_id]
    assert contents(memory.recall("favorite color", user="alex")) == ["My favorite color is blue"]
    assert memory.show(old.memory_id, user="alex").status is Status.SUPERSEDED
    assert "superseded" in str(memory.history(old.memory_id, user="alex")[-1].detail)
    kinds = [edge.edge_type for edge in memory.edges(old.memory_id, user="alex")]
    assert kinds == ["Updates"]


def test_many_users_with_the_same_sentence_do_not_disturb(memory):
    for number in range(40):
        memory.remember("My favourite colour is red", user=f"user-{number}")
    receipt = memory.remember("My favourite colour is blue", user="user-7")
    assert len(receipt.superseded) == 1
    assert active(memory, user="user-7") == ["My favourite colour is blue"]
    assert active(memory, user="user-8") == ["My favourite colour is red"]


def test_what_is_true_of_two_sons_is_true_of_both(memory):
    memory.remember("My son Max is allergic to nuts", user="alex")
    receipt = memory.remember("My son Leo is allergic to nuts", user="alex")
    assert (receipt.outcome, receipt.superseded) == ("stored", ())
    assert len(active(memory, user="alex")) == 2


def test_the_same_fact_again_is_merged_and_gains_a_source(memory):
    first = memory.remember("I live in Berlin", user="alex").memory
    again = memory.remember("i live in berlin.", user="alex")
    assert (again.outcome, again.memory.memory_id) == ("merged", first.memory_id)
    assert active(memory, user="alex") == ["I live in Berlin"]


def test_a_batch_is_understood_in_its_order(memory):
    receipts = memory.remember_many(
        ["I live in Berlin", "I live in Oslo", "I live in Oslo", f"my token is {SECRET}"], user="alex"
    )
    assert [each.outcome for each in receipts] == ["stored", "stored", "merged", "refused"]
    assert active(memory, user="alex") == ["I live in Oslo"]


def test_a_fact_that_was_said_earlier_does_not_replace_a_later_one(memory):
    memory.remember("I live in Oslo", user="alex", observed_at="2026-05-01")
    receipt = memory.remember("I live in Berlin", user="alex", observed_at="2024-05-01")
    assert receipt.memory.status is Status.SUPERSEDED
    assert active(memory, user="alex") == ["I live in Oslo"]


NO_REASON_TO_LET_GO = [
    ("I live in Berlin, I'm allergic to peanuts, and my wife is Sarah", "I live in Paris"),
    ("My flight is on Friday. My hotel is the Ritz.", "My flight is on Saturday"),
    ("I'm allergic to penicillin", "I take vitamins instead of penicillin"),
    ("My wife is Sarah", "I went to the party with Bob, not Sarah"),
    ("I live in Berlin", "The conference is in Rome, not Berlin"),
    ("I speak Spanish", "The menu was in French, not Spanish"),
    ("I have 9 cats", "My train leaves at 10, not 9"),
    ("I live in Berlin", "My friend said I live in Paris"),
    ("My phone number is 555-1111", "My phone number is new"),
    ("My car is a Tesla", "My car is in the garage"),
    ("My favorite team is Arsenal", "My favorite team is playing tonight"),
    ("I have 2 kids", "I had 3 kids in my class"),
    ("I get up at 6", "I get up at 9 on weekends"),
    ("I work at Google", "I work at a food bank on weekends"),
    ("I eat meat", "I don't eat red meat"),
    ("I play tennis", "I don't play tennis on Mondays"),
    ("Our standup is at 9 on Mondays", "Our standup is at 10 on Tuesdays"),
    ("I have a meeting on Monday", "I have a meeting on Tuesday"),
    ("I live in Berlin", "I live in Paris for the next 2 weeks"),
]


@pytest.mark.parametrize(("known", "told"), NO_REASON_TO_LET_GO)
def test_nothing_is_lost_without_a_reason(memory, known, told):
    old = memory.remember(known, user="alex").memory
    assert memory.remember(told, user="alex").superseded == ()
    assert memory.show(old.memory_id, user="alex").status is Status.ACTIVE


def test_what_a_longer_text_says_no_longer_is_marked_and_the_rest_stays(memory):
    old = memory.remember("I live in Berlin, and I'm allergic to peanuts", user="alex").memory
    receipt = memory.remember("I live in Paris", user="alex")
    assert [each.memory_id for each in receipt.contradicts] == [old.memory_id]
    # Its other claim still counts, and is the only one: now it can be replaced as a whole.
    assert len(memory.remember("I'm not allergic to peanuts", user="alex").superseded) == 1


def test_two_who_say_the_same_of_themselves_are_two(memory):
    team = {"chat": "team", "scope": "group"}
    memory.remember("I'm allergic to nuts", user="alex", **team)
    assert memory.remember("I'm allergic to nuts", user="bo", **team).outcome == "stored"
    memory.remember("I'm no longer allergic to nuts", user="alex", **team)
    assert "I'm allergic to nuts" in active(memory, user="bo", chat="team")


def test_the_last_word_of_a_batch_wins(memory):
    receipts = memory.remember_many(["I live in Berlin", "I live in Paris", "I live in Berlin"], user="alex")
    assert active(memory, user="alex") == ["I live in Berlin"]
    assert receipts[2].memory.status is Status.ACTIVE
    assert [each.outcome for each in memory.remember_many(["I like figs", "I like figs"], user="bo")] == [
        "stored",
        "merged",
    ]


def test_what_is_said_again_for_good_holds_for_good(memory):
    memory.remember("Remember for a day that I like tea", user="alex")
    again = memory.remember("I like tea", user="alex", importance=90)
    assert (again.outcome, again.memory.expires_at, again.memory.importance) == ("merged", None, 90)


def test_a_retry_of_a_merged_write_does_not_revert_newer_knowledge(memory):
    memory.remember("I live in Berlin", user="alex")
    memory.remember("I live in Berlin", user="alex", key="order-1")
    memory.remember("I live in Paris", user="alex")
    memory.remember("I live in Berlin", user="alex", key="order-1")
    assert active(memory, user="alex") == ["I live in Paris"]


def test_a_correction_replaces_what_it_corrects_also_where_there_may_be_several(memory):
    memory.remember("I'm allergic to peanuts", user="alex")
    memory.remember("Sorry, not peanuts, walnuts", user="alex")
    assert active(memory, user="alex") == ["I'm allergic to walnuts"]


def test_undo(memory):
    old = memory.remember("I live in Berlin", user="alex").memory
    memory.remember("I live in Oslo", user="alex")
    memory.restore(old.memory_id, user="alex", reason="never moved")
    assert active(memory, user="alex") == ["I live in Berlin"]
    with pytest.raises(IllegalTransition):
        memory.restore(old.memory_id, user="alex")


def test_a_correction_without_a_subject(memory):
    memory.remember("Our standup is at 9", user="alex")
    receipt = memory.remember("not 9, 10", user="alex")
    assert receipt.memory.content == "Our standup is at 10"
    assert active(memory, user="alex") == ["Our standup is at 10"]


def test_editing_a_fact_changes_what_it_claims(memory):
    first = memory.remember("I live in Berlin", user="alex").memory
    memory.edit(first.memory_id, content="I live in Bonn", user="alex")
    assert memory.remember("I live in Bonn", user="alex").outcome == "merged"
    assert len(memory.remember("I live in Oslo", user="alex").superseded) == 1


# S6: scopes never cross


def test_scopes_never_cross(memory):
    memory.remember("I live in Berlin", user="alex", chat="family")
    memory.remember("I live in Oslo", user="alex", chat="family", scope="group")
    memory.remember("I live in Rome", user="alex", scope="shared")
    assert len(active(memory, user="alex", chat="family")) == 3


# S7: who has the say


def test_nobody_overrides_what_somebody_said_of_themself(memory):
    own = memory.remember("I'm vegetarian", user="bob", chat="team", scope="group").memory
    claim = memory.remember("Bob eats meat", user="alice", chat="team", scope="group")
    assert [each.memory_id for each in claim.contradicts] == [own.memory_id] and claim.superseded == ()
    assert memory.show(own.memory_id, user="bob", chat="team").status is Status.ACTIVE


def test_what_somebody_says_of_themself_replaces_hearsay(memory):
    hearsay = memory.remember("Carol is 33", user="alice", chat="team", scope="group").memory
    receipt = memory.remember("I'm 34", user="carol", chat="team", scope="group")
    assert [each.memory_id for each in receipt.superseded] == [hearsay.memory_id]


# S2, S3, S24: people


def test_two_users_wives_are_two(memory):
    memory.remember("My wife Sarah likes tea", user="alice")
    memory.remember("My wife Emma likes coffee", user="bob")
    assert [(each.name, each.label) for each in memory.people(user="alice")] == [("Sarah", "Sarah (wife)")]
    assert contents(memory.recall("what does my wife like", user="bob")) == ["My wife Emma likes coffee"]


def test_everything_about_somebody_also_without_their_name(memory):
    memory.remember("My wife's name is Sarah", user="alex")
    memory.remember("My wife likes Italian food", user="alex")
    memory.remember("Sarah is allergic to cats", user="alex")
    memory.remember("I like Thai food", user="alex")
    for reference in ("Sarah", "my wife", "sarah", memory.people(user="alex")[0].person_id):
        found = memory.recall("anything", user="alex", about=reference)
        assert sorted(contents(found)) == [
            "My wife likes Italian food",
            "My wife's name is Sarah",
            "Sarah is allergic to cats",
        ]
        assert {hit.about for hit in found.hits} == {("Sarah (wife)",)}
    asked = contents(memory.recall("What do I know about Sarah?", user="alex"))
    assert "My wife likes Italian food" in asked
    assert memory.recall("anything", user="alex", about="Nobody").hits == []


def test_people_may_be_named_by_the_caller(memory):
    receipt = memory.remember("Likes tulips", user="alex", about=["my wife Sarah", "Tom"])
    assert sorted(each.label for each in receipt.people) == ["Sarah (wife)", "Tom"]
    assert contents(memory.recall("tulips", user="alex", about="Tom")) == ["Likes tulips"]


@pytest.mark.parametrize("about", [[""], [1], 7, ["x"] * 11])
def test_people_that_are_none_are_refused(memory, about):
    with pytest.raises(InvalidInput):
        memory.remember("Likes tulips", user="alex", about=about)


def test_a_merge_is_followed_by_every_fact_and_can_be_undone(memory):
    memory.remember("My colleague Bob is tall", user="alex")
    memory.remember("Robert likes chess", user="alex")
    memory.remember("Robert is 40", user="alex")
    merged = memory.merge_people("Robert", "Bob", user="alex")
    assert (merged.name, merged.aliases) == ("Bob", ("Robert",))
    assert len(memory.recall("x", user="alex", about="Robert").hits) == 3
    # Claims follow: Bob's age is Robert's.
    assert len(memory.remember("Bob is 41", user="alex").superseded) == 1
    memory.undo_person("Bob", user="alex")
    assert len(memory.people(user="alex")) == 2
    assert contents(memory.recall("x", user="alex", about="Bob")) != []


def test_a_split_is_followed_by_its_facts_and_can_be_undone(memory):
    memory.remember("My friend Tom is tall", user="alex")
    other = memory.remember("Tom lives in Rome", user="alex").memory
    new = memory.split_person("Tom", "Tom Baker", [other.memory_id], relation="dentist", user="alex")
    assert contents(memory.recall("x", user="alex", about=new.person_id)) == ["Tom lives in Rome"]
    with pytest.raises(NotFound) as ambiguous:
        memory.person("Tom", user="alex")
    assert ambiguous.value.code == "person_ambiguous"
    memory.undo_person(new.person_id, user="alex")
    assert len(memory.people(user="alex")) == 1
    assert len(memory.recall("x", user="alex", about="Tom").hits) == 2


def test_a_new_name_keeps_the_old_one_and_can_be_undone(memory):
    memory.remember("My wife Sara likes tea", user="alex")
    renamed = memory.rename_person("Sara", "Sarah", user="alex")
    assert (renamed.name, renamed.aliases) == ("Sarah", ("Sara",))
    assert memory.undo_person("Sarah", user="alex").name == "Sara"
    with pytest.raises(IllegalTransition):
        memory.undo_person("Sara", user="alex")


def test_merges_are_undone_one_after_the_other(memory):
    for text in ("Tom lives in Paris", "Thomas likes beer", "Bob is 40"):
        memory.remember(text, user="alex")
    memory.merge_people("Thomas", "Tom", user="alex")
    memory.merge_people("Tom", "Bob", user="alex")
    memory.undo_person("Bob", user="alex")
    memory.undo_person("Tom", user="alex")
    assert sorted(each.name for each in memory.people(user="alex")) == ["Bob", "Thomas", "Tom"]


@pytest.mark.parametrize("reference", ["Nobody", "my boss", "00000000-0000-7000-8000-000000000000"])
def test_nobody_of_that_name(memory, reference):
    memory.remember("My wife Sarah likes tea", user="alex")
    for call in (memory.person, memory.undo_person, memory.forget_person):
        with pytest.raises(NotFound) as error:
            call(reference, user="alex")
        assert error.value.code == "person_not_found"


def test_another_users_people_are_nobodys(memory):
    memory.remember("My wife Sarah likes tea", user="alex")
    person = memory.people(user="alex")[0]
    with pytest.raises(NotFound):
        memory.rename_person(person.person_id, "Mallory", user="mallory")
    assert memory.people(user="mallory") == []


# S8: secrets, by every way in


def test_secrets_are_refused_with_a_reason_that_does_not_show_them(memory, logged):
    receipt = memory.remember(f"my token is {SECRET}", user="alex")
    assert (receipt.outcome, receipt.code, receipt.memory) == ("refused", "secret_detected", None)
    assert SECRET not in str(receipt)
    kept = memory.remember("I like tea", user="alex").memory
    with pytest.raises(Exception, match="secret") as refused:
        memory.edit(kept.memory_id, content=f"my token is {SECRET}", user="alex")
    assert refused.value.code == "secret_detected" and SECRET not in str(refused.value)
    assert memory.supersede(kept.memory_id, content=f"token {SECRET}", user="alex").outcome == "refused"
    assert memory.list(user="alex")[0].content == "I like tea"
    memory.remember("I like rice", user="alex", summary=f"see {SECRET}", reason=f"because {SECRET}")
    assert memory.verify_erased(SECRET).clean


def test_elsewhere_secrets_are_masked(memory):
    session = memory.session_of(user="alex")
    memory.persist_turn(session.session_id, f"my token is {SECRET}", f"I will not keep {SECRET}")
    memory.add_document(f"Manual. The token is {SECRET}. " + "Text. " * 400, user="alex", scope="personal")
    memory.update_profile("alex", notes=f"token {SECRET}")
    handle = memory.create_session(user="alex")
    handle.call("kv_set", "token", SECRET)
    handle.call("kv_set", "password", "sunshine9")
    handle.call("transcript_append", "user", f"my token is {SECRET}")
    memory.extract([("user", f"I live in Rome. My token is {SECRET}.")], user="alex")
    assert "[removed" in memory.messages(session.session_id)[0].content
    assert handle.call("kv_get", "password") != "sunshine9"
    assert memory.verify_erased(SECRET).clean and memory.verify_erased("sunshine9").clean


# Expiry (S9), decay and the cap (S11)


@pytest.mark.parametrize(
    ("expires", "days"), [("14d", 14), ("for 2 weeks", 14), ("2 weeks", 14), (timedelta(days=3), 3)]
)
def test_expiry_in_words(memory, clock, expires, days):
    memory.remember("I'm on a diet", user="alex", expires=expires)
    clock.advance(days=days, seconds=-1)
    assert active(memory, user="alex") == ["I'm on a diet"]
    clock.advance(seconds=2)
    assert active(memory, user="alex") == []


def test_expiry_in_the_sentence(memory, clock):
    memory.remember("Remember for 2 weeks that I'm on a diet", user="alex")
    clock.advance(days=15)
    assert memory.recall("diet", user="alex").hits == []


def test_ephemeral_types_decay_when_they_are_read(memory, clock):
    memory.remember("The kettle is broken", user="alex", type="Observation")
    memory.remember("I drink tea", user="alex")
    memory.remember("The door squeaks", user="alex", type="Observation", expires="never")
    clock.advance(days=3, hours=1)
    assert active(memory, user="alex") == ["The door squeaks", "I drink tea"]


def test_the_cap_holds_per_owner_and_nothing_is_lost_silently(open_memory):
    with open_memory(settings={"memory": {"max_entries": 3}}) as memory:
        memory.remember("I keep a diary", user="alex", importance=100)
        memory.remember("I like tea", user="alex", importance=10)
        memory.remember("I like rice", user="alex", importance=40)
        for number in range(3):
            memory.remember(f"Fact number {number} of Bob", user="bob", importance=1)
        receipt = memory.remember("I like figs", user="alex", importance=40)
        assert [each.content for each in receipt.archived] == ["I like tea"]
        assert sorted(active(memory, user="alex")) == ["I keep a diary", "I like figs", "I like rice"]
        assert len(active(memory, user="bob")) == 3
        gone = memory.list(user="alex", statuses=["archived"])
        assert [each.content for each in gone] == ["I like tea"]
        assert "evicted" in memory.history(gone[0].memory_id, user="alex")[-1].reason
        assert memory.restore(gone[0].memory_id, user="alex").status is Status.ACTIVE


def test_a_batch_within_a_cap_keeps_the_newest_word(open_memory):
    with open_memory(settings={"memory": {"max_entries": 2}}) as memory:
        memory.remember("I live in Berlin", user="alex")
        memory.remember_many(
            [{"content": "foo bar baz", "importance": 60}, {"content": "I live in Paris", "importance": 10}],
            user="alex",
        )
        assert sorted(active(memory, user="alex")) == ["I live in Paris", "foo bar baz"]


# Links and facts


def test_a_caller_may_still_link_and_supersede(memory):
    first = memory.remember("The demo is ready", user="alex").memory
    receipt = memory.remember(
        "The demo slipped", user="alex", links=[Link(to_memory_id=first.memory_id, edge_type="RelatedTo")]
    )
    assert receipt.outcome == "stored"
    assert memory.supersede(first.memory_id, content="The demo is done", user="alex").superseded


# S23: every way in makes the same rows


def test_every_way_in_makes_the_same_memory(memory, run, engine):
    del engine
    memory.remember("My wife Sarah likes tulips", user="api")
    memory.remember_many(["My wife Sarah likes tulips"], user="batch")
    memory.extract([("user", "My wife Sarah likes tulips")], user="learned")
    run("remember", "My wife Sarah likes tulips", "--user", "cli", "--orchestrator", "home")
    rows = []
    for user in ("api", "batch", "learned", "cli"):
        (found,) = memory.list(user=user)
        people = [each.label for each in memory.people(user=user)]
        rows.append((found.content, found.type, found.importance, found.status, people))
    assert rows[1:] == [rows[0]] * 3
