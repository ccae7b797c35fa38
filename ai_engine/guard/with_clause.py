"""The order of common table expressions: none reads one that is defined behind it."""

from __future__ import annotations

from sqlglot import exp

from ai_engine.guard.refusal import refuse
from ai_engine.guard.scopes import folded
from ai_engine.guard.statement import Statement


def with_reads_backwards(statement: Statement) -> None:
    """Refuse a table called like a later part of its WITH, which SQLite and WITH RECURSIVE read in its place."""
    for with_ in statement.kinds.get(exp.With, ()):
        later: set[str] = set()
        for cte in reversed(with_.expressions):
            for table in cte.this.find_all(exp.Table) if later else ():
                name = table.this
                if isinstance(name, exp.Identifier) and not table.db and folded(name, statement.dialect) in later:
                    raise refuse(
                        f"{name.this} is defined further on in the same WITH: give that another name", name.this
                    )
            later.add(folded(cte.args["alias"].this, statement.dialect))
