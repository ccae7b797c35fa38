"""Computes the totals, compares them with what the groups add up to, and looks for the reason of a difference."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from decimal import Decimal

from sqlglot.errors import SqlglotError

from ai_engine import guard
from ai_engine.agents.running import expected_of, run_with_deadline
from ai_engine.errors import AssistantError, IntentNotCovered, QueryFailed, QueryStopped, QueryTimedOut, SqlRejected
from ai_engine.insight.amounts import exact
from ai_engine.ports import KeepsResults, Services, runs_anew
from ai_engine.semantics.compiler import compile_intent
from ai_engine.semantics.compiler.scope import Setting
from ai_engine.semantics.intent import Intent, Measure
from ai_engine.tie_out import telling
from ai_engine.tie_out.control import Control, control_intent, controls_of
from ai_engine.tie_out.cost import costs_more
from ai_engine.tie_out.finding import TiedFigure, TieOut, TieOutCause
from ai_engine.tie_out.suspects import suspects_of
from ai_engine.types import Answer, CheckedStatement, QueryResult

_log = logging.getLogger(__name__)
_HALF_A_CENT = Decimal("0.005")
_NOISE = Decimal("1e-11")
"""Of a sum of floating point numbers, about."""


def can_be_tied_out(answer: Answer, services: Services) -> bool:
    """Tell whether an answer has figures by group that have a total."""
    return bool(_controls(answer, services))


def tied_out(answer: Answer, services: Services) -> TieOut | None:
    """Hold the figures of an answer against their totals; None where it has none, or nobody wants it any more.

    Every statement passes the guard and runs under the limits of one question, all of them together within its time.
    """
    result = answer.result
    controls = _controls(answer, services)
    if not controls or result is None or answer.sql is None:
        return None
    if result.truncated:
        return TieOut("not checked", telling.said_of_cut(result))
    runner = services.runner
    if result.ran_at is not None and isinstance(runner, KeepsResults) and not runner.tells_versions:
        return TieOut("not checked", telling.OF_ANOTHER_TIME)
    run = _Run(replace(services, runner=runs_anew(runner)))  # a kept total would bear out what it was kept with
    try:
        statements = [run.statement(control.intent) for control in controls]
        expected = result.expected or expected_of(_checked(answer.sql, services).run_sql, services)
        if costs_more([one.run_sql for one in statements], answer.sql, expected, services):
            return TieOut("not checked", telling.TOO_DEAR)
        figures = [
            figure
            for control, statement in zip(controls, statements, strict=True)
            for figure in _figures(answer, result, control, run.result(statement), run)
        ]
    except QueryStopped:
        return None
    except QueryTimedOut:
        return TieOut("not checked", telling.TOO_SLOW)
    except AssistantError as fault:
        _log.info("a figure could not be tied out: %s", fault)
        return TieOut("not checked", telling.FAILED)
    except Exception:  # noqa: BLE001 - the answer stands, whatever becomes of the check
        _log.exception("unexpected error while tying out")
        return TieOut("not checked", telling.FAILED)
    return telling.told(answer, figures, tuple(one.sql for one in statements), services.vocabulary)


@dataclass
class _Run:
    """The statements of one check, which share the time of one question."""

    services: Services
    began: float = field(default_factory=time.monotonic)

    def statement(self, intent: Intent) -> CheckedStatement:
        vocabulary = self.services.vocabulary
        draft = compile_intent(intent, vocabulary.model, vocabulary.catalogue.dialect, vocabulary.as_of)
        return _checked(draft.sql, self.services)

    def result(self, statement: CheckedStatement) -> QueryResult:
        if self.services.stop.is_set():
            raise QueryStopped
        limit_s = self.services.limits.timeout_s
        left_s = limit_s - (time.monotonic() - self.began)
        if left_s <= 0:
            raise QueryTimedOut(limit_s)
        return run_with_deadline(self.services.runner, statement, left_s, self.services.stop)

    def row(self, intent: Intent) -> list[Decimal]:
        return _numbers(self.result(self.statement(intent)))


def _checked(sql: str, services: Services) -> CheckedStatement:
    return guard.check(sql, services.vocabulary.catalogue, services.policy)


def _controls(answer: Answer, services: Services) -> list[Control]:
    compiled = answer.trust in ("verified", "agreed", "compiled")
    if answer.intent is None or answer.result is None or answer.sql is None or not compiled:
        return []
    try:
        return controls_of(answer.intent, len(answer.columns), _setting(services))
    except (IntentNotCovered, KeyError, SqlglotError):
        return []


def _setting(services: Services) -> Setting:
    vocabulary = services.vocabulary
    return Setting(vocabulary.model, vocabulary.catalogue.dialect, vocabulary.as_of)


def _figures(
    answer: Answer, result: QueryResult, control: Control, found: QueryResult, run: _Run
) -> Iterator[TiedFigure]:
    for number, (place, total) in enumerate(zip(control.places, _numbers(found), strict=True)):
        cells = [row[place] for row in result.rows]
        shown = sum((exact(cell) or Decimal(0) for cell in cells), Decimal(0))
        inexact = any(isinstance(cell, float) for cell in (*cells, *found.rows[0]))
        figure = TiedFigure(answer.columns[place].name, shown, total)
        if _is_equal(shown, total, inexact=inexact):
            figure = TiedFigure(figure.column, total, total)
        elif answer.intent is not None:
            causes = tuple(_causes(answer.intent, control, control.intent.measures[number], run, figure.difference))
            figure = TiedFigure(figure.column, shown, total, causes)
        yield figure


def _causes(asked: Intent, control: Control, measure: Measure, run: _Run, difference: Decimal) -> Iterator[TieOutCause]:
    """Count the rows that each suspect names, until they explain the difference."""
    if control.intent.subject not in (None, control.rows):
        return  # tests of related rows would start at other rows than those that are counted
    setting = _setting(run.services)
    counted = Measure(aggregate="count", dataset=control.rows, filters=measure.filters)
    left = difference
    for several in suspects_of(asked, control.rows, setting):
        rows, amount = 0, Decimal(0)
        for suspect in several:
            intent = control_intent(asked, control.rows, [measure, counted], setting, suspect.filters)
            try:
                figures = run.row(intent)
            except (IntentNotCovered, SqlRejected):
                break
            amount_found, count = figures[0], figures[-1]  # one column where rows are what is counted
            if not count:
                break
            rows = rows or int(count)
            amount += amount_found if suspect.repeated else -amount_found
        if rows:
            left -= amount
            said = telling.said_of_cause(rows, control.rows, several[0].said, setting)
            yield TieOutCause(several[0].kind, rows, amount, said)
        if not left:
            return


def _numbers(found: QueryResult) -> list[Decimal]:
    """Read the one row of a statement without groups; nothing added up is nothing."""
    if found.row_count != 1:
        raise QueryFailed("a total has one row")
    return [exact(cell) or Decimal(0) for cell in found.rows[0]]


def _is_equal(shown: Decimal, total: Decimal, *, inexact: bool) -> bool:
    if not inexact:
        return shown == total
    return abs(shown - total) <= max(_HALF_A_CENT, _NOISE * abs(total))
