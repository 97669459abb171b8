"""What a person sees and does in the inspector, in a real browser before a real server."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from itertools import pairwise

import httpx
import pytest

from looking import expect
from serving import Served

PAGES = ("/", "/graph", "/timeline", "/prompt", "/conflicts", "/people", "/sessions", "/ingest", "/upkeep", "/status")


def shown(server, memory_id):
    return server.post("/v1/show", {"memoryId": memory_id}).json()["memory"]


# Search


def test_search_finds_as_you_type_and_says_why(life, tab, picture):
    tab.goto(life.url)
    tab.get_by_label("Search").press_sequentially("What food does my wife like?", delay=10)
    first = tab.locator(".hit").first
    expect(first.locator(".content")).to_have_text("My wife Sarah likes Italian food")
    expect(first.locator(".person")).to_have_text("Sarah (wife)")
    expect(tab.get_by_text(re.compile(r"\d+ results? · hybrid"))).to_be_visible()
    first.locator(".why .q-item").first.click()
    expect(first.locator(".reasons")).to_be_visible()
    told = first.locator(".reasons").inner_text()
    assert "words" in told and "meaning" in told and "#1" in told and "recency" in told and "relevance" in told
    assert first.locator(".fill").first.bounding_box()["width"] > 10
    expect(tab.get_by_text(re.compile("Left out: .*not about the question"))).to_be_visible()
    tab.wait_for_timeout(400)  # it opens slowly enough to be seen
    picture("search")
    tab.go_back()
    tab.go_forward()
    expect(tab.get_by_label("Search")).to_have_value("What food does my wife like?")


def test_search_filters_by_type_and_time_and_shows_nothing_rather_than_something_else(life, tab):
    tab.goto(f"{life.url}/?q=where do I live")
    expect(tab.locator(".hit .content").first).to_have_text("I live in Oslo")
    tab.get_by_label("As of").fill(life.day(-15))
    expect(tab.locator(".hit .content").first).to_have_text("I live in Berlin")
    tab.goto(f"{life.url}/?q=quantum chromodynamics lattice")
    expect(tab.get_by_text("Nothing is about this.")).to_be_visible()
    tab.get_by_text("Relevant only", exact=True).click()
    expect(tab.locator(".hit").first).to_be_visible()


def test_nothing_of_another_user_is_found(life, tab):
    tab.goto(f"{life.url}/?q=treasure quince")
    tab.get_by_text("Relevant only", exact=True).click()
    expect(tab.locator(".hit").first).to_be_visible()
    assert "quince" not in tab.locator(".results").inner_text()


def test_an_empty_memory_says_what_to_do_and_loads_a_sample(tmp_path, tab, picture):
    server = Served(tmp_path, tmp_path)
    try:
        for path in PAGES:
            tab.goto(server.url + path)
            expect(tab.locator(".page")).to_be_visible()
        tab.goto(server.url)
        expect(tab.get_by_text("There is nothing here yet.")).to_be_visible()
        picture("empty")
        tab.get_by_role("button", name="Load sample data").click()
        expect(tab.locator(".memory").first).to_be_visible()
        tab.goto(f"{server.url}/conflicts")
        expect(tab.locator(".pair")).to_have_count(1)
        tab.goto(f"{server.url}/people")
        expect(tab.get_by_text("Sarah (wife)")).to_be_visible()
    finally:
        server.stop()


def test_a_memory_that_the_command_line_adds_appears_without_reload(life, tab):
    tab.goto(life.url)
    expect(tab.locator(".memory").first).to_be_visible()
    subprocess.run(
        [sys.executable, "-m", "recollect", "remember", "My bicycle is green", "--user", "alex"],
        env={**os.environ, "RECOLLECT_ROOT": str(life.root), "RECOLLECT_ORCHESTRATOR": "home"},
        check=True,
        capture_output=True,
    )
    expect(tab.locator(".memory .content", has_text="My bicycle is green")).to_be_visible()


# One memory


@pytest.fixture
def fact(life):
    """A memory of this test's own."""
    return life.post("/v1/remember", {"content": f"My lucky number is {os.urandom(3).hex()}"}).json()["memory"]


def opened(life, tab, memory_id):
    tab.goto(f"{life.url}/memory/{memory_id}")
    expect(tab.locator(".quote")).to_be_visible()


def test_a_memory_shows_what_it_is_where_it_came_from_and_what_happened(life, tab, picture):
    opened(life, tab, life.ids["I live in Oslo"])
    page = tab.locator(".page").inner_text()
    for told in ("I live in Oslo", "alex alone", "Learned", "manual", "stated", "Updates", "I live in Berlin"):
        assert told in page, told
    picture("memory")
    tab.get_by_text("I live in Berlin").click()
    expect(tab.locator(".quote")).to_have_text("I live in Berlin")
    expect(tab.locator(".history")).to_contain_text("active → superseded")


def test_edit_and_undo(life, tab, fact):
    opened(life, tab, fact["memoryId"])
    tab.get_by_role("button", name="Edit").click()
    tab.get_by_label("What it says").fill("My lucky number is seven")
    tab.get_by_role("button", name="Save").click()
    expect(tab.locator(".quote")).to_have_text("My lucky number is seven")
    expect(tab.locator(".history")).to_contain_text("edited in the inspector")
    tab.get_by_role("button", name="Undo").click()
    expect(tab.locator(".quote")).to_have_text(fact["content"])


def test_pin_and_unpin(life, tab, fact):
    opened(life, tab, fact["memoryId"])
    tab.get_by_role("button", name="Pin", exact=True).click()
    expect(tab.locator(".said .badge", has_text="pinned")).to_be_visible()
    assert shown(life, fact["memoryId"])["importance"] == 100
    tab.get_by_role("button", name="Undo").click()
    expect(tab.locator(".said .badge", has_text="pinned")).to_have_count(0)
    assert shown(life, fact["memoryId"])["importance"] == fact["importance"]


def test_supersede_and_undo(life, tab, fact):
    opened(life, tab, fact["memoryId"])
    tab.get_by_role("button", name="Supersede").click()
    tab.get_by_label("The new memory").fill(fact["content"] + " and a half")
    tab.get_by_role("dialog").get_by_role("button", name="Supersede").click()
    expect(tab.locator(".said .badge", has_text="superseded")).to_be_visible()
    tab.get_by_role("button", name="Undo").click()
    expect(tab.locator(".said .badge", has_text="superseded")).to_have_count(0)
    assert shown(life, fact["memoryId"])["status"] == "active"


def test_retract_asks_waits_and_can_be_stopped(life, tab, fact):
    opened(life, tab, fact["memoryId"])
    tab.get_by_role("button", name="Retract").click()
    tab.get_by_role("button", name="Cancel").click()
    expect(tab.get_by_role("dialog")).to_have_count(0)
    tab.get_by_role("button", name="Retract").click()
    tab.get_by_role("dialog").get_by_role("button", name="Retract").click()
    expect(tab.get_by_text("Retracting in 6 seconds.")).to_be_visible()
    tab.get_by_role("button", name="Undo").click()
    expect(tab.get_by_text("Retracting in 6 seconds.")).to_have_count(0)
    tab.wait_for_timeout(6500)
    assert shown(life, fact["memoryId"])["status"] == "active"
    tab.get_by_role("button", name="Retract").click()
    tab.get_by_role("dialog").get_by_role("button", name="Retract").click()
    expect(tab.locator(".said .badge", has_text="retracted")).to_be_visible(timeout=15_000)
    assert shown(life, fact["memoryId"])["status"] == "retracted"


def test_forget_erases_for_good_even_if_the_page_is_left(life, tab, fact):
    opened(life, tab, fact["memoryId"])
    tab.get_by_role("button", name="Forget").click()
    expect(tab.get_by_text("It is erased for good")).to_be_visible()
    tab.get_by_role("dialog").get_by_role("button", name="Forget").click()
    expect(tab.get_by_text("Forgetting in 6 seconds.")).to_be_visible()
    tab.goto(f"{life.url}/status")
    tab.wait_for_timeout(8000)
    assert life.post("/v1/show", {"memoryId": fact["memoryId"]}).status_code == 404
    tab.goto(f"{life.url}/memory/{fact['memoryId']}")
    expect(tab.get_by_text(re.compile("no memory"))).to_be_visible()


def test_what_was_learned_from_a_message_leads_to_it(life, tab):
    learned = life.post("/v1/recall", {"query": "Which instrument do I play?"}).json()["hits"][0]["memory"]
    opened(life, tab, learned["memoryId"])
    tab.get_by_text("What was said").click()
    expect(tab.locator(".said-by.chosen")).to_contain_text("I play the cello")


def test_what_is_typed_survives_what_happens_elsewhere(life, tab, fact):
    opened(life, tab, fact["memoryId"])
    tab.get_by_role("button", name="Edit").click()
    field = tab.get_by_role("dialog").locator("textarea")
    field.fill("Half a thought")
    life.post("/v1/remember", {"content": "The lighthouse keeper grows roses"})
    tab.wait_for_timeout(3_500)
    assert field.input_value() == "Half a thought"
    field.fill("my password is hunter2hunter2")
    tab.get_by_role("dialog").get_by_role("button", name="Save").click()
    expect(tab.locator(".q-notification").first).to_be_visible()  # refused, and what was typed is still there
    assert field.input_value() == "my password is hunter2hunter2"
    field.fill("A whole thought")
    tab.get_by_role("dialog").get_by_role("button", name="Save").click()
    expect(tab.locator(".quote")).to_have_text("A whole thought")


def test_while_something_waits_to_be_forgotten_it_can_only_be_stopped(life, tab, fact):
    opened(life, tab, fact["memoryId"])
    tab.get_by_role("button", name="Forget").click()
    tab.get_by_role("dialog").get_by_role("button", name="Forget").click()
    expect(tab.get_by_text(re.compile(r"Forgetting in \d seconds?"))).to_be_visible()
    expect(tab.get_by_role("button", name="Pin")).to_have_count(0)
    tab.get_by_role("button", name="Undo").click()
    tab.wait_for_timeout(7_000)
    assert shown(life, fact["memoryId"])["status"] == "active"
    expect(tab.get_by_role("button", name="Pin")).to_be_visible()


def test_what_is_forgotten_elsewhere_leaves_the_page(life, tab, fact):
    opened(life, tab, fact["memoryId"])
    life.post("/v1/forget", {"memoryId": fact["memoryId"]})
    expect(tab.get_by_text("This memory is not there any more.")).to_be_visible(timeout=8_000)


# Graph


_NODE = """name => {
  const element = document.querySelector('.chart');
  const chart = getElement(element).chart;
  const data = chart.getModel().getSeriesByIndex(0).getData();
  for (let i = 0; i < data.count(); i++) {
    if (data.getName(i) !== name) continue;
    const shape = data.getItemGraphicEl(i);
    const point = shape.transformCoordToGlobal(0, 0);
    const box = element.getBoundingClientRect();
    return [box.x + point[0], box.y + point[1]];
  }
  return null;
}"""


_OUTSIDE = """() => {
  const element = document.querySelector('.chart');
  const chart = getElement(element).chart;
  const data = chart.getModel().getSeriesByIndex(0).getData();
  const box = element.getBoundingClientRect();
  let outside = 0;
  for (let i = 0; i < data.count(); i++) {
    const [x, y] = data.getItemGraphicEl(i).transformCoordToGlobal(0, 0);
    if (x < 0 || y < 0 || x > box.width || y > box.height) outside++;
  }
  return outside;
}"""


def test_the_graph_shows_memories_people_and_contradictions(life, tab, picture):
    tab.goto(f"{life.url}/graph")
    expect(tab.locator(".chart canvas")).to_be_visible()
    expect(tab.get_by_text(re.compile(r"\d+ memories, 3 people, \d+ edges, 1 contradiction"))).to_be_visible()
    tab.wait_for_timeout(2500)
    picture("graph")
    node = tab.evaluate(_NODE, "Sarah (wife)")
    tab.mouse.click(*node)
    expect(tab.locator(".side")).to_contain_text("My wife Sarah likes Italian food")
    assert tab.evaluate(_OUTSIDE) == 0  # all of it is seen
    tab.mouse.click(*tab.evaluate(_NODE, "Sarah (wife)"))  # a second click adds what is around it
    expect(tab.get_by_text(re.compile("1 contradiction"))).to_be_visible()
    tab.get_by_role("button", name="Only this").click()
    expect(tab.get_by_role("button", name="Everything")).to_be_visible()
    expect(tab.get_by_text(re.compile(r"^\d+ memories, \d"))).not_to_contain_text("contradiction")
    tab.get_by_role("button", name="Everything").click()
    expect(tab.get_by_text(re.compile("1 contradiction"))).to_be_visible()


def test_the_graph_of_two_thousand_is_usable(tmp_path, tab, picture):
    import recollect

    with recollect.open(tmp_path, orchestrator="home") as memory:
        receipts = memory.remember_many(
            [{"content": f"Note {n} about the harbour park", "verbatim": True} for n in range(2_000)], user="alex"
        )
        ids = [each.memory.memory_id for each in receipts]
        for one, other in pairwise(ids):
            if hash((one, 7)) % 2:
                memory.link(one, other, user="alex")
    server = Served(tmp_path, tmp_path)
    try:
        tab.goto(f"{server.url}/graph")
        tab.get_by_label("At most").click()
        tab.get_by_role("option", name="2000").click()
        expect(tab.get_by_text(re.compile("^2000 memories"))).to_be_visible(timeout=30_000)
        tab.wait_for_timeout(3000)
        picture("graph-2000")
        # It answers while it is drawn: a click on a node is told within the time a person would wait.
        names = [f"Note {n} about the harbour park" for n in range(0, 2000, 97)]
        for name in names:
            node = tab.evaluate(_NODE, name)
            if node and 300 < node[0] < 900 and 250 < node[1] < 700:
                tab.mouse.click(*node)
                break
        expect(tab.locator(".side .memory").first).to_be_visible(timeout=5_000)
    finally:
        server.stop()


def test_a_sample_that_is_loaded_on_the_graph_is_drawn_and_found_by_its_words(tmp_path, tab):
    server = Served(tmp_path, tmp_path)
    try:
        tab.goto(f"{server.url}/graph")
        tab.get_by_role("button", name=re.compile("sample", re.IGNORECASE)).click()
        expect(tab.locator(".chart canvas")).to_be_visible(timeout=20_000)
        expect(tab.get_by_text(re.compile("1 contradiction"))).to_be_visible(timeout=20_000)
        find = tab.get_by_label("Find")  # no mouse is needed to look around
        find.focus()
        find.press_sequentially("Sarah (wife", delay=20)
        tab.keyboard.press("ArrowDown")
        tab.keyboard.press("Enter")
        expect(tab.locator(".side")).to_contain_text("My wife Sarah likes Italian food")
    finally:
        server.stop()


# Timeline


def test_the_timeline_goes_back_and_tells_what_changed(life, tab, picture):
    tab.goto(f"{life.url}/timeline")
    expect(tab.locator(".bars canvas")).to_be_visible()
    picture("timeline")
    listed = tab.locator(".panel", has=tab.get_by_text("As it was"))
    expect(listed).to_contain_text("I live in Oslo")
    listed.locator("input[type=date]").fill(life.day(-17))
    expect(listed).to_contain_text("I live in Berlin")
    expect(listed).not_to_contain_text("I live in Oslo")
    changed = tab.locator(".panel", has=tab.get_by_text("What changed between two days"))
    changed.get_by_label("From").fill(life.day(-12))
    changed.get_by_label("To").fill(life.day(-1))
    expect(changed).to_contain_text("I live in Oslo")
    expect(changed).to_contain_text("No longer the same status")
    expect(changed).not_to_contain_text("My brother Tom lives in Lisbon")
    changed.get_by_label("From").fill(life.day(-100))
    changed.get_by_label("To").fill(life.day(-90))
    expect(changed).to_contain_text("Nothing.")
    tab.get_by_role("button", name="By source").click()
    expect(tab.locator(".bars canvas")).to_be_visible()


# What the model sees


def test_what_the_model_sees_is_what_the_api_sends_and_cites(life, tab, picture):
    tab.goto(f"{life.url}/prompt")
    tab.get_by_label("Message").fill("What shall I cook for my wife?")
    sent = tab.locator(".panel.sent")
    expect(sent.nth(1)).to_contain_text("Italian food")
    bulletin = life.post("/v1/bulletin", {"message": "What shall I cook for my wife?"}).json()
    expect(sent.nth(0)).to_contain_text(f"{bulletin['tokenCount']} tokens")
    assert sent.nth(0).locator(".verbatim").inner_text().strip() == bulletin["text"].strip()
    context = life.post("/v1/context", {"message": "What shall I cook for my wife?"}).json()
    assert sent.nth(1).locator(".verbatim").inner_text().strip() == context["text"].strip()
    picture("prompt")
    tab.get_by_label("Conversation").click()
    tab.get_by_role("option").first.click()
    expect(sent.nth(2)).to_contain_text("Plan the harbour park")
    sent.nth(1).locator("a").first.click()
    expect(tab.locator(".quote")).to_be_visible()


# Conflicts, people, sessions


def test_a_conflict_is_settled_by_keeping_one(tmp_path, tab, picture):
    import recollect

    with recollect.open(tmp_path, orchestrator="home") as memory:
        one, other = (
            memory.remember(text, user="alex", verbatim=True).memory.memory_id
            for text in ("The launch is in May", "The launch is in June")
        )
        memory.contradict(one, other, user="alex")
    server = Served(tmp_path, tmp_path)
    try:
        tab.goto(f"{server.url}/conflicts")
        expect(tab.locator(".pair")).to_have_count(1)
        picture("conflicts")
        side = tab.locator(".pair > div", has_text="The launch is in June")
        side.get_by_role("button", name="Keep this one").click()
        expect(tab.get_by_text("Nothing contradicts anything.")).to_be_visible()
        assert shown(server, one)["status"] == "superseded" and shown(server, other)["status"] == "active"
    finally:
        server.stop()


def test_people_are_renamed_merged_undone_and_forgotten(life, tab, picture):
    for text in ("My colleague Robert likes jazz", "My friend Bob plays chess"):
        life.post("/v1/remember", {"content": text})
    tab.goto(f"{life.url}/people")
    expect(tab.get_by_text("Sarah (wife)")).to_be_visible()
    picture("people")
    tab.get_by_text("Bob (friend)").click()
    expect(tab.locator(".page")).to_contain_text("My friend Bob plays chess")
    tab.get_by_role("button", name="Merge").click()
    tab.get_by_label("The other").click()
    tab.get_by_role("option", name="Robert (colleague)").click()
    tab.get_by_role("dialog").get_by_role("button", name="Merge").click()
    expect(tab.locator(".page")).to_contain_text("My colleague Robert likes jazz")
    tab.get_by_role("button", name="Undo the last change").click()
    expect(tab.locator(".page")).not_to_contain_text("My colleague Robert likes jazz")
    tab.get_by_role("button", name="Rename").click()
    tab.get_by_label("Name", exact=True).fill("Robin")
    tab.get_by_role("dialog").get_by_role("button", name="Rename").click()
    expect(tab.locator(".title")).to_contain_text("Robin")
    tab.get_by_role("button", name="Forget").click()
    tab.get_by_role("dialog").get_by_role("button", name="Forget").click()
    expect(tab.locator(".title")).to_have_text("People")
    expect(tab.get_by_text("Robin")).to_have_count(0)
    assert "chess" not in life.post("/v1/list", {"limit": 100}).text


def test_sessions_show_what_was_said_turns_and_feedback(life, tab, picture):
    tab.goto(f"{life.url}/sessions")
    tab.locator(".memory").first.click()
    expect(tab.locator(".said-by.user").first).to_contain_text("I play the cello")
    picture("session")
    tab.get_by_text("Turns of this session").click()
    turn = tab.locator(".panel.turn")
    expect(turn).to_contain_text("Plan the harbour park")
    expect(turn).to_contain_text("When does the park open?")
    expect(turn).to_contain_text("opening: May")
    turn.get_by_label("This answer was not ok").click()
    expect(turn).to_contain_text("feedback: not ok")
    picture("turns")


# Ingest, upkeep, health


def test_a_dropped_file_becomes_memories(life, tab, picture, tmp_path):
    tab.goto(f"{life.url}/ingest")
    notes = tmp_path / "garden.md"
    notes.write_text("# Garden\n\nThe birches along the fence need water twice a week in summer.\n")
    tab.locator("input[type=file]").set_input_files(notes)
    expect(tab.locator(".notes")).to_contain_text("processed")
    expect(tab.locator(".results")).to_contain_text("garden.md")
    picture("ingest")
    found = life.post("/v1/recall", {"query": "How often do the birches need water?"}).json()["hits"]
    assert "twice a week" in found[0]["memory"]["content"]
    refused = tmp_path / "broken.json"
    refused.write_text("{nothing")
    tab.locator("input[type=file]").set_input_files(refused)
    expect(tab.locator(".notes")).to_contain_text("rejected")


def test_upkeep_says_what_would_be_put_away_and_does_it(life, tab, picture):
    tab.goto(f"{life.url}/upkeep")
    expect(tab.get_by_text(re.compile(r"\d+ that were replaced"))).to_be_visible()
    expect(tab.get_by_text("I live in Berlin")).to_be_visible()
    picture("upkeep")
    tab.get_by_role("button", name="Look for what is wrong").click()
    expect(tab.get_by_text(re.compile("memories were looked at"))).to_be_visible()
    tab.get_by_role("button", name="Put them away").click()
    tab.get_by_role("dialog").get_by_role("button", name="Put away").click()
    expect(tab.get_by_text("Nothing: all that is there counts.")).to_be_visible()


def test_health_shows_sizes_latency_and_what_waits(life, tab, picture):
    tab.goto(f"{life.url}/?q=tea")
    expect(tab.locator(".hit").first).to_be_visible()
    tab.goto(f"{life.url}/status")
    page = tab.locator(".page")
    for told in ("memories", "vectors missing", "on disk", "recall", "p95 ms"):
        expect(page).to_contain_text(told)
    assert re.search(r"recall\s+[\d.]+\s+[\d.]+", page.inner_text())
    picture("health")


# The frame


@pytest.mark.parametrize("width", [1280, 390])
def test_every_page_fits_its_window(life, tab, picture, width):
    tab.set_viewport_size({"width": width, "height": 800})
    single = [f"/memory/{life.ids['I live in Oslo']}", f"/sessions/{life.ids['session']}"]
    for path in (*PAGES, *single, f"/turns?which={life.ids['session']}", "/?q=my wife"):
        tab.goto(life.url + path)
        expect(tab.locator(".title, .quote").first).to_be_visible()
        tab.wait_for_timeout(400)
        assert tab.evaluate("document.documentElement.scrollWidth") <= width, path
        wide = tab.evaluate(
            """() => [...document.querySelectorAll('.page *')].filter(e => !e.closest('.chart, .bars, svg')
                 && e.getBoundingClientRect().right > innerWidth + 1).map(e => e.className).slice(0, 3)"""
        )
        assert wide == [], (path, wide)
        picture(f"{width}-{re.sub('[^a-z]', '', path.partition('?')[0])[:8] or 'search'}")


def test_a_phone_reaches_every_page_by_the_menu(life, tab):
    tab.set_viewport_size({"width": 390, "height": 800})
    tab.goto(life.url)
    tab.get_by_role("button", name="Pages").click()
    tab.get_by_role("link", name="What the model sees").click()
    expect(tab.locator(".title")).to_have_text("What the model sees")


def test_light_and_dark_are_remembered(life, tab, picture):
    tab.goto(life.url)
    before = tab.evaluate("getComputedStyle(document.body).backgroundColor")
    tab.get_by_role("button", name="Light or dark").click()
    expect(tab.locator("body.body--dark")).to_have_count(1)
    after = tab.evaluate("getComputedStyle(document.body).backgroundColor")
    assert after != before
    tab.goto(f"{life.url}/?q=my wife")
    expect(tab.locator("body.body--dark")).to_have_count(1)
    picture("search-dark")


def test_the_keyboard_is_enough(life, tab):
    tab.goto(f"{life.url}/status")
    expect(tab.locator(".figure").first).to_be_visible()
    tab.keyboard.press("Tab")
    assert tab.evaluate("document.activeElement.textContent").strip() == "Skip to content"
    tab.keyboard.press("/")
    expect(tab.get_by_label("Search")).to_be_focused()
    tab.keyboard.type("Where do I live?")
    expect(tab.locator(".hit .content").first).to_have_text("I live in Oslo")
    tab.locator(".hit a").first.focus()
    tab.keyboard.press("Enter")
    expect(tab.locator(".quote")).to_have_text("I live in Oslo")


def test_what_is_not_there_is_not_found_in_words(life, tab):
    tab.goto(f"{life.url}/memory/01a1e606-8808-7b68-ba2c-ff0b1c65cb6a")
    expect(tab.get_by_text(re.compile("no memory 01a1e606"))).to_be_visible()
    assert httpx.get(f"{life.url}/nothing").json()["error"]["code"] == "not_found"
    assert httpx.get(f"{life.url}/memory/<script>").status_code == 404
    without = Served(life.root, life.root, "--no-inspector")
    try:
        assert httpx.get(without.url).status_code == 404
    finally:
        without.stop()
