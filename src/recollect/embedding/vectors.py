"""Vectors for a store: made by the model that the store uses, cached, and never in a caller's way."""

from __future__ import annotations

import concurrent.futures
import hashlib
import os
import threading
from collections import OrderedDict
from collections.abc import Sequence

from recollect.embedding.protocol import Embedder
from recollect.forking import fork_safe_lock
from recollect.log import MemoryLog
from recollect.storage.interface import Vector

_CACHED = 8_192

# A cached vector is known by its model, what it is for, and the digest of its text.
Key = tuple[str, str, bytes]


class Vectors:
    """Makes vectors; a model that fails or dawdles costs a vector for now, never a write or a recall."""

    def __init__(self, embedder: Embedder | None, log: MemoryLog, query_timeout: float) -> None:
        self.embedder = embedder
        self._log = log
        self._query_timeout = query_timeout
        self._lock: threading.Lock = fork_safe_lock()
        self._cache: OrderedDict[Key, bytes] = OrderedDict()
        self._workers = _workers()
        self._process = os.getpid()

    @property
    def model(self) -> str | None:
        """The name of the model, if there is one."""
        return None if self.embedder is None else self.embedder.name

    def for_writing(self, texts: Sequence[str]) -> list[Vector | None]:
        """Vectors of new texts, as far as a local model makes them at once; the others are queued by the writer."""
        if self.embedder is None or not self.embedder.is_local or not texts:
            return [None] * len(texts)
        return self.documents(texts)

    def documents(self, texts: Sequence[str]) -> list[Vector | None]:
        """Vectors of texts, waiting for the model; None for each that could not be made."""
        embedder = self.embedder
        if embedder is None or not texts:
            return [None] * len(texts)
        keys = [self._key("document", text) for text in texts]
        with self._lock:
            known = [self._cache.get(key) for key in keys]
        missing = [(text, key) for text, key, data in zip(texts, keys, known, strict=True) if data is None]
        made = iter(self._make(embedder, missing))
        found = [next(made) if data is None else data for data in known]
        return [None if data is None else Vector(embedder.name, len(data) // 4, data) for data in found]

    def _make(self, embedder: Embedder, asked: list[tuple[str, Key]]) -> list[bytes | None]:
        try:
            answers = embedder.embed_documents([text for text, _ in asked]) if asked else []
            return [self._accept(embedder, key, data) for (_, key), data in zip(asked, answers, strict=True)]
        except Exception as error:  # noqa: BLE001  whatever a model does, memory goes on without it
            self._failed(embedder, error)
            return [None] * len(asked)

    def query(self, text: str) -> Vector | None:
        """The vector of a question, if the model answers in time."""
        embedder = self.embedder
        if embedder is None or not text.strip():
            return None
        key = self._key("query", text)
        with self._lock:
            data = self._cache.get(key)
        if data is None:
            try:
                (answer,) = self._ask(embedder, text)
                data = self._accept(embedder, key, answer)
            except Exception as error:  # noqa: BLE001  as above: recall answers from text
                self._failed(embedder, error)
                return None
        return None if data is None else Vector(embedder.name, len(data) // 4, data)

    def _ask(self, embedder: Embedder, text: str) -> list[bytes]:
        if embedder.is_local:
            return embedder.embed_queries([text])
        if self._process != os.getpid():  # a forked child has none of the threads
            self._process, self._workers = os.getpid(), _workers()
        return self._workers.submit(embedder.embed_queries, [text]).result(self._query_timeout)

    def _key(self, kind: str, text: str) -> Key:
        return (self.model or "", kind, hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest())

    def _accept(self, embedder: Embedder, key: Key, data: bytes) -> bytes | None:
        """A vector that is one: of the right length, finite, and not all zero."""
        # In every fourth byte the sign and the upper exponent of a number: 0x7f and 0xff are infinity, NaN, or absurd.
        exponents = data[3::4]
        if len(data) != 4 * embedder.dimension or b"\x7f" in exponents or b"\xff" in exponents or not any(data):
            self._failed(embedder, ValueError("a vector that is none"))
            return None
        with self._lock:
            self._cache[key] = data
            if len(self._cache) > _CACHED:
                self._cache.popitem(last=False)
        return data

    def _failed(self, embedder: Embedder, error: Exception) -> None:
        detail = f"{type(error).__name__}: {error}"
        self._log.write("memory.embedding.failed", level="warning", model=embedder.name, detail=detail)

    def close(self) -> None:
        """Lets waiting requests go."""
        self._workers.shutdown(wait=False, cancel_futures=True)


def _workers() -> concurrent.futures.ThreadPoolExecutor:
    return concurrent.futures.ThreadPoolExecutor(2, thread_name_prefix="recollect-embed")


def spoken(content: str, speaker: str | None) -> str:
    """The text that is embedded: who said it is part of what was said."""
    return content if speaker is None else f"{speaker} said: {content}"
