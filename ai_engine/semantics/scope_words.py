"""What narrows a result, in words: the one place from which headline, chart title, metric card and export take it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import timedelta

from ai_engine.semantics.compared_periods import like_with_like
from ai_engine.semantics.dating import date_of
from ai_engine.semantics.intent import Dimension, Intent, Order, Period
from ai_engine.semantics.model import SemanticModel
from ai_engine.semantics.period_words import (
    covered_days,
    during,
    lies_behind_the_data,
    on_latest_of,
    said_days,
    short_months,
)
from ai_engine.semantics.restatement import dimension_label, measure_label
from ai_engine.semantics.wording import Words, ordinal, plural
from ai_engine.semantics.words import name_key
from ai_engine.semantics.words import words as words_of

_FOLLOWS = ("where ", "whose ", "with ", "without ", "not ", "either ", "only ", "among ")
_OF_DATES = frozenset(name_key(("date", "day", "time", "on", "at")))
_QUARTER_OR_HALF = re.compile(r"[QH]\d\b")


@dataclass(frozen=True, slots=True)
class Scope:
    """The words for everything that narrows a result; empty where nothing does.

    Attributes:
        period: the days meant, without a preposition: "August 2026", "1 January to 30 September 2026".
        dated_by: the date that falls into the period, where it is not the one that dates the rows anyway.
        conditions: "where channel is UPI", "without loans", "among groups whose number of accounts is above 5".
        compared: the earlier days that the period is held against.
        rank: the end of the order that alone is shown: "top 5", "second highest".
        place: the place in the order that alone is shown (2 for "second highest"); 1 for the first ones.
        thing: what a list lists, "loan"; empty where figures are asked.
        things: several of them.
        order: how a list is sorted, "sorted by balance, highest first".
        within: labels of the columns whose groups each show their own first few; empty where nothing is ranked so.
        ends: the last day of the data, "30 September 2026", where the period lies wholly behind it.
        ranked_by: label of the figure that ranks these.
        ranks_highest: the largest of each group are shown, rather than the smallest.
        alone: the rank of the one row that a list shows, "second latest opening date"; empty for other lists.
        brief_conditions: the conditions where there is little room: "(ATM, Cash Withdrawal)".
        of_latest: the figures are of the latest date in the period alone, as a balance is.
        of_dates: they are of each of several dates, so that they have no total.
    """

    period: str = ""
    dated_by: str = ""
    conditions: tuple[str, ...] = ()
    compared: str = ""
    rank: str = ""
    place: int = 1
    thing: str = ""
    things: str = ""
    order: str = ""
    ends: str = ""
    within: tuple[str, ...] = ()
    ranked_by: str = ""
    ranks_highest: bool = True
    alone: str = ""
    brief_conditions: tuple[str, ...] = ()
    of_latest: bool = False
    of_dates: bool = False

    @property
    def phrase(self) -> str:
        """Everything as it follows a noun in a sentence: "in August 2026 where channel is UPI"."""
        when = during(self._days)
        when = f"with {self.dated_by} {when}" if when and self.dated_by else when
        return " ".join(part for part in (when, *self.conditions) if part)

    @property
    def briefer(self) -> tuple[Scope, ...]:
        """The same in fewer letters, the longest first."""
        fewer = replace(self, conditions=self.brief_conditions)
        return fewer, replace(fewer, period=short_months(self.period), compared=short_months(self.compared))

    @property
    def heading(self) -> str:
        """Everything as it follows a title: "where channel is UPI, August 2026"."""
        when = f"{self.dated_by} {self._days}" if self.period and self.dated_by else self._days
        when = f"{when} against {self.compared}" if self.compared else when
        return ", ".join(part for part in (" ".join(self.conditions), self.rank, when) if part)

    @property
    def _days(self) -> str:
        return on_latest_of(self.period) if self.of_latest else self.period


def titled(title: str, scope: str) -> str:
    """Put what narrows the figures behind a title: "Deposits by month where city is Pune", "Deposits, August 2026"."""
    if not scope:
        return title
    return f"{title}{' ' if scope.startswith(_FOLLOWS) else ', '}{scope}"


_CHANGES = {"change": "change", "change_percent": "percent change"}


def scope_of(intent: Intent, model: SemanticModel) -> Scope:
    """Say what narrows the result of an intent; days that the data cannot cover are not said."""
    words = Words(model, spoken=True)
    having = [f"{_kept(intent)}{words.whose(item)}" for item in intent.having]
    period, own = intent.period, date_of(intent.model_copy(update={"period": None}), model)
    named = (
        period is not None and period.field is not None and (period.field != own or not _says_its_date(intent, model))
    )
    thing, things = _listed(intent, words)
    first = next(iter(intent.order), None)
    return Scope(
        period=_said(period, model.fiscal_year_start_month),
        dated_by=words.field(period.field) if named and period is not None and period.field is not None else "",
        conditions=(*words.conditions(intent.filters), *having),
        compared=_compared(intent, model.fiscal_year_start_month),
        rank=_rank(intent, words),
        place=intent.skip + 1 if intent.limit is not None else 1,
        thing=thing,
        things=things,
        order=_sorted(intent, words),
        ends=_ended_before(period, model.fiscal_year_start_month),
        within=tuple(dimension_label(Dimension(field=ref), model) for ref in intent.limit_within),
        ranked_by=measure_label(first.measure, model) if first is not None and first.measure is not None else "",
        ranks_highest=first is None or first.descending,
        alone=_end(intent, first, words) if _shows_one(intent) and first is not None else "",
        brief_conditions=(*words.brief_conditions(intent.filters), *having),
    )


def _kept(intent: Intent) -> str:
    """Say before a demand what it is made of: the things that are counted themselves, groups, or rows of a list."""
    if intent.over_groups == "count":
        return ""
    return "among groups " if intent.measures else "only those "


def _says_its_date(intent: Intent, model: SemanticModel) -> bool:
    """Whether every figure is called by the deed that dates it: "accounts opened", by their opening date."""
    if not intent.measures or intent.period is None or intent.period.field is None:
        return False
    date = intent.period.field
    deed = set(name_key(words_of(model.dataset(date.dataset).field(date.field).label))) - _OF_DATES
    labels = [set(name_key(words_of(measure_label(item, model)))) for item in intent.measures]
    return bool(deed) and all(deed <= label for label in labels)


def _rank(intent: Intent, words: Words) -> str:
    order = next(iter(intent.order), None)
    if intent.limit is None or order is None or intent.over_groups:
        return ""
    if intent.limit_within:
        each = words.dimensions([Dimension(field=ref) for ref in intent.limit_within])
        return f"{_end(intent, order, words)} in each {each}"
    return _end(intent, order, words)


def _shows_one(intent: Intent) -> bool:
    """Whether one row of an order is listed, rather than the first few or those of each group."""
    return not intent.measures and intent.limit == 1 and not intent.limit_within and bool(intent.order)


def _end(intent: Intent, order: Order, words: Words) -> str:
    if order.measure is None:
        return f"first {intent.limit}" if intent.limit != 1 else _placed(intent, order, words)
    end = "highest" if order.descending else "lowest"
    change = _CHANGES.get(order.measure.transform or "") if intent.compare is not None else None
    if intent.limit == 1:
        ranked = end if not intent.skip else f"{ordinal(intent.skip + 1)} {end}"
        return f"{ranked} {change}" if change else ranked
    ranked = f"{'top' if order.descending else 'lowest'} {intent.limit}"
    return f"{ranked} by {change}" if change else ranked


def _placed(intent: Intent, order: Order, words: Words) -> str:
    """Say the place of a row in an order by one of its fields: "third highest balance", "earliest opening date"."""
    assert order.field is not None  # noqa: S101 - what is no figure is a field
    role, named = words.model.dataset(order.field.dataset).field(order.field.field).role, words.field(order.field)
    if role not in ("measure", "time"):
        return f"{ordinal(intent.skip + 1)} {named} in {'falling' if order.descending else 'rising'} order"
    place = f"{ordinal(intent.skip + 1)} " if intent.skip else ""
    ends = ("latest", "earliest") if role == "time" and order.field.grain != "age_years" else ("highest", "lowest")
    return f"{place}{ends[0] if order.descending else ends[1]} {named}"


def _sorted(intent: Intent, words: Words) -> str:
    said = " and ".join(words.order(item) for item in intent.order)
    if intent.limit is None or not intent.limit_within:
        return said
    each = words.dimensions([Dimension(field=ref) for ref in intent.limit_within])
    shown = f"first {intent.limit}" if intent.limit > 1 else ordinal(intent.skip + 1)
    return f"{said}, the {shown} in each {each}"


def _listed(intent: Intent, words: Words) -> tuple[str, str]:
    """Name one and several of the rows that are listed; neither where figures are asked."""
    if intent.measures:
        return "", ""
    if intent.distinct and intent.columns:
        one, several = (" and ".join(said(words.field(ref)) for ref in intent.columns) for said in (str, plural))
        return one, f"different {several}"
    listed = intent.subject or next((ref.dataset for ref in intent.columns), None)
    label = words.model.dataset(listed).label if listed is not None else ""
    return label, plural(label) if label else ""


def _said(period: Period | None, fiscal_start: int) -> str:
    if period is None:
        return ""
    if _QUARTER_OR_HALF.match(period.label) and (period.until is None or lies_behind_the_data(period)):
        return period.label
    return covered_days(period, fiscal_start)


def _ended_before(period: Period | None, fiscal_start: int) -> str:
    if period is None or period.until is None or not lies_behind_the_data(period):
        return ""
    return said_days(period.until, period.until + timedelta(days=1), fiscal_start)


def _compared(intent: Intent, fiscal_start: int) -> str:
    period = intent.period
    if intent.compare is None or period is None or period.start is None or period.end is None:
        return ""
    _, before, _ = like_with_like(period, intent.compare)
    return said_days(before.start, before.end, fiscal_start)
