"""Manifests: what became of a file, beside it, for people and programs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from recollect.conversations.files import replace

PROCESSED = ".processed.json"
REJECTED = ".rejection.json"


def manifest_of(target: Path, ending: str) -> Path:
    """Where the manifest of a file lies."""
    return target.with_name(target.name + ending)


def write(target: Path, ending: str, content: dict[str, Any]) -> None:
    """Writes the manifest of a file, whole or not at all."""
    replace(manifest_of(target, ending), json.dumps(content, indent=2).encode() + b"\n")
