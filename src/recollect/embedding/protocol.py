"""What an embedding model offers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from recollect.errors import RecollectError


class EmbeddingFailed(RecollectError):
    """A model could not be loaded or did not answer; memory goes on without it."""

    default_code = "embedding_failed"


class Embedder(Protocol):
    """Turns texts into vectors of one space. Each vector is little-endian float32, `dimension` numbers long.

    May be called from several threads. What it raises is taken as "not now": the text is stored and found by its
    words, and its vector is made later.
    """

    @property
    def name(self) -> str:
        """Which model: stored with every vector, so that spaces are never mixed."""
        ...

    @property
    def dimension(self) -> int:
        """How many numbers a vector has."""
        ...

    @property
    def is_local(self) -> bool:
        """Whether it answers from this process, at once; a remote one is never waited for by a write."""
        ...

    def embed_documents(self, texts: Sequence[str]) -> list[bytes]:
        """Vectors of texts to be found."""
        ...

    def embed_queries(self, texts: Sequence[str]) -> list[bytes]:
        """Vectors of questions to find them by."""
        ...
