"""One row about all groups: how many there are, or the average of their figures."""

from __future__ import annotations

from sqlglot import exp

from ai_engine.errors import IntentNotCovered
from ai_engine.semantics.compiler.dialects import identifier
from ai_engine.semantics.compiler.facts import Question
from ai_engine.semantics.compiler.grouped import compile_grouped
from ai_engine.semantics.compiler.naming import Names, slug
from ai_engine.semantics.compiler.scope import Setting
from ai_engine.semantics.intent import FieldRef, Intent
from ai_engine.semantics.restatement import groups_label, is_share_of_some, over_groups_label
from ai_engine.types import OutputColumn

_AGGREGATES: dict[str, type[exp.AggFunc]] = {"sum": exp.Sum, "avg": exp.Avg, "min": exp.Min, "max": exp.Max}
_PREFIXES = {"sum": "sum_of", "avg": "average", "min": "lowest", "max": "highest"}


def compile_over_groups(intent: Intent, setting: Setting, question: Question) -> tuple[exp.Select, list[OutputColumn]]:
    """Return one row that counts or aggregates the groups of a grouped statement.

    Raises:
        IntentNotCovered: there are no groups, or nothing says which rows form them.
    """
    counted = intent.over_groups == "count"
    measures = intent.measures or tuple(item.measure for item in intent.having if counted)[:1]
    if not intent.dimensions or not measures or intent.compare is not None:
        raise IntentNotCovered("groups are counted or averaged only where something forms them, in one period")
    update = {"over_groups": None, "measures": measures}
    grouped, columns = compile_grouped(intent.model_copy(update=update), setting, question)
    if intent.limit is None:
        grouped.set("order", None)
    tables = grouped.args.pop("with_", None)
    items, meanings = _counted(intent, setting, grouped, columns) if counted else _aggregated(intent, setting, columns)
    ref = intent.dimensions[0].field
    each = slug(setting.dataset(ref.dataset).label) if _is_key(ref, setting) else columns[0].name
    alias = exp.TableAlias(this=identifier(f"each_{each}", setting.dialect))
    query = exp.Select().select(*items).from_(exp.Subquery(this=grouped, alias=alias))
    query.set("with_", tables)
    return query, meanings


def _counted(
    intent: Intent, setting: Setting, grouped: exp.Select, columns: list[OutputColumn]
) -> tuple[list[exp.Expr], list[OutputColumn]]:
    """Count the groups; a missing value is none, where only one field forms them."""
    grouped.set("expressions", grouped.selects[: len(intent.dimensions)])
    ref = intent.dimensions[0].field
    groups = columns[0].name if len(intent.dimensions) == 1 and not _is_key(ref, setting) else None
    column = exp.Star() if groups is None else exp.Column(this=identifier(groups, setting.dialect))
    label = groups_label(intent, setting.model)
    name = slug(label.removeprefix("different "))
    item = exp.Alias(this=exp.Count(this=column), alias=identifier(name, setting.dialect))
    return [item], [OutputColumn(name, f"Number of {label}", "count", "measure")]


def _is_key(ref: FieldRef, setting: Setting) -> bool:
    return ref.grain is None and (ref.field,) == setting.dataset(ref.dataset).primary_key


def _aggregated(
    intent: Intent, setting: Setting, columns: list[OutputColumn]
) -> tuple[list[exp.Expr], list[OutputColumn]]:
    """Aggregate the figures of the groups."""
    aggregate, names = str(intent.over_groups), Names()
    items: list[exp.Expr] = []
    meanings: list[OutputColumn] = []
    for column in columns[len(intent.dimensions) :]:
        name = names.unique(column.name if is_share_of_some(intent) else f"{_PREFIXES[aggregate]}_{column.name}")
        call = _AGGREGATES[aggregate](this=exp.Column(this=identifier(column.name, setting.dialect)))
        items.append(exp.Alias(this=call, alias=identifier(name, setting.dialect)))
        label = over_groups_label(intent, column.label, setting.model)
        meanings.append(OutputColumn(name, label, column.unit, column.role))
    return items, meanings
