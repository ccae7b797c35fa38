"""Whether a statement gives the same rows in whatever order those of the tables arrive, as they do to several threads.

A closed list: what is not known to be exact, and every order that is not total, is taken to depend on it.
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from ai_engine.catalogue import Catalogue, Table
from ai_engine.errors import SqlRejected
from ai_engine.guard.exact_values import (
    EXACT,
    INEXACT,
    WHOLE,
    OrderMatters,
    Value,
    added_up,
    cast_to,
    computed,
    literal,
    one_of,
    stored_as,
)
from ai_engine.guard.parsing import tokens_of, tree_of
from ai_engine.guard.scopes import local_nodes

_SELECT_ARGS = frozenset(
    {"expressions", "from_", "joins", "where", "group", "having", "order", "limit", "offset", "with_", "distinct"}
)
_ARGS: dict[type[exp.Expr], frozenset[str]] = {
    exp.Select: _SELECT_ARGS,
    exp.With: frozenset({"expressions"}),
    exp.CTE: frozenset({"this", "alias"}),
    exp.Join: frozenset({"this", "on", "side", "kind"}),
    exp.Table: frozenset({"this", "alias", "db"}),
    exp.Subquery: frozenset({"this", "alias"}),
    exp.TableAlias: frozenset({"this"}),
    exp.Distinct: frozenset({"expressions"}),
    exp.Group: frozenset({"expressions", "all"}),
    exp.Ordered: frozenset({"this", "desc", "nulls_first"}),
    exp.Limit: frozenset({"expression"}),
    exp.Offset: frozenset({"expression"}),
    exp.Count: frozenset({"this", "big_int"}),
    **dict.fromkeys((exp.Sum, exp.Avg, exp.Min, exp.Max), frozenset({"this"})),
}
_JOIN_KINDS = frozenset({"", "INNER", "OUTER", "CROSS"})

_Columns = Mapping[str, Value | None]


def any_order_will_do(sql: str, catalogue: Catalogue) -> bool:
    """Tell whether the rows, and their order, are sure to be the same each time; False where that is not known.

    Args:
        sql: what runs, every name written out.
        catalogue: knows the types of its columns.
    """
    try:
        tree = tree_of(tokens_of(sql, catalogue.dialect), sql, catalogue.dialect)
        _Reader(catalogue).query(tree, is_shown=True)
    except (OrderMatters, SqlRejected, RecursionError):
        return False
    return True


class _Reader:
    """Reads a statement from the outside in; each of its sources has a name of its own."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._sources: dict[str, _Columns] = {}
        self._ctes: dict[str, _Columns] = {}

    def query(self, query: exp.Expr | None, *, is_shown: bool = False) -> dict[str, Value | None]:
        """Read a SELECT, whose order matters where it is shown or cut; return what its columns give."""
        if not isinstance(query, exp.Select):
            raise OrderMatters
        _require_listed(query)
        self._read_ctes(query.args.get("with_"))
        keys = self._read_from(query)
        for clause in ("where", "having"):
            if query.args.get(clause) is not None:
                self.value(query.args[clause].this)
        given = [self.value(item.unalias()) for item in query.selects]
        group = _grouped_by(query)
        sameness = [*(given if query.args.get("distinct") else ()), *map(self.value, group or ())]
        if not all(value.is_exact for value in sameness):
            raise OrderMatters
        cuts = [query.args[clause] for clause in ("limit", "offset") if query.args.get(clause) is not None]
        for cut in cuts:
            _require_listed(cut)
            if not isinstance(cut.expression, exp.Literal):
                raise OrderMatters
        is_all_exact = all(value.is_exact for value in given)
        if (is_shown or cuts) and not self._is_sorted(query, keys if group is None else group, is_all_exact):
            raise OrderMatters
        return {item.alias_or_name.lower(): value for item, value in zip(query.selects, given, strict=True)}

    def _read_ctes(self, clause: exp.With | None) -> None:
        if clause is None:
            return
        _require_listed(clause)
        for cte in clause.expressions:
            _require_listed(cte)
            name = _alias_of(cte)
            if name in self._ctes or self._catalogue.tables_called(name):
                raise OrderMatters
            self._ctes[name] = self.query(cte.this)

    def _read_from(self, query: exp.Select) -> list[exp.Expr] | None:
        """Read what stands in FROM; return what tells each row from all others, None where nothing is known to."""
        origin, joins = query.args.get("from_"), query.args.get("joins") or []
        if origin is None:
            return []
        for join in joins:
            _require_listed(join)
            if join.kind not in _JOIN_KINDS:
                raise OrderMatters
        keys = [self._read_item(item.this) for item in (origin, *joins)]
        for join in joins:
            if join.args.get("on") is not None:
                self.value(join.args["on"])
        return [column for key in keys for column in key] if all(keys) else None

    def _read_item(self, item: exp.Expr) -> list[exp.Expr]:
        _require_listed(item)
        name = _alias_of(item)
        key: tuple[str, ...] = ()
        if isinstance(item, exp.Subquery):
            columns: _Columns = self.query(item.this)
        elif not item.args.get("db") and item.name in self._ctes:
            columns = self._ctes[item.name]
        else:
            table = self._table(item)
            columns = {column.name.lower(): stored_as(column.native_type) for column in table.columns}
            key = table.primary_key
        if name in self._sources:
            raise OrderMatters
        self._sources[name] = columns
        return [exp.column(column, name, quoted=True) for column in key]

    def _table(self, item: exp.Expr) -> Table:
        schema = str(item.text("db") or "main").lower()
        named = self._catalogue.tables_called(item.name) if isinstance(item.this, exp.Identifier) else ()
        found = [table for table in named if (table.schema or "main").lower() == schema]
        if len(found) != 1 or found[0].is_view:
            raise OrderMatters
        return found[0]

    def _is_sorted(self, query: exp.Select, keys: list[exp.Expr] | None, is_all_exact: bool) -> bool:
        """Whether ORDER BY leaves no two rows level, save such as are the same.

        Args:
            keys: what no two rows share; nothing where there is one row only.
        """
        order = query.args.get("order")
        sorted_by = [] if order is None else [_sorted_by(item, query) for item in order.expressions]
        for key in sorted_by:
            self.value(key)
        tells = keys is not None and not query.args.get("distinct")
        if tells and all(key in sorted_by and self.value(key).is_exact for key in keys or ()):
            return True
        return is_all_exact and all(item.unalias() in sorted_by for item in query.selects)

    def value(self, node: exp.Expr) -> Value:
        """Say what an expression gives, after a look at all of its parts."""
        if isinstance(node, exp.Column):
            value = self._sources.get(node.table, {}).get(node.name.lower())
            if value is None:
                raise OrderMatters
            return value
        if isinstance(node, exp.Literal):
            return literal(node)
        if isinstance(node, exp.Subquery):
            _require_listed(node)
            return self.value(node.this)
        if isinstance(node, exp.Query):
            return next(iter(self.query(node).values())) or INEXACT
        if isinstance(node, exp.AggFunc):
            return self._aggregate(node)
        if isinstance(node, exp.Filter):
            self.value(node.expression.this)
            return self.value(node.this)
        if isinstance(node, exp.Cast):
            self.value(node.this)
            return cast_to(node.to)
        if isinstance(node, exp.Case):
            for compared in (node.this, *(branch.this for branch in node.args["ifs"])):
                self.value(compared or exp.Null())
            return self._one_of([*(branch.args["true"] for branch in node.args["ifs"]), node.args.get("default")])
        if isinstance(node, exp.Coalesce):
            return self._one_of([node.this, *node.expressions])
        return computed(node, [self.value(part) for part in node.iter_expressions()])

    def _one_of(self, results: list[exp.Expr | None]) -> Value:
        found = [one for one in results if one is not None and not isinstance(one, exp.Null)]
        beside = all(isinstance(one, exp.Literal) and one.is_int for one in found[1:])
        return one_of(map(self.value, found), beside_whole_literals=beside)

    def _aggregate(self, node: exp.AggFunc) -> Value:
        kind = type(node)
        if kind not in _ARGS:
            raise OrderMatters
        _require_listed(node)
        given = EXACT if isinstance(node.this, exp.Star) else self._given(node.this)
        if kind is exp.Count:
            return WHOLE
        if kind in (exp.Sum, exp.Avg):
            total = added_up(given)
            return total if kind is exp.Sum else INEXACT
        if not given.is_exact:
            raise OrderMatters
        return given

    def _given(self, node: exp.Expr) -> Value:
        if not isinstance(node, exp.Distinct):
            return self.value(node)
        _require_listed(node)
        if len(node.expressions) != 1:
            raise OrderMatters
        return self.value(node.expressions[0])


def _require_listed(node: exp.Expr) -> None:
    listed = _ARGS.get(type(node), frozenset())
    if any(value and arg not in listed for arg, value in node.args.items()):
        raise OrderMatters
    distinct = node.args.get("distinct")
    if isinstance(distinct, exp.Expr):
        _require_listed(distinct)


def _alias_of(item: exp.Expr) -> str:
    alias = item.args.get("alias")
    if not isinstance(alias, exp.TableAlias):
        raise OrderMatters
    _require_listed(alias)
    return str(alias.name)


def _grouped_by(query: exp.Select) -> list[exp.Expr] | None:
    """What the rows are groups of, nothing where all are one group; None where they are not grouped."""
    group = query.args.get("group")
    figures = [item for item in query.selects if any(isinstance(node, exp.AggFunc) for node in local_nodes(item))]
    if group is None:
        return [] if figures or query.args.get("having") is not None else None
    _require_listed(group)
    if group.args.get("all"):
        return [item.unalias() for item in query.selects if item not in figures]
    return [_pointed_at(key, query) for key in group.expressions]


def _sorted_by(item: exp.Expr, query: exp.Select) -> exp.Expr:
    _require_listed(item)
    return _pointed_at(item.this, query)


def _pointed_at(key: exp.Expr, query: exp.Select) -> exp.Expr:
    """The item of the list of columns whose place a key gives; else the key itself."""
    if isinstance(key, exp.Literal) and key.is_int and 0 < int(key.name) <= len(query.selects):
        item: exp.Expr = query.selects[int(key.name) - 1].unalias()
        return item
    return key
