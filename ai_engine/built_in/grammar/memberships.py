"""Rows that have related rows, lack them, or belong to them."""

from __future__ import annotations

from dataclasses import replace

from ai_engine.built_in.grammar.phrases import Priced, Reason, Related, Rows, times
from ai_engine.built_in.grammar.schema import Schema, in_days
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
    down = s.up(other.dataset, rows.dataset)
    because = (*because, *(times("belongs to many", 1) if down is None else times("has related", down or 1)))
    if other.period is not None and s.dated(other) is None:
        return None
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
    """ "customers who used UPI in October": what they did happened then, whatever stands between."""
    last = rows.filters[-1] if rows.filters else None
    if not isinstance(last, Membership) or s.up(last.dataset, rows.dataset) is None or rows.period:
        return None
    dated = s.knows.time_field(last.dataset)
    if dated is None or any(isinstance(item, Condition) and item.field == dated for item in last.filters):
        return None
    inner = last.model_copy(update={"filters": (*last.filters, *in_days(days, dated))})
    return replace(rows, filters=(*rows.filters[:-1], inner))
