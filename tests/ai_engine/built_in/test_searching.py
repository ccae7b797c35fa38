from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace

import pytest

from ai_engine.built_in import BuiltInModel
from ai_engine.built_in.outcomes.unlearnt import left_over, may_name_unlearnt, names_and_codes
from ai_engine.built_in.tokens import tokenise
from ai_engine.errors import QueryStopped
from ai_engine.semantics.intent import Condition
from ai_engine.semantics.values import FoundValues, StoredValue
from ai_engine.semantics.vocabulary import Vocabulary
from ai_engine.types import Interpretation, Turn
from tests.ai_engine.built_in.bank import knowledge, vocabulary
from tests.ai_engine.built_in.cases import reading_cases


@dataclass
class FakeSearch:
    """Holds a few values, finds them whatever their case, and records what it was asked."""

    held: tuple[StoredValue, ...] = ()
    complete: bool = True
    asked: list[tuple[str, ...]] = field(default_factory=list)

    def find(self, texts: Sequence[str], vocabulary: Vocabulary, *, stop: threading.Event) -> FoundValues:
        if stop.is_set():
            raise QueryStopped
        self.asked.append(tuple(texts))
        wanted = {text.lower() for text in texts}
        return FoundValues(tuple(one for one in self.held if str(one.value).lower() in wanted), self.complete)


NAMES = tuple(
    StoredValue("customers", "full_name", name)
    for name in ("Rajesh Kumar Iyer", "Zubin O'Brien", "Xerxes McDonald", "Ashwa Rao")
)
NUMBERS = (StoredValue("accounts", "account_number", "50100012345678"),)


class SlowSearch(FakeSearch):
    """Takes so long that whoever begins later would search too."""

    def find(self, texts: Sequence[str], vocabulary: Vocabulary, *, stop: threading.Event) -> FoundValues:
        stop.wait(0.2)
        return super().find(texts, vocabulary, stop=stop)


def ask(question: str, search: FakeSearch, *history: Turn) -> Interpretation:
    return BuiltInModel(search).interpret(question, history, vocabulary(), stop=threading.Event())


def filtered_by(told: Interpretation) -> list[tuple[str, object]]:
    assert told.intent is not None, told.reply
    return [(f.field.field, f.values[0]) for f in told.intent.filters if isinstance(f, Condition)]


@pytest.mark.parametrize(
    ("question", "texts"),
    [
        ("balance of Rajesh Kumar Iyer", ["Rajesh Kumar Iyer"]),
        ('balance of "rajesh kumar iyer"', ["rajesh kumar iyer"]),
        ("accounts of Zubin O'Brien in Mumbai", ["Zubin O'Brien"]),
        ("accounts of Xerxes McDonald", ["Xerxes McDonald"]),
        ("transaction TXN0099123", ["TXN0099123"]),
        ("transaction ab-1234/56 of March 2025", ["ab-1234/56"]),
        ("balance of account 50100012345678", ["50100012345678"]),
        ("customer zubin.obrien@example.com", ["zubin.obrien@example.com"]),
    ],
)
def test_names_codes_and_quoted_texts_are_looked_up_as_they_were_typed(question, texts):
    assert list(names_and_codes(question, knowledge())) == texts


@pytest.mark.parametrize(
    "question",
    [
        "How many customers joined in March 2025?",
        "Total deposits in Mumbai by Month for Q1 FY26",
        "balance of Asha Rao",
        "the 1st 20 customers over 50000 since 2024-01-31",
        "accounts opened between January and March 2025",
    ],
)
def test_periods_numbers_and_known_names_are_not_looked_up(question):
    assert names_and_codes(question, knowledge()) == ()


def test_words_left_over_are_looked_up_together_and_then_in_parts():
    texts = left_over("balance of rajesh kumar iyer in mumbai", ("rajesh", "kumar", "iyer"))
    assert texts == ("rajesh kumar iyer", "rajesh kumar", "kumar iyer", "rajesh", "kumar", "iyer")


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("Total balance of Rajesh Kumar Iyer", "Rajesh Kumar Iyer"),
        ("total balance of rajesh kumar iyer", "Rajesh Kumar Iyer"),
        ('Total balance of "RAJESH KUMAR IYER"', "Rajesh Kumar Iyer"),
        ("Total balance of Zubin O'Brien", "Zubin O'Brien"),
        ("Total balance of Xerxes McDonald", "Xerxes McDonald"),
    ],
)
def test_a_name_that_was_not_learnt_is_found_and_read_as_stored(question, value):
    search = FakeSearch(NAMES)
    assert filtered_by(ask(question, search)) == [("full_name", value)]
    assert len(search.asked) == 1


def test_a_number_of_an_account_is_found_as_text():
    told = ask("Total balance of account 50100012345678", FakeSearch(NUMBERS))
    assert filtered_by(told) == [("account_number", "50100012345678")]


@pytest.mark.parametrize("question", ["Total balance of Ashwa Rao", "total balance of ashwa rao"])
def test_a_name_is_not_respelt_into_a_known_one_when_the_data_has_it(question):
    assert filtered_by(ask(question, FakeSearch())) == [("full_name", "Asha Rao")]
    assert filtered_by(ask(question, FakeSearch(NAMES))) == [("full_name", "Ashwa Rao")]


def test_words_that_are_not_found_are_named_in_the_refusal():
    search = FakeSearch(NAMES)
    told = ask("Total balance of Nobody Whatsoever", search)
    assert told.outcome == "refused"
    assert "Whatsoever" in told.unplaced
    assert told == BuiltInModel().interpret(
        "Total balance of Nobody Whatsoever", (), vocabulary(), stop=threading.Event()
    )
    assert len(search.asked) == 1


def test_a_search_that_did_not_come_to_its_end_is_said():
    told = ask("Total balance of Nobody Whatsoever", FakeSearch(complete=False))
    assert "could not be searched to the end for “Nobody Whatsoever”" in told.reply
    told = ask("Total balance of Rajesh Kumar Iyer", FakeSearch(NAMES, complete=False))
    assert any("could not be searched to the end" in sentence for sentence in told.assumptions)


@pytest.mark.parametrize(
    "question",
    ["hello", "Delete the customer Rajesh Iyer", "Which tables are there?", "Show the password of Rajesh Iyer"],
)
def test_what_is_not_answered_from_data_is_not_looked_up(question):
    search = FakeSearch(NAMES)
    ask(question, search)
    assert search.asked == []


def test_a_question_whose_every_word_is_known_is_not_looked_up():
    questions = [case.question.lower() for case in reading_cases() if not {'"', "'"} & set(case.question)]
    plain, knows = BuiltInModel(), knowledge().lexicon.knows
    known = [
        question
        for question in questions
        if all(knows(token.word) for token in tokenise(question) if token.kind == "word")
        and plain.interpret(question, (), vocabulary(), stop=threading.Event()).outcome == "query"
    ]
    search = FakeSearch(NAMES)
    for question in known:
        ask(question, search)
    assert len(known) > 100
    assert search.asked == []


def test_the_same_question_is_read_the_same_again_and_leaves_nothing_behind():
    model, stop = BuiltInModel(FakeSearch(NAMES)), threading.Event()
    first = model.interpret("Total balance of Rajesh Kumar Iyer", (), vocabulary(), stop=stop)
    other = model.interpret("Total balance of Zubin O'Brien", (), vocabulary(), stop=stop)
    assert model.interpret("Total balance of Rajesh Kumar Iyer", (), vocabulary(), stop=stop) == first
    assert filtered_by(other) == [("full_name", "Zubin O'Brien")]
    assert knowledge().lexicon.looked_up == {}


def test_a_follow_up_may_name_what_was_not_learnt():
    search = FakeSearch(NAMES)
    first = ask("Total balance by account type", search)
    turn = Turn("Total balance by account type", first.restatement, first.intent)
    assert filtered_by(ask("only for Rajesh Kumar Iyer", search, turn)) == [("full_name", "Rajesh Kumar Iyer")]


def test_a_value_of_two_columns_is_asked_back():
    twice = (*NAMES, replace(NAMES[0], dataset="branches", field="branch_name"))
    told = ask("How many accounts belong to Rajesh Kumar Iyer?", FakeSearch(twice))
    assert told.outcome == "clarify"
    assert len(told.choices) == 2


def test_stopping_ends_the_search():
    stop = threading.Event()
    stop.set()
    with pytest.raises(QueryStopped):
        BuiltInModel(FakeSearch(NAMES)).interpret("balance of Rajesh Kumar Iyer", (), vocabulary(), stop=stop)


def test_the_data_is_searched_once_for_all_who_read_a_question_in_one_run():
    search, first, second = FakeSearch(NAMES), threading.Event(), threading.Event()
    model = BuiltInModel(search)
    model.interpret("balance of Rajesh Kumar Iyer", (), vocabulary(), stop=first)
    found = model.find("balance of Rajesh Kumar Iyer", (), vocabulary(), stop=first)
    assert [one.value for one in found.values] == ["Rajesh Kumar Iyer"]
    assert len(search.asked) == 1
    model.find("balance of Rajesh Kumar Iyer", (), vocabulary(), stop=second)
    assert len(search.asked) == 2


def test_two_readers_of_a_run_at_a_time_search_the_data_once():
    search, stop = SlowSearch(NAMES), threading.Event()
    model, question = BuiltInModel(search), "balance of Rajesh Kumar Iyer"
    with ThreadPoolExecutor(2) as readers:
        found = readers.submit(model.find, question, (), vocabulary(), stop=stop)
        told = readers.submit(model.interpret, question, (), vocabulary(), stop=stop)
    assert [one.value for one in found.result().values] == ["Rajesh Kumar Iyer"]
    assert filtered_by(told.result()) == [("full_name", "Rajesh Kumar Iyer")]
    assert len(search.asked) == 1


@pytest.mark.parametrize(
    ("question", "may"),
    [
        ("How many customers joined in March 2025?", False),
        ("Total deposits in Mumbai by month", False),
        ("balance of Rajesh Kumar Iyer", True),
        ("balance of rajesh kumar iyer", True),
        ("balance of Branch", True),
        ('balance of "savings"', False),
        ("balance of account 50100012345678", True),
    ],
)
def test_nothing_is_sought_for_another_reader_where_every_word_is_known_and_none_is_written_as_a_name(question, may):
    assert may_name_unlearnt(question, knowledge()) is may


def test_a_question_of_more_words_than_the_rules_read_is_refused_before_anything_is_read_or_sought():
    search = FakeSearch(NAMES)
    model, stop = BuiltInModel(search, most_words=20), threading.Event()
    long = "accounts and " * 11
    told = model.interpret(long, (), vocabulary(), stop=stop)
    assert (told.outcome, told.reply) == (
        "refused",
        "The question has 22 words and signs, and the rules read 20; ask it in fewer.",
    )
    assert model.find(f"{long} Rajesh", (), vocabulary(), stop=stop) == FoundValues()
    assert search.asked == []
    assert model.interpret("How many accounts are there?", (), vocabulary(), stop=stop).outcome == "query"
