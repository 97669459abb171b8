"""What an embedding model offers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Embedder(Protocol):
    """Turns texts into vectors of one space. Each vector is little-endian float32, `dimension` numbers long."""

    @property
    def name(self) -> str:
        """Which model: stored with every vector, so that spaces are never mixed."""
        ...

    @property
    def dimension(self) -> int:
        """How many numbers a vector has."""
        ...

    def embed_documents(self, texts: Sequence[str]) -> list[bytes]:
        """Vectors of texts to be found."""
        ...

    def embed_queries(self, texts: Sequence[str]) -> list[bytes]:
        """Vectors of questions to find them by."""
        ...
