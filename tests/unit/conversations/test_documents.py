"""Long texts are cut where a reader would cut them, and nothing is lost."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from recollect.conversations import chunks, key_sentences


def test_a_short_text_is_one_part():
    assert chunks("Short.") == ["Short."]


def test_headings_and_sentences_are_where_it_is_cut():
    text = "# Coffee\n" + " ".join(f"Bean number {n} is roasted." for n in range(60)) + "\n# Tea\nLeaves are steeped."
    parts = chunks(text, longest=300, overlap=60)
    assert all(len(part) <= 300 for part in parts)
    assert all(part.startswith("# Coffee\n") for part in parts[:-1])
    assert parts[-1] == "# Tea\nLeaves are steeped."
    assert all(part.endswith("roasted.") for part in parts[:-1])
    assert parts[0].rpartition(". ")[2] in parts[1], "each part begins with the end of the one before"


@given(st.text(st.characters(codec="utf-8"), max_size=3000), st.integers(50, 400))
def test_every_word_is_in_some_part_and_no_part_is_too_long(text, longest):
    parts = chunks(text, longest=longest, overlap=20)
    assert all(len(part) <= longest for part in parts)
    short = {word for word in text.split() if len(word) < longest // 4 and "#" not in word}
    found = {word for part in parts for word in part.split()}
    missing = short - found
    assert not {word for word in missing if not any(mark in word for mark in ".!?…。！？")}


def test_the_sentences_that_say_most_are_chosen_in_order():
    said = [
        "We decided to ship the inspector in May.",
        "How are you?",
        "The inspector shows every memory with its source.",
        "Nice weather.",
        "Shipping the inspector needs the graph view of every memory.",
    ]
    chosen = key_sentences(said, most=2)
    assert len(chosen) == 2
    assert all("inspector" in sentence for sentence in chosen)
    assert [said.index(sentence) for sentence in chosen] == sorted(said.index(sentence) for sentence in chosen)
    assert key_sentences([]) == []
