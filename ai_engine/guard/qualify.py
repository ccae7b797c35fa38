"""The statement that runs: every name of the judged one written so that no engine can read it in another way.

Whatever stands in FROM gets an alias of the guard's own making, every column is qualified by one, columns of derived
tables and common table expressions are called by their place, stars, USING and NATURAL are written out, and an alias
of the list of columns is replaced by what it stands for, or by its place where it is all of an item of GROUP BY or
ORDER BY. Names that a person chose stand in the outermost list of columns only, where nothing refers to them.
"""

from __future__ import annotations

from sqlglot import exp

from ai_engine.guard.output_names import leftmost, output_names
from ai_engine.guard.reading import FromItem, MergingJoin, Reading
from ai_engine.guard.refusal import refuse
from ai_engine.guard.scopes import LEAVES, OutputColumn, Reference, Source, Value, stored
from ai_engine.guard.statement import Statement
from ai_engine.guard.warehouses import WITHOUT_PLACES_IN_GROUP_BY

_SIMPLE = (exp.Column, exp.Paren, exp.Null, exp.Boolean, exp.Subquery)


def qualify(statement: Statement) -> None:
    """Write the names of a judged statement out, in place; how long it becomes is bounded by `sizes`."""
    reading = statement.reading
    if reading is None:
        raise refuse("the names of the statement have not been resolved")
    outermost = leftmost(statement.tree)
    names = output_names(outermost, reading, statement.dialect)
    for select in reading.selects:
        _write_stars(select, reading)
        _point_at_equal_subqueries(select)
    for word in statement.kinds.get(exp.Var, ()):
        if isinstance(word.parent, exp.Ordered):
            _write_order_by_all(word.parent)
    for item in reading.items:
        _name_item(item, reading, statement.dialect)
    for join in reading.joins:
        _write_condition(join)
    _Columns(reading, statement.dialect, outermost).write()
    for select in reading.selects:
        tied = [_column(source, column) for source, column in reading.tied.get(id(select), ())]
        if select.args.get("group") is None:
            _take_least(select, tied)
        else:
            select.args["group"].set("expressions", [*select.args["group"].expressions, *tied])
    for select in reading.selects if statement.dialect == "bigquery" else ():
        _group_by_places(select)
    for cte, fresh in reading.ctes:
        cte.set("alias", exp.TableAlias(this=_quoted(fresh)))
    for select in reading.selects:
        if select is not outermost:
            _name_columns(select, reading.names[id(select)])
    _name_columns(outermost, names)


def _take_least(select: exp.Select, tied: list[exp.Column]) -> None:
    """Write columns that have one value in all rows as aggregates, beside which a server takes no others."""
    stack = list(select.expressions) if tied else []
    if tied:
        select.set("order", None)  # there is one row
    while stack:
        node = stack.pop()
        if node in tied:
            node.replace(exp.Min(this=node.copy()))
        elif not isinstance(node, (exp.AggFunc, exp.Query)):
            stack.extend(node.iter_expressions())


def _quoted(name: str) -> exp.Identifier:
    return exp.Identifier(this=name, quoted=True)


def _column(source: Source, column: OutputColumn) -> exp.Column:
    return exp.Column(this=_quoted(column.inner or column.name), table=_quoted(source.fresh))


def _read(value: Value) -> exp.Expr:
    """What a name reads: a column, or the first of several that is not NULL."""
    first, *others = (_column(source, column) for source, column in value)
    return exp.Coalesce(this=first, expressions=others) if others else first


def _write_stars(select: exp.Select, reading: Reading) -> None:
    if not any(id(item) in reading.stars for item in select.expressions):
        return
    written: list[exp.Expr] = []
    for item in select.expressions:
        values = reading.stars.get(id(item))
        written += [item] if values is None else map(_read, values)
    select.set("expressions", written)


def _write_order_by_all(item: exp.Ordered) -> None:
    """Write ORDER BY ALL, in which no name is left to DuckDB, as the places of the list of columns."""
    order, args = item.parent, {arg: value for arg, value in item.args.items() if arg != "this"}
    if not isinstance(order, exp.Order) or not isinstance(order.parent, exp.Query):
        raise refuse("ORDER BY ALL may only order a query", "ALL")
    places = range(1, len(leftmost(order.parent).expressions) + 1)
    order.set("expressions", [exp.Ordered(this=exp.Literal.number(place), **args) for place in places])


def _point_at_equal_subqueries(select: exp.Select) -> None:
    """Let GROUP BY and ORDER BY name by its place what the list of columns computes by the same subquery.

    Written out twice it would bear other aliases each time, and an engine would take it for another. MariaDB does so
    WITH ROLLUP, and leaves out no value of it in the rows of totals.
    """
    clauses = [clause for arg in ("group", "order") if (clause := select.args.get(arg)) is not None]
    clauses = [clause for clause in clauses if not clause.args.get("rollup")]
    items = [item.this if isinstance(item, exp.Ordered) else item for clause in clauses for item in clause.expressions]
    computed = [item for item in items if type(item) not in LEAVES and item.find(exp.Query) is not None]
    if not computed:
        return
    places = {item.unalias(): place for place, item in reversed(list(enumerate(select.expressions, 1)))}
    for value in computed:
        place = places.get(value)
        if place is not None:
            value.replace(exp.Literal.number(place))


def _name_item(item: FromItem, reading: Reading, dialect: str) -> None:
    """Give an item of FROM its alias; where a PIVOT follows, its columns bear their own names below it."""
    node, source = item.node, item.source
    sequence = reading.sequences.get(id(node))
    if sequence is not None:
        rows = sequence.written_out(source.listed[0].inner, reading.fresh)
        node.replace(exp.Subquery(this=rows, alias=exp.TableAlias(this=_quoted(source.fresh))))
        return
    pivots = node.args.get("pivots") if item.pivoted is not None else None
    if item.cte:
        node.set("this", _quoted(item.cte))
    elif isinstance(node, exp.Table) and isinstance(node.this, exp.Identifier):
        node.set("this", _quoted(stored(node.name, dialect)))
    has_columns = isinstance(node, (exp.Values, exp.Unnest)) or not isinstance(getattr(node, "this", None), exp.Expr)
    has_columns = has_columns or _lists_rows(node)
    columns = [_quoted(column.inner) for column in source.listed if column.inner] if has_columns else []
    node.set("alias", exp.TableAlias(this=_quoted(source.fresh), columns=columns))
    if not pivots or item.pivoted is None:
        return
    pivot = pivots[0]
    pivot.set("alias", exp.TableAlias(this=_quoted(item.pivoted.fresh)))
    if source.table:
        return
    if len(source.columns) < len(source.listed):
        raise refuse("give the columns of what is pivoted different names", source.alias.this)
    node.set("pivots", None)
    below = exp.Subquery(alias=exp.TableAlias(this=_quoted(reading.fresh())), pivots=[pivot])
    node.replace(below)
    named = [exp.Alias(this=_column(source, column), alias=_quoted(column.name)) for column in source.listed]
    below.set("this", exp.Select(expressions=named, from_=exp.From(this=node)))


def _lists_rows(node: exp.Expr) -> bool:
    """Whether an item of FROM is a series or a list of rows, whose columns are named beside its alias."""
    inside = node.this
    if isinstance(node, exp.Table):
        return not isinstance(inside, exp.Identifier)
    return isinstance(node, exp.Lateral) and isinstance(inside, exp.Subquery) and isinstance(inside.this, exp.Values)


def _write_condition(join: MergingJoin) -> None:
    """Write USING and NATURAL as ON; of an ASOF JOIN the last pair is the order."""
    node = join.node
    kinds: list[type[exp.Binary]] = [exp.EQ] * len(join.pairs)
    if node.args.get("method") == "ASOF":
        kinds[-1] = exp.GTE
    tests = [
        kind(this=_read(left), expression=_read(right)) for kind, (left, right) in zip(kinds, join.pairs, strict=True)
    ]
    node.set("using", None)
    if node.args.get("method") == "NATURAL":
        node.set("method", None)
    if tests:
        node.set("on", exp.and_(*tests, copy=False, wrap=False))
    elif node.side:
        node.set("on", exp.EQ(this=exp.Literal.number(1), expression=exp.Literal.number(1)))
    else:
        node.set("kind", "CROSS")


class _Columns:
    """Writes every reference to a column out, in the order in which they were read."""

    def __init__(self, reading: Reading, dialect: str, outermost: exp.Select) -> None:
        self._reading = reading
        self._dialect = dialect
        self._outermost = outermost

    def write(self) -> None:
        """Replace them all: an alias only after what it stands for."""
        for column, reference in self._reading.columns:
            if len(reference.value) == 1:
                source, read = reference.value[0]
                column.set("this", _quoted(read.inner or read.name))
                column.set("table", _quoted(source.fresh))
            else:
                column.replace(self._named(column, reference) if not reference.value else _read(reference.value))

    def _named(self, column: exp.Column, reference: Reference) -> exp.Expr:
        """What an item of a list of columns is called by: its place, or what it stands for."""
        if reference.place:
            return exp.Literal.number(reference.place)
        item = reference.item
        select = item.parent if item is not None else None
        if item is None or not isinstance(select, exp.Select):
            raise refuse(f"it is not known what {column.name} stands for", column.name)
        place = next(place for place, other in enumerate(select.expressions, 1) if other is item)
        if reference.alone and not self._groups_by_values(column):
            return exp.Literal.number(place)
        value = item.unalias()
        known_by_name = reference.column.constant or _is_known_by_name_only(value)
        if self._dialect == "mysql" and _stands_free_in_having(column) and known_by_name:
            own = item.alias if select is self._outermost else self._reading.names[id(select)][place - 1]
            return exp.Column(this=_quoted(own))
        copy = value.copy()
        if _is_all_of_a_key(column) and _is_constant(value):
            return exp.Coalesce(this=copy, expressions=[exp.Null()])
        return copy if isinstance(copy, _SIMPLE) or isinstance(column.parent, exp.Paren) else exp.Paren(this=copy)

    def _groups_by_values(self, column: exp.Column) -> bool:
        grouped = isinstance(column.find_ancestor(exp.Group, exp.Select), exp.Group)
        return grouped and self._dialect in WITHOUT_PLACES_IN_GROUP_BY


def _group_by_places(select: exp.Select) -> None:
    """Name what is grouped by and shown by its place, for which sqlglot would write the alias on BigQuery."""
    group = select.args.get("group")
    places = {item.unalias(): place for place, item in reversed(list(enumerate(select.expressions, 1)))}
    for item in list(group.expressions) if group is not None else ():
        if item in places:
            item.replace(exp.Literal.number(places[item]))


def _stands_free_in_having(column: exp.Column) -> bool:
    """Whether a name of HAVING is read as an alias; below an aggregate MySQL would take a column so called first."""
    return isinstance(column.find_ancestor(exp.Having, exp.AggFunc, exp.Select), exp.Having)


def _is_known_by_name_only(value: exp.Expr) -> bool:
    """MySQL's HAVING sees columns below aggregates only, and what the list of columns or GROUP BY has as it stands."""
    if isinstance(value, exp.Column):
        return False
    around = (column.find_ancestor(exp.AggFunc, exp.Select) for column in value.find_all(exp.Column))
    return not all(isinstance(node, exp.AggFunc) for node in around)


def _is_all_of_a_key(column: exp.Expr) -> bool:
    """Whether nothing but signs and collations stands between a name and ORDER BY, GROUP BY or DISTINCT ON."""
    node = column.parent
    while isinstance(node, (exp.Paren, exp.Neg, exp.Collate)):
        node = node.parent
    return isinstance(node, (exp.Ordered, exp.Group, exp.Tuple, exp.Rollup, exp.Cube))


def _is_constant(value: exp.Expr) -> bool:
    """Whether engines would take a value for the place of a column, as they do `-(-2)`, or for no key at all."""
    while isinstance(value, (exp.Paren, exp.Neg)):
        value = value.this
    return isinstance(value, exp.Literal)


def _name_columns(select: exp.Select, names: list[str]) -> None:
    """Name the items of a list of columns; a column that is called so already, and "" stay without."""
    items = select.expressions
    for place, (item, name) in enumerate(zip(items, names, strict=True)):
        value = item.this if isinstance(item, exp.Alias) else item
        if not name or (isinstance(value, exp.Column) and value.name == name):
            items[place] = value
            value.parent = select
            value.arg_key = "expressions"
        elif isinstance(item, exp.Alias):
            item.set("alias", _quoted(name))
        else:
            items[place] = exp.Alias(this=item, alias=_quoted(name))
    select.set("expressions", items)
