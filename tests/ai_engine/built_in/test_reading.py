from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from ai_engine.built_in.grammar.reader import readings
from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.outcomes.outcome import decide
from ai_engine.semantics.compiler import compile_intent
from ai_engine.semantics.values import ColumnValues, ValueIndex
from tests.ai_engine.built_in.bank import AS_OF, MODEL, knowledge, knowledge_without_values, vocabulary
from tests.ai_engine.built_in.branch_desk import branch_desk
from tests.ai_engine.built_in.card_house import card_house
from tests.ai_engine.built_in.cases import ANSWERED, ReadingCase, check_reading, reading_cases
from tests.ai_engine.built_in.clinics import clinics
from tests.ai_engine.built_in.counting_house import counting_house
from tests.ai_engine.built_in.harbour_bank import harbour_bank
from tests.ai_engine.built_in.haulier import haulier
from tests.ai_engine.built_in.insurer import insurer
from tests.ai_engine.built_in.leasing_desk import leasing_desk
from tests.ai_engine.built_in.lending_house import lending_house
from tests.ai_engine.built_in.purse import purse
from tests.ai_engine.built_in.savings_bank import savings_bank
from tests.ai_engine.built_in.thrift_society import thrift_society
from tests.ai_engine.built_in.town_bank import town_bank
from tests.ai_engine.built_in.tram_works import tram_works

KNOWN: dict[str, Callable[[], Knowledge]] = {
    "readings.txt": knowledge,
    "readings_card_house.txt": card_house,
    "readings_clinics.txt": clinics,
    "readings_counting_house.txt": counting_house,
    "readings_harbour_bank.txt": harbour_bank,
    "readings_haulier.txt": haulier,
    "readings_inferred.txt": savings_bank,
    "readings_insurer.txt": insurer,
    "readings_leasing_desk.txt": leasing_desk,
    "readings_lending_house.txt": lending_house,
    "readings_purse.txt": purse,
    "readings_shorthand.txt": branch_desk,
    "readings_thrift_society.txt": thrift_society,
    "readings_town_bank.txt": town_bank,
    "readings_tram_works.txt": tram_works,
}
EVERY_CASE = [(name, case) for name in KNOWN for case in reading_cases(name)]


def premium_twice() -> Knowledge:
    """The bank with a loan type named like a segment."""
    columns = (*vocabulary().values.columns, ColumnValues("loans", "loan_type", ("Premium",), complete=True))
    return Knowledge(replace(vocabulary(), values=ValueIndex(columns, MODEL)))


@pytest.mark.parametrize(
    ("file", "case"),
    [
        pytest.param(*found, id=f"{found[0]}, line {found[1].line}: {found[1].question}", marks=found[1].marks)
        for found in EVERY_CASE
    ],
)
def test_every_question_of_the_files_is_understood_as_they_say(file: str, case: ReadingCase):
    found = decide(case.question, (), KNOWN[file]())
    check_reading(found, case)


@pytest.mark.parametrize("file", KNOWN)
def test_no_question_stands_twice_in_a_file_and_each_says_what_becomes_of_it(file: str):
    cases = reading_cases(file)
    assert len({case.question.lower() for case in cases}) == len(cases)
    assert all(case.outcome for case in cases)


@pytest.mark.parametrize("case", ANSWERED, ids=lambda case: case.question)
def test_whatever_is_understood_can_be_said_in_sql(case: ReadingCase):
    intent = decide(case.question, (), knowledge()).intent
    assert intent is not None
    for dialect in ("duckdb", "sqlite", "postgres", "mysql"):
        assert compile_intent(intent, MODEL, dialect, AS_OF).sql.upper().startswith(("SELECT", "WITH"))


def test_each_word_that_became_something_is_shown_with_its_meaning():
    found = decide("Total balance of savings accounts by branch", (), knowledge())
    meant = {meaning.words: meaning.meaning for meaning in found.meanings}
    assert meant["balance"] == "balance"
    assert "account type is Savings" in meant.values()


def test_readings_come_cheapest_first_and_no_intent_twice():
    found = readings("How many in Premium", premium_twice())
    assert len(found) > 1
    assert [reading.cost for reading in found] == sorted(reading.cost for reading in found)
    assert len({reading.intent for reading in found}) == len(found)


def test_a_word_that_names_two_values_is_asked_back_with_both_readings():
    found = decide("How many in Premium", (), premium_twice())
    assert found.outcome == "clarify"
    assert set(found.choices) == {
        "Number of customers, where segment is Premium",
        "Number of loans, where loan type is Premium",
    }


def test_a_reading_with_a_word_left_over_is_not_complete():
    assert not any(reading.complete for reading in readings("xyzzy accounts", knowledge()))


def test_a_question_without_words_has_no_reading_that_asks_anything():
    assert not any(reading.complete for reading in readings("???", knowledge()))


def test_a_value_is_no_longer_understood_where_the_data_does_not_hold_it():
    assert decide("How many savings accounts are there?", (), knowledge()).outcome == "query"
    found = decide("How many savings accounts are there?", (), knowledge_without_values())
    assert found.outcome == "refused"
    assert "savings" in found.unplaced


def test_a_balance_of_last_month_is_no_balance_of_accounts_opened_then():
    found = decide("accounts with a balance below 5000 last month", (), knowledge())
    assert found.unplaced == ("last month, of rows that are known as of now only",)
