from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from recollect.model.text import is_blank, normalise, summarise

texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=300)


@example("\ufeff\ufeff")
@example("e\x01\u0301")
@example("\ufeff \ufeffx\ufeff \n")
@given(texts)
def test_normalising_twice_changes_nothing(text):
    once = normalise(text)
    assert normalise(once) == once


@given(texts)
def test_the_stored_form_is_nfc_without_controls_and_blank_ends(text):
    done = normalise(text)
    assert unicodedata.is_normalized("NFC", done)
    assert done == done.strip()
    assert not any(unicodedata.category(c) == "Cc" and c not in "\n\t" for c in done)


@given(texts, st.integers(10, 200))
def test_a_summary_is_one_line_within_its_length(text, longest):
    short = summarise(text, longest)
    assert len(short) <= longest
    assert "\n" not in short


@pytest.mark.parametrize("text", ["", " ", "\u200b", "\u3164\u2060", "\u00ad\ufeff", "\u2800"])
def test_what_cannot_be_seen_is_blank(text):
    assert is_blank(text)
    assert not is_blank(text + "é")


def test_a_summary_is_cut_between_words():
    assert summarise("alpha beta gamma delta", 14) == "alpha beta…"
    assert summarise("short", 14) == "short"
    assert summarise("x" * 40, 14) == "x" * 13 + "…"
