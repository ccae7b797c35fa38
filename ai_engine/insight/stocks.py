"""Figures of each date, as a balance at each month's end, which are no parts of a whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ai_engine.semantics.compiler.figures import figure_of
from ai_engine.semantics.compiler.scope import Setting
from ai_engine.semantics.compiler.snapshots import is_of_each_date
from ai_engine.semantics.intent import Intent
from ai_engine.semantics.vocabulary import Vocabulary
from ai_engine.types import OutputColumn


def without_stocks(
    columns: Sequence[OutputColumn], intent: Intent | None, vocabulary: Vocabulary
) -> tuple[OutputColumn, ...]:
    """Take the mark of parts from all figures where one of them is of each date; `intent` None knows of no dates."""
    if intent is None or not any(column.adds_up for column in columns):
        return tuple(columns)
    setting = Setting(vocabulary.model, vocabulary.catalogue.dialect, vocabulary.as_of)
    groups = [dimension.field for dimension in intent.dimensions]
    leaves = [leaf for measure in intent.measures for leaf in figure_of(measure, setting).leaves]
    if not any(is_of_each_date(setting, leaf, groups) for leaf in leaves):
        return tuple(columns)
    return tuple(replace(column, adds_up=False) for column in columns)
