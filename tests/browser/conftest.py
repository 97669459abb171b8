"""A real browser before a real server. Without Chromium these tests are skipped: nothing else can do it."""

from __future__ import annotations

import os
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import recollect
from recollect.testing import FakeClock
from serving import Served

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
PICTURES = Path(__file__).parents[2] / "artefacts" / "screenshots"


@pytest.fixture(scope="module")
def browser():
    if CHROMIUM is None:
        pytest.skip("there is no Chromium on this machine: apt-get install chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield found
        found.close()


@pytest.fixture
def tab(browser):
    """A page that fails the test when a script of ours fails, or when it asks anybody else for anything."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    context.set_default_timeout(15_000)
    page = context.new_page()
    wrong = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("dialog", lambda dialog: (wrong.append(f"dialog: {dialog.message}"), dialog.dismiss()))
    page.on(
        "request",
        lambda asked: (
            None
            if asked.url.startswith(("http://127.0.0.1", "ws://127.0.0.1", "data:", "blob:"))
            else wrong.append(f"asked {asked.url}")
        ),
    )
    yield page
    context.close()
    assert wrong == []


@pytest.fixture(scope="module")
def life(tmp_path_factory):
    """A server over some weeks of a life: (server, memory ids by content)."""
    root = tmp_path_factory.mktemp("inspector")
    os.environ["RECOLLECT_EMBEDDING__PROVIDER"] = "minilm"
    clock = FakeClock(datetime.now(UTC) - timedelta(days=20))
    ids = {}
    with recollect.open(root, orchestrator="home", clock=clock) as memory:

        def told(text, **fields):
            ids[text] = memory.remember(text, user="alex", **fields).memory.memory_id
            clock.advance(hours=7)

        told("My wife Sarah likes Italian food")
        told("Sarah works as a nurse at the county hospital")
        told("My brother Tom lives in Lisbon")
        told("I live in Berlin")
        clock.advance(days=9)
        told("I live in Oslo")
        told("I prefer tea over coffee")
        told("Our daughter Mia is allergic to peanuts", importance=90)
        told("Call the nursery about the birches", type="Todo")
        told("The trial of the garden app ends soon", expires="1d")
        told("According to the city, the park opens in May", type="Observation", verbatim=True)
        told("According to the builder, the park opens in September", type="Observation", verbatim=True)
        memory.contradict(
            ids["According to the city, the park opens in May"],
            ids["According to the builder, the park opens in September"],
            user="alex",
        )
        session = memory.session_of("chat", user="alex").session_id
        memory.persist_turn(session, "Remember that I play the cello", "I will remember that.")
        memory.learn_pending()
        fingerprint = recollect.TurnFingerprint(turn_id="t1", made_at=clock.now()).updated(
            objective="Plan the harbour park", topics=["park"], facts=[{"key": "opening", "value": "May"}]
        )
        memory.keep_turn(
            recollect.Turn(
                place=recollect.Place("alex", session, "t1"),
                fingerprint=fingerprint,
                message="When does the park open?",
                answer="In May.",
            )
        )
        memory.remember("The treasure lies under the quince", user="eve")
        ids["session"] = session
    server = Served(root, root)
    server.ids = ids
    server.root = root
    server.day = lambda days: (datetime.now(UTC) + timedelta(days=days)).date().isoformat()
    yield server
    os.environ.pop("RECOLLECT_EMBEDDING__PROVIDER", None)
    server.stop()


@pytest.fixture(autouse=True)
def _with_the_model(monkeypatch):
    monkeypatch.setenv("RECOLLECT_EMBEDDING__PROVIDER", "minilm")


@pytest.fixture
def picture(tab):
    """Keeps what the page looks like, for people to look at."""

    def keep(name):
        PICTURES.mkdir(parents=True, exist_ok=True)
        tab.locator(".waiting").wait_for(state="detached")
        tab.wait_for_timeout(1_000)  # what moves into its place is there
        tab.screenshot(path=PICTURES / f"{name}.png")

    return keep
