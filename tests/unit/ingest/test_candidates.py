"""What a text says that is worth a memory of its own."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.ingest.candidates import candidates, plain, title_of

TEXT = """# Project Falcon

Some words about nothing in particular, which tell nobody anything.

## Decisions
- We use **PostgreSQL** instead of MySQL
- Weekly releases on [Thursday](https://example.org)

Next steps:
1. Call Bob about the contract
- [ ] Buy milk for the team
- [x] Book the room

Our standup is at 9:00. The launch is on 2026-12-24. Is it late?

**Goal:** reach 1000 users by summer
TODO: write the tests

```
Decision: not in code, this one
```
"""


def test_headings_lists_labels_dates_and_sentences_give_types():
    found = {each.content: each.type.value for each in candidates(TEXT)}
    assert found == {
        "We use PostgreSQL instead of MySQL": "Decision",
        "Weekly releases on Thursday": "Decision",
        "Call Bob about the contract": "Todo",
        "Buy milk for the team": "Todo",
        "Book the room": "Observation",
        "Our standup is at 9:00.": "Fact",
        "The launch is on 2026-12-24.": "Event",
        "reach 1000 users by summer": "Goal",
        "write the tests": "Todo",
    }
    assert title_of(TEXT) == "Project Falcon" and title_of("One line.\nMore") == "One line." and title_of("") is None


@pytest.mark.parametrize("text", ["", "\n\n", "- ", "# ", "```\nx", "- [ ] ", "a: b", "::::", "1. \n2. "])
def test_next_to_nothing_gives_nothing(text):
    assert candidates(text) == []


def test_marks_are_taken_out_and_words_stay():
    assert plain("**bold** `code` _it_ ![pic](x.png) snake_case 2*3*4") == "bold code it pic snake_case 2*3*4"


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="#-*[]x \n:.`TODOdecision0123456789_()!é漢", max_size=400))
def test_whatever_a_text_holds_it_is_read_within_bounds(text):
    found = candidates(text)
    assert len(found) <= 500 and all(each.content.strip() and len(each.content) <= 500 for each in found)


def test_many_lines_are_bounded_and_quick():
    assert len(candidates("\n".join(f"- point number {n} of many" for n in range(20_000)))) == 500
    candidates("- " * 50_000 + "x" * 100_000)
    candidates("*_" * 100_000)


def test_hostile_lines_are_read_in_no_time():
    for text in ("# a" + " " * 60_000 + "x", "-" + " " * 60_000, "[" * 60_000, "- [" * 30_000, "a: " * 30_000):
        candidates(text)
        title_of(text)


def test_what_only_sounds_like_a_type_is_none():
    text = (
        "## Actions taken last week\n- Anna restored the backup\n## Tasks API\n- GET /tasks returns all tasks\n"
        "On 4 May 2026 Ben wrote:\n> I decided to quit.\nFrom: Ben\nDate: 4 May 2026\n"
    )
    assert {each.type.value for each in candidates(text)} <= {"Fact"}
