"""Operations on the table of an agent before: forecast, growth, shares, what if, averages over time, differences."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal

from ai_engine.agent import TabularResult
from ai_engine.specialists.computation.calculation import (
    Calculation,
    InputMissing,
    SeveralAsked,
    Unit,
    in_words,
    literal,
)
from ai_engine.specialists.computation.quantities import of_kind, quantities
from ai_engine.specialists.computation.time_steps import Grain, grain_of, labels_after, time_label

_STEPS_PER = {("month", "quarter"): 3, ("month", "year"): 12, ("quarter", "year"): 4, ("day", "week"): 7}
_SEASONS = {"month": 12, "quarter": 4, "day": 7}
_WORD_NUMBERS = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
                 "twelve": 12}  # fmt: skip
_NEXT = re.compile(
    r"\b(?:next|coming|following)\s+(?:(?P<n>\d+|" + "|".join(_WORD_NUMBERS) + r")\b[\s-]*)?"
    r"(?:(?P<unit>day|week|month|quarter|year|period|step|value)s?\b|(?(n)|(?!)))",
    re.IGNORECASE,
)
_NOT_A_FIGURE = re.compile(r"(?:^|_| )(?:id|no|number|code|year|month|quarter)$", re.IGNORECASE)
_MIN_NUMBERS = 2


@dataclass(frozen=True, slots=True)
class EarlierTable:
    """A table, and the agent that found it.

    Attributes:
        agent: its name.
        table: what it found.
        units: of its columns.
        part_steps: cells of its run of time whose step is covered only in part, as `time_label` writes them, each
            with the days that are covered.
        has_statement: a statement gave it, and so its columns their names.
    """

    agent: str
    table: TabularResult
    units: dict[str, str]
    part_steps: Mapping[str, str] = field(default_factory=dict)
    has_statement: bool = False

    def with_whole_steps(self) -> tuple[EarlierTable, tuple[str, ...]]:
        """Leave out the steps that are covered only in part; return what was left out beside the rest."""
        in_part = {at for at, row in enumerate(self.table.rows) for cell in row.values() if self._is_part(cell)}
        if not in_part:
            return self, ()
        rows = [row for at, row in enumerate(self.table.rows) if at not in in_part]
        days = " and ".join(dict.fromkeys(self.part_steps.values()))
        whole = TabularResult(columns=self.table.columns, rows=rows)
        return replace(self, table=whole, part_steps={}), (f"{days} is only a part of a step and is left out",)

    def _is_part(self, cell: object) -> bool:
        return cell is not None and not isinstance(cell, (bool, float, Decimal)) and time_label(cell) in self.part_steps

    def figures(self) -> list[str]:
        """Columns of numbers that are no keys and no years."""
        return [name for name in self.table.columns if self._is_figure(name)]

    def unit_of(self, column: str) -> Unit:
        """The unit of a column as answers write it."""
        unit = self.units.get(column, "")
        return "percent" if unit == "percent" else "money" if unit.isupper() else "number"

    def currency_of(self, column: str) -> str:
        """The code of its money; "" where it is none."""
        return self.units.get(column, "") if self.unit_of(column) == "money" else ""

    def told(self, column: str) -> str:
        """A column as answers name it, with who found it."""
        return f"{in_words(column)} found by {in_words(self.agent)}"

    def _is_figure(self, name: str) -> bool:
        cells = [row.get(name) for row in self.table.rows]
        numbers = [cell for cell in cells if isinstance(cell, (int, float, Decimal)) and not isinstance(cell, bool)]
        filled = [cell for cell in cells if cell is not None]
        return bool(numbers) and len(numbers) == len(filled) and _NOT_A_FIGURE.search(name) is None


@dataclass(frozen=True, slots=True)
class Operation:
    """One thing that can be done with a table: the words that ask for it, and how it becomes a calculation.

    `own` says that its words ask for nothing else; an average or a sum may as well be asked of a database. One that
    goes along time leaves out the steps that are covered only in part.
    """

    name: str
    cue: str
    build: Callable[[str, EarlierTable, str], Calculation]
    own: bool = False
    along_time: bool = False

    def asked_in(self, text: str) -> bool:
        """Whether its words are there."""
        return re.search(self.cue, text, re.IGNORECASE) is not None


def recognise_operation(question: str, earlier: Sequence[EarlierTable]) -> Calculation | None:
    """Read a question as an operation on the latest table with figures; None when it is none.

    Raises:
        InputMissing: an operation was asked for that this table does not allow.
        SeveralAsked: more than one change of it was asked for.
    """
    operation = next((known for known in OPERATIONS if known.asked_in(question)), None)
    if operation is None:
        return None
    source = next((table for table in reversed(earlier) if table.figures()), None)
    if source is None:
        if earlier:
            raise InputMissing(f"{operation.name} needs a column of numbers, and the table before has none")
        return None
    source, left_out = source.with_whole_steps() if operation.along_time else (source, ())
    calculation = operation.build(question, source, _column(question, source))
    return replace(calculation, assumptions=(*calculation.assumptions, *left_out))


def _column(question: str, source: EarlierTable) -> str:
    """The figure that the question names, else the last one."""
    figures = source.figures()
    words = set(re.findall(r"[a-z]{3,}", question.lower()))
    named = [name for name in figures if words & set(re.findall(r"[a-z]{3,}", name.lower()))]
    return (named or figures)[-1]


def _forecast(question: str, source: EarlierTable, column: str) -> Calculation:
    grain, labels = _grain(source)
    ahead = _steps_ahead(question, grain)
    seasonal = re.search(r"\bseason", question, re.IGNORECASE) is not None
    season = _SEASONS.get(grain, 0) if grain else 0
    if seasonal and not season:
        raise InputMissing("a seasonal forecast needs a table by month, quarter or day")
    call = f"seasonal_forecast(values, {ahead}, {season})" if seasonal else f"linear_forecast(values, {ahead})"
    method = (
        f"the values of the last season of {season} repeat" if seasonal else "the straight line that fits best goes on"
    )
    names = labels_after(labels, grain, ahead) if grain else [f"step {step + 1}" for step in range(ahead)]
    code = (
        f"values = column_of(table, {column!r})\n"
        f"model = {call}\n"
        f"names = {names!r}\n"
        'result = {"columns": ["period", "forecast"], "rows": [[n, v] for n, v in zip(names, model["forecast"])]}\n'
        'error = model["error"]'
    )
    return Calculation(
        "forecast",
        (f"Take {source.told(column)}, in its order.", f"Forecast {ahead} steps: {method}.",
         "Hold back the last values, forecast them, and say by how much that missed."),
        code, source.unit_of(column), source.told(column), assumptions=(method, "nothing else changes"),
        tables={"table": source.table}, currency=source.currency_of(column),
    )  # fmt: skip


def _steps_ahead(question: str, grain: Grain | None) -> int:
    found = _NEXT.search(question)
    if found is None:
        return 1
    said = (found["n"] or "1").lower()
    number = _WORD_NUMBERS.get(said) or int(said)
    unit = (found["unit"] or "period").lower()
    return number * _STEPS_PER.get((grain or "", unit), 1)


def _grain(source: EarlierTable) -> tuple[Grain | None, list[object]]:
    for name in source.table.columns:
        cells = [row.get(name) for row in source.table.rows]
        grain = grain_of(cells)
        if grain is not None:
            return grain, cells
    return None, []


def _added_column(name: str, function: str, title: str, step: str) -> Callable[[str, EarlierTable, str], Calculation]:
    def build(question: str, source: EarlierTable, column: str) -> Calculation:  # noqa: ARG001 - one shape for all
        if source.table.row_count < _MIN_NUMBERS:
            raise InputMissing(f"{name} needs a table of several rows, and {source.told(column)} is one figure")
        code = f"values = {function}(column_of(table, {column!r}))\nresult = with_column(table, {title!r}, values)"
        steps = (f"Take {source.told(column)}.", step)
        given = source.told(column)
        return Calculation(
            name, steps, code, "percent", given, tables={"table": source.table}, units=source.units
        )  # fmt: skip

    return build


def _what_if(question: str, source: EarlierTable, column: str) -> Calculation:
    percents = of_kind(quantities(question), "percent")
    if not percents:
        raise InputMissing("a what-if needs a change in percent")
    if len(percents) > 1:
        raise SeveralAsked(f"a what-if changes one column by one percentage, and {len(percents)} were said")
    falls = re.search(r"\b(?:fall|fell|drop|decrease|decline|reduc|less|down|shrink|cut)", question, re.IGNORECASE)
    change = -percents[0].value if falls else percents[0].value
    code = f"result = what_if(table, {column!r}, {literal(change)})"
    steps = (f"Take {source.told(column)}.", f"Change every value by {change.normalize():f} %.")
    return Calculation(
        "what if", steps, code, source.unit_of(column), source.told(column), assumptions=("nothing else changes",),
        tables={"table": source.table}, units=source.units, currency=source.currency_of(column),
    )  # fmt: skip


def _moving_average(question: str, source: EarlierTable, column: str) -> Calculation:
    found = re.search(
        r"\b(\d+|" + "|".join(_WORD_NUMBERS) + r")[- ]?(?:day|week|month|quarter|year|period|step)?s?[- ]"
        r"(?:moving|rolling)", question, re.IGNORECASE,
    )  # fmt: skip
    window = 3 if found is None else _WORD_NUMBERS.get(found[1].lower()) or int(found[1])
    code = (
        f"values = moving_average(column_of(table, {column!r}), {window})\n"
        f'result = with_column(table, "average of {window}", values)'
    )
    assumed = () if found else ("the average is taken of three values, as no number was said",)
    return Calculation(
        "moving average", (f"Take {source.told(column)}.", f"Average each value with the {window - 1} before it."),
        code, source.unit_of(column), source.told(column), assumptions=assumed, tables={"table": source.table},
        units=source.units, currency=source.currency_of(column),
    )  # fmt: skip


def _single(name: str, expression: str, step: str, unit: Unit | None = None) -> Callable[..., Calculation]:
    def build(question: str, source: EarlierTable, column: str) -> Calculation:  # noqa: ARG001 - one shape for all
        numbers = [row[column] for row in source.table.rows if row.get(column) is not None]
        if len(numbers) < _MIN_NUMBERS:
            raise InputMissing(f"{name} needs two values of {column} at least")
        code = f"values = [cell for cell in column_of(table, {column!r}) if cell is not None]\nresult = {expression}"
        steps = (f"Take {source.told(column)}.", step)
        return Calculation(
            name, steps, code, unit or source.unit_of(column), source.told(column),
            tables={"table": source.table}, currency=source.currency_of(column), certainty=0.9,
        )  # fmt: skip

    return build


_OVER_TIME = "period month quarter year".split()
OPERATIONS: tuple[Operation, ...] = (
    Operation(
        "a forecast",
        r"\bforecast|\bproject(?:ion|ed|s)?\b|\bpredict|\bextrapolat|\bexpect(?:ed)? (?:in )?(?:the )?next\b",
        _forecast,
        own=True,
        along_time=True,
    ),
    Operation("a what-if", r"\bwhat if\b|\b(?:if|suppose|assuming)\b.*(?:%|percent)|\bsimulat", _what_if, own=True),
    Operation("a moving average", r"\b(?:moving|rolling) average", _moving_average, own=True, along_time=True),
    Operation(
        "growth",
        rf"\bgrowth\b|\bgrew\b|\b(?:{'|'.join(_OVER_TIME)})[- ](?:on|over)[- ]|\bmom\b|\byoy\b|\bqoq\b",
        _added_column("growth", "growth_percent", "growth in percent", "Divide each change by the value before."),
        along_time=True,
    ),
    Operation(
        "shares",
        r"\bshares?\b|\bpercent(?:age)? of (?:the )?total\b|\bproportion|\bcontribution",
        _added_column("share", "share_percent", "share in percent", "Divide each value by the sum of all."),
    ),
    Operation(
        "a difference",
        r"\bdifference\b|\bgap\b|\bspread\b",
        _single("difference", "max(values) - min(values)", "Subtract the lowest from the highest."),
    ),
    Operation(
        "a ratio",
        r"\bratio\b|\bhow many times\b",
        _single("ratio", "exact(max(values)) / exact(min(values))", "Divide the highest by the lowest.", "number"),
    ),
    Operation(
        "an average",
        r"\b(?:average|mean)\b",
        _single("average", "sum(exact_list(values)) / len(values)", "Add up and divide by how many there are."),
    ),
    Operation("a sum", r"\b(?:sum|total|altogether)\b", _single("sum", "sum(exact_list(values))", "Add up.")),
)
