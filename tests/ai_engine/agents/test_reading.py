from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from ai_engine.agents.reading import MODEL_AWAY
from ai_engine.built_in import BuiltInModel
from ai_engine.errors import ModelFailed, ModelUnavailable, QueryStopped
from ai_engine.main import ask
from ai_engine.ports import Services
from ai_engine.semantics.intent import Condition, FieldRef, Intent, Measure
from ai_engine.semantics.vocabulary import Vocabulary
from ai_engine.types import Interpretation, Turn
from ai_engine.verified import VerifiedAnswer, question_key, reading_key
from backend.databases import Database
from tests.ai_engine.built_in.bank import AS_OF, vocabulary
from tests.ai_engine.scripted_model import ScriptedModel, understood

COUNTED = Intent(subject="customers", measures=(Measure(aggregate="count", dataset="customers"),))
PREMIUM = COUNTED.model_copy(
    update={
        "filters": (Condition(field=FieldRef(dataset="customers", field="segment"), operator="=", values=("Premium",)),)
    }
)
QUESTION = "How many customers are there?"


class RememberedAgreement:
    """Keeps the comparisons in a list; `trusted` is as it was told."""

    def __init__(self, *, trusted: bool = False) -> None:
        self.trusted = trusted
        self.noted: list[bool] = []

    def note(self, *, agreed: bool) -> None:
        self.noted.append(agreed)


class KnownAnswers:
    """Verified answers in a list."""

    def __init__(self, known: Vocabulary, *answers: VerifiedAnswer) -> None:
        self._known, self._answers = known, answers

    def in_use(self) -> bool:
        return bool(self._answers)

    def of_question(self, question: str) -> VerifiedAnswer | None:
        return next((one for one in self._answers if question_key(one.question) == question_key(question)), None)

    def of_reading(self, interpretation: Interpretation) -> VerifiedAnswer | None:
        key = reading_key(interpretation, self._known)
        return next((one for one in self._answers if reading_key(one.interpretation(), self._known) == key), None)

    def near(self, question: str) -> Sequence[VerifiedAnswer]:
        return ()


def verified(question: str, sql: str, intent: Intent | None = None) -> VerifiedAnswer:
    return VerifiedAnswer(
        "1", question, "as it was understood", sql, intent, AS_OF, "asha", datetime(2026, 11, 1, tzinfo=UTC)
    )


def services(model: ScriptedModel, bank: Database, **parts: object) -> Services:
    known = replace(vocabulary(), catalogue=bank.catalogue)
    return Services(model=model, vocabulary=known, runner=bank.runner, rules=BuiltInModel(), **parts)


def test_two_readings_with_the_same_rows_are_marked_as_agreed(bank: Database):
    agreement = RememberedAgreement()
    answer = ask(
        QUESTION, services=services(ScriptedModel(reading=understood(intent=COUNTED)), bank, agreement=agreement)
    )
    assert (answer.status, answer.trust, answer.other_reading) == ("answered", "agreed", None)
    assert answer.model == "scripted"
    assert agreement.noted == [True]


def test_two_readings_written_otherwise_are_agreed_where_their_rows_are_the_same(bank: Database):
    by_key = Intent(measures=(Measure(aggregate="count", field=FieldRef(dataset="customers", field="customer_id")),))
    answer = ask(QUESTION, services=services(ScriptedModel(reading=understood(intent=by_key)), bank))
    assert answer.trust == "agreed"


def test_where_the_rows_differ_the_models_answer_is_given_with_the_other_reading_beside_it(bank: Database):
    agreement = RememberedAgreement()
    model = ScriptedModel(reading=understood("premium customers", intent=PREMIUM))
    answer = ask(QUESTION, services=services(model, bank, agreement=agreement))
    assert (answer.trust, answer.result.rows) == ("compiled", ((1,),))
    assert answer.other_reading is not None
    assert answer.other_reading.result.rows == ((3,),)
    assert answer.other_reading.restatement
    assert [column.role for column in answer.other_reading.columns] == ["measure"]
    assert agreement.noted == [False]


def test_a_statement_that_a_model_wrote_is_free_sql_even_where_its_rows_are_those_of_the_rules(bank: Database):
    answer = ask(QUESTION, services=services(ScriptedModel("SELECT COUNT(*) AS customers FROM customers"), bank))
    assert (answer.trust, answer.other_reading) == ("free SQL", None)


def test_a_question_that_the_rules_leave_open_is_compared_with_nothing(bank: Database):
    agreement = RememberedAgreement()
    model = ScriptedModel(reading=understood(intent=COUNTED))
    answer = ask("How many punters frobnicate?", services=services(model, bank, agreement=agreement))
    assert (answer.trust, answer.other_reading, agreement.noted) == ("compiled", None, [])


def test_the_built_in_reader_answers_alone_and_without_a_call_where_it_is_chosen(bank: Database):
    model = ScriptedModel()
    answer = ask(QUESTION, services=services(model, bank, readers="built-in"))
    assert (answer.status, answer.trust, answer.model) == ("answered", "compiled", "built-in")
    assert (model.asked, model.explained) == ([], [])


@pytest.mark.parametrize(("trusted", "reader"), [(True, "built-in"), (False, "scripted")])
def test_built_in_first_means_no_call_only_once_the_two_agreed_often_enough(bank: Database, trusted: bool, reader: str):
    model = ScriptedModel(reading=understood(intent=COUNTED))
    answer = ask(
        QUESTION,
        services=services(model, bank, readers="built-in-first", agreement=RememberedAgreement(trusted=trusted)),
    )
    assert answer.model == reader
    assert len(model.asked) == (0 if trusted else 1)


@pytest.mark.parametrize("readers", ["built-in", "built-in-first"])
def test_what_the_built_in_reader_leaves_open_goes_to_the_model(bank: Database, readers: str):
    model = ScriptedModel(reading=understood(intent=COUNTED))
    known = services(model, bank, readers=readers, agreement=RememberedAgreement(trusted=True))
    assert ask("How many punters frobnicate?", services=known).model == "scripted"


def test_with_the_model_away_the_built_in_reader_answers_and_says_so(bank: Database):
    model = ScriptedModel(reading=ModelUnavailable("no route"), insight=ModelFailed("away"))
    answer = ask(QUESTION, services=services(model, bank))
    assert (answer.status, answer.trust, answer.model) == ("answered", "compiled", "built-in")
    assert answer.assumptions[0] == MODEL_AWAY
    assert model.explained == []


def test_with_the_model_away_a_question_that_the_rules_leave_open_fails_as_it_did(bank: Database):
    model = ScriptedModel(reading=ModelUnavailable("no route"))
    answer = ask("How many punters frobnicate?", services=services(model, bank))
    assert (answer.status, answer.error_kind) == ("failed", "ModelUnavailable")


def test_a_reply_that_cannot_be_used_is_no_model_that_is_away(bank: Database):
    answer = ask(QUESTION, services=services(ScriptedModel(reading=ModelFailed("garbage")), bank))
    assert (answer.status, answer.error_kind) == ("failed", "ModelFailed")


def test_a_verified_question_is_answered_by_its_statement_and_without_a_call(bank: Database):
    model, known = ScriptedModel(), replace(vocabulary(), catalogue=bank.catalogue)
    sql = "SELECT COUNT(*) AS people FROM customers WHERE segment = 'Retail'"
    book = KnownAnswers(known, verified("How many punters frobnicate", sql))
    answer = ask("how many  punters FROBNICATE?", services=services(model, bank, verified=book))
    assert (answer.status, answer.trust, answer.result.rows) == ("answered", "verified", ((2,),))
    assert answer.verified is not None
    assert answer.verified.saved_by == "asha"
    assert (model.asked, model.explained, model.tasks) == ([], [], [])


def test_a_verified_question_leans_on_no_conversation(bank: Database):
    model, known = ScriptedModel(reading=understood(intent=COUNTED)), replace(vocabulary(), catalogue=bank.catalogue)
    book = KnownAnswers(known, verified("and those?", "SELECT 1 AS x FROM customers"))
    answer = ask("and those?", services=services(model, bank, verified=book), history=[Turn("a", "A")])
    assert (answer.trust, answer.stands_alone) == ("compiled", False)


@pytest.mark.parametrize("by", ["rules", "model"])
def test_a_reading_that_was_verified_is_answered_by_its_statement(bank: Database, by: str):
    """The rules find it without a call, and the model's own reading finds it too."""
    model = ScriptedModel(reading=understood("in other words", intent=PREMIUM))
    known = replace(vocabulary(), catalogue=bank.catalogue)
    sql = "SELECT COUNT(*) AS people FROM customers WHERE segment = 'Retail'"
    by_rule = BuiltInModel().interpret(QUESTION, (), known, stop=threading.Event())
    book = KnownAnswers(known, verified("q", sql, by_rule.intent if by == "rules" else PREMIUM))
    answer = ask(QUESTION, services=services(model, bank, verified=book))
    assert (answer.trust, answer.result.rows) == ("verified", ((2,),))
    assert len(model.asked) == (0 if by == "rules" else 1)


@pytest.mark.parametrize("question", ["How many loans have defaulted in Pune above 5 lakh?", "and those?"])
@pytest.mark.parametrize("history", [[], [Turn("a", "A")]])
def test_words_of_a_models_own_make_no_question_a_verified_one(bank: Database, question: str, history: list[Turn]):
    """Nothing holds its restatement to the question, and it is shown verified questions as examples."""
    sql = "SELECT COUNT(*) AS people FROM customers WHERE segment = 'Retail'"
    known = replace(vocabulary(), catalogue=bank.catalogue)
    written = replace(verified("How many punters frobnicate?", sql), restatement="How many punters frobnicate?")
    model = ScriptedModel("SELECT COUNT(*) AS n FROM loans", reading=understood(written.restatement))
    answer = ask(question, services=services(model, bank, verified=KnownAnswers(known, written)), history=history)
    assert (answer.trust, answer.verified, answer.result.rows) == ("free SQL", None, ((2,),))
    assert len(model.tasks) == 1


def test_a_verified_statement_that_no_longer_runs_is_no_verified_answer(bank: Database):
    model = ScriptedModel("SELECT COUNT(*) AS customers FROM customers")
    known = replace(vocabulary(), catalogue=bank.catalogue)
    book = KnownAnswers(known, verified(QUESTION, "SELECT nothing FROM nowhere"))
    answer = ask(QUESTION, services=services(model, bank, verified=book))
    assert (answer.status, answer.trust, answer.verified) == ("answered", "free SQL", None)
    assert len(answer.failures) == 1


def test_the_rules_alone_use_verified_answers_too(bank: Database):
    known = replace(vocabulary(), catalogue=bank.catalogue)
    book = KnownAnswers(known, verified("How many punters frobnicate", "SELECT COUNT(*) AS people FROM customers"))
    alone = Services(model=BuiltInModel(), vocabulary=known, runner=bank.runner, verified=book)
    assert ask("How many punters frobnicate", services=alone).trust == "verified"
    assert ask(QUESTION, services=alone).trust == "compiled"


def test_a_figure_is_compared_to_four_digits():
    from ai_engine.row_comparison import difference

    assert difference([(Decimal("1.00004"),)], [(1.0,)], ordered=False) is None
    assert difference([(date(2026, 1, 1),)], [(date(2026, 1, 2),)], ordered=False) == "wrong value"


class AwaitedModel(ScriptedModel):
    """Replies once the rules have read, and tells in what order the two began."""

    def __init__(self, **parts: object) -> None:
        super().__init__(**parts)
        self.order: list[str] = []
        self.rules_have_read = threading.Event()

    def interpret(self, question, history, vocabulary, *, stop):
        self.order.append("model")
        assert self.rules_have_read.wait(10)
        return super().interpret(question, history, vocabulary, stop=stop)


class TellingRules(BuiltInModel):
    """The rules, which tell when they read."""

    def __init__(self, beside: AwaitedModel) -> None:
        super().__init__()
        self._beside = beside

    def interpret(self, question, history, vocabulary, *, stop):
        self._beside.order.append("rules")
        read = super().interpret(question, history, vocabulary, stop=stop)
        self._beside.rules_have_read.set()
        return read


@pytest.mark.parametrize("readers", ["model", "built-in-first"])
def test_the_rules_read_while_the_model_is_awaited(bank: Database, readers: str):
    model = AwaitedModel(reading=understood(intent=COUNTED))
    known = replace(services(model, bank, readers=readers), rules=TellingRules(model))
    assert ask(QUESTION, services=known).trust == "agreed"
    assert model.order == ["model", "rules"]


def test_a_stop_while_the_model_is_awaited_ends_the_question(bank: Database):
    class StoppedModel(ScriptedModel):
        def interpret(self, question, history, vocabulary, *, stop):
            stop.set()
            raise QueryStopped

    known = services(StoppedModel(), bank, stop=threading.Event())
    assert ask(QUESTION, services=known).error_kind == "QueryStopped"


def test_a_stop_ends_the_comparison(bank: Database):
    stop = threading.Event()

    class StoppingAgreement(RememberedAgreement):
        def note(self, *, agreed: bool) -> None:
            raise AssertionError("the run was stopped")

    class StoppingRunner:
        def __init__(self) -> None:
            self.ran = 0

        def run(self, sql: str, **limits: object) -> object:
            self.ran += 1
            if self.ran == 2:
                stop.set()
                raise QueryStopped
            return bank.runner.run(sql, **limits)

    known = services(
        ScriptedModel(reading=understood(intent=PREMIUM)), bank, agreement=StoppingAgreement(), stop=stop,
    )  # fmt: skip
    answer = ask(QUESTION, services=replace(known, runner=StoppingRunner()))
    assert answer.error_kind == "QueryStopped"
