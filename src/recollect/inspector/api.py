"""What pages ask for: the operations that every way in offers, as whoever is signed in, checked at every call."""

from __future__ import annotations

import asyncio
from typing import Any

from pydantic import ValidationError

from recollect.errors import RecollectError
from recollect.model.token import Identity, Rights
from recollect.server.gatekeeper import Gatekeeper
from recollect.server.operations import BY_NAME, call
from recollect.system import MemorySystem


class Api:
    """Operations by name, for one browser. A token that is revoked while a page is open is of no use any more."""

    def __init__(self, memory: MemorySystem, gatekeeper: Gatekeeper, token: str | None) -> None:
        self._memory = memory
        self._gatekeeper = gatekeeper
        self._token = token

    @property
    def orchestrator_id(self) -> str:
        """Whose memory this is."""
        return self._memory.orchestrator_id

    @property
    def largest_file_mb(self) -> int:
        """The largest file that can be ingested."""
        return self._memory.settings.memory.ingest.max_file_size_mb

    @property
    def is_signed_in(self) -> bool:
        """Whether a token says who this is, which can be taken away again."""
        return self._token is not None

    def failed(self, error: Exception) -> None:
        """Notes that something went wrong that should not have, without what was said."""
        self._memory.log.write("memory.inspector.failed", level="error", detail=type(error).__name__)

    def identity(self) -> Identity:
        """Who is signed in, now."""
        return self._gatekeeper.identify(self._token)

    def may(self, rights: Rights) -> bool:
        """Whether whoever is signed in may do something; asked to hide what would be refused."""
        return self.identity().rights.include(rights)

    async def ask(self, name: str, /, **given: Any) -> dict[str, Any]:
        """What an operation answers; what is not given (None) is left to it."""
        said = {field: value for field, value in given.items() if value is not None}

        def work() -> dict[str, Any]:
            identity = self.identity()
            self._gatekeeper.charge(identity)
            operation = BY_NAME[name]
            try:
                parameters = operation.parameters.model_validate(said)
            except ValidationError as error:
                first = error.errors(include_url=False, include_input=False, include_context=False)[0]
                where = ".".join(map(str, first["loc"]))
                raise RecollectError(f"{where}: {first['msg']}", code="invalid_input") from None
            answer: dict[str, Any] = call(self._memory, identity, operation, parameters)
            return answer

        return await asyncio.to_thread(work)
