"""Why a file was rejected: one code for each reason."""

from __future__ import annotations

from enum import StrEnum

from recollect.errors import RecollectError


class RejectionCode(StrEnum):
    """Every reason that ingestion has to reject a file."""

    FILE_TOO_LARGE = "file_too_large"
    UNSUPPORTED_FILE_TYPE = "unsupported_file_type"
    NOT_A_FILE = "not_a_file"
    SYMBOLIC_LINK = "symbolic_link"
    INVALID_NAME = "invalid_name"
    UNREADABLE = "unreadable"
    EMPTY = "empty_content"
    INVALID_UTF8 = "invalid_utf8"
    NUL = "nul_byte"
    BYTE_ORDER_MARK = "byte_order_mark"
    INVALID_JSON = "invalid_json"
    INVALID_SHAPE = "invalid_shape"
    INVALID_MEMORY = "invalid_memory"
    INVALID_EDGE = "invalid_edge"
    SCOPE_MISMATCH = "scope_mismatch"
    TOO_MANY_MEMORIES = "too_many_memories"
    MISSING_CONVERTER = "missing_converter"
    CONVERSION_FAILED = "conversion_failed"
    ARCHIVE_BOMB = "archive_bomb"
    PROCESSING_FAILED = "processing_failed"


class Rejected(RecollectError):
    """A file that cannot become memories, and why."""

    def __init__(self, code: RejectionCode, message: str, *, hint: str | None = None) -> None:
        super().__init__(message, code=code.value, hint=hint)
