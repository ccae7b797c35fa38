"""A sketch without figures becomes a list of rows."""

from __future__ import annotations

from collections.abc import Sequence

from ai_engine.built_in.finishing.asked_figures import period_of
from ai_engine.built_in.finishing.one_row import list_rows_singled_out
from ai_engine.built_in.finishing.only_those import through_their_owners
from ai_engine.built_in.finishing.ranked_by import ranking_figure
from ai_engine.built_in.finishing.stock_figures import rows_of_a_moment
from ai_engine.built_in.finishing.two_sides import contradicts
from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.meanings import Thing
from ai_engine.built_in.sketch import OrderWish, Sketch
from ai_engine.semantics.intent import (
    Condition,
    Dimension,
    FieldRef,
    Intent,
    Membership,
    Order,
    Period,
)


def asked_list(sketch: Sketch, knows: Knowledge, columns: list[FieldRef]) -> Intent | None:
    """Turn a sketch without figures into a list; None when nothing says whose rows."""
    subject = list_subject(sketch, knows, columns)
    if subject is None:
        return None
    first = sketch.listed_first
    if first is not None and columns and all(_reachable(knows, first.dataset, item.dataset) for item in columns):
        subject = first.dataset
        columns = [*knows.entity_fields(first), *columns]
    subject, columns = list_rows_singled_out(sketch, knows, subject, columns)
    columns = [*_asked_first(sketch, knows, subject, columns), *columns]
    columns = _with_things_beside(sketch, knows, subject, columns)
    _say_of_the_rows(sketch, subject)
    if sketch.asks_when and not columns:
        dated = knows.time_field(subject)
        columns = [dated] if dated is not None else columns
    if sketch.limit_descending is not None and not sketch.orders:
        amount = knows.main_measure(subject, money_only=True)
        if amount is None:
            sketch.unplaced.append("top: by what")
        else:
            sketch.assumptions.append(f"“top” is by {knows.field(amount).label}.")
            sketch.orders.append(OrderWish(field=amount, descending=sketch.limit_descending))
    if contradicts(sketch.filters):
        sketch.unplaced.append("one thing that is two at once")
    orders = []
    for wish in sketch.orders:
        assert wish.field is not None  # noqa: S101 - a measure would have made it a question of figures
        if knows.is_parent(wish.field.dataset, subject) and wish.field.dataset != subject:
            return _ranked_list(sketch, knows, subject, columns, wish)
        orders.append(Order(field=wish.field, descending=wish.descending))
    rows_of_a_moment(sketch, knows, subject)
    period = period_of(sketch)
    if period is not None and period.field is None:
        field = knows.time_field(subject)
        if field is None:
            sketch.unplaced.append(period.label)
        else:
            sketch.assumptions.append(f"The period is about {knows.field(field).label}.")
            period = period.model_copy(update={"field": field})
    categories = len(columns) == 1 and knows.field(columns[0]).role in {"category", "flag"}
    return Intent(
        subject=subject,
        columns=_with_date_and_owner(_shown(sketch, knows, subject, columns, orders), columns, subject, period, knows),
        distinct=sketch.distinct or (categories and not sketch.orders),
        filters=through_their_owners(sketch, knows, subject),
        period=period,
        order=tuple(orders),
        limit=sketch.limit,
        skip=sketch.skip,
    )


def _say_of_the_rows(sketch: Sketch, subject: str) -> None:
    """ "who belongs to X, with their points": where the linking rows are listed, what they must be is said of them.

    "The first client with an account" ranks the client, and rows of two kinds are not one row of both.
    """
    own = [item for item in sketch.filters if isinstance(item, Membership) and item.dataset == subject]
    if len(own) != 1 or sketch.orders or own[0].negated or (own[0].at_least or 1, own[0].at_most) != (1, None):
        return
    place = sketch.filters.index(own[0])
    sketch.filters[place : place + 1] = own[0].filters


def _asked_first(sketch: Sketch, knows: Knowledge, subject: str, columns: list[FieldRef]) -> tuple[FieldRef, ...]:
    """ "who owns the account, and what is its balance": the owner stands beside the balance."""
    first, names = sketch.asked_first, {column.dataset for column in columns if knows.field(column).role == "name"}
    if first is None or not columns or sketch.listed_first == first or first.dataset in names:
        return ()
    if first.dataset != subject and not knows.is_parent(subject, first.dataset):
        sketch.unplaced.append(f"{knows.dataset(first.dataset).label}: which one")
        return ()
    return knows.naming_fields(first)


def _with_things_beside(sketch: Sketch, knows: Knowledge, subject: str, columns: list[FieldRef]) -> list[FieldRef]:
    """Show the things that were named as columns by what names them, beside the rows' own columns."""
    beside = [field for thing in sketch.beside for field in knows.naming_fields(thing)]
    if not beside:
        return columns
    return [*(columns or knows.list_fields(subject)), *beside]


def _shown(
    sketch: Sketch, knows: Knowledge, subject: str, columns: list[FieldRef], orders: Sequence[Order]
) -> tuple[FieldRef, ...]:
    """The columns of a list; where whole rows are asked for, what ranks them is one of them."""
    first = sketch.listed_first
    whole = not columns or (first is not None and first.dataset == subject)
    several = sketch.limit is not None and sketch.limit > 1
    if columns and several and all(any(order.field == item for order in orders) for item in columns):
        whole, columns = True, []  # "10 mortgages with the highest balance" are mortgages, and not ten balances
    shown = columns or knows.list_fields(subject)
    return tuple(dict.fromkeys([*shown, *(_ranked_by(orders, knows) if whole else ())]))


def _with_date_and_owner(
    shown: tuple[FieldRef, ...], asked: list[FieldRef], subject: str, period: Period | None, knows: Knowledge
) -> tuple[FieldRef, ...]:
    """ "FDs maturing next month": the date that chose them, and whose they are, where whole rows are listed."""
    if asked or period is None or period.field is None or period.field in (*shown, knows.time_field(subject)):
        return shown
    owner = knows.people
    belongs = owner is not None and owner != subject and knows.is_parent(subject, owner)
    names = knows.naming_fields(Thing(owner)) if belongs and owner is not None else ()
    allowed = (item for item in (period.field, *names) if not knows.field(item).sensitive)
    return tuple(dict.fromkeys((*shown, *allowed)))


def _ranked_by(orders: Sequence[Order], knows: Knowledge) -> list[FieldRef]:
    """Fields that rank a list are shown in it, unless they are nobody's business."""
    return [order.field for order in orders if order.field and not knows.field(order.field).sensitive]


def _reachable(knows: Knowledge, dataset: str, other: str) -> bool:
    return dataset == other or knows.is_parent(dataset, other)


def list_subject(sketch: Sketch, knows: Knowledge, columns: list[FieldRef]) -> str | None:
    """The rows to list: those from which everything named can be reached without repeating any."""
    if sketch.rows_listed is not None:
        return sketch.rows_listed
    candidates = list(
        dict.fromkeys([column.dataset for column in columns] + [thing.dataset for thing in sketch.things])
    ) or [item.field.dataset for item in sketch.filters if isinstance(item, Condition)]
    for candidate in candidates:
        if all(column.dataset == candidate or knows.is_parent(candidate, column.dataset) for column in columns):
            return candidate
    return candidates[0] if candidates else None


def _ranked_list(sketch: Sketch, knows: Knowledge, subject: str, columns: list[FieldRef], wish: OrderWish) -> Intent:
    """ "customer with the highest loan amount": the subject's rows, ranked by a figure over their many rows."""
    assert wish.field is not None  # noqa: S101 - the caller looked
    ranked = knows.field(wish.field)
    if ranked.role not in {"measure", "time"}:
        sketch.unplaced.append(f"{ranked.label}: one of many")
    measure = ranking_figure(wish, knows)
    shown = tuple(columns) or knows.entity_fields(Thing(subject))
    return Intent(
        subject=subject,
        measures=(measure,),
        dimensions=tuple(Dimension(field=field) for field in dict.fromkeys(shown)),
        filters=tuple(sketch.filters),
        period=period_of(sketch),
        order=(Order(measure=measure, descending=wish.descending),),
        limit=sketch.limit,
        skip=sketch.skip,
    )
