from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_engine.catalogue import Table
from ai_engine.semantics.infer import infer_vocabulary
from ai_engine.semantics.infer.code_lists import CodeList, code_list_columns, read_code_list
from ai_engine.semantics.infer.codes import convention, written_out
from ai_engine.semantics.infer.places import place_words
from ai_engine.semantics.model import SemanticModel
from tests.ai_engine.semantics.schemas import catalogue, dictionary, table


def words_of(column: str, values: tuple, *, of: str = "account", description: str = "") -> dict[str, tuple[str, ...]]:
    name = column.split(maxsplit=1)[0]
    model = infer_vocabulary(
        catalogue(table(of, f"id int, {column}, remarks text")),
        {(of, name): values},
        dictionary({(of, name): description}),
    )
    return dict(model.dataset(of).field(name).value_synonyms)


def first_words(column: str, values: tuple, **about: str) -> dict[str, str]:
    return {value: words[0] for value, words in words_of(column, values, **about).items()}


@pytest.mark.parametrize(
    ("of", "column", "said"),
    [
        ("ACCT_MST", "acct_sts text", {"A": "active", "D": "dormant", "C": "closed", "F": "frozen"}),
        ("CARD_DTL", "card_sts text", {"A": "active", "B": "blocked", "E": "expired"}),
        ("LN_ACCT", "ln_sts text", {"ACT": "active", "CLS": "closed", "WOF": "written off"}),
        ("TXN_DTL", "txn_sts text", {"S": "successful", "F": "failed", "P": "pending"}),
        ("loan_application", "status text", {"A": "approved", "R": "rejected", "P": "pending"}),
        ("CMPL_LOG", "cmpl_sts text", {"O": "open", "R": "resolved"}),
        ("CUST_MST", "gndr text", {"F": "female", "M": "male"}),
        ("customer", "sex text", {"F": "female"}),
        ("customer", "marital_status text", {"S": "single", "M": "married", "W": "widowed"}),
        ("TXN_DTL", "dr_cr_ind text", {"D": "debit", "C": "credit"}),
        ("journal", "drcr text", {"DR": "debit", "CR": "credit"}),
        ("transfer", "direction text", {"IN": "incoming", "OUT": "outgoing"}),
        ("ledger_entry", "entry_type text", {"D": "debit", "C": "credit"}),
        ("PROD_MST", "prod_typ text", {"SB": "savings", "CA": "current", "FD": "fixed deposit"}),
        ("loan", "loan_type text", {"HL": "home loan", "GL": "gold loan", "PL": "personal loan"}),
        ("card", "card_type text", {"D": "debit", "C": "credit", "P": "prepaid"}),
        ("ticket", "priority text", {"H": "high", "M": "medium", "L": "low"}),
        ("customer", "risk_cat text", {"MED": "medium"}),
        ("loan", "repayment_frequency text", {"M": "monthly", "Q": "quarterly", "H": "half yearly"}),
        ("CUST_MST", "cust_typ text", {"I": "individual", "C": "corporate"}),
        ("transaction", "channel text", {"BRN": "branch", "CHQ": "cheque"}),
    ],
)
def test_codes_are_said_as_the_convention_of_their_column_has_it(of, column, said):
    assert first_words(column, tuple(said), of=of) == said


@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("status text", ("A", "B", "C", "D")),
        ("status text", ("A", "B")),
        ("status text", ("A", "Q", "Z")),
        ("risk_grade text", ("H", "L")),
        ("employment_status text", ("F", "P")),
        ("series text", ("D", "C")),
        ("loan_status text", ("A", "D")),
        ("gender text", ("M", "F", "X")),
    ],
)
def test_codes_that_the_convention_cannot_explain_get_no_words(column, values):
    assert words_of(column, values) == {}


def test_one_unexplained_code_among_many_does_not_hide_the_others():
    assert set(words_of("status text", ("A", "D", "C", "F", "Q"))) == {"A", "D", "C", "F"}


def test_values_that_are_plain_words_need_no_explanation_and_hide_nothing():
    assert words_of("status text", ("CLSD", "OPEN")) == {"CLSD": ("closed",)}


def test_a_description_that_says_otherwise_stands_above_the_convention():
    assert words_of("status text", ("A", "D"), description="A = approved, D = denied") == {
        "A": ("approved",),
        "D": ("denied",),
    }


def test_a_description_that_says_the_same_leaves_the_convention_its_other_words():
    said = words_of("gender text", ("M", "F"), of="customer", description="M = male, F = female")
    assert said == {"M": ("male", "man", "men"), "F": ("female", "woman", "women")}


def test_figures_and_keys_get_no_words():
    assert words_of("status_count int", (1, 2)) == {}
    assert words_of("account_type_id text", ("SB", "CA")) == {}


@given(
    st.lists(st.sampled_from(["status", "gender", "type", "debit", "card", "priority", "frequency"]), max_size=2),
    st.frozensets(st.text(string.ascii_lowercase, min_size=1, max_size=4), max_size=8),
)
def test_a_convention_speaks_of_stored_codes_only_and_of_nearly_all_short_ones(column, codes):
    said = convention(column, ["account"], codes)
    assert set(said) <= codes
    short = {code for code in codes if len(code) == 1}
    assert not said or len(short - set(said)) <= len(codes) // 5


@pytest.mark.parametrize(
    ("value", "spelled"),
    [("CASH WDL", "cash withdrawal"), ("UPI TRF", "upi transfer"), ("CHQ", "cheque"), ("Cat", ""), ("UPI", "")],
)
def test_abbreviations_in_capitals_are_written_out(value, spelled):
    assert written_out(value) == spelled


@pytest.mark.parametrize(
    ("column", "value", "word"),
    [
        ("country text", "Germany", "german"),
        ("home_country text", "Austria", "austrian"),
        ("country_code text", "DE", "germany"),
        ("country text", "IND", "indian"),
        ("nationality text", "GB", "british"),
        ("currency text", "EUR", "euro"),
        ("ccy text", "INR", "rupee"),
        ("st_cd text", "MH", "maharashtra"),
        ("state text", "TX", "texas"),
    ],
)
def test_countries_currencies_and_states_are_said_by_name_and_adjective(column, value, word):
    assert word in words_of(column, (value,), of="merchant")[value]


def test_codes_that_two_countries_use_for_their_states_get_no_name():
    assert place_words(["state"], frozenset({"ga"})) == {}
    assert place_words(["state"], frozenset({"ga", "mh"}))["ga"] == ("goa",)


def test_codes_of_which_many_are_no_countries_get_no_name():
    assert place_words(["country"], frozenset({"de", "qq", "zzz", "germany"})) == {
        "germany": ("germany", "german"),
    }


def test_a_value_is_not_called_like_the_rows_of_a_table():
    model = infer_vocabulary(
        catalogue(table("LN_ACCT", "ln_acct_no text, amt dec"), table("PROD_MST", "prod_cd text, prod_typ text")),
        {("PROD_MST", "prod_typ"): ("LN", "SB")},
    )
    assert set(model.dataset("PROD_MST").field("prod_typ").value_synonyms) == {"SB"}


@pytest.mark.parametrize(
    ("column", "values", "yes", "word"),
    [
        ("npa_flg text", ("N", "Y"), "Y", "npa"),
        ("actv_flg text", ("Y", "N"), "Y", "active"),
        ("is_high_risk int", (0, 1), "1", "high risk"),
        ("kyc_ind text", ("Y", "N"), "Y", "kyc"),
    ],
)
def test_the_yes_of_a_flag_is_called_by_what_the_flag_says(column, values, yes, word):
    assert word in words_of(column, values)[yes]


CODES = table("CODE_REF", "code_typ text, code_val text, code_desc text")
ROWS = [("OCC", "SAL", "Salaried"), ("OCC", "FRM", "Farmer"), ("ACCT_STS", "A", "Operative"), ("ACCT_STS", "Z", None)]


def test_a_list_of_codes_says_what_the_columns_called_like_its_kinds_store():
    lists = read_code_list(CODES, ROWS)
    model = infer_vocabulary(
        catalogue(CODES, table("CUST_MST", "cust_id int, occ_cd text"), table("ACCT_MST", "acct_no text, status text")),
        {("CUST_MST", "occ_cd"): ("SAL", "FRM"), ("ACCT_MST", "status"): ("A",)},
        code_lists=lists,
    )
    assert dict(model.dataset("CUST_MST").field("occ_cd").value_synonyms) == {"SAL": ("salaried",), "FRM": ("farmer",)}
    assert dict(model.dataset("ACCT_MST").field("status").value_synonyms) == {"A": ("operative",)}


@pytest.mark.parametrize(("stored", "told"), [(("A", "F", "X"), "in the field"), (("A", "F"), "frozen")])
def test_single_letters_are_called_as_the_only_list_says_that_has_just_these(stored, told):
    rows = [("PSTA", "A", "Archived"), ("PSTA", "F", "In the field"), ("PSTA", "X", "Post-excavation")]
    model = infer_vocabulary(
        catalogue(CODES, table("SITE_MST", "site_no int, stat_cd text")),
        {("SITE_MST", "stat_cd"): stored},
        code_lists=read_code_list(CODES, rows),
    )
    assert model.dataset("SITE_MST").field("stat_cd").value_synonyms["F"][0] == told


def test_a_list_that_lacks_a_code_of_the_column_says_nothing_of_it():
    model = infer_vocabulary(
        catalogue(CODES, table("CUST_MST", "cust_id int, occ_cd text")),
        {("CUST_MST", "occ_cd"): ("SAL", "XXX")},
        code_lists=read_code_list(CODES, ROWS),
    )
    assert dict(model.dataset("CUST_MST").field("occ_cd").value_synonyms) == {}


@pytest.mark.parametrize(
    ("column", "codes", "said"),
    [
        ("ln_typ_cd", ("HL", "PL"), {"HL": "home loan", "PL": "personal loan"}),  # spelled LNTYP
        ("purp", ("HSE", "EDU"), {"HSE": "housing", "EDU": "education"}),  # in no other list
        ("purp", ("HL", "PL"), {}),  # in two
        ("purp", ("A", "B"), {}),  # single letters
        ("purp", ("HSE",), {}),  # too few to tell
    ],
)
def test_a_list_is_that_of_a_column_that_is_spelled_like_it_or_has_all_its_codes(column, codes, said):
    rows = [
        ("LNTYP", "HL", "Home loan"), ("LNTYP", "PL", "Personal loan"), ("SCHM", "HL", "Hill"), ("SCHM", "PL", "Plain"),
        ("G7", "HSE", "Housing"), ("G7", "EDU", "Education"), ("G8", "A", "Able"), ("G8", "B", "Bad"),
    ]  # fmt: skip
    model = infer_vocabulary(
        catalogue(CODES, table("ln_mst", f"ln_no int, {column} text")),
        {("ln_mst", column): codes},
        code_lists=read_code_list(CODES, rows),
    )
    found = model.dataset("ln_mst").field(column).value_synonyms
    listed = {meaning.lower() for _, _, meaning in rows}
    assert {code: word for code, words in found.items() for word in words if word in listed} == said


KEYED = table("ref_cd", "cd_grp text, cd_val text, cd_desc text", key="cd_grp cd_val")
ACCOUNT = table("acct_mst", "acct_no text, prod_cd text", key="acct_no")
PRODUCTS = [CodeList("PROD", {"sba": "savings", "cur": "current"})]


def described(*tables: Table) -> SemanticModel:
    samples = {(one.name, "cd_grp"): ("PROD",) for one in tables if one.column("cd_grp")}
    return infer_vocabulary(
        catalogue(*tables), {**samples, ("acct_mst", "prod_cd"): ("SBA", "CUR")}, code_lists=PRODUCTS
    )


def test_a_code_leads_to_its_description_in_the_list_of_its_kind():
    model = described(KEYED, ACCOUNT)
    item = model.dataset("acct_mst").field("prod_cd")
    assert (item.label, item.described_by) == ("product", ("acct_mst_prod_cd_to_ref_cd", "cd_desc"))
    assert "product code" in item.synonyms
    assert model.relationship("acct_mst_prod_cd_to_ref_cd").only_where == (("cd_grp", "PROD"),)
    assert not any(field.value_synonyms for field in model.dataset("ref_cd").fields)
    assert model.steps_of("acct_mst") == ()  # a list of codes is no way from accounts to other rows


@pytest.mark.parametrize(
    "lists",
    [
        (table("ref_cd", "cd_grp text, cd_val text, cd_desc text"),),  # rows might repeat
        (table("ref_cd", "cd_grp text, cd_val text, cd_desc text, lang text", key="cd_grp cd_val lang"),),
        (KEYED, table("old_cd", "cd_grp text, cd_val text, cd_desc text", key="cd_grp cd_val")),  # which one
    ],
)
def test_a_code_is_shown_as_it_is_where_no_single_row_describes_it(lists: tuple[Table, ...]):
    model = described(*lists, ACCOUNT)
    assert model.dataset("acct_mst").field("prod_cd").described_by is None
    assert model.relationships == ()


def test_a_described_code_keeps_its_name_where_rows_are_called_so():
    model = described(KEYED, ACCOUNT, table("product", "id int, remarks text", key="id"))
    assert model.dataset("acct_mst").field("prod_cd").label == "product code"


def test_the_kind_of_a_code_may_be_called_the_name_of_a_list():
    lists = table("lov", "list_name text, item_code text, item_label text")
    assert [one.meanings for one in read_code_list(lists, [("OCC", "A", "Artist")])] == [{"a": "artist"}]


@pytest.mark.parametrize("headings", ["cd_typ text, cd text, cd_dsc text", "typ text, cde text, dscr text"])
def test_a_list_of_codes_is_known_by_short_headings_too(headings):
    (found,) = read_code_list(table("cdtab", headings), [("OCC", "A", "Artist")])
    assert (found.kind, found.meanings) == ("OCC", {"a": "artist"})


@pytest.mark.parametrize(
    "columns", ["id int, name text, city text", "type text, code text", "type text, code text, class text, name text"]
)
def test_any_other_table_is_no_list_of_codes(columns):
    other = table("other", columns)
    assert code_list_columns(other) is None
    assert read_code_list(other, [("a", "b", "c")]) == ()


REFERENCE = table("ref_method", "method_code text, method_description text", key="method_code")
PAYMENT = table("payment", "id int, method_code text", key="id", method_code="ref_method.method_code")


@pytest.mark.parametrize(
    ("reference", "described", "role"),
    [
        (REFERENCE, ("Cash", "Cheque"), "name"),
        (REFERENCE, ("Cash",), "text"),  # two codes of one description
        (REFERENCE, (), "text"),
        (REFERENCE, ("Cash", "Paid over the counter of a branch by the payer in person"), "text"),
        (table("note", "note_id int, note_description text, payment_id int", key="note_id"), ("a", "b"), "text"),
    ],
)
def test_the_description_of_a_code_names_it_where_it_is_short_and_differs_in_every_row(reference, described, role):
    code, description = (column.name for column in reference.columns[:2])
    samples = {(reference.name, code): ("CA", "CH"), (reference.name, description): described}
    found = infer_vocabulary(catalogue(reference, PAYMENT), samples).dataset(reference.name)
    assert found.field(description).role == role
    assert ((description,) in found.unique_keys) == (role == "name")
