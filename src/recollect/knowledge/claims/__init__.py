"""Claims: what a text says about whose attribute, read by rules; the slots by which conflicts are decided."""

from recollect.knowledge.claims.read import Reading, Said, read_claims

__all__ = ["Reading", "Said", "read_claims"]
