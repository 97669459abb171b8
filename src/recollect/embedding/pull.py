"""Fetching a model for those who are online: its files go into a folder that the `onnx:FOLDER` provider reads.

Nothing is fetched unless somebody asks for it by name. A file appears whole or not at all, and what was fetched is
written down with its hash, which is checked whenever the model is loaded.
"""

from __future__ import annotations

import hashlib
import http.client
import json
import os
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from pathlib import Path

from recollect.embedding.protocol import EmbeddingFailed
from recollect.errors import InvalidInput

HUB = "https://huggingface.co"
MANIFEST = "recollect.json"
# What a folder is made of, and where hubs keep it.
_FILES = {"model.onnx": ("onnx/model.onnx", "model.onnx"), "tokenizer.json": ("tokenizer.json",)}
_CHUNK = 1 << 20
_TIMEOUT_SECONDS = 60

Progress = Callable[[str, int, int], None]


def pull(name: str, folder: Path, hub: str = HUB, revision: str = "main", progress: Progress | None = None) -> Path:
    """Fetches a model by its name on a hub (`owner/model`) into a folder of its own, and returns that folder."""
    parts = name.split("/")
    if not all(part and part.strip(".") and part.isprintable() and "\\" not in part for part in parts):
        raise InvalidInput.of("invalid_model", "name", name, "the name of a model on a hub, such as owner/model")
    target = folder / "--".join(parts)
    target.mkdir(parents=True, exist_ok=True)
    hashes = {}
    for file, places in _FILES.items():
        hashes[file] = _fetched(
            [f"{hub}/{urllib.parse.quote(name)}/resolve/{urllib.parse.quote(revision)}/{place}" for place in places],
            target / file,
            progress or (lambda _what, _done, _total: None),
        )
    manifest = {"name": name, "revision": revision, "sha256": hashes}
    _whole(target / MANIFEST, json.dumps(manifest, indent=2).encode())
    return target


def _fetched(addresses: list[str], file: Path, progress: Progress) -> str:
    """Fetches a file from the first address that has it; returns its hash."""
    for address in addresses:
        try:
            with urllib.request.urlopen(_request(address), timeout=_TIMEOUT_SECONDS) as answer:  # noqa: S310  checked there
                return _saved(answer, file, progress)
        except urllib.error.HTTPError as error:
            if error.code != http.client.NOT_FOUND:
                raise EmbeddingFailed(f"{address} answered {error.code}") from error
        except (OSError, http.client.HTTPException) as error:
            raise EmbeddingFailed(f"cannot fetch {address}: {error}", hint="is this machine online?") from error
    raise EmbeddingFailed(f"there is no {file.name} at {addresses[0]}", hint="only models with ONNX files can be used")


def _request(address: str) -> urllib.request.Request:
    if urllib.parse.urlsplit(address).scheme not in {"http", "https"}:
        raise InvalidInput.of("invalid_model", "hub", address, "an http or https address")
    return urllib.request.Request(address, headers={"User-Agent": "recollect"})  # noqa: S310  checked above


def _saved(answer: http.client.HTTPResponse, file: Path, progress: Progress) -> str:
    total, done, digest = int(answer.headers.get("Content-Length") or 0), 0, hashlib.sha256()
    partial = file.with_suffix(".part")
    try:
        with partial.open("wb") as out:
            while chunk := answer.read(_CHUNK):
                out.write(chunk)
                digest.update(chunk)
                done += len(chunk)
                progress(file.name, done, max(total, done))
            out.flush()
            os.fsync(out.fileno())
        if total and done != total:
            raise EmbeddingFailed(f"{file.name} broke off after {done} of {total} bytes", hint="run it again")
        partial.replace(file)
    finally:
        partial.unlink(missing_ok=True)
    return digest.hexdigest()


def _whole(file: Path, data: bytes) -> None:
    partial = file.with_suffix(".part")
    partial.write_bytes(data)
    partial.replace(file)
