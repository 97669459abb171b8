"""Models by pydantic-ai: OpenAI and whatever speaks like it, Anthropic, Ollama."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any
from weakref import WeakKeyDictionary

from recollect.llm.protocol import ChatMessage, Completion, ModelFailed


class PydanticModel:
    """A model that pydantic-ai talks to."""

    def __init__(self, name: str, make: Callable[[], Any], timeout: float) -> None:
        """`make` makes a client; each event loop gets its own, since connections do not outlive their loop."""
        self.name = name
        self._make = make
        self._models: WeakKeyDictionary[asyncio.AbstractEventLoop, Any] = WeakKeyDictionary()
        self._settings: Any = {"timeout": timeout}

    @property
    def _model(self) -> Any:
        loop = asyncio.get_running_loop()
        if loop not in self._models:
            self._models[loop] = self._make()
        return self._models[loop]

    async def complete(self, messages: Sequence[ChatMessage]) -> Completion:
        """The whole answer."""
        from pydantic_ai.direct import model_request

        try:
            response = await model_request(self._model, _history(messages), model_settings=self._settings)
        except Exception as error:
            raise _failed(self.name, error) from error
        text = "".join(part.content for part in response.parts if part.part_kind == "text")
        if not text.strip():
            raise ModelFailed(f"{self.name} answered nothing", hint="try again, or another model")
        return Completion(text, response.usage.input_tokens, response.usage.output_tokens)

    async def stream(self, messages: Sequence[ChatMessage]) -> AsyncIterator[str]:
        """The answer piece by piece."""
        from pydantic_ai.direct import model_request_stream

        said = False
        try:
            async with model_request_stream(self._model, _history(messages), model_settings=self._settings) as events:
                async for event in events:
                    piece = _text(event)
                    if piece:
                        said = True
                        yield piece
                # The library takes a stream that just ends for a whole one; the server's own word counts.
                finished = "finish_reason" in (events.get().provider_details or {})
        except GeneratorExit:
            raise
        except Exception as error:
            raise _failed(self.name, error) from error
        if not finished:
            raise ModelFailed(f"{self.name} broke off in the middle of its answer", model=self.name)
        if not said:
            raise ModelFailed(f"{self.name} answered nothing", hint="try again, or another model")


def _text(event: Any) -> str:
    """The text that an event brings, if it brings any."""
    part = getattr(event, "part", None) if event.event_kind == "part_start" else getattr(event, "delta", None)
    if part is None:
        return ""
    if getattr(part, "part_kind", "") == "text":
        return str(part.content)
    return str(part.content_delta) if getattr(part, "part_delta_kind", "") == "text" else ""


def _history(messages: Sequence[ChatMessage]) -> list[Any]:
    from pydantic_ai.messages import ModelRequest, ModelResponse, SystemPromptPart, TextPart, UserPromptPart

    made: list[Any] = []
    for message in messages:
        if message.role == "assistant":
            made.append(ModelResponse(parts=[TextPart(message.content)]))
        else:
            part = SystemPromptPart if message.role == "system" else UserPromptPart
            made.append(ModelRequest(parts=[part(message.content)]))
    return made


def _failed(name: str, error: Exception) -> ModelFailed:
    """What went wrong, in a line: no key, no request and no stack trace in it."""
    status = getattr(error, "status_code", None)
    detail = f"status {status}" if status else type(error).__name__
    return ModelFailed(f"{name} did not answer ({detail})", hint="memory goes on without it", model=name)
