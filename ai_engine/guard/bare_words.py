"""Words such as CURRENT_DATE and TRUE, for which some engines take what is called so: a column, an alias or a table."""

from __future__ import annotations

from sqlglot import exp

from ai_engine.guard.columns import knows
from ai_engine.guard.refusal import refuse
from ai_engine.guard.scopes import all_nodes
from ai_engine.guard.statement import Statement
from ai_engine.guard.warehouses import WAREHOUSES

_TIMES = ("current_time", "localtime")
_MOMENTS = ("current_timestamp", "current_datetime", "localtimestamp", "sysdate", "systimestamp")
_CLOCKS: dict[type[exp.Expr], tuple[str, ...]] = {
    exp.CurrentDate: ("current_date",),
    **dict.fromkeys((exp.CurrentTime, exp.Localtime), _TIMES),
    **dict.fromkeys((exp.CurrentTimestamp, exp.CurrentDatetime, exp.Localtimestamp), _MOMENTS),
}
_TRUTHS: dict[type[exp.Expr], tuple[str, ...]] = {exp.Boolean: ("true", "false")}
_READ_AS_NAMES = {"duckdb": _CLOCKS, "sqlite": _TRUTHS} | dict.fromkeys(WAREHOUSES, _CLOCKS | _TRUTHS)
"""PostgreSQL and MySQL reserve their words: a column of such a name is written in quotes there."""
_INSTEAD = {"duckdb": "now() is the clock of any name", "sqlite": "1 and 0 are TRUE and FALSE"}


def bare_words_are_no_names(statement: Statement) -> None:
    """Refuse CURRENT_DATE, TRUE and their like where a column, an alias or anything else is called so.

    Behind the table's alias (`t.current_date`) a column may stand.
    """
    kinds = _READ_AS_NAMES.get(statement.dialect, {})
    words = {word for kind in kinds.keys() & statement.kinds.keys() for word in kinds[kind]}
    if not words:
        return
    instead = _INSTEAD.get(statement.dialect, "leave out what is called like it")
    for item in statement.reading.items if statement.reading is not None else ():
        for word in words:
            if item.source.table and knows(item.source, word):
                raise refuse(f"{item.source.table} has a column {word}: {instead}", word)
    for name in all_nodes(statement.tree):
        if type(name) is exp.Identifier and name.this.lower() in words:
            raise refuse(f"something is called {name.this} here: give it another name, or {instead}", name.this)
