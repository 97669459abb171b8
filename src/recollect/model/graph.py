"""Graphs of entities: what a memory is in one, as it stands in the memory's summary.

The reference MCP memory has entities with observations, and relations between them; each of them is a memory here.
"""

from __future__ import annotations

import json
from typing import Any

# The conversation that all memories of such a graph name as their source.
GRAPH = "reference"


def entity(name: str, kind: str) -> dict[str, Any]:
    """Something with a name and a type."""
    return {"kind": "entity", "name": name, "type": kind}


def observation(name: str) -> dict[str, Any]:
    """Something that was observed of an entity: the memory's content."""
    return {"kind": "observation", "entity": name}


def relation(start: str, end: str, kind: str) -> dict[str, Any]:
    """How one entity is related to another."""
    return {"kind": "relation", "from": start, "to": end, "type": kind}


def written(told: dict[str, Any]) -> str:
    """What stands in the summary."""
    return json.dumps(told, ensure_ascii=False)


def read(summary: str) -> dict[str, Any] | None:
    """What a summary says; None where it says something else, since it was edited."""
    try:
        told = json.loads(summary)
    except ValueError:
        return None
    return told if isinstance(told, dict) and told.get("kind") in {"entity", "observation", "relation"} else None
