"""How many tokens of the language model each person has used on a day (UTC), for all processes."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import BigInteger, Column, ColumnElement, String, Table, insert, select, update
from sqlalchemy.exc import IntegrityError

from ai_engine.errors import AssistantError, ModelBudgetSpent
from backend.store.opening import Store
from backend.store.schema import METADATA

_log = logging.getLogger(__name__)

SPENDING = Table(
    "model_spending",
    METADATA,
    Column("person", String(200), primary_key=True),
    Column("day", String(10), primary_key=True),
    Column("tokens", BigInteger, nullable=False),
)


@dataclass(frozen=True)
class DailyAllowance:
    """Implements `Allowance` on the store; a store that is away permits all, and the log says so.

    Attributes:
        store: opens the store, or gives it where it is open.
        max_tokens: of requests and replies together, per day.
    """

    store: Callable[[], Store]
    max_tokens: int

    def check(self, person: str) -> None:
        """See Allowance."""
        try:
            with self.store().reading() as on:
                spent = on.scalar(select(SPENDING.c.tokens).where(_row(person))) or 0
        except AssistantError as fault:
            _log.warning("what has been spent on the language model cannot be looked up: %s", fault)
            return
        if spent >= self.max_tokens:
            raise ModelBudgetSpent(self.max_tokens)

    def spend(self, person: str, tokens: int) -> None:
        """See Allowance."""
        try:
            if not self._added(person, tokens):
                self._begun(person, tokens)
        except AssistantError as fault:
            _log.warning("what was spent on the language model cannot be kept: %s", fault)

    def _added(self, person: str, tokens: int) -> bool:
        with self.store().writing() as on:
            more = update(SPENDING).where(_row(person)).values(tokens=SPENDING.c.tokens + tokens)
            return on.execute(more).rowcount == 1

    def _begun(self, person: str, tokens: int) -> None:
        try:
            with self.store().writing() as on:
                on.execute(insert(SPENDING).values(person=person, day=_today(), tokens=tokens))
        except IntegrityError:  # another process was the first
            self._added(person, tokens)


def _row(person: str) -> ColumnElement[bool]:
    return (SPENDING.c.person == person) & (SPENDING.c.day == _today())


def _today() -> str:
    return datetime.now(UTC).date().isoformat()
