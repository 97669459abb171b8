"""Embedders of other libraries, each an extra; loaded once, when first used."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from recollect.embedding.protocol import EmbeddingFailed
from recollect.forking import fork_safe_lock


class LibraryEmbedder:
    """Wraps a function that embeds a list of texts into rows of numbers."""

    is_local = True

    def __init__(self, name: str, extra: str, load: Callable[[], Callable[[list[str]], Any]], dimension: int) -> None:
        self.name = name
        self._dimension = dimension
        self._extra = extra
        self._load = load
        self._lock = fork_safe_lock()
        self._embed: Callable[[list[str]], Any] | None = None

    @property
    def dimension(self) -> int:
        """How many numbers a vector has; asked of the model where it is not known beforehand."""
        if not self._dimension:
            self._dimension = len(self.embed_documents(["dimension"])[0]) // 4
        return self._dimension

    def embed_documents(self, texts: Sequence[str]) -> list[bytes]:
        """Vectors of texts."""
        import numpy as np

        with self._lock:
            if self._embed is None:
                try:
                    self._embed = self._load()
                except ImportError as error:
                    raise EmbeddingFailed(
                        f"{self.name} needs a package that is missing: {error.name}",
                        hint=f"pip install 'recollect[{self._extra}]'",
                    ) from error
        return [np.asarray(row, "<f4").tobytes() for row in self._embed(list(texts))]

    embed_queries = embed_documents


def wordllama() -> LibraryEmbedder:
    """Static word vectors, 256 dimensions: fast and small, with its weights in the package."""

    def load() -> Callable[[list[str]], Any]:
        import wordllama as package

        folder = Path(package.__file__).parent
        model = package.WordLlama.load(cache_dir=folder, disable_download=True)
        return lambda texts: model.embed(texts, norm=True)

    return LibraryEmbedder("wordllama-256", "light", load, 256)


def fastembed(model_name: str) -> LibraryEmbedder:
    """Any model that fastembed knows; it fetches the weights, so this needs a network the first time."""

    def load() -> Callable[[list[str]], Any]:
        from fastembed import TextEmbedding

        model = TextEmbedding(model_name)
        return lambda texts: list(model.embed(texts))

    return LibraryEmbedder(f"fastembed:{model_name}", "fastembed", load, 0)


def sentence_transformers(model_name: str) -> LibraryEmbedder:
    """Any model of sentence-transformers; it fetches the weights, so this needs a network the first time."""

    def load() -> Callable[[list[str]], Any]:
        from sentence_transformers import SentenceTransformer

        model = SentenceTransformer(model_name)
        return lambda texts: model.encode(texts, normalize_embeddings=True)

    return LibraryEmbedder(f"sentence-transformers:{model_name}", "sentence-transformers", load, 0)
