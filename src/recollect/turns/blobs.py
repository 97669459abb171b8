"""Blobs: what is too large for the index, in files by default, or wherever fsspec can write (S3, say)."""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections.abc import Callable, Iterable
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from recollect.conversations.files import read, replace, unavailable
from recollect.errors import ConfigError, DamagedMemory, StorageUnavailable

# What was written and never committed; what is younger may be about to be.
_ABANDONED_AFTER = 3600.0
_NAME = re.compile(r"[0-9a-f]{24}/[0-9a-f]{24}/[0-9a-f-]{36}\.[0-9a-f-]{36}\.json")


class BlobStore(Protocol):
    """Keeps bytes under names."""

    def put(self, name: str, data: bytes) -> None:
        """Keeps bytes; durable when this returns."""
        ...

    def get(self, name: str) -> bytes:
        """The bytes under a name."""
        ...

    def drop(self, name: str) -> None:
        """Removes what is there under a name, if anything is."""
        ...

    def names(self, older_than: float) -> Iterable[str]:
        """The names of what has been there for so many seconds."""
        ...


class FileBlobs:
    """Blobs as files under a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put(self, name: str, data: bytes) -> None:
        """Keeps bytes; durable when this returns."""
        path = self._folder / name
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise unavailable(error, path) from error
        replace(path, data)

    def get(self, name: str) -> bytes:
        """The bytes under a name."""
        path = self._folder / name
        try:
            return read(path)
        except OSError as error:
            raise unavailable(error, path) from error

    def drop(self, name: str) -> None:
        """Removes a file, if it is there."""
        path = self._folder / name
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            raise unavailable(error, path) from error

    def names(self, older_than: float) -> Iterable[str]:
        """The names of files that have been there for so many seconds."""
        limit = time.time() - older_than  # the age of a file is the file system's affair, not the injected clock's
        for path in sorted(self._folder.rglob("*.json*")):
            if path.is_file() and path.stat().st_mtime <= limit:
                yield str(path.relative_to(self._folder))


class RemoteBlobs:
    """Blobs wherever fsspec can write, by a URL such as `s3://bucket/prefix`."""

    def __init__(self, url: str) -> None:
        try:
            fsspec = import_module("fsspec")
            self._files, self._place = fsspec.core.url_to_fs(url, skip_instance_cache=True)
        except ImportError as error:
            raise ConfigError(
                f"turns.blobs = {url!r} needs another package: {error.name}",
                code="missing_package",
                hint="pip install 'recollect[s3]'",
            ) from error
        except (ValueError, TypeError) as error:
            raise ConfigError(f"turns.blobs = {url!r} is no place that fsspec knows: {error}") from error

    def put(self, name: str, data: bytes) -> None:
        """Keeps bytes; durable when this returns, as far as the service says so."""
        self._asked(lambda: self._files.pipe_file(f"{self._place}/{name}", data), name)

    def get(self, name: str) -> bytes:
        """The bytes under a name."""
        self._files.invalidate_cache()
        return bytes(self._asked(lambda: self._files.cat_file(f"{self._place}/{name}"), name))

    def drop(self, name: str) -> None:
        """Removes what is there under a name, if anything is."""
        try:
            self._asked(lambda: self._files.rm_file(f"{self._place}/{name}"), name)
        except StorageUnavailable as error:
            if not isinstance(error.__cause__, FileNotFoundError):
                raise

    def names(self, older_than: float) -> Iterable[str]:
        """The names of what has been there for so many seconds."""
        self._files.invalidate_cache()
        limit = time.time() - older_than
        found = self._asked(lambda: self._files.find(self._place, detail=True), "")
        prefix = self._place.rstrip("/") + "/"
        for path, about in sorted(found.items()):
            modified = about.get("LastModified") or about.get("mtime") or about.get("created") or 0.0
            if (modified if isinstance(modified, int | float) else modified.timestamp()) <= limit:
                yield path.removeprefix(prefix)

    def _asked(self, work: Callable[[], Any], name: str) -> Any:
        """Runs a call of the service; whatever it raises becomes one error that names no credentials."""
        try:
            return work()
        except Exception as error:
            raise StorageUnavailable(
                f"the blob store could not do it ({type(error).__name__})", hint="see turns.blobs", blob=name
            ) from error


class Blobs:
    """Contents of artifacts as blobs: named apart for every user and conversation, checked by digest when read."""

    def __init__(self, store: BlobStore) -> None:
        self._store = store

    def put(self, user_id: str, conversation_id: str, artifact_id: str, content: Any, revision: str) -> tuple[str, str]:
        """Keeps a content; its name and digest. Every revision has a name of its own, so nothing is overwritten."""
        data = json.dumps(content).encode()
        name = f"{_short(user_id)}/{_short(conversation_id)}/{artifact_id}.{revision}.json"
        self._store.put(name, data)
        return name, hashlib.sha256(data).hexdigest()

    def get(self, name: str, digest: str) -> Any:
        """A content; one that was changed behind our back is refused."""
        if not _NAME.fullmatch(name):
            raise DamagedMemory(f"{name!r} is no name of a blob", code="damaged_blob")
        data = self._store.get(name)
        if hashlib.sha256(data).hexdigest() != digest:
            raise DamagedMemory(f"the blob {name} is damaged", code="damaged_blob", blob=name)
        return json.loads(data)

    def raw(self, name: str) -> bytes:
        """The bytes of a blob, to be moved."""
        if not _NAME.fullmatch(name):
            raise DamagedMemory(f"{name!r} is no name of a blob", code="damaged_blob")
        return self._store.get(name)

    def put_raw(self, name: str, data: bytes) -> None:
        """Keeps the bytes of a blob that was moved."""
        if not _NAME.fullmatch(name):
            raise DamagedMemory(f"{name!r} is no name of a blob", code="damaged_blob")
        self._store.put(name, data)

    def drop(self, names: Iterable[str | None]) -> None:
        """Removes blobs."""
        for name in names:
            if name is not None:
                self._store.drop(name)

    def erase(self) -> None:
        """Removes everything."""
        self.drop(list(self._store.names(0.0)))

    def sweep(self, named: Callable[[], Iterable[str]]) -> int:
        """Removes what nothing names: what was left by a crash. How many."""
        old = list(self._store.names(_ABANDONED_AFTER))
        kept = set(named())  # looked up after the listing: what was committed in between stays
        gone = [name for name in old if name not in kept]
        self.drop(gone)
        return len(gone)


def open_blobs(place: str, folder: Path, orchestrator_id: str) -> Blobs:
    """The blobs of an orchestrator: in its own folder, or under a URL."""
    if not place:
        return Blobs(FileBlobs(folder))
    return Blobs(RemoteBlobs(f"{place.rstrip('/')}/{orchestrator_id}"))


def _short(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:24]
