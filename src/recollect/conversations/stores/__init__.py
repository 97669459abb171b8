"""Stores: where a session keeps its key-values and its transcript; more kinds may be added by name."""

from recollect.conversations.stores.base import Store, StorePlace, TranscriptEntry
from recollect.conversations.stores.registry import BASIC, DATABASE, Stores

__all__ = ["BASIC", "DATABASE", "Store", "StorePlace", "Stores", "TranscriptEntry"]
