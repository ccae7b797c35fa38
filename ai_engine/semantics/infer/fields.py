"""One column as a field of the vocabulary."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.annotate_types import annotate_types

from ai_engine.catalogue import Column
from ai_engine.semantics.clauses import code_meanings
from ai_engine.semantics.infer.measures import default_aggregate, unit
from ai_engine.semantics.infer.naming import NamedColumn
from ai_engine.semantics.infer.roles import is_secret, role_of
from ai_engine.semantics.infer.wording import field_synonyms
from ai_engine.semantics.model import Field
from ai_engine.semantics.names import column_words, human_name
from ai_engine.types import ColumnType, Scalar


def field_of(
    item: NamedColumn, samples: Sequence[Scalar], *, is_key: bool, points_elsewhere: bool, label: str
) -> Field:
    """Return the field for a column; arguments as in `roles.role_of`."""
    column = item.column
    role = role_of(item, samples, is_key=is_key, points_elsewhere=points_elsewhere, label=label)
    expression, kind = column_expression(column.name), column.type
    if role == "measure" and column.type == "text":
        expression, kind = _as_figure(expression, samples)
    return Field(
        name=column.name,
        expression=expression,
        type=kind,
        role=role,
        label=item.label,
        description=item.description,
        synonyms=field_synonyms(item, label, role),
        unit=unit(item.words) if role == "measure" else None,
        default_aggregate=default_aggregate(item.words) if role == "measure" else None,
        value_synonyms=value_synonyms(item, samples),
        sensitive=is_secret(item.words),
    )


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
    guess = field_of(item, (), is_key=False, points_elsewhere=False, label=label)
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
    return is_secret(column_words(identifier))


_TYPES_OF_EXPRESSIONS: tuple[tuple[set[exp.DType], ColumnType], ...] = (
    (exp.DataType.INTEGER_TYPES, "integer"),
    (exp.DataType.FLOAT_TYPES, "float"),
    (exp.DataType.NUMERIC_TYPES, "decimal"),
    (exp.DataType.TEXT_TYPES, "text"),
    ({exp.DataType.Type.DATE}, "date"),
    ({exp.DataType.Type.BOOLEAN}, "boolean"),
    (exp.DataType.TEMPORAL_TYPES, "timestamp"),
)
_LONGEST_CODE = 3
_ANSWERS: tuple[Mapping[str, tuple[str, ...]], ...] = (
    {"y": ("yes",), "n": ("no",)},
    {"t": ("true", "yes"), "f": ("false", "no")},
    {"true": ("yes",), "false": ("no",)},
)
_GENDERS: tuple[Mapping[str, tuple[str, ...]], ...] = (
    {"m": ("male", "man", "men"), "f": ("female", "woman", "women")},
    {"male": ("man", "men"), "female": ("woman", "women")},
)


def value_synonyms(item: NamedColumn, samples: Sequence[Scalar]) -> Mapping[str, tuple[str, ...]]:
    """Return the everyday words of stored codes, where the data or the description says what they are."""
    stored = {str(value).strip().lower(): str(value) for value in samples if value is not None}
    described = [
        (code, meaning)
        for code, meaning in code_meanings(item.description)
        if code.lower() in stored or (not stored and _looks_like_code(code))
    ]
    for code, _ in described:
        stored.setdefault(code.lower(), code)
    words = {code: list(said) for code, said in _everyday_words(item, frozenset(stored)).items()}
    for code, meaning in described:
        words.setdefault(code.lower(), []).append(meaning)
    return {
        stored[code]: tuple(word for word in dict.fromkeys(said) if word != code)
        for code, said in words.items()
        if set(said) - {code}
    }


def _everyday_words(item: NamedColumn, stored: frozenset[str]) -> Mapping[str, tuple[str, ...]]:
    choices = _GENDERS if {"gender", "sex"} & set(item.words) else _ANSWERS
    return next((words for words in choices if stored == set(words)), {})


def _looks_like_code(text: str) -> bool:
    return len(text) <= _LONGEST_CODE or (text.isupper() and " " not in text)
