from __future__ import annotations

import pytest

from ai_engine.errors import BadQuestion
from ai_engine.graph import build_graph
from ai_engine.semantics.scope_words import Scope
from ai_engine.state import MAX_RETRY_COUNT, BankingAssistantState, create_initial_state, note_failure
from ai_engine.types import FailedDraft, Turn

FAILURE = FailedDraft("SELECT 1", "not that way", "Try another way.")


def test_a_run_starts_with_the_question_and_every_field_unset():
    state = create_initial_state("  How many customers?\n", [Turn("a", "A")])
    assert state["user_query"] == "How many customers?"
    assert state["history"] == (Turn("a", "A"),)
    assert set(state) == set(BankingAssistantState.__annotations__)
    assert state["scope"] == Scope()
    assert not any(value for key, value in state.items() if key not in {"user_query", "history", "scope"})


@pytest.mark.parametrize("question", ["", "   ", "\n\t"])
def test_an_empty_question_is_refused_with_what_to_do(question):
    with pytest.raises(BadQuestion, match="Type what you would like to know") as caught:
        create_initial_state(question)
    assert caught.value.user_message == str(caught.value)
    assert isinstance(caught.value, ValueError)


def test_a_question_may_have_exactly_as_many_characters_as_are_read():
    assert create_initial_state("x" * 2_000)["user_query"] == "x" * 2_000
    assert create_initial_state(" abc ", max_question_chars=3)["user_query"] == "abc"


def test_a_longer_question_is_refused_with_both_numbers():
    with pytest.raises(BadQuestion, match=r"2,001 characters; at most 2,000"):
        create_initial_state("x" * 2_001)


def test_a_failure_makes_the_statement_invalid_and_uses_up_one_try():
    state = {**create_initial_state("q"), "validated_sql": "SELECT 1", "retry_count": 1}
    assert note_failure(state, FAILURE) == {
        "validated_sql": None,
        "statement": None,
        "error_message": "not that way",
        "retry_count": 2,
        "failures": (FAILURE,),
    }


def test_two_retries_are_the_product_s_default():
    assert MAX_RETRY_COUNT == 2


def test_failures_gather_and_times_add_up_over_the_steps():
    channels = build_graph().channels
    assert channels["failures"].operator((FAILURE,), (FAILURE,)) == (FAILURE, FAILURE)
    assert channels["timings_ms"].operator({"a": 1.0, "b": 2.0}, {"a": 3.0}) == {"a": 4.0, "b": 2.0}
