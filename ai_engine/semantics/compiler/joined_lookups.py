"""What a figure looks up in another table for each row, joined instead: some databases cannot look it up there.

The looked-up rows are brought down to one for each key first, so that the join repeats no row.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import count

from sqlglot import exp

from ai_engine.errors import IntentNotCovered

_RELATED = "related"
_FOUND = "found"


def lookups_joined(query: exp.Select) -> exp.Select:
    """Join what stands within a figure, or is tested in a column, as related rows or as a figure over all rows.

    Raises:
        IntentNotCovered: it hangs together with the row outside in another way than by equal keys.
    """
    numbers = count(1)
    taken = {table.alias_or_name.lower() for table in query.find_all(exp.Table, exp.CTE, exp.Subquery)}
    names = (name for number in numbers if (name := f"{_RELATED}_{number}") not in taken)
    for select in reversed(list(query.find_all(exp.Select))):  # inner ones first
        _Joining(select, lambda: next(names)).join()
    return query


@dataclass
class _Joining:
    select: exp.Select
    name: Callable[[], str]
    joined: dict[exp.Expr, str] = field(default_factory=dict)

    def join(self) -> None:
        for lookup in self._lookups():
            inner = lookup.this
            ties, rest = _parted(inner, self.select)
            if any(inner.args.get(part) for part in ("group", "having", "distinct", "limit", "offset", "with_")):
                raise _not_covered()
            if isinstance(lookup, exp.Exists):
                if not ties:
                    raise _not_covered()
                _replace_test(lookup, self._alias(lookup, _keyed(inner, ties, rest, []), ties))
            else:
                [value] = inner.selects
                if ties and not isinstance(value, exp.Count):
                    raise _not_covered()
                items = [exp.alias_(value.unalias().copy(), _FOUND)]
                found = exp.column(_FOUND, table=self._alias(lookup, _keyed(inner, ties, rest, items), ties))
                # Rows without any related ones are in no group.
                lookup.replace(exp.func("COALESCE", found, exp.Literal.number(0)) if ties else found)

    def _lookups(self) -> list[exp.Expr]:
        """Return subqueries within figures, and tests for related rows within columns, outermost only."""
        found: list[exp.Expr] = []
        conditions = [self.select.args.get(part) for part in ("having", "order")]
        for item in (*self.select.expressions, *(one for one in conditions if one is not None)):
            for node in item.find_all(exp.Exists, exp.Subquery):
                is_test = isinstance(node, exp.Exists)
                if node.parent_select is self.select and (is_test or _is_within_a_figure(node, self.select)):
                    found.append(node)
        return found

    def _alias(self, lookup: exp.Expr, rows: exp.Select, ties: Sequence[_Tie]) -> str:
        """Join rows, those that are looked up in several places once."""
        known = next((name for other, name in self.joined.items() if other == lookup), None)
        if known is not None:
            return known
        name = self.name()
        self.joined[lookup.copy()] = name
        matches = [
            exp.EQ(this=exp.column(f"key_{number}", table=name), expression=tie.outer.copy())
            for number, tie in enumerate(ties, 1)
        ]
        on = exp.and_(*matches) if matches else None
        kind = "left" if ties else "cross"
        self.select.join(rows.subquery(name, copy=False), on=on, join_type=kind, copy=False)
        return name


@dataclass(frozen=True)
class _Tie:
    inner: exp.Column
    outer: exp.Column


def _keyed(inner: exp.Select, ties: Sequence[_Tie], rest: Sequence[exp.Expr], items: list[exp.Expr]) -> exp.Select:
    keys = [exp.alias_(tie.inner.copy(), f"key_{number}") for number, tie in enumerate(ties, 1)]
    rows = inner.copy().select(*keys, *items, append=False)
    rows.set("where", None)
    rows = rows.where(*(condition.copy() for condition in rest)) if rest else rows
    return rows.group_by(*(tie.inner.copy() for tie in ties)) if ties else rows


def _parted(inner: exp.Select, outside: exp.Select) -> tuple[list[_Tie], list[exp.Expr]]:
    """Part the conditions of looked-up rows into keys that they share with the row outside, and others."""
    where, own = inner.args.get("where"), _sources(inner)
    conditions = list(where.this.flatten()) if where is not None and isinstance(where.this, exp.And) else []
    conditions = conditions or ([where.this] if where is not None else [])
    ties: list[_Tie] = []
    rest: list[exp.Expr] = []
    for condition in conditions:
        sides = (condition.this, condition.expression) if isinstance(condition, exp.EQ) else ()
        columns = [side for side in sides if isinstance(side, exp.Column) and side.table]
        within = [column for column in columns if column.table.lower() in own]
        beyond = [column for column in columns if column.table.lower() in _sources(outside) - own]
        if len(within) == len(beyond) == 1:
            ties.append(_Tie(within[0], beyond[0]))
        else:
            rest.append(condition)
    known = {name for select in inner.find_all(exp.Select) for name in _sources(select)}
    left = [*rest, *inner.expressions, *(inner.args.get("joins") or ())]
    if any(column.table and column.table.lower() not in known for one in left for column in one.find_all(exp.Column)):
        raise _not_covered()
    return ties, rest


def _sources(select: exp.Select) -> set[str]:
    origin, joins = select.args.get("from_"), select.args.get("joins") or ()
    tables = [*([origin.this] if origin is not None else []), *(join.this for join in joins)]
    return {table.alias_or_name.lower() for table in tables}


def _is_within_a_figure(node: exp.Expr, select: exp.Select) -> bool:
    place = node.parent
    while place is not None and place is not select:
        if isinstance(place, exp.AggFunc):
            return True
        place = place.parent
    return False


def _replace_test(test: exp.Expr, name: str) -> None:
    missing = exp.Is(this=exp.column("key_1", table=name), expression=exp.Null())
    if isinstance(test.parent, exp.Not):
        test.parent.replace(missing)
    else:
        test.replace(exp.Not(this=missing))


def _not_covered() -> IntentNotCovered:
    return IntentNotCovered("the database cannot look into another table within a figure; ask it as a filter")
