from __future__ import annotations

import threading
from dataclasses import replace

import pytest

from ai_engine.agents.equal_rows import said_of_equal_rows
from ai_engine.guard.policy import Policy
from ai_engine.main import ask
from ai_engine.semantics.intent import Dimension, FieldRef, Intent, Measure, Order
from ai_engine.types import QueryResult
from tests.ai_engine.scripted_model import ScriptedModel, understood
from tests.ai_engine.test_graph import CountingRunner, services

REGION = FieldRef(dataset="branches", field="region")
CITY = FieldRef(dataset="branches", field="city")
BRANCHES = Measure(aggregate="count", dataset="branches")
FEWEST = Intent(
    measures=(BRANCHES,), dimensions=(Dimension(field=REGION),), order=(Order(measure=BRANCHES),), limit=1
)  # South and North have one each, West two
MOST = FEWEST.model_copy(update={"order": (Order(measure=BRANCHES, descending=True),)})


def assumptions(intent: Intent, bank) -> tuple[str, ...]:
    return ask("?", services=services(ScriptedModel(reading=understood(intent=intent)), bank)).assumptions


def test_a_first_place_that_is_shared_is_said_to_be(bank):
    said = "1 more row is level with the one shown; ask for the top 2 to see them too."
    assert assumptions(FEWEST, bank) == (said,)


def test_a_first_place_of_its_own_needs_no_word(bank):
    assert assumptions(MOST, bank) == ()


def test_a_ranking_cut_off_among_equals_is_said_to_be(bank):
    cut = MOST.model_copy(update={"limit": 2})
    assert assumptions(cut, bank) == (
        "1 more row is level with the last one shown; ask for the top 3 to see them too.",
    )


def test_a_list_cut_off_among_equals_is_said_to_be(bank):
    first = Intent(subject="branches", columns=(CITY,), order=(Order(field=REGION, descending=True),), limit=1)
    assert assumptions(first, bank) == ("1 more row is level with the one shown; ask for the top 2 to see them too.",)


def test_a_place_after_those_left_out_that_is_shared_is_said_to_be(bank):
    second = MOST.model_copy(update={"skip": 1})
    assert assumptions(second, bank) == ("1 more row is level with the one shown; ask for the top 3 to see them too.",)


EACH = Intent(subject="branches", columns=(CITY, REGION), order=(Order(field=REGION),), limit=1, limit_within=(REGION,))


def test_equals_within_a_group_are_said_to_be_left_out(bank):
    assert assumptions(EACH, bank) == ("1 more row is level with the last ones shown.",)


def test_a_ranking_that_shows_every_row_leaves_none_out(bank):
    assert assumptions(FEWEST.model_copy(update={"limit": 9}), bank) == ()


def test_a_question_without_a_ranking_looks_for_no_equals(bank):
    answer, ran = asked_of(bank, intent=Intent(subject="branches", columns=(CITY,), limit=2))
    assert (answer.assumptions, len(ran)) == ((), 1)


def asked_of(bank, *drafts: str, intent: Intent | None = None, policy: Policy | None = None):
    """The answer, and every statement that ran for it."""
    runner = CountingRunner(bank.runner)
    known = services(ScriptedModel(*drafts, reading=understood(intent=intent)), bank, policy=policy or Policy())
    return ask("?", services=replace(known, runner=runner)), runner.ran


@pytest.mark.parametrize("intent", [FEWEST, MOST, MOST.model_copy(update={"limit": 2})])
def test_a_ranking_runs_one_statement_and_shows_the_rows_it_was_asked_for(bank, intent):
    answer, ran = asked_of(bank, intent=intent)
    assert len(ran) == 1
    assert answer.result.row_count == intent.limit
    assert f"LIMIT {intent.limit}" in answer.sql
    assert not answer.result.truncated


def test_what_ranks_the_rows_without_being_shown_is_fetched_and_taken_off_again(bank):
    first = Intent(subject="branches", columns=(CITY,), order=(Order(field=REGION, descending=True),), limit=1)
    answer, ran = asked_of(bank, intent=first)
    assert (answer.result.columns, [len(row) for row in answer.result.rows]) == (("branch_city",), [1])
    assert answer.result.level_rows == 1
    assert len(ran) == 1


GROUPS = MOST.model_copy(
    update={
        "dimensions": (Dimension(field=REGION), Dimension(field=CITY)),
        "order": (Order(measure=BRANCHES, descending=True),),
        "limit_within": (REGION,),
    }
)


@pytest.mark.parametrize("intent", [EACH, EACH.model_copy(update={"columns": (CITY,)}), GROUPS])
def test_the_first_of_each_group_are_seen_to_be_level_in_the_statement_that_shows_them(bank, intent):
    answer, ran = asked_of(bank, intent=intent)
    alone = bank.runner.run(answer.sql, max_rows=100, timeout_s=10, stop=threading.Event())
    assert len(ran) == 1
    assert sorted(answer.result.rows) == sorted(alone.rows)  # a group that is not shown sorts nothing
    assert answer.result.columns == alone.columns
    assert answer.assumptions == ("1 more row is level with the last ones shown.",)


def test_places_left_out_in_each_group_are_left_out_once_where_the_first_are_level(bank):
    second = EACH.model_copy(update={"skip": 1})
    answer, ran = asked_of(bank, intent=second)
    assert (len(ran), answer.result.row_count, answer.assumptions) == (1, 1, ())


def test_so_many_level_rows_that_the_rest_would_be_cut_off_are_not_fetched(bank):
    answer, ran = asked_of(bank, intent=EACH, policy=Policy(max_rows=3, default_limit_rows=3))
    assert [row[1] for row in answer.result.rows] == ["North", "South", "West"]
    assert len(ran) == 2


def test_a_ranking_that_a_model_wrote_says_its_equals_too(bank):
    sql = "SELECT region, COUNT(*) AS n FROM branches GROUP BY region ORDER BY n, region LIMIT 1"
    answer, ran = asked_of(bank, sql)
    assert answer.result.row_count == 1
    assert len(ran) == 1
    downwards = "SELECT region, COUNT(*) AS n FROM branches GROUP BY region ORDER BY n DESC, region LIMIT 2"
    answer, _ = asked_of(bank, downwards)
    assert answer.assumptions == ("1 more row is level with the last one shown.",)


def test_more_equals_than_are_looked_at_are_said_to_be_at_least_so_many(bank):
    shown = QueryResult(("region",), ("text",), (("South",),), level_rows=10, more_level_rows=True)
    assert said_of_equal_rows(None, shown) == ("At least 10 more rows are level with the one shown.",)


def test_a_limit_without_an_order_ranks_nothing(bank):
    answer, ran = asked_of(bank, "SELECT city FROM branches LIMIT 1")
    assert answer.assumptions == ()
    assert ran[0].endswith("LIMIT 1")
