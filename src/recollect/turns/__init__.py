"""Turns: what each turn of a conversation leaves behind, and what the next one is given of it."""

from recollect.turns.artifacts import Artifacts, Place
from recollect.turns.blobs import open_blobs
from recollect.turns.buckets import Buckets
from recollect.turns.feedback import Feedback, FeedbackReport, Feedbacks
from recollect.turns.log import TurnLog
from recollect.turns.memory import ConversationState, Turn, TurnMemory
from recollect.turns.reconcile import Offer, Reconciled
from recollect.turns.signals import Promotion

__all__ = [
    "Artifacts",
    "Buckets",
    "ConversationState",
    "Feedback",
    "FeedbackReport",
    "Feedbacks",
    "Offer",
    "Place",
    "Promotion",
    "Reconciled",
    "Turn",
    "TurnLog",
    "TurnMemory",
    "open_blobs",
]
