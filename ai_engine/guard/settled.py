"""The last look at the text that runs: no name in it is left to interpretation."""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

from ai_engine.guard.places import is_counted, is_known_word
from ai_engine.guard.refusal import refuse, written
from ai_engine.guard.scopes import WITHOUT_PARTS

_LONGEST_ALIAS_CHARS = 63  # PostgreSQL cuts off the rest, and two names may become one


def names_are_settled(nodes: Iterable[exp.Expr], prefix: str, dialect: str) -> None:
    """Refuse a statement of these nodes with a name that an engine could read in two ways, whoever wrote it so.

    What stands in FROM bears an alias of the guard's own, a column is qualified by one, and nothing else names any.
    A bare word that an engine could resolve or expand, as DuckDB does ALL, stands nowhere.
    Two places take plain names: a PIVOT, which sees its table alone, and a collation. MySQL's HAVING may name an item
    of the list of columns that no column of a table is called like.
    """
    for node in nodes:
        kind = type(node)
        if kind in WITHOUT_PARTS:
            continue
        if isinstance(node, exp.Column):
            settled = node.table.startswith(prefix) or _may_be_plain(node, dialect)
        elif kind is exp.TableAlias:
            settled = node.name.startswith(prefix) and len(node.name) <= _LONGEST_ALIAS_CHARS
        elif kind in {exp.Table, exp.Values, exp.Unnest, exp.Lateral}:
            settled = node.args.get("alias") is not None or not isinstance(node.parent, (exp.From, exp.Join))
            settled = settled and (kind is not exp.Table or node.args.get("alias") is not None)
        elif isinstance(node, exp.Subquery):
            settled = node.args.get("alias") is not None or not _holds_a_derived_table(node)
        elif kind is exp.Join:
            settled = not node.args.get("using") and node.args.get("method") != "NATURAL"
        elif kind is exp.Star:
            settled = is_counted(node)
        elif isinstance(node, exp.Var):
            settled = is_known_word(node) and not isinstance(node.parent, exp.Ordered)
        else:
            continue
        if not settled:
            raise refuse(f"it is not certain how the database reads {written(node)}", written(node))


def _may_be_plain(column: exp.Column, dialect: str) -> bool:
    if column.args.get("table") is not None:
        return False
    if isinstance(column.parent, exp.Collate) and column.arg_key == "expression":
        return True
    around = column.find_ancestor(exp.Pivot, exp.Having, exp.Select)
    if isinstance(around, exp.Having) and dialect == "mysql":
        select = around.parent
        return isinstance(select, exp.Select) and column.name in {item.alias for item in select.expressions}
    return isinstance(around, exp.Pivot)


def _holds_a_derived_table(subquery: exp.Subquery) -> bool:
    return (
        isinstance(subquery.parent, (exp.From, exp.Join))
        and isinstance(subquery.this, exp.Query)
        and not isinstance(subquery.this, exp.Subquery)
    )
