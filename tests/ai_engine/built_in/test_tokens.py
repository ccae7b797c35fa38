from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai_engine.built_in.tokens import tokenise


def words_of(question: str) -> list[str]:
    return [token.word for token in tokenise(question)]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Total balance?", ["total", "balance", "?"]),
        ("account-wise totals", ["account", "wise", "totals"]),
        ("savings/current", ["savings", "current"]),
        ("don't show", ["do", "not", "show"]),
        ("can't, won't", ["can", "not", ",", "will", "not"]),
        ("what's the balance", ["what", "is", "the", "balance"]),
        ("the customer's loans", ["the", "customer", "loans"]),
        ("the customers’ loans", ["the", "customers", "loans"]),
        ("a/c and A/Cs", ["account", "and", "accounts"]),
        ("accountType", ["account", "type"]),
        ("5 >= 3 <> 2", ["5", ">=", "3", "<>", "2"]),
        ("₹500", ["₹", "500"]),
        ("Rs.500", ["rs", "500"]),
        ("AC1001", ["ac1001"]),
        ("Q1 1990s 21st 21ST", ["q1", "1990s", "21st", "21st"]),
        ("Feb 2025 – Apr 2025", ["feb", "2025", "to", "apr", "2025"]),
        ("2024–25", ["2024", "25"]),
    ],
)
def test_words_are_cut_as_people_mean_them(question, expected):
    assert words_of(question) == expected


@pytest.mark.parametrize(
    ("question", "kind", "text"),
    [
        ("1,75,206.50", "number", "1,75,206.50"),
        ("10,", "number", "10"),
        ("-5", "number", "-5"),
        (".5", "number", ".5"),
        ("2025-03-15", "date", "2025-03-15"),
        ("15/03/2025", "date", "15/03/2025"),
        ("15.3.2025", "date", "15.3.2025"),
        ("'Asha Rao'", "quoted", "Asha Rao"),
        ("“Asha Rao”", "quoted", "Asha Rao"),
        ("`odd name`", "quoted", "odd name"),
    ],
)
def test_numbers_dates_and_quoted_texts_stay_whole(question, kind, text):
    (token,) = tokenise(question)
    assert (token.kind, token.text) == (kind, text)


def test_a_quoted_text_keeps_its_case_its_hyphens_and_its_place():
    assert [(token.kind, token.text) for token in tokenise("named 'Mary-Ann' in Pune")] == [
        ("word", "named"),
        ("quoted", "Mary-Ann"),
        ("word", "in"),
        ("word", "Pune"),
    ]


def test_an_apostrophe_inside_a_word_opens_no_quotation():
    assert "quoted" not in {token.kind for token in tokenise("the bank's and the customer's loans")}


@pytest.mark.parametrize("said", ["starting with the letter a", "name starts with a", "ends with A", "letter A"])
def test_a_single_letter_that_is_asked_for_is_a_text_and_no_article(said):
    last = tokenise(said)[-1]
    assert (last.kind, last.word) == ("quoted", "a")


def test_a_nul_cannot_stand_for_a_quoted_text():
    assert words_of("'one' \x000\x00 two") == ["one", "0", "two"]


@given(st.text(alphabet=st.characters(categories=("Nd", "Lu", "Ll", "Zs", "Po", "Pd")), max_size=60))
def test_no_digit_is_lost(text):
    said = "".join(token.text for token in tokenise(text))
    assert sorted(c for c in said if c.isdecimal()) == sorted(c for c in text if c.isdecimal())


@pytest.mark.parametrize(
    ("question", "tokens"),
    [
        ("is Valid_To set?", ["is", "Valid_To", "set", "?"]),
        ("is VALID_TO set?", ["is", "VALID_TO", "set", "?"]),
        ("is validTo set?", ["is", "validTo", "set", "?"]),
        ("is Valid_Until set?", ["is", "Valid", "Until", "set", "?"]),
        ("is Valid_To_Date set?", ["is", "Valid", "To", "Date", "set", "?"]),
        ("is valid to set?", ["is", "valid", "to", "set", "?"]),
        ("is 'Valid_To' set?", ["is", "Valid_To", "set", "?"]),
    ],
)
def test_a_name_typed_as_the_database_spells_it_stays_whole(question, tokens):
    assert [token.text for token in tokenise(question, {"valid_to", "validto", "set"})] == tokens
