"""The vocabulary said in sentences: tables, columns, figures, values, ways between tables, dates."""

from __future__ import annotations

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.meanings import Attribute, Figure, Meaning, Stored, Thing
from ai_engine.semantics.join_paths import Path, many_to_one_paths, paths_between
from ai_engine.semantics.model import Dataset, Field
from ai_engine.semantics.names import with_article
from ai_engine.semantics.restatement import plural

_MOST_TABLES = 40
_MOST_VALUES = 20
_MOST_METRICS = 25
_ROLES = {
    "identifier": "identifier", "name": "name", "category": "category", "flag": "yes or no", "measure": "figure",
    "time": "date", "text": "text",
}  # fmt: skip
_AGGREGATES = {"sum": "added up", "avg": "averaged", "min": "taken at its lowest", "max": "taken at its highest"}


def describe_tables(knowledge: Knowledge) -> str:
    """Every table with its purpose."""
    datasets = knowledge.model.datasets
    said = [f"{dataset.name} ({_clause(dataset.description)})" if dataset.description else dataset.name
            for dataset in datasets[:_MOST_TABLES]]  # fmt: skip
    more = f", and {len(datasets) - _MOST_TABLES} more" if len(datasets) > _MOST_TABLES else ""
    about = f" {_sentence(knowledge.model.description)}" if knowledge.model.description else ""
    return f"There are {len(datasets)} tables: {'; '.join(said)}{more}.{about}"


def describe_columns(found: Meaning, knowledge: Knowledge) -> str:
    """One table: its purpose and its columns."""
    assert isinstance(found, Thing)  # noqa: S101 - the callers looked
    dataset = knowledge.dataset(found.dataset)
    columns = ", ".join(_column(item) for item in dataset.fields)
    purpose = f" {_sentence(dataset.description)}" if dataset.description else ""
    return f"{dataset.name} holds one row per {dataset.label}.{purpose} Its {len(dataset.fields)} columns: {columns}."


def describe_field(found: Attribute, knowledge: Knowledge) -> str:
    """One column: what it means, its kind, unit and values."""
    item, dataset = knowledge.field(found), knowledge.dataset(found.dataset)
    meaning = f": {_clause(item.description)}" if item.description else f", {with_article(_kind(item))}"
    text = f"{_start(item.label)} ({dataset.name}.{item.name}) of {with_article(dataset.label)}{meaning}."
    if item.sensitive:
        return f"{text} It is marked as sensitive and is not shown."
    if item.role == "measure":
        unit = f" in {item.unit}" if item.unit else ""
        how = _AGGREGATES.get(item.default_aggregate or "", "")
        return f"{text} A figure{unit}{f', {how} unless you say otherwise' if how else ''}."
    values = _values(found, knowledge) if item.role in {"category", "flag"} else ""
    return f"{text}{values}"


def _kind(item: Field) -> str:
    return "year" if item.is_year else _ROLES[item.role]


def describe_metric(found: Figure, knowledge: Knowledge) -> str:
    """One named figure: its meaning, formula, unit and date."""
    metric = knowledge.model.metric(found.metric)
    meaning = f" {_sentence(metric.description)}" if metric.description else ""
    unit = f" In {metric.unit}." if metric.unit else ""
    dated = f" Dated by {metric.time_field}." if metric.time_field else ""
    return f"{_start(metric.label)}:{meaning} Computed as {metric.expression}.{unit}{dated}"


def describe_metrics(knowledge: Knowledge) -> str:
    """Every named figure."""
    metrics = knowledge.model.metrics
    if not metrics:
        return "No figure has a name of its own here; any column that holds numbers can be added up or averaged."
    named = ", ".join(metric.label for metric in metrics[:_MOST_METRICS])
    more = f", and {len(metrics) - _MOST_METRICS} more" if len(metrics) > _MOST_METRICS else ""
    return f"Figures with a name of their own: {named}{more}. Any column of numbers can be added up or averaged too."


def describe_values(found: Meaning, knowledge: Knowledge) -> str:
    """The values of one column, as far as they are known."""
    assert isinstance(found, Attribute)  # noqa: S101 - the callers looked
    item, dataset = knowledge.field(found), knowledge.dataset(found.dataset)
    if item.sensitive:
        return _withheld(item, dataset)
    values = _values(found, knowledge)
    if values:
        return f"{_start(item.label)} of {with_article(dataset.label)}:{values.removeprefix(' Values:')}"
    meaning = f" {_sentence(item.description)}" if item.description else ""
    return (
        f"{_start(item.label)} of {with_article(dataset.label)} is"
        f" {with_article(_kind(item))} whose values are not listed.{meaning}"
    )


def describe_value(found: Stored, knowledge: Knowledge) -> str:
    """One value: where it stands and what else it is called."""
    item, dataset = knowledge.dataset(found.dataset).field(found.field), knowledge.dataset(found.dataset)
    if item.sensitive:
        return _withheld(item, dataset)
    other = item.value_synonyms.get(str(found.value), ())
    called = f", also called {', '.join(other)}" if other else ""
    meaning = f" {_start(item.label)}: {_sentence(item.description)}" if item.description else ""
    return f"{found.value!s} is a value of the {item.label} of {with_article(dataset.label)}{called}.{meaning}"


def _withheld(item: Field, dataset: Dataset) -> str:
    return f"{_start(item.label)} of {with_article(dataset.label)} is marked as sensitive and is not shown."


def describe_way(start: Meaning, end: Meaning, knowledge: Knowledge) -> str | None:
    """How the rows of two tables belong together; None when they are the same."""
    if not isinstance(start, Thing) or not isinstance(end, Thing) or start.dataset == end.dataset:
        return None
    one, other = knowledge.dataset(start.dataset), knowledge.dataset(end.dataset)
    for many, single in ((one, other), (other, one)):
        ways = [path for path in many_to_one_paths(knowledge.model, many.name, single.name) if path]
        if ways:
            said = "; or ".join(_walk(path) for path in ways)
            return (
                f"Each {many.label} belongs to one {single.label}, and"
                f" a {single.label} can have many {_many(many)}: {said}."
            )
    shared = [
        dataset.label
        for dataset in knowledge.model.datasets
        if knowledge.is_parent(one.name, dataset.name) and knowledge.is_parent(other.name, dataset.name)
    ]
    if shared:
        return (
            f"{_start(_many(one))} and {_many(other)} are not linked"
            f" directly; they meet in the {' and the '.join(shared)} "
            "that both belong to."
        )
    for path in paths_between(knowledge.model, one.name, other.name)[:1]:
        return f"{_start(_many(one))} and {_many(other)} are linked only through other tables: {_walk(path)}."
    return f"Nothing links {_many(one)} and {_many(other)}."


def describe_date(knowledge: Knowledge) -> str:
    """The data's own today."""
    day = knowledge.as_of
    return f"The data stands at {day.day} {day:%B %Y}; “last month” and the like count from that day."


def describe_span(knowledge: Knowledge) -> str:
    """What is known of the period the data covers without asking the database."""
    dated = [
        f"{dataset.field(dataset.default_time).label} ({_many(dataset)})"
        for dataset in knowledge.model.datasets
        if dataset.default_time and dataset.has(dataset.default_time)
    ]
    dates = f" Rows are dated by {', '.join(dated[:8])}; ask for the earliest of one of them." if dated else ""
    return f"{describe_date(knowledge)}{dates}"


def _walk(path: Path) -> str:
    return " and ".join(
        f"{step.source}.{', '.join(step.source_columns)} = {step.target}.{', '.join(step.target_columns)}"
        for step in path
    )


def _values(found: Attribute, knowledge: Knowledge) -> str:
    known = knowledge.vocabulary.values.values_of(found.dataset, found.field)
    if known is None or not known.values:
        return ""
    shown = ", ".join(str(value) for value in known.values[:_MOST_VALUES])
    all_shown = known.complete and len(known.values) <= _MOST_VALUES
    return f" Values: {shown}{'' if all_shown else ', …'}."


def _column(item: Field) -> str:
    return f"{item.name} ({item.label})" if item.label.replace(" ", "_").lower() != item.name.lower() else item.name


def _many(dataset: Dataset) -> str:
    return plural(dataset.label)


def _clause(text: str) -> str:
    return text.strip().rstrip(".")


def _sentence(text: str) -> str:
    return f"{_clause(text)}."


def _start(text: str) -> str:
    return text[:1].upper() + text[1:]
