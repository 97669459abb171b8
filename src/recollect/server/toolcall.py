"""A call of a tool: in a worker thread, and what goes wrong told to the model in words it can use."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

from mcp.server.mcpserver.exceptions import ToolError
from pydantic import ValidationError

from recollect.errors import RecollectError

T = TypeVar("T")


async def tool_call(work: Callable[..., T], *values: Any) -> T:
    """What work returns; an error of ours is told with its code and hint, and nothing else of it."""
    try:
        return await asyncio.to_thread(work, *values)
    except RecollectError as error:
        hint = f" ({error.hint})" if error.hint else ""
        raise ToolError(f"{error.message}{hint} [{error.code}]") from None
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        raise ToolError(f"{'.'.join(map(str, first['loc']))}: {first['msg']} [invalid_input]") from None
