"""Figures of each date, as a balance at each month's end, which are no parts of a whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from ai_engine.semantics.compiler.figures import figure_of
from ai_engine.semantics.compiler.leaves import Leaf
from ai_engine.semantics.compiler.scope import Setting
from ai_engine.semantics.compiler.snapshots import as_of_latest, is_of_each_date
from ai_engine.semantics.intent import FieldRef, Intent, Period
from ai_engine.semantics.scope_words import Scope, scope_of
from ai_engine.semantics.vocabulary import Vocabulary
from ai_engine.types import OutputColumn


def is_of_dates(intent: Intent | None, vocabulary: Vocabulary) -> bool:
    """Tell whether one of the figures is of each of several dates, so that none of them has a total."""
    if intent is None:
        return False
    setting, leaves, groups = _read(intent, vocabulary)
    return any(is_of_each_date(setting, leaf, groups) for leaf in leaves)


def without_stocks(
    columns: Sequence[OutputColumn], intent: Intent | None, vocabulary: Vocabulary
) -> tuple[OutputColumn, ...]:
    """Take the mark of parts from all figures where one of them is of each date; `intent` None knows of no dates."""
    if not any(column.adds_up for column in columns) or not is_of_dates(intent, vocabulary):
        return tuple(columns)
    return tuple(replace(column, adds_up=False) for column in columns)


def scope_told(intent: Intent | None, vocabulary: Vocabulary) -> Scope:
    """Say what narrows a result; a balance is told of the latest date in its period, not of all its days."""
    if intent is None:
        return Scope()
    scope = scope_of(intent, vocabulary.model)
    setting, leaves, groups = _read(intent, vocabulary)
    if any(is_of_each_date(setting, leaf, groups) for leaf in leaves):
        return replace(scope, of_dates=True)
    if intent.period is None or intent.compare is not None or _is_within_a_month(intent.period):
        return scope
    return replace(scope, of_latest=bool(leaves) and all(_is_latest(setting, leaf, groups, intent) for leaf in leaves))


def _read(intent: Intent, vocabulary: Vocabulary) -> tuple[Setting, list[Leaf], list[FieldRef]]:
    setting = Setting(vocabulary.model, vocabulary.catalogue.dialect, vocabulary.as_of)
    leaves = [leaf for measure in intent.measures for leaf in figure_of(measure, setting).leaves]
    return setting, leaves, [dimension.field for dimension in intent.dimensions]


def _is_latest(setting: Setting, leaf: Leaf, groups: Sequence[FieldRef], intent: Intent) -> bool:
    return as_of_latest(setting, leaf, groups=groups, filters=intent.filters, period=intent.period)


def _is_within_a_month(period: Period) -> bool:
    if period.start is None or period.end is None:
        return False
    last = period.end - timedelta(days=1)
    return (period.start.year, period.start.month) == (last.year, last.month)
