"""What a question asks for."""

from __future__ import annotations

import pytest

from recollect.recall.question import Question
from recollect.testing import FakeClock


@pytest.mark.parametrize(
    ("text", "role"),
    [
        ("What degree did I graduate with?", "user"),
        ("Where is my passport?", "user"),
        ("What did you recommend for the garden?", "assistant"),
        ("Can you remind me what I said about the car?", "user"),
        ("Could you please tell me which book you suggested?", "assistant"),
        ("Who painted the fence?", None),
    ],
)
def test_whom_i_and_you_mean(text, role):
    assert Question.of(text, FakeClock().now()).role == role
