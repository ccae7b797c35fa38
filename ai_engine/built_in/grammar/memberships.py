"""Rows that have related rows, lack them, or belong to them."""

from __future__ import annotations

from dataclasses import replace

from ai_engine.built_in.grammar.days_in_conditions import in_days
from ai_engine.built_in.grammar.phrases import Related, Rows
from ai_engine.built_in.grammar.reasons import Priced, Reason, times
from ai_engine.built_in.grammar.schema import Schema
from ai_engine.built_in.grammar.units import negated
from ai_engine.built_in.meanings import Days
from ai_engine.semantics.intent import Condition, FieldRef, Filter, Membership
from ai_engine.semantics.model import Relationship


def belonging(s: Schema, rows: Rows, other: Rows, *because: Reason) -> Priced | None:
    """Rows whose one `other` is so: its conditions carry over."""
    filters = tuple(_by_its_way(s, item, other, rows.dataset) for item in other.filters)
    owned = any(isinstance(item, Membership) for item in other.filters) and other.dataset != rows.dataset
    owner = other.owner or (other.dataset if owned else rows.owner)
    if filters != other.filters:
        because = (*because, "seen by another way")
    if other.period is not None:
        dated = s.dated(other)
        if dated is None:
            return None
        if other.dated is None:
            if s.dated(rows) is not None and rows.period is None and not other.fresh:
                return None  # "deposits of Retail customers in 2025": the days are those of what is asked
            because = (*because, "dated by default")
        filters += in_days(other.period, dated.model_copy(update={"via": other.via}))
    beyond = rows.beyond or other.beyond
    return Priced(replace(rows, filters=(*rows.filters, *filters), owner=owner, beyond=beyond), because)


def _by_its_way(s: Schema, item: Filter, other: Rows, base: str) -> Filter:
    if not isinstance(item, Condition):
        return item
    if item.field.dataset != other.dataset:
        return item.model_copy(update={"field": s.seen_from(other.dataset, item.field, base)})
    if other.via and not item.field.via:
        return item.model_copy(update={"field": item.field.model_copy(update={"via": other.via})})
    return item


def having(s: Schema, rows: Rows, part: Related, *because: Reason) -> Priced | None:
    """Rows that have as many related rows as are said."""
    other = part.rows
    if other.bounds or not s.related(rows.dataset, other.dataset):
        return None
    played = s.knows.model.relationship(other.via[0]) if len(other.via) == 1 else None
    if played is not None and played.from_dataset == other.dataset and s.up(played.to_dataset, rows.dataset) is None:
        return None  # the offices' managers are staff, and no customers
    down = s.up(other.dataset, rows.dataset)
    because = (*because, *(times("belongs to many", 1) if down is None else times("has related", down or 1)))
    if other.period is not None and (s.dated(other) is None or (down is None and part.at_least and not other.dated)):
        return None  # "doctors with five patients in May", whose day is that of neither
    found = Membership(
        dataset=other.dataset,
        negated=part.negated,
        at_least=part.at_least,
        at_most=part.at_most,
        filters=s.filters_of(other),
        via=other.via,
    )
    opposite = found.model_copy(update={"negated": not found.negated})
    if found in rows.filters or opposite in rows.filters:
        return None
    return Priced(replace(rows, filters=(*rows.filters, found), beyond=rows.beyond or other.beyond), because)


def has_or_lacks(rows: Rows, other: Rows, link: Relationship, *, negated: bool) -> Priced | None:
    """Rows that name one of the others, or none: "contracts without a co-lessee"."""
    if link.from_dataset == link.to_dataset:
        place = FieldRef(dataset=rows.dataset, field=link.from_columns[0])
        item: Filter = Condition(field=place, operator="is null" if negated else "is not null")
    else:
        item = Membership(dataset=other.dataset, negated=negated, via=other.via)
    return Priced(replace(rows, filters=(*rows.filters, item)), ("has its one",)) if item not in rows.filters else None


def lacking_kind(rows: Rows, other: Rows) -> Priced | None:
    """Rows that are not of a kind which is kept with them."""
    conditions = [item for item in other.filters if isinstance(item, Condition)]
    if len(conditions) != 1 or len(other.filters) != 1 or other.period:
        return None
    item = negated(conditions[0])
    return (
        None if item in rows.filters else Priced(replace(rows, filters=(*rows.filters, item)), ("denied as a whole",))
    )


def date_within(s: Schema, rows: Rows, days: Days) -> Rows | None:
    """ "customers who used UPI in October": what they did happened then, whatever stands between.

    So did what was done of the same kind before: "opened a savings account and a deposit in 2025".
    """
    last = rows.filters[-1] if rows.filters else None
    if not isinstance(last, Membership) or rows.period or _in_days(s, rows, last, days) is None:
        return None
    dated: list[Filter] = []
    for item in reversed(rows.filters):
        alike = isinstance(item, Membership) and item.dataset == last.dataset and len(dated) == len(rows.filters) - 1
        inner = _in_days(s, rows, item, days) if isinstance(item, Membership) and (item is last or alike) else None
        dated.append(inner or item)
    return replace(rows, filters=tuple(reversed(dated)))


def _in_days(s: Schema, rows: Rows, had: Membership, days: Days) -> Membership | None:
    """What is had as of these days; what has no day of its own by that of the rows which link both: sales of goods."""
    base = had.dataset
    if s.up(base, rows.dataset) is None or s.dated(Rows(base, filters=had.filters)) is None:
        linking = s.linking(rows.dataset, had.dataset) if s.dated(Rows(base)) is None and not had.via else ()
        if len(linking) != 1 or any(not isinstance(item, Condition) for item in had.filters):
            return None
        (base,) = linking
    dated = s.dated(Rows(base, filters=had.filters))
    if dated is None or any(isinstance(item, Condition) and item.field == dated for item in had.filters):
        return None
    return had.model_copy(update={"dataset": base, "filters": (*had.filters, *in_days(days, dated))})
