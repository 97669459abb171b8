"""The loop of an agent that remembers: look up, answer, write back."""

from recollect.agent.loop import Agent, Answered
from recollect.agent.manager import MemoryManager, MemoryStore, SemanticRetriever

__all__ = ["Agent", "Answered", "MemoryManager", "MemoryStore", "SemanticRetriever"]
