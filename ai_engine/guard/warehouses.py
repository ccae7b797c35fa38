"""What sqlglot reads of a warehouse's SQL otherwise than the engine may, and is refused therefore.

Most of these dialects cannot be asked here, so that what is not surely read alike stays out. The names of the
statement that runs are written out as for the other engines.
"""

from __future__ import annotations

import re
from itertools import pairwise

from sqlglot import TokenType, exp
from sqlglot.tokenizer_core import Token

from ai_engine.guard.allowed_in_warehouses import OF_WAREHOUSES
from ai_engine.guard.constant_rows import is_constant
from ai_engine.guard.refusal import refuse, written
from ai_engine.guard.scopes import folded
from ai_engine.guard.statement import Statement

WAREHOUSES = frozenset(OF_WAREHOUSES)
_SUBSTITUTING = frozenset({"spark", "databricks"})
"""They put settings and variables of the environment in for `${...}`, also within a literal or a name."""
_WITH_BACKSLASHES = frozenset({"spark", "databricks", "snowflake", "bigquery", "clickhouse"})
_PLAIN_ESCAPES = re.compile(r"""(?:[^\\]|\\[\\'"nrt])*""", re.DOTALL)
_IN_NO_NAME = re.compile(r"""[\\"`\[\]]|\$\{""")
_BEGINS_ANOTHER = {
    "tsql": frozenset(
        "alter backup bulk create dbcc declare delete drop exec execute grant insert into kill merge reconfigure "
        "restore revoke set shutdown truncate update use waitfor while".split()
    )
}
"""Words that are no names there: a second statement needs no semicolon before it."""
_ARGS: dict[type[exp.Expr], frozenset[str]] = {
    exp.Group: frozenset({"expressions", "rollup", "cube", "grouping_sets", "all"}),
    exp.Order: frozenset({"this", "expressions"}),  # the first is what LISTAGG gathers
    exp.Ordered: frozenset({"this", "desc", "nulls_first"}),
    exp.Limit: frozenset({"expression", "limit_options"}),
    exp.Fetch: frozenset({"direction", "count", "limit_options"}),
    exp.Distinct: frozenset({"expressions"}),
    exp.With: frozenset({"expressions"}),
    exp.TableAlias: frozenset({"this", "columns"}),
    exp.Star: frozenset({"except_", "replace"}),
}
"""What a clause may hold: not those of one dialect, such as LIMIT BY, WITH TOTALS, WITH FILL or DISTINCT ON."""
_WITH_QUALIFY = frozenset({"snowflake", "bigquery", "databricks", "clickhouse"})
_WITH_GROUP_BY_ALL = _WITH_QUALIFY | {"spark"}
WITHOUT_PLACES_IN_GROUP_BY = frozenset({"tsql", "oracle"})
_WITHOUT_VALUES = frozenset({"oracle", "bigquery", "clickhouse"})
_WITHOUT_NATURAL = frozenset({"tsql", "bigquery", "clickhouse"})
_WITHOUT_USING = frozenset({"tsql"})
_FILLING_UP = frozenset({"clickhouse"})
"""What an outer join does not find is no NULL there, but 0 or an empty text, unless a setting says otherwise."""
_RECURSING = frozenset({"tsql", "oracle", "snowflake"})
"""A common table expression that reads its own name is recursive there without the word."""


def literals_say_what_they_mean(tokens: list[Token], sql: str, dialect: str) -> None:
    """Refuse texts that a warehouse may end elsewhere than sqlglot, or in which it puts something else."""
    if dialect not in WAREHOUSES:
        return
    if dialect in _SUBSTITUTING and "${" in sql:
        raise refuse("${...} may not be used: it stands for settings of the server", "${")
    for before, token in pairwise([tokens[0], *tokens]):
        if token.token_type is TokenType.IDENTIFIER and _IN_NO_NAME.search(token.text):
            raise refuse(f"a name may not hold quotes, brackets or backslashes: {token.text}", token.text)
        if token.token_type is not TokenType.STRING:
            is_word = token.token_type is not TokenType.IDENTIFIER
            if is_word and token.text.lower() in _BEGINS_ANOTHER.get(dialect, ()):
                raise refuse(f"{token.text.upper()} is not allowed in a query", token.text)
            continue
        if before.token_type is TokenType.STRING and before is not token:
            raise refuse("two texts stand side by side: join them by CONCAT, or escape the quote in one", token.text)
        if dialect in _WITH_BACKSLASHES and not _PLAIN_ESCAPES.fullmatch(sql[token.start : token.end + 1]):
            raise refuse(r"only \\, \', \n, \r and \t may stand behind a backslash in a text", token.text)


def warehouse_reads_alike(statement: Statement) -> None:
    """Refuse clauses that only one dialect has, or that this one has not."""
    dialect = statement.dialect
    if dialect not in WAREHOUSES:
        return
    for kind, allowed in _ARGS.items():
        for node in statement.kinds.get(kind, ()):
            for arg, value in node.args.items():
                if value and arg not in allowed:
                    raise refuse(f"{written(node)} is not allowed in this database's dialect", written(node))
    for select in statement.kinds.get(exp.Select, ()):
        if select.args.get("qualify") is not None and dialect not in _WITH_QUALIFY:
            raise refuse("this database has no QUALIFY: rank in a subquery, and choose around it", "QUALIFY")
    for group in statement.kinds.get(exp.Group, ()):
        _require_known_groups(group, dialect)
    for values in statement.kinds.get(exp.Values, ()) if dialect in _WITHOUT_VALUES else ():
        raise refuse("this database has no VALUES in FROM: write SELECTs with UNION ALL", written(values))
    for join in statement.kinds.get(exp.Join, ()):
        _require_known_join(join, dialect)
    for cte in statement.kinds.get(exp.CTE, ()) if dialect in _RECURSING else ():
        name = folded(cte.args["alias"].this, dialect)
        if any(not table.db and table.name.lower() == name for table in cte.this.find_all(exp.Table)):
            raise refuse(f"{cte.alias} reads a table of its own name: give it another one", cte.alias)


def unites_own_steps(query: exp.Expr, statement: Statement) -> bool:
    """Whether UNION ALL only stacks columns of the statement's own steps, or constants that Oracle reads of DUAL.

    Each step is judged by itself, so that no row comes in which a join could not bring; several warehouses have no
    other way to put figures of several tables side by side.
    """
    dialect, catalogue = statement.dialect, statement.catalogue
    if dialect not in WAREHOUSES:
        return False
    named = {folded(cte.args["alias"].this, dialect) for cte in statement.kinds.get(exp.CTE, ())}
    read = {name for name in named if not catalogue.tables_called(name)} | ({"dual"} if dialect == "oracle" else set())
    parts = [query]
    while parts:
        part = parts.pop()
        given = {arg for arg, value in part.args.items() if value}
        if isinstance(part, exp.Union) and given == {"this", "expression"}:
            parts += [part.this, part.expression]
        elif not isinstance(part, exp.Select) or given != {"expressions", "from_"} or not _reads_only(part, read):
            return False
    return True


def _reads_only(select: exp.Select, names: set[str]) -> bool:
    source = select.args["from_"].this
    given = {arg for arg, value in source.args.items() if value}
    if not isinstance(source, exp.Table) or not given <= {"this", "alias"} or source.name.lower() not in names:
        return False
    items = (item.unalias() for item in select.expressions)
    return all(isinstance(item, exp.Column) or is_constant(item) for item in items)


def _require_known_groups(group: exp.Expr, dialect: str) -> None:
    if group.args.get("all") and dialect not in _WITH_GROUP_BY_ALL:
        raise refuse("this database has no GROUP BY ALL: name what is grouped by", "ALL")
    if dialect in WITHOUT_PLACES_IN_GROUP_BY and any(isinstance(item, exp.Literal) for item in group.expressions):
        raise refuse("this database groups by no places: name what is grouped by", written(group))


def _require_known_join(join: exp.Expr, dialect: str) -> None:
    method, using = join.args.get("method"), join.args.get("using")
    if method == "NATURAL" and dialect in _WITHOUT_NATURAL:
        raise refuse("this database has no NATURAL JOIN: write ON", "NATURAL")
    if using and dialect in _WITHOUT_USING:
        raise refuse("this database has no USING: write ON", "USING")
    if using and dialect in _FILLING_UP and join.args.get("side") == "FULL":
        raise refuse("a FULL JOIN by USING may fill up with zeros here: write ON", "USING")
