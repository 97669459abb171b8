"""Profiles: what is noted of a user, and what was learned of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from recollect.knowledge import masked
from recollect.model.check import Checker
from recollect.model.clock import Clock
from recollect.model.ids import check_opaque_id
from recollect.model.memory import Memory
from recollect.model.session import UserProfile
from recollect.storage.interface import Storage

_LONGEST_NOTES = 20_000
_LEARNED = 20


class Profiles:
    """The profiles of an orchestrator's users."""

    def __init__(self, storage: Storage, clock: Clock, learned: Callable[[str], Sequence[Memory]]) -> None:
        """`learned` finds what is known of a user: preferences and identity, the most important first."""
        self._storage = storage
        self._clock = clock
        self._learned = learned

    def get_or_create(self, user_id: str, provider: str = "local") -> UserProfile:
        """A user's profile; an empty one is made when there is none."""
        check_opaque_id(user_id, "user")
        check_opaque_id(provider, "provider")
        found = self._storage.read(lambda reader: reader.profile(user_id, provider))
        if found is None:
            found = UserProfile(user_id=user_id, provider=provider, updated_at=self._clock.now())
            made = found
            self._storage.write(lambda writer: writer.put_profile(writer.profile(user_id, provider) or made))
        return found

    def update(
        self,
        user_id: str,
        provider: str = "local",
        *,
        notes: str | None = None,
        username: str | None = None,
        display_name: str | None = None,
    ) -> UserProfile:
        """Changes what is given of a user's profile."""
        check = Checker()
        changes = {
            "notes": notes and masked(check.text(notes, "notes", "invalid_input", _LONGEST_NOTES)),
            "username": _masked(check.optional_text(username, "username", "invalid_input", 256)),
            "display_name": _masked(check.optional_text(display_name, "displayName", "invalid_input", 256)),
        }
        check.done()
        profile = self.get_or_create(user_id, provider)
        given = {name: value for name, value in changes.items() if value is not None}
        changed = replace(profile, updated_at=self._clock.now(), **given)
        self._storage.write(lambda writer: writer.put_profile(changed))
        return changed

    def notes(self, user_id: str, provider: str = "local") -> str | None:
        """What is noted and what was learned of a user, a line each; None when nothing is."""
        profile = self._storage.read(lambda reader: reader.profile(user_id, provider))
        # What somebody wrote there can cite nothing: only what follows has ids behind it.
        noted = "" if profile is None or not profile.notes else profile.notes
        lines = [noted.replace("[", "(").replace("]", ")")] if noted else []
        lines += [f"- {' '.join(memory.content.split())} [{memory.memory_id}]" for memory in self.learned(user_id)]
        return "\n".join(lines) or None

    def learned(self, user_id: str) -> list[Memory]:
        """Preferences and facts that the user has told of themself."""
        return list(self._learned(user_id))[:_LEARNED]


def _masked(text: str | None) -> str | None:
    return None if text is None else masked(text)
