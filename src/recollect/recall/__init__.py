"""Ranked retrieval with citations."""

from recollect.recall.arms import WEIGHTS
from recollect.recall.recall import Recaller, Wanted
from recollect.recall.result import Hit, Recall
from recollect.recall.rewind import rewound

__all__ = ["WEIGHTS", "Hit", "Recall", "Recaller", "Wanted", "rewound"]
