"""Along time: changes, running and rolling figures, and periods held against each other."""

from __future__ import annotations

from dataclasses import replace

from ai_engine.built_in.grammar.construction import Constructions
from ai_engine.built_in.grammar.days_in_conditions import next_to
from ai_engine.built_in.grammar.phrases import Ask, Best, Fig, Group, Mod, Rows, When
from ai_engine.built_in.grammar.questions import by, narrow_ask, narrow_fig
from ai_engine.built_in.grammar.reasons import Priced
from ai_engine.built_in.grammar.schema import Schema
from ai_engine.built_in.meanings import Days, Number, Step
from ai_engine.semantics.intent import Grain

says = Constructions()
_STEPS: dict[str, Grain] = {"months": "month", "years": "year", "weeks": "week", "days": "day"}


@says("Trend", ":change -:aggregate|In? Fig|Rows", "growth in transaction value")
@says("Trend", "-:amount? Fig :change", "how much did deposits grow")
@says("Trend", ":change Fig -:change", "by what % did deposits change")
def change(s: Schema, one: object, two: object) -> Priced | None:
    kind, said = (one, two) if isinstance(one, str) else (two, one)
    fig = s.count(said) if isinstance(said, Rows) else said
    if not isinstance(fig, Fig) or fig.rows.bounds or fig.over or fig.less:
        return None
    transform, _, grain = str(kind).partition(" ")
    ask = Ask(figs=(fig,), transform=transform)
    return by(s, ask, (Group(step=grain),)) if grain else Priced(ask)  # type: ignore[arg-type]


@says("Trend", "-:running -:aggregate? Fig|Rows", "running total of disbursals")
def running(s: Schema, said: Fig | Rows) -> Ask | None:
    fig = s.count(said) if isinstance(said, Rows) else said
    return Ask(figs=(fig,), transform="running_total") if not fig.over and not fig.rows.bounds else None


@says("Trend", "Num :rolling Fig", "3 month moving average of transaction value")
@says("Trend", "-:rolling=open Num Step? :aggregate Fig|Rows", "rolling three month sum of disbursals")
def rolling(s: Schema, number: Number, *rest: object) -> Priced | None:
    step = next((item.grain for item in rest if isinstance(item, Step)), None) or _STEPS.get(str(number.unit))
    said = next((item for item in rest if isinstance(item, str)), None)
    if step is None or said == "open":
        return None
    last = rest[-1]
    fig = s.count(last) if isinstance(last, Rows) else last
    transform = "rolling_sum" if said == "sum" else "rolling_average"
    return by(s, Ask(figs=(fig,), transform=transform, window=int(number.value)), (Group(step=step),))  # type: ignore[arg-type]


@says("Ask", "Trend", "growth in transaction value")
def trend(s: Schema, ask: Ask) -> Ask:
    return ask


@says("Ask", "Adverb Trend", "monthly running total of disbursals")
def trend_each_step(s: Schema, step: Step, ask: Ask) -> Priced | None:
    return trend_by(s, ask, (Group(step=step.grain),))


@says("Ask", "Trend Adverb", "running total of disbursals monthly")
def trend_in_steps(s: Schema, ask: Ask, step: Step) -> Priced | None:
    return trend_each_step(s, step, ask)


@says("Ask", "Trend -By|:each -:each? Groups", "growth in transaction value by month")
def trend_by(s: Schema, ask: Ask, groups: tuple[Group, ...]) -> Priced | None:
    more = tuple(group for group in groups if group not in ask.groups)
    return by(s, ask, more) if more else Priced(ask)


@says(
    "Ask", "-:what? Num? Groups -grew|grown -:superlative=many -in|by Fig|Rows", "which 3 cities grew most in accounts"
)
def grown_most(s: Schema, *given: object) -> Priced | None:
    """Groups ranked by how a figure of theirs changed."""
    return _ranked_by_change(s, "change_percent", *given)


@says(
    "Ask",
    "-:what? Num? Groups -rose|increased|gained -:superlative=many -in|by Fig|Rows",
    "which city rose most in deposits",
)
def risen_most(s: Schema, *given: object) -> Priced | None:
    return _ranked_by_change(s, "change", *given)


def _ranked_by_change(s: Schema, kind: str, *given: object) -> Priced | None:
    number = next((item for item in given if isinstance(item, Number)), None)
    groups, said = given[-2:]
    found = change(s, kind, said) if number is None or number.unit is None else None
    best = Best(descending=True, limit=int(number.value) if number else 1)
    return found and highest_change(s, best, groups, found.value)  # type: ignore[arg-type]


@says("Ask", "Ends|End Groups -By Trend", "top 3 cities by growth in number of accounts")
def highest_change(s: Schema, best: Best, groups: tuple[Group, ...], ask: Ask) -> Priced | None:
    if ask.groups or best.kind not in {"high", "low"}:
        return None
    found = by(s, ask, groups)
    return found and replace(found, value=replace(found.value, best=replace(best, fig=found.value.figs[0])))


@says("Trend", "Trend Mod", "growth in transaction value in 2026")
def narrowed_trend(s: Schema, ask: Ask, mod: Mod) -> Priced | None:
    return narrow_ask(s, ask, mod)


# -- periods held against each other -----------------------------------------------------------------------------


@says(
    "Ask",
    "Ask -:stop? -:amount? -it|they|that|these? -:change -:against? :versus -:amount?",
    "disbursals in October 2026, how much did they grow vs the month before",
)
@says("Ask", "Ask -:against? :versus -:amount?", "deposits in October 2026 vs the month before")
def versus(s: Schema, ask: Ask, kind: str | None) -> Ask | None:
    asked = _in_figures(s, ask)
    return None if kind is None or ask.compare or not _days(asked) else replace(asked, compare=kind)


@says(
    "Ask",
    "Ask -:stop? -And|with|:have -:change -:share?",
    "disbursals by branch in 2026 vs 2025, with the change in percent",
)
def with_their_change(s: Schema, ask: Ask) -> Ask | None:
    """Said once more: what is held against another period comes with its change."""
    return ask if ask.compare is not None else None


@says("Ask", "Ask -:stop? -In? Days -:and -In? Days -:against", "disbursals by branch, 2024 and 2025 side by side")
def periods_side_by_side(s: Schema, ask: Ask, first: Days, second: Days) -> Priced | None:
    """The one figure that each group has, of two periods."""
    asked = _in_figures(s, ask)
    if len(asked.figs) != 1 or not asked.groups or asked.best or asked.orders or asked.transform or asked.compare:
        return None
    found = [narrow_fig(s, asked.figs[0], Mod((When(days),))) for days in (first, second)]
    apart = first != second and not _days(asked) and not (first.moment or second.moment)
    figs = tuple(item.value for item in found if item)
    return Priced(replace(asked, figs=figs)) if apart and len(figs) == len(found) else None


@says("Ask", "Ask -:stop? -In? Days -:against Days", "disbursals by branch, 2023 vs 2025")
def periods_held_apart(s: Schema, ask: Ask, first: Days, second: Days) -> Priced | None:
    """Periods that follow on each other are compared, with the change."""
    next_ones = next_to(first, second) or next_to(second, first)
    return periods_side_by_side(s, ask, first, second) if next_ones is None else None


@says(
    "Ask",
    "Ask -:stop? -And|:have -:change",
    "disbursals in 2024 and in 2025 by branch, plus the difference",
)
def with_their_difference(s: Schema, ask: Ask, kind: str = "change") -> Ask | None:
    """Two periods of one figure, and what came on top."""
    if len(ask.figs) != len(("one", "two")) or ask.compare or ask.transform or ask.best:
        return None
    early, late = sorted(ask.figs, key=lambda fig: str(fig.rows.period.start if fig.rows.period else ""))
    if early.core != late.core or not (early.rows.period and late.rows.period) or early.over or early.less:
        return None
    more = Fig(late.core, late.rows, less=early)
    return replace(ask, figs=(*ask.figs, more))


def _in_figures(s: Schema, ask: Ask) -> Ask:
    """ "UPI transactions in May vs April": their number, or their amount where they are money."""
    rows = ask.rows
    if ask.figs or rows is None or rows.bounds or ask.columns or ask.best or ask.listed:
        return ask
    fig = s.main_figure(rows) if s.are_money(rows) else s.count(rows)
    return replace(ask, figs=(fig,), rows=None) if fig else ask


@says(
    "Ask",
    "Ask -:against|:versus|over|to|from|with|:compare|:and Days",
    "transaction value by channel in October 2026 compared with October 2025",
)
def against_period(s: Schema, ask: Ask, days: Days) -> Priced | None:
    said, ask = ask, _in_figures(s, ask)
    mine = _days(ask)
    if mine is None or ask.compare or days.moment or (mine.start, mine.end) == (days.start, days.end):
        return None
    relation = next_to(mine, days)
    if relation is not None:
        return Priced(replace(ask, compare=relation))
    turned = next_to(days, mine)
    if turned is not None:
        figs = tuple(replace(fig, rows=replace(fig.rows, period=days)) for fig in ask.figs)
        return Priced(replace(ask, figs=figs, compare=turned))
    if ask.transform is None and len(ask.figs) == 1 and said.figs:
        other = replace(ask.figs[0], rows=replace(ask.figs[0].rows, period=days))
        return Priced(replace(ask, figs=(*ask.figs, other)), ("periods not next to each other",))
    return None


@says("Ask", "Days -:against Days Fig|Rows", "2025 vs 2024 disbursals")
@says("Ask", "Fig|Rows -:stop? Days -:against Days", "disbursals, 2025 vs 2024")
@says("Ask", "-compare Fig|Rows -In? Days -with|to|and|:compare Days", "compare deposits in 2025 with 2024")
def of_two_periods(s: Schema, *given: object) -> Priced | None:
    said = next(item for item in given if isinstance(item, Fig | Rows))
    first, second = (item for item in given if isinstance(item, Days))
    fig = s.count(said) if isinstance(said, Rows) else said
    found = narrow_ask(s, Ask(figs=(fig,)), Mod((When(first),))) if not fig.rows.bounds else None
    return found and against_period(s, found.value, second)


@says(
    "Ask",
    "Trend -from|:compare|:against? Days -to|and|over|:against|:compare Days",
    "growth in transaction value from 2024 to 2025",
)
def between_periods(s: Schema, ask: Ask, first: Days, second: Days) -> Priced | None:
    early, late = sorted((first, second), key=lambda days: str(days.start))
    if ask.transform == "change":
        return None  # said by `changed_by`
    relation = next_to(late, early)
    found = narrow_ask(s, ask, Mod((When(late),))) if relation and _days(ask) is None else None
    return found and replace(found, value=replace(found.value, compare=relation))


@says(
    "Fig",
    "-by? -:amount Fig|Rows -:change -from|:compare Days -to|:and Days",
    "by how much did transaction value change from August 2026 to September 2026",
)
@says(
    "Fig",
    "-:change=change Fig|Rows -from|:compare Days -to|:and Days",
    "change in transaction value from August 2026 to September 2026",
)
def changed_by(s: Schema, said: Fig | Rows, first: Days, second: Days) -> Fig | None:
    """What came on top, in one figure."""
    return _difference(s, said, *sorted((first, second), key=lambda days: str(days.start)))


@says(
    "Fig",
    "-:change=change_percent Fig|Rows -:change -from|:compare Days -to|:and Days",
    "by what percentage did transaction value change between August 2026 and September 2026",
)
@says(
    "Fig",
    "-:change=change_percent Fig|Rows -:change -In? Days -:against|:compare|:versus|than|to|with Days",
    "by what percentage did transaction value change in September 2026 compared with August 2026",
)
@says(
    "Fig",
    "-how Fig|Rows -:change -from|:compare Days -to|:and Days -:stop? -:share",
    "how did transaction value change between August 2026 and September 2026 in percent",
)
def changed_by_percent(s: Schema, said: Fig | Rows, first: Days, second: Days) -> Fig | None:
    return _in_percent(changed_by(s, said, first, second))


@says(
    "Fig",
    "-how Fig|Rows -In? Days -compare -with|to Days -:stop? -:share",
    "how did transaction value in Q3 2026 compare with Q3 2025, in percent",
)
def compared_in_percent(s: Schema, said: Fig | Rows, late: Days, early: Days) -> Fig | None:
    return _in_percent(_difference(s, said, early, late))


@says(
    "Fig",
    "Fig -up|:change -:or -down|:change -In? Days -:against|:compare|than Days -And? -by? -:amount?",
    "did transaction value go up or down in 2026 compared with 2025 and by how much",
)
def up_or_down(s: Schema, fig: Fig, late: Days, early: Days) -> Fig | None:
    return _difference(s, fig, early, late)


def _difference(s: Schema, said: Fig | Rows, early: Days, late: Days) -> Fig | None:
    """A figure of one period less the same of another."""
    fig: Fig | None = said if isinstance(said, Fig) else s.main_figure(said) if s.are_money(said) else s.count(said)
    if fig is None or fig.rows.bounds or fig.rows.period or fig.over or fig.less or early == late:
        return None
    before, after = (narrow_fig(s, fig, Mod((When(days),))) for days in (early, late))
    return Fig(after.value.core, after.value.rows, less=before.value) if before and after else None


def _in_percent(fig: Fig | None) -> Fig | None:
    return fig and replace(fig, over=fig.less, percent=True)


def _days(ask: Ask) -> Days | None:
    periods = {fig.rows.period for fig in ask.figs}
    return periods.pop() if len(periods) == 1 else None
