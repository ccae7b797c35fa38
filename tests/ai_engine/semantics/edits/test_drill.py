"""What lies behind a bar adds up to the bar."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

import pytest

from ai_engine.semantics.edits.drill import Drill, drill_into
from ai_engine.semantics.edits.next_questions import next_questions
from ai_engine.semantics.intent import Condition, Dimension, FieldRef, Intent, Measure
from ai_engine.types import Answer, Scalar
from backend.service import Assistant
from tests.ai_engine.semantics.edits.test_chips import passes


def figure_at(answer: Answer) -> int | None:
    """Return where the one figure stands that adds up over its groups."""
    own = [place for place, item in enumerate(answer.columns) if item.role == "measure"]
    return own[0] if len(own) == 1 and answer.columns[own[0]].adds_up else None


def total(answer: Answer) -> Decimal:
    assert answer.result is not None
    place = next(place for place, item in enumerate(answer.columns) if item.role == "measure")
    return sum((Decimal(str(row[place] or 0)) for row in answer.result.rows), Decimal(0))


def groups_to_look_at(answer: Answer) -> list[tuple[Scalar, ...]]:
    rows = answer.result.rows if answer.result else ()
    missing = [row for row in rows if None in row]
    return list(dict.fromkeys((*rows[:1], *rows[-1:], *missing[:1])))


def check(intents: list[Intent], assistant: Assistant) -> int:
    tried = 0
    for intent in intents:
        answer = assistant.run_again(intent, question="x")
        place = figure_at(answer)
        if place is None:
            continue
        for row in groups_to_look_at(answer):
            drill = drill_into(intent, row, assistant.vocabulary)
            for edit in drill.breakdowns[:2] if drill is not None else ():
                parts = assistant.run_again(edit.intent, question="x")
                assert parts.status == "answered", (edit, parts.error)
                assert parts.result is not None
                if not parts.result.truncated:
                    assert abs(total(parts) - Decimal(str(row[place] or 0))) < Decimal("0.01"), (
                        answer.restatement,
                        edit,
                    )
                    tried += 1
    return tried


def test_the_parts_of_a_bar_add_up_to_the_bar(intents: list[Intent], assistant: Assistant):
    assert check(intents, assistant) > 5


@pytest.mark.slow
def test_so_do_those_of_every_question(every_intent: list[Intent], assistant: Assistant):
    assert check(every_intent, assistant) > 100


def counted(*dimensions: Dimension, dataset: str = "accounts") -> Intent:
    return Intent(measures=(Measure(aggregate="count", dataset=dataset),), dimensions=dimensions)


def drills(intent: Intent, assistant: Assistant) -> Iterator[tuple[Scalar, Drill]]:
    answer = assistant.run_again(intent, question="x")
    assert answer.result is not None, answer.error
    for row in groups_to_look_at(answer):
        drill = drill_into(intent, row, assistant.vocabulary)
        assert drill is not None, row
        yield row[-1], drill


@pytest.mark.parametrize(
    ("dataset", "field", "grain", "edges"),
    [
        ("accounts", "opened_date", grain, ())
        for grain in (
            "day", "week", "month", "quarter", "year", "fiscal_quarter", "fiscal_year", "weekday", "month_of_year",
            "day_of_month",
        )
    ]
    + [
        ("accounts", "account_type", None, ()),
        ("accounts", "closed_date", "year", ()),
        ("customers", "date_of_birth", "age_years", ()),
        ("customers", "date_of_birth", "age_years", (Decimal(30), Decimal(50))),
        ("customers", "credit_score", None, (Decimal(600), Decimal(700), Decimal(800))),
        ("transactions", "merchant_category", None, ()),
    ],
)  # fmt: skip
def test_the_rows_of_a_group_are_as_many_as_the_group_says(dataset, field, grain, edges, assistant: Assistant):
    model = assistant.vocabulary.model
    if model.dataset(dataset).field(field).sensitive:
        pytest.skip("the field is sensitive")
    by = Dimension(field=FieldRef(dataset=dataset, field=field, grain=grain), edges=edges)
    for count, drill in drills(counted(by, dataset=dataset), assistant):
        assert drill.rows is not None
        listed = assistant.run_again(drill.rows.intent, question="x")
        assert listed.result is not None, listed.error
        assert listed.result.total_rows in (count, None)
        assert not any(model.dataset(ref.dataset).field(ref.field).sensitive for ref in drill.rows.intent.columns)


@pytest.mark.parametrize("name", ["O'Hara", 'the "best"', "50%", "a\\b", "x'); DROP TABLE accounts; --"])
def test_a_group_with_any_marks_in_its_name_is_asked_for_by_that_name(name: str, assistant: Assistant):
    by = Dimension(field=FieldRef(dataset="accounts", field="account_type"))
    drill = drill_into(counted(by), (name, 3), assistant.vocabulary)
    assert drill is not None
    assert drill.rows is not None
    assert [item.values for item in drill.rows.intent.filters if isinstance(item, Condition)] == [(name,)]
    assert passes(drill.rows.intent, assistant)


def test_a_single_figure_and_a_row_that_is_no_group_are_not_drilled_into(assistant: Assistant):
    assert drill_into(counted(), (3,), assistant.vocabulary) is None
    assert drill_into(Intent(subject="accounts"), ("A", 1), assistant.vocabulary) is None


def test_the_next_questions_each_get_an_answer(intents: list[Intent], assistant: Assistant):
    offered = 0
    for intent in intents[::2]:
        for edit in next_questions(intent, assistant.vocabulary):
            answer = assistant.run_again(edit.intent, question=edit.said)
            assert answer.status == "answered", (edit.said, answer.error)
            offered += 1
    assert offered > 20


@pytest.mark.slow
def test_so_does_each_next_question_of_every_question(every_intent: list[Intent], assistant: Assistant):
    for intent in every_intent:
        for edit in next_questions(intent, assistant.vocabulary):
            answer = assistant.run_again(edit.intent, question=edit.said)
            assert answer.status == "answered", (edit.said, answer.error)


def test_the_next_questions_are_a_ranking_a_comparison_and_a_breakdown(assistant: Assistant):
    asked = assistant.ask("number of transactions by branch last month")
    said = [edit.said for edit in next_questions(asked.intent, assistant.vocabulary, rows=asked.result.row_count)]
    assert said[0] == "Top 5"
    assert said[1].startswith("Compared with the period before (")
    assert said[2].startswith("Also by ")
