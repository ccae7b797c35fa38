"""How much a figure of each moved from one period to another: more than 30% down on last year, doubled since then."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import TypeAlias

from ai_engine.built_in.grammar.construction import Constructions
from ai_engine.built_in.grammar.phrases import Ask, Bound, Fig, Group, Mod, Rows, When
from ai_engine.built_in.grammar.questions import by, narrow_fig
from ai_engine.built_in.grammar.reasons import Priced
from ai_engine.built_in.grammar.schema import COMPARISONS, Schema
from ai_engine.built_in.meanings import Days, Number

says = Constructions()
Limit: TypeAlias = tuple[str, Decimal]
Moved: TypeAlias = tuple[Fig, Fig, tuple[Limit, ...]]
_HUNDRED = Decimal(100)
_TURNED = {">": "<", ">=": "<=", "<": ">", "<=": ">="}


# -- how much ----------------------------------------------------------------------------------------------------


@says("Much", "-by? :compare Num", "more than 30%")
def percent(s: Schema, operator: str, number: Number) -> Limit | None:
    return _limit(operator, number.value) if number.unit == "percent" and number.value > 0 else None


@says("Much", "-by? Num :compare", "30% or more")
def percent_or_more(s: Schema, number: Number, operator: str) -> Limit | None:
    return percent(s, operator, number) if operator in {"<=", ">="} else None


@says("Much", "-by? :compare -half", "more than half")
def half(s: Schema, operator: str) -> Limit | None:
    return _limit(operator, Decimal(50))


@says("Much", "-by? :compare -quarter", "at least a quarter")
def quarter(s: Schema, operator: str) -> Limit | None:
    return _limit(operator, Decimal(25))


def _limit(operator: str, value: Decimal) -> Limit | None:
    return (operator, value) if operator in _TURNED else None


@says("Up", "up|above|over|higher|more|greater|larger|:compare=>", "higher than")
@says("Up", "rise|rose|risen|rising|grow|grew|grown|growing|increase|increased|increasing|climbed|gained", "rose")
@says("Up", "go|goes|went|gone|going up", "went up")
def up(s: Schema) -> bool:
    return True


@says("Down", "down|below|under|lower|less|smaller|fewer|:compare=<", "lower than")
@says("Down", "fall|fell|fallen|falling|drop|dropped|decline|declined|declining|decrease|decreased|shrank", "fell")
@says("Down", "go|goes|went|gone|going down", "went down")
def down(s: Schema) -> bool:
    return True


@says("Shift", "Much -Up", "more than 20% up")
@says("Shift", "-Up Much", "rose by more than 20%")
def risen(s: Schema, much: Limit) -> tuple[Limit, ...]:
    operator, value = much
    return ((operator, value), *((((">", Decimal(0)),)) if operator in {"<", "<="} else ()))


@says("Shift", "Much -Down", "more than 20% below")
@says("Shift", "-Down Much", "fell by more than 20%")
def fallen(s: Schema, much: Limit) -> tuple[Limit, ...]:
    operator, value = much
    return ((_TURNED[operator], -value), *((("<", Decimal(0)),) if operator in {"<", "<="} else ()))


@says("Shift", "doubled", "doubled")
def doubled(s: Schema) -> tuple[Limit, ...]:
    return ((">=", _HUNDRED),)


@says("Shift", "halved", "halved")
def halved(s: Schema) -> tuple[Limit, ...]:
    return (("<=", -_HUNDRED / 2),)


@says("Shift", ":compare Part -of? -that|those", "less than half of that")
@says("Shift", ":compare Part -of -what? -it|they? -was|were?", "more than twice of what it was")
def a_part_of_it(s: Schema, operator: str, times: Decimal) -> tuple[Limit, ...] | None:
    return ((operator, (times - 1) * _HUNDRED),) if operator in _TURNED else None


# -- from when to when -------------------------------------------------------------------------------------------


@says("Than", "on|from|than|over|to|:against|:compare=>|:compare=<", "compared with")
def than(s: Schema) -> bool:
    return True


@says("Moved", "Fig|Rows Shift -Than? Days", "total balance of 2026 more than 30% down on 2025")
@says("Moved", "Fig|Rows Shift -Than? Days -In Days", "total balance rose by more than 20% compared with 2025 in 2026")
def than_then(
    s: Schema, said: Fig | Rows, shift: tuple[Limit, ...], then: Days, now: Days | None = None
) -> Moved | None:
    """A figure of one period held against the same of another."""
    fig = s.count(said) if isinstance(said, Rows) else said
    late = now or fig.rows.period
    if late is None or (now and fig.rows.period) or fig.rows.bounds or fig.over or fig.less or late == then:
        return None
    plain = replace(fig, rows=replace(fig.rows, period=None), implied=False)
    figs = [narrow_fig(s, plain, Mod((When(days),))) for days in (late, then)]
    known = (late.start, then.start) if late.start and then.start and not (late.moment or then.moment) else None
    if known is None or known[0] <= known[1] or not all(figs):
        return None
    after, before = (item.value for item in figs if item)
    return after, before, shift


@says("Moved", "Fig|Rows Shift -In? Days -Than Days", "total balance grew by more than 10% in 2026 compared with 2025")
def now_and_then(s: Schema, said: Fig | Rows, shift: tuple[Limit, ...], now: Days, then: Days) -> Moved | None:
    return than_then(s, said, shift, then, now)


@says("Moved", "Fig|Rows Shift -from Days -to Days", "total balance rose by more than half from 2024 to 2025")
@says(
    "Moved",
    "Fig|Rows Shift -:compare=between Days -:and Days",
    "total balance rose by more than half between 2024 and 2025",
)
def from_then(s: Schema, said: Fig | Rows, shift: tuple[Limit, ...], then: Days, now: Days) -> Moved | None:
    return than_then(s, said, shift, then, now)


@says("Moved", "Shift -in Fig|Rows -Than Days", "grew by more than 20% in transaction value of 2025 compared with 2024")
def in_what(s: Schema, shift: tuple[Limit, ...], said: Fig | Rows, then: Days) -> Moved | None:
    return than_then(s, said, shift, then)


@says(
    "Ask",
    "-:what? Group -:relative|with|having|saw|seen|had|have? -Their? Moved",
    "branches whose total balance of 2026 was more than 30% down on 2025",
)
def groups_moved(s: Schema, group: Group, moved: Moved) -> Priced | None:
    """Groups with the figure of both periods; what it started from nothing has not moved in percent."""
    after, before, limits = moved
    change = Fig(after.core, after.rows, less=before, over=before, percent=True)
    found = by(s, Ask(figs=(after, before, change)), (group,)) if not group.step else None
    if found is None:
        return None
    after, before, change = found.value.figs
    bounds = tuple(Bound(change, operator, value) for operator, value in limits if operator in COMPARISONS)
    return replace(found, value=replace(found.value, figs=(after, before), bounds=bounds))


@says(
    "Ask",
    "Ask -:stop? -Show|:have -:both -figures|years|periods|amounts|values|numbers?",
    "branches whose transaction value of 2026 was more than 5% down on 2025, with both figures",
)
@says(
    "Ask",
    "Ask -:stop? -Show Fig -In? -:both -years|periods|quarters|months|halves",
    "branches whose transaction value of 2026 was more than 5% down on 2025, show transaction value of both years",
)
def both_shown(s: Schema, ask: Ask, fig: Fig | None = None) -> Ask | None:
    """What is shown anyway, said once more."""
    two = len(ask.figs) == len(("now", "then")) and ask.figs[0].core == ask.figs[1].core
    return ask if two and (fig is None or fig.core == ask.figs[0].core) else None
