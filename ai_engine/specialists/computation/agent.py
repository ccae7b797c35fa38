"""The computation agent: a plan in words and a program, run in a sandbox, told in a sentence."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from ai_engine.agent import (
    AgentError,
    AgentExecutionStatus,
    AgentRequest,
    AgentResult,
    AgentRun,
    Capabilities,
    TabularResult,
    TraceEventType,
    in_thread,
)
from ai_engine.agent_results import described, rows_may_leave
from ai_engine.errors import ModelFailed, QueryStopped
from ai_engine.insight.amounts import exact
from ai_engine.specialists.computation.calculation import Calculation, InputMissing, NotRecognised, SeveralAsked
from ai_engine.specialists.computation.follow_up import standing_alone
from ai_engine.specialists.computation.formula import Formula
from ai_engine.specialists.computation.formulas import FORMULAS
from ai_engine.specialists.computation.model_plan import FIGURE, plan_by_model
from ai_engine.specialists.computation.program_figures import says_more
from ai_engine.specialists.computation.quantities import QuantityKind, quantities
from ai_engine.specialists.computation.recognise import EarlierFigure, recognise, unused_words
from ai_engine.specialists.computation.sandbox import Sandbox, SandboxRun
from ai_engine.specialists.computation.table_operations import OPERATIONS, EarlierTable, Operation, recognise_operation
from ai_engine.specialists.computation.telling import cells_of, figure_text, sentence, table_of
from ai_engine.specialists.computation.time_steps import time_label
from ai_engine.specialists.earlier import earlier_questions

_ERROR_TYPES = {"violation": "SandboxViolation", "timed_out": "TimedOut", "stopped": "Stopped"}
_LEAST_S = 0.05
_PER_UNUSED_WORD = 0.1
_PER_WORD_OF_A_STORY = 0.05
_SUPPOSES = re.compile(r"^\W*(?:and |then |so |now )?(?:if|assum|suppos|say|imagine)", re.IGNORECASE)
"""Begins what is no fact: the words around its numbers tell a story that no other agent knows."""
_SEVERAL = 0.4
_MOST_NAMED = 8
_CLAUSE = re.compile(r"[,;?.]\s+|\s+(?:and|then|also|plus)\s+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ComputationServices:
    """What the agent reaches outside.

    Attributes:
        timeout_s: longest run of one program.
        max_rows: rows of an earlier table that a program is given.
        currency: code in which amounts are told where the question names none.
    """

    sandbox: Sandbox
    timeout_s: float = 2.0
    max_rows: int = 5_000
    currency: str = "INR"


class ComputationAgent:
    """Calculates with numbers of the question and with tables of the agents before it."""

    name = "computation"
    description = (
        "Calculates loan instalments and schedules, interest, CAGR, NPV, XIRR, day counts, percentages and arithmetic, "
        "and works on a table found before: growth, shares, forecasts, what-if, moving averages."
    )
    capabilities = Capabilities(
        keywords=(
            "calculate", "difference", "ratio", "project", "simulate", "compute", "forecast", "estimate", "compare",
            "what is", "percent",
        ),
        examples=(
            "EMI on 25 lakh at 8.75 % for 20 years",
            "CAGR from 120 to 185 in 4 years",
            "12 % of 4.5 crore",
            "forecast the next 3 months",
        ),
        works_on="own_data",
        gives=frozenset({"answer", "table"}),
        reads=frozenset({"table"}),
        needs_services=(ComputationServices,),
    )  # fmt: skip

    def claim(self, part: str, run: AgentRun) -> float | None:  # noqa: ARG002 - its own numbers are all it looks at
        """A formula with all its numbers is its own; one that leans on what was found before counts as if that were."""
        if len(calculations_asked(part)) > 1:
            return _SEVERAL
        try:
            certainty = recognise(part).certainty
        except InputMissing:
            certainty = 0.9
        except NotRecognised:
            certainty = 0.9 if any(operation.own and operation.asked_in(part) for operation in OPERATIONS) else 0.0
        each = _PER_WORD_OF_A_STORY if _SUPPOSES.match(part) else _PER_UNUSED_WORD
        return max(0.1, certainty - each * len(unused_words(part))) if certainty else 0.0

    async def run(self, request: AgentRequest, earlier: Sequence[AgentResult], run: AgentRun) -> AgentResult:
        """See `ai_engine.agent.Agent`."""
        return await in_thread(self._result, request, earlier, run)

    def _result(self, request: AgentRequest, earlier: Sequence[AgentResult], run: AgentRun) -> AgentResult:
        services = run.service(ComputationServices)
        tables = _tables(earlier)
        question = standing_alone(request.question, earlier_questions(request))
        try:
            calculation, told = self._plan(question, tables, run, may_leave=rows_may_leave(earlier))
        except InputMissing as fault:
            return _failed("InputMissing", f"{fault}.")
        except SeveralAsked as fault:
            return _failed("SeveralAsked", f"{fault}. Please ask for one at a time.")
        except NotRecognised:
            return _failed("NotRecognised", _what_is_known(request.question))
        except QueryStopped:
            return _failed("Stopped", "Stopped.")
        if question != request.question:
            calculation = replace(calculation, assumptions=(f"“{question}” is meant", *calculation.assumptions))
        ran = _run(calculation, services, run)
        if ran.status != "ok":
            kind = _ERROR_TYPES.get(ran.status, "ComputationFailed")
            return _failed(kind, _reason(ran, calculation, question), code=calculation.code)
        currency = calculation.currency or _currency(question, services.currency)
        return _succeeded(calculation, told, ran, currency, run)

    def _plan(
        self, question: str, tables: list[EarlierTable], run: AgentRun, *, may_leave: bool
    ) -> tuple[Calculation, str]:
        """By the model where there is one, else, and where it fails, by rule."""
        how = "by rule"
        calculation: Calculation | None = None
        told = ""
        if run.model is not None:
            try:
                named = {f"{table.agent}_table" if i else "table": table for i, table in enumerate(tables[::-1])}
                calculation, told = plan_by_model(run.model, question, named, run.stop, may_leave=may_leave)
                how = "by the language model"
            except ModelFailed as fault:
                run.tell(TraceEventType.ERROR, f"The language model gave no plan, so rules make it: {fault}")
        if calculation is None:
            calculation = recognise_by_rule(question, tables)
        run.tell(
            TraceEventType.DECISION,
            f"Planned {how}: {calculation.name}",
            steps=list(calculation.steps),
            code=calculation.code,
            assumptions=list(calculation.assumptions),
        )
        return calculation, told


def recognise_by_rule(question: str, tables: Sequence[EarlierTable]) -> Calculation:
    """A formula with the question's numbers, else an operation on a table before, else a formula that leans on one.

    Raises:
        InputMissing, NotRecognised: as `recognise`.
        SeveralAsked: more than one is asked for, and one alone would be done.
    """
    asked = calculations_asked(question)
    if len(asked) > 1:
        raise SeveralAsked(f"{' and '.join(asked)} are {len(asked)} calculations")
    missing: InputMissing | None = None
    try:
        return recognise(question)
    except InputMissing as fault:
        missing = fault
    except NotRecognised:
        pass
    figures = _figures(tables)
    if missing is not None and figures:
        try:
            return recognise(question, figures)
        except InputMissing as fault:
            missing = fault
    operation = recognise_operation(question, tables)
    if operation is not None:
        return operation
    raise missing or NotRecognised


def calculations_asked(question: str) -> tuple[str, ...]:
    """Name the formulas and operations that the clauses of a question ask for, each once."""
    known: tuple[Formula | Operation, ...] = (*FORMULAS, *(each for each in OPERATIONS if each.own))
    asked = (next((each.name for each in known if each.asked_in(clause)), None) for clause in _CLAUSE.split(question))
    return tuple(dict.fromkeys(name for name in asked if name is not None))


def _tables(earlier: Sequence[AgentResult]) -> list[EarlierTable]:
    found = []
    for result in earlier:
        if result.status is AgentExecutionStatus.succeeded and result.tabular is not None and result.tabular.rows:
            told = described(result)
            in_part = {
                time_label(cell): days for column in told.get("columns") or () for cell, days in column["part_steps"]
            }
            ran = bool(told.get("query") or told.get("sql"))
            found.append(EarlierTable(result.agent, result.tabular, dict(told.get("units") or {}), in_part, ran))
    return found


def _figures(tables: Sequence[EarlierTable]) -> list[EarlierFigure]:
    """The figures of tables with a single row and just one of them, the latest first."""
    found = []
    for source in reversed(tables):
        names = source.figures()
        if source.table.row_count == 1 and len(names) == 1:
            value = exact(source.table.rows[0][names[0]])
            if value is not None:
                kind: QuantityKind = "number"
                if (unit := source.unit_of(names[0])) in {"money", "percent"}:
                    kind = unit
                found.append(EarlierFigure(value, names[0], source.agent, kind))
    return found


def _run(calculation: Calculation, services: ComputationServices, run: AgentRun) -> SandboxRun:
    left_s = max(_LEAST_S, run.deadline - time.monotonic())
    inputs = {name: cells_of(table, services.max_rows) for name, table in calculation.tables.items()}
    ran = services.sandbox.run(calculation.code, inputs, timeout_s=min(services.timeout_s, left_s), stop=run.stop)
    run.tell(
        TraceEventType.TOOL,
        f"Ran the program: {ran.status.replace('_', ' ')}",
        code=calculation.code,
        inputs={name: f"{table.row_count} rows" for name, table in calculation.tables.items()},
        output=ran.output,
        variables=ran.variables,
        status=ran.status,
        error=ran.error,
        elapsed_ms=round(ran.elapsed_ms, 3),
    )
    return ran


def _succeeded(calculation: Calculation, told: str, ran: SandboxRun, currency: str, run: AgentRun) -> AgentResult:
    table = table_of(ran.result)
    if table is None:
        table = TabularResult(columns=[calculation.name], rows=[{calculation.name: ran.result}])
    number = exact(ran.result) if isinstance(ran.result, (int, float, Decimal)) else None
    if told and number is not None:
        answer = told.replace(FIGURE, figure_text(number, calculation.unit, currency))
    else:
        answer = sentence(calculation, ran.result, ran.variables, currency)
    run.tell(TraceEventType.RESULT, answer, units=_units(calculation, table, currency))
    return AgentResult(agent=ComputationAgent.name, status=AgentExecutionStatus.succeeded, answer=answer, tabular=table)


def _units(calculation: Calculation, table: TabularResult, currency: str) -> dict[str, str]:
    """Say the unit of each column: as the table before said it, else that of the outcome."""
    brought = {name for source in calculation.tables.values() for name in source.columns}
    unit = {"money": currency, "percent": "percent"}.get(calculation.unit, "")
    added = EarlierTable(ComputationAgent.name, table, {}).figures() if unit else []
    units = {name: unit for name in added if name not in brought}
    return units | {name: calculation.units[name] for name in table.columns if name in calculation.units}


def _failed(kind: str, message: str, **details: object) -> AgentResult:
    error = AgentError(message=message, type=kind, details=details)
    return AgentResult(agent=ComputationAgent.name, status=AgentExecutionStatus.failed, error=error)


def _reason(ran: SandboxRun, calculation: Calculation, question: str) -> str:
    """Say why a program gave nothing; what a model's program says of it may be any cell, and stays in the trace."""
    if ran.status in {"timed_out", "stopped"}:
        return f"{ran.error}."
    kind, _, detail = ran.error.partition(": ")
    failed = "The calculation failed" if ran.status == "failed" else "The program was not let through"
    if ran.status == "failed" and kind == "ZeroDivisionError":
        return f"{failed}: division by zero."
    told = (detail or kind) if ran.status == "failed" else ran.error
    return f"{failed}: {told}." if calculation.is_ours and not says_more(told, question) else f"{failed}."


def _what_is_known(question: str) -> str:
    names = ", ".join([*dict.fromkeys(formula.name for formula in FORMULAS)][:_MOST_NAMED])
    return f"No calculation was recognised in '{question.strip()}'. Known are arithmetic and formulas such as {names}."


def _currency(question: str, default: str) -> str:
    return next((quantity.currency for quantity in quantities(question) if quantity.currency), default)
