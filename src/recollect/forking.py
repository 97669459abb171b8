"""Forks: locks that a forked child finds free, and objects that put themselves in order around a fork.

Imports nothing of ours, so anything may use it.
"""

from __future__ import annotations

import os
import threading
import weakref
from typing import Protocol


class Forkable(Protocol):
    """Something that holds what may not cross a fork, such as open database connections."""

    def before_fork(self) -> None:
        """Lets go of everything, in the parent."""
        ...

    def after_fork(self, *, child: bool) -> None:
        """Takes it up again, in the parent and in the child."""
        ...


_locks: weakref.WeakSet[threading.Lock] = weakref.WeakSet()
_objects: weakref.WeakSet[Forkable] = weakref.WeakSet()
_leaving: list[Forkable] = []


def fork_safe_lock() -> threading.Lock:
    """A lock that is free in a forked child, whoever held it in the parent."""
    lock = threading.Lock()
    _locks.add(lock)
    return lock


def watch(thing: Forkable) -> None:
    """Tells a thing of every fork, for as long as it lives."""
    _objects.add(thing)


def _before() -> None:
    _leaving.extend(_objects)
    for thing in _leaving:
        thing.before_fork()


def _after(*, child: bool) -> None:
    if child:
        for lock in list(_locks):
            lock._at_fork_reinit()  # type: ignore[attr-defined]  # noqa: SLF001  as the standard library does
    for thing in _leaving:
        thing.after_fork(child=child)
    _leaving.clear()


os.register_at_fork(
    before=_before, after_in_parent=lambda: _after(child=False), after_in_child=lambda: _after(child=True)
)
