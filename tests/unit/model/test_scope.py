from __future__ import annotations

import pytest

from recollect import InvalidInput, Scope, ScopeDenied, ScopeKind
from recollect.model.scope import Speaker


@pytest.mark.parametrize(
    ("values", "kind"),
    [({"owner_user_id": "a"}, "personal"), ({"chat_id": "c"}, "group"), ({"shared": True}, "shared")],
)
def test_exactly_one_audience(values, kind):
    assert Scope(**values).kind == kind


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"owner_user_id": "a", "chat_id": "c"},
        {"owner_user_id": "a", "shared": True},
        {"chat_id": "c", "shared": True},
        {"shared": "yes"},
    ],
)
def test_none_or_two_audiences_are_refused(values):
    with pytest.raises(InvalidInput) as caught:
        Scope(**values)
    assert caught.value.code == "invalid_scope"


@pytest.mark.parametrize("user", ["", " alex", "a\nb", "x" * 257, 7, "\x00", "chat:ops"])
def test_ids_that_could_be_confused_are_refused(user):
    with pytest.raises(InvalidInput) as caught:
        Speaker(user=user)
    assert caught.value.code == "invalid_id"


def test_a_missing_identity_is_an_error_and_never_widens_a_scope():
    with pytest.raises(ScopeDenied) as caught:
        Speaker()
    assert caught.value.code == "identity_required"


def test_what_a_speaker_writes_to():
    both = Speaker(user="alex", chat="team")
    assert both.scope() == Scope(owner_user_id="alex")
    assert both.scope("group") == Scope(chat_id="team")
    assert both.scope(ScopeKind.SHARED) == Scope(shared=True)
    assert Speaker(chat="team").scope() == Scope(chat_id="team")


@pytest.mark.parametrize(("speaker", "kind"), [(Speaker(user="a"), "group"), (Speaker(chat="c"), "personal")])
def test_a_scope_without_its_id_is_refused(speaker, kind):
    with pytest.raises(InvalidInput) as caught:
        speaker.scope(kind)
    assert caught.value.code == "invalid_scope"


def test_an_unknown_scope_is_refused():
    with pytest.raises(InvalidInput):
        Speaker(user="a").scope("global")
