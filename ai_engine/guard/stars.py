"""Stars in a list of columns, written out where restrictions concern them."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from ai_engine.guard.refusal import refuse, unknown
from ai_engine.guard.scopes import OutputColumn, Scope, Source, same


def expand_stars(select: exp.Select, scope: Scope, judged: dict[int, exp.Expr]) -> list[exp.Expr | OutputColumn]:
    """Give the list of columns item by item, in place of a star what it stands for.

    A star is replaced in the statement by its columns when some of them may not be read, or when EXCLUDE is used; it
    then comes as expressions yet to be resolved. Any other star stays and comes as the columns it gives.
    """
    items: list[exp.Expr | OutputColumn] = []
    projections: list[exp.Expr] = []
    changed = False
    for projection in select.expressions:
        star = _star(projection)
        if star is None:
            items.append(projection)
            projections.append(projection)
            continue
        sources = _starred(projection, scope)
        if any(source.restricted for source in sources) or any(star.args.values()):
            columns = _columns(star, projection, sources, scope)
            items.extend(columns)
            projections.extend(columns)
            changed = True
        else:
            judged[id(projection)] = projection
            items.extend(_offered(projection, sources, scope))
            projections.append(projection)
    if changed:
        if not projections:
            raise refuse("no column of * may be read", "*")
        select.set("expressions", projections)
    return items


def _offered(projection: exp.Expr, sources: list[Source], scope: Scope) -> Iterator[OutputColumn]:
    """The columns of a plain star; what a join merged comes once."""
    written: set[str] = set()
    for source in sources:
        for key, column in source.columns.items():
            if key in scope.merged and key in written and not isinstance(projection, exp.Column):
                continue
            written.add(key)
            yield column


def _star(projection: exp.Expr) -> exp.Star | None:
    if isinstance(projection, exp.Star):
        return projection
    if isinstance(projection, exp.Column) and isinstance(projection.this, exp.Star):
        return projection.this
    return None


def _starred(projection: exp.Expr, scope: Scope) -> list[Source]:
    if not isinstance(projection, exp.Column):
        if not scope.sources:
            raise refuse("* needs a FROM", "*")
        return list(scope.sources.values())
    key = projection.table.lower()
    if projection.args.get("db") or key not in scope.sources:
        raise unknown(
            "table or alias", projection.table, [s.alias.this for s in scope.sources.values()], "is not in FROM"
        )
    projection.set("table", same(scope.sources[key].alias))
    return [scope.sources[key]]


def _columns(star: exp.Star, projection: exp.Expr, sources: list[Source], scope: Scope) -> list[exp.Expr]:
    if star.args.get("rename") or star.args.get("ilike"):
        raise refuse("* may not be combined with RENAME or LIKE", "*")
    excluded = {column.name.lower() for column in star.args.get("except_") or ()}
    replaced = {alias.alias.lower(): alias for alias in star.args.get("replace") or ()}
    columns: list[exp.Expr] = []
    written: set[str] = set()
    for source in sources:
        for key, column in source.columns.items():
            merged = key in scope.merged and not isinstance(projection, exp.Column)
            if key in excluded or (merged and key in written):
                continue
            written.add(key)
            if key in replaced:
                columns.append(replaced.pop(key))
                continue
            name = exp.Identifier(this=column.name, quoted=_needs_quotes(column.name))
            qualifier = None if merged else same(source.alias)
            columns.append(exp.Column(this=name, table=qualifier))
    if replaced:
        raise refuse("REPLACE may only name columns of *", next(iter(replaced)))
    return columns


def _needs_quotes(name: str) -> bool:
    return not (name.isascii() and name.isidentifier() and name == name.lower())
