"""With a hundred thousand memories pages come at once, and none of them loads everything."""

from __future__ import annotations

import recollect
from looking import expect
from serving import Served

MANY = 100_000
BATCH = 5_000
MOST_ELEMENTS = 5_000
PAINTED = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"


def test_a_hundred_thousand_memories(tmp_path, tab, monkeypatch):
    monkeypatch.setenv("RECOLLECT_EMBEDDING__PROVIDER", "none")
    quick = {"storage": {"synchronous": "normal"}}
    with recollect.open(tmp_path, orchestrator="home", settings=quick) as memory:
        for start in range(0, MANY, BATCH):
            notes = [
                f"Note {n} of the harbour works, berth {n % 97}, crane {n % 89}" for n in range(start, start + BATCH)
            ]
            memory.remember_many([{"content": note, "verbatim": True} for note in notes], user="alex")
    server = Served(tmp_path, tmp_path)
    try:
        painted = []
        for _ in range(3):
            tab.goto(server.url)
            expect(tab.get_by_text("The newest memories")).to_be_visible()
            painted.append(tab.evaluate(PAINTED))
        print(f"first paint of search with {MANY:,} memories, ms: {[round(each) for each in painted]}")
        # A second is the bound for a person; a busy test machine gets three before this is a defect.
        assert sorted(painted)[1] < 3_000
        tab.get_by_label("Search").fill("crane 17 at berth 4")
        expect(tab.locator(".hit").first).to_be_visible()
        for place in (
            "/",
            "/?q=harbour",
            "/graph",
            "/timeline",
            "/prompt?message=crane",
            "/conflicts",
            "/people",
            "/status",
        ):
            tab.goto(server.url + place)
            expect(tab.locator(".title").first).to_be_visible()
            tab.wait_for_timeout(700)
            assert tab.evaluate("document.querySelectorAll('*').length") < MOST_ELEMENTS, place
    finally:
        server.stop()
