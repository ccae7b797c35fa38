"""Lists: rows of the subject with chosen columns."""

from __future__ import annotations

from sqlglot import exp

from ai_engine.errors import IntentNotCovered
from ai_engine.semantics.compiler.dialects import ordered
from ai_engine.semantics.compiler.facts import Question
from ai_engine.semantics.compiler.naming import Names, column_names, group_column
from ai_engine.semantics.compiler.predicates import Predicates
from ai_engine.semantics.compiler.routes import route, to_one
from ai_engine.semantics.compiler.scope import Scope, Setting, bare_when_alone, named
from ai_engine.semantics.intent import Dimension, FieldRef, Intent, Order
from ai_engine.semantics.restatement import dimension_label
from ai_engine.types import OutputColumn


def compile_list(intent: Intent, setting: Setting, question: Question) -> tuple[exp.Select, list[OutputColumn]]:
    """Return one statement with a row per row of the subject, and what its columns mean."""
    base = intent.subject or next((ref.dataset for ref in intent.columns), None)
    if base is None:
        raise IntentNotCovered("nothing is asked for")
    shown = intent.columns or _display(setting, base)
    scope = Scope(setting, base)
    names = Names()
    items: list[exp.Expression] = []
    columns: list[OutputColumn] = []
    for ref in shown:
        path = route(setting, base, ref.dataset, ref.via)
        name = names.unique(*column_names(ref, setting))
        items.append(named(scope.value(ref, path, required=not to_one(path)), name, setting.dialect))
        columns.append(
            group_column(name, dimension_label(Dimension(field=ref), setting.model), Dimension(field=ref), setting)
        )
    predicates = Predicates(scope, None, question.figure)
    where = predicates.all_of(intent.filters)
    if intent.period is not None:
        where += predicates.period(intent.period, _dated(intent, setting, base))
    order = [_ordered(item, scope, setting) for item in intent.order]
    if intent.limit is not None and not intent.distinct:
        order += [
            ordered(scope.column(name), descending=False, nullable=False) for name in setting.dataset(base).primary_key
        ]
    query = scope.select().select(*items)
    if where:
        query = query.where(*where)
    if intent.distinct:
        query = query.distinct()
    if order:
        query = query.order_by(*order)
    if intent.limit is not None:
        query = query.limit(intent.limit)
    return bare_when_alone(query), columns


def _display(setting: Setting, base: str) -> tuple[FieldRef, ...]:
    dataset = setting.dataset(base)
    names = dataset.display or tuple(field.name for field in dataset.fields)
    return tuple(FieldRef(dataset=base, field=name) for name in names)


def _dated(intent: Intent, setting: Setting, base: str) -> FieldRef:
    if intent.period is not None and intent.period.field is not None:
        return intent.period.field
    own = setting.dataset(base).default_time
    if own is None:
        raise IntentNotCovered(f"rows of {base!r} have no date")
    return FieldRef(dataset=base, field=own)


def _ordered(order: Order, scope: Scope, setting: Setting) -> exp.Ordered:
    if order.field is None:
        raise IntentNotCovered("a list cannot be sorted by a figure")
    path = route(setting, scope.base, order.field.dataset, order.field.via)
    return ordered(scope.value(order.field, path, required=False), descending=order.descending)
