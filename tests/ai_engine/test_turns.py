from __future__ import annotations

from dataclasses import replace

import pytest

from ai_engine.guard.policy import Policy
from ai_engine.llm.told_history import describe_history
from ai_engine.main import ask
from ai_engine.semantics.intent import Intent
from ai_engine.turns import turn_of
from tests.ai_engine.agents.test_equal_rows import EACH, FEWEST
from tests.ai_engine.scripted_model import ScriptedModel, understood
from tests.ai_engine.test_graph import services

ASSUMED = "Closed branches count too."
TWO_ROWS = Policy(max_rows=2, default_limit_rows=2)


@pytest.mark.parametrize(
    ("intent", "sql", "policy"),
    [
        (FEWEST, None, Policy()),
        (EACH, None, Policy()),
        (None, "SELECT region, COUNT(*) AS n FROM branches GROUP BY region ORDER BY n LIMIT 1", Policy()),
        (None, "SELECT city FROM branches ORDER BY city", TWO_ROWS),
    ],
)
def test_the_next_question_tells_nothing_of_how_many_rows_an_answer_had(
    intent: Intent | None, sql: str | None, policy: Policy, bank
):
    model = ScriptedModel(*([sql] if sql else []), reading=understood(intent=intent, assumptions=(ASSUMED,)))
    answer = ask("?", services=services(model, bank, policy=policy))
    assert len(answer.assumptions) == 2, answer
    assert turn_of(answer).assumptions == (ASSUMED,)
    assert f"assumed: {ASSUMED}\n" in f"{describe_history([turn_of(answer)])}\n"


def test_nor_where_a_statement_was_written_in_the_place_of_one_that_failed(bank):
    answer = ask("?", services=services(ScriptedModel(reading=understood(intent=FEWEST)), bank))
    written = replace(answer, assumptions=(ASSUMED, "1 more row is level with the one shown."))
    assert turn_of(written).assumptions == (ASSUMED,)
