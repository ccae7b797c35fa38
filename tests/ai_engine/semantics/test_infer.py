from __future__ import annotations

import random
from itertools import permutations

import pytest
import sqlglot
from hypothesis import given, settings
from hypothesis import strategies as st

from ai_engine.catalogue import Catalogue, Column, Table
from ai_engine.catalogue_from_ddl import catalogue_from_ddl
from ai_engine.column_types import column_type
from ai_engine.semantics.data_dictionary import DataDictionary, Entry
from ai_engine.semantics.infer import infer_vocabulary
from ai_engine.semantics.model import SemanticModel
from tests.ai_engine.semantics.schemas import catalogue, dictionary, table


def inferred(*tables: Table, samples=None, descriptions=None) -> SemanticModel:
    return infer_vocabulary(catalogue(*tables), samples or {}, dictionary(descriptions or {}))


def only_field(column: str, *, values: tuple = (), description: str = "", of: str = "customer"):
    """Infer one column beside others that keep prefixes from being shared."""
    name = column.split(maxsplit=1)[0]
    model = inferred(
        table(of, f"id int, {column}, remarks text"),
        samples={(of, name): values},
        descriptions={(of, name): description},
    )
    return model.dataset(of).field(name)


@pytest.mark.parametrize(
    ("column", "values", "role"),
    [
        ("balance dec", (), "measure"),
        ("credit_score int", (710, 640), "measure"),
        ("zip int", (411001,), "identifier"),
        ("acct_no int", (), "identifier"),
        ("phone_number int", (), "identifier"),
        ("birth_year int", (1980,), "time"),
        ("birth_year text", ("1980", "1991"), "time"),
        ("year_opened float", (1980.0, None), "time"),
        ("birth_year int", (), "category"),
        ("birth_year int", (1980, 45), "category"),
        ("fiscal_year int", (2025,), "category"),
        ("term_year int", (5, 10), "category"),
        ("month int", (1, 2), "category"),
        ("term_months int", (12, 24), "measure"),
        ("loaded_date int", (19940825, 19940826), "time"),
        ("loaded_date int", (940825, 940931), "identifier"),
        ("risk_grade int", (1, 2, 3), "category"),
        ("no_of_loans int", (0, 1), "measure"),
        ("is_active int", (1, 0), "flag"),
        ("is_active int", (1,), "flag"),
        ("kyc_flag text", ("Y",), "flag"),
        ("minor text", ("yes", "no"), "flag"),
        ("zone text", ("N",), "category"),
        ("first_name text", (), "name"),
        ("login_name text", (), "text"),
        ("city_name text", ("Pune",), "category"),
        ("segment text", ("retail", "wealth"), "category"),
        ("colour_of_card text", ("red", "blue"), "category"),
        ("remarks_2 text", ("called twice, no answer at all",), "text"),
        ("email text", ("a@b.in",), "text"),
        ("joined text", ("2024-01-31", "2024-02-29"), "time"),
        ("joined text", ("2024-01-31", "soon"), "category"),
        ("opened ts", (), "time"),
        ("quantity text", ("12", "7"), "measure"),
        ("branch_code text", ("12", "7"), "category"),
    ],
)
def test_a_column_is_judged_by_its_words_its_type_and_its_values(column, values, role):
    assert only_field(column, values=values).role == role


@pytest.mark.parametrize(
    ("column", "aggregate", "unit"),
    [
        ("balance dec", "sum", None),
        ("amount_usd dec", "sum", "USD"),
        ("interest_rate dec", "avg", "percent"),
        ("exchange_rate dec", "avg", None),
        ("fee_pct float", "avg", "percent"),
        ("loan_to_value_ratio dec", "avg", "percent"),
        ("age int", "avg", "years"),
        ("dpd int", "avg", "days"),
        ("tenure_months int", "avg", "months"),
        ("credit_score int", "avg", None),
        ("unit_price dec", "avg", None),
        ("no_of_loans int", "sum", "count"),
        ("salary int", "sum", None),
    ],
)
def test_a_figure_gets_the_aggregate_and_unit_that_its_words_ask_for(column, aggregate, unit):
    field = only_field(column)
    assert (field.default_aggregate, field.unit) == (aggregate, unit)


@pytest.mark.parametrize(
    ("column", "values", "unit"),
    [
        ("original_ltv dec", (0.8, 0.95, 1.05), "fraction"),
        ("interest_rate dec", (0.0425, 0.299), "fraction"),
        ("interest_rate dec", (0.25, 0.5, 2.1), "percent"),
        ("interest_rate dec", (0.5, 1.0, 1.25), "percent"),
        ("capital_ratio dec", (12.5, 14.0), "percent"),
        ("fx_rate dec", (0.92, 0.93), None),
        ("coverage_ratio dec", (0.0, 1.0), "percent"),
        ("coverage_ratio dec", (), "percent"),
    ],
)
def test_a_rate_kept_as_a_fraction_is_told_by_its_values(column, values, unit):
    assert only_field(column, values=values).unit == unit


def test_an_amount_that_names_its_currency_is_called_by_it():
    amount = only_field("amount_eur dec")
    assert amount.unit == "EUR"
    assert {"euro amount", "euros value", "eur equivalent"} <= set(amount.synonyms)
    assert "euro rate to" not in only_field("rate_to_eur dec").synonyms


def test_what_is_no_figure_has_neither_aggregate_nor_unit():
    field = only_field("year int")
    assert (field.default_aggregate, field.unit) == (None, None)


def test_figures_kept_as_text_are_cast_so_that_they_add_up():
    whole = only_field("quantity text", values=("12", "7"))
    broken = only_field("quantity text", values=("12.5", "7"))
    assert (whole.expression, whole.type) == ("CAST(quantity AS BIGINT)", "integer")
    assert (broken.expression, broken.type) == ("CAST(quantity AS DECIMAL(18, 4))", "decimal")


@pytest.mark.parametrize("name", ["order", "select", "date", "current_date", "Total Amount", "größe", 'we"ird', "2nd"])
def test_every_column_is_written_so_that_sql_reads_it_as_a_column(name):
    model = infer_vocabulary(Catalogue("sqlite", (Table("t", (Column(name, "text"),)),)))
    tree = sqlglot.parse_one(f"SELECT {model.dataset('t').field(name).expression} FROM t")
    assert [column.name for column in tree.find_all(sqlglot.exp.Column)] == [name]


def test_declared_keys_are_taken_as_they_are():
    model = inferred(
        table("branches", "id int, name text", key="id"),
        table("loans", "id int, at_branch int", key="id", at_branch="branches.id"),
    )
    (link,) = model.relationships
    assert (link.from_dataset, link.from_columns, link.to_dataset, link.to_columns) == (
        "loans",
        ("at_branch",),
        "branches",
        ("id",),
    )
    assert model.dataset("loans").primary_key == ("id",)


@pytest.mark.parametrize(
    ("columns", "key"),
    [
        ("id int, name text", ("id",)),
        ("name text, branch_id int", ("branch_id",)),
        ("branchid int, name text", ("branchid",)),
        ("BR_CODE text, BR_NAME text", ("BR_CODE",)),
        ("customer_id int, amount dec", ()),
        ("amount dec, opened date", ()),
    ],
)
def test_a_key_is_found_by_its_name_when_none_is_declared(columns, key):
    assert inferred(table("branch", columns)).dataset("branch").primary_key == key


def test_half_of_the_noun_names_a_row_only_in_the_first_column():
    first = inferred(table("loan_payment", "payment_no int, amount dec")).dataset("loan_payment")
    later = inferred(table("loan_payment", "loan_id int, payment_no int")).dataset("loan_payment")
    assert (first.primary_key, later.primary_key) == (("payment_no",), ())


@pytest.mark.parametrize(
    ("pointing", "role"),
    [
        ("branch_id int", ""),
        ("BranchID int", ""),
        ("br_id int", ""),
        ("home_branch_id int", "home"),
        ("branch int", ""),
    ],
)
def test_a_likely_foreign_key_is_found_by_name_and_type(pointing, role):
    model = inferred(
        table("branch", "id int, name text", key="id"), table("loan", f"loan_no int, {pointing}, amount dec")
    )
    (link,) = model.relationships
    assert (link.from_dataset, link.from_columns, link.to_columns) == ("loan", (pointing.split()[0],), ("id",))
    assert link.synonyms == ((role,) if role else ())


@pytest.mark.parametrize("column", ["branch_id text", "branch text", "branch_name int", "number_of_branches int"])
def test_a_column_of_another_type_or_meaning_is_no_foreign_key(column):
    model = inferred(
        table("branch", "id int, name text", key="id"), table("loan", f"loan_no int, {column}, amount dec")
    )
    assert model.relationships == ()


def test_missing_foreign_keys_are_added_to_declared_ones():
    model = inferred(
        table("bank", "branch_ID int, city text", key="branch_ID"),
        table("customer", "cust_ID text, name text", key="cust_ID"),
        table("loan", "loan_ID text, cust_ID text, branch_ID int", key="loan_ID", branch_ID="bank.branch_ID"),
    )
    assert {link.name for link in model.relationships} == {"loan_to_bank", "loan_to_customer"}


def test_a_key_that_two_tables_could_own_is_left_alone():
    model = inferred(
        table("client", "party_ref_id int", key="party_ref_id"),
        table("vendor", "party_ref_id int", key="party_ref_id"),
        table("payment", "payment_id int, party_ref_id int", key="payment_id"),
    )
    assert model.relationships == ()


def test_a_second_column_called_like_a_table_that_is_linked_already_is_no_foreign_key():
    model = inferred(
        table("account", "account_id int, balance dec", key="account_id"),
        table("trans", "trans_id int, account_id int, account int", key="trans_id", account_id="account.account_id"),
    )
    assert [link.from_columns for link in model.relationships] == [("account_id",)]


def test_a_table_that_only_joins_two_others_says_so():
    model = inferred(
        table("client", "client_id int, name text"),
        table("account", "account_id int, balance dec"),
        table("disp", "disp_id int, client_id int, account_id int, type text"),
    )
    assert model.dataset("disp").description == "Links client and account."
    assert model.dataset("account").description == ""


def test_a_synonym_that_names_another_column_is_dropped():
    customer = inferred(table("customer", "id int, zip int, postal_code int")).dataset("customer")
    assert "postal code" not in customer.field("zip").synonyms
    assert "postcode" in customer.field("zip").synonyms


def test_a_table_can_point_at_itself():
    model = inferred(table("products", "product_id int, parent_product_id int, price dec", key="product_id"))
    (link,) = model.relationships
    assert (link.from_columns, link.to_columns, link.synonyms) == (("parent_product_id",), ("product_id",), ("parent",))


def test_of_two_paths_the_one_without_a_role_is_preferred_and_both_are_told_apart():
    model = inferred(
        table("branches", "branch_id int, name text", key="branch_id"),
        table("accounts", "account_id int, branch_id int, home_branch_id int, opened date", key="account_id"),
    )
    assert {(link.name, link.preferred) for link in model.relationships} == {
        ("accounts_branch_id_to_branches", True),
        ("accounts_home_branch_id_to_branches", False),
    }


def test_of_two_paths_with_roles_none_is_preferred():
    model = inferred(
        table("account", "id int, balance dec", key="id"),
        table("transfer", "id int, from_account_id int, to_account_id int", key="id"),
    )
    assert [(link.synonyms, link.preferred) for link in model.relationships] == [(("from",), False), (("to",), False)]


@pytest.mark.parametrize(
    ("name", "columns", "expected"),
    [
        ("account", "closed_date date, date_opened date", "date_opened"),
        ("transaction", "value_date date, transaction_date date, posted_at ts", "transaction_date"),
        ("settlement", "date_claim_made date, date_claim_settled date", "date_claim_settled"),
        ("loan", "maturity_date date, disbursed_on date, updated_at ts", "disbursed_on"),
        ("customer", "date_of_birth date, join_date date", "join_date"),
        ("customer", "date_of_birth date, city text", None),
        ("pet", "species text, deceased_on date", None),
        ("volunteer", "city text, left_on date", None),
        ("card", "expiry_date date, city text", "expiry_date"),
        ("branch", "name text, city text", None),
        ("ticket", "closed_on date, logged_on date", "logged_on"),
        ("letter", "opened_at ts, sent_at ts", "sent_at"),
        ("wolf_loss", "found_on date, paid_on date", "found_on"),
    ],
)
def test_the_date_closest_to_the_event_dates_a_row(name, columns, expected):
    assert inferred(table(name, f"id int, {columns}")).dataset(name).default_time == expected


def test_a_date_that_is_kept_back_dates_no_row_that_has_another():
    known = catalogue(table("customer", "id int, joined_on date, created_at ts"))
    assert infer_vocabulary(known, {}).dataset("customer").default_time == "joined_on"
    said = DataDictionary({("customer", "joined_on"): Entry(sensitive=True)})
    assert infer_vocabulary(known, {}, said).dataset("customer").default_time == "created_at"


@pytest.mark.parametrize(
    ("columns", "shown"),
    [
        ("id int, city text, first_name text, last_name text", ("id", "first_name", "last_name")),
        ("id int, type text, opened date, balance dec, limit dec", ("id", "type", "opened", "balance")),
        ("id int, details text", ("id", "details")),
        ("id int, login_password text, remarks text", ("id", "remarks")),
    ],
)
def test_a_row_is_shown_by_key_and_names_or_what_describes_it(columns, shown):
    assert inferred(table("account", columns)).dataset("account").display == shown


def test_a_row_without_a_name_is_not_shown_by_what_it_points_at():
    model = inferred(
        table("branch", "br_cd text, city text", key="br_cd"),
        table("loan", "ln_no text, br_cd text, sanc_amt dec, status text", key="ln_no", br_cd="branch.br_cd"),
    )
    assert model.dataset("loan").display == ("ln_no", "sanc_amt", "status")


def test_a_number_of_its_own_stands_for_a_row_that_has_no_name():
    known = catalogue_from_ddl(
        """CREATE TABLE policy (policy_id INTEGER PRIMARY KEY, policy_no TEXT UNIQUE, product TEXT);
        CREATE TABLE boat (boat_id INTEGER PRIMARY KEY, index_no TEXT UNIQUE, boat_name TEXT);""",
        "sqlite",
    )
    model = infer_vocabulary(known)
    assert model.dataset("policy").display == ("policy_no",)
    assert model.dataset("boat").display == ("boat_id", "boat_name")


def test_a_name_that_differs_in_every_row_stands_for_its_row_and_that_of_a_person_is_only_shown_alone():
    merchants = table("merchant", "merchant_id int, merchant_name text, city text", key="merchant_id")
    people = table("employee", "emp_id int, emp_name text", key="emp_id")
    known = catalogue(merchants, people)
    model = infer_vocabulary(
        known, unique=[("MERCHANT", "merchant_name"), ("merchant", "city"), ("employee", "emp_name")]
    )
    assert model.dataset("merchant").unique_keys == (("merchant_name",),)
    assert model.dataset("merchant").display == ("merchant_name",)
    assert infer_vocabulary(known).dataset("merchant").display == ("merchant_id", "merchant_name")
    assert model.dataset("employee").unique_keys == ()
    assert model.dataset("employee").display == ("emp_name",)
    assert infer_vocabulary(known).dataset("employee").display == ("emp_id", "emp_name")


def test_customers_that_are_companies_are_no_people():
    known = catalogue(table("client", "client_id int, company_name text, sector text", key="client_id"))
    assert infer_vocabulary(known, unique=[("client", "company_name")]).dataset("client").unique_keys == (
        ("company_name",),
    )


@pytest.mark.parametrize(
    "column",
    [
        "login_password text",
        "pan_no text",
        "cvv int",
        "aadhaar_number text",
        "card_number text",
        "email text",
        "mobile_no text",
        "mobile_number int",
        "cust_phone text",
        "address_line_1 text",
        "passport_no text",
        "date_of_birth date",
        "cust_dob text",
        "birthday date",
        "born_on ts",
        "acct_no text",
        "account_number int",
        "beneficiary_iban text",
        "cust_no text",
        "cif text",
    ],
)
def test_secrets_are_marked(column):
    assert only_field(column).sensitive


@pytest.mark.parametrize(
    ("values", "secret"),
    [
        (("4111 1111 1111 1111", None), True),
        (("5500-0000-0000-0004",), True),
        (("**** **** **** 0004",), True),
        (("XXXX0004",), True),
        ((4111111111111111,), True),
        (("5279-6620", "4020-8332"), False),
        (("C-17",), False),
        ((None,), True),
    ],
)
def test_a_card_number_is_a_secret_where_its_values_are_as_long_as_one_or_masked(values, secret):
    cards = catalogue(table("card", "card_number text, kind text", key="card_number"))
    model = infer_vocabulary(cards, {("card", "card_number"): values})
    assert model.dataset("card").field("card_number").sensitive is secret


@pytest.mark.parametrize(
    ("values", "held"),
    [
        (("a@b.in", "c@d.in", "e@f.co", "g@h.in", "i@j.in"), True),
        (("ABCPK1234F", "AAAPL1234C", "BBBCA1111A", "CCCHB2222B", "DDDPD3333D"), True),
        (("4111111111111111", "5500000000000004", "340000000000009", "30000000000004", "6011000000000004"), True),
        (("4111111111111112", "5500000000000004", "340000000000009", "30000000000004", "6011000000000004"), False),
        (("234123412346", "999941057058", "999971658847", "999933119405", "999955183433"), True),
        (("234123412345", "999941057058", "999971658847", "999933119405", "999955183433"), False),
        (("9876543210", "+91 98765 43211", "7012345678", "8123456789", "6000000001"), True),
        (
            (
                "DE89370400440532013000",
                "GB29NWBK60161331926819",
                "FR1420041010050500013M02606",
                "NL91ABNA0417164300",
                "BE68 5390 0754 7034",
            ),
            True,
        ),
        (
            (
                "DE89370400440532013001",
                "GB29NWBK60161331926819",
                "FR1420041010050500013M02606",
                "NL91ABNA0417164300",
                "BE68 5390 0754 7034",
            ),
            False,
        ),
        (("Pune", "Delhi", "Surat", "Agra", "Goa"), False),
    ],
)
def test_what_is_personal_is_told_by_its_values_where_the_name_says_nothing(values, held):
    known = catalogue(table("crm", "crm_id int, attr_7 text", key="crm_id"))
    assert infer_vocabulary(known, {("crm", "attr_7"): values}).dataset("crm").field("attr_7").sensitive is held


@pytest.mark.parametrize(
    ("column", "held"),
    [
        ("email null", True),
        ("phone real", True),
        ("mobile_numbers text[]", True),
        ("home_address json", True),
        ("account_number null", True),
        ("national_id blob", True),
        ("contact STRUCT(city VARCHAR, email VARCHAR)", True),
        ('contact STRUCT("street" VARCHAR, since DATE)[]', True),
        ("contact STRUCT(city VARCHAR, since TIMESTAMP WITH TIME ZONE)", False),
        ("email_open_rate real", False),
        ("cost_centre_email text", True),
        ("email_sent timestamp", False),
        ("has_mobile bool", False),
    ],
)
def test_what_a_column_is_called_tells_whatever_type_can_hold_it(column, held):
    name, _, kind = column.partition(" ")
    known = Catalogue("sqlite", (Table("crm", (Column(name, column_type(kind), kind),)),))
    assert infer_vocabulary(known).dataset("crm").field(name).sensitive is held


def test_values_of_a_column_without_a_type_tell_where_its_name_says_nothing():
    known = Catalogue("sqlite", (Table("crm", (Column("attr_7", "other", "null"),)),))
    for values, held in (
        ([f"a{n}@b.in" for n in range(9)], True),
        ([f"98765432{n:02}" for n in range(9)], True),
        ([9876543200 + n for n in range(9)], False),
    ):
        found = infer_vocabulary(known, {("crm", "attr_7"): tuple(values)}).dataset("crm").field("attr_7")
        assert found.sensitive is held, values


def test_other_secrets_stay_so_whatever_they_hold():
    model = infer_vocabulary(catalogue(table("login", "password text")), {("login", "password"): ("x1",)})
    assert model.dataset("login").field("password").sensitive


@pytest.mark.parametrize(
    "column",
    [
        "pin_code int",
        "email_verified bool",
        "company text",
        "balance dec",
        "mobile_banking text",
        "phone_type text",
        "birth_place text",
        "account_type text",
        "number_of_accounts int",
        "invoice_number text",
    ],
)
def test_what_is_no_secret_is_not_marked(column):
    assert not only_field(column).sensitive


def test_account_numbers_that_tell_rows_apart_or_join_them_stay_usable_and_others_do_not():
    model = infer_vocabulary(
        catalogue(
            table("bank_account", "bank int, account_number text, iban text", key="bank account_number"),
            table("holder", "holder_id int, customer_number text", key="holder_id"),
            table(
                "payment",
                "payment_id int, customer_number text, payee_account_number text",
                key="payment_id",
                customer_number="holder.customer_number",
            ),
        )
    )
    held = [f"{data.name}.{item.name}" for data in model.datasets for item in data.fields if item.sensitive]
    assert held == ["bank_account.iban", "payment.payee_account_number"]


def test_a_date_of_birth_is_marked_even_where_rows_are_told_apart_by_it():
    model = infer_vocabulary(catalogue(table("guest", "name text, birth_date date", key="name birth_date")))
    assert model.dataset("guest").field("birth_date").sensitive


@pytest.mark.parametrize(
    ("column", "synonym"),
    [
        ("cust_dob date", "birthday"),
        ("gender text", "sex"),
        ("open_date date", "date open"),
        ("customer_first_name text", "first name"),
        ("zip int", "postal code"),
    ],
)
def test_fields_get_the_other_words_people_use(column, synonym):
    assert synonym in only_field(column).synonyms


@pytest.mark.parametrize(
    ("of", "column", "synonyms"),
    [
        ("card", "issued_on date", {"issued", "issue date", "issuance date"}),
        ("card", "expires_on date", {"expire", "expiry date", "expiration date"}),
        ("account", "acct_opn_dt date", {"account opened", "account opened date"}),
        ("employee", "joined_dt date", {"joined", "joining date"}),
        ("loan", "disb_dt date", {"disbursed", "disbursal date"}),
        ("complaint", "rslv_dt date", {"resolved", "resolution date"}),
    ],
)
def test_a_date_is_also_called_by_what_happened_on_it(of, column, synonyms):
    assert synonyms <= set(only_field(column, of=of).synonyms)


def test_what_happened_is_no_name_of_its_date_where_it_is_a_status_or_a_table():
    cards = inferred(
        table("card", "id int, closed_on date, status text"), samples={("card", "status"): ("closed", "active")}
    )
    claims = inferred(
        table("claim", "claim_id int, date_claim_settled date"), table("settlement", "settlement_id int, amount dec")
    )
    assert "closed" not in cards.dataset("card").field("closed_on").synonyms
    assert "closing date" in cards.dataset("card").field("closed_on").synonyms
    assert "claim settled" not in claims.dataset("claim").field("date_claim_settled").synonyms


@pytest.mark.parametrize(
    ("name", "label", "synonym"),
    [
        ("LN_ACCT", "loan account", "loan"),
        ("FD_ACCT", "fixed deposit account", "fixed deposit"),
        ("LN_REPAY", "loan repayment", "instalment"),
        ("CMPL_LOG", "complaint", "grievance"),
        ("TXN_HIST", "transaction", "txn"),
    ],
)
def test_the_names_of_an_export_are_said_in_full_with_the_nouns_of_the_trade(name, label, synonym):
    dataset = inferred(table(name, "ref text, amt dec")).dataset(name)
    assert dataset.label == label
    assert synonym in dataset.synonyms


def test_an_account_of_a_customer_is_no_customer():
    assert "customer" not in inferred(table("customer_account", "ref text")).dataset("customer_account").synonyms


@pytest.mark.parametrize(
    ("column", "synonym"),
    [("sal_amt dec", "salary"), ("apr dec", "annual percentage rate"), ("tnr_mths int", "tenure")],
)
def test_figures_get_the_other_words_people_use(column, synonym):
    assert synonym in only_field(column, of="loan").synonyms


@pytest.mark.parametrize(
    ("column", "label"),
    [
        ("gndr text", "gender"),
        ("desg text", "designation"),
        ("narr text", "narration"),
        ("st_cd text", "state code"),
        ("nom_nm text", "nominee name"),
        ("disb_amt dec", "disbursement amount"),
        ("txn_chnl text", "transaction channel"),
        ("od_lmt dec", "overdraft limit"),
        ("jnt_flg text", "joint flag"),
        ("card_ntwk text", "card network"),
    ],
)
def test_abbreviated_columns_of_a_bank_are_said_in_full(column, label):
    assert only_field(column).label == label


def test_an_amount_of_a_card_authorisation_is_what_was_spent():
    assert "spend" in only_field("amount dec", of="authorisation").synonyms
    assert "spend" not in only_field("amount dec", of="transaction").synonyms


def test_datasets_get_other_nouns_unless_another_dataset_has_them():
    alone = inferred(table("customer", "id int, name text"))
    both = inferred(table("customer", "id int, name text"), table("client", "id int, name text"))
    assert "client" in alone.dataset("customer").synonyms
    assert both.dataset("customer").synonyms == both.dataset("client").synonyms == ()


def test_a_table_is_also_called_by_its_key_and_by_its_last_noun():
    model = inferred(
        table("bank", "branch_id int, city text", key="branch_id"), table("home_loan", "id int, amount dec")
    )
    assert "branch" in model.dataset("bank").synonyms
    assert "loan" in model.dataset("home_loan").synonyms


@pytest.mark.parametrize(
    ("column", "values", "description", "expected"),
    [
        ("gender text", ("M", "F"), "", {"M": ("male", "man", "men"), "F": ("female", "woman", "women")}),
        ("gender text", ("M", "F", "X"), "", {}),
        ("gender text", ("male", "female"), "", {"male": ("man", "men"), "female": ("woman", "women")}),
        ("minor text", ("N", "Y"), "", {"Y": ("yes",), "N": ("no",)}),
        ("status text", ("A", "C"), "A = open, B = frozen, C = closed", {"A": ("open",), "C": ("closed",)}),
        ("status text", (), "Account status: A=active; D - dormant", {"A": ("active",), "D": ("dormant",)}),
        (
            "status int",
            (0, 1, 2),
            "0: pending, 1: booked, 2: failed",
            {"0": ("pending",), "1": ("booked",), "2": ("failed",)},
        ),
        ("frequency text", ("TYDNE",), "'TYDNE' stands for weekly issuance", {"TYDNE": ("weekly issuance",)}),
        ("segment text", ("retail",), "the segment: set by marketing", {}),
    ],
)
def test_codes_get_words_where_the_data_or_the_description_says_what_they_are(column, values, description, expected):
    assert dict(only_field(column, values=values, description=description).value_synonyms) == expected


def test_a_column_whose_name_says_nothing_is_judged_by_its_description():
    model = inferred(
        table("district", "district_id int, A2 text, A3 int, A4 text", key="district_id"),
        samples={("district", "A4"): ("12000", "900")},
        descriptions={
            ("district", "A2"): "district name",
            ("district", "A3"): "average salary",
            ("district", "a4"): "no. of inhabitants",
        },
    )
    district = model.dataset("district")
    assert [(item.label, item.role) for item in district.fields[1:]] == [
        ("district name", "name"),
        ("average salary", "measure"),
        ("number of inhabitants", "measure"),
    ]
    assert district.field("A3").default_aggregate == "avg"
    assert district.field("A4").type == "integer"
    assert "a3" in district.field("A3").synonyms


def test_comments_of_the_database_become_descriptions():
    model = inferred(table("loan", "id int, dpd int", comments={"dpd": "days since the oldest unpaid instalment"}))
    assert model.dataset("loan").field("dpd").description == "days since the oldest unpaid instalment"


def test_tables_of_one_name_in_two_schemas_stay_apart():
    model = inferred(table("loan", "id int", schema="retail"), table("loan", "id int", schema="sme"))
    assert [(item.name, item.source) for item in model.datasets] == [
        ("retail_loan", "retail.loan"),
        ("sme_loan", "sme.loan"),
    ]


def test_a_number_called_like_a_table_names_a_row_and_does_not_add_up():
    model = inferred(
        table("account", "account_id text, balance dec"), table("orders", "id int, account_to int, amount dec")
    )
    assert model.dataset("orders").field("account_to").role == "identifier"


WORDS = st.sampled_from("id name branch account customer date amount rate code is no A11 flag status ß_x order".split())
COLUMNS = st.builds(
    Column,
    st.lists(WORDS, min_size=1, max_size=3).map("_".join),
    st.sampled_from(["integer", "decimal", "float", "text", "boolean", "date", "timestamp", "time", "other"]),
    comment=st.sampled_from(["", "F = female", "the balance", "x" * 300]),
)
TABLES = st.builds(
    lambda name, columns: Table(name, tuple({column.name: column for column in columns}.values())),
    st.lists(WORDS, min_size=1, max_size=2).map("_".join),
    st.lists(COLUMNS, min_size=1, max_size=5),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(TABLES, max_size=4, unique_by=lambda item: item.name.lower()))
def test_whatever_the_tables_the_vocabulary_names_only_what_exists(tables):
    known = Catalogue("duckdb", tuple(tables))
    model = infer_vocabulary(known)
    assert model.inferred
    assert [item.source for item in model.datasets] == [item.name for item in tables]
    for dataset in model.datasets:
        source = known.table(dataset.source)
        columns = {column.name for column in source.columns}
        assert {item.name for item in dataset.fields} == columns
        assert {*dataset.primary_key, *dataset.display} <= columns
        assert dataset.default_time is None or dataset.default_time in columns
        assert all(item.label.strip() for item in dataset.fields)
        assert all((item.default_aggregate is not None) == (item.role == "measure") for item in dataset.fields)
    for link in model.relationships:
        ends = (link.from_dataset, link.from_columns), (link.to_dataset, link.to_columns)
        assert all(model.dataset(name).has(column) for name, columns in ends for column in columns)
    assert infer_vocabulary(known) == model


def test_relationships_do_not_depend_on_the_order_of_the_tables():
    tables = (
        table("branch", "branch_id int, name text"),
        table("customer", "customer_id int, home_branch_id int"),
        table("account", "account_id int, customer_id int, branch_id int"),
    )
    found = [{link.name for link in inferred(*order).relationships} for order in permutations(tables)]
    assert all(names == found[0] for names in found)
    assert len(found[0]) == 3


def test_a_thousand_tables_are_inferred():
    chance = random.Random(7)
    nouns = ["customer", "account", "loan", "card", "branch", "payment"]
    kinds = ["amount dec", "status text", "date date", "name text", "rate float", "count int"]
    tables: list[Table] = []
    for number in range(1000):
        name = f"{nouns[number % 6]}_{number}"
        parent = f", {tables[chance.randrange(number)].name}_id int" if number else ""
        filler = ", ".join(f"{nouns[at % 6]}_{at}_{kinds[at % 6]}" for at in range(13))
        tables.append(table(name, f"{name}_id int{parent}, {filler}"))
    model = inferred(*tables)
    assert len(model.datasets) == 1000
    assert len(model.relationships) == 999


@pytest.mark.parametrize(
    ("column", "role"),
    [
        ("borrower", ("borrower",)),
        ("handler_id", ("handler",)),
        ("approved_by", ("approved by",)),
        ("person_no", ()),
        ("customer_id", ()),
        ("home_person", ("home",)),
    ],
)
def test_a_column_that_names_who_plays_a_role_gives_its_key_the_role(column, role):
    model = inferred(
        table("person", "person_no int, full_name text", key="person_no"),
        table("loan", f"loan_no int, {column} int, amount dec", key="loan_no", **{column: "person.person_no"}),
    )
    assert [link.synonyms for link in model.relationships] == [role]


def test_the_people_of_an_enrolment_are_its_members_and_the_programme_is_none():
    model = inferred(
        table("customer", "customer_id int, full_name text", key="customer_id"),
        table("program", "program_id int, program_name text", key="program_id"),
        table(
            "program_enrollment",
            "customer_id int, program_id int, since date",
            key="customer_id program_id",
            customer_id="customer.customer_id",
            program_id="program.program_id",
        ),
    )
    assert {link.to_dataset: link.synonyms for link in model.relationships} == {"customer": ("member",), "program": ()}


def test_a_job_title_is_a_kind_and_no_name():
    model = inferred(table("staff", "staff_id int, staff_name text, job_title text", key="staff_id"))
    assert model.dataset("staff").field("job_title").role == "category"
    assert model.dataset("staff").display == ("staff_id", "staff_name")


def test_a_balance_is_the_figure_of_a_daily_balance_and_no_noun_for_its_row():
    model = infer_vocabulary(
        catalogue(
            table("acct", "acct_no text, avl_bal dec", key="acct_no"),
            table("bal_dly", "acct_no text, bal_dt date, eod_bal dec", key="acct_no bal_dt", acct_no="acct.acct_no"),
        )
    )
    daily = model.dataset("bal_dly")
    assert (daily.label, daily.snapshot_time) == ("daily balance", "bal_dt")
    assert "balance" not in daily.synonyms
    assert "balance snapshot" in daily.synonyms


@pytest.mark.parametrize(
    ("columns", "display"),
    [
        ("item_dsc text, unit_cost dec", ("item_dsc",)),  # what an item of a stock list is called
        ("dsc text, unit_cost dec", ("item_no", "unit_cost")),  # remarks, perhaps
    ],
)
def test_a_short_description_of_the_rows_is_what_they_are_called_where_they_have_no_name(columns, display):
    known = table("item_mst", f"item_no text, {columns}, reorder_pt int, qty_oh int", key="item_no")
    sold = table("ord_lin", "ord_no int, item_no text", item_no="item_mst.item_no")
    samples = {("item_mst", "item_no"): ("A1", "A2"), ("item_mst", "item_dsc"): ("Claw hammer", "Wood screw 4 x 40")}
    assert inferred(known, sold, samples=samples).dataset("item_mst").display[: len(display)] == display


@pytest.mark.parametrize(("rows", "known"), [(59, True), (60, False)])
def test_a_description_is_a_key_of_its_rows_only_where_all_of_them_were_looked_at(rows, known):
    items = table("item_mst", "item_no text, item_dsc text, reorder_pt int, qty_oh int, unit_cost dec", key="item_no")
    sold = table("ord_lin", "ord_no int, item_no text", item_no="item_mst.item_no")
    numbers = tuple(map(str, range(rows)))
    samples = {
        ("item_mst", "item_no"): numbers,
        ("item_mst", "item_dsc"): tuple(f"Screw {number}" for number in numbers),
    }
    found = inferred(items, sold, samples=samples).dataset("item_mst")
    assert found.field("item_dsc").role == "name"
    assert (("item_dsc",) in found.unique_keys) is known


@pytest.mark.parametrize(
    ("identifier", "words"),
    [
        ("lst_prc", "list price"), ("lst_upd_dt", "last updated date"), ("crd_amt", "credit amount"),
        ("dsc_pct", "discount percent"), ("qty_oh", "quantity on hand"), ("qty_shp", "quantity shipped"),
        ("rord_pt", "reorder point"), ("ld_tm_dys", "lead time days"), ("unt_cst", "unit cost"),
        ("flr_sqm", "floor square metres"), ("supl_no", "supplier number"), ("srep_no", "sales rep number"),
    ],
)  # fmt: skip
def test_short_words_of_trades_are_written_out(identifier, words):
    assert only_field(f"{identifier} text", of="x").label == words
