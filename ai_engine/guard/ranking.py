"""Where a statement's ORDER BY keys stand in its rows: by them, rows left out are compared with those kept."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

_KEY_NAME = "order_key_"


@dataclass(frozen=True, slots=True)
class Ranking:
    """The keys that rank the rows.

    Attributes:
        places: of each key in a fetched row, counted from 0; those that are not shown come behind the shown columns.
        unshown: keys that have to be fetched beside the columns.
    """

    places: tuple[int, ...]
    unshown: tuple[exp.Expr, ...] = ()


def ranking_of(tree: exp.Query, keys: int | None) -> Ranking | None:
    """Find the keys; None where nothing is sorted, or a key can neither be found among the columns nor be added.

    Args:
        tree: the judged statement.
        keys: leading ORDER BY keys that rank, those behind them only settle ties. None: those up to the last one that
            sorts downwards, or all of them.
    """
    order = tree.args.get("order")
    selects = tree.selects
    if order is None or any(item.is_star for item in selects):
        return None
    places: list[int] = []
    unshown: list[exp.Expr] = []
    for key in _ranking_keys(order.expressions, keys):
        place = _shown_at(key, selects)
        if place is None:
            if not _may_be_added(key, tree):
                return None
            place = len(selects) + len(unshown)
            unshown.append(key)
        places.append(place)
    return Ranking(tuple(places), tuple(unshown))


def with_keys(tree: exp.Query, ranking: Ranking) -> exp.Query:
    """Return a copy of the statement that also fetches the keys it does not show."""
    fetched = tree.copy()
    assert isinstance(fetched, exp.Select), "only a plain SELECT has keys added"  # noqa: S101
    named = [exp.alias_(key.copy(), f"{_KEY_NAME}{number}") for number, key in enumerate(ranking.unshown, 1)]
    return fetched.select(*named, copy=False)


def _ranking_keys(sorted_by: list[exp.Expr], keys: int | None) -> list[exp.Expr]:
    downwards = [place for place, item in enumerate(sorted_by, 1) if item.args.get("desc")]
    count = keys if keys is not None else (downwards or [len(sorted_by)])[-1]
    return [item.this if isinstance(item, exp.Ordered) else item for item in sorted_by[:count]]


def _shown_at(key: exp.Expr, selects: list[exp.Expr]) -> int | None:
    if isinstance(key, exp.Literal) and key.is_int:
        return int(key.name) - 1
    if isinstance(key, exp.Column) and not key.table:
        for place, item in enumerate(selects):
            if item.alias_or_name.lower() == key.name.lower():
                return place
    return next((place for place, item in enumerate(selects) if item.unalias() == key), None)


def _may_be_added(key: exp.Expr, tree: exp.Query) -> bool:
    """Tell whether a key means the same among the columns: it does where it uses none of their names."""
    if not isinstance(tree, exp.Select) or tree.args.get("distinct"):
        return False
    group = tree.args.get("group")
    if group is not None and group.args.get("all"):  # what is added would be grouped by
        return False
    names = {item.alias.lower() for item in tree.selects if item.alias}
    return not any(not column.table and column.name.lower() in names for column in key.find_all(exp.Column))
