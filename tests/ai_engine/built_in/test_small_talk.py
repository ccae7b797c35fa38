from __future__ import annotations

import pytest

from ai_engine.built_in.outcomes.small_talk import small_talk
from tests.ai_engine.built_in import shop

SHOP = shop.knowledge()


@pytest.mark.parametrize(
    ("said", "part"),
    [
        ("hello", "Hello"), ("Good morning!", "Hello"), ("hi there", "Hello"), ("namaste", "Hello"),
        ("Thank you so much!", "welcome"), ("great, thanks", "welcome"), ("ok thanks bye", "Goodbye"),
        ("who are you?", "banking assistant"), ("are you a robot", "banking assistant"), ("help", "plain English"),
        ("how are you?", "Ready"), ("ok", "All right"),
    ],
)  # fmt: skip
def test_talk_is_answered_as_talk(said: str, part: str) -> None:
    reply = small_talk(said, SHOP)
    assert reply is not None
    assert reply.outcome == "about"
    assert part in reply.reply
    assert reply.suggestions


@pytest.mark.parametrize(
    "said",
    ["hello, turnover by city", "thanks, and by colour?", "how many sales", "good sales", "help me sort sales", ""],
)
def test_talk_around_a_question_leaves_the_question(said: str) -> None:
    assert small_talk(said, SHOP) is None
