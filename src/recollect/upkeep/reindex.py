"""Changing the embedding model: new vectors beside the old ones, used only once they are complete."""

from __future__ import annotations

from collections.abc import Callable

from recollect.embedding import EmbeddingFailed, Vectors, spoken
from recollect.storage.interface import PendingVector, Storage, Writer

_BATCH = 64


class Reindex:
    """Gives every memory a vector of one model, then switches recall to it. Can be stopped and run again."""

    def __init__(self, storage: Storage, vectors: Vectors) -> None:
        self._storage = storage
        self._vectors = vectors

    def run(self, progress: Callable[[int, int], None] = lambda _done, _total: None) -> int:
        """Makes what is missing; `progress` hears (done, total). Returns how many vectors were made."""
        model = self._vectors.model
        if model is None:
            raise EmbeddingFailed("there is no embedding model to index with", hint="pip install 'recollect[local]'")
        total = self._storage.write(lambda writer: writer.count_missing(model))
        made, after = 0, 0
        progress(0, total)
        while not self._storage.write(lambda writer: self._finish(writer, model)):
            pending = self._storage.write(
                lambda writer, after=after: writer.missing_vectors(model, after, _BATCH)  # type: ignore[misc]
            )
            if not pending:
                after = 0  # something was written behind us: look again from the beginning
                continue
            made += self._fill(pending)
            after = pending[-1].seq
            progress(made, max(total, made))
        return made

    def _fill(self, pending: list[PendingVector]) -> int:
        vectors = self._vectors.documents([spoken(item.content, item.speaker) for item in pending])
        made = [(item, vector) for item, vector in zip(pending, vectors, strict=True) if vector is not None]
        self._storage.write(lambda writer: writer.store_vectors(made))
        if len(made) < len(pending):
            raise EmbeddingFailed(
                f"{self._vectors.model} failed; {len(made)} vectors of this batch are kept",
                hint="run it again: it goes on where it stopped",
            )
        return len(made)

    @staticmethod
    def _finish(writer: Writer, model: str) -> bool:
        """Switches to the new vectors if none is missing, in the same transaction that has looked."""
        if writer.count_missing(model):
            return False
        writer.activate_model(model)
        return True
