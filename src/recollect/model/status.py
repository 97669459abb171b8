"""Status: the states of a memory, and which changes between them are allowed."""

from __future__ import annotations

from enum import StrEnum

from recollect.errors import IllegalTransition


class Status(StrEnum):
    """The states of a memory."""

    ACTIVE = "active"
    SUPERSEDED = "superseded"
    RETRACTED = "retracted"
    ARCHIVED = "archived"


_ALLOWED = frozenset(
    {
        (Status.ACTIVE, Status.SUPERSEDED),
        (Status.ACTIVE, Status.RETRACTED),
        (Status.SUPERSEDED, Status.RETRACTED),
        (Status.ACTIVE, Status.ARCHIVED),
        (Status.SUPERSEDED, Status.ARCHIVED),
        # Undone: what was put away or replaced counts again.
        (Status.SUPERSEDED, Status.ACTIVE),
        (Status.ARCHIVED, Status.ACTIVE),
    }
)


def check_transition(memory_id: str, old: Status, new: Status) -> None:
    """Refuses a change of status that would rewrite history: nothing leaves `retracted`."""
    if (old, new) in _ALLOWED:
        return
    raise IllegalTransition(
        f"memory {memory_id} is {old.value} and cannot become {new.value}",
        hint="see its history" if old is new else None,
        memoryId=memory_id,
        status=old.value,
        wanted=new.value,
    )
