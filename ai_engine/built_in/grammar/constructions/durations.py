"""How long things take: the days from where they begin to where they end, or to what is done with them."""

from __future__ import annotations

from dataclasses import replace

from ai_engine.built_in.grammar.construction import Constructions
from ai_engine.built_in.grammar.phrases import Ask, Best, Fig, Rows
from ai_engine.built_in.grammar.reasons import Priced
from ai_engine.built_in.grammar.schema import Schema
from ai_engine.built_in.grammar.spans import days_until, span_of
from ai_engine.built_in.grammar.units import measured_in, on_scale
from ai_engine.built_in.scales import Adjective
from ai_engine.built_in.units_of_measure import TIMES
from ai_engine.semantics.intent import FieldRef, Measure

says = Constructions()


@says("Usually", ":aggregate=avg|usually|typically|normally", "on average")
@says("HowLong", "how long", "how long")
@says("HowLong", "how many days", "how many days")
@says("HowLong", "how much time", "how much time")
@says("HowLong", "HowLong Usually", "how long on average")
@says("HowLong", "Usually :stop? HowLong", "on average, how long")
@says("Taking", "take|takes|took|taken|last|lasts|lasted|run|runs|ran", "take")
@says("Taking", "Taking Usually", "take on average")
def nothing_of_its_own(s: Schema, *words: object) -> bool:
    return True


@says("Fig", "-HowLong -Taking -to Event Rows", "how many days do we take to close a complaint")
@says("Fig", ":aggregate? -:elapsed=to Event Rows", "average time taken to close a complaint")
def to_do_it(s: Schema, *given: object) -> Fig | None:
    event, rows = given[-2:]
    if not isinstance(event, FieldRef) or not isinstance(rows, Rows) or event.dataset != rows.dataset:
        return None
    return _of_each(rows, days_until(s, event), *given[:-2])


@says("Fig", "-HowLong Rows -Taking -to Event", "how long do complaints take to close")
def to_be_done(s: Schema, rows: Rows, event: FieldRef) -> Fig | None:
    return to_do_it(s, event, rows)


@says("Fig", "-HowLong Rows -Usually", "how long is a complaint on average")
def lasting(s: Schema, rows: Rows) -> Fig | None:
    """ "how long do complaints stay open" is not asked of those that are open still."""
    return taken(s, rows) if not rows.narrowed else None


@says("Fig", "-HowLong Rows -Taking", "how long do complaints take on average")
@says("Fig", ":aggregate? -duration|durations|length -of Rows", "average duration of complaints")
def taken(s: Schema, *given: object) -> Fig | None:
    rows = given[-1]
    return _of_each(rows, span_of(s, rows.dataset), *given[:-1]) if isinstance(rows, Rows) else None


@says("Fig", "-HowLong -N? Amt", "how long do patients wait on average")
def waited(s: Schema, field: FieldRef) -> Fig | None:
    timed = measured_in(s, field) in TIMES
    return Fig(Measure(aggregate="avg", field=field), Rows(field.dataset)) if timed else None


@says("Fig", "-how Base Rows -Usually", "how expensive is a bill on average")
def as_much(s: Schema, said: Adjective, rows: Rows) -> Fig | None:
    return _of_each(rows, on_scale(s, rows.dataset, said.scale))


@says("Fig", ":aggregate? Event|Date -time", "average closing time")
@says("Fig", "-HowLong Event|Date -Taking", "how long does closing take")
def time_of_it(s: Schema, *given: object) -> Fig | None:
    event = given[-1]
    return _of_each(Rows(event.dataset), days_until(s, event), *given[:-1]) if isinstance(event, FieldRef) else None


@says("Fig", "Fig -:stop? -Usually", "how long do complaints take to close, on average")
def said_again(s: Schema, fig: Fig) -> Fig | None:
    """An average anyhow."""
    return fig if fig.core.aggregate == "avg" and not fig.over and not fig.less else None


def _of_each(rows: Rows, field: FieldRef | None, aggregate: object = "avg") -> Fig | None:
    known = field is not None and rows.named and not rows.bounds and aggregate in {"avg", "median", "max", "min"}
    return Fig(Measure(aggregate=aggregate, field=field), rows) if known else None


@says("Ask", "-:what? Rows -That? -take|takes|took|taken|last|lasted End|Ends", "which complaints took the longest")
def took_longest(s: Schema, rows: Rows, best: Best) -> Priced | None:
    field = span_of(s, rows.dataset) if best.scale else None
    if field is None or rows.bounds or not rows.named:
        return None
    return Priced(Ask(rows=rows, best=replace(best, field=field)))
