"""Which language model: chosen by name in the settings; none by default."""

from __future__ import annotations

import importlib.util
import os
from functools import partial

from recollect.config import LlmSettings
from recollect.errors import ConfigError
from recollect.llm.protocol import ChatModel
from recollect.llm.pydantic import PydanticModel

_OLLAMA = "http://localhost:11434/v1"
_PROVIDERS = ("openai", "anthropic", "ollama")


def create_model(settings: LlmSettings) -> ChatModel | None:
    """The model that the settings ask for; None when they ask for none."""
    if settings.model == "none":
        return None
    provider, _, name = settings.model.partition(":")
    if provider not in _PROVIDERS or not name:
        raise ConfigError(
            f"llm.model must be none, openai:MODEL, anthropic:MODEL or ollama:MODEL; got {settings.model!r}",
            key="llm.model",
        )
    if importlib.util.find_spec("pydantic_ai") is None:
        hint = "pip install 'recollect[llm]'"
        raise ConfigError("a language model needs pydantic-ai", code="missing_package", hint=hint)
    if provider == "anthropic":
        make = partial(_anthropic, name, settings)
    else:
        make = partial(_openai, name, settings, _OLLAMA if provider == "ollama" else None)
    return PydanticModel(settings.model, make, settings.timeout_seconds)


def _key(settings: LlmSettings, variable: str) -> str:
    # Local servers ask for no key, and client libraries insist on one.
    return os.environ.get(settings.key_variable or variable) or "none"


def _openai(name: str, settings: LlmSettings, default_url: str | None) -> object:
    from openai import AsyncOpenAI
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    client = AsyncOpenAI(
        base_url=settings.base_url or default_url,
        api_key=_key(settings, "OPENAI_API_KEY"),
        timeout=settings.timeout_seconds,
        max_retries=1,
    )
    return OpenAIChatModel(name, provider=OpenAIProvider(openai_client=client))


def _anthropic(name: str, settings: LlmSettings) -> object:
    from anthropic import AsyncAnthropic
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    client = AsyncAnthropic(
        base_url=settings.base_url or None,
        api_key=_key(settings, "ANTHROPIC_API_KEY"),
        timeout=settings.timeout_seconds,
        max_retries=1,
    )
    return AnthropicModel(name, provider=AnthropicProvider(anthropic_client=client))
