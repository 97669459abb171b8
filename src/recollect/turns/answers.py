"""What a model answered, as data: the JSON object in it, with or without a fence or words around it."""

from __future__ import annotations

import json
from typing import Any

from recollect.llm import ModelFailed


def structured(answer: str) -> dict[str, Any]:
    """The JSON object in an answer.

    Raises:
        ModelFailed: if there is none.
    """
    start, end = answer.find("{"), answer.rfind("}")
    try:
        found = json.loads(answer[start : end + 1]) if 0 <= start < end else None
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise ModelFailed("the model answered with something that is no object", code="model_answer_invalid")
    return found
