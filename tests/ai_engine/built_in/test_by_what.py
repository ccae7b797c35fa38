from __future__ import annotations

import pytest

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.outcomes.outcome import decide
from tests.ai_engine.built_in.talking import last


@pytest.mark.parametrize("question", ["top customers", "Top customers?"])
def test_a_ranking_without_a_figure_is_asked_back_with_figures_to_choose_from(question: str, bank: Knowledge) -> None:
    reply = decide(question, (), bank)
    assert reply.outcome == "clarify"
    assert len(reply.choices) > 1
    for choice in reply.choices:
        assert last(bank, question, choice).restatement == choice


def test_words_that_are_not_understood_are_not_covered_up_by_a_choice(bank: Knowledge) -> None:
    assert decide("top blorp customers", (), bank).outcome == "refused"
