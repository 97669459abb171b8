"""Keeping a memory in order: vectors, indexes, expiry, caps, learning, repair, copies."""

from recollect.upkeep.collect import Collected, Collector
from recollect.upkeep.copy import copy_memory
from recollect.upkeep.doctor import Diagnosis, Doctor, Finding
from recollect.upkeep.fill import Filler
from recollect.upkeep.learning import Learning
from recollect.upkeep.reindex import Reindex

__all__ = ["Collected", "Collector", "Diagnosis", "Doctor", "Filler", "Finding", "Learning", "Reindex", "copy_memory"]
