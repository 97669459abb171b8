"""The nine tools of the reference memory server, over our own graph: its clients find what they know.

An entity, an observation and a relation are memories each; what they are stands in their summaries.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeVar

from mcp.server import MCPServer
from mcp.types import ToolAnnotations
from pydantic import BaseModel, Field

from recollect.errors import NotFound, ScopeDenied
from recollect.model.graph import GRAPH, entity, observation, read, relation, written
from recollect.model.memory import Memory
from recollect.model.source import Source
from recollect.model.token import Identity, Rights
from recollect.server.toolcall import tool_call

if TYPE_CHECKING:  # a client waits for the first answer, which needs nothing of the memory
    from recollect.system import MemorySystem

T = TypeVar("T")
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
            told = read(memory.summary) if memory.source.conversation_id == GRAPH else None
            if told is not None:
                found.append((told, memory))
        return found[::-1]

    def _put(self, content: str, told: dict[str, Any]) -> str:
        """Remembers a part of the graph; what is kept of it, since secrets are masked."""
        summary = written(told)
        key = hashlib.sha256(summary.encode() + content.encode()).hexdigest()
        source = Source(conversation_id=GRAPH, message_id=key)
        kept = self._memory.remember(
            content, **self._who, verbatim=True, summary=summary, source=source, type="Fact"
        ).memory
        return content if kept is None else kept.content

    def create_entities(self, entities: Iterable[Entity]) -> list[dict[str, Any]]:
        """New entities; those whose names are known are left as they are."""
        known = {told["name"] for told, _ in self._found() if told.get("kind") == "entity"}
        made = []
        for each in entities:
            if each.name not in known:
                known.add(each.name)
                self._put(f"{each.name} ({each.entityType})", entity(each.name, each.entityType))
                kept = [self._put(text, observation(each.name)) for text in dict.fromkeys(each.observations)]
                made.append({**each.model_dump(), "observations": kept})
        return made

    def create_relations(self, relations: Iterable[Relation]) -> list[dict[str, Any]]:
        """New relations; those that are there are left out."""
        relations, found = list(relations), self._found()
        self._check_known([name for each in relations for name in (each.from_, each.to)], found)
        known = {_relation(told) for told, _ in found if told.get("kind") == "relation"}
        made = []
        for each in relations:
            key = (each.from_, each.to, each.relationType)
            if key not in known:
                known.add(key)
                content = f"{each.from_} {each.relationType} {each.to}"
                self._put(content, relation(each.from_, each.to, each.relationType))
                made.append(each.model_dump(by_alias=True))
        return made

    def add_observations(self, observations: Iterable[Observations]) -> list[dict[str, Any]]:
        """What is new about entities."""
        observations, found = list(observations), self._found()
        self._check_known([each.entityName for each in observations], found)
        done = []
        for each in observations:
            known = {m.content for told, m in found if told.get("entity") == each.entityName}
            new = [text for text in dict.fromkeys(each.contents) if text not in known]
            added = [self._put(text, observation(each.entityName)) for text in new]
            done.append({"entityName": each.entityName, "addedObservations": added})
        return done

    @staticmethod
    def _check_known(names: Iterable[str], found: Iterable[tuple[dict[str, Any], Memory]]) -> None:
        """Refuses entities that are not there, before anything is done."""
        known = {told["name"] for told, _ in found if told.get("kind") == "entity"}
        for name in names:
            if name not in known:
                raise NotFound(f"no entity {name}", code="not_found")

    def delete(self, what: str, gone: Callable[[dict[str, Any], Memory], bool]) -> dict[str, Any]:
        """Retracts what is to go: it is never found again, and stays in its history."""
        for told, memory in self._found():
            if gone(told, memory):
                self._memory.retract(memory.memory_id, **self._who, reason="deleted by an MCP client")
        return {"success": True, "message": f"{what} deleted successfully"}

    def graph(self, wanted: Callable[[dict[str, Any]], bool] = lambda _: True) -> dict[str, Any]:
        """Entities with their observations, and the relations that touch them."""
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
            if told.get("kind") == "relation" and (told["from"] in shown or told["to"] in shown)
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

        return await done(Rights.WRITE, lambda graph: graph.delete("Entities", gone))

    @server.tool(description="Delete observations of entities.", annotations=_DESTROYS)
    async def delete_observations(deletions: list[Deletion]) -> dict[str, Any]:
        wanted = {(each.entityName, text) for each in deletions for text in each.observations}

        def gone(told: dict[str, Any], memory: Memory) -> bool:
            return (told.get("entity"), memory.content) in wanted

        return await done(Rights.WRITE, lambda graph: graph.delete("Observations", gone))

    @server.tool(description="Delete relations between entities.", annotations=_DESTROYS)
    async def delete_relations(relations: list[Relation]) -> dict[str, Any]:
        wanted = {(each.from_, each.to, each.relationType) for each in relations}

        def gone(told: dict[str, Any], _: Memory) -> bool:
            return told.get("kind") == "relation" and _relation(told) in wanted

        return await done(Rights.WRITE, lambda graph: graph.delete("Relations", gone))

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
