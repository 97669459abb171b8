"""Secrets are found in all current formats, and ordinary sentences pass."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labelled import Score, labelled
from recollect.knowledge.secrets import find, masked, masked_value


def test_the_corpus():
    score = Score()
    wrong = []
    for case in labelled("secrets"):
        expected, found = case["secret"] is not None, bool(find(case["text"]))
        score.count(expected=expected, found=found)
        if expected != found:
            wrong.append(case["text"])
    print(f"secrets: {score}")
    assert score.precision >= 0.98 and score.recall >= 0.98, wrong


def test_the_corpus_is_large_enough():
    cases = labelled("secrets")
    assert sum(case["secret"] is not None for case in cases) >= 150
    assert sum(case["secret"] is None for case in cases) >= 150


@pytest.mark.parametrize(
    "text",
    [
        "API key: sk-abc123def456789",
        "api key is Zk39fQpLw82mXyTn",
        "postgres://u:p4ss@h/db",
        "aws_secret_access_key=wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzKEYABCD",
        "my passphrase is gravel teapot nimble orbit",
        "PIN: 0937",
        "secret: 9f2c4e7ab1d84d0f",
        "card 3782 822463 10005",
        "my social security number is 412683095",
    ],
)
def test_what_others_let_through(text):
    assert find(text)


@pytest.mark.parametrize(
    "text",
    ["Password is a word I always misspell", "Order 1234567890123456 has shipped", "The secret is to use butter"],
)
def test_what_others_stop(text):
    assert not find(text)


def test_a_mask_takes_out_the_secret_and_nothing_else():
    text = "Use 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 for the bot, and call Tom."
    assert masked(text) == "Use [removed: GitHub token] for the bot, and call Tom."
    assert masked(masked(text)) == masked(text)


def test_a_key_announces_its_value():
    data = {"user": "ops", "password": "sunshine9", "notes": ["call Tom", {"api_key": "Zk39fQpLw82mXyTn"}], "n": 7}
    hidden = masked_value(data)
    assert "sunshine9" not in str(hidden) and "Zk39" not in str(hidden)
    assert (hidden["user"], hidden["notes"][0], hidden["n"]) == ("ops", "call Tom", 7)


@given(st.text(max_size=400))
def test_any_text_can_be_looked_at(text):
    for secret in find(text):
        assert 0 <= secret.start < secret.end <= len(text)
    assert not find(masked(text)) or masked(masked(text)) == masked(masked(masked(text)))
