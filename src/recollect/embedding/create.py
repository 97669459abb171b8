"""Which embedder: chosen by name in the settings, or the best one that is installed."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable

from recollect.config import EmbeddingSettings
from recollect.embedding.libraries import fastembed, sentence_transformers, wordllama
from recollect.embedding.onnx import MINILM, from_folder, minilm, minilm_installed
from recollect.embedding.protocol import Embedder
from recollect.embedding.remote import RemoteEmbedder
from recollect.errors import ConfigError

_LIBRARIES: dict[str, Callable[[str], Embedder]] = {
    "onnx": from_folder,
    "fastembed": fastembed,
    "sentence-transformers": sentence_transformers,
}


def create(settings: EmbeddingSettings) -> Embedder | None:
    """The embedder that the settings ask for; None for text-only memory."""
    if settings.provider == "auto":
        if minilm_installed():
            return minilm()
        return wordllama() if importlib.util.find_spec("wordllama") else None
    return by_name(settings.provider, settings)


def by_name(name: str, settings: EmbeddingSettings) -> Embedder | None:
    """An embedder by the name of its provider, or by the name its vectors carry."""
    provider, _, model = name.partition(":")
    if name == "none":
        return None
    if name in {"minilm", MINILM}:
        return minilm()
    if name in {"wordllama", "wordllama-256"}:
        return wordllama()
    if provider == "openai" and model:
        return RemoteEmbedder(
            model, settings.base_url, settings.dimension, settings.key_variable, settings.timeout_seconds
        )
    if provider in _LIBRARIES and model:
        return _LIBRARIES[provider](model)
    raise ConfigError(
        f"embedding.provider must be auto, none, minilm, wordllama, onnx:FOLDER, fastembed:MODEL, "
        f"sentence-transformers:MODEL or openai:MODEL; got {name!r}",
        key="embedding.provider",
    )
