"""The Policy tab of the settings: what is kept back for everybody, rights of the database's role for administrators."""

from __future__ import annotations

from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from backend import opening
from pages import session
from tests.pages.test_screen import words
from tests.pages.test_withheld import published

__all__ = ["published"]
RIGHT = "The role can read staff_logins, which the policy hides."


def drawn(*, may_see_rights: bool) -> None:
    from pages.drawing.settings.policy import draw_policy

    draw_policy(may_see_rights=may_see_rights)


@pytest.mark.parametrize("may_see", [True, False])
def test_rights_that_are_not_needed_are_told_to_administrators_alone(published, monkeypatch, may_see):
    assistant = replace(opening.default_assistant(), warnings=(RIGHT,))
    monkeypatch.setattr(session, "get_assistant", lambda: assistant)
    screen = AppTest.from_function(drawn, default_timeout=60, kwargs={"may_see_rights": may_see}).run()
    assert not screen.exception
    assert "Kept back" in words(screen)
    assert (RIGHT in words(screen)) is may_see
