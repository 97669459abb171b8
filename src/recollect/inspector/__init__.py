"""The inspector: pages on which people see what is remembered, over the same operations as every other way in."""

from recollect.inspector.mount import mount

__all__ = ["mount"]
