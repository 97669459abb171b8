"""Vectors for a store: made by the model that the store uses, cached, and never in a caller's way."""

from __future__ import annotations

import concurrent.futures
import hashlib
import math
import struct
import threading
from collections import OrderedDict
from collections.abc import Sequence

from recollect.embedding.protocol import Embedder
from recollect.forking import fork_safe_lock
from recollect.log import MemoryLog
from recollect.storage.interface import Vector

_CACHED = 8_192


class Vectors:
    """Makes vectors; a model that fails or dawdles costs a vector for now, never a write or a recall."""

    def __init__(self, embedder: Embedder | None, log: MemoryLog, query_timeout: float) -> None:
        self.embedder = embedder
        self._log = log
        self._query_timeout = query_timeout
        self._lock: threading.Lock = fork_safe_lock()
        self._cache: OrderedDict[tuple[str, str, bytes], bytes] = OrderedDict()
        self._workers = concurrent.futures.ThreadPoolExecutor(2, thread_name_prefix="recollect-embed")

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
        known = [self._cached("document", text) for text in texts]
        missing = [text for text, vector in zip(texts, known, strict=True) if vector is None]
        made = iter(self._make(embedder, missing))
        return [vector or next(made) for vector in known]

    def _make(self, embedder: Embedder, texts: list[str]) -> list[Vector | None]:
        try:
            answers = embedder.embed_documents(texts) if texts else []
            pairs = list(zip(texts, answers, strict=True))
        except Exception as error:  # noqa: BLE001  whatever a model does, memory goes on without it
            self._failed(embedder, error)
            return [None] * len(texts)
        return [self._accept(embedder, "document", text, data) for text, data in pairs]

    def query(self, text: str) -> Vector | None:
        """The vector of a question, if the model answers in time."""
        embedder = self.embedder
        if embedder is None or not text.strip():
            return None
        known = self._cached("query", text)
        if known is not None:
            return known
        try:
            if embedder.is_local:
                (data,) = embedder.embed_queries([text])
            else:
                (data,) = self._workers.submit(embedder.embed_queries, [text]).result(self._query_timeout)
        except Exception as error:  # noqa: BLE001  as above: recall answers from text
            self._failed(embedder, error)
            return None
        return self._accept(embedder, "query", text, data)

    def _cached(self, kind: str, text: str) -> Vector | None:
        assert self.embedder is not None  # noqa: S101  asked by the two methods above only
        with self._lock:
            data = self._cache.get(self._key(kind, text))
        return None if data is None else Vector(self.embedder.name, self.embedder.dimension, data)

    def _key(self, kind: str, text: str) -> tuple[str, str, bytes]:
        return (self.model or "", kind, hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest())

    def _accept(self, embedder: Embedder, kind: str, text: str, data: bytes) -> Vector | None:
        """A vector that is one: of the right length, finite, and not all zero."""
        length = len(data) // 4
        numbers = struct.unpack(f"<{length}f", data[: 4 * length])
        if length != embedder.dimension or not all(map(math.isfinite, numbers)) or not any(numbers):
            self._failed(embedder, ValueError("a vector that is none"))
            return None
        with self._lock:
            self._cache[self._key(kind, text)] = data
            while len(self._cache) > _CACHED:
                self._cache.popitem(last=False)
        return Vector(embedder.name, embedder.dimension, data)

    def _failed(self, embedder: Embedder, error: Exception) -> None:
        detail = f"{type(error).__name__}: {error}"
        self._log.write("memory.embedding.failed", level="warning", model=embedder.name, detail=detail)

    def close(self) -> None:
        """Lets waiting requests go."""
        self._workers.shutdown(wait=False, cancel_futures=True)


def spoken(content: str, speaker: str | None) -> str:
    """The text that is embedded: who said it is part of what was said."""
    return content if speaker is None else f"{speaker} said: {content}"
