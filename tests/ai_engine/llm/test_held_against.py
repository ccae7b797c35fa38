"""What a model says is held against what it was told, so that nothing that comes of it tells what else is stored."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ai_engine.errors import ModelFailed
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
