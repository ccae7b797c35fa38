"""A language model that makes the mistakes of small ones, at known rates and always the same ones."""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Mapping
from typing import Any

from ai_engine.errors import ModelUnavailable
from ai_engine.llm.recorded import question_of
from ai_engine.llm.repairing import ask_and_repair

DROPS, INVENTS, FORGETS_PERIOD, ERRS_IN_SQL = 10, 20, 15, 5
"""One reply in so many."""


class DegradedModel:
    """Knows the right reply to each question, and gives it in a worse form.

    Args:
        intents: right structured questions in the form of replies, by question.
        statements: right statements, by question.
    """

    def __init__(self, intents: Mapping[str, dict[str, Any]], statements: Mapping[str, str]) -> None:
        self._intents, self._statements = intents, statements
        self._chance = random.Random(7)
        self._lock = threading.Lock()
        self.faults: dict[str, set[str]] = {}
        """What was done to the replies to each question: "dropped limit", "invented", "period", "sql"."""

    def ask(self, messages, shape, make, *, stop, strong=False, heard=None):
        def request(turns, is_repair):
            question = question_of(turns)
            if shape.__name__ == "InsightReply":
                raise ModelUnavailable("this model tells nothing")
            with self._lock:
                return self._reading(question) if shape.__name__ == "IntentReply" else self._statement(question)

        return ask_and_repair(request, messages, shape, make)

    def _reading(self, question: str) -> str:
        intent = json.loads(json.dumps(self._intents[question]))
        if self._one_in(DROPS):
            self._drop(question, intent)
        if self._one_in(INVENTS):
            self._note(question, "invented")
            intent = json.loads(
                json.dumps(intent).replace(".", ".invented_", 1).replace('"metric": "', '"metric": "my_')
            )
        if "period" in intent and self._one_in(FORGETS_PERIOD):
            self._note(question, "period")
            del intent["period"]
        return json.dumps({"outcome": "query", "restatement": question, "intent": intent})

    def _statement(self, question: str) -> str:
        sql = self._statements[question]
        if self._one_in(ERRS_IN_SQL):
            self._note(question, "sql")
            sql = sql.replace("SELECT", "SELECT no_such_column,", 1)
        return json.dumps({"sql": sql})

    def _drop(self, question: str, intent: dict[str, Any]) -> None:
        """Take out one key, of the whole or of a measure, a filter or a group."""
        places = [(intent, name) for name in intent]
        for name, part in intent.items():
            inner = [one for one in part if isinstance(one, dict)] if isinstance(part, list) else []
            places += [(one, key) for one in inner for key in one if len(one) > 1 and name != "order"]
        place, key = self._chance.choice(places)
        self._note(question, f"dropped {key}")
        del place[key]

    def _one_in(self, rate: int) -> bool:
        return self._chance.randrange(rate) == 0

    def _note(self, question: str, fault: str) -> None:
        self.faults.setdefault(question, set()).add(fault)
