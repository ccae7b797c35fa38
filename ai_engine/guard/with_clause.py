"""Common table expressions: in what order they are read, under which names, and what they give."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Protocol

from sqlglot import exp

from ai_engine.guard.output_names import leftmost
from ai_engine.guard.reading import Reading
from ai_engine.guard.refusal import refuse
from ai_engine.guard.scopes import Cte, Ctes, Scope, Shape, folded
from ai_engine.guard.shapes import after_steps, named_apart, renamed, stepped
from ai_engine.guard.statement import Statement

_SYSTEM_NAME = re.compile(r"sqlite_|pg_|duckdb_|information_schema$|performance_schema$|mysql$|pragma_")


class Queries(Protocol):
    """What resolves the queries of a WITH."""

    reading: Reading

    def query(self, query: exp.Expr, ctes: Ctes, outer: Scope | None) -> Shape:
        """Resolve a query of any kind and say what it gives."""


def with_reads_backwards(statement: Statement) -> None:
    """Refuse a table called like a later part of its WITH, which SQLite and WITH RECURSIVE read in its place.

    Of two parts of one name some engines read the first, some the last, and some refuse them.
    """
    for with_ in statement.kinds.get(exp.With, ()):
        later: set[str] = set()
        for cte in reversed(with_.expressions):
            for table in cte.this.find_all(exp.Table) if later else ():
                name = table.this
                if isinstance(name, exp.Identifier) and not table.db and folded(name, statement.dialect) in later:
                    raise refuse(
                        f"{name.this} is defined further on in the same WITH: give that another name", name.this
                    )
            name = cte.args["alias"].this
            if folded(name, statement.dialect) in later:
                raise refuse(f"{name.this} is defined twice in one WITH: give one of them another name", name.this)
            later.add(folded(name, statement.dialect))


class WithClause:
    """Reads the WITH of every query of one statement."""

    def __init__(self, statement: Statement, queries: Queries) -> None:
        self._policy = statement.policy
        self._dialect = statement.dialect
        self._queries = queries
        self._reading = queries.reading

    def read(self, query: exp.Expr, ctes: Ctes, outer: Scope | None) -> Ctes:
        """Resolve common table expressions in order; each sees those before it."""
        with_ = query.args.get("with_")
        if with_ is None:
            return ctes
        ctes = dict(ctes)
        for cte in with_.expressions:
            name: exp.Identifier = cte.args["alias"].this
            if _SYSTEM_NAME.match(name.this.lower()):
                raise refuse(
                    f"{name.this} is a system name; call the common table expression something else", name.this
                )
            key = folded(name, self._dialect)
            fresh = self._reading.fresh()
            visible = ctes
            if (self._dialect == "sqlite" or with_.args.get("recursive")) and self._reads_itself(cte, key):
                first = self._anchor(cte, ctes, outer)
                visible = {**ctes, key: Cte(name, stepped(first, cte.this, self._policy, self._dialect), fresh)}
            shape = renamed(self._queries.query(cte.this, visible, outer), cte.args["alias"])
            if visible is not ctes:
                shape = after_steps(first, visible[key].shape, shape)
            ctes[key] = Cte(name, named_apart(shape, self._dialect), fresh)
            self._reading.ctes.append((cte, fresh))
        return ctes

    def _reads_itself(self, cte: exp.CTE, key: str) -> bool:
        return any(
            isinstance(table.this, exp.Identifier) and not table.db and folded(table.this, self._dialect) == key
            for table in cte.this.find_all(exp.Table)
        )

    def _anchor(self, cte: exp.CTE, ctes: Ctes, outer: Scope | None) -> Shape:
        """Say what a CTE that reads itself gives, by its first part; refused unless the policy allows recursion."""
        if not self._policy.allow_recursive:
            raise refuse(f"recursive queries are not allowed: {cte.alias} reads itself", cte.alias)
        if not isinstance(cte.this, exp.SetOperation):
            raise refuse(f"the recursive query {cte.alias} needs a first part that does not read itself", cte.alias)
        copy = cte.this.this.copy()
        first = self._queries.query(copy, ctes, outer)
        self._reading.names[id(leftmost(cte.this))] = self._reading.names[id(leftmost(copy))]
        return renamed(replace(first, most_rows=None, condensed=False), cte.args["alias"])
