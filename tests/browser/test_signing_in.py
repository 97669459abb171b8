"""Who may look: tokens in a browser, what each of them shows, and what becomes of one that is taken away."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys

import pytest

import recollect
from looking import expect
from serving import Served


def command(root, *arguments):
    environment = {**os.environ, "RECOLLECT_ROOT": str(root), "RECOLLECT_ORCHESTRATOR": "home"}
    done = subprocess.run(
        [sys.executable, "-m", "recollect", *arguments, "--json"], env=environment, capture_output=True, check=True
    )
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def guarded(tmp_path_factory):
    """A server that wants tokens, and tokens of three people."""
    root = tmp_path_factory.mktemp("guarded")
    with recollect.open(root, orchestrator="home") as memory:
        alex = memory.remember("I live in Oslo", user="alex").memory.memory_id
        eve = memory.remember("The treasure lies under the quince", user="eve").memory.memory_id
    tokens = {
        name: command(root, "token", "create", "--for-user", name, "--rights", rights)
        for name, rights in (("alex", "admin"), ("eve", "read"), ("bob", "write"))
    }
    server = Served(root, root)
    server.root, server.tokens, server.ids = root, tokens, {"alex": alex, "eve": eve}
    yield server
    server.stop()


def signed_in(server, tab, name, place="/"):
    tab.goto(server.url + place)
    tab.get_by_label("Token").fill(server.tokens[name]["token"])
    tab.get_by_role("button", name="Sign in").click()


def test_a_token_opens_the_page_that_was_asked_for(guarded, tab):
    signed_in(guarded, tab, "alex", f"/memory/{guarded.ids['alex']}")
    expect(tab.locator(".quote")).to_have_text("I live in Oslo")
    expect(tab.locator(".who")).to_have_text("alex")
    tab.get_by_role("link", name="Sign out").click()
    expect(tab.get_by_label("Token")).to_be_visible()
    tab.goto(guarded.url)
    expect(tab.get_by_label("Token")).to_be_visible()


def test_a_wrong_token_is_told_so_and_leads_nowhere_else(guarded, tab):
    for place in (
        "/",
        "/sign-in?to=https://example.org/",
        "/sign-in?to=//example.org",
        "/sign-in?to=%22%3E%3Cscript%3E",
    ):
        tab.goto(guarded.url + place)
        tab.get_by_label("Token").fill("rcl_wrong")
        tab.get_by_role("button", name="Sign in").click()
        expect(tab.get_by_role("alert")).to_have_text(re.compile("not valid"))
        tab.get_by_label("Token").fill(guarded.tokens["alex"]["token"])
        tab.get_by_role("button", name="Sign in").click()
        expect(tab.locator(".who")).to_have_text("alex")
        assert tab.url.startswith(guarded.url)
        tab.context.clear_cookies()


def test_a_reader_sees_and_cannot_change(guarded, tab):
    signed_in(guarded, tab, "eve", f"/memory/{guarded.ids['eve']}")
    expect(tab.locator(".quote")).to_contain_text("quince")
    expect(tab.get_by_role("button", name="Edit")).to_have_count(0)
    expect(tab.get_by_role("button", name="Forget")).to_have_count(0)
    tab.goto(f"{guarded.url}/upkeep")
    expect(tab.get_by_text("Upkeep is for administrators.")).to_be_visible()


def test_nobody_reaches_what_is_anothers(guarded, tab):
    signed_in(guarded, tab, "bob", f"/memory/{guarded.ids['eve']}")
    expect(tab.get_by_text(re.compile("no memory"))).to_be_visible()
    for place in (f"/graph?around={guarded.ids['eve']}", "/?q=treasure under the quince", "/timeline", "/people"):
        tab.goto(guarded.url + place)
        expect(tab.locator(".title").first).to_be_visible()
        tab.wait_for_timeout(500)
        assert "quince" not in tab.locator(".page").inner_text()


def test_a_token_that_is_revoked_shows_nothing_more(guarded, tab):
    made = command(guarded.root, "token", "create", "--for-user", "alex", "--rights", "write")
    guarded.tokens["again"] = made
    signed_in(guarded, tab, "again")
    expect(tab.locator(".memory").first).to_be_visible()
    command(guarded.root, "token", "revoke", made["tokenId"])
    expect(tab.get_by_label("Token")).to_be_visible(timeout=10_000)


def test_two_servers_on_one_machine_do_not_take_each_others_tokens(guarded, tab, tmp_path):
    signed_in(guarded, tab, "alex")
    expect(tab.locator(".who")).to_have_text("alex")
    other = Served(tmp_path, tmp_path)
    try:
        tab.goto(other.url)
        expect(tab.get_by_text("There is nothing here yet.")).to_be_visible()
    finally:
        other.stop()
    tab.goto(guarded.url)
    expect(tab.locator(".who")).to_have_text("alex")
