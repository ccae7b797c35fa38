"""Figures by dimensions: from the measures of an intent to one statement."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from sqlglot import exp

from ai_engine.semantics.compiler.facts import Group, Question
from ai_engine.semantics.compiler.figures import Figure, figure_of
from ai_engine.semantics.compiler.namesakes import keys_of_namesakes
from ai_engine.semantics.compiler.naming import (
    Names,
    column_words,
    group_column,
    group_names,
    measure_column,
    measure_name,
)
from ai_engine.semantics.compiler.scope import Setting
from ai_engine.semantics.compiler.source import Source, source_of
from ai_engine.semantics.compiler.statement import Figured, Statement
from ai_engine.semantics.compiler.transforms import difference, transformed
from ai_engine.semantics.intent import Dimension, Intent, Measure
from ai_engine.semantics.restatement import dimension_label, earlier_label, measure_label
from ai_engine.types import OutputColumn

_CHANGES = ("change", "change_percent")


def compile_grouped(intent: Intent, setting: Setting, question: Question) -> tuple[exp.Select, list[OutputColumn]]:
    """Return one statement with a row per combination of the dimensions, and what its columns mean."""
    names = Names()
    figures = {measure: figure_of(measure, setting) for measure in _measures(intent)}
    leaves = list(dict.fromkeys(leaf for figure in figures.values() for leaf in figure.leaves))
    apart = keys_of_namesakes(intent, {leaf.dataset for leaf in leaves}, setting)
    groups = tuple(
        Group(names.unique(*_wanted(item, setting)), item, shown=item not in apart)
        for item in (*intent.dimensions, *apart)
    )
    source = source_of(intent, setting, question, groups, leaves, named_values=_uses_values_twice(figures))
    columns = _Columns(intent, setting, groups, figures, source, names).all()
    statement = Statement(intent, setting, question, groups, columns, source)
    meanings = [
        group_column(group.name, dimension_label(group.dimension, setting.model), group.dimension, setting)
        for group in groups
        if group.shown
    ]
    return statement.written(), meanings + [column.meaning for column in columns if column.shown]


def _wanted(dimension: Dimension, setting: Setting) -> list[str]:
    """Return names for a dimension; one that is computed is grouped by its name, which must be no column's name."""
    wanted = list(group_names(dimension, setting))
    is_described = setting.field(dimension.field).described_by is not None
    if not (dimension.edges or dimension.field.grain or is_described):
        return wanted
    columns = set(column_words(setting))
    return [name for name in wanted if name not in columns] or [f"{wanted[-1]}_group"]


def _measures(intent: Intent) -> list[Measure]:
    others = [having.measure for having in intent.having] + [order.measure for order in intent.order if order.measure]
    return list(dict.fromkeys([*intent.measures, *others]))


def _uses_values_twice(figures: dict[Measure, Figure]) -> bool:
    return any(
        measure.transform in ("change", "change_percent")
        or (measure.transform is not None and not isinstance(figure.formula, exp.Placeholder))
        for measure, figure in figures.items()
    )


@dataclass(frozen=True)
class _Columns:
    """Writes the columns of figures: what is shown, the comparison beside it, what only sorts or filters."""

    intent: Intent
    setting: Setting
    groups: tuple[Group, ...]
    figures: dict[Measure, Figure]
    source: Source
    names: Names

    def all(self) -> list[Figured]:
        written: list[Figured] = []
        beside = self.intent.compare is not None
        asked: dict[Measure, list[Measure]] = {}
        for measure in self.intent.measures if beside else ():
            asked.setdefault(_without_change(measure), []).append(measure)
        for measure in self.figures:
            shown = measure in self.intent.measures
            if beside and shown:
                written += self._compared(asked.pop(_without_change(measure), []))
            else:
                written.append(self._plain(measure, shown=shown))
        return written

    def _plain(self, measure: Measure, *, shown: bool) -> Figured:
        figure = self.figures[measure]
        value = figure.with_values(self.source.values[0])
        value = transformed(figure, value, measure, self.groups, self.source.groups, self.setting)
        name = self.names.unique(measure_name(measure, self.setting))
        meaning = measure_column(name, measure_label(measure, self.setting.model), measure, self.setting)
        counts = measure.transform is None and len(figure.leaves) == 1 and figure.leaves[0].is_count
        return Figured(name, measure, value, meaning, shown, counts)

    def _compared(self, asked: list[Measure]) -> list[Figured]:
        """Write one figure, the same of the other period, and every change between them that is asked for."""
        if not asked:
            return []
        plain = next((measure for measure in asked if measure.transform not in _CHANGES), None)
        shown = plain or _without_change(asked[0])
        now, before = self._of(shown, 0), self._of(shown, 1)
        suffix, words = earlier_label(self.intent)
        name = self.names.unique(f"{now.name}_{suffix}")
        label = f"{before.meaning.label} {words}"
        before = replace(before, name=name, meaning=replace(before.meaning, name=name, label=label, compared="earlier"))
        written = [now, before]
        for transform, measure in {_change_asked(measure): measure for measure in asked}.items():
            change = measure.model_copy(update={"transform": transform})
            value = difference(now.value, before.value, self.setting, percent=transform == "change_percent")
            name = self.names.unique(measure_name(change, self.setting))
            meaning = measure_column(name, measure_label(change, self.setting.model), change, self.setting)
            written.append(Figured(name, change, value, replace(meaning, compared="change")))
        return written

    def _of(self, measure: Measure, span: int) -> Figured:
        figure = self.figures.get(measure) or figure_of(measure, self.setting)
        value = figure.with_values(self.source.values[span])
        value = transformed(figure, value, measure, self.groups, self.source.groups, self.setting)
        name = self.names.unique(measure_name(measure, self.setting)) if span == 0 else ""
        meaning = measure_column(name, measure_label(measure, self.setting.model), measure, self.setting)
        return Figured(name, measure, value, meaning)


def _without_change(measure: Measure) -> Measure:
    return measure.model_copy(update={"transform": None, "label": None}) if measure.transform in _CHANGES else measure


def _change_asked(measure: Measure) -> Literal["change", "change_percent"]:
    return "change_percent" if measure.transform == "change_percent" else "change"
