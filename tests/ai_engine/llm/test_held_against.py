"""What a model says is held against what it was told, so that nothing that comes of it tells what else is stored."""

from __future__ import annotations

from contextlib import suppress
from contextvars import copy_context
from dataclasses import replace
from typing import Any

import pytest

from ai_engine.errors import ModelFailed, NoFurtherDraft
from ai_engine.model_use import begin_asking
from ai_engine.ports import SqlTask
from ai_engine.semantics.values import ColumnValues, FoundValues, StoredValue, ValueIndex
from ai_engine.semantics.vocabulary import Vocabulary
from tests.ai_engine.llm.bank import BANK, CUSTOMERS, MODEL
from tests.ai_engine.llm.server import ChatServer, says, serving
from tests.ai_engine.llm.test_model import NEVER, TOTAL, model

_FIELDS = tuple(replace(one, sensitive=False) for one in CUSTOMERS.fields)
_OPEN = replace(MODEL, datasets=(replace(CUSTOMERS, fields=_FIELDS), *MODEL.datasets[1:]))
_MANY = tuple(f"Segment{letter}" for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ")


def bank(name: str, segment: str) -> Vocabulary:
    values = (
        ColumnValues("customers", "full_name", (name, "Vikram Shah"), complete=True),
        ColumnValues("customers", "segment", (*_MANY, segment), complete=True),
    )
    return replace(BANK, model=_OPEN, values=ValueIndex(values, _OPEN))


def _asked(reply: dict[str, Any], vocabulary: Vocabulary, *, in_sql: bool) -> list[Any]:
    with serving() as server:
        server._answers += [says(reply)] * 4
        ask(server, vocabulary, in_sql=in_sql)
        server._answers.clear()
        return server.requests


def ask(server: ChatServer, vocabulary: Vocabulary, *, in_sql: bool) -> object:
    try:
        if in_sql:
            return model(server).write_sql(SqlTask("the 5 largest?", "The 5 largest"), vocabulary, stop=NEVER)
        return model(server).interpret("total deposits of 3 clients?", (), vocabulary, stop=NEVER)
    except ModelFailed:
        return None


@pytest.mark.parametrize(
    "reply",
    [
        {"outcome": "clarify", "restatement": "x", "choices": ["Deposits of Kapoor", "Deposits of all"]},
        {"outcome": "clarify", "restatement": "x", "choices": ["Deposits in Wholesale", "Deposits of all"]},
        {"outcome": "about", "restatement": "x", "reply": "It is Kapoor."},
        {"outcome": "refused", "restatement": "x", "reply": "It is Kapoor.", "suggestions": ["Deposits of Kapoor"]},
        {**TOTAL, "assumptions": ["3 clients are Kapoor's"]},
        {**TOTAL, "assumptions": ["3 means kapoor"]},
        {**TOTAL, "assumptions": ["3: wholesale"]},
    ],
)
def test_a_name_in_a_reply_is_answered_alike_whether_it_is_stored_or_not(reply: dict[str, Any]):
    stored, other = (_asked(reply, bank(*one), in_sql=False) for one in (("Kapoor", "Wholesale"), ("Zorro", "Zzz")))
    assert stored == other


@pytest.mark.parametrize("told", ["5 is for Kapoor", "5: kapoor", "5 of Wholesale", "5: wholesale"])
def test_so_is_one_in_what_a_statement_assumes(told: str):
    reply = {"sql": "SELECT SUM(balance) AS s FROM accounts", "assumptions": [told]}
    stored, other = (_asked(reply, bank(*one), in_sql=True) for one in (("Kapoor", "Wholesale"), ("Zorro", "Zzz")))
    assert stored == other


def test_what_was_found_for_the_question_may_be_named():
    class Finds:
        def find(self, *_: object, **__: object) -> FoundValues:
            return FoundValues((StoredValue("customers", "full_name", "Asha Rao"),), ("asha",))

    reply = {"outcome": "clarify", "restatement": "x", "choices": ["Deposits of Asha Rao", "Deposits of all clients"]}
    with serving(says(reply)) as server:
        asking = model(server)
        asking._named_values = Finds()
        read = asking.interpret("deposits of asha?", (), bank("Asha Rao", "Wholesale"), stop=NEVER)
    assert read.choices == tuple(reply["choices"])


class Searches:
    """Finds the one name that is stored."""

    def __init__(self, name: str) -> None:
        self._name = name

    def find(self, question: str, *_: object, **__: object) -> FoundValues:
        found = [StoredValue("customers", "full_name", self._name)] if self._name.lower() in question.lower() else []
        return FoundValues(tuple(found))


def _sent(stored: str, typed: str, question: str, restatement: str) -> list[Any]:
    """Ask about a bank with one name, as somebody who typed some of the words."""

    def asked() -> list[Any]:
        begin_asking("una", [typed])
        with serving() as server:
            server._answers += [says({**TOTAL, "assumptions": []}), says({}), says({"reason": "no"}), says({})]
            asking = model(server)
            asking._named_values = Searches(stored)
            for ask_one in (
                lambda: asking.interpret(question, (), bank(stored, "Wholesale"), stop=NEVER),
                lambda: asking.write_sql(SqlTask(question, restatement), bank(stored, "Wholesale"), stop=NEVER),
            ):
                with suppress(ModelFailed, NoFurtherDraft):
                    ask_one()
            server._answers.clear()
            return server.requests

    return copy_context().run(asked)


@pytest.mark.parametrize(
    ("question", "restatement"),
    [("total deposits?", "Deposits of Kapoor"), ("deposits of kapoor", "Deposits"), ("Kapoor", "Kapoor and Zorro")],
)
def test_what_is_stored_is_looked_up_for_no_word_that_only_a_model_put_into_a_question(question: str, restatement: str):
    told = [_sent(stored, "total deposits?", question, restatement) for stored in ("Kapoor", "Zorro")]
    assert told[0] == told[1]


def test_it_is_looked_up_for_what_the_person_typed_whoever_said_it_again():
    sent = _sent("Kapoor", "total deposits of kapoor?", "deposits of Kapoor", "Deposits of Kapoor")
    assert "full_name = 'Kapoor'" in sent[0]["messages"][1]["content"]
    assert "full_name = 'Kapoor'" in sent[-1]["messages"][1]["content"]
