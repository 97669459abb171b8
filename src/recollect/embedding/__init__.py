"""Models that turn text into vectors, behind one small protocol; all optional."""

from recollect.embedding.protocol import Embedder

__all__ = ["Embedder"]
