"""The attachment rules: each reads one kind of meaning and what stands around it, and adds to the sketch."""

from __future__ import annotations

from ai_engine.built_in.meanings import (
    Attribute,
    Cue,
    CueKind,
    Days,
    Figure,
    Meaning,
    Number,
    Quote,
    Step,
    Stored,
    Thing,
    Unknown,
)
from ai_engine.built_in.rules import (
    absence,
    ages,
    aggregates,
    comparisons,
    dates,
    elapsed,
    exclusion,
    fields,
    figures,
    grouping,
    limits,
    order,
    ranking,
    relations,
    sameness,
    shape,
    values,
)
from ai_engine.built_in.sketch import Rule, Walk

BY_TYPE: dict[type, Rule] = {
    Thing: figures.thing,
    Attribute: fields.attribute,
    Figure: figures.figure,
    Stored: values.stored,
    Days: dates.days,
    Quote: values.quote,
    Number: limits.bare_number,
    Step: grouping.step,
    Unknown: Walk.leave_over,
}
BY_CUE: dict[CueKind, Rule] = {
    "aggregate": aggregates.aggregate,
    "superlative": ranking.superlative,
    "ordinal": limits.ordinal,
    "limit": limits.limit,
    "compare": comparisons.compare,
    "older": ages.older,
    "elapsed": elapsed.elapsed,
    "not": relations.negation,
    "have": relations.have,
    "same": sameness.same,
    "nobody": absence.nobody,
    "unused": absence.unused,
    "empty": values.empty,
    "past": dates.past,
    "begun": dates.begun,
    "sign": comparisons.sign,
    "weekday": dates.weekday,
    "who": shape.asks_who,
    "when": shape.asks_when,
    "against": shape.against,
    "rolling": shape.rolling,
    "percentile": aggregates.percentile,
    "weighted": aggregates.weighted,
    "bands": grouping.bands,
    "group": grouping.group,
    "each": grouping.each,
    "wise": grouping.wise,
    "order": order.order,
    "direction": order.direction,
    "list": shape.asks_list,
    "what": shape.asks_what,
    "distinct": shape.distinct,
    "share": shape.share,
    "change": shape.change,
    "running": shape.running,
    "ratio": shape.ratio,
    "rate": shape.rate,
    "versus": shape.versus,
    "unit": shape.unit,
    "dated": dates.dated,
    "ranked_by_harm": order.ranked_by_harm,
    "both": shape.both,
    "or": shape.alternative,
    "relative": shape.relative,
    "and": shape.connective,
    "stop": shape.connective,
    "amount": aggregates.amount,
    "only": exclusion.only,
    "weak": aggregates.weak,
    "filler": shape.connective,
}


def rule_for(meaning: Meaning) -> Rule:
    """Return the rule that reads a meaning."""
    return BY_CUE[meaning.kind] if isinstance(meaning, Cue) else BY_TYPE[type(meaning)]


__all__ = ["BY_CUE", "BY_TYPE", "rule_for"]
