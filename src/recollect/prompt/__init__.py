"""What a prompt gets: bounded, deterministic, cited by id."""

from recollect.prompt.context import RetrievedContext, SearchResult, within_budget
from recollect.prompt.tokens import TokenCounter, default_counter

__all__ = ["RetrievedContext", "SearchResult", "TokenCounter", "default_counter", "within_budget"]
