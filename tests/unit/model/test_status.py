from __future__ import annotations

from itertools import product

import pytest

from recollect import IllegalTransition, Status
from recollect.model.status import check_transition

ALLOWED = {("active", "superseded"), ("active", "retracted"), ("superseded", "retracted")}
ALLOWED |= {("active", "archived"), ("superseded", "archived")}
ALLOWED |= {("superseded", "active"), ("archived", "active")}  # undone


@pytest.mark.parametrize(("old", "new"), list(product(Status, Status)))
def test_only_history_keeping_transitions_are_allowed(old, new):
    if (old, new) in ALLOWED:
        check_transition("m", old, new)
        return
    with pytest.raises(IllegalTransition) as caught:
        check_transition("m", old, new)
    assert caught.value.details == {"memoryId": "m", "status": old.value, "wanted": new.value}
