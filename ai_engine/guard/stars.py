"""Stars in a list of columns: what they stand for, and written out as shown where restrictions concern them."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from sqlglot import exp

from ai_engine.guard.parsing import may_be_a_name
from ai_engine.guard.reading import Reading
from ai_engine.guard.refusal import refuse, unknown
from ai_engine.guard.scopes import OutputColumn, Scope, Source, Value, has_name, same, size_of

_COMPARED_COLUMNS_FIRST = frozenset({"spark", "databricks"})


def expand_stars(
    select: exp.Select, scope: Scope, judged: dict[int, exp.Expr], reading: Reading, dialect: str
) -> list[exp.Expr | OutputColumn]:
    """Give the list of columns item by item, in place of a star what it stands for.

    A star is replaced in the statement by its columns when some of them may not be read, or when EXCLUDE is used; it
    then comes as expressions yet to be resolved. Any other star stays and comes as the columns it gives; what runs has
    them written out.
    """
    items: list[exp.Expr | OutputColumn] = []
    projections: list[exp.Expr] = []
    changed = False
    for projection in select.expressions:
        star = star_of(projection)
        if star is None:
            items.append(projection)
            projections.append(projection)
            continue
        values, hidden = _starred(projection, scope, dialect)
        if hidden or any(star.args.values()):
            columns = _columns(star, values, hidden, dialect)
            items.extend(columns)
            projections.extend(columns)
            changed = True
        else:
            judged[id(projection)] = projection
            reading.stars[id(projection)] = values
            items.extend(replace(value[0][1], size=size_of(value)) if value[1:] else value[0][1] for value in values)
            projections.append(projection)
    if changed:
        if not projections:
            raise refuse("no column of * may be read", "*")
        select.set("expressions", projections)
    return items


def star_of(projection: exp.Expr) -> exp.Star | None:
    """The star that an item of a list of columns is."""
    if isinstance(projection, exp.Star):
        return projection
    if isinstance(projection, exp.Column) and isinstance(projection.this, exp.Star):
        return projection.this
    return None


def _starred(projection: exp.Expr, scope: Scope, dialect: str) -> tuple[list[Value], frozenset[str]]:
    """What a star stands for, and what is left out because it may not be read."""
    if not isinstance(projection, exp.Column):
        if not scope.sources:
            raise refuse("* needs a FROM", "*")
        return scope.starred, frozenset().union(*(source.restricted for source in scope.sources.values()))
    key = projection.table.lower()
    if projection.args.get("db") or key not in scope.sources:
        raise unknown(
            "table or alias", projection.table, [s.alias.this for s in scope.sources.values()], "is not in FROM"
        )
    source = scope.sources[key]
    projection.set("table", same(source.alias))
    columns = list(source.listed)
    if dialect in _COMPARED_COLUMNS_FIRST:
        columns.sort(key=lambda column: _place(column, source, key, scope))
    if dialect == "sqlite" and key in scope.before_right:
        shared = scope.shared_later.get(key, set())
        return [_as_sqlite_reads(column, source, shared, scope) for column in columns], source.restricted
    return [((source, column),) for column in columns], source.restricted


def _as_sqlite_reads(column: OutputColumn, source: Source, shared: set[str], scope: Scope) -> Value:
    """Left of a RIGHT or FULL JOIN `t.*` gives a column that is compared later as its name alone would."""
    name = column.name.lower()
    return scope.merged[name].value if name in shared else ((source, column),)


def _place(column: OutputColumn, source: Source, key: str, scope: Scope) -> tuple[int, int]:
    """Where Spark puts a column of `t.*`: first those that `*` reads elsewhere, then others that are compared."""
    name = column.name.lower()
    for place, (compared, readers) in enumerate(scope.compared):
        if compared == name and key in readers:
            return int(scope.merged[name].value == ((source, column),)), place
    return 2, 0


def _columns(star: exp.Star, values: list[Value], hidden: frozenset[str], dialect: str) -> list[exp.Expr]:
    """The columns of a star but those that EXCLUDE names, with what REPLACE puts in their places."""
    if star.args.get("rename") or star.args.get("ilike"):
        raise refuse("* may not be combined with RENAME or LIKE", "*")
    listed = [value[0][1].name.lower() for value in values]
    for column in star.args.get("except_") or ():
        if column.args.get("table") is not None or column.name.lower() not in hidden.union(listed):
            raise refuse("EXCLUDE may only name columns of *, and without their table", column.name)
    excluded = {column.name.lower() for column in star.args.get("except_") or ()}
    replaced = {alias.alias.lower(): alias for alias in star.args.get("replace") or ()}
    if any(listed.count(name) > 1 for name in replaced):
        raise refuse("REPLACE may only name a column that * has once", next(iter(replaced)))
    columns: list[exp.Expr] = []
    for value in values:
        source, column = value[0]
        key = column.name.lower()
        if key in excluded:
            continue
        if key in replaced:
            columns.append(replaced.pop(key))
            continue
        name = exp.Identifier(this=column.name, quoted=_needs_quotes(column.name, dialect))
        is_plain = len(value) > 1 or not has_name(source)
        columns.append(exp.Column(this=name, table=None if is_plain else same(source.alias)))
    if replaced:
        raise refuse("REPLACE may only name columns of *", next(iter(replaced)))
    return columns


@lru_cache(maxsize=10_000)
def _needs_quotes(name: str, dialect: str) -> bool:
    if not (name.isascii() and name.isidentifier() and name == name.lower()):
        return True
    return not may_be_a_name(name, dialect)
