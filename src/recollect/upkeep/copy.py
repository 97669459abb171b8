"""Moving an orchestrator's memory from one place to another."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable

from recollect.config import load_settings
from recollect.errors import InvalidInput, NotFound, StorageUnavailable
from recollect.log import MemoryLog
from recollect.model.clock import SystemClock
from recollect.storage.copy import Copied, copy_store
from recollect.storage.interface import Storage
from recollect.storage.layout import Layout
from recollect.storage.open import default_files, open_storage, schema_status, server_url

Place = str | os.PathLike[str]


def copy_memory(
    source: Place,
    target: Place,
    *,
    orchestrator: str,
    files: Place | None = None,
    progress: Callable[[str, int, int], None] = lambda _what, _done, _total: None,
) -> Copied:
    """Copies all of an orchestrator's memory and proves it by counts and checksums; resumes what was stopped."""
    if os.fspath(source) == os.fspath(target):
        raise InvalidInput.of("invalid_root", "to", str(target), "another place than the source")
    layout = _layout(source, orchestrator, files)
    if server_url(source) is None and not schema_status(None, layout).schema:
        raise NotFound(f"there is no memory of {orchestrator} under {layout.root}", code="nothing_to_copy")
    here = _open(source, orchestrator, files)
    try:
        there = _open(target, orchestrator, files)
        try:
            name = layout.root if server_url(source) is None else schema_status(server_url(source), layout).place
            copied = copy_store(here, there, str(name), progress)
            _copy_blobs(layout, _layout(target, orchestrator, files))
            return copied
        finally:
            there.close()
    finally:
        here.close()


def _copy_blobs(source: Layout, target: Layout) -> None:
    """What is too large for the index goes along, where it lies in files."""
    if source.blobs.is_dir() and source.blobs != target.blobs:
        try:
            shutil.copytree(source.blobs, target.blobs, dirs_exist_ok=True)
        except (OSError, shutil.Error) as error:
            raise StorageUnavailable(f"the blobs could not be copied: {error}", path=str(target.blobs)) from error


def _layout(place: Place, orchestrator: str, files: Place | None) -> Layout:
    return Layout.of(place if server_url(place) is None else files or default_files(), orchestrator)


def _open(place: Place, orchestrator: str, files: Place | None) -> Storage:
    layout = _layout(place, orchestrator, files)
    settings = load_settings(layout.root, layout.orchestrator_id)
    layout.create()
    log = MemoryLog(layout.log, SystemClock(), layout.orchestrator_id)
    return open_storage(server_url(place), layout, log, settings.storage)
