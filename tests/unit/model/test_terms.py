from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.model import terms as module
from recollect.model.terms import terms


def test_english_is_stemmed_and_stop_words_are_left_out():
    assert terms("What did the runners say about running?") == ["runner", "say", "run"]
    assert terms("My wife's dogs don't bark") == ["wife", "dog", "bark"]


@pytest.mark.parametrize(
    ("stored", "asked"),
    [
        ("Café crème", "cafe creme"),
        ("CAFE\u0301", "café"),
        ("ＦＵＬＬ ｗｉｄｔｈ", "full width"),
        ("Straße", "STRASSE"),
        ("Ёлка стоит", "елка"),
        ("Ωραία μέρα", "ωραια"),
        ("東京都に住んでいます", "東京"),
        ("東京都に住んでいます", "京都"),
        ("私は猫が好き", "猫"),
        ("서울에서 만나요", "서울"),
        ("ฉันชอบกาแฟ", "กาแฟ"),
        ("hello世界again", "世界"),
        ("नमस्ते दुनिया", "दुनिया"),
        ("l’aéroport d’Oslo", "oslo"),
        ("room B-204", "204"),
    ],
)
def test_text_is_found_by_its_words_in_any_spelling_and_by_parts_of_unspaced_scripts(stored, asked):
    wanted = terms(asked)
    assert wanted
    assert set(wanted) <= set(terms(stored))


def test_other_languages_keep_their_words_apart():
    assert terms("mañana") != terms("manana día")
    assert not set(terms("жена")) & set(terms("женат"))


@given(st.text(max_size=200))
def test_any_text_has_terms_that_a_space_separated_index_keeps(text):
    for term in terms(text):
        assert term
        assert len(term) <= 64
        assert not any(c.isspace() or (c.isascii() and not c.isalnum()) for c in term)


@given(st.text(max_size=100))
def test_terms_do_not_depend_on_what_was_asked_before(text):
    before = terms(text)
    for n in range(3):
        terms(f"{text} {n} filler{n}")
    module._stems.clear()
    module._stems.update(dict.fromkeys(module.STOP_WORDS, ""))
    assert terms(text) == before
