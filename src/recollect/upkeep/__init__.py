"""What keeps memory in order: missing vectors, rebuilt indexes."""

from recollect.upkeep.fill import Filler
from recollect.upkeep.reindex import Reindex

__all__ = ["Filler", "Reindex"]
