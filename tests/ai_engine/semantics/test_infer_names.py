from __future__ import annotations

import pytest

from ai_engine.semantics.infer import infer_vocabulary
from tests.ai_engine.semantics.schemas import catalogue, table


@pytest.mark.parametrize(
    ("of", "column", "label"),
    [
        ("dispute", "disp_amt", "dispute amount"),
        ("cardholder", "ch_id", "card holder id"),
        ("subscriber", "subs_no", "subscriber number"),
        ("account", "disp_amt", "disposition amount"),
        ("card", "car_id", "card id"),
        ("terms", "term_amt", "term amount"),
    ],
)
def test_a_column_that_begins_as_its_table_does_is_called_after_it(of: str, column: str, label: str):
    model = infer_vocabulary(catalogue(table(of, f"id int, {column} int, remarks text")))
    assert model.dataset(of).field(column).label == label


@pytest.mark.parametrize(
    ("column", "values", "label", "role"),
    [
        ("income_yr", (33_700, 51_200), "annual income", "measure"),
        ("rent_month", (900, 1_250), "monthly rent", "measure"),
        ("income_yr", (2_019, 2_024), "income year", "time"),
        ("sales_month", (202_401, 202_402), "sales month", "category"),
        ("sales_month", (1, 12), "sales month", "category"),
        ("income_yr", (), "income year", "category"),
    ],
)
def test_an_amount_of_a_year_is_told_from_a_year_by_its_values(
    column: str, values: tuple[int, ...], label: str, role: str
):
    model = infer_vocabulary(
        catalogue(table("person", f"id int, {column} int, remarks text")), {("person", column): values}
    )
    item = model.dataset("person").field(column)
    assert (item.label, item.role) == (label, role)


@pytest.mark.parametrize(
    ("tables", "of", "noun", "is_said"),
    [
        (("cardholder",), "cardholder", "customer", True),
        (("cardholder", "customer"), "cardholder", "customer", False),
        (("auth",), "auth", "transaction", True),
        (("auth", "txn"), "auth", "transaction", False),
        (("repayment",), "repayment", "payment", True),
    ],
)
def test_rows_are_also_called_by_the_wider_noun_unless_others_are(
    tables: tuple[str, ...], of: str, noun: str, is_said: bool
):
    model = infer_vocabulary(catalogue(*(table(name, "id int, remarks text") for name in tables)))
    assert (noun in model.dataset(of).synonyms) is is_said


@pytest.mark.parametrize(
    ("column", "values", "label", "also"),
    [
        ("mbr_st_cd", ("A", "C"), "member status code", "member state"),
        ("mbr_st_cd", ("MH", "KA"), "member state code", ""),
        ("mbr_st_cd", (), "member state code", ""),
        ("home_state", ("N", "S"), "home state", ""),
        ("acct_st", ("A", "C"), "account status", "account state"),
        ("pst_cd", ("A", "C"), "person status code", "status code"),
        ("prst_cd", ("A", "C"), "person status code", "status code"),
        ("pst_cd", ("AA", "CC"), "pst code", ""),
        ("cst_cd", ("A", "C"), "cst code", ""),
        ("trap_fl", ("Y", "N"), "trap flag", ""),
        ("trap_fl", ("A", "B"), "trap fl", ""),
        ("flt_cd", ("A", "C"), "flt code", ""),
        ("flt_no", ("A", "C"), "flight number", ""),
    ],
)
def test_a_short_state_or_flag_is_known_by_its_codes_of_one_letter(
    column: str, values: tuple[str, ...], label: str, also: str
):
    model = infer_vocabulary(
        catalogue(table("person", f"id int, {column} text, remarks text")), {("person", column): values}
    )
    item = model.dataset("person").field(column)
    assert item.label == label
    assert not also or also in item.synonyms


def test_a_compensation_is_not_called_after_the_complaints_table():
    model = infer_vocabulary(catalogue(table("cmpl_reg", "cmpl_no int, comp_amt dec, comp_st text", key="cmpl_no")))
    labels = [item.label for item in model.dataset("cmpl_reg").fields]
    assert labels[:2] == ["complaint number", "compensation amount"]


@pytest.mark.parametrize(
    ("tables", "is_said"),
    [(("visitor",), True), (("visitor", "kyc"), False), (("kyc",), False)],
)
def test_what_a_status_is_of_names_it_unless_rows_are_called_so(tables: tuple[str, ...], is_said: bool):
    model = infer_vocabulary(catalogue(*(table(name, "id int, kyc_status text, remarks text") for name in tables)))
    assert ("kyc" in model.dataset(tables[0]).field("kyc_status").synonyms) is is_said


def test_a_plain_word_before_a_status_does_not_name_it():
    model = infer_vocabulary(catalogue(table("visitor", "id int, payment_status text, remarks text")))
    assert "payment" not in model.dataset("visitor").field("payment_status").synonyms


@pytest.mark.parametrize(
    ("column", "values", "comment", "called"),
    [
        ("kind text", ("Savings", "Current"), "Savings, Current or Deposit", False),
        ("kind text", ("Home Loan", "Gold Loan"), "Home, Gold or Car Loan", False),
        ("kind text", ("Debit", "Credit"), "Debit or Credit", False),
        ("kind text", ("Debit", "Credit"), "Side of the entry", True),
        ("interest dec", (), "Part that is interest", False),
        ("closing dec", (), "Balance at the end of that day", False),
        ("closing dec", (), "Final balance, taken at midnight", True),
    ],
)
def test_a_comment_that_lists_values_or_names_something_wider_does_not_name_its_column(
    column: str, values: tuple[str, ...], comment: str, called: bool
):
    name = column.split(maxsplit=1)[0]
    of = table("entry", f"id int, {column}, remarks text", comments={name: comment})
    item = infer_vocabulary(catalogue(of), {("entry", name): values}).dataset("entry").field(name)
    assert bool(item.synonyms) is called, item.synonyms
