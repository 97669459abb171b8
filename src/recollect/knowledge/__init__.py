"""What memory knows: the one write path, and how knowledge changes."""

from recollect.knowledge.access import Access
from recollect.knowledge.change import Change
from recollect.knowledge.provenance import Workspace
from recollect.knowledge.remember import Draft, Link, Receipt, Remember, refusal

__all__ = ["Access", "Change", "Draft", "Link", "Receipt", "Remember", "Workspace", "refusal"]
