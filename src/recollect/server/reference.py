"""The nine tools of the reference memory server, over our own graph: its clients find what they know.

An entity, an observation and a relation are memories each; what they are stands in their summaries.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeVar

from mcp.server import MCPServer
from mcp.types import ToolAnnotations
from pydantic import BaseModel, Field

from recollect.errors import ScopeDenied
from recollect.model.memory import Memory
from recollect.model.source import Source
from recollect.model.token import Identity, Rights
from recollect.server.toolcall import tool_call

if TYPE_CHECKING:  # a client waits for the first answer, which needs nothing of the memory
    from recollect.system import MemorySystem

T = TypeVar("T")
_MARK = "reference"
_MOST = 100_000
_READS = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)
_ADDS = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
_DESTROYS = ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False)


class Entity(BaseModel):
    """Something with a name, a type, and what was observed about it."""

    name: str = Field(min_length=1, max_length=200)
    entityType: str = Field(max_length=200)  # noqa: N815  the reference's name
    observations: list[str] = []


class Relation(BaseModel):
    """How one entity is related to another, in active voice."""

    from_: str = Field(alias="from", max_length=200)
    to: str = Field(max_length=200)
    relationType: str = Field(max_length=200)  # noqa: N815  the reference's name


class Observations(BaseModel):
    """What to add to an entity."""

    entityName: str = Field(max_length=200)  # noqa: N815  the reference's name
    contents: list[str]


class Deletion(BaseModel):
    """What to take from an entity."""

    entityName: str = Field(max_length=200)  # noqa: N815  the reference's name
    observations: list[str]


class Graph:
    """Entities, observations and relations of one caller."""

    def __init__(self, memory: MemorySystem, identity: Identity, needed: Rights) -> None:
        self._memory = memory
        self._identity = identity
        self._needed = needed
        self._who: dict[str, Any] = {"user": identity.user, "chat": identity.chat}

    def _found(self) -> list[tuple[dict[str, Any], Memory]]:
        if not self._identity.rights.include(self._needed):
            raise ScopeDenied(f"this needs the right to {self._needed.value}", code="forbidden")
        found = []
        for memory in self._memory.list(**self._who, limit=_MOST):
            if memory.source.conversation_id == _MARK:
                try:
                    found.append((json.loads(memory.summary), memory))
                except ValueError:
                    continue  # edited since: it is a memory like any other now
        return found[::-1]

    def _put(self, content: str, told: dict[str, Any]) -> None:
        key = hashlib.sha256(json.dumps(told, sort_keys=True).encode() + content.encode()).hexdigest()
        self._memory.remember(
            content,
            **self._who,
            verbatim=True,
            summary=json.dumps(told, ensure_ascii=False),
            source=Source(conversation_id=_MARK, message_id=key),
            type="Fact",
        )

    def create_entities(self, entities: Iterable[Entity]) -> list[dict[str, Any]]:
        """New entities; those whose names are known are left as they are."""
        known = {told["name"] for told, _ in self._found() if told.get("kind") == "entity"}
        made = []
        for each in entities:
            if each.name not in known:
                known.add(each.name)
                self._put(
                    f"{each.name} ({each.entityType})", {"kind": "entity", "name": each.name, "type": each.entityType}
                )
                for text in dict.fromkeys(each.observations):
                    self._put(text, {"kind": "observation", "entity": each.name})
                made.append(each.model_dump())
        return made

    def create_relations(self, relations: Iterable[Relation]) -> list[dict[str, Any]]:
        """New relations; those that are there are left out."""
        known = {_relation(told) for told, _ in self._found() if told.get("kind") == "relation"}
        made = []
        for each in relations:
            key = (each.from_, each.to, each.relationType)
            if key not in known:
                known.add(key)
                told = {"kind": "relation", "from": each.from_, "to": each.to, "type": each.relationType}
                self._put(f"{each.from_} {each.relationType} {each.to}", told)
                made.append(each.model_dump(by_alias=True))
        return made

    def add_observations(self, observations: Iterable[Observations]) -> list[dict[str, Any]]:
        """What is new about entities."""
        found = self._found()
        names = {told["name"] for told, _ in found if told.get("kind") == "entity"}
        done = []
        for each in observations:
            if each.entityName not in names:
                raise ScopeDenied(f"no entity {each.entityName}", code="not_found")
            known = {m.content for told, m in found if told.get("entity") == each.entityName}
            added = [text for text in dict.fromkeys(each.contents) if text not in known]
            for text in added:
                self._put(text, {"kind": "observation", "entity": each.entityName})
            done.append({"entityName": each.entityName, "addedObservations": added})
        return done

    def delete(self, gone: Callable[[dict[str, Any], Memory], bool]) -> int:
        """Retracts what is to go: it is never found again, and stays in its history."""
        found = [memory for told, memory in self._found() if gone(told, memory)]
        for memory in found:
            self._memory.retract(memory.memory_id, **self._who, reason="deleted by an MCP client")
        return len(found)

    def graph(self, wanted: Callable[[dict[str, Any]], bool] = lambda _: True) -> dict[str, Any]:
        """Entities with their observations, and the relations between them."""
        entities: dict[str, dict[str, Any]] = {}
        found = self._found()
        for told, _ in found:
            if told.get("kind") == "entity":
                entities[told["name"]] = {"name": told["name"], "entityType": told["type"], "observations": []}
        for told, memory in found:
            if told.get("kind") == "observation" and told["entity"] in entities:
                entities[told["entity"]]["observations"].append(memory.content)
        shown = {name: each for name, each in entities.items() if wanted(each)}
        relations = [
            {"from": told["from"], "to": told["to"], "relationType": told["type"]}
            for told, _ in found
            if told.get("kind") == "relation" and told["from"] in shown and told["to"] in shown
        ]
        return {"entities": list(shown.values()), "relations": relations}


def _relation(told: dict[str, Any]) -> tuple[str, str, str]:
    return told["from"], told["to"], told["type"]


def add_reference_tools(  # noqa: C901  nine tools
    server: MCPServer[Any], memory: Callable[[], MemorySystem], who: Callable[[], Identity]
) -> None:
    """The nine tools, by the names that the reference server has."""

    async def done(rights: Rights, work: Callable[[Graph], T]) -> T:
        return await tool_call(lambda: work(Graph(memory(), who(), rights)))

    @server.tool(description="Create new entities in the knowledge graph.", annotations=_ADDS)
    async def create_entities(entities: list[Entity]) -> dict[str, Any]:
        return {"entities": await done(Rights.WRITE, lambda graph: graph.create_entities(entities))}

    @server.tool(description="Create relations between entities, in active voice.", annotations=_ADDS)
    async def create_relations(relations: list[Relation]) -> dict[str, Any]:
        return {"relations": await done(Rights.WRITE, lambda graph: graph.create_relations(relations))}

    @server.tool(description="Add observations to entities.", annotations=_ADDS)
    async def add_observations(observations: list[Observations]) -> dict[str, Any]:
        return {"results": await done(Rights.WRITE, lambda graph: graph.add_observations(observations))}

    @server.tool(description="Delete entities with their observations and relations.", annotations=_DESTROYS)
    async def delete_entities(entityNames: list[str]) -> dict[str, Any]:  # noqa: N803
        names = set(entityNames)

        def gone(told: dict[str, Any], _: Memory) -> bool:
            return bool(names & {told.get("name"), told.get("entity"), told.get("from"), told.get("to")})

        return {"deleted": await done(Rights.WRITE, lambda graph: graph.delete(gone))}

    @server.tool(description="Delete observations of entities.", annotations=_DESTROYS)
    async def delete_observations(deletions: list[Deletion]) -> dict[str, Any]:
        wanted = {(each.entityName, text) for each in deletions for text in each.observations}

        def gone(told: dict[str, Any], memory: Memory) -> bool:
            return (told.get("entity"), memory.content) in wanted

        return {"deleted": await done(Rights.WRITE, lambda graph: graph.delete(gone))}

    @server.tool(description="Delete relations between entities.", annotations=_DESTROYS)
    async def delete_relations(relations: list[Relation]) -> dict[str, Any]:
        wanted = {(each.from_, each.to, each.relationType) for each in relations}

        def gone(told: dict[str, Any], _: Memory) -> bool:
            return told.get("kind") == "relation" and _relation(told) in wanted

        return {"deleted": await done(Rights.WRITE, lambda graph: graph.delete(gone))}

    @server.tool(description="Read the whole knowledge graph.", annotations=_READS)
    async def read_graph() -> dict[str, Any]:
        return await done(Rights.READ, Graph.graph)

    @server.tool(description="Find entities by name, type or observation.", annotations=_READS)
    async def search_nodes(query: str) -> dict[str, Any]:
        sought = query.casefold()

        def wanted(entity: dict[str, Any]) -> bool:
            texts = (entity["name"], entity["entityType"], *entity["observations"])
            return any(sought in text.casefold() for text in texts)

        return await done(Rights.READ, lambda graph: graph.graph(wanted))

    @server.tool(description="Open entities by their names.", annotations=_READS)
    async def open_nodes(names: list[str]) -> dict[str, Any]:
        return await done(Rights.READ, lambda graph: graph.graph(lambda entity: entity["name"] in names))
