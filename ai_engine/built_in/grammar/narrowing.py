"""Rows narrowed by what is said of them, wherever that lies as seen from them."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from ai_engine.built_in.grammar.days_in_conditions import in_days
from ai_engine.built_in.grammar.memberships import belonging, date_within, has_or_lacks, having, lacking_kind
from ai_engine.built_in.grammar.mods import added
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
    Fig,
    Mod,
    OfParty,
    OnDays,
    Part,
    Related,
    Rows,
    Standing,
    Unused,
    When,
    Who,
)
from ai_engine.built_in.grammar.present import state_of_now
from ai_engine.built_in.grammar.reasons import Priced, Reason, times  # fmt: skip
from ai_engine.built_in.grammar.role_narrowing import (
    narrowed_alike,
    narrowed_by_deed,
    narrowed_by_doer,
    narrowed_by_party,
)
from ai_engine.built_in.grammar.schema import Schema
from ai_engine.built_in.grammar.units import compared, figure_compared, negated
from ai_engine.built_in.states import day_of_state
from ai_engine.semantics.intent import AnyOf, Condition, FieldRef, Filter, Measure, Membership

_OF_ONE = frozenset({"count", "avg", "median"})  # of a row itself there is but one


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
        case Bound(fig=Fig(core=Measure(field=FieldRef() as field)) as fig, value=Decimal() as value) if _is_own(
            fig, rows
        ):
            return added(rows, Condition(field=field, operator=part.operator, values=(s.knows.typed(field, value),)))
        case Bound(fig=fig):
            own = fig.rows.dataset == rows.dataset and (fig.implied or fig.core.aggregate in _OF_ONE)
            sides = (fig, *(side for side in (fig.less, fig.over) if side is not None))
            if own or any(s.up(side.rows.dataset, rows.dataset) is None for side in sides):
                return None
            return Priced(replace(rows, bounds=(*rows.bounds, part)), _past_others(rows, fig.rows.dataset))
        case Both(one=one, other=other, each=each):
            if s.up(rows.dataset, one.dataset) is not None:
                if each is not None:
                    return narrow(s, rows, each.mod)
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
        case Standing(said=said):
            told = state_of_now(s, rows, said)
            found = added(rows, told[0]) if told else None
            return found and replace(found, notes=(told[1],)) if told else None
        case Who():
            people = s.knows.holding_people
            return Priced(rows) if rows.dataset in people or not people else None


def _is_own(fig: Fig, rows: Rows) -> bool:
    """ "transfers worth more than 50": each has its one."""
    return fig.implied and fig.over is None and fig.less is None and fig.rows == Rows(rows.dataset) and not rows.via


def _conditioned(s: Schema, rows: Rows, part: Cond) -> Priced | None:
    item = part.filter
    if part.own and rows.dataset != part.dataset:
        return None
    named = isinstance(item, Condition) and s.field(item.field).role in {"name", "identifier"}
    if rows.asked and rows.dataset != part.dataset and named:
        return None  # "who is Ines Vogt", of the staff
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
        staff = isinstance(item, Condition) and s.is_of_staff(rows.dataset, item.field)
        of_staff: tuple[Reason, ...] = ("a place of staff",) if staff else ()
        return added(rows, item, *times("a step away", steps), *past(s, rows, part.dataset), *unnamed, *of_staff)
    if not s.related(rows.dataset, part.dataset) or not rows.named:
        return None  # two values alone name neither of two kinds of rows
    if isinstance(item, Condition) and item.operator == "is null":
        return None  # "advances never paid" are not those of which some instalment is not
    if isinstance(item, Condition) and item.operator in {"!=", "not in"}:  # not: who has some that are not
        lacked = Membership(dataset=part.dataset, negated=True, filters=(negated(item),))
        return added(rows, lacked, "through rows not named")
    nearer = _has_nearer(s, rows, part.dataset)
    return added(rows, Membership(dataset=part.dataset, filters=(item,)), "through rows not named", *nearer)


def _come_to(s: Schema, found: Priced, item: Condition) -> Priced:
    """Rows that are told to have come to a state: where it is one of ending, its day is kept."""
    rows: Rows = found.value
    ended = day_of_state(item, s.knows) if rows.dated is None and rows.period is None else None
    return replace(found, value=replace(rows, told=(*rows.told, item), dated=ended or rows.dated))


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


def _has_nearer(s: Schema, rows: Rows, dataset: str) -> tuple[Reason, ...]:
    """Whether rows named last have them: "clients whose portfolios include such funds"."""
    last = rows.filters[-1] if rows.filters else None
    return ("past nearer words",) if isinstance(last, Membership) and s.related(last.dataset, dataset) else ()


def _past_others(rows: Rows, dataset: str) -> tuple[Reason, ...]:
    """Whether what is compared is of other rows than those that were named last."""
    last = rows.filters[-1] if rows.filters else None
    return ("past nearer words",) if isinstance(last, Membership) and last.dataset != dataset else ()


def _related(s: Schema, rows: Rows, part: Related) -> Priced | None:
    other = part.rows
    if other.asked or other.alone or (rows.asked and part.of and other.via):
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
        if not steps and (other.via or (rows.filters and not _goes_with(rows, other))):
            return None
        if not other.via and (said := s.way_said(rows, other.dataset)):
            other = replace(other, via=said)
        placed = [item for item in other.filters if isinstance(item, Condition) and not other.named]
        again: tuple[Reason, ...] = past(s, rows, other.dataset)
        again += times("a place of staff", sum(s.is_of_staff(rows.dataset, item.field) for item in placed))
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
        idle = times("narrows nothing", bool(steps) and not other.narrowed)
        return belonging(s, rows, other, *times("has its one", steps), *idle)
    if counted and steps:
        return None  # each has but one
    return having(s, rows, part)


def _goes_with(rows: Rows, other: Rows) -> bool:
    """ "balance of women in savings accounts": of accounts that are narrowed already, and in other ways."""
    fields = {item.field for item in rows.filters if isinstance(item, Condition)}
    own = [item for item in other.filters if isinstance(item, Condition)]
    return bool(own) and len(own) == len(other.filters) and fields.isdisjoint(item.field for item in own)


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
        last = rows.filters[-1] if rows.filters else None
        many = isinstance(last, Membership) and last.at_least and s.up(last.dataset, rows.dataset) is None
        if rows.period is not None or many:  # "doctors with five patients in May": neither is of that day
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
    own = cmp.fig.core.field if cmp.fig else None
    field = own if own and own.dataset == rows.dataset else figure_compared(s, rows.dataset, cmp)
    field = field or (None if cmp.scale else s.main_amount(rows, money_only=bool(cmp.fig or cmp.aggregate)))
    if field and cmp.other and (s.field(field).type == "integer") != (s.field(cmp.other).type == "integer"):
        return None  # a price is not below a number of pieces
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
