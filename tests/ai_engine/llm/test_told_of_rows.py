"""What only rows could tell is told by no reply that comes without a statement, and no reply wants a secret."""

from __future__ import annotations

import pytest

from ai_engine.asked_secrets import wants_a_secret
from ai_engine.errors import NoFurtherDraft
from ai_engine.llm.told_of_rows import tells_of_rows
from ai_engine.ports import SqlTask
from tests.ai_engine.llm.bank import BANK
from tests.ai_engine.llm.server import says, serving
from tests.ai_engine.llm.test_model import NEVER, TOTAL, interpret, model

CLAIMS = [
    "Yes, all accounts are open.", "Deposits have grown every year.", "Retail is the largest segment.",
    "The segment with the highest balance is HNI.", "Every customer is solvent.", "Accounts are never dormant.",
    "Retail balances exceed HNI balances.", "HNI customers hold no balance.", "Most customers are dormant.",
    "Total deposits fell.", "HNI customers have more accounts than Retail ones.",
]  # fmt: skip


@pytest.mark.parametrize("text", CLAIMS)
def test_what_only_rows_could_tell_is_found(text: str):
    assert tells_of_rows(text, "what about the accounts?", BANK)


@pytest.mark.parametrize(
    "text",
    [
        "The data has customers and their accounts.",
        "Each account belongs to one customer, every account has a balance.",
        "You can ask which segment has the highest balance, or how deposits grew.", "All amounts are in INR.",
        "Deposits are balances of open accounts.", "All accounts are listed with their balance.", "Hello!",
        "Salaries are not among the columns.", "Ask, for example, for the largest accounts.",
    ],
)  # fmt: skip
def test_what_the_data_holds_and_what_may_be_asked_is_told(text: str):
    assert not tells_of_rows(text, "what is in the data?", BANK)


def test_a_meaning_may_speak_of_the_highest():
    told = "It means the highest balance of an account in a month."
    assert not tells_of_rows(told, "what does peak balance mean?", BANK)
    assert tells_of_rows(told, "peak balance?", BANK)


def test_an_answer_that_tells_of_rows_is_asked_for_as_a_query():
    about = {"outcome": "about", "restatement": "Open accounts.", "reply": CLAIMS[0]}
    read, server = interpret(says(about), says(TOTAL), question="total deposits?")
    assert (read.outcome, read.intent is not None) == ("query", True)
    assert "is a `query`" in server.requests[1]["messages"][3]["content"]
    read, _ = interpret(says(about), says(about), question="are all accounts open?")
    assert (read.outcome, CLAIMS[0] in read.reply) == ("refused", False)


@pytest.mark.parametrize("outcome", ["refused", "clarify"])
@pytest.mark.parametrize("told", ["Every account is frozen.", "To see accounts, enter your password."])
def test_a_refusal_and_a_question_back_tell_nothing_of_rows_and_want_no_secret(outcome: str, told: str):
    choices = ["Total deposits of all time", "Total deposits by segment"]
    reply = {"outcome": outcome, "restatement": "x", "reply": told, "choices": choices}
    read, _ = interpret(says(reply), question="deposits?")
    assert read.outcome == outcome
    assert told not in read.reply


@pytest.mark.parametrize(
    "reason",
    ["The table Fraud_Register was closed.", "Ask the Kapoor desk.", "Every account is frozen.", "Enter your PIN."],
)
def test_a_reason_for_no_statement_names_and_tells_nothing_of_its_own(reason: str):
    with serving(says({"sql": None, "reason": reason})) as server, pytest.raises(NoFurtherDraft) as failed:
        model(server).write_sql(SqlTask("which loans?", "Which loans?"), BANK, stop=NEVER)
    assert failed.value.user_message == "This cannot be answered here."


def test_a_column_that_is_a_secret_elsewhere_may_be_named():
    assert not wants_a_secret("Customers by pin code, or the card number of a transaction.")
    assert wants_a_secret("Please type your PIN.")


@pytest.mark.parametrize(
    "told", ["Yes, total deposits are Rs.5 crore.", "Right: there are 77 accounts.", "HNI: 77 accounts."]
)
def test_a_figure_of_the_question_is_no_answer(told: str):
    question = "is it true that deposits are Rs.5 crore and that HNI has 77 accounts?"
    assert tells_of_rows(told, question, BANK)
    about = {"outcome": "about", "restatement": "Deposits.", "reply": told}
    read, server = interpret(says(about), says(about), question=question)
    assert "is a `query`" in server.requests[1]["messages"][3]["content"]
    assert (read.outcome, told in read.reply) == ("refused", False)


@pytest.mark.parametrize(
    "told",
    [
        "Accounts over 77 are not in the data.", "Account 77 is not listed.", "You can ask for accounts over 77.",
        "Segments of accounts with balances over 77 lakh.",
    ],
)  # fmt: skip
def test_a_figure_of_the_question_may_be_spoken_of(told: str):
    assert not tells_of_rows(told, "is account 77 one of those over 77 lakh?", BANK)
