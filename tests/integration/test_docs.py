"""The documentation is checked like code: generated pages are fresh, examples run, every command is described."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def pages(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "docs")
    return runpy.run_path(str(ROOT / "docs" / "generate.py"))["PAGES"]


def test_generated_pages_are_fresh(pages):
    for name, make in pages.items():
        assert (ROOT / "docs" / "reference" / name).read_text("utf-8") == make(), f"{name} is stale: run `make docs`"


def test_the_readmes_example_runs_and_prints_what_it_says(tmp_path, monkeypatch, capsys):
    (example,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)
    monkeypatch.chdir(tmp_path)
    exec(compile(example, "README.md", "exec"), {})
    printed = capsys.readouterr().out.splitlines()
    assert printed[0].startswith("My wife Sarah likes Italian food ('Sarah (wife)',) 0")
    assert "memory.status_changed" in printed[-1]


@pytest.mark.usefixtures("real_model")
def test_the_quickstarts_examples_run(tmp_path, monkeypatch, capsys):
    page = (ROOT / "docs" / "quickstart.md").read_text("utf-8")
    monkeypatch.chdir(tmp_path)
    for example in re.findall(r"```python\n(.*?)```", page, re.DOTALL):
        exec(compile(example, "quickstart.md", "exec"), {})
    printed = capsys.readouterr().out
    assert printed.startswith("I'm allergic to peanuts 0.")
    assert printed.rstrip().endswith("I play the cello")


def test_the_readme_names_the_two_commands():
    readme = (ROOT / "README.md").read_text("utf-8")
    assert "make run" in readme
    assert "make test" in readme


def test_links_between_pages_lead_somewhere():
    for page in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]:
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text("utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_every_file_stays_small():
    """A file has one subject: past this many lines it has two."""
    for path in (ROOT / "src").rglob("*.py"):
        assert len(path.read_text("utf-8").splitlines()) <= 500, path
