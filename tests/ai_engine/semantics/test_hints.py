from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ai_engine.semantics.clauses import clauses, code_meanings
from ai_engine.semantics.hints import (
    ColumnHint,
    ConditionHint,
    FormulaHint,
    GroupHint,
    Number,
    Operation,
    Phrase,
    PhraseHint,
    TableHint,
    ValueHint,
    apply_hints,
    parse_formula,
    read_hints,
)
from ai_engine.semantics.infer import infer_vocabulary
from ai_engine.semantics.values import ColumnValues, ValueIndex
from tests.ai_engine.semantics.schemas import catalogue, table

BANK = catalogue(
    table("region", "region_id int, B1 text, B2 int, B3 text", key="region_id"),
    table("client", "client_id int, sex text, region_id int", key="client_id", region_id="region.region_id"),
    table("card", "card_id int, kind text, issued date", key="card_id"),
    table("mandate", "mandate_id int, kind text, state text", key="mandate_id"),
)


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("B2 refers to median rent", "median rent"),
        ("B2 stands for the median rent.", "median rent"),
        ("b2 means median rent", "median rent"),
        ("Median rent can be found in B2", "median rent"),
        ("Information about median rent could be found in the column B2", "median rent"),
        ("Column B2 contains the data of median rent", "median rent"),
        ("region.B2 holds median rent", "median rent"),
        ("Clients are people. B2 is the median rent", "median rent"),
        ("Sex = 'F' means female, B2 is the median rent", "median rent"),
        ("B2 = median rent", "median rent"),
    ],
)
def test_a_sentence_that_names_a_column_gives_it_words(text, phrase):
    assert ColumnHint("region", "B2", phrase) in read_hints(text, BANK).columns


def test_names_of_things_are_also_said_the_other_way_round():
    phrases = {hint.phrase for hint in read_hints("B1 refers to the names of regions", BANK).columns}
    assert phrases == {"names of regions", "region name"}


def test_an_example_beside_a_column_is_not_its_name():
    assert read_hints("B1 contains the region 'North Coast'", BANK).columns == (ColumnHint("region", "B1", "region"),)
    assert read_hints("North Coast appears in B1", BANK).columns == ()


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("Female refers to sex = 'F'", ValueHint("client", "sex", "F", "female")),
        ("sex = 'F' stands for female", ValueHint("client", "sex", "F", "female")),
        ("Woman and female refer to sex = 'F'", ValueHint("client", "sex", "F", "woman")),
        ("standing refers to mandate.kind = 'PERM'", ValueHint("mandate", "kind", "PERM", "standing")),
        (
            "when the mandate kind = 'PERM', it's a standing order",
            ValueHint("mandate", "kind", "PERM", "standing order"),
        ),
        ('gold card refers to kind = "G"', ValueHint(None, "kind", "G", "gold card")),
        ("'WK' stands for weekly issuance", ValueHint(None, None, "WK", "weekly issuance")),
        ("'WK' represents for 'weekly issuance'.", ValueHint(None, None, "WK", "weekly issuance")),
        ("state = 'R' stands for running, no arrears", ValueHint("mandate", "state", "R", "running")),
        ("the card is premium refers to card.kind = 'G'", ValueHint("card", "kind", "G", "premium card")),
    ],
)
def test_a_sentence_that_names_a_stored_value_gives_it_words(text, hint):
    assert hint in read_hints(text, BANK).values


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("TNC = total new clients since 2020", PhraseHint("tnc", "total new clients since 2020")),
        ("Customers refer to clients", PhraseHint("customers", "clients")),
    ],
)
def test_a_word_that_stands_for_others_is_kept_as_a_phrase(text, hint):
    assert read_hints(text, BANK).phrases == (hint,)


def test_a_figure_is_read_with_all_its_names_and_its_arithmetic():
    (hint,) = read_hints("NM (Net Margin) = (total sales - (tax + fees)) / total sales * 100", BANK).formulas
    sales = Phrase("total sales")
    spent = Operation("+", Phrase("tax"), Phrase("fees"))
    share = Operation("/", Operation("-", sales, spent), sales)
    assert hint == FormulaHint(("nm", "net margin"), Operation("*", share, Number(Decimal(100))))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a + b * 2", Operation("+", Phrase("a"), Operation("*", Phrase("b"), Number(Decimal(2))))),
        ("DIVIDE(COUNT(male clients), clients)", Operation("/", Phrase("COUNT male clients"), Phrase("clients"))),
        ("[a / b] * 100%", Operation("*", Operation("/", Phrase("a"), Phrase("b")), Number(Decimal(100)))),
        ("month-over-month change / base", Operation("/", Phrase("month-over-month change"), Phrase("base"))),
        ("clients in 1997 - clients in 1996", Operation("-", Phrase("clients in 1997"), Phrase("clients in 1996"))),
        ("a / ", None),
        ("(a - b", None),
        ("a) - b", None),
        ("", None),
    ],
)
def test_arithmetic_over_phrases_becomes_a_tree(text, expected):
    assert parse_formula(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "If A's age < B's age, it means that B is older",
        "After 1996 means issued > = '1997-01-01",
        "January 1996 can be found by issued LIKE '1996-01%'",
        "Always join clients with regions first",
        "last week = DATE('now', '-7 days')",
    ],
)
def test_what_is_not_understood_is_said_so_and_changes_nothing(text):
    hints = read_hints(text, BANK)
    assert hints.unread
    assert apply_hints(infer_vocabulary(BANK), hints) == infer_vocabulary(BANK)


def test_clauses_end_at_stops_but_not_inside_quotes_brackets_or_abbreviations():
    text = "A = 'x; y. z'; no. of clients (a; b) is B. 'C' means c\nthe client's home. End"
    assert clauses(text) == ("A = 'x; y. z'", "no. of clients (a; b) is B", "'C' means c", "the client's home", "End")


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("F = female, M = male", [("F", "female"), ("M", "male")]),
        ("M: male; F: female", [("M", "male"), ("F", "female")]),
        ("Gender (M: male, F: female)", [("M", "male"), ("F", "female")]),
        ("1 - open / 2 - closed", [("1", "open"), ("2", "closed")]),
        ('"AB CD" stands for monthly issuance', [("AB CD", "monthly issuance")]),
        ("the balance at the end of the day", []),
    ],
)
def test_codes_are_read_out_of_a_column_s_description(text, pairs):
    assert list(code_meanings(text)) == pairs


def test_a_column_whose_name_said_nothing_is_judged_anew():
    hints = read_hints("B2 refers to average rent; B1 stands for region names", BANK)
    region = apply_hints(infer_vocabulary(BANK), hints).dataset("region")
    assert (region.field("B2").label, region.field("B2").default_aggregate) == ("average rent", "avg")
    assert (region.field("B1").label, region.field("B1").role) == ("region name", "name")
    assert "b2" in region.field("B2").synonyms


def test_figures_kept_as_text_are_seen_when_the_values_are_known():
    values = ValueIndex((ColumnValues("region", "B3", ("120", "90"), True),))
    hints = read_hints("B3 contains the number of inhabitants", BANK)
    assert apply_hints(infer_vocabulary(BANK), hints, values).dataset("region").field("B3").type == "integer"


def test_words_reach_the_field_that_holds_the_value():
    values = ValueIndex((ColumnValues("card", "kind", ("G",), True), ColumnValues("mandate", "kind", ("WK",), True)))
    hints = read_hints("gold card refers to kind = 'g'; 'WK' stands for weekly", BANK)
    model = apply_hints(infer_vocabulary(BANK), hints, values)
    assert dict(model.dataset("card").field("kind").value_synonyms) == {"G": ("gold card",)}
    assert dict(model.dataset("mandate").field("kind").value_synonyms) == {"WK": ("weekly",)}


def test_a_value_without_a_column_is_left_out_while_the_values_are_unknown():
    hints = read_hints("'WK' stands for weekly", BANK)
    assert apply_hints(infer_vocabulary(BANK), hints) == infer_vocabulary(BANK)


def test_another_word_for_a_value_s_words_is_a_word_for_the_value():
    hints = read_hints("Live order refers to running mandates; state = 'R' stands for running mandate", BANK)
    state = apply_hints(infer_vocabulary(BANK), hints).dataset("mandate").field("state")
    assert set(state.value_synonyms["R"]) == {"running mandate", "live order"}


def test_another_noun_for_a_dataset_is_a_synonym_unless_it_is_another_dataset():
    model = infer_vocabulary(BANK)
    assert (
        "account holder"
        in apply_hints(model, read_hints("account holders refer to clients", BANK)).dataset("client").synonyms
    )
    assert apply_hints(model, read_hints("cards refer to mandates", BANK)) == model


def test_an_abbreviation_goes_into_the_glossary_but_another_word_for_a_table_or_a_value_does_not():
    text = "TNC = total new clients since 2020; patrons refer to clients; Live refers to running mandates; "
    hints = read_hints(f"{text}state = 'R' stands for running mandate", BANK)
    assert apply_hints(infer_vocabulary(BANK), hints).glossary == {"tnc": "total new clients since 2020"}


PIECES = st.sampled_from(
    [
        "B2",
        "sex",
        "=",
        "'F'",
        "refers to",
        "stands for",
        "(",
        ")",
        "a",
        ";",
        ".",
        ",",
        "which",
        "/",
        "-",
        "100",
        "contains",
        "%",
    ]
)


@settings(max_examples=100, deadline=None)
@given(st.one_of(st.text(max_size=60), st.lists(PIECES, max_size=12).map(" ".join)))
def test_any_text_can_be_read_and_applied(text):
    model = infer_vocabulary(BANK)
    hints = read_hints(text, BANK)
    applied = apply_hints(model, hints)
    known = {(dataset.name, item.name) for dataset in model.datasets for item in dataset.fields}
    assert {(dataset.name, item.name) for dataset in applied.datasets for item in dataset.fields} == known
    assert all(hint.phrase.strip() for hint in (*hints.columns, *hints.values))


@pytest.mark.parametrize(
    "text",
    [
        "B1 region name, B2 median rent",
        "- B1 region name\n- B2 median rent",
        "In `region` (its columns): B1 region name, B3 group,\nB2 median\nrent. Rents are in euro.",
        "B1/B2 region name/median rent; B2 median rent",
        "region.B2 median rent; kinds follow",
    ],
)
def test_an_entry_of_a_data_dictionary_gives_its_column_words(text):
    assert ColumnHint("region", "B2", "median rent") in read_hints(text, BANK).columns


def test_codes_of_a_data_dictionary_get_their_words():
    text = "`mandate.state` A still valid, B long revoked, N IN WORK not signed; card.kind 'gold' the best"
    assert read_hints(text, BANK).values == (
        ValueHint("mandate", "state", "A", "valid"),
        ValueHint("mandate", "state", "A", "still valid"),
        ValueHint("mandate", "state", "B", "long revoked"),
        ValueHint("mandate", "state", "N IN WORK", "not signed"),
    )


def test_columns_that_share_words_but_for_the_last_get_their_own():
    found = read_hints("B2/B3 rent 2020/2021", BANK).columns
    assert found == (ColumnHint("region", "B2", "rent 2020"), ColumnHint("region", "B3", "rent 2021"))


LENDER = catalogue(
    table("kunde", "kd_id int, geb date, eink int, klasse text", key="kd_id"),
    table("vertrag", "vt_id int, kd_id int, art text, rate dec", key="vt_id", kd_id="kunde.kd_id"),
)


@pytest.mark.parametrize(
    "text",
    [
        "`vertrag` (loan contracts): vt_id number",
        "vertrag (loan contracts of a customer): rate instalment",
        "table vertrag holds loan contracts",
        "loan contracts refer to vertrag",
        "The table `vertrag` contains the loan contracts",
    ],
)
def test_a_sentence_or_a_section_that_names_a_table_tells_what_its_rows_are(text):
    assert read_hints(text, LENDER).tables == (TableHint("vertrag", "loan contracts"),)


def test_in_the_section_of_a_table_every_column_of_it_begins_an_entry():
    found = read_hints("`vertrag` (contracts): vt_id number, art kind, rate monthly instalment in euros", LENDER)
    assert found.columns == (
        ColumnHint("vertrag", "vt_id", "number"),
        ColumnHint("vertrag", "art", "kind"),
        ColumnHint("vertrag", "rate", "monthly instalment"),
    )


def test_codes_may_follow_the_noun_of_their_column_or_stand_alone():
    text = "vertrag: art kind K car loan, M mortgage; `kunde.klasse` (grade) A best, B good; kinds RT travel, S1 other"
    hints = read_hints(text, LENDER)
    assert {(hint.column, hint.value, hint.phrase) for hint in hints.values} == {
        ("art", "K", "car loan"),
        ("art", "M", "mortgage"),
        ("klasse", "A", "best"),
        ("klasse", "B", "good"),
        ("art", "RT", "travel"),
        ("art", "S1", "other"),
    }
    assert ColumnHint("kunde", "klasse", "grade") in hints.columns


def test_the_range_of_a_scale_is_no_part_of_its_name_but_what_a_step_means_is_kept():
    hints = read_hints("kunde: klasse level 1 to 3 where 3 is the worst, eink income", LENDER)
    assert ColumnHint("kunde", "klasse", "level") in hints.columns
    assert hints.values == (ValueHint("kunde", "klasse", "3", "worst"),)


def test_names_of_another_language_give_way_to_the_words_for_them():
    text = "kunde (customers): eink net income, geb date of birth; vertrag (loan contracts): rate instalment"
    model = apply_hints(infer_vocabulary(LENDER), read_hints(text, LENDER))
    customer, contract = model.dataset("kunde"), model.dataset("vertrag")
    assert (customer.label, contract.label) == ("customer", "loan contract")
    assert {"kunde", "client"} <= set(customer.synonyms)
    assert {"vertrag", "contract"} <= set(contract.synonyms)
    assert (customer.field("eink").label, customer.field("eink").role) == ("net income", "measure")
    assert contract.field("rate").label == "rate"


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        (
            "Loyal clients are clients with two or more cards",
            GroupHint("loyal clients", "clients with two or more cards"),
        ),
        ("A lost card is a card which has no issue date.", GroupHint("lost card", "card which has no issue date")),
        ("Homeless clients have no region_id.", GroupHint("homeless clients", "clients with no region")),
        ("Open mandates have no state", GroupHint("open mandates", "mandates with no state")),
    ],
)
def test_a_sentence_may_define_a_group_of_rows(text, hint):
    hints = read_hints(text, BANK)
    assert hints.groups == (hint,)
    glossary = apply_hints(infer_vocabulary(BANK), hints).glossary
    assert glossary[hint.words] == hint.meaning
    assert set(glossary.values()) == {hint.meaning}


@pytest.mark.parametrize(
    "text", ["Loyal people are people with two cards", "Clients have no idea", "B2 is a card with gold"]
)
def test_a_group_is_named_after_the_rows_of_a_table(text):
    assert read_hints(text, BANK).groups == ()


def test_codes_listed_behind_a_column_share_what_they_begin_with():
    hints = read_hints("mandate.state: F = closed and repaid, U = closed but not repaid, R = running", BANK)
    assert ConditionHint(("mandate",), "state IN ('F', 'U')", "closed") in hints.conditions
    assert ValueHint("mandate", "state", "U", "not repaid") in hints.values
    assert ValueHint("mandate", "state", "R", "running") in hints.values
    assert not [hint for hint in hints.values if hint.phrase == "closed"]


def test_a_word_of_a_clause_is_no_code_when_nothing_in_the_tables_is_called_so():
    assert read_hints("note: A = first, B = second", BANK).values == ()
