"""Extraction: what can be learned from what a user says; by rules, or by a model where one is configured."""

from recollect.knowledge.extract.facts import Fact
from recollect.knowledge.extract.rules import extract_facts

__all__ = ["Fact", "extract_facts"]
