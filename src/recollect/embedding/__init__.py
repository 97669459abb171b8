"""Models that turn text into vectors, behind one small protocol; all optional."""

from recollect.embedding.create import by_name, create
from recollect.embedding.protocol import Embedder, EmbeddingFailed
from recollect.embedding.vectors import Vectors, spoken

__all__ = ["Embedder", "EmbeddingFailed", "Vectors", "by_name", "create", "spoken"]
