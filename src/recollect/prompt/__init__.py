"""What a prompt gets: bounded, deterministic, cited by id."""

from recollect.prompt.context import RetrievedContext, SearchResult, within_budget

__all__ = ["RetrievedContext", "SearchResult", "within_budget"]
