"""Clients and accounts are many to many: nothing is counted twice on the way from one to the other."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ai_engine.catalogue import Dialect
from ai_engine.guard import check
from ai_engine.guard.policy import Policy
from ai_engine.semantics.compiler import compile_intent
from ai_engine.semantics.intent import Condition, Having, Intent, Measure, Membership, Order

from .bank import AS_OF, comparable, ref
from .intents import by, changed, where
from .joint_bank import COLUMNS, JOINT, Rows, joint_catalogue, joint_duckdb, joint_sqlite

AMOUNT = Measure(aggregate="sum", field=ref("loan.amount"))
LOANS = Measure(aggregate="count", dataset="loan")
CLIENTS = Measure(aggregate="count", dataset="client")
ACCOUNTS = Measure(aggregate="count", dataset="account")
WOMEN = where("client.gender", "=", "F")
GOLD = where("card.type", "=", "gold")
DIALECTS: tuple[Dialect, ...] = ("duckdb", "sqlite", "postgres", "mysql")


@st.composite
def joint_banks(draw: st.DrawFn) -> Rows:
    """Few rows and many links, some of them repeated and some leading nowhere."""

    def table(*columns: st.SearchStrategy[Any], most: int = 4) -> list[tuple[Any, ...]]:
        rows = draw(st.lists(st.tuples(*columns), max_size=most))
        return [(number, *row) for number, row in enumerate(rows, 1)]

    def key_of(rows: list[tuple[Any, ...]]) -> st.SearchStrategy[Any]:
        return st.sampled_from([*(row[0] for row in rows), None])

    districts = table(st.sampled_from(["north", "south"]), most=2)
    clients = table(key_of(districts), st.sampled_from(["F", "M", None]), st.none())
    accounts = table(key_of(districts), st.just("monthly"), st.none())
    links = table(key_of(clients), key_of(accounts), st.sampled_from(["OWNER", "USER"]), most=7)
    amounts, days = st.one_of(st.none(), st.integers(1, 4).map(Decimal)), st.dates(date(2026, 1, 1), date(2026, 1, 3))
    return {
        "district": districts,
        "client": clients,
        "account": accounts,
        "disposition": links,
        "card": table(key_of(links), st.sampled_from(["gold", "junior"])),
        "loan": table(key_of(accounts), amounts, st.sampled_from("AB"), days),
    }


class Judge:
    """Walks from clients to loans by loops; every row of `linked` is one loan, one disposition and its client."""

    def __init__(self, rows: Rows) -> None:
        tables = {name: [dict(zip(COLUMNS[name], row, strict=True)) for row in rows[name]] for name in COLUMNS}
        self.clients = tables["client"]
        self.linked = [
            {"loan": loan, "client": client, "card": [c for c in tables["card"] if c["disp_id"] == link["disp_id"]]}
            for loan in tables["loan"]
            for link in tables["disposition"]
            for client in tables["client"]
            if loan["account_id"] is not None
            and loan["account_id"] == link["account_id"]
            and link["client_id"] == client["client_id"]
        ]

    def kept(self, filters: tuple[Condition, ...]) -> list[dict[str, Any]]:
        return [beside for beside in self.linked if all(self._holds(beside, item) for item in filters)]

    def _holds(self, beside: dict[str, Any], item: Condition) -> bool:
        found = beside[item.field.dataset]
        near = found if isinstance(found, list) else [found]
        return any(row[item.field.field] == item.values[0] for row in near)

    def figure(self, measure: Measure, kept: list[dict[str, Any]]) -> Any:
        fact = measure.dataset or measure.field.dataset  # type: ignore[union-attr]
        rows = {beside[fact][f"{fact}_id"]: beside[fact] for beside in kept}
        if measure.field is None:
            return len(rows)
        values = [row[measure.field.field] for row in rows.values() if row[measure.field.field] is not None]
        if measure.aggregate == "count_distinct":
            return len(set(values))
        known: dict[str, Callable[[list[Any]], Any]] = {
            "sum": sum, "avg": statistics.fmean, "max": max, "median": statistics.median,
        }  # fmt: skip
        return known[str(measure.aggregate)](values) if values else None


def answers(intent: Intent, rows: Rows) -> list[list[tuple[Any, ...]]]:
    """Return the rows of an intent on DuckDB and on SQLite."""
    with joint_duckdb(rows) as duck:
        on_duckdb = duck.execute(compile_intent(intent, JOINT, "duckdb", AS_OF).sql).fetchall()
    lite = joint_sqlite(rows)
    on_sqlite = lite.execute(compile_intent(intent, JOINT, "sqlite", AS_OF).sql).fetchall()
    lite.close()
    return [comparable(on_duckdb), comparable(on_sqlite)]


OF_LOANS = [LOANS, AMOUNT, *(changed(AMOUNT, aggregate=kind) for kind in ("avg", "max", "median", "count_distinct"))]
FILTERS = st.lists(st.sampled_from([WOMEN, GOLD, where("loan.status", "=", "A")]), max_size=2, unique=True).map(tuple)


@settings(max_examples=60, deadline=None)
@given(
    rows=joint_banks(),
    asked=st.one_of(
        st.tuples(st.sampled_from(OF_LOANS), st.sampled_from(["client.gender", "client.client_id"])),
        st.tuples(st.just(CLIENTS), st.sampled_from(["loan.status", "loan.loan_id"])),
    ),
    filters=FILTERS,
)
def test_a_row_counts_once_in_each_group_that_it_is_linked_to(
    rows: Rows, asked: tuple[Measure, str], filters: tuple[Condition, ...]
) -> None:
    measure, name = asked
    judge, field = Judge(rows), ref(name)
    kept = judge.kept(filters)
    keys = dict.fromkeys(beside[field.dataset][field.field] for beside in kept)
    expected = [
        (key, judge.figure(measure, [beside for beside in kept if beside[field.dataset][field.field] == key]))
        for key in keys
    ]
    for answered in answers(Intent(measures=(measure,), dimensions=(by(name),), filters=filters), rows):
        assert sorted(answered, key=repr) == sorted(comparable(expected), key=repr)


@settings(max_examples=40, deadline=None)
@given(rows=joint_banks(), measure=st.sampled_from(OF_LOANS), card=st.booleans())
def test_a_row_counts_once_in_total_however_many_linked_rows_satisfy_the_conditions(
    rows: Rows, measure: Measure, card: bool
) -> None:
    filters = (WOMEN, GOLD) if card else (WOMEN,)
    judge = Judge(rows)
    expected = comparable([(judge.figure(measure, judge.kept(filters)),)])
    assert answers(Intent(measures=(measure,), filters=filters), rows) == [expected, expected]


@settings(max_examples=60, deadline=None)
@given(rows=joint_banks(), measure=st.sampled_from(OF_LOANS), filters=st.sampled_from([(), (WOMEN,)]))
def test_a_listed_client_is_judged_by_each_linked_loan_once(
    rows: Rows, measure: Measure, filters: tuple[Condition, ...]
) -> None:
    judge, key = Judge(rows), ref("client.client_id")
    figures = {
        client["client_id"]: judge.figure(
            measure, [beside for beside in judge.linked if beside["client"]["client_id"] == client["client_id"]]
        )
        for client in judge.clients
        if not filters or client["gender"] == "F"
    }
    least = {name: value for name, value in figures.items() if value is not None and value >= 2}
    above = Having(measure=measure, operator=">=", value=Decimal(2))
    order = (Order(measure=measure, descending=True),)
    intent = Intent(subject="client", columns=(key,), filters=filters, having=(above,), order=order)
    expected = comparable((name,) for name in sorted(least, key=lambda name: (-least[name], name)))
    assert answers(intent, rows) == [expected, expected]


@settings(max_examples=30, deadline=None)
@given(rows=joint_banks(), descending=st.booleans())
def test_clients_ranked_by_a_field_of_their_loans_are_listed_once(rows: Rows, descending: bool) -> None:
    pick = max if descending else min
    amounts: dict[int, list[Decimal]] = {}
    for beside in Judge(rows).linked:
        if beside["loan"]["amount"] is not None:
            amounts.setdefault(beside["client"]["client_id"], []).append(beside["loan"]["amount"])
    sign = -1 if descending else 1
    expected = comparable((name,) for name in sorted(amounts, key=lambda name: (sign * pick(amounts[name]), name)))
    order = (Order(field=ref("loan.amount"), descending=descending),)
    known = (where("loan.amount", "is not null"),)
    intent = Intent(subject="client", columns=(ref("client.client_id"),), filters=known, order=order)
    assert answers(intent, rows) == [expected, expected]


LISTED = Intent(subject="client", having=(Having(measure=AMOUNT, operator=">", value=Decimal(1)),))
QUESTIONS = [
    LISTED,
    LISTED.model_copy(update={"order": (Order(field=ref("loan.amount"), descending=True),), "limit": 3}),
    LISTED.model_copy(update={"order": (Order(measure=AMOUNT),), "limit": 3, "with_ties": True}),
    Intent(measures=(AMOUNT, LOANS), dimensions=(by("client.client_id"),), filters=(GOLD,)),
    Intent(measures=(CLIENTS,), filters=(WOMEN, GOLD)),
    Intent(measures=(CLIENTS,), subject="client", filters=(Membership(dataset="loan", at_least=2),)),
    Intent(measures=(CLIENTS,), subject="client", filters=(Membership(dataset="loan", negated=True),)),
    Intent(
        measures=(AMOUNT, changed(AMOUNT, transform="change_percent")),
        dimensions=(by("loan.granted_on", "year"),),
        filters=(WOMEN,),
    ),
]


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("intent", QUESTIONS)
def test_the_guard_lets_questions_over_a_linking_table_through(intent: Intent, dialect: Dialect) -> None:
    check(compile_intent(intent, JOINT, dialect, AS_OF).sql, joint_catalogue(dialect), Policy())


def test_loans_of_clients_are_those_they_dispose_of_not_those_of_their_district() -> None:
    draft = compile_intent(Intent(measures=(AMOUNT,), filters=(WOMEN,)), JOINT, "duckdb", AS_OF)
    assert "FROM disp" in draft.sql
    assert "district" not in draft.sql
    assert draft.assumptions == ("Loans and clients are linked through dispositions.",)


def test_a_loan_of_several_clients_is_said_to_count_for_each() -> None:
    grouped = Intent(measures=(AMOUNT,), dimensions=(by("client.gender"),))
    said = compile_intent(grouped, JOINT, "duckdb", AS_OF).assumptions
    assert "A loan with several clients counts once for each gender." in said
    said = compile_intent(LISTED, JOINT, "duckdb", AS_OF).assumptions
    assert "A loan with several clients counts for each of them." in said


def test_a_condition_is_about_the_rows_themselves_before_those_that_share_the_subject() -> None:
    intent = Intent(
        subject="district",
        measures=(ACCOUNTS,),
        dimensions=(by("district.region"),),
        filters=(where("loan.status", "=", "A"),),
    )
    sql = compile_intent(intent, JOINT, "duckdb", AS_OF).sql
    assert "loan.account_id = account.account_id AND loan.status = 'A'" in sql
