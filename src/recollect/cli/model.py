"""Commands about embedding models."""

from __future__ import annotations

from pathlib import Path

import click

from recollect.cli.answer import DEFAULT_ROOT, Answer, global_options, pass_answer
from recollect.cli.progress import Progress


@click.group()
@global_options
def model() -> None:
    """Embedding models beside the default one, which needs nothing."""


@model.command("pull")
@click.argument("name")
@click.option("--to", metavar="FOLDER", help="Where models are kept [models under the root].")
@click.option("--hub", metavar="URL", help="Where it is fetched from [Hugging Face].")
@click.option("--revision", default="main", metavar="REVISION", help="Which version of it [main].")
@global_options
@pass_answer
def pull_command(answer: Answer, name: str, to: str | None, hub: str | None, revision: str) -> None:
    """Fetch a sentence encoder in ONNX by its name on a hub, and say how to use it. Needs a network."""
    from recollect.embedding.pull import HUB, pull

    root = (answer.files or DEFAULT_ROOT) if "://" in answer.root else answer.root
    folder = Path(to or Path(root) / "models").expanduser().absolute()
    with Progress() as progress:
        target = pull(name, folder, (hub or HUB).rstrip("/"), revision, progress)
    provider = f"onnx:{target}"
    answer.give(
        {"model": name, "folder": str(target), "provider": provider},
        lambda: f"{name} is in {target}\nuse it:  export RECOLLECT_EMBEDDING__PROVIDER={provider} && recollect reindex",
    )
