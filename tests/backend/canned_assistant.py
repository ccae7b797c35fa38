"""Stands in for the assistant where only the face in front of it is tested."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from datetime import date

from ai_engine.catalogue import Catalogue, Column, Table
from ai_engine.semantics.model import SemanticModel
from ai_engine.semantics.values import ValueIndex
from ai_engine.semantics.vocabulary import Vocabulary
from ai_engine.types import Answer, Event, OutputColumn, QueryResult, Turn
from backend.settings import Settings, read_settings

Reply = Answer | Exception | Callable[[threading.Event], Answer]

CUSTOMERS = Answer(
    question="How many customers are there?",
    status="answered",
    model="canned",
    restatement="Number of customers",
    sql="SELECT COUNT(*) AS customers FROM customers",
    result=QueryResult(("customers",), ("integer",), ((12_000,),), elapsed_ms=4.0),
    columns=(OutputColumn("customers", "Customers", "count", "measure"),),
    summary="There are 12,000 customers.",
    chart="metric",
    timings_ms={"total": 9.0},
)


class CannedModel:
    name = "canned"


class CannedAssistant:
    """Gives each question its reply and records what it was asked; an unknown question fails the test."""

    model = CannedModel()
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    vocabulary = Vocabulary(
        Catalogue("duckdb", (Table("customers", (Column("customer_id", "integer"),)),)),
        SemanticModel("bank", (), currency="INR"),
        ValueIndex((), SemanticModel("bank", ())),
        date(2026, 9, 30),
    )

    def __init__(self, replies: dict[str, Reply]) -> None:
        self._replies = replies
        self.asked: list[tuple[str, tuple[str, ...]]] = []
        self.closed = False

    def at(self, _door: str) -> CannedAssistant:
        return self

    @property
    def settings(self) -> Settings:
        return read_settings()

    def ask(
        self,
        question: str,
        history: Sequence[Turn] = (),
        stop: threading.Event | None = None,
        *,
        above: Answer | None = None,
        heard: Callable[[Event], None] | None = None,
        who: str = "local",
        anew: bool = False,
    ) -> Answer:
        self.asked.append((question, tuple(turn.restatement for turn in history)))
        reply = self._replies[question]
        if isinstance(reply, Exception):
            raise reply
        return reply if isinstance(reply, Answer) else reply(stop or threading.Event())

    def stream(self, question: str, history: Sequence[Turn] = (), *, above: Answer | None = None) -> Iterator[Event]:
        yield self.ask(question, history, above=above)

    def close(self) -> None:
        self.closed = True
