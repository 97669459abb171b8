"""Random valid and invalid graphs, driven through the real store and compared with a simple model of it."""

from __future__ import annotations

import shutil
import tempfile
import uuid
from collections import Counter, defaultdict

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    initialize,
    invariant,
    multiple,
    rule,
    run_state_machine_as_test,
)

import recollect
from recollect import EdgeType, IllegalTransition, InvalidInput, Link, MemoryType, NotFound, RecollectError, Status
from recollect.knowledge.understand import content_key
from recollect.model.text import is_blank, normalise
from recollect.testing import FakeClock

USERS = ["alex", "bob"]
CHATS = [None, "team"]
NOWHERE = "01a1e211-3468-7353-a549-4498191f34f2"
texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1, max_size=60)


happened = Counter()


def mostly(good, other):
    """Nine good values to one that may be anything: a graph only grows from good ones."""
    return st.integers(0, 9).flatmap(lambda n: other if n == 0 else good)


class Model:
    """What should be there: dictionaries and nothing else."""

    def __init__(self):
        self.memories = {}  # id -> {owner, content, type, status, expires}
        self.edges = set()  # (from, to, type)
        self.events = defaultdict(int)

    def sees(self, user, chat, memory_id):
        audience = self.memories.get(memory_id, {}).get("audience")
        return audience in {"shared", ("user", user)} or (chat is not None and audience == ("chat", chat))

    def leads(self, start, goal):
        seen, todo = set(), [start]
        while todo:
            node = todo.pop()
            if node == goal:
                return True
            if node not in seen:
                seen.add(node)
                todo += [end for begin, end, kind in self.edges if begin == node and kind == "Updates"]
        return False


class Graph(RuleBasedStateMachine):
    ids = Bundle("ids")

    server: str | None = None
    looked = 0

    def looks(self) -> bool:
        """Whether to look at everything now: always, and on a server (where that takes longer) every fourth time."""
        self.looked += 1
        return hasattr(self, "memory") and (self.server is None or self.looked % 4 == 0)

    @initialize()
    def start(self):
        self.root = tempfile.mkdtemp()
        self.orchestrator = f"home-{uuid.uuid4().hex}"  # on a server, the examples share a database
        self.clock = FakeClock()
        self.model = Model()
        self.open()

    def open(self):
        self.memory = recollect.open(
            self.server or self.root,
            orchestrator=self.orchestrator,
            clock=self.clock,
            files=self.root,
            settings={"storage": {"synchronous": "normal"}, "memory": {"auto_gc": False}},
        )

    def teardown(self):
        if hasattr(self, "memory"):
            self.memory.close()
            shutil.rmtree(self.root)

    @rule(
        target=ids,
        user=st.sampled_from(USERS),
        chat=st.sampled_from(CHATS),
        scope=st.sampled_from([None, "shared", "shared", "group", "personal"]),
        kind=mostly(st.sampled_from(MemoryType), st.just("Rumour")),
        importance=mostly(st.integers(0, 100), st.one_of(st.integers(-2, 102), st.booleans(), st.floats())),
        content=mostly(texts, st.just(" ")),
        days=st.one_of(st.none(), st.integers(1, 5)),
    )
    def remember(self, user, chat, scope, kind, importance, content, days):
        audience = {
            None: ("user", user),
            "personal": ("user", user),
            "shared": "shared",
            "group": chat and ("chat", chat),
        }[scope]
        valid = (
            kind != "Rumour"
            and type(importance) is int
            and 0 <= importance <= 100
            and audience
            and not is_blank(normalise(content))
        )
        expires = None if days is None else f"{days}d"
        try:
            receipt = self.memory.remember(
                content, user=user, chat=chat, scope=scope, type=kind, importance=importance, expires=expires
            )
        except InvalidInput:
            assert not valid
            return multiple()
        assert valid
        stored = receipt.memory
        if receipt.outcome == "merged":  # it said the same as one that is there
            twin = self.model.memories[stored.memory_id]
            assert (twin["audience"], twin["status"]) == (audience, "active")
            assert content_key(twin["content"]) == content_key(normalise(content))
            twin["expires"] = stored.expires_at
            self.model.events[stored.memory_id] = self.recorded(stored.memory_id)
            return multiple()
        self.model.memories[stored.memory_id] = {
            "audience": audience,
            "content": normalise(content),
            "type": kind,
            "status": "active",
            "expires": stored.expires_at,
        }
        self.model.events[stored.memory_id] += 1
        return stored.memory_id

    @rule(
        one=ids,
        other=st.one_of(ids, st.just(NOWHERE)),
        kind=mostly(st.sampled_from([*EdgeType]), st.just("Likes")),
        user=st.sampled_from(USERS),
        chat=st.sampled_from(CHATS),
        weight=mostly(st.floats(0, 1), st.floats()),
    )
    def link(self, one, other, kind, user, chat, weight):
        model = self.model
        visible = model.sees(user, chat, one) and model.sees(user, chat, other)
        valid = kind != "Likes" and 0 <= weight <= 1 and one != other
        fresh = (one, other, str(kind)) not in model.edges
        try:
            self.memory.link(one, other, kind, user=user, chat=chat, weight=weight)
        except RecollectError as error:
            assert not (visible and valid and fresh and kind != "Updates"), error
            return
        assert visible and valid and fresh and kind != "Updates"
        happened["link"] += 1
        model.edges.add((one, other, str(kind)))
        model.events[one] += 1
        model.events[other] += 1

    @rule(old=ids, new=ids, user=st.sampled_from(USERS), chat=st.sampled_from(CHATS))
    def supersede(self, old, new, user, chat):
        model = self.model
        visible = model.sees(user, chat, old) and model.sees(user, chat, new)
        allowed = (
            old != new
            and model.memories[old]["status"] == model.memories[new]["status"] == "active"
            and model.memories[old]["audience"] == model.memories[new]["audience"]
            and (new, old, "Updates") not in model.edges
            and not model.leads(old, new)
        )
        try:
            self.memory.supersede(old, new, user=user, chat=chat)
        except RecollectError as error:
            assert not (visible and allowed), error
            return
        assert visible and allowed
        model.memories[old]["status"] = "superseded"
        happened["supersede"] += 1
        model.edges.add((new, old, "Updates"))
        model.events[old] += 2
        model.events[new] += 1

    @rule(target=ids, old=ids, user=st.sampled_from(USERS), chat=st.sampled_from(CHATS))
    def supersede_with_new(self, old, user, chat):
        model = self.model
        allowed = model.sees(user, chat, old) and model.memories[old]["status"] == "active"
        try:
            new = self.memory.supersede(old, content="newer", user=user, chat=chat).memory
        except RecollectError as error:
            assert not allowed, error
            return multiple()
        assert allowed
        happened["supersede"] += 1
        before = model.memories[old]
        model.memories[new.memory_id] = {**before, "content": "newer", "status": "active", "expires": None}
        before["status"] = "superseded"
        model.edges.add((new.memory_id, old, "Updates"))
        model.events[old] += 2
        model.events[new.memory_id] += 2
        return new.memory_id

    @rule(memory_id=ids, user=st.sampled_from(USERS), chat=st.sampled_from(CHATS))
    def retract(self, memory_id, user, chat):
        try:
            self.memory.retract(memory_id, user=user, chat=chat)
        except NotFound:
            assert not self.model.sees(user, chat, memory_id)
            return
        except IllegalTransition:
            assert self.model.memories[memory_id]["status"] == "retracted"
            return
        else:
            assert self.model.sees(user, chat, memory_id)
            happened["retract"] += 1
            self.model.memories[memory_id]["status"] = "retracted"
        self.model.events[memory_id] += 1

    @rule(memory_id=ids, content=texts, user=st.sampled_from(USERS))
    def edit(self, memory_id, content, user):
        model = self.model
        allowed = (
            not is_blank(normalise(content))
            and model.sees(user, None, memory_id)
            and model.memories[memory_id]["status"] == "active"
        )
        try:
            self.memory.edit(memory_id, content=content, user=user)
        except RecollectError as error:
            assert not allowed, error
            return
        assert allowed
        happened["edit"] += 1
        model.memories[memory_id]["content"] = normalise(content)
        model.events[memory_id] += 1

    @rule(user=st.sampled_from(USERS), ends=st.lists(st.one_of(ids, st.just(NOWHERE)), max_size=3))
    def remember_with_edges(self, user, ends):
        """One write, several edges: all of it or none."""
        links = [Link(to_memory_id=end, edge_type="RelatedTo") for end in ends]
        valid = all(self.model.sees(user, None, end) for end in ends) and len(set(ends)) == len(ends)
        try:
            receipt = self.memory.remember("linked", user=user, links=links)
        except RecollectError as error:
            assert not valid, error
            return
        assert valid
        stored = receipt.memory
        if receipt.outcome == "merged":
            assert not ends, "what is related to others is a memory of its own"
            self.model.memories[stored.memory_id]["expires"] = stored.expires_at
            self.model.events[stored.memory_id] = self.recorded(stored.memory_id)
            return
        happened["linked write"] += bool(ends)
        self.model.memories[stored.memory_id] = {
            "audience": ("user", user),
            "content": "linked",
            "type": MemoryType.FACT,
            "status": "active",
            "expires": None,
        }
        self.model.edges |= {(stored.memory_id, end, "RelatedTo") for end in ends}
        self.model.events[stored.memory_id] += 1 + len(ends)
        for end in ends:
            self.model.events[end] += 1

    def recorded(self, memory_id):
        """How many events a memory has, whoever may see them."""
        return len(self.memory._storage.read(lambda reader: reader.events(memory_id)))

    @rule(hours=st.integers(-30, 80))
    def time_passes(self, hours):
        self.clock.advance(hours=hours)

    @rule()
    def restart(self):
        self.memory.close()
        self.open()

    @invariant()
    def everybody_sees_exactly_what_they_should(self):
        if not self.looks():
            return
        for user in USERS:
            for chat in CHATS:
                now = self.clock.now()
                visible = {m: v for m, v in self.model.memories.items() if self.model.sees(user, chat, m)}
                everything = self.memory.list(user=user, chat=chat, statuses=Status, include_expired=True, limit=10_000)
                assert everything.damaged == []
                assert {m.memory_id: (m.content, m.type, m.status, m.expires_at) for m in everything} == {
                    m: (v["content"], v["type"], v["status"], v["expires"]) for m, v in visible.items()
                }
                active = {
                    m
                    for m, v in visible.items()
                    if v["status"] == "active" and (v["expires"] is None or v["expires"] > now)
                }
                assert {m.memory_id for m in self.memory.list(user=user, chat=chat, limit=10_000)} == active

    @invariant()
    def nothing_more_and_nothing_less_is_stored(self):
        if not hasattr(self, "memory"):
            return
        stats = self.memory.stats()
        assert stats.memories == len(self.model.memories)
        assert stats.edges == len(self.model.edges)
        assert stats.events == sum(self.model.events.values())


def drive(examples: int, *, repeatable: bool, server: str | None = None) -> None:
    happened.clear()
    run_state_machine_as_test(
        type("Graph", (Graph,), {"server": server}),
        settings=settings(
            max_examples=examples,
            stateful_step_count=40,
            deadline=None,
            derandomize=repeatable,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        ),
    )
    print(dict(happened))
    for kind in ("link", "supersede", "edit", "retract"):
        assert happened[kind] >= 2, f"{kind} hardly ever happened: the test shows nothing about it"


def test_random_graphs_behave_as_the_model_says():
    drive(60, repeatable=True)


def test_random_graphs_behave_as_the_model_says_on_a_server(databases):
    drive(60, repeatable=True, server=databases.new())


@pytest.mark.torture
def test_a_thousand_other_random_graphs():
    drive(1_000, repeatable=False)
