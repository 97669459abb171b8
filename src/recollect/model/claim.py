"""Claim: what a memory says about one attribute of one subject; two that differ in its value are in conflict."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Claim:
    """The value of somebody's or something's attribute; a negated one says that this is not its value.

    `clause` tells claims of one statement from those of the others that a memory makes.
    """

    subject: str
    attribute: str
    value: str
    negated: bool = False
    clause: int = 0


@dataclass(frozen=True, slots=True)
class Claimed:
    """A claim of a stored memory, and who stated it."""

    memory_id: str
    claim: Claim
    stated_by: str
