"""Rows that came to nothing, or are over, do not count in silence."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ai_engine.semantics.every_status import every_status
from ai_engine.semantics.intent import Condition, Dimension, Intent, Measure
from ai_engine.semantics.model import Dataset, Field, Metric, SemanticModel
from ai_engine.semantics.values import ColumnValues, ValueIndex
from ai_engine.semantics.vocabulary import Vocabulary

from .compiler.bank import AS_OF, catalogue, ref

AMOUNT = Field("amount", "amount", "decimal", "measure", "amount")
STATUS = Field("status", "status", "text", "category", "payment status")
REVIEW = Field("review", "review", "text", "category", "review status")
PAID = Measure(aggregate="sum", field=ref("payments.amount"))
NOTE = "Payments of every status count: Posted, Failed."


def vocabulary(*fields: Field, values: tuple[str, ...] = ("Posted", "Failed"), complete: bool = True) -> Vocabulary:
    metric = Metric("paid", "SUM(CASE WHEN payments.status = 'Posted' THEN payments.amount ELSE 0 END)", "paid")
    model = SemanticModel("till", (Dataset("payments", "payments", (AMOUNT, *fields), "payment"),), (), (metric,))
    columns = tuple(ColumnValues("payments", field.name, values, complete) for field in fields)
    return Vocabulary(catalogue("duckdb"), model, ValueIndex(columns, model), AS_OF)


@pytest.mark.parametrize("measure", [PAID, Measure(dataset="payments", aggregate="count")])
def test_it_is_said_that_rows_count_that_came_to_nothing(measure: Measure) -> None:
    assert every_status(Intent(measures=(measure,)), vocabulary(STATUS)) == (NOTE,)


@pytest.mark.parametrize(
    "intent",
    [
        Intent(
            measures=(PAID,),
            filters=(Condition(field=ref("payments.status"), operator="=", values=("Posted",)),),
        ),
        Intent(measures=(PAID,), dimensions=(Dimension(field=ref("payments.status")),)),
        Intent(measures=(Measure(metric="paid"),)),
        Intent(subject="payments"),
    ],
)
def test_nothing_is_said_where_the_status_was_decided_or_no_figure_is_told(intent: Intent) -> None:
    assert every_status(intent, vocabulary(STATUS)) == ()


def test_states_that_all_hold_and_states_of_something_else_are_not_told() -> None:
    asked = Intent(measures=(PAID,))
    assert every_status(asked, vocabulary(STATUS, values=("Posted", "Pending"))) == ()
    assert every_status(asked, vocabulary(REVIEW)) == ()
    assert every_status(asked, vocabulary(STATUS, complete=False)) == ()


def test_nothing_is_told_of_a_status_that_is_kept_back() -> None:
    assert every_status(Intent(measures=(PAID,)), vocabulary(replace(STATUS, sensitive=True))) == ()


def test_codes_are_known_by_the_words_for_them() -> None:
    coded = replace(STATUS, value_synonyms={"F": ("failed",)})
    assert every_status(Intent(measures=(PAID,)), vocabulary(coded, values=("P", "F"))) == (
        "Payments of every status count: P, F.",
    )
