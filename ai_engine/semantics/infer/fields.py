"""One column as a field of the vocabulary."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.annotate_types import annotate_types

from ai_engine.catalogue import Column
from ai_engine.column_types import names_within
from ai_engine.semantics.infer.amounts_per_step import with_its_step
from ai_engine.semantics.infer.code_lists import CodeLists
from ai_engine.semantics.infer.measures import default_aggregate, unit
from ai_engine.semantics.infer.naming import NamedColumn
from ai_engine.semantics.infer.personal import is_personal
from ai_engine.semantics.infer.roles import NUMERIC, is_amount, is_secret, role_of, spells_days
from ai_engine.semantics.infer.sightings import NOTHING_SEEN, Sighting
from ai_engine.semantics.infer.status_codes import as_status, status_names
from ai_engine.semantics.infer.value_words import list_of_codes, value_synonyms
from ai_engine.semantics.infer.wording import field_synonyms
from ai_engine.semantics.infer.years import year_expression
from ai_engine.semantics.learnt import Learnt
from ai_engine.semantics.model import Aggregate, Field
from ai_engine.semantics.names import column_words, human_name, singular
from ai_engine.semantics.spelled_days import day_expression
from ai_engine.types import ColumnType, Scalar


def field_of(
    item: NamedColumn,
    samples: Sequence[Scalar],
    *,
    is_key: bool,
    points_elsewhere: bool,
    label: str,
    lists: CodeLists | None = None,
    is_year: bool = False,
    names_rows: bool = False,
    sensitive: bool = False,
) -> Field:
    """Return the field for a column; arguments as in `roles.role_of` and `value_words.list_of_codes`.

    `is_year` tells that it keeps calendar years, one for each row, `names_rows` that its rows are called by it.
    """
    item = item if item.told.names else as_status(with_its_step(item, samples), samples, label)
    column = item.column
    role = role_of(item, samples, is_key=is_key, points_elsewhere=points_elsewhere, label=label)
    expression, kind = column_expression(column.name), column.type
    if is_year and role != "identifier":
        role, expression, kind = "time", year_expression(expression, kind), "integer"
    elif names_rows:
        role = "name"
    elif role == "measure" and column.type == "text":
        expression, kind = _as_figure(expression, samples)
    elif role == "time" and spells_days(item.words, column.type, [value for value in samples if value is not None]):
        expression, kind = day_expression(expression, number=column.type == "integer"), "date"
    listed = list_of_codes(item, samples, role, label, lists or {})
    said = value_synonyms(item, samples, role, label, listed)
    return Field(
        name=column.name,
        expression=expression,
        type=kind,
        role=role,
        label=item.label,
        description=item.description,
        synonyms=(*item.told.names[1:], *field_synonyms(item, label, role, samples), *status_names(item, label)),
        unit=_unit(item, samples) if role == "measure" else None,
        default_aggregate=_aggregate(item) if role == "measure" else None,
        value_synonyms=said,
        sensitive=sensitive,
        learnt=Learnt(listed.source, listed.columns, words=said) if listed is not None else None,
    )


def _aggregate(item: NamedColumn) -> Aggregate:
    return "avg" if item.told.unit in {"percent", "fraction"} else default_aggregate(item.words)


def _unit(item: NamedColumn, samples: Sequence[Scalar]) -> str | None:
    return item.told.unit or unit(item.words, [value for value in samples if value is not None])


def is_sensitive(item: NamedColumn, seen: Sighting, *, is_key: bool) -> bool:
    """Tell whether a column or a part of its values is secret or personal; `is_key` as in `is_personal`.

    Rows are not kept back for the form of the keys by which they are told apart or joined.
    """
    if item.told.sensitive is not None:
        return item.told.sensitive
    kind, names = item.column.type, seen.keys
    words: Sequence[str] = item.words
    if kind == "other":
        names |= frozenset(names_within(item.column.native_type))
        words = tuple(map(singular, words))  # a list is called "phones"
    if is_secret(words, lacks_cards=seen.lacks_cards) or is_personal(words, kind, is_key=is_key):
        return True
    if seen.has_inner_form or (seen.has_form and not is_key):
        return True
    inner = (tuple(map(singular, column_words(name))) for name in names)
    return any(is_secret(own) or is_personal(own, "other", is_key=False) for own in inner)


def is_doubtful(item: NamedColumn, seen: Sighting, *, is_key: bool, keeps_any_type: bool) -> bool:
    """Tell whether what was not seen of a column might have closed it; on SQLite every type keeps any value."""
    if seen.is_whole or is_key or item.told.sensitive is not None:
        return False
    kind = item.column.type
    if kind in NUMERIC:
        return (keeps_any_type or kind != "float") and not is_amount(item.words)
    return keeps_any_type or kind in ("text", "other")


def _as_figure(expression: str, samples: Sequence[Scalar]) -> tuple[str, ColumnType]:
    if any("." in str(value) for value in samples):
        return f"CAST({expression} AS DECIMAL(18, 4))", "decimal"
    return f"CAST({expression} AS BIGINT)", "integer"


@lru_cache(maxsize=65_536)
def column_expression(name: str) -> str:
    """Return a column's name as ANSI SQL: quoted only where it could be read as something else."""
    if re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII) and _reads_as_column(name):
        return name
    return exp.to_identifier(name, quoted=True).sql()


def _reads_as_column(name: str) -> bool:
    if name.upper() not in sqlglot.tokens.Tokenizer.KEYWORDS and not name.upper().startswith("CURRENT_"):
        return True
    try:
        tree = sqlglot.parse_one(f"SELECT {name} FROM t WHERE {name} = 1")
    except SqlglotError:
        return False
    return [column.sql() for column in tree.find_all(exp.Column)] == [name, name]


def computed_field(name: str, expression: str, label: str) -> Field:
    """Guess a field that is an expression from its name alone."""
    item = NamedColumn(Column(name, _computed_type(expression)), human_name(name), column_words(name), "")
    sensitive = is_sensitive(item, NOTHING_SEEN, is_key=False)
    guess = field_of(item, (), is_key=False, points_elsewhere=False, label=label, sensitive=sensitive)
    return replace(guess, expression=expression)


def _computed_type(expression: str) -> ColumnType:
    """Tell the type where the expression's outermost operation decides it."""
    tree = annotate_types(sqlglot.parse_one(expression))
    kind = tree.type.this if tree.type else exp.DataType.Type.UNKNOWN
    for types, name in _TYPES_OF_EXPRESSIONS:
        if kind in types:
            return name
    return "text" if isinstance(tree, exp.DPipe | exp.Concat) else "other"


def is_secret_name(identifier: str) -> bool:
    """Tell whether a column of this name is kept from lists unless the vocabulary says otherwise."""
    words = column_words(identifier)
    kinds: tuple[ColumnType, ...] = ("text", "date")
    return is_secret(words) or any(is_personal(words, kind, is_key=False) for kind in kinds)


_TYPES_OF_EXPRESSIONS: tuple[tuple[set[exp.DType], ColumnType], ...] = (
    (exp.DataType.INTEGER_TYPES, "integer"),
    (exp.DataType.FLOAT_TYPES, "float"),
    (exp.DataType.NUMERIC_TYPES, "decimal"),
    (exp.DataType.TEXT_TYPES, "text"),
    ({exp.DataType.Type.DATE}, "date"),
    ({exp.DataType.Type.BOOLEAN}, "boolean"),
    (exp.DataType.TEMPORAL_TYPES, "timestamp"),
)
