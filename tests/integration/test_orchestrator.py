"""The reference orchestrator: what one message taught helps the next, in other words and through another channel."""

from __future__ import annotations

import json
import threading
import urllib.error
import urllib.request

import pytest

from recollect import Inbound, MemoryHooks, Orchestrator, Step, Workflow
from recollect.agent.channels import FolderChannel, HttpChannel


def said(text, number=1, user="alex", channel="slack", **more):
    return Inbound(message_id=f"m{number}", channel=channel, text=text, user=user, **more)


def echoing(prompts):
    def run(step):
        prompts.append(step.memory)
        return {"answer": step.memory.text or "nothing"}

    return run


@pytest.fixture
def prompts():
    return []


@pytest.fixture
def orchestrator(memory, prompts):
    answer = Workflow("answer", "answer questions", [Step("reply", "answer the user", echoing(prompts))])
    plan = Workflow(
        "plan",
        "plan and decide about projects",
        [
            Step(
                "decide",
                "decide",
                lambda _: {
                    "decision": "We will launch the rocket in spring",
                    "todo": ["Order fuel", "Paint the hull"],
                    "answer": "ok",
                },
            )
        ],
    )
    return Orchestrator(MemoryHooks(memory), [answer, plan])


def test_message_a_creates_memory_and_message_b_recalls_it(orchestrator, memory, real_model):
    orchestrator.handle(said("My sister Anna is allergic to peanuts", 1))
    outcome = orchestrator.handle(said("What must Anna not eat?", 2))
    assert "peanuts" in outcome.answer and outcome.memory_status == "ok"
    assert outcome.workflow == "answer"


def test_a_message_never_finds_itself(orchestrator):
    outcome = orchestrator.handle(said("The zebra sleeps in the kitchen tonight", 1))
    assert "zebra" not in outcome.answer


def test_recall_across_channels_of_one_orchestrator(real_model, orchestrator, prompts):
    orchestrator.handle(said("I live in the old lighthouse in Bodø", 1, channel="mail"))
    orchestrator.handle(said("Do you know the place where I live?", 2, channel="phone"))
    assert "lighthouse" in prompts[-1].text
    orchestrator.handle(said("Do you know the place where I live?", 3, user="eve", channel="phone"))
    assert "lighthouse" not in prompts[-1].text, "another user"


def test_nothing_crosses_to_another_orchestrator(open_memory, orchestrator):
    orchestrator.handle(said("I live in the old lighthouse in Bodø", 1))
    with open_memory("other") as other:
        hooks = MemoryHooks(other)
        assert "lighthouse" not in hooks.selector_context(said("Where do I live?", 2)).text


def test_what_a_step_decides_affects_what_comes_after(orchestrator, memory, prompts):
    orchestrator.handle(said("Please plan and decide about the project", 1))
    known = {each.content: each for each in memory.list(user="alex")}
    decision = known["We will launch the rocket in spring"]
    assert (decision.type, decision.importance, decision.confidence) == ("Decision", 75, 0.75)
    assert decision.source.source_type == "workflow_output" and decision.source.step_id == "decide"
    assert known["Order fuel"].type == "Todo" and known["Paint the hull"].type == "Todo"
    orchestrator.handle(said("When does it take off? I have a question", 2))
    told = prompts[-1].bulletin.sections
    assert "rocket" in told["recent_decisions"][0] and len(told["open_todos"]) == 2
    assert decision.memory_id in prompts[-1].citations


def test_attempts_and_repeats_update_one_memory(memory):
    hooks = MemoryHooks(memory)
    message = said("go")
    (first,) = hooks.write_back_step(message, "run", "step", {"decision": "Use the red paint"}, attempt=1)
    (second,) = hooks.write_back_step(message, "run", "step", {"decision": "Use the blue paint"}, attempt=2)
    (third,) = hooks.write_back_step(message, "run", "step", {"decision": "Use the blue paint"}, attempt=2)
    assert first.memory_id == second.memory_id == third.memory_id and third.content == "Use the blue paint"
    assert [each.content for each in memory.list(user="alex")] == ["Use the blue paint"]
    assert any(event.reason == "attempt 2 of step" for event in memory.history(first.memory_id, user="alex"))
    hooks.capture_inbound(said("I live in Oslo now", 7))
    before = len(memory.list(user="alex"))
    hooks.capture_inbound(said("I live in Oslo now", 7))
    assert len(memory.list(user="alex")) == before, "the same message again"


def test_a_step_that_fails_is_tried_again_and_then_fails_its_message_only(memory):
    attempts = []

    def shaky(step):
        attempts.append(step.attempt)
        if step.attempt == 1:
            raise RuntimeError("no")
        return {"decision": "Second time lucky for us"}

    def hopeless(step):
        raise RuntimeError("never")

    orchestrator = Orchestrator(MemoryHooks(memory), [Workflow("w", "", [Step("s", "", shaky)])])
    assert orchestrator.handle(said("go")).error is None and attempts == [1, 2]
    broken = Orchestrator(MemoryHooks(memory), [Workflow("w", "", [Step("s", "", hopeless)])])
    outcome = broken.handle(said("go", 2))
    assert outcome.error == "RuntimeError: never" and outcome.answer == "That did not work."


def test_diagnostics_get_bounded_evidence_with_provenance(orchestrator, memory):
    for number in range(20):
        memory.remember(f"Deploy {number} of the payment service failed at noon", user="alex", type="Event")
    seen = []

    def find(context):
        seen.append(context)
        return "The payment service fails at noon since it is restarted then"

    orchestrator.investigate("Why does the payment service fail?", "alex", find)
    evidence = seen[0].evidence
    assert 0 < len(evidence) <= 8 and all(each["memoryId"] and each["sourceType"] == "manual" for each in evidence)
    assert all(len(each["text"]) <= 240 for each in evidence)
    finding = next(each for each in memory.list(user="alex") if each.content.startswith("The payment service fails"))
    assert finding.source.source_type == "diagnostics" and finding.importance == 70
    edges = memory.edges(finding.memory_id, user="alex")
    assert {edge.edge_type for edge in edges} == {"RelatedTo"} and len(edges) == len(evidence)
    orchestrator.investigate("Why does the payment service fail?", "alex", find)
    assert (
        sum(each.content.startswith("The payment service fails") for each in memory.list(user="alex", limit=100)) == 1
    )


# Memory that fails


def test_a_memory_that_cannot_be_opened_disables_memory_and_nothing_else(root, clock):
    database = root / "home" / "memory" / "memory.db"
    database.parent.mkdir(parents=True)
    database.write_bytes(b"this is no database" * 100)
    hooks = MemoryHooks.open(root, orchestrator="home", clock=clock)
    assert hooks.status.startswith("memory disabled: ")
    orchestrator = Orchestrator(
        hooks, [Workflow("w", "", [Step("s", "", lambda step: {"answer": f"done {step.memory.text}"})])]
    )
    outcome = orchestrator.handle(said("hello"))
    assert outcome.answer == "done " and outcome.error is None and outcome.memory_status == hooks.status
    with_other = MemoryHooks.open(root, orchestrator="other", clock=clock)
    assert with_other.status == "ok", "another orchestrator is not affected"
    with_other.close()


def test_a_memory_that_breaks_on_the_way_degrades_and_recovers(orchestrator, memory, monkeypatch, logged):
    def broken(*_, **__):
        raise OSError("gone")

    with monkeypatch.context() as patched:
        patched.setattr(memory, "remember", broken)
        outcome = orchestrator.handle(said("I live in Oslo", 1))
        assert outcome.error is None and outcome.answer
    assert any(line["event"] == "memory.orchestrator.failed" for line in logged("home"))
    assert orchestrator.handle(said("I live in Oslo", 2)).memory_status == "ok"


# Channels


def test_a_folder_is_a_channel(real_model, memory, tmp_path, prompts):
    channel = FolderChannel(tmp_path / "mail")
    inbox, outbox = tmp_path / "mail" / "inbox", tmp_path / "mail" / "outbox"
    (inbox / "1.json").write_text(json.dumps({"id": "m1", "user": "alex", "text": "I live in Bodø by the sea"}))
    (inbox / "2.json").write_text("{")
    (inbox / "3.json").write_text(json.dumps({"id": "m3", "user": "", "text": "x"}))
    workflow = Workflow("answer", "", [Step("reply", "", echoing(prompts))])
    orchestrator = Orchestrator(MemoryHooks(memory), [workflow], [channel])
    (outcome,) = orchestrator.run_once()
    assert json.loads((outbox / "m1.json").read_text())["answer"] == outcome.answer
    assert list(inbox.iterdir()) == [] and len(list((tmp_path / "mail" / "rejected").iterdir())) == 2
    (inbox / "4.json").write_text(json.dumps({"id": "m4", "user": "alex", "text": "Where is my home?"}))
    orchestrator.run_once()
    assert "Bodø" in json.loads((outbox / "m4.json").read_text())["answer"]


def test_http_is_a_channel(memory, prompts):
    channel = HttpChannel()
    workflow = Workflow("answer", "", [Step("reply", "", echoing(prompts))])
    orchestrator = Orchestrator(MemoryHooks(memory), [workflow], [channel])
    stop = threading.Event()
    working = threading.Thread(target=orchestrator.run, args=(stop, 0.01))
    working.start()

    def post(data):
        request = urllib.request.Request(channel.url, data=data, headers={"Content-Type": "application/json"})
        return json.loads(urllib.request.urlopen(request, timeout=20).read())

    try:
        post(json.dumps({"id": "1", "user": "alex", "text": "My boat is called Aurora"}).encode())
        answer = post(json.dumps({"id": "2", "user": "alex", "text": "What is the name of my boat?"}).encode())
        assert "Aurora" in answer["answer"]
        for bad in (b"{", b"[]", json.dumps({"id": "3", "user": "alex"}).encode()):
            with pytest.raises(urllib.error.HTTPError) as refused:
                post(bad)
            assert refused.value.code == 400 and json.loads(refused.value.read())["error"]["code"]
    finally:
        stop.set()
        working.join()
        channel.close()


def test_a_message_that_comes_again_does_not_override_a_newer_one(memory):
    hooks = MemoryHooks(memory)
    for number, text in ((1, "I live in Berlin."), (2, "I live in Paris now."), (1, "I live in Berlin.")):
        hooks.capture_inbound(said(text, number))
    facts = [each.content for each in memory.list(user="alex", types=["Fact"])]
    assert facts in (["I live in Paris now"], ["I live in Paris"])


def test_a_finding_and_an_attempt_that_say_something_else_are_kept(memory):
    hooks = MemoryHooks(memory)
    hooks.write_back_diagnostics("Disk is full", "q1", "alex")
    assert hooks.write_back_diagnostics("The cable was broken", "q1", "alex").content == "The cable was broken"
    hooks.write_back_step(said("x"), "r", "s", {"todo": ["buy milk", "call mum about dinner"], "flag": True})
    hooks.write_back_step(said("x"), "r", "s", {"todo": ["buy bread"]}, attempt=2)
    assert [each.content for each in memory.list(user="alex", types=["Todo"])] == ["buy bread"]
    assert not [each for each in memory.list(user="alex") if each.content == "True"]


def test_an_answer_goes_to_who_asked(memory):
    channel = HttpChannel(timeout=0.3)
    orchestrator = Orchestrator(
        MemoryHooks(memory), [Workflow("w", "", [Step("s", "", lambda run: {"answer": f"for {run.inbound.user}"})])]
    )
    orchestrator._channels = {channel.name: channel}

    def post(user):
        data = json.dumps({"id": "1", "user": user, "text": "hello there"}).encode()
        return urllib.request.urlopen(urllib.request.Request(channel.url, data=data), timeout=20).read()

    try:
        with pytest.raises(urllib.error.HTTPError) as late:
            post("alex")
        assert late.value.code == 504
        late.value.close()
        stop = threading.Event()
        orchestrator.run_once()
        working = threading.Thread(target=orchestrator.run, args=(stop, 0.01))
        working.start()
        assert json.loads(post("bob"))["answer"] == "for bob"
        stop.set()
        working.join()
    finally:
        channel.close()


def test_a_selector_that_fails_fails_its_message_only(memory):
    def broken(*_):
        raise RuntimeError("no")

    outcome = Orchestrator(MemoryHooks(memory), [], selector=broken).handle(said("hello"))
    assert outcome.error == "RuntimeError: no"
