"""Which kinds of stores there are: ours, and those that installed packages add by entry point."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from recollect.conversations.stores.base import Store, StorePlace
from recollect.errors import InvalidInput

BASIC = "basic_session"
DATABASE = "database"
_GROUP = "recollect.stores"

Factory = Callable[[StorePlace], Store]


def _basic(place: StorePlace) -> Store:
    from recollect.conversations.stores.basic_session import BasicSessionStore  # noqa: PLC0415  made when asked for

    return BasicSessionStore(place)


def _database(place: StorePlace) -> Store:
    from recollect.conversations.stores.database import DatabaseStore  # noqa: PLC0415  made when asked for

    return DatabaseStore(place)


class Stores:
    """The kinds of stores by name."""

    def __init__(self) -> None:
        self._factories: dict[str, Factory] = {BASIC: _basic, DATABASE: _database}

    def register(self, store_type: str, factory: Factory) -> None:
        """Adds a kind of store, or puts another in place of one."""
        self._factories[store_type] = factory

    def factory(self, store_type: object) -> Factory:
        """The factory of a kind; one that nobody has heard of is refused."""
        found = self._factories.get(store_type) if isinstance(store_type, str) else None
        if found is None:
            from importlib.metadata import entry_points  # noqa: PLC0415  slow to import, and seldom needed

            for entry in entry_points(group=_GROUP):
                if entry.name == store_type:
                    loaded: Factory = entry.load()
                    self._factories[entry.name] = loaded
                    return loaded
            known = sorted({*self._factories, *(entry.name for entry in entry_points(group=_GROUP))})
            raise InvalidInput.of("unknown_store_type", "storeTypes", store_type, "one of " + ", ".join(known))
        return found

    def check(self, store_types: object) -> tuple[str, ...]:
        """Names of known kinds, each once, at least one."""
        if isinstance(store_types, str) or not isinstance(store_types, Sequence) or not store_types:
            raise InvalidInput.of("unknown_store_type", "storeTypes", store_types, "a list of store types")
        for store_type in store_types:
            self.factory(store_type)
        return tuple(dict.fromkeys(store_types))
