"""What things are ranked by."""

from __future__ import annotations

from dataclasses import replace

from ai_engine.built_in.grammar.columns import identifying
from ai_engine.built_in.grammar.phrases import Ask, Best, Fig, Group, Rows
from ai_engine.built_in.grammar.questions import by
from ai_engine.built_in.grammar.reasons import Priced
from ai_engine.built_in.grammar.schema import Schema
from ai_engine.built_in.grammar.units import on_scale
from ai_engine.built_in.harm import HARM
from ai_engine.semantics.intent import Condition, FieldRef, Measure
from ai_engine.semantics.words import stem, words

DESCENDING = {
    "high": True, "low": False, "old": False, "new": True, "young": True, "many": True, "few": False,
    "busy": True, "idle": False,
    "good": True, "bad": False,
}  # fmt: skip
OF_TIME = frozenset({"old", "new", "young"})
_TURNED = {"good": "low", "bad": "high"}
_JUDGED = {"good": "high", "bad": "low"}


def judged(s: Schema, best: Best, of: FieldRef | Fig) -> Best:
    """The best or worst of a figure as the high or low end of it: of what does harm, less is better."""
    if best.kind not in _JUDGED:
        return best
    if isinstance(of, Fig):
        label = s.knows.model.metric(of.core.metric).label if of.core.metric else ""
        told = [label, s.field(of.core.field).label if of.core.field else ""]
        for item in of.rows.filters if of.part else ():
            told += map(str, item.values) if isinstance(item, Condition) else ()
    else:
        told = [s.field(of).label]
    harms = any(stem(word) in HARM for text in told for word in words(text))
    kind = (_TURNED if harms else _JUDGED)[best.kind]
    return replace(best, kind=kind, descending=DESCENDING[kind])


def ranked(s: Schema, groups: tuple[Group, ...], best: Best) -> Priced | None:
    """Groups by a figure, as many as asked from one end."""
    fig = best.fig or _of_field(s, best)
    if fig is None or (best.kind in OF_TIME and best.field is None):
        return None
    if any(g.field is not None and s.field(g.field).role == "time" and not g.field.grain for g in groups):
        return None  # who "disbursed the most" is no day
    best = judged(s, best, fig)
    if (best.field is not None or fig.implied) and any(_has_it_itself(s, group, fig) for group in groups):
        return None  # the claim whose own settlement date is the latest
    found = by(s, Ask(figs=(fig,)), groups)
    bare = best.field is not None or fig.implied
    if found and bare:
        found = replace(found, because=(*found.because, "an amount that nobody aggregated"))
    return found and replace(found, value=replace(found.value, best=replace(best, fig=found.value.figs[0], field=None)))


def _has_it_itself(s: Schema, group: Group, fig: Fig) -> bool:
    """Whether a thing has a field of the very name that was taken for one of other rows."""
    if group.field is not None and fig.core.field is not None:  # "name of the customer with the lowest credit score"
        return group.field.dataset == fig.core.field.dataset and identifying(s, group.field)
    if group.thing is None or fig.core.field is None:
        return False
    if fig.core.field.dataset == group.thing:
        return not group.via and not fig.rows.via
    label = s.field(fig.core.field).label
    own = s.knows.dataset(group.thing)
    noun = set(words(own.label))
    said = {word for word in words(label) if word not in words(s.knows.dataset(fig.core.field.dataset).label)}
    return any(said == set(words(item.label)) - noun or label == item.label for item in own.fields)


def _of_field(s: Schema, best: Best) -> Fig | None:
    if best.field is None:
        return None
    item = s.field(best.field)
    aggregate = ("max" if best.descending else "min") if item.role == "time" else item.default_aggregate
    return Fig(Measure(aggregate=aggregate, field=best.field), Rows(best.field.dataset)) if aggregate else None


def main_field(s: Schema, rows: Rows, best: Best) -> FieldRef | None:
    """What "largest" or "oldest" is about where nothing else is said."""
    if best.scale:
        return on_scale(s, rows.dataset, best.scale)
    if best.kind == "new":
        return s.knows.time_field(rows.dataset)
    if best.kind in {"old", "young"}:
        people = rows.dataset in s.knows.holding_people
        return (s.knows.birth_field(rows.dataset) if people else None) or s.knows.time_field(rows.dataset)
    return s.main_amount(rows, money_only=True) if best.kind in {"high", "low"} else None
