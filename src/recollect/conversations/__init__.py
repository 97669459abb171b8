"""Conversations: sessions with their stores, messages, profiles, documents and summaries."""

from recollect.conversations.documents import chunks
from recollect.conversations.handle import SessionFileInfo, SessionHandle
from recollect.conversations.messages import Messages
from recollect.conversations.profiles import Profiles
from recollect.conversations.sessions import Opened, Sessions
from recollect.conversations.stores import Store, StorePlace, TranscriptEntry
from recollect.conversations.summaries import key_sentences

__all__ = [
    "Messages",
    "Opened",
    "Profiles",
    "SessionFileInfo",
    "SessionHandle",
    "Sessions",
    "Store",
    "StorePlace",
    "TranscriptEntry",
    "chunks",
    "key_sentences",
]
