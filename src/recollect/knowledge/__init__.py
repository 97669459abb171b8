"""What memory knows: the one write path, who it is about, and how knowledge changes."""

from recollect.knowledge.access import Access, everything
from recollect.knowledge.change import Change
from recollect.knowledge.draft import Draft, Link, Receipt, refusal
from recollect.knowledge.evolve import Evolve
from recollect.knowledge.forget import Forgotten
from recollect.knowledge.learn import Learner, Utterance
from recollect.knowledge.people import Circle
from recollect.knowledge.provenance import Workspace
from recollect.knowledge.remember import Remember
from recollect.knowledge.secrets import masked, masked_value
from recollect.knowledge.understand import asked_to_remember

__all__ = [
    "Access",
    "Change",
    "Circle",
    "Draft",
    "Evolve",
    "Forgotten",
    "Learner",
    "Link",
    "Receipt",
    "Remember",
    "Utterance",
    "Workspace",
    "asked_to_remember",
    "everything",
    "masked",
    "masked_value",
    "refusal",
]
