"""Labelled sets that were written for the tests, one JSON object a line; see docs/knowledge.md for what they hold."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "data"


def labelled(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FOLDER / f"{name}.jsonl").read_text("utf-8").splitlines()]


@dataclass
class Score:
    """How often something was found that is there, and that is not."""

    hits: int = 0
    false: int = 0
    missed: int = 0

    def count(self, *, expected: bool, found: bool) -> None:
        self.hits += expected and found
        self.false += found and not expected
        self.missed += expected and not found

    @property
    def precision(self) -> float:
        return self.hits / max(1, self.hits + self.false)

    @property
    def recall(self) -> float:
        return self.hits / max(1, self.hits + self.missed)

    def __str__(self) -> str:
        return f"precision {self.precision:.3f}, recall {self.recall:.3f} of {self.hits + self.missed}"
