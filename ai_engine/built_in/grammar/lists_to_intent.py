"""The structured question of a list."""

from __future__ import annotations

from dataclasses import replace

from ai_engine.built_in.grammar.figures_to_intent import period_of
from ai_engine.built_in.grammar.phrases import Ask, Group
from ai_engine.built_in.grammar.schema import Schema
from ai_engine.built_in.meanings import Thing
from ai_engine.semantics.intent import FieldRef, Filter, Intent, Membership, Order, Period


def rows_asked(s: Schema, ask: Ask) -> Intent | None:
    """Rows with their columns; None where figures would be needed."""
    rows, best = ask.rows, ask.best
    if (
        rows is None
        or (rows.fresh and rows.period is None)
        or ask.bounds
        or ask.transform
        or ask.compare
        or (best is not None and best.field is None)
    ):
        return None
    period: Period | None = None
    if rows.period is not None:
        dated = s.dated(rows)
        if dated is None:
            return None
        period = period_of(rows.period, dated)
    if rows.owner:
        rows = replace(rows, filters=tuple(_of_owner(s, item, rows.owner) for item in rows.filters))
    ranked = (best,) if best is not None else ()
    orders = tuple(Order(field=item.field, descending=item.descending) for item in (*ranked, *ask.orders) if item.field)
    within = tuple(ref for group in ask.within for ref in _fields(s, group))
    columns = _columns(s, ask, within, orders)
    roles = [s.field(column).role for column in columns]
    if roles == ["flag"] and not (ask.distinct or ask.listed or orders):
        return None  # "entrapments last month" asks for the rows that are marked so, and not for "yes" and "no"
    one_category = roles in (["category"], ["flag"]) and not orders
    return Intent(
        subject=rows.dataset,
        columns=columns,
        distinct=ask.distinct or one_category,
        filters=rows.filters,
        period=period,
        order=orders,
        limit=best.limit if best else None,
        skip=best.skip if best else 0,
        limit_within=within,
    )


def _columns(s: Schema, ask: Ask, within: tuple[FieldRef, ...], orders: tuple[Order, ...]) -> tuple[FieldRef, ...]:
    assert ask.rows is not None  # noqa: S101 - only lists come here
    columns = ask.columns or s.knows.list_fields(ask.rows.dataset)
    columns = (*(ref for ref in within if ref not in columns), *columns)
    if ask.listed:
        return columns
    return (*columns, *(order.field for order in orders if order.field and order.field not in columns))


def _fields(s: Schema, group: Group) -> tuple[FieldRef, ...]:
    return (group.field,) if group.field else s.knows.entity_fields(Thing(str(group.thing), group.via))


def _of_owner(s: Schema, item: Filter, owner: str) -> Filter:
    """A membership that the owner has, by the link that leads to the owner."""
    if not isinstance(item, Membership) or item.via:
        return item
    ways = s.knows.lexicon.reach.ways(owner, item.dataset)
    one = len(ways) == 1 and len(ways[0]) == 1
    return item.model_copy(update={"via": (ways[0][0].relationship.name,)}) if one else item
