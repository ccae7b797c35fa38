"""Rows narrowed by what is said of them, wherever that lies as seen from them."""

from __future__ import annotations

from dataclasses import replace

from ai_engine.built_in.grammar.memberships import belonging, date_within, has_or_lacks, having, lacking_kind
from ai_engine.built_in.grammar.phrases import (
    Alike,
    Amount,
    Beyond,
    Both,
    Bound,
    Cond,
    Did,
    DoneBy,
    Either,
    Mod,
    OfParty,
    OnDays,
    Part,
    Priced,
    Reason,
    Related,
    Rows,
    Unused,
    When,
    Who,
    times,
)  # fmt: skip
from ai_engine.built_in.grammar.role_narrowing import (
    narrowed_alike,
    narrowed_by_deed,
    narrowed_by_doer,
    narrowed_by_party,
)
from ai_engine.built_in.grammar.schema import Schema, in_days
from ai_engine.built_in.grammar.units import compared, negated
from ai_engine.built_in.stocks import day_of_ending
from ai_engine.semantics.intent import AnyOf, Condition, Filter, Membership


def narrow(s: Schema, rows: Rows, mod: Mod) -> Priced | None:
    """Rows narrowed by all parts, with the reasons against it; None where one cannot be said of them."""
    because: tuple[Reason, ...] = ()
    notes: tuple[str, ...] = ()
    for part in mod.parts:
        found = _narrow(s, rows, part)
        if found is None:
            return None
        rows, because, notes = found.value, because + found.because, notes + found.notes
    return Priced(rows, because, notes)


def _narrow(s: Schema, rows: Rows, part: Part) -> Priced | None:
    match part:
        case Cond():
            return _conditioned(s, rows, part)
        case Related():
            return _related(s, rows, part)
        case When():
            return _dated(s, rows, part)
        case Amount():
            return _by_amount(s, rows, part)
        case Either():
            return _either(s, rows, part)
        case OnDays(numbers=numbers):
            dated = s.dated(rows)
            on = dated.model_copy(update={"grain": "weekday"}) if dated else None
            operator = "in" if len(numbers) > 1 else "="
            return added(rows, Condition(field=on, operator=operator, values=numbers)) if on else None
        case Bound(fig=fig):
            own = fig.rows.dataset == rows.dataset and fig.core.aggregate == "count"
            if own or s.up(fig.rows.dataset, rows.dataset) is None:
                return None
            return Priced(replace(rows, bounds=(*rows.bounds, part)), _past_others(rows, fig.rows.dataset))
        case Both(one=one, other=other):
            if s.up(rows.dataset, one.dataset) is not None:
                return Priced(replace(rows, beyond="one thing that is two at once"))
            return narrow(s, rows, Mod((*one.mod.parts, *other.mod.parts)))
        case Did():
            return narrowed_by_deed(s, rows, part)
        case DoneBy():
            return narrowed_by_doer(s, rows, part)
        case OfParty():
            return narrowed_by_party(s, rows, part)
        case Alike():
            return narrowed_alike(s, rows, part)
        case Beyond(reason=reason):
            return Priced(replace(rows, beyond=reason))
        case Unused():
            referring = s.knows.referring(rows.dataset)
            return added(rows, Membership(dataset=referring[0], negated=True)) if len(referring) == 1 else None
        case Who():
            people = s.knows.holding_people
            return Priced(rows) if rows.dataset in people or not people else None


def added(rows: Rows, item: Filter, *because: Reason) -> Priced | None:
    """Rows with one more condition, unless it was said already or makes one thing two at once."""
    if item in rows.filters:
        return None
    known = [found for found in rows.filters if isinstance(found, Condition)]
    if isinstance(item, Condition):
        same = [found.operator for found in known if found.field == item.field]
        if item.operator in {"=", "in"} and not {"=", "in"}.isdisjoint(same):
            return None
        if item.operator in {"!=", "not in"} and "=" in same:
            return None
    return Priced(replace(rows, filters=(*rows.filters, item)), because)


def _conditioned(s: Schema, rows: Rows, part: Cond) -> Priced | None:
    item = part.filter
    if part.own and rows.dataset != part.dataset:
        return None
    if rows.dataset == part.dataset:
        if isinstance(item, Condition) and rows.via and not item.field.via:
            item = item.model_copy(update={"field": item.field.model_copy(update={"via": rows.via})})
        found = added(rows, item, *_after_a_figure(rows))
        return _come_to(s, found, item) if found and part.told and isinstance(item, Condition) else found
    steps = s.up(rows.dataset, part.dataset)
    if steps is not None:
        via = item.field.via if isinstance(item, Condition) else ()
        if not s.leads(rows.dataset, via):
            return None
        said = s.way_said(rows, part.dataset)
        if isinstance(item, Condition) and said and not item.field.via:
            item = item.model_copy(update={"field": item.field.model_copy(update={"via": said})})
        other = isinstance(item, Condition) and not item.field.via and s.has_parties(rows.dataset, part.dataset)
        unnamed: tuple[Reason, ...] = ("a party that was not named",) if other else ()
        return added(rows, item, *_steps(steps), *past(s, rows, part.dataset), *unnamed)
    if not s.related(rows.dataset, part.dataset) or not rows.named:
        return None  # two values alone name neither of two kinds of rows
    if isinstance(item, Condition) and item.operator in {"!=", "not in"}:  # not: who has some that are not
        lacked = Membership(dataset=part.dataset, negated=True, filters=(negated(item),))
        return added(rows, lacked, "through rows not named")
    return added(rows, Membership(dataset=part.dataset, filters=(item,)), "through rows not named")


def _come_to(s: Schema, found: Priced, item: Condition) -> Priced:
    """Rows that are told to have come to a state: where it is one of ending, its day is kept."""
    rows: Rows = found.value
    ended = day_of_ending(item, s.knows) if rows.dated is None and rows.period is None else None
    return replace(found, value=replace(rows, told=(*rows.told, item), dated=ended or rows.dated))


def _steps(count: int) -> tuple[Reason, ...]:
    return times("a step away", count)


def _after_a_figure(rows: Rows) -> tuple[Reason, ...]:
    last = rows.filters[-1] if rows.filters else None
    compares = isinstance(last, Condition) and last.versus is not None
    return ("after a comparison with a figure",) if compares else ()


def past(s: Schema, rows: Rows, dataset: str) -> tuple[Reason, ...]:
    """Whether nearer words could have taken what is attached to the rows."""
    last = rows.filters[-1] if rows.filters else None
    if isinstance(last, Membership) and s.up(last.dataset, dataset) is not None:
        return ("past nearer words",)
    return _after_a_figure(rows)


def _past_others(rows: Rows, dataset: str) -> tuple[Reason, ...]:
    """Whether what is compared is of other rows than those that were named last."""
    last = rows.filters[-1] if rows.filters else None
    return ("past nearer words",) if isinstance(last, Membership) and last.dataset != dataset else ()


def _related(s: Schema, rows: Rows, part: Related) -> Priced | None:
    other = part.rows
    if other.asked or other.alone:
        return None
    counted = part.at_least is not None or part.at_most is not None
    if other.dataset == rows.dataset and other.via and not rows.via and not counted:
        return _of_superiors(s, rows, part)
    if other.dataset == rows.dataset and not part.of:
        if counted or not other.filters or other.period or other.bounds:
            return None
        return lacking_kind(rows, other) if part.negated else belonging(s, rows, other, "of its own kind")
    steps = s.up(rows.dataset, other.dataset)
    if part.of:
        if steps is None:
            return having(s, rows, part, "from above") if s.up(other.dataset, rows.dataset) is not None else None
        if other.bounds or part.negated or (steps and not s.leads(rows.dataset, other.via)):
            return None
        if not steps and other.via and not rows.filters and not rows.via:
            return Priced(replace(other, distinct=rows.distinct))  # "average age of borrowers"
        if not steps and (other.via or rows.filters):
            return None
        if not other.via and (said := s.way_said(rows, other.dataset)):
            other = replace(other, via=said)
        again: tuple[Reason, ...] = past(s, rows, other.dataset)
        if steps and not rows.narrowed and s.kept_count(other.dataset, rows.dataset):
            again = (*again, "a number that is kept")
        if steps and not other.narrowed:
            again = (*again, "narrows nothing")
        elif steps and not other.via and s.has_parties(rows.dataset, other.dataset):
            again = (*again, "a party that was not named")
        return belonging(s, rows, other, *times("of what it belongs to", steps), *again)
    if steps is not None and not counted:
        if not s.leads(rows.dataset, other.via):
            return None
        if not other.narrowed and (link := s.optional(rows.dataset, other)) is not None:
            return has_or_lacks(rows, other, link, negated=part.negated)
        if part.negated:
            return lacking_kind(rows, other)
        return belonging(s, rows, other, *times("has its one", steps))
    return having(s, rows, part)


def _of_superiors(s: Schema, rows: Rows, part: Related) -> Priced | None:
    """Rows that belong to others of their own table: "officers without a manager", "officers of managers in Leeds"."""
    other = part.rows
    if other.narrowed:
        return None if part.negated else belonging(s, rows, other)
    link = s.optional(rows.dataset, other)
    return has_or_lacks(rows, other, link, negated=part.negated) if link is not None and not part.of else None


def _dated(s: Schema, rows: Rows, part: When) -> Priced | None:
    if part.dated is None:
        inner = date_within(s, rows, part.days)
        if inner is not None:
            return Priced(inner)
        if rows.period is not None:
            return None
        happened = Condition(field=rows.dated, operator="is not null") if rows.dated else None  # on a day of the period
        filters = tuple(item for item in rows.filters if item != happened)
        return Priced(replace(rows, period=part.days, filters=filters))
    if part.dated.dataset == rows.dataset and rows.period is None:
        return Priced(replace(rows, period=part.days, dated=part.dated))
    if s.up(rows.dataset, part.dated.dataset) is None:
        return None
    filters = (*rows.filters, *in_days(part.days, part.dated))
    return Priced(replace(rows, filters=filters), ("days of other rows",))


def _by_amount(s: Schema, rows: Rows, part: Amount) -> Priced | None:
    cmp = part.cmp
    field = s.knows.main_measure(rows.dataset, money_only=bool(cmp.fig or cmp.aggregate))
    made = compared(s, field, cmp) if field is not None else None
    if field is None or made is None:
        return None
    note = f"The comparison is about {s.field(field).label}, as no other figure was named."
    inside = bool(rows.filters) and isinstance(rows.filters[-1], Membership)
    within: tuple[Reason, ...] = ("a bare amount inside a membership",) if inside else ()
    found = added(rows, made, "no figure was named", *within)
    return found and replace(found, notes=(note,))


def _either(s: Schema, rows: Rows, part: Either) -> Priced | None:
    filters: list[Filter] = []
    because: tuple[Reason, ...] = ()
    for mod in part.mods:
        found = narrow(s, Rows(rows.dataset, rows.via), mod)
        alone = s.filters_of(found.value) if found is not None else ()
        if found is None or len(alone) != 1 or found.value.bounds:
            return None
        because += found.because
        filters.append(alone[0])
    return Priced(replace(rows, filters=(*rows.filters, AnyOf(filters=tuple(filters)))), because)
