"""Which columns of a result are figures over many rows, or name the groups that these are of."""

from __future__ import annotations

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from ai_engine.ports import InsightTask
from ai_engine.semantics.people import calls_people
from ai_engine.semantics.vocabulary import Vocabulary

_SHOWN_TYPES = frozenset({"integer", "decimal", "float", "date", "timestamp", "time", "boolean"})


def aggregated_columns(task: InsightTask, vocabulary: Vocabulary) -> frozenset[int]:
    """Find the columns that show no single row; none of a statement that cannot be read.

    A figure has gone through an aggregate that is no window, and is no text: the highest name is a name. A group is a
    column or expression of a GROUP BY, made of fields that are categories, flags, dates or names of what is no person,
    or a choice among texts of the statement's own.
    """
    try:
        tree = sqlglot.parse_one(task.sql, dialect=vocabulary.catalogue.dialect)
    except (SqlglotError, RecursionError):
        return frozenset()
    selects = tree.selects if isinstance(tree, exp.Query) else []
    if len(selects) != len(task.columns) or any(item.is_star for item in selects):
        return frozenset()
    grouping, groups = _grouping(tree), _group_fields(vocabulary)
    figures = _figures(tree)
    shown = set()
    for place, item in enumerate(selects):
        rest = _outside_figures(item, figures)
        if _is_figure(item, figures):
            if task.result.types[place] in _SHOWN_TYPES and all(_is_group(one, grouping, groups) for one in rest):
                shown.add(place)
        elif grouping and rest and (_is_choice(item) or all(_is_group(one, grouping, groups) for one in rest)):
            shown.add(place)
    return frozenset(shown)


def _figures(tree: exp.Expr) -> frozenset[str]:
    """Return the aliases that carry an aggregate, through however many queries."""
    known: frozenset[str] = frozenset()
    while True:
        found = {alias.alias.lower() for alias in tree.find_all(exp.Alias) if _is_figure(alias.this, known)}
        if found <= known:
            return known
        known |= found


def _is_figure(item: exp.Expr, figures: frozenset[str]) -> bool:
    return any(_is_aggregate(found) for found in item.find_all(exp.AggFunc)) or any(
        column.name.lower() in figures for column in item.find_all(exp.Column)
    )


def _is_aggregate(found: exp.Expr) -> bool:
    return not isinstance(found.parent, exp.Window)


def _outside_figures(item: exp.Expr, figures: frozenset[str]) -> list[exp.Column]:
    """Return the columns of an expression that no aggregate takes in."""
    return [
        column
        for column in item.find_all(exp.Column)
        if column.name.lower() not in figures
        and not any(isinstance(above, exp.AggFunc) and _is_aggregate(above) for above in _above(column, item))
    ]


def _above(column: exp.Expr, item: exp.Expr) -> list[exp.Expr]:
    found: list[exp.Expr] = []
    place = column.parent
    while place is not None:
        found.append(place)
        if place is item:
            break
        place = place.parent
    return found


def _grouping(tree: exp.Expr) -> frozenset[str]:
    """Return the names by which any query of the statement groups, and those that these have further out."""
    names = {column.name.lower() for group in tree.find_all(exp.Group) for column in group.find_all(exp.Column)}
    for query in tree.find_all(exp.Select):
        group = query.args.get("group")
        places = (
            [int(one.this) for one in group.expressions if isinstance(one, exp.Literal) and one.is_int] if group else []
        )
        for place in places:
            if 0 < place <= len(query.selects):
                item = query.selects[place - 1]
                names |= {item.alias_or_name.lower(), *(column.name.lower() for column in item.find_all(exp.Column))}
    for alias in tree.find_all(exp.Alias):
        columns = [column.name.lower() for column in alias.this.find_all(exp.Column)]
        if columns and all(name in names for name in columns):
            names.add(alias.alias.lower())
    return frozenset(names)


def _group_fields(vocabulary: Vocabulary) -> dict[str, bool]:
    """Return for each column whether it may name groups; one name in several tables may only where it may in each."""
    found: dict[str, bool] = {}
    for dataset in vocabulary.model.datasets:
        people = calls_people(dataset)
        for item in dataset.fields:
            may = item.role in {"category", "flag", "time"} or (item.role == "name" and not people)
            for name in {item.name.lower(), item.expression.lower()}:
                found[name] = found.get(name, True) and may and not item.sensitive
    return found


def _is_group(column: exp.Column, grouping: frozenset[str], groups: dict[str, bool]) -> bool:
    """Tell whether a column is grouped by, and is of the kind that names groups; an alias stands for what it is of."""
    name = column.name.lower()
    if name not in grouping:
        return False
    if name in groups:
        return groups[name]
    of = [
        inner.name.lower()
        for alias in column.root().find_all(exp.Alias)
        if alias.alias.lower() == name and not _is_choice(alias.this)
        for inner in alias.this.find_all(exp.Column)
    ]
    return all(groups.get(one, False) for one in of)


def _is_choice(item: exp.Expr) -> bool:
    """Tell whether an expression gives one of the statement's own texts: the bands of a number."""
    case = item.unalias() if isinstance(item, exp.Alias) else item
    if not isinstance(case, exp.Case):
        return False
    default = case.args.get("default")
    results = [one.args["true"] for one in case.args["ifs"]] + ([default] if default is not None else [])
    return all(isinstance(result, (exp.Literal, exp.Null)) for result in results)
