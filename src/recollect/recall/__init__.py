"""Ranked retrieval with citations."""

from recollect.recall.arms import WEIGHTS
from recollect.recall.recall import Recaller, Wanted
from recollect.recall.result import Hit, Recall

__all__ = ["WEIGHTS", "Hit", "Recall", "Recaller", "Wanted"]
