"""Language models, behind one small protocol; all optional."""

from recollect.llm.create import create_model
from recollect.llm.protocol import ChatMessage, ChatModel, Completion, ModelFailed

__all__ = ["ChatMessage", "ChatModel", "Completion", "ModelFailed", "create_model"]
