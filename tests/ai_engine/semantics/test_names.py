from __future__ import annotations

import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ai_engine.semantics.names import (
    human_name,
    noun_phrase,
    shared_prefix,
    singular,
    split_identifier,
    table_label,
)


@pytest.mark.parametrize(
    ("identifier", "words"),
    [
        ("credit_score", "credit score"),
        ("creditScore", "credit score"),
        ("CreditScore", "credit score"),
        ("CREDIT_SCORE", "credit score"),
        ("IFSCCode", "ifsc code"),
        ("customerID", "customer id"),
        ("addressLine2", "address line 2"),
        ("dateofbirth", "date of birth"),
        ("birthdate", "birth date"),
        ("custname", "cust name"),
        ("NOOFLOANS", "no of loans"),
        ("A11", "a11"),
        ("größe_cm", "größe cm"),
        ("zzqx", "zzqx"),
    ],
)
def test_identifiers_are_parted_into_the_words_they_are_made_of(identifier, words):
    assert " ".join(split_identifier(identifier)) == words


@pytest.mark.parametrize(
    "word",
    "district statement comment operation notes candidate holiday corporate incident brokerage identity".split(),
)
def test_a_word_that_contains_other_words_stays_whole(word):
    assert split_identifier(word) == (word,)


@pytest.mark.parametrize(
    ("identifier", "name"),
    [
        ("acct_no", "account number"),
        ("ACCT_NO", "account number"),
        ("no_of_customers", "number of customers"),
        ("number_employees", "number of employees"),
        ("no_show", "no show"),
        ("cust_dob", "customer date of birth"),
        ("TRAN_AMT", "transaction amount"),
        ("OPEN_DT", "open date"),
        ("mat_dt", "maturity date"),
        ("mat_type", "mat type"),
        ("BR_CODE", "branch code"),
        ("int_rate", "interest rate"),
        ("cur_bal", "current balance"),
        ("ccy", "currency"),
        ("os_bal", "outstanding balance"),
        ("fee_pct", "fee percent"),
        ("avg_yr_sal", "average year salary"),
        ("custname", "customer name"),
        ("dpd", "days past due"),
        ("mthd", "method"),
        ("cmplnt_ctgry", "complaint category"),
        ("rfrnc_nm", "reference name"),
        ("prdcts_held", "products held"),
        ("ofc_phn", "office phone"),
        ("strt_nm", "strt name"),
        ("grnt_amt", "grnt amount"),
    ],
)
def test_abbreviations_are_written_out_where_their_place_tells_what_they_mean(identifier, name):
    assert human_name(identifier) == name


@pytest.mark.parametrize(
    ("identifier", "name"),
    [
        ("CUSNO", "customer number"),
        ("DRVNM", "driver name"),
        ("RTECD", "route code"),
        ("STDRTE", "standard rate"),
        ("STRDT", "start date"),
        ("TRMDT", "termination date"),
        ("PAYMTH", "payment method"),
        ("PAYDT", "payment date"),
        ("acct_st_cd", "account status code"),
        ("mar_st", "marital status"),
        ("addr_st_cd", "address state code"),
        ("st_nm", "state name"),
        ("lst_txn_dt", "last transaction date"),
        ("strt_dt", "start date"),
        ("nxt_exec_dt", "next execution date"),
        ("kyc_rvw_dt", "kyc review date"),
        ("ann_sal", "annual salary"),
        ("mth_inc", "monthly income"),
        ("mth_end_bal", "month end balance"),
        ("tnr_mth", "tenor months"),
        ("dpd_dys", "days past due"),
        ("dob_dt", "date of birth"),
        ("int_os_amt", "interest outstanding amount"),
        ("accr_int", "accrued interest"),
        ("prin_os", "principal outstanding"),
        ("min_bal", "minimum balance"),
        ("npa_cls", "npa class"),
        ("acct_cls_dt", "account closing date"),
        ("prov_amt", "provision amount"),
        ("prov_cd", "province code"),
        ("no_of_inst", "number of instalment"),
        ("chq_bk_no", "cheque book number"),
        ("lc_no", "letter of credit number"),
        ("lc_amt", "local currency amount"),
        ("esc_lvl", "escalation level"),
        ("rev_flg", "reversed flag"),
        ("appr_by", "approved by"),
        ("asgnd_emp_id", "assigned employee id"),
        ("rpt_mgr_id", "reporting manager id"),
        ("bene_nm", "beneficiary name"),
        ("rep_perd_mths", "repayment period months"),
        ("dis_amt", "disbursed amount"),
        ("addr_ln2", "address line 2"),
    ],
)
def test_short_words_of_banking_exports_are_told_by_their_neighbours(identifier, name):
    assert human_name(identifier) == name


def test_words_that_every_column_shares_are_dropped():
    columns = ["sbTxId", "sbTxDateTime", "sbTxCustId"]
    assert shared_prefix(columns) == 2
    assert [human_name(name, dropped=2) for name in columns] == ["id", "date time", "customer id"]


def test_a_shared_beginning_leaves_each_column_at_least_one_word():
    assert shared_prefix(["loan", "loan_type", "loan_amount"]) == 0
    assert shared_prefix(["loan_id", "loan_type"]) == 0


@pytest.mark.parametrize(
    ("identifier", "entities", "name"),
    [
        ("bname", ("branch", "bank"), "branch name"),
        ("ename", ("employee",), "employee name"),
        ("dname", ("branch",), "dname"),
        ("name", ("branch",), "name"),
    ],
)
def test_an_initial_before_a_noun_stands_for_what_the_table_is_about(identifier, entities, name):
    assert human_name(identifier, entities=entities) == name


@pytest.mark.parametrize(
    ("description", "phrase"),
    [
        ("average salary", "average salary"),
        ("The average salary, in CZK.", "average salary"),
        ("no. of municipalities with fewer than 499", "number of municipalities with fewer than 499"),
        ("This column contains the unemployment rate; source: ministry", "unemployment rate"),
        ("district_name", "district name"),
        ("information about inhabitants", "inhabitants"),
        ("one two three four five six seven eight nine words", ""),
        ("", ""),
    ],
)
def test_a_description_gives_its_first_noun_phrase(description, phrase):
    assert noun_phrase(description) == phrase


def test_a_column_that_is_only_a_number_is_called_by_its_description():
    assert human_name("A11", description="average salary") == "average salary"
    assert human_name("A11") == "a11"
    assert human_name("acct_no", description="the number printed on the card") == "account number"


@pytest.mark.parametrize(
    ("plural", "noun"),
    [
        ("customers", "customer"),
        ("branches", "branch"),
        ("policies", "policy"),
        ("addresses", "address"),
        ("statuses", "status"),
        ("status", "status"),
        ("people", "person"),
        ("houses", "house"),
        ("address", "address"),
        ("basis", "basis"),
        ("taxes", "tax"),
        ("salaries", "salary"),
        ("cheques", "cheque"),
        ("savings", "savings"),
    ],
)
def test_plurals_become_singular_and_singulars_stay(plural, noun):
    assert singular(plural) == noun


@pytest.mark.parametrize(
    ("table", "label"),
    [
        ("Customers", "customer"),
        ("tbl_loan_accounts", "loan account"),
        ("ACCT_MST", "account"),
        ("DIM_BRANCH", "branch"),
        ("customer_details", "customer"),
        ("Product_Categories", "product category"),
        ("order", "order"),
        ("details", "details"),
        ("cmpl_reg", "complaint"),
        ("complaint_register", "complaint"),
        ("std_instr", "standing instruction"),
        ("SITEMST", "site"),
        ("GRVREC", "grv"),
        ("refer", "refer"),
    ],
)
def test_a_table_is_called_by_the_singular_of_its_noun(table, label):
    assert table_label(table) == label


@settings(max_examples=200)
@given(st.text(max_size=40))
def test_any_identifier_has_a_name_and_splitting_loses_no_letter(identifier):
    words = split_identifier(identifier)
    letters = [letter for letter in identifier.lower() if letter.isalnum()]
    assert len("".join(words)) >= len(letters) - identifier.count("İ")
    if any(letter in string.ascii_letters for letter in identifier):
        assert human_name(identifier).strip()
