"""MySQL and SQLite make a number of a day or a time to calculate with it: of its digits, or of the year alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sqlglot import exp

from ai_engine.catalogue import Catalogue
from ai_engine.guard.refusal import refuse
from ai_engine.guard.tables import table_of

_KINDS = {"mysql": ("date", "timestamp", "time"), "sqlite": ("date", "timestamp")}
"""A TIME of SQLite may be a number."""
_TAKING_NUMBERS = (
    *(exp.Sum, exp.Avg, exp.Stddev, exp.StddevPop, exp.StddevSamp, exp.Variance, exp.VariancePop),
    *(exp.Sub, exp.Add, exp.Mul, exp.Div, exp.IntDiv, exp.Mod, exp.Neg, exp.Round, exp.Abs),
)
_HANDING_ON = (exp.Max, exp.Min, exp.Distinct, exp.Paren, exp.Coalesce, exp.Filter, exp.Window, exp.Alias)
_INSTEAD = {
    "mysql": "DATEDIFF(…) counts days, TIMESTAMPDIFF(SECOND, …) and TIME_TO_SEC(…) seconds",
    "sqlite": "JULIANDAY(…) counts days",
}


@dataclass(frozen=True)
class _Sources:
    """What stands in FROM in a statement that is written out: no two items of it have one alias."""

    catalogue: Catalogue
    tables: Mapping[str, exp.Table]
    queries: Mapping[str, exp.Expr]

    def is_day(self, value: exp.Expr) -> bool:
        """Whether an expression gives the days or times of a column."""
        if isinstance(value, exp.Column):
            return self._is_column_of_days(value)
        if isinstance(value, exp.Distinct):
            return any(map(self.is_day, value.expressions))
        return isinstance(value, _HANDING_ON) and isinstance(value.this, exp.Expr) and self.is_day(value.this)

    def _is_column_of_days(self, column: exp.Column) -> bool:
        source = self.tables.get(column.table)
        query = self.queries.get(source.name if source is not None else column.table)
        if query is not None:
            select = query
            while isinstance(select, (exp.SetOperation, exp.Subquery)):
                select = select.this
            return any(self.is_day(item) for item in select.expressions if item.alias_or_name == column.name)
        table = table_of(source, self.catalogue) if source is not None else None
        known = table.column(column.name) if table is not None else None
        return known is not None and known.type in _KINDS[self.catalogue.dialect]


def days_are_not_added(nodes: Iterable[exp.Expr], catalogue: Catalogue) -> None:
    """Refuse SUM(lasted), closed_on - opened_on and their like where the engine takes 01:30:00 for 13,000.

    Args:
        nodes: all that a statement has whose names are written out.
    """
    if catalogue.dialect not in _KINDS:
        return
    known = list(nodes)
    taking = [node for node in known if isinstance(node, _TAKING_NUMBERS)]
    if not taking:
        return
    sources = _Sources(
        catalogue,
        {node.alias: node for node in known if isinstance(node, exp.Table)},
        {node.alias: node.this for node in known if isinstance(node, (exp.Subquery, exp.CTE)) and node.alias},
    )
    for node in taking:
        operands = [node.this, node.expression] if isinstance(node, exp.Binary) else [node.this]
        if not any(isinstance(operand, exp.Interval) for operand in operands) and any(map(sources.is_day, operands)):
            raise refuse(f"days and times are no numbers: {_INSTEAD[catalogue.dialect]}")
