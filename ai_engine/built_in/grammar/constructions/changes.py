"""Along time: changes, running and rolling figures, and periods held against each other."""

from __future__ import annotations

from dataclasses import replace

from ai_engine.built_in.grammar.construction import Constructions
from ai_engine.built_in.grammar.phrases import Ask, Fig, Group, Mod, Priced, Rows, When
from ai_engine.built_in.grammar.questions import by, narrow_ask
from ai_engine.built_in.grammar.schema import Schema, next_to
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


@says("Trend", "Trend Mod", "growth in transaction value in 2026")
def narrowed_trend(s: Schema, ask: Ask, mod: Mod) -> Priced | None:
    return narrow_ask(s, ask, mod)


# -- periods held against each other -----------------------------------------------------------------------------


@says("Ask", "Ask -:against? :versus", "deposits in October 2026 vs the month before")
def versus(s: Schema, ask: Ask, kind: str | None) -> Ask | None:
    return None if kind is None or ask.compare or not _days(ask) else replace(ask, compare=kind)


@says(
    "Ask",
    "Ask -:against|:versus|over|to|from|with|:compare|:and Days",
    "transaction value by channel in October 2026 compared with October 2025",
)
def against_period(s: Schema, ask: Ask, days: Days) -> Priced | None:
    mine = _days(ask)
    if mine is None or ask.compare or days.moment:
        return None
    relation = next_to(mine, days)
    if relation is not None:
        return Priced(replace(ask, compare=relation))
    turned = next_to(days, mine)
    if turned is not None:
        figs = tuple(replace(fig, rows=replace(fig.rows, period=days)) for fig in ask.figs)
        return Priced(replace(ask, figs=figs, compare=turned))
    if ask.transform is None and len(ask.figs) == 1:
        other = replace(ask.figs[0], rows=replace(ask.figs[0].rows, period=days))
        return Priced(replace(ask, figs=(*ask.figs, other)), ("periods not next to each other",))
    return None


@says("Ask", "Days -:against Days Fig|Rows", "2025 vs 2024 disbursals")
@says("Ask", "Fig|Rows -:stop? Days -:against Days", "disbursals, 2025 vs 2024")
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
    relation = next_to(late, early)
    found = narrow_ask(s, ask, Mod((When(late),))) if relation and _days(ask) is None else None
    return found and replace(found, value=replace(found.value, compare=relation))


def _days(ask: Ask) -> Days | None:
    periods = {fig.rows.period for fig in ask.figs}
    return periods.pop() if len(periods) == 1 else None
