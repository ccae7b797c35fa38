"""Clients and accounts are many to many: nothing is counted twice on the way from one to the other."""

from __future__ import annotations

from ai_engine.semantics.compiler import compile_intent
from ai_engine.semantics.intent import Intent, Measure

from .bank import AS_OF, ref
from .intents import by, where
from .joint_bank import JOINT

AMOUNT = Measure(aggregate="sum", field=ref("loan.amount"))
ACCOUNTS = Measure(aggregate="count", dataset="account")
WOMEN = where("client.gender", "=", "F")


def test_loans_of_clients_are_those_they_dispose_of_not_those_of_their_district() -> None:
    draft = compile_intent(Intent(measures=(AMOUNT,), filters=(WOMEN,)), JOINT, "duckdb", AS_OF)
    assert "FROM disp" in draft.sql
    assert "district" not in draft.sql
    assert draft.assumptions == ("Loans and clients are linked through dispositions.",)


def test_a_condition_is_about_the_rows_themselves_before_those_that_share_the_subject() -> None:
    intent = Intent(
        subject="district",
        measures=(ACCOUNTS,),
        dimensions=(by("district.region"),),
        filters=(where("loan.status", "=", "A"),),
    )
    sql = compile_intent(intent, JOINT, "duckdb", AS_OF).sql
    assert "loan.account_id = account.account_id AND loan.status = 'A'" in sql
