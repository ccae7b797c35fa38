from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ai_engine.built_in.definitions.formulas import with_figures
from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.outcomes.outcome import decide
from ai_engine.semantics.compiler import compile_intent
from ai_engine.semantics.hints import FormulaHint, Number, Operation, Phrase, read_hints
from ai_engine.semantics.model import Metric
from ai_engine.semantics.values import ColumnValues, ValueIndex
from ai_engine.semantics.vocabulary import Vocabulary
from backend.service import open_assistant
from backend.settings import Settings
from tests.ai_engine.built_in.bank import AS_OF, MODEL, vocabulary


def defined(text: str) -> Vocabulary:
    return with_figures(vocabulary(), read_hints(text, vocabulary().catalogue).formulas)


def added(text: str) -> tuple[Metric, ...]:
    return defined(text).model.metrics[len(MODEL.metrics) :]


@pytest.mark.parametrize(
    ("formula", "expression"),
    [
        ("total principal / number of loans", "SUM(loans.principal) / COUNT(loans.loan_id)"),
        ("principal / count(loans)", "SUM(loans.principal) / COUNT(loans.loan_id)"),
        (
            "(balance of savings accounts - average balance) * 12",
            "(SUM(CASE WHEN accounts.account_type = 'Savings' THEN accounts.balance ELSE 0 END)"
            " - AVG(accounts.balance)) * 12",
        ),
        (
            "count(female customers) / count(customers)",
            "COUNT(CASE WHEN customers.gender = 'Female' THEN 1 END) / COUNT(customers.customer_id)",
        ),
        (
            "female customers / customers",
            "COUNT(CASE WHEN customers.gender = 'Female' THEN 1 END) / COUNT(customers.customer_id)",
        ),
        (
            "number of accounts without a branch / number of accounts",
            "COUNT(CASE WHEN accounts.branch_id IS NULL THEN 1 END) / COUNT(accounts.account_id)",
        ),
        ("deposits - total principal", "SUM(accounts.balance) - SUM(loans.principal)"),
        ("NPA ratio + 1.5", None),
        ("total principal * 0.5", "SUM(loans.principal) * 0.5"),
    ],
)
def test_a_formula_over_figures_becomes_a_metric(formula, expression):
    (metric,) = added(f"XM = {formula}")
    assert metric.name == "xm"
    if expression is None:
        expression = f"({vocabulary().model.metric('npa_ratio').expression}) + 1.5"
    assert metric.expression == expression


@pytest.mark.parametrize(
    "formula",
    [
        "total moonshine / number of loans",  # no such thing
        "number of customers with loans / number of customers",  # a condition on other rows
        "balance in 2024 - balance in 2023",  # a period of its own
        "balance by branch / balance",  # more than one figure
        "2 * 3",
    ],
)
def test_a_formula_that_no_metric_can_hold_is_left_unread(formula):
    assert added(f"XM = {formula}") == ()
    assert decide("XM by region", (), Knowledge(defined(f"XM = {formula}"))).outcome == "refused"


def test_a_metric_has_both_names_its_date_and_its_unit():
    (metric,) = added("LSP (Loan Share Point) = (average principal / total principal) * 100")
    assert (metric.label, metric.synonyms) == ("loan share point", ("lsp",))
    assert (metric.unit, metric.time_field) == ("percent", "loans.disbursed_on")


def test_a_defined_figure_is_grouped_and_dated_like_any_other():
    known = defined("LSZ (Loan Size) = total principal / number of loans")
    intent = decide("LSZ by loan type in 2025", (), Knowledge(known)).intent
    assert intent is not None
    sql = compile_intent(intent, known.model, "duckdb", AS_OF).sql
    assert all(part in sql for part in ("SUM(principal)", "COUNT(loan_id)", "GROUP BY", "2025-01-01"))


def test_a_value_that_is_also_an_everyday_word_narrows_a_figure():
    traded = ColumnValues("transactions", "channel", ("Sell", "Buy"), complete=True)
    known = replace(vocabulary(), values=ValueIndex((traded,), MODEL))
    formulas = read_hints(
        "SMX = total transaction amount from sells / number of transactions", known.catalogue
    ).formulas
    metric = with_figures(known, formulas).model.metric("smx")
    sold = "SUM(CASE WHEN transactions.channel = 'Sell' THEN transactions.amount ELSE 0 END)"
    assert metric.expression == f"{sold} / COUNT(transactions.transaction_id)"


def test_what_the_bank_defined_itself_is_kept():
    assert defined("deposits = total principal / number of loans") == vocabulary()


LEAVES = st.sampled_from(
    ["total principal", "number of loans", "balance of savings accounts", "average balance", "oddity"]
)
FORMULAS = st.recursive(
    st.one_of(LEAVES.map(Phrase), st.integers(0, 100).map(lambda number: Number(Decimal(number)))),
    lambda inner: st.builds(Operation, st.sampled_from(["+", "-", "*", "/"]), inner, inner),
    max_leaves=5,
)


@settings(max_examples=25, deadline=None)
@given(FORMULAS)
def test_whatever_becomes_a_metric_can_be_asked_and_said_in_sql(formula):
    known = with_figures(vocabulary(), (FormulaHint(("zq figure",), formula),))
    if known.model.metrics == MODEL.metrics:
        return
    intent = decide("zq figure", (), Knowledge(known)).intent
    assert intent is not None
    for dialect in ("duckdb", "sqlite", "postgres", "mysql"):
        assert compile_intent(intent, known.model, dialect, AS_OF).sql


def test_definitions_given_with_a_question_are_answered(small_bank):
    assistant = open_assistant(Settings(database_url=f"duckdb:///{small_bank}"))
    try:
        known = assistant.with_hints("NLX = total number of loans in 2020. HLX = number of loans * 100")
        asked = [known.ask(question) for question in ("How many NLX since 2001", "Number of loans since 2001", "HLX")]
        rows = [answer.result.rows for answer in asked if answer.result is not None]
    finally:
        assistant.close()
    assert rows[0] == rows[1]
    assert rows[2][0][0] == rows[1][0][0] * 100
    assert "“NLX” was read as total number of loans" in asked[0].assumptions
