"""A small life to look at: what the button of the empty pages loads."""

from __future__ import annotations

from nicegui import ui

from recollect.inspector.frame import View
from recollect.model.token import Rights

_SAMPLE: tuple[dict[str, object], ...] = (
    {"content": "My name is Alex and I work as a landscape architect", "type": "Identity"},
    {"content": "My wife Sarah likes Italian food"},
    {"content": "Sarah works as a nurse at the county hospital"},
    {"content": "My brother Tom lives in Lisbon"},
    {"content": "Our daughter Mia is allergic to peanuts", "importance": 90},
    {"content": "I live in Berlin"},
    {"content": "I live in Oslo"},
    {"content": "I prefer tea over coffee", "type": "Preference"},
    {"content": "I prefer short answers with an example", "type": "Preference"},
    {"content": "We decided to plant birches along the north fence", "type": "Decision"},
    {"content": "Finish the planting plan for the harbour park", "type": "Goal", "importance": 80},
    {"content": "Call the nursery about the birches", "type": "Todo"},
    {"content": "Book a table for Sarah's birthday", "type": "Todo"},
    {"content": "The harbour park review went well", "type": "Event"},
)
_CONTRADICTING: tuple[dict[str, object], ...] = (
    {"content": "According to the city, the harbour park opens in May", "type": "Observation"},
    {"content": "According to the builder, the harbour park opens in September", "type": "Observation"},
)


def sample_button(view: View) -> None:
    """A button that loads the sample, for who may write."""
    if not view.api.may(Rights.WRITE):
        return

    async def load() -> None:
        button.disable()
        button.props("loading")
        await view.attempt(lambda: load_sample(view))
        button.props(remove="loading")
        button.enable()
        await view.look()

    button = ui.button("Load sample data", icon="auto_awesome", on_click=load).props("unelevated").classes("sample")


async def load_sample(view: View) -> None:
    """Remembers the sample; what is there already is not stored twice."""
    for each in _SAMPLE:
        await view.ask("remember", **each)
    told = [(await view.ask("remember", **each))["memory"] for each in _CONTRADICTING]
    if all(each is not None and each["status"] == "active" for each in told):
        first, second = (each["memoryId"] for each in told)
        await view.ask("link", from_memory_id=second, to_memory_id=first, edge_type="Contradicts")
