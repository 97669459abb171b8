"""Stored text is shown as text, wherever it stands: no script, markup or link in it does anything."""

from __future__ import annotations

import pytest

import recollect
from looking import expect
from recollect.testing import FakeClock
from serving import Served

EVIL = [
    "<img src=x onerror=\"window.hacked='image'\">",
    "<script>window.hacked='script'</script>",
    "[click](javascript:window.hacked='link')",
    "{{constructor.constructor('window.hacked=1')()}}",
    "</textarea><svg onload=window.hacked='svg'>",
    '<a href="https://example.org/" class=evil>here</a>',
    '" onmouseover="window.hacked=\'attribute\'" x="',
]
TEXT = " ".join(EVIL)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """Hostile text in every field that takes text."""
    root = tmp_path_factory.mktemp("hostile")
    with recollect.open(root, orchestrator="home") as memory:
        one = memory.remember(TEXT, user="alex", verbatim=True, summary=TEXT).memory.memory_id
        other = memory.remember(f"The opposite of {TEXT}", user="alex", verbatim=True).memory.memory_id
        memory.contradict(one, other, user="alex")
        memory.link(one, other, user="alex", reason=TEXT[:200])
        memory.edit(one, user="alex", importance=70, reason=TEXT[:200])
        memory.remember("My friend Zoe sings", user="alex")
        zoe = memory.person("Zoe", user="alex").person_id
        memory.rename_person(zoe, EVIL[0], user="alex")
        session = memory.session_of("chat", user="alex").session_id
        memory.persist_turn(session, TEXT, f"Answer: {TEXT}")
        fingerprint = recollect.TurnFingerprint(turn_id="t1", made_at=FakeClock().now()).updated(
            objective=TEXT[:200], topics=[EVIL[0][:40]], facts=[{"key": "k", "value": EVIL[1]}]
        )
        memory.keep_turn(
            recollect.Turn(
                place=recollect.Place("alex", session, "t1"), fingerprint=fingerprint, message=TEXT, answer=TEXT
            )
        )
        file = root / "<img src=x onerror=window.hacked=1>.txt"
        file.write_text(f"{TEXT}\n")
        memory.ingest([file], user="alex", scope="personal")
    server = Served(root, root)
    server.ids = {"one": one, "zoe": zoe, "session": session}
    yield server
    server.stop()


def places(ids):
    return [
        "/", "/?q=opposite of the image", "/graph", f"/graph?around={ids['one']}", "/timeline",
        "/prompt?message=opposite", "/conflicts", "/people", f"/people/{ids['zoe']}", "/sessions",
        f"/sessions/{ids['session']}",
        f"/turns?which={ids['session']}", "/ingest", "/upkeep", "/status", f"/memory/{ids['one']}",
    ]  # fmt: skip


def test_nothing_stored_runs_anywhere(hostile, tab):
    for place in places(hostile.ids):
        tab.goto(hostile.url + place)
        expect(tab.locator(".title, .quote").first).to_be_visible()
        tab.wait_for_timeout(400)
        for opener in tab.locator(".why .q-item").all()[:2]:
            opener.click()
        for marked in tab.locator(".content, .quote, .person, .item").all()[:8]:
            marked.hover()
        assert tab.evaluate("window.hacked") is None, place
        assert tab.locator("a.evil, .page img[src=x], .page svg[onload]").count() == 0, place
        assert tab.locator(".page a[href^='javascript'], .page a[href*='example.org']").count() == 0, place


def test_it_is_shown_letter_by_letter(hostile, tab):
    tab.goto(f"{hostile.url}/memory/{hostile.ids['one']}")
    assert tab.locator(".quote").text_content() == TEXT
    tab.goto(f"{hostile.url}/people/{hostile.ids['zoe']}")
    expect(tab.locator(".title")).to_contain_text(EVIL[0])


def test_it_can_be_edited_like_any_other(hostile, tab):
    tab.goto(f"{hostile.url}/memory/{hostile.ids['one']}")
    tab.get_by_role("button", name="Edit").click()
    assert tab.get_by_role("dialog").locator("textarea").input_value() == TEXT
    tab.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    assert tab.evaluate("window.hacked") is None


def test_a_search_for_it_is_only_a_search(hostile, tab):
    tab.goto(hostile.url)
    tab.get_by_label("Search").fill(EVIL[1])
    expect(tab.locator(".hit").first).to_be_visible()
    tab.reload()
    expect(tab.get_by_label("Search")).to_have_value(EVIL[1])
    assert tab.evaluate("window.hacked") is None
