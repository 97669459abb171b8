"""Any endpoint that speaks OpenAI's embeddings protocol: OpenAI, Ollama, vLLM, LM Studio."""

from __future__ import annotations

import json
import os
import struct
import urllib.error
import urllib.request
from collections.abc import Sequence
from typing import Any

from recollect.embedding.protocol import EmbeddingFailed

_LARGEST_ANSWER = 256 * 1024 * 1024
_BATCH = 64


class RemoteEmbedder:
    """Asks `POST <base_url>/embeddings`. The key is read from the environment when it is needed and never kept."""

    is_local = False

    def __init__(self, model: str, base_url: str, dimension: int, key_variable: str, timeout: float) -> None:
        self.name = f"openai:{model}"
        self.dimension = dimension
        self._model = model
        self._url = base_url.rstrip("/") + "/embeddings"
        self._key_variable = key_variable
        self._timeout = timeout

    def embed_documents(self, texts: Sequence[str]) -> list[bytes]:
        """Vectors of texts, a batch a request."""
        vectors: list[bytes] = []
        for start in range(0, len(texts), _BATCH):
            vectors += self._ask(list(texts[start : start + _BATCH]))
        return vectors

    embed_queries = embed_documents

    def _ask(self, texts: list[str]) -> list[bytes]:
        headers = {"Content-Type": "application/json"}
        key = os.environ.get(self._key_variable)
        if key:
            headers["Authorization"] = f"Bearer {key}"
        body = json.dumps({"model": self._model, "input": texts}).encode()
        request = urllib.request.Request(self._url, body, headers)  # noqa: S310  the user's own configuration
        try:
            with urllib.request.urlopen(request, timeout=self._timeout) as answer:  # noqa: S310
                data = json.loads(answer.read(_LARGEST_ANSWER))
            rows = sorted(data["data"], key=lambda row: row["index"])
            return [self._vector(row["embedding"]) for row in rows]
        except (OSError, urllib.error.URLError) as error:
            raise EmbeddingFailed(f"{self.name} did not answer: {error}") from error
        except (ValueError, KeyError, TypeError, RecursionError, struct.error) as error:
            raise EmbeddingFailed(f"{self.name} answered nonsense: {type(error).__name__}") from error

    def _vector(self, numbers: Any) -> bytes:
        if not isinstance(numbers, list) or len(numbers) != self.dimension:
            raise EmbeddingFailed(f"{self.name} did not answer with {self.dimension} numbers")
        return struct.pack(f"<{self.dimension}f", *numbers)
