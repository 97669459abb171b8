"""A host that runs a conversation turn by turn, as hosts do; run as a process of its own, so that it can be killed.

It says `kept <turn>` when a turn is kept.
"""

from __future__ import annotations

import asyncio
import sys

import recollect
from recollect import (
    Scratchpad,
    ctx_reconciler_stream,
    extract_assistant_signals,
    persist_turn_fingerprint,
    preload_conversation_memory_state,
    retrospective_context_view,
    update_turn_fingerprint,
)

USER, CONVERSATION = "alex", "conv-1"
SPEC = [{"key": "pro plan", "phrases": ["Pro plan"]}, {"key": "newsletter", "phrases": ["newsletter"]}]

MESSAGES = [
    "I prefer long, detailed answers. How do I plan a trip to Norway?",
    "My budget is 3000 euros",
    "Please always use bullet points",
    "What should I pack for Bergen?",
    "I live in Oslo",
    "Which museums are open on Monday?",
    "Never suggest cruises",
    "How long is the train from Oslo to Bergen?",
    "I prefer short answers from now on",
    "What is the weather like in May?",
    "My sister Anna comes along",
    "Is there a night train?",
    "Don't use tables",
    "What does a hotel cost?",
    "My budget is 4000 euros",
]


def message(number: int) -> str:
    return MESSAGES[number] if number < len(MESSAGES) else f"What about day {number} of the trip to Norway?"


async def run_turn(memory: recollect.MemorySystem, number: int) -> Scratchpad:
    scratchpad = Scratchpad(
        memory=memory,
        user_id=USER,
        conversation_id=CONVERSATION,
        turn_id=f"turn-{number:03}",
        message=message(number),
        assistant_signal_spec=SPEC,
    )
    current_topics = ["norway"]

    # 0) Preload memory state (before gate)
    await preload_conversation_memory_state(scratchpad)

    # 1) Build journal for gate / ctx-reconciler
    guess_ctx = await retrospective_context_view()

    # 2) Run ctx-reconciler (extract prefs/facts + select memory turn_ids)
    rro = await ctx_reconciler_stream(guess_package_json=guess_ctx)
    scratchpad.extracted_prefs = {
        "assertions": rro.get("assertions") or [],
        "exceptions": rro.get("exceptions") or [],
    }
    scratchpad.proposed_facts = rro.get("facts") or []
    scratchpad.selected_local_memories_turn_ids = rro.get("local_memories_turn_ids") or []

    # 3) Update turn fingerprint (current turn)
    update_turn_fingerprint(
        objective=rro.get("objective") or "",
        topics=current_topics,
        assertions=scratchpad.extracted_prefs["assertions"],
        exceptions=scratchpad.extracted_prefs["exceptions"],
        facts=scratchpad.proposed_facts,
    )

    # 4) Persist turn fingerprint (turn.log + index-only artifact)
    await persist_turn_fingerprint(scratchpad)

    # 5) Build downstream journal (filtered TURN MEMORIES block)
    downstream_ctx = await retrospective_context_view()
    assert "[TURN MEMORIES" in downstream_ctx

    scratchpad.answer = "I recommend the Pro plan." if number % 10 == 3 else f"Answer {number}."
    await extract_assistant_signals(scratchpad.answer)
    await persist_turn_fingerprint(scratchpad)
    if number == 9:
        memory.give_feedback(USER, CONVERSATION, "turn-008", "not_ok", "too long")
    return scratchpad


async def main(place: str, files: str, first: int, last: int) -> None:
    with recollect.open(place, orchestrator="home", files=files) as memory:
        for number in range(first, last):
            await run_turn(memory, number)
            print(f"kept {number}", flush=True)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])))
