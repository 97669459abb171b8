"""Conflicts: whether what is claimed now leaves no room for what was claimed before."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.knowledge.claims.values import same_value
from recollect.knowledge.lexicon import SINGLE_RELATIONS
from recollect.model.claim import Claim, Claimed

# Days and parts of the day of what somebody does may well be several, unless they say that it has changed.
_MAY_BE_SEVERAL = ("@days", "@part")


def is_of_one_thing(attribute: str) -> bool:
    """Whether an attribute is about one thing each (`likes:coffee`), which is claimed or denied."""
    return ":" in attribute and not attribute.startswith("count:")


def excludes(new: Claim, old: Claim, *, changed: bool = False) -> bool:
    """Whether a new claim of an attribute cannot be true beside an old one of the same attribute and subject."""
    if is_of_one_thing(new.attribute):
        return new.negated != old.negated and _covers(new, old)
    if new.negated:
        return not old.negated and (not new.value or _overlap(new.value, old.value))
    if old.negated:
        return bool(old.value) and old.value == new.value
    if new.attribute.endswith(_MAY_BE_SEVERAL) and not changed:
        return False
    if new.attribute.startswith("relation ") and not changed:
        relation = new.attribute.rsplit("relation ", 1)[-1]
        if relation not in SINGLE_RELATIONS:
            return False
    return not same_value(new.attribute, old.value, new.value)


def _covers(new: Claim, old: Claim) -> bool:
    """Whether a denial speaks of all that was claimed, or a claim of all that was denied."""
    denied, claimed = (new, old) if new.negated else (old, new)
    return set(denied.value.split()) <= set(claimed.value.split())


def _overlap(first: str, second: str) -> bool:
    return set(first.split()) <= set(second.split()) or set(second.split()) <= set(first.split())


def withdraws(values: tuple[str, ...], old: Claim, attributes: tuple[str, ...]) -> bool:
    """Whether an old claim is of a value that holds no longer; `attributes` are what its attribute may begin with."""
    if old.negated or not old.attribute.startswith(attributes):
        return False
    if not values:
        return True
    own = set(old.value.split())
    for value in values:
        words = set(value.split())
        if words and (
            value == old.value
            or (words <= own and not all(word.isdigit() for word in words))
            or (own and own <= words and not all(word.isdigit() for word in own))
        ):
            return True
        if old.attribute.endswith("@time") and same_value(old.attribute, old.value, value) and ":" in value:
            return True
    return False


def leaves_something(claims: Sequence[Claimed], replaced: Sequence[Claimed]) -> bool:
    """Whether a memory says something else, in other statements, than what was replaced of it."""
    gone = {(each.claim.subject, each.claim.attribute, each.claim.value) for each in replaced}
    clauses = {each.claim.clause for each in replaced}
    topics = {_topic(each.claim) for each in replaced}
    return any(
        each.claim.clause not in clauses
        and (each.claim.subject, each.claim.attribute, each.claim.value) not in gone
        and _topic(each.claim) not in topics
        for each in claims
    )


def _topic(claim: Claim) -> str:
    """What a claim is about, whatever it says of it: `has:child` and `count:child` are one."""
    return claim.attribute.rpartition(":")[2].partition("@")[0]
