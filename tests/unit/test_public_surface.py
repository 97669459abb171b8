"""The public names are one sorted list, whole, and loaded only when used."""

from __future__ import annotations

import inspect
import subprocess
import sys

import recollect
from recollect import errors
from recollect.aio import AsyncMemorySystem
from recollect.system import MemorySystem


def test_the_list_is_sorted_and_every_name_is_there():
    assert recollect.__all__ == sorted(recollect.__all__)
    assert list(recollect._HOMES) == recollect.__all__
    for name in recollect.__all__:
        assert getattr(recollect, name) is not None


def test_every_error_is_public_has_its_own_code_and_stands_in_the_drawn_tree():
    classes = [cls for _, cls in inspect.getmembers(errors, inspect.isclass) if issubclass(cls, Exception)]
    assert len({cls.default_code for cls in classes}) == len(classes)
    for cls in classes:
        assert cls.__name__ in recollect.__all__
        assert cls.__name__ in errors.__doc__


def test_every_public_name_has_a_docstring():
    for name in recollect.__all__:
        assert inspect.getdoc(getattr(recollect, name))


def test_an_unknown_name_is_an_attribute_error():
    assert not hasattr(recollect, "no_such_thing")


def test_importing_loads_no_layer_and_opens_no_network():
    code = (
        "import sys; before = set(sys.modules); import recollect; "
        "print([m for m in set(sys.modules) - before if m.startswith('recollect.') or m in "
        "('socket', 'apsw', 'asyncio', 'numpy')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_async_edge_has_a_twin_of_every_public_method():
    def public(cls):
        return {name for name, _ in inspect.getmembers(cls) if not name.startswith("_")}

    assert public(MemorySystem) - {"settings"} <= public(AsyncMemorySystem)
    methods = {name for name in public(MemorySystem) if not isinstance(getattr(MemorySystem, name), property)}
    for name in methods - {"close"}:
        twin = getattr(AsyncMemorySystem, name)
        assert inspect.iscoroutinefunction(twin)
        assert twin.__doc__ == getattr(MemorySystem, name).__doc__
