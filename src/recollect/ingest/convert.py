"""PDF, DOCX, HTML and CSV as text: by MarkItDown, in a process of its own with bounds on time and memory."""

from __future__ import annotations

import importlib.util
import json
import os
import resource
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from recollect.ingest.rejection import Rejected, RejectionCode

_SECONDS = 60
_MEMORY = 2 * 1024**3
_LARGEST_TEXT = 20_000_000
_MOST_EXPANDED = 200_000_000
_MOST_TIMES = 200
_COMMAND = "from recollect.ingest.convert import main; main()"


def available() -> bool:
    """Whether the converter is installed."""
    return importlib.util.find_spec("markitdown") is not None


def converted(data: bytes, ending: str) -> str:
    """The text of a document.

    Raises:
        Rejected: where there is no converter, or it cannot make anything of it.
    """
    if not available():
        raise Rejected(
            RejectionCode.MISSING_CONVERTER,
            f"reading .{ending} needs a converter",
            hint="pip install 'recollect[documents]'",
        )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"document.{ending}"
        path.write_bytes(data)
        if ending == "docx":
            _check_archive(path)
        text = _asked(path)
    if ending == "pdf" and text.lstrip().startswith("%PDF"):  # taken for plain text, since it is no PDF
        raise Rejected(RejectionCode.CONVERSION_FAILED, "this is no PDF file")
    return text


def _check_archive(path: Path) -> None:
    """A DOCX is an archive: one that unfolds into far more than it is, is not unfolded."""
    try:
        with zipfile.ZipFile(path) as archive:
            expanded = sum(entry.file_size for entry in archive.infolist())
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        raise Rejected(RejectionCode.CONVERSION_FAILED, "this is no DOCX file") from None
    if expanded > _MOST_EXPANDED or expanded > _MOST_TIMES * max(path.stat().st_size, 4096):
        raise Rejected(RejectionCode.ARCHIVE_BOMB, f"it unfolds to {expanded} bytes")


def _asked(path: Path) -> str:
    try:
        done = subprocess.run(  # noqa: S603  this interpreter, on a file of our own
            [sys.executable, "-c", _COMMAND, str(path)],
            capture_output=True,
            timeout=_SECONDS,
            check=False,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        )
        answer = json.loads(done.stdout) if done.returncode == 0 else {}
    except subprocess.TimeoutExpired:
        raise Rejected(RejectionCode.CONVERSION_FAILED, f"it could not be read in {_SECONDS} seconds") from None
    except ValueError:
        answer = {}
    text = answer.get("text")
    if not isinstance(text, str):
        raise Rejected(RejectionCode.CONVERSION_FAILED, "the converter can make nothing of it")
    return text[:_LARGEST_TEXT]


def main() -> None:
    """Converts the file named on the command line and prints its text as JSON; what it raises ends this process."""
    resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    from markitdown import MarkItDown  # noqa: PLC0415  only in the process that needs it

    text = MarkItDown(enable_plugins=False).convert_local(sys.argv[1]).text_content
    sys.stdout.write(json.dumps({"text": text}))
