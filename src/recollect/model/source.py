"""Source: where a memory came from, and how far it may be trusted for that."""

from __future__ import annotations

import os.path
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePath
from typing import Any

from recollect.model.check import Checker
from recollect.model.text import camel


class SourceType(StrEnum):
    """What kind of thing a memory was taken from."""

    WORKFLOW_OUTPUT = "workflow_output"
    CHANNEL_TRANSCRIPT = "channel_transcript"
    INGEST_FILE = "ingest_file"
    DIAGNOSTICS = "diagnostics"
    MANUAL = "manual"


class CapturedBy(StrEnum):
    """Who took it."""

    EXTRACTOR = "extractor"
    USER = "user"
    SYSTEM = "system"


class Trust(StrEnum):
    """How far a memory may be trusted; it follows from the source and is never taken from content."""

    STATED = "stated"
    DERIVED = "derived"
    OUTSIDE = "outside"


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where a memory came from. Valid by construction, except that paths are checked against the disk on writing.

    `speaker` is the name of who said it; `position` its place in the conversation, by which neighbours are found.
    """

    source_type: SourceType = SourceType.MANUAL
    captured_by: CapturedBy = CapturedBy.USER
    source_path: str | None = None
    conversation_id: str | None = None
    workflow_run_id: str | None = None
    step_id: str | None = None
    message_id: str | None = None
    speaker: str | None = None
    position: int | None = None

    def __post_init__(self) -> None:
        check = Checker()
        put = object.__setattr__
        put(self, "source_type", check.enum(SourceType, self.source_type, "sourceType", "invalid_source_type"))
        put(self, "captured_by", check.enum(CapturedBy, self.captured_by, "capturedBy", "invalid_captured_by"))
        check.opaque(self.conversation_id, "conversationId")
        check.opaque(self.workflow_run_id, "workflowRunId")
        check.opaque(self.step_id, "stepId")
        check.opaque(self.message_id, "messageId")
        check.opaque(self.speaker, "speaker")
        if self.position is not None:
            check.integer(self.position, "position", "invalid_position", 0, 2**53)
        self._check_path(check)
        self._check_needed_ids(check)
        check.done()

    def _check_path(self, check: Checker) -> None:
        path: Any = self.source_path
        if path is None:
            return
        if not isinstance(path, str) or not path.isprintable() or not PurePath(path).is_absolute():
            check.fail("invalid_source_path", "sourcePath", path, "an absolute path")
        elif os.path.normpath(path) != path:
            check.fail("invalid_source_path", "sourcePath", path, "a canonical path (no '.', '..' or '//')")

    def _check_needed_ids(self, check: Checker) -> None:
        needed = {
            SourceType.WORKFLOW_OUTPUT: ("workflow_run_id", "step_id"),
            SourceType.CHANNEL_TRANSCRIPT: ("conversation_id",),
            SourceType.INGEST_FILE: ("source_path",),
        }
        for field in needed.get(self.source_type, ()):
            if getattr(self, field) is None:
                check.fail(
                    "incomplete_source", camel(field), None, f"given for a source of type {self.source_type.value}"
                )

    @property
    def trust(self) -> Trust:
        """The trust tier of everything that has this source."""
        if self.source_path is not None:
            return Trust.OUTSIDE
        return Trust.STATED if self.captured_by is CapturedBy.USER else Trust.DERIVED
