"""A short guided tour on a store that vanishes: each step is a process of its own, as after a restart."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from typing import Any

import click

from recollect.errors import RecollectError


@click.command()
def demo() -> None:
    """Show in half a minute what memory does, on a temporary root."""
    with tempfile.TemporaryDirectory(prefix="recollect-demo-") as root:
        click.echo(f"A new memory in {root}. Every command below is a new process.\n")
        _say("Remember three things, one of them with a shelf life.")
        wife = _run(root, "remember", "My wife's name is Sarah", "--type", "Identity")["results"][0]["memory"]
        standup = _run(root, "remember", "Our standup is at 9:00", "--importance", "70")["results"][0]["memory"]
        _run(root, "remember", "The parking code changed to level B this week", "--expires", "7d")

        _say("After the restart: ask in other words.")
        _recalled(_run(root, "search", "When do we have the standup?"))

        _say("The world changes: the old fact is superseded, not deleted.")
        _run(root, "supersede", standup["memoryId"], "--with", "Our standup is at 10:00", "--reason", "moved")
        _recalled(_run(root, "search", "When do we have the standup?"))
        for event in _run(root, "history", standup["memoryId"])["events"]:
            click.echo(f"    {event['occurredAt']}  {event['kind']}  {event['reason'] or ''}")

        _say("Another user sees none of it.")
        found = _run(root, "list", "--user", "somebody-else")["memories"]
        click.echo(f"    {len(found)} memories")

        _say("Everything says where it came from.")
        shown = _run(root, "show", wife["memoryId"])["memory"]
        click.echo(f"    {shown['content']!r}: {shown['source']['sourceType']}, by {shown['source']['capturedBy']}")
    click.echo('\nDone; the temporary memory is gone. Begin your own: recollect remember "…"')


def _say(text: str) -> None:
    click.echo(f"\n# {text}")


def _recalled(answer: dict[str, Any]) -> None:
    for hit in answer["hits"]:
        click.echo(f"    {hit['score']:.4f}  {hit['memory']['content']}  [{hit['memory']['memoryId']}]")


def _run(root: str, *arguments: str) -> dict[str, Any]:
    click.echo("$ recollect " + " ".join(f'"{part}"' if " " in part else part for part in arguments))
    command = [sys.executable, "-m", "recollect", "--root", root, "--json", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603  our own command
    if done.returncode:
        error = json.loads(done.stdout)["error"]
        raise RecollectError(error["message"], code=error["code"], hint=error["hint"])
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer
