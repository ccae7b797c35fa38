from __future__ import annotations

import pytest

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.outcomes.outcome import decide
from ai_engine.types import Scalar
from tests.ai_engine.built_in.inferred import inferred_knowledge
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


FILMS = """
CREATE TABLE GNRCD (GNR_CD VARCHAR(4) PRIMARY KEY, GNR_DS VARCHAR(40));
CREATE TABLE FILM (FILM_NO INTEGER PRIMARY KEY, FILM_NM VARCHAR(40), GNR_CD VARCHAR(4) REFERENCES GNRCD (GNR_CD));
"""
GENRES: dict[str, tuple[Scalar, ...]] = {
    "GNRCD.GNR_CD": ("SCI", "DRA"),
    "GNRCD.GNR_DS": ("Science fiction", "Drama"),
    "FILM.GNR_CD": ("SCI", "DRA"),
}


@pytest.mark.parametrize(("question", "by"), [("number of films by genre", "ds"), ("films by genre code", "code")])
def test_what_a_code_stands_for_is_told_by_its_name_unless_the_code_is_asked_for(question: str, by: str):
    assert decide(question, (), inferred_knowledge(FILMS, GENRES)).restatement.endswith(by)
