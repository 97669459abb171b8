"""Ranked retrieval with citations."""

from recollect.recall.recall import Hit, Recall, Recaller

__all__ = ["Hit", "Recall", "Recaller"]
