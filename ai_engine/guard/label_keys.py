"""Rows of DuckDB are matched by the text of an ENUM's labels, not by their numbers.

A join keeps apart by the hash of their keys what it gives of the side that it has gathered: the rows of a SEMI, ANTI,
LEFT, RIGHT or FULL JOIN, of IN and EXISTS, and of a subquery that names a column of the query around it. By numbers,
that order tells how many labels stand between those of rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sqlglot import exp

from ai_engine.guard.labels import Origins
from ai_engine.guard.output_names import leftmost
from ai_engine.guard.refusal import refuse
from ai_engine.guard.scopes import all_nodes, same
from ai_engine.guard.statement import Statement

_CLAUSES = (exp.Join, exp.Where, exp.Having, exp.Qualify)
_FOR_TEXTS = (
    exp.EQ,
    exp.NEQ,
    exp.In,
    exp.Is,
    exp.Cast,
    exp.TryCast,
    exp.Like,
    exp.ILike,
    exp.Upper,
    exp.Lower,
    exp.DPipe,
)
_GIVING_ONE = (exp.Paren, exp.Min, exp.Max, exp.First, exp.Last, exp.AnyValue, exp.ArgMax, exp.ArgMin, exp.Mode)


def labels_are_matched_as_texts(tree: exp.Query, nodes: Iterable[exp.Expr], statement: Statement) -> bool:
    """Match by texts in a statement that is written out; return whether it has changed.

    Raises:
        SqlRejected: what is compared holds labels, and is not known to be one.
    """
    listed = statement.catalogue.listing_labels
    if statement.dialect != "duckdb" or not listed:
        return False
    known = list(nodes)
    has_texts = _name_texts_around(known, Origins(known, listed), statement)
    origins = Origins(all_nodes(tree) if has_texts else known, listed)
    sides = [side for node in known for pair in _matched(node) if all(map(origins.of, pair)) for side in pair]
    for side in sides:
        if not _is_label(side, origins, statement):
            raise _refusal(side, origins)
    queries: dict[int, tuple[exp.Query, set[str]]] = {}
    for side in sides:
        select = side.parent
        query = _given_to(select) if isinstance(select, exp.Select) and side.arg_key == "expressions" else None
        if query is not None:
            queries.setdefault(id(query), (query, set()))[1].add(side.alias)
        else:
            side.replace(_text_of(side.copy()))
    for query, names in queries.values():
        _give_texts(query, names, statement)
    return has_texts or bool(sides)


def _matched(node: exp.Expr) -> Iterator[tuple[exp.Expr, exp.Expr]]:
    """The values that a join may be made of, two by two."""
    if isinstance(node, exp.In) and node.args.get("query") is not None:
        yield from _with_items(node.this, node.args["query"])
    elif isinstance(node, (exp.EQ, exp.NullSafeEQ)) and isinstance(node.right, (exp.Any, exp.All)):
        yield from _with_items(node.left, node.right.this)
    elif isinstance(node, (exp.EQ, exp.NullSafeEQ)) and _is_condition(node):
        left, right = _parts(node.left), _parts(node.right)
        yield from zip(left, right, strict=True) if len(left) == len(right) else [(node.left, node.right)]


def _with_items(value: exp.Expr, query: exp.Expr) -> Iterator[tuple[exp.Expr, exp.Expr]]:
    while isinstance(query, exp.Subquery):
        query = query.this
    if isinstance(query, exp.Query):
        yield from zip(_parts(value), leftmost(query).expressions, strict=False)


def _parts(value: exp.Expr) -> list[exp.Expr]:
    while isinstance(value, exp.Paren):
        value = value.this
    return list(value.expressions) if isinstance(value, exp.Tuple) else [value]


def _is_condition(node: exp.Expr) -> bool:
    return isinstance(node.find_ancestor(exp.Select, *_CLAUSES), _CLAUSES)


def _given_to(select: exp.Select) -> exp.Query | None:
    """The whole query of whose columns a SELECT gives some to a condition."""
    query: exp.Query = select
    while isinstance(query.parent, (exp.SetOperation, exp.Subquery)):
        query = query.parent
    return query if isinstance(query.parent, (exp.In, exp.Any, exp.All)) else None


def _give_texts(query: exp.Query, names: set[str], statement: Statement) -> None:
    inner = query.this if isinstance(query, exp.Subquery) else query
    source = exp.Identifier(this=_fresh(statement), quoted=True)
    items: list[exp.Expr] = []
    for item in leftmost(inner).expressions:
        column = exp.Column(this=exp.Identifier(this=item.alias, quoted=True), table=same(source))
        items.append(exp.alias_(_text_of(column) if item.alias in names else column, _fresh(statement), quoted=True))
    rows = exp.Subquery(this=inner.copy(), alias=exp.TableAlias(this=same(source)))
    inner.replace(exp.Select(expressions=items, from_=exp.From(this=rows)))


def _name_texts_around(nodes: list[exp.Expr], origins: Origins, statement: Statement) -> bool:
    """Have what a subquery names of a query around it be a text, which the source there has beside its columns."""
    columns = [node for node in nodes if isinstance(node, exp.Column)]
    around = [column for column in columns if _is_around(column, origins) and origins.of(column)]
    texts: dict[str, dict[str, exp.Identifier]] = {}
    for column in around:
        if not (isinstance(column.parent, _FOR_TEXTS) and _is_label(column, origins, statement)):
            raise _refusal(column, origins)
        beside = texts.setdefault(column.table, {})
        if column.name not in beside:
            beside[column.name] = exp.Identifier(this=_fresh(statement), quoted=True)
        _group_too(column, beside[column.name], origins)
    for alias, added in texts.items():
        source = origins.source(alias)
        if not isinstance(source, (exp.Table, exp.Subquery)) or source.args.get("pivots"):
            raise _refusal(next(column for column in around if column.table == alias), origins)
        read = {column.name: column.this for column in columns if column.table == alias}
        inner = exp.Identifier(this=_fresh(statement), quoted=True)
        items = [exp.alias_(exp.Column(this=same(name), table=same(inner)), same(name)) for name in read.values()]
        for name, text in added.items():
            items.append(exp.alias_(_text_of(exp.Column(this=same(read[name]), table=same(inner))), text))
        below = exp.Subquery(alias=source.args["alias"])
        source.replace(below)
        source.set("alias", exp.TableAlias(this=same(inner)))
        below.set("joins", source.args.pop("joins", None))
        below.set("this", exp.Select(expressions=items, from_=exp.From(this=source)))
    for column in around:
        column.set("this", same(texts[column.table][column.name]))
    return bool(around)


def _is_around(column: exp.Column, origins: Origins) -> bool:
    source = origins.source(column.table)
    return source is not None and source.find_ancestor(exp.Select) is not column.find_ancestor(exp.Select)


def _group_too(column: exp.Column, text: exp.Identifier, origins: Origins) -> None:
    """Group the query around by the text as well, which makes no more groups: only that may be named there then."""
    source = origins.source(column.table)
    select = source.find_ancestor(exp.Select) if source is not None else None
    group = select.args.get("group") if select is not None else None
    clause: exp.Expr = column
    while clause.parent is not None and clause.parent is not select:
        clause = clause.parent
    if group is None or isinstance(clause, (exp.Where, exp.Join, exp.From)):
        return
    if group.args.get("all") or group.find(exp.Rollup, exp.Cube, exp.GroupingSets):
        raise _refusal(column, origins)
    key = exp.Column(this=same(text), table=same(column.args["table"]))
    if key not in group.expressions:
        group.append("expressions", key)


def _is_label(value: exp.Expr, origins: Origins, statement: Statement, seen: frozenset[str] = frozenset()) -> bool:
    """Whether a value is a label, and no list or row of some."""
    value = value.unalias()
    if isinstance(value, exp.Column):
        named = value.sql()
        if named in seen:
            return True
        given = origins.given(value)
        if given is None:
            return all(_is_plain(place, statement) for place in origins.of(value))
        return all(_is_label(item, origins, statement, seen | {named}) for item in given)
    if isinstance(value, _GIVING_ONE):
        return _is_label(value.this, origins, statement, seen)
    if isinstance(value, exp.Coalesce):
        return all(_is_label(one, origins, statement, seen) for one in (value.this, *value.expressions))
    if isinstance(value, exp.Subquery):
        return _is_label(leftmost(value.this).expressions[0], origins, statement, seen)
    return not origins.of(value)


def _is_plain(place: tuple[str, str], statement: Statement) -> bool:
    kinds = [
        column.native_type.upper()
        for table in statement.catalogue.tables_called(place[0])
        for column in table.columns
        if column.name == place[1]
    ]
    return all(kind.startswith("ENUM(") and kind.endswith(")") for kind in kinds)


def _text_of(value: exp.Expr) -> exp.Cast:
    return exp.Cast(this=value, to=exp.DataType.build("varchar"))


def _fresh(statement: Statement) -> str:
    return statement.reading.fresh() if statement.reading is not None else ""


def _refusal(value: exp.Expr, origins: Origins) -> Exception:
    name = min(name for _, name in origins.of(value))
    return refuse(f"{name} may only have the values of its type: compare CAST({name} AS VARCHAR)", name)
