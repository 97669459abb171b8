"""JSON-RPC 2.0 over the same operations: single calls, batches and notifications."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

from pydantic import ValidationError

from recollect.errors import InvalidInput, RecollectError, ScopeDenied
from recollect.model.token import Identity
from recollect.server.operations import BY_METHOD, call
from recollect.system import MemorySystem

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL = -32700, -32600, -32601, -32602, -32603
REFUSED, FORBIDDEN = -32000, -32001
_MOST_IN_A_BATCH = 100


def answer(
    memory: MemorySystem, identity: Identity, body: bytes, charge: Callable[[Identity], None] = lambda _: None
) -> bytes | None:
    """The answer to a request or a batch of them; None where nothing is to be answered.

    `charge` is told of every request of a batch beyond the first.
    """
    try:
        request = json.loads(body)
    except (ValueError, RecursionError):
        return _encoded(_error(None, PARSE_ERROR, "this is not JSON"))
    if isinstance(request, list):
        if not request or len(request) > _MOST_IN_A_BATCH:
            return _encoded(_error(None, INVALID_REQUEST, f"a batch has 1 to {_MOST_IN_A_BATCH} requests"))
        answers = []
        for number, one in enumerate(request):
            try:
                if number:
                    charge(identity)
            except RecollectError as error:
                told = _unless_notified(one, _error(_number(one), REFUSED, error.message, error.to_json()))
            else:
                told = _one(memory, identity, one)
            answers += [] if told is None else [told]
        return _encoded(answers) if answers else None
    single = _one(memory, identity, request)
    return None if single is None else _encoded(single)


def _one(memory: MemorySystem, identity: Identity, request: Any) -> dict[str, Any] | None:
    if not isinstance(request, dict) or request.get("jsonrpc") != "2.0" or not isinstance(request.get("method"), str):
        return _error(None, INVALID_REQUEST, 'a request is {"jsonrpc": "2.0", "method": "…", "params": {…}, "id": 1}')
    number = _number(request)
    if number is None and request.get("id") is not None:
        return _error(None, INVALID_REQUEST, "an id is a text or a number")
    return _unless_notified(request, _called(memory, identity, request, number))


def _number(request: Any) -> Any:
    """The id of a request, if it has a sound one."""
    number = request.get("id") if isinstance(request, dict) else None
    sound = isinstance(number, str | int) or (isinstance(number, float) and math.isfinite(number))
    return number if sound and not isinstance(number, bool) else None


def _unless_notified(request: Any, told: dict[str, Any]) -> dict[str, Any] | None:
    """A request without an id wants no answer."""
    return None if isinstance(request, dict) and "id" not in request else told


def _called(  # noqa: PLR0911  one for every way it can end
    memory: MemorySystem, identity: Identity, request: dict[str, Any], number: Any
) -> dict[str, Any]:
    operation = BY_METHOD.get(request["method"])
    if operation is None:
        hint = f"one of {', '.join(sorted(BY_METHOD))}"
        return _error(number, METHOD_NOT_FOUND, "there is no such method", {"code": "method_not_found", "hint": hint})
    given = request.get("params", {})
    if not isinstance(given, dict):
        return _error(number, INVALID_PARAMS, "params is an object", {"code": "invalid_input"})
    try:
        result = call(memory, identity, operation, operation.parameters.model_validate(given))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        where = ".".join(map(str, first["loc"])) or "params"
        data = {"code": "invalid_input", "field": where}
        return _error(number, INVALID_PARAMS, f"{where}: {first['msg']}", data)
    except ScopeDenied as error:
        return _error(number, FORBIDDEN, error.message, error.to_json())
    except RecollectError as error:
        code = INVALID_PARAMS if isinstance(error, InvalidInput) else REFUSED
        return _error(number, code, error.message, error.to_json())
    except Exception as error:  # noqa: BLE001  no trace of it reaches a caller
        memory.log.write("memory.server.failed", level="error", method=request["method"], detail=type(error).__name__)
        return _error(number, INTERNAL, "something went wrong here", {"code": "internal_error"})
    return {"jsonrpc": "2.0", "result": result, "id": number}


def _error(number: Any, code: int, message: str, data: Any = None) -> dict[str, Any]:
    error = {"code": code, "message": message} | ({} if data is None else {"data": data})
    return {"jsonrpc": "2.0", "error": error, "id": number}


def _encoded(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, default=str).encode("utf-8", "backslashreplace")
