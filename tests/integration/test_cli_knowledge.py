"""Knowledge from the command line, each command in a process of its own, as a new user would type it."""

from __future__ import annotations

import pytest


@pytest.fixture
def talk(run, real_model):
    """Says something to the agent in a process of its own."""
    del real_model
    return lambda text: run("chat", text).out


def test_the_allergy(talk):
    assert "I'm allergic to peanuts" in talk("Remember I'm allergic to peanuts")
    assert "allergic to peanuts" in talk("What should I avoid eating?")


def test_the_wife(talk, run):
    talk("My wife's name is Sarah")
    assert "Sarah" in talk("What's my wife's name?")
    talk("Remember my wife Sarah likes Italian food")
    answer = talk("What does my wife like?")
    assert "Italian food" in answer and "about Sarah" in answer
    assert run("people", "list", "--json").json["people"][0]["name"] == "Sarah"


def test_the_favourite_colour(talk):
    talk("Remember my favorite color is red")
    told = talk("Remember my favorite color is blue")
    assert "No longer: My favorite color is red" in told
    answer = talk("What's my favorite color?")
    assert "blue" in answer and "red" not in answer


def test_what_an_agent_is_told_about_people(run):
    run("remember", "My wife Sarah likes tea", "My colleague Bob is tall", "Robert likes chess")
    shown = run("people", "show", "my wife", "--json").json
    assert (shown["person"]["name"], len(shown["memories"])) == ("Sarah", 1)
    merged = run("people", "merge", "Robert", "Bob", "--json").json["person"]
    assert merged["aliases"] == ["Robert"]
    assert len(run("search", "x", "--about", "Robert", "--json").json["hits"]) == 2
    assert run("people", "undo", "Bob").code == 0
    assert run("people", "rename", "Robert", "Rob").out.split()[1] == "Rob"
    fact = run("search", "x", "--about", "Bob", "--json").json["hits"][0]["memory"]["memoryId"]
    assert run("people", "split", "Bob", "Bobby", fact, "--relation", "coach").code == 0
    assert "coach" in run("people", "list").out
    refused = run("people", "show", "Nobody", "--json")
    assert (refused.code, refused.json["error"]["code"]) == (1, "person_not_found")


def test_a_receipt_tells_what_became_of_it(run):
    run("remember", "I live in Berlin")
    told = run("remember", "I live in Oslo with my wife Sarah")
    assert "in place of" in told.out and "about Sarah (wife)" in told.out
    assert "merged" in run("remember", "I live in Oslo with my wife Sarah").out
    refused = run("remember", "my token is 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", "--json")
    assert refused.code == 1 and refused.json["results"][0]["code"] == "secret_detected"
    assert "ghp_" not in refused.out + refused.err
    given = run("remember", "Likes tulips", "--about", "Sarah", "--expires", "for 2 weeks", "--json").json["results"][0]
    assert given["people"][0]["name"] == "Sarah" and given["memory"]["expiresAt"]


def test_undo(run):
    old = run("remember", "I live in Berlin", "--json").json["results"][0]["memory"]["memoryId"]
    run("remember", "I live in Oslo")
    assert run("reinstate", old).out.startswith("reinstated")
    assert [each["content"] for each in run("list", "--json").json["memories"]] == ["I live in Berlin"]
    assert run("reinstate", old, "--json").json["error"]["code"] == "illegal_transition"


def test_forgetting_asks_and_proves(run):
    kept = run("remember", "I keep zanzibar xylophones", "--json").json["results"][0]["memory"]["memoryId"]
    assert run("verify-erased", "zanzibar xylophones").code == 1
    assert run("forget", kept, stdin="n\n").code == 1
    assert run("forget", kept, stdin="y\n").code == 0
    proof = run("verify-erased", "zanzibar xylophones", "--json")
    assert (proof.code, proof.json) == (0, {"clean": True, "places": []})
    for wrong in ((), ("x", "--everything"), ("--person", "A", "--all-of-user", "B")):
        assert run("forget", *wrong, "--yes", "--json").json["error"]["code"] == "usage"
    run("remember", "My boss Tom sings")
    assert run("forget", "--person", "Tom", "--yes", "--json").json["people"] == 1
    run("remember", "I sing", "--user", "bob")
    assert run("forget", "--all-of-user", "bob", "--yes", "--json").json["memories"] == 1
    assert run("forget", "--everything", "--yes").code == 0
    missing = run("forget", "--everything", "--yes", "--orchestrator", "nosuch", "--json")
    if missing.code:  # on a server there is no folder to look for
        assert missing.json["error"]["code"] == "orchestrator_not_found"
    assert run("stats", "--json").json["memories"] == 0


def test_collecting(run):
    run("remember", "I live in Berlin", "I live in Oslo")
    planned = run("gc", "--dry-run", "--json").json
    assert (len(planned["superseded"]), planned["dryRun"]) == (1, True)
    assert "1 put away" in run("gc").out
    assert "0 put away" in run("gc").out
    assert len(run("list", "--status", "archived", "--json").json["memories"]) == 1


def test_the_doctor(run):
    run("remember", "I live in Oslo")
    healthy = run("doctor")
    assert healthy.code == 0 and "0 findings" in healthy.out
    run("remember", "My boss Tom sings")
    kept = run("search", "x", "--about", "Tom", "--json").json["hits"][0]["memory"]["memoryId"]
    run("forget", kept, "--yes")
    assert run("doctor", "--json").json["findings"][0]["kind"] == "orphan_person"
    assert run("doctor", "--fix", stdin="n\n").code == 1
    assert run("doctor", "--fix", stdin="y\n").code == 0
    assert run("doctor").code == 0
