"""Thousands of files that nobody meant: every one ends in processed or rejected, with a code."""

from __future__ import annotations

import json
import random

import pytest

import recollect

_WORDS = [
    "# Plan",
    "- [ ] call Bob",
    "Decision: use it",
    "We live in Oslo",
    "```",
    "| a | b |",
    "TODO",
    "2026-12-24",
    "ﷺ漢é",
    "\t",
    "---",
]
_JSON = [
    {"memories": [{"memoryId": "a", "type": "Fact", "content": "The sky is blue", "importance": 5}], "edges": []},
    {
        "memories": ["one two", "three four"],
        "edges": [{"fromMemoryId": "a", "toMemoryId": "b", "edgeType": "RelatedTo"}],
    },
    [],
    {"memories": [{"content": "x" * 5000, "confidence": 0.1, "createdAt": "2026-01-01"}]},
]


def made(chance: random.Random) -> tuple[str, bytes]:
    ending = chance.choice(["txt", "md", "json", "json", "csv", "html", "pdf", "docx", "exe", ""])
    if ending in {"csv", "html", "pdf", "docx"} and chance.random() < 0.97:
        ending = "md"  # a process for each would take minutes
    if ending == "json":
        data = bytearray(json.dumps(chance.choice(_JSON)).encode())
    else:
        lines = [" ".join(chance.choices(_WORDS, k=chance.randint(0, 6))) for _ in range(chance.randint(0, 12))]
        data = bytearray("\n".join(lines).encode())
    for _ in range(chance.choice([0, 0, 1, 3, 20])):
        if data:
            place = chance.randrange(len(data))
            match chance.randrange(4):
                case 0:
                    data[place] = chance.randrange(256)
                case 1:
                    del data[place : place + chance.randrange(10)]
                case 2:
                    data[place:place] = bytes(chance.randrange(256) for _ in range(5))
                case _:
                    data[place:place] = data[: chance.randrange(len(data))]
    return (f".{ending}" if ending else ""), bytes(data)


def ingested(root, count: int, seed: int) -> None:
    chance = random.Random(seed)
    settings = {"memory": {"ingest": {"settle_seconds": 0.0}}, "storage": {"synchronous": "normal"}}
    with recollect.open(root, orchestrator="home", settings=settings) as memory:
        folder = root / "home" / "memory" / "ingest"
        for number in range(count):
            ending, data = made(chance)
            (folder / f"f{number % (count // 2)}-{number}{ending}").write_bytes(data)
        report = memory.ingest()
        assert len(report.files) == count
        for each in report.files:
            assert each.status in {"processed", "duplicate", "rejected"}, each
            assert each.status != "rejected" or (each.code and each.message), each
        assert [path for path in folder.iterdir() if path.is_file() and path.name != ".lock"] == []
        for place, ending in (("processed", ".processed.json"), ("rejected", ".rejection.json")):
            files = {path.name for path in (folder / place).iterdir()}
            for name in files:
                if not name.endswith(ending):
                    assert name + ending in files, name
        assert memory.doctor().findings is not None


def test_files_that_nobody_meant(root):
    ingested(root, 600, 1)


@pytest.mark.torture
def test_five_thousand_files_that_nobody_meant(root):
    ingested(root, 5_000, 2)


@pytest.mark.torture
def test_ten_thousand_files_in_one_go(root):
    with recollect.open(root, orchestrator="home") as memory:
        folder = root / "home" / "memory" / "ingest"
        for number in range(10_000):
            (folder / f"note{number}.md").write_text(f"- Machine {number} stands in hall {number % 40}\n- [ ] Oil it\n")
        report = memory.ingest()
        assert report.count("processed") == 10_000 and report.memories >= 20_000
