"""A verified answer over a column that was closed since: nobody is given its statement, until it is opened again."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from ai_engine.semantics.vocabulary_edits import Edit, value_at
from backend.answers.withheld import ITS_QUESTION
from backend.api.verified import verified_fields
from backend.renewal import in_force
from backend.service import Assistant
from tests.ai_engine.llm.server import Scripted
from tests.backend.conftest import OpenScripted
from tests.backend.test_withheld import MADE, publish

QUESTION = "How many customers have the PAN of our defaulter?"
SECRET = "SELECT COUNT(*) AS n FROM customers WHERE pan = 'PAN1'"
OPEN = "SELECT COUNT(*) AS n FROM customers WHERE city = 'Pune'"
CLOSES = Edit("column", "customers.pan", "sensitive", False, True)


@pytest.fixture
def assistant(open_scripted: OpenScripted) -> Assistant:
    opened = open_scripted(MADE, editors="edith", verifiers="vera", vocabulary_check_s=0)
    closed = value_at(opened.vocabulary.model, "column", "customers.pan", "sensitive")
    publish(opened, [replace(CLOSES, before=True, after=False)] if closed else [])
    return in_force(opened)


def verified(assistant: Assistant, question: str, sql: str) -> None:
    answer = assistant.run_again(sql, question=question, who="vera")
    assert answer.error is None
    told = "those with PAN1" if sql == SECRET else question
    assistant.verified.verify(replace(answer, question=question, restatement=told, stands_alone=True), "vera")


def test_it_goes_to_no_model_and_its_question_is_answered_as_any_other(assistant: Assistant, scripted_model: Scripted):
    verified(assistant, QUESTION, SECRET)
    assert assistant.ask(QUESTION).trust == "verified"
    publish(assistant, [CLOSES])
    closed = in_force(assistant)
    assert closed.verified.near(QUESTION) == ()
    scripted_model.requests.clear()
    assert closed.ask("How many customers have a PAN of a defaulter?").trust != "verified"
    assert closed.ask(QUESTION).trust != "verified"
    assert "IntentReply" in json.dumps(scripted_model.requests)
    assert "PAN1" not in json.dumps(scripted_model.requests)


def test_it_is_listed_without_what_its_statement_says_and_not_exported(assistant: Assistant):
    verified(assistant, "How many live in Pune?", OPEN)
    verified(assistant, QUESTION, SECRET)
    publish(assistant, [CLOSES])
    closed = in_force(assistant).verified
    secret, still = map(verified_fields, closed.listed())
    assert "PAN1" not in json.dumps(secret)
    assert (secret["question"], secret["state"], secret["sql"]) == (ITS_QUESTION, "withdrawn", "")
    assert secret["reason"] == "its query may not run today: column pan of customers is restricted"
    assert (still["state"], "city" in still["sql"]) == ("verified", True)
    assert [one.question for one in closed.exported()] == ["How many live in Pune?"]


def test_its_question_is_not_listed_where_that_may_have_the_value(assistant: Assistant):
    verified(assistant, "Who has PAN1?", SECRET)
    publish(assistant, [CLOSES])
    (told,) = map(verified_fields, in_force(assistant).verified.listed())
    assert told["question"] == ITS_QUESTION
    assert "PAN1" not in json.dumps(told)


def test_one_that_a_person_has_retracted_is_listed_without_it_too(assistant: Assistant):
    verified(assistant, QUESTION, SECRET)
    assistant.verified.retract(assistant.verified.listed()[0].answer.id, "vera", "was asked by mistake")
    publish(assistant, [CLOSES])
    told = verified_fields(in_force(assistant).verified.listed()[0])
    assert "PAN1" not in json.dumps(told)
    assert (told["state"], told["reason"]) == ("retracted", "was asked by mistake")


def test_it_is_used_again_once_the_column_is_open_again(assistant: Assistant):
    verified(assistant, QUESTION, SECRET)
    version = assistant.changes.in_force()[0]
    publish(assistant, [CLOSES])
    in_force(assistant).verified.listed()
    assistant.changes.roll_back(version, "edith")
    opened = in_force(assistant)
    assert opened.ask(QUESTION).trust == "verified"
    assert [one.sql for one in opened.verified.exported()] == [one.answer.sql for one in opened.verified.listed()]
