"""What a vocabulary keeps back of which table, worked out in one place for all who read or tell anything of a column.

A field is read once, as `stored_field` says; which columns it is made of follows from that reading alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from ai_engine.catalogue import Catalogue, Table
from ai_engine.column_types import column_type
from ai_engine.errors import BadConfiguration
from ai_engine.semantics.infer import dated_by, infer_vocabulary
from ai_engine.semantics.learnt import Learnt
from ai_engine.semantics.model import Dataset, Field, FieldRole, Relationship, SemanticModel
from ai_engine.types import ColumnType

_WORD = re.compile(r"\w+")
_READS_MORE = (exp.Star, exp.Columns, exp.Query)
_JUDGED: dict[ColumnType, FieldRole] = {
    "text": "text", "date": "time", "timestamp": "time", "time": "text", "boolean": "flag",
}  # fmt: skip
"""What fields of such columns are, of which SQLite does not say what they hold."""


@lru_cache(maxsize=16_384)
def scalar(text: str, dialect: str | None = None) -> exp.Expr | None:
    """Parse one scalar expression; None where it is something else.

    Raises:
        SqlglotError: it is no SQL.
        RecursionError: it is nested too deeply.
    """
    tree = sqlglot.parse_one(f"SELECT {text}", read=dialect)
    if not isinstance(tree, exp.Select) or set(filter(tree.args.get, tree.args)) != {"expressions"}:
        return None
    found = tree.expressions[0]
    return None if len(tree.expressions) > 1 or isinstance(found, exp.Alias) else found


def stored_field(expression: str, table: Table) -> exp.Expr | None:
    """Return a field's expression, which is ANSI SQL, with its columns quoted and spelled as they are stored.

    A column's bare name is that column, whatever else it may be in SQL. None where it cannot be told what is read.
    """
    bare = expression[1:-1].replace('""', '"') if expression[:1] == expression[-1:] == '"' else expression
    column = table.column(bare) if bare != expression or _WORD.fullmatch(bare) else None
    if column is None:
        return _spelled(expression, table) or _column(table, bare)
    return _column(table, column.name)


def columns_of(expression: str, table: Table) -> frozenset[str]:
    """Return the columns that a field is made of, in small letters: all of the table's where that cannot be told."""
    tree = stored_field(expression, table)
    return frozenset(
        name.lower()
        for name in (table.column_names if tree is None else (one.name for one in tree.find_all(exp.Column)))
    )


def kept_back(model: SemanticModel, catalogue: Catalogue) -> dict[str, frozenset[str]]:
    """`sensitive_columns`, and those whose names say so and of which a vocabulary file says nothing.

    Raises:
        BadConfiguration: a sensitive field is of no table that there is.
    """
    found = sensitive_columns(model, catalogue)
    for name, columns in _undescribed(model, catalogue):
        found[name] = found.get(name, frozenset()) | columns
    return found


def sensitive_columns(model: SemanticModel, catalogue: Catalogue) -> dict[str, frozenset[str]]:
    """Table → columns that sensitive fields are made of, in small letters: who hides LOWER(email) hides email.

    Raises:
        BadConfiguration: a sensitive field is of no table that there is.
    """
    found: dict[str, frozenset[str]] = {}
    for dataset in model.datasets:
        for item in dataset.fields:
            if item.sensitive:
                table = catalogue.sourced(dataset.source)
                if table is None:
                    raise BadConfiguration(
                        f"{dataset.name}.{item.name} is to be kept back, but there is no table {dataset.source}. "
                        "Correct the source of this dataset in the vocabulary."
                    )
                name = table.name.lower()
                found[name] = found.get(name, frozenset()) | columns_of(item.expression, table)
    return found


def with_kept_back(model: SemanticModel, catalogue: Catalogue, held: Mapping[str, frozenset[str]]) -> SemanticModel:
    """Make every field sensitive that is made of a column in `held`, in each table that shows the same rows.

    Codes are not described by what is kept back, no day of it is the data's own or dates rows, and an inferred
    vocabulary has no words for values of it, which were seen in the data, nor such values as words of anything else,
    and does not repeat what the database has written beside it.
    """
    catalogue = as_declared(catalogue, held)
    datasets = {dataset.name: _closed(dataset, catalogue, held) for dataset in model.datasets}
    links = {link.name: link for link in model.relationships}

    def is_open(end: tuple[str, str] | None) -> bool:
        link = links.get(end[0]) if end is not None else None
        if end is None or link is None:
            return True
        there = datasets[link.to_dataset]
        chosen = catalogue.sourced(there.source)
        hidden = chosen.columns_among(held) if chosen is not None else frozenset()
        return hidden.isdisjoint(column.lower() for column, _ in link.only_where) and not (
            there.has(end[1]) and there.field(end[1]).sensitive
        )

    def followed(item: Field) -> Field:
        if not (is_open(item.behind) and is_open(item.described_by)):
            described = item.described_by if is_open(item.described_by) else None
            item = replace(item, sensitive=item.sensitive or not is_open(item.behind), described_by=described)
        return item

    def unsaid(item: Field, table: Table | None) -> Field:
        if not model.inferred:
            return item
        if item.learnt is not None and _is_touched(item.learnt, catalogue, held):
            item = _unlearnt(item, item.learnt)
        if not item.sensitive:
            return item
        beside = {column.comment for column in table.columns} if table is not None else set()
        description = "" if item.description in beside else item.description
        learnt = replace(item.learnt, words={}) if item.learnt is not None else None
        return replace(item, value_synonyms={}, description=description, learnt=learnt)

    closed = tuple(
        _dated(replace(one, fields=tuple(unsaid(followed(item), table) for item in one.fields)), table)
        for one in datasets.values()
        for table in (catalogue.sourced(one.source),)
    )
    as_of = model.as_of
    if as_of is not None:
        name, _, field = as_of.rpartition(".")
        as_of = None if datasets[name].field(field).sensitive else as_of
    ways = {item.described_by[0] for one in closed for item in one.fields if item.described_by is not None}
    kept = (
        replace(link, only_where=link.only_where if is_needed else ())
        for link in model.relationships
        if (is_needed := not (model.inferred and link.only_where) or link.name in ways)
        or _is_declared(link, datasets, catalogue)
    )
    return replace(model, datasets=closed, relationships=tuple(kept), as_of=as_of)


def _dated(dataset: Dataset, table: Table | None) -> Dataset:
    """Date rows by a day that may be asked where theirs is kept back."""
    time = dataset.default_time
    if table is None or time is None or not dataset.field(time).sensitive:
        return dataset
    return replace(dataset, default_time=dated_by(dataset, table))


def _is_declared(link: Relationship, datasets: Mapping[str, Dataset], catalogue: Catalogue) -> bool:
    """Whether the database itself has the key that a link follows."""
    here, there = (catalogue.sourced(datasets[name].source) for name in (link.from_dataset, link.to_dataset))
    return here is not None and any(
        (key.columns, key.to_columns) == (link.from_columns, link.to_columns)
        and catalogue.at((key.to_schema, key.to_table)) is there
        for key in here.foreign_keys
    )


def _is_touched(learnt: Learnt, catalogue: Catalogue, held: Mapping[str, frozenset[str]]) -> bool:
    table = catalogue.sourced(learnt.source)
    return table is None or not table.columns_among(held).isdisjoint(map(str.lower, learnt.columns))


def _unlearnt(item: Field, learnt: Learnt) -> Field:
    """A field as if there were no list of its codes; a name and words that a person has given it stay."""
    own = {
        value: tuple(word for word in said if word not in learnt.words.get(value, ()))
        for value, said in item.value_synonyms.items()
    }
    own = {value: said for value, said in own.items() if said}
    item = replace(item, value_synonyms=own, described_by=None, learnt=None)
    if item.label != learnt.label:
        return item
    synonyms = tuple(word for word in item.synonyms if word != learnt.instead_of)
    return replace(item, label=learnt.instead_of, synonyms=synonyms)


def _closed(dataset: Dataset, catalogue: Catalogue, held: Mapping[str, frozenset[str]]) -> Dataset:
    table = catalogue.sourced(dataset.source)
    columns = table.columns_among(held) if table is not None else frozenset()
    if table is None or not columns:
        return dataset
    fields = (
        _as_declared(replace(item, sensitive=True), table, catalogue)
        if item.sensitive or not columns.isdisjoint(columns_of(item.expression, table))
        else item
        for item in dataset.fields
    )
    partitions = tuple(item for item in dataset.partitions if item.column.lower() not in columns)
    return replace(dataset, fields=tuple(fields), partitions=partitions)


def as_declared(catalogue: Catalogue, held: Mapping[str, frozenset[str]]) -> Catalogue:
    """Give columns in `held` the types that SQLite was told: those of others are judged by the values in them."""
    if catalogue.dialect != "sqlite":
        return catalogue

    def declared(table: Table) -> Table:
        hidden = table.columns_among(held)
        columns = (
            replace(one, type=column_type(one.native_type)) if one.name.lower() in hidden and one.native_type else one
            for one in table.columns
        )
        return replace(table, columns=tuple(columns))

    return replace(catalogue, tables=tuple(map(declared, catalogue.tables)))


def _as_declared(item: Field, table: Table, catalogue: Catalogue) -> Field:
    tree = stored_field(item.expression, table) if catalogue.dialect == "sqlite" else None
    column = table.column(tree.name) if isinstance(tree, exp.Column) else None
    if column is None or not column.native_type:
        return item
    if column.type not in _JUDGED or item.role in ("identifier", "name"):
        return replace(item, type=column.type)
    return replace(item, type=column.type, role=_JUDGED[column.type], default_aggregate=None)


def _undescribed(model: SemanticModel, catalogue: Catalogue) -> Iterator[tuple[str, frozenset[str]]]:
    """Columns that no field is or is called like, and whose names an inferred vocabulary takes for sensitive."""
    described: dict[str, set[str]] = {}
    for dataset in model.datasets:
        table = catalogue.sourced(dataset.source)
        if table is not None:
            own = described.setdefault(table.source, set())
            for item in dataset.fields:
                tree = stored_field(item.expression, table)
                called = columns_of(item.expression, table) & {item.name.lower()}
                own |= {tree.name.lower()} if isinstance(tree, exp.Column) else called
    silent = {
        table.source: set(map(str.lower, table.column_names)) - described.get(table.source, set())
        for table in catalogue.tables
    }
    if not any(silent.values()):
        return
    for dataset in infer_vocabulary(catalogue).datasets:
        table = catalogue.sourced(dataset.source)
        assert table is not None  # noqa: S101 - it was inferred from this one
        for item in dataset.fields:
            if item.sensitive and (columns := columns_of(item.expression, table) & silent[table.source]):
                yield table.name.lower(), columns


def _spelled(expression: str, table: Table) -> exp.Expr | None:
    try:
        tree = scalar(expression)
    except (SqlglotError, RecursionError, ValueError):
        return None
    if tree is None or tree.find(*_READS_MORE) or tree.find(exp.Column) is None:
        return None
    tree = tree.copy()
    for column in list(tree.find_all(exp.Column)):
        stored = table.column(column.name)
        if stored is None or column.args.get("db") or column.table.lower() not in ("", table.name.lower()):
            return None
        spelled = exp.column(stored.name, quoted=True)
        if column is tree:
            return spelled
        column.replace(spelled)
    return tree


def _column(table: Table, name: str) -> exp.Column | None:
    column = table.column(name)
    return exp.column(column.name, quoted=True) if column is not None else None
