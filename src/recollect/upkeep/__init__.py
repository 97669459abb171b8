"""What keeps memory in order: missing vectors, rebuilt indexes, moving house."""

from recollect.upkeep.copy import copy_memory
from recollect.upkeep.fill import Filler
from recollect.upkeep.reindex import Reindex

__all__ = ["Filler", "Reindex", "copy_memory"]
