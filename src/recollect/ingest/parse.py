"""From bytes to what is to be remembered: text, Markdown and JSON; everything else through a converter."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from recollect.ingest.candidates import Candidate, candidates, title_of
from recollect.ingest.rejection import Rejected, RejectionCode
from recollect.model.text import MAX_CONTENT, is_blank

TEXTS = frozenset({"txt", "md"})
CONVERTED = frozenset({"pdf", "docx", "html", "htm", "csv"})
SUPPORTED = TEXTS | CONVERTED | {"json"}
_MOST_MEMORIES = 10_000
_MARKS = (b"\xff\xfe", b"\xfe\xff")
_UTF8_MARK = b"\xef\xbb\xbf"
_NODE = {
    "memoryId", "type", "importance", "content", "summary", "confidence", "status", "createdAt", "updatedAt",
    "orchestratorId", "observedAt", "expiresAt", "validFrom", "validTo",
}  # fmt: skip
_EDGE = {"edgeId", "fromMemoryId", "toMemoryId", "edgeType", "weight", "reason", "createdAt"}


@dataclass(frozen=True, slots=True)
class Parsed:
    """What a file holds: a text with what stands out in it, or memories and edges as they were written."""

    text: str | None = None
    title: str | None = None
    candidates: list[Candidate] = field(default_factory=list)
    memories: list[dict[str, Any]] = field(default_factory=list)
    edges: list[dict[str, Any]] = field(default_factory=list)


def ending_of(name: str) -> str:
    """The type of a file by its name; one that is not supported is rejected."""
    ending = name.rpartition(".")[2].lower() if "." in name else ""
    if ending not in SUPPORTED:
        raise Rejected(
            RejectionCode.UNSUPPORTED_FILE_TYPE,
            f"files of type {ending or 'unknown'!r} are not read",
            hint=f"one of {', '.join(sorted(SUPPORTED))}",
        )
    return ending


def decoded(data: bytes) -> str:
    """The text that bytes are, in UTF-8."""
    if data.startswith(_MARKS):
        raise Rejected(RejectionCode.BYTE_ORDER_MARK, "this is UTF-16 or UTF-32", hint="save it as UTF-8")
    if b"\x00" in data:
        raise Rejected(RejectionCode.NUL, "a text has no NUL in it")
    try:
        text = data.removeprefix(_UTF8_MARK).decode()
    except UnicodeDecodeError as error:
        raise Rejected(RejectionCode.INVALID_UTF8, f"byte {error.start} is no UTF-8", hint="save it as UTF-8") from None
    if is_blank(text):
        raise Rejected(RejectionCode.EMPTY, "there is nothing in it")
    return text


def read_text(text: str) -> Parsed:
    """A text, and what stands out in it."""
    if is_blank(text):
        raise Rejected(RejectionCode.EMPTY, "there is nothing in it")
    return Parsed(text=text, title=title_of(text), candidates=candidates(text))


def read_json(text: str, orchestrator_id: str) -> Parsed:
    """Memories and edges as `{"memories": […], "edges": […]}`, or a list of memories or texts."""
    try:
        data = json.loads(text)
    except RecursionError:
        raise Rejected(RejectionCode.INVALID_JSON, "this is nested too deeply") from None
    except ValueError as error:
        raise Rejected(RejectionCode.INVALID_JSON, f"this is not JSON: {error}") from None
    if isinstance(data, list):
        data = {"memories": data}
    if not isinstance(data, Mapping) or set(data) - {"memories", "edges"}:
        raise Rejected(
            RejectionCode.INVALID_SHAPE,
            "a JSON file holds memories and edges, and nothing else",
            hint='{"memories": [{"type": "Fact", "content": "…"}], "edges": []}',
        )
    memories = _objects(data.get("memories", []), "memories", _NODE, RejectionCode.INVALID_MEMORY)
    edges = _objects(data.get("edges", []), "edges", _EDGE, RejectionCode.INVALID_EDGE)
    for each in memories:
        owner = each.get("orchestratorId")
        if owner is not None and owner != orchestrator_id:
            raise Rejected(RejectionCode.SCOPE_MISMATCH, f"a memory of {owner!r} in a file for {orchestrator_id}")
    return Parsed(memories=memories, edges=edges)


def _objects(values: Any, name: str, allowed: set[str], code: RejectionCode) -> list[dict[str, Any]]:
    if not isinstance(values, list):
        raise Rejected(RejectionCode.INVALID_SHAPE, f"{name} is a list")
    if len(values) > _MOST_MEMORIES:
        raise Rejected(
            RejectionCode.TOO_MANY_MEMORIES, f"{len(values)} {name} in one file; {_MOST_MEMORIES} are allowed"
        )
    found = []
    for number, value in enumerate(values):
        each = {"content": value} if isinstance(value, str) and name == "memories" else value
        if not isinstance(each, dict):
            raise Rejected(code, f"{name}[{number}] is an object")
        unknown = sorted(set(each) - allowed)
        if unknown:
            raise Rejected(code, f"{name}[{number}] has the unknown field {unknown[0]!r}")
        found.append(each)
    return found


def shortened(text: str) -> str:
    """As much of a text as one memory holds; all of it is in its parts."""
    return text if len(text) <= MAX_CONTENT else text[: MAX_CONTENT - 1] + "…"
