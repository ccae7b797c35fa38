from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal

import pytest

from ai_engine.built_in import BuiltInModel
from ai_engine.catalogue import Catalogue, Column, Table
from ai_engine.errors import SqlRejected
from ai_engine.semantics.intent import (
    AnyOf,
    Condition,
    Dimension,
    FieldRef,
    Having,
    Intent,
    Measure,
    Membership,
    Order,
    Period,
)
from ai_engine.types import Interpretation
from ai_engine.verified import (
    depends_on_day,
    fingerprint,
    intent_from_text,
    intent_to_text,
    question_key,
    reading_key,
)
from tests.ai_engine.built_in.bank import vocabulary

BALANCE = FieldRef(dataset="accounts", field="balance")
TOTAL = Measure(aggregate="sum", field=BALANCE, shown_in=Decimal("100000"))
MOMENT = datetime(2026, 1, 2, 3, 4)  # noqa: DTZ001 - as databases have them
EVERYTHING = Intent(
    subject="accounts",
    measures=(TOTAL, Measure(metric="total_balance", transform="rolling_average", window=3, denominator=TOTAL)),
    dimensions=(Dimension(field=BALANCE, edges=(Decimal("0.10"), Decimal(1000))),),
    columns=(FieldRef(dataset="accounts", field="opened_on", grain="month", via=("a", "b")),),
    filters=(
        Condition(field=BALANCE, operator="between", values=(Decimal("1.50"), 7)),
        Condition(field=BALANCE, operator="in", values=("7", True, date(2026, 1, 2), MOMENT)),
        AnyOf(filters=(Membership(dataset="loans", negated=True, at_least=2),)),
    ),
    period=Period(start=date(2026, 10, 1), end=date(2026, 11, 1), label="October 2026"),
    having=(Having(measure=TOTAL, operator=">", value=Decimal("2.5")),),
    order=(Order(measure=TOTAL, descending=True),),
    limit=5,
)


def test_an_intent_comes_back_from_its_text_with_every_value_as_it_was():
    read = intent_from_text(intent_to_text(EVERYTHING))
    assert read == EVERYTHING
    assert [type(value) for value in read.filters[1].values] == [str, bool, date, datetime]
    assert [type(value) for value in read.filters[0].values] == [Decimal, int]


@pytest.mark.parametrize("text", [None, "", "{", "[]", "7", '{"no_such_key": 1}', '{"limit": {"decimal": "x"}}'])
def test_what_is_no_intent_is_none(text: str | None):
    assert intent_from_text(text) is None
    assert intent_to_text(None) is None


@pytest.mark.parametrize(
    "spelled", ["how  many customers are there", "How many customers are there?!", " HOW many\ncustomers are there. "]
)
def test_letter_case_blanks_and_the_closing_mark_make_no_other_question(spelled: str):
    assert question_key(spelled) == question_key("How many customers are there?")


def test_the_values_of_a_reading_are_compared_letter_by_letter():
    known = vocabulary()
    said = [Interpretation("query", f"customers with code {code}") for code in ("A-1", "a-1", "A 1")]
    assert len({reading_key(one, known) for one in said}) == 3


def test_a_reading_is_known_by_its_intent_and_not_by_a_models_words():
    known = vocabulary()
    one = Interpretation("query", "what a model said", Intent(measures=(TOTAL,)))
    assert reading_key(one, known) == reading_key(replace(one, restatement="something else"), known)


@pytest.mark.parametrize(
    ("question", "dated"),
    [
        ("How many customers are there?", False),
        ("Total balance by account type", False),
        ("Total balance of accounts opened last month", True),
        ("Number of customers aged over 60", True),
        ("Accounts opened after 1 March 2021", True),
    ],
)
def test_whether_words_mean_another_thing_tomorrow_is_read_off_the_intent(question: str, dated: bool):
    import threading

    read = BuiltInModel().interpret(question, (), vocabulary(), stop=threading.Event())
    assert read.outcome == "query"
    assert depends_on_day(read.intent) is dated
    assert depends_on_day(None)


def catalogue(**changes: object) -> Catalogue:
    columns = {"id": "INTEGER", "city": "VARCHAR", "notes": "VARCHAR", **changes}
    kept = tuple(Column(name, "text", str(kind)) for name, kind in columns.items() if kind is not None)
    return Catalogue("sqlite", (Table("customers", kept), Table("other", (Column("city", "text", "VARCHAR"),))))


SQL = "SELECT COUNT(*) AS n FROM customers AS c WHERE c.city = 'Pune'"
WHOLE = "SELECT * FROM customers"


@pytest.mark.parametrize(
    ("changed", "other"),
    [
        (catalogue(city=None), True),
        (catalogue(city="INTEGER"), True),
        (catalogue(notes=None), False),
        (catalogue(added="VARCHAR"), False),
        (replace(catalogue(), tables=catalogue().tables[:1]), False),
        (replace(catalogue(), tables=catalogue().tables[1:]), True),
    ],
)
def test_a_fingerprint_changes_with_the_tables_and_columns_of_its_statement_alone(changed: Catalogue, other: bool):
    assert (fingerprint(SQL, changed) != fingerprint(SQL, catalogue())) is other


@pytest.mark.parametrize(
    "sql",
    [
        "WITH other AS (SELECT city FROM customers) SELECT city FROM other",
        "SELECT x.city FROM (WITH Other AS (SELECT city FROM customers) SELECT o.city FROM other AS o) AS x",
    ],
)
def test_a_fingerprint_tells_of_no_table_that_a_part_of_the_statement_is_called_like(sql: str):
    without = replace(catalogue(), tables=catalogue().tables[:1])
    assert fingerprint(sql, catalogue()) == fingerprint(sql, without)


def test_a_part_of_a_statement_may_read_a_table_of_its_own_name():
    sql = "WITH customers AS (SELECT city FROM customers) SELECT city FROM customers"
    assert fingerprint(sql, catalogue(city="INTEGER")) != fingerprint(sql, catalogue())


def test_a_star_reads_every_column():
    assert fingerprint(WHOLE, catalogue(notes=None)) != fingerprint(WHOLE, catalogue())


def test_text_that_is_no_statement_has_no_fingerprint():
    with pytest.raises(SqlRejected):
        fingerprint("SELECT FROM WHERE (", catalogue())
