"""One field of a vocabulary file."""

from __future__ import annotations

from sqlglot import exp

from ai_engine.catalogue import Table
from ai_engine.semantics.infer.fields import column_expression, computed_field
from ai_engine.semantics.learnt import Learnt
from ai_engine.semantics.model import Aggregate, Dataset, Field, FieldRole
from ai_engine.semantics.osi import extension as own
from ai_engine.semantics.osi.document import Part
from ai_engine.semantics.osi.expressions import check_field, parse, read_expression
from ai_engine.types import ColumnType

_FIELD = (
    "name", "expression", "dimension", "label", "description", "datatype", "ai_context", "custom_extensions",
)  # fmt: skip
_TIMES = frozenset({"date", "timestamp", "time"})


def read_field(part: Part, table: Table, default: Dataset) -> Field:
    """Read a field of `table`; what it leaves out is taken from the inferred dataset `default`."""
    entries = part.only(_FIELD, ("name", "expression"))
    extra = own.extension(entries, own.FIELD_KEYS)
    text, place = read_expression(entries["expression"])
    name = entries["name"].name()
    guess = _guess(text, place, name, table, default)
    kind = _kind(entries, extra, guess.type)
    role = _role(entries, extra, guess, kind)
    is_figure = role == "measure"
    return Field(
        name=name,
        expression=text,
        type=kind,
        role=role,
        label=entries["label"].name() if _given(entries, "label") else guess.label,
        description=entries["description"].text() if _given(entries, "description") else "",
        synonyms=own.synonyms(entries),
        unit=own.unit(extra["unit"]) if "unit" in extra else (guess.unit if is_figure else None),
        default_aggregate=_aggregate(extra, guess if is_figure else None),
        value_synonyms=_words(extra, "value_synonyms"),
        sensitive=extra["sensitive"].truth() if "sensitive" in extra else guess.sensitive,
        behind=_way(extra, "behind"),
        described_by=_way(extra, "described_by"),
        learnt=_learnt(extra),
    )


def is_withheld(part: Part, table: Table) -> bool:
    """Tell whether a field is of a column that the database role may not read, so that it is as if not written.

    Where the server does not tell the names of such columns, it is a sensitive one that the table does not show.
    """
    if not table.unreadable:
        return False
    entries = part.only(_FIELD, ("name", "expression"))
    text, place = read_expression(entries["expression"])
    columns = {column.name.lower() for column in parse(Part(text, place.line, place.path)).find_all(exp.Column)}
    if not columns.isdisjoint(table.unreadable):
        return True
    extra = own.extension(entries, own.FIELD_KEYS)
    is_sensitive = "sensitive" in extra and extra["sensitive"].truth()
    return is_sensitive and "" in table.unreadable and any(table.column(name) is None for name in columns)


def _way(extra: dict[str, Part], key: str) -> tuple[str, str] | None:
    if key not in extra:
        return None
    keys = ("relationship", "field")
    said = extra[key].only(keys, keys)
    return said["relationship"].name(), said["field"].name()


def _learnt(extra: dict[str, Part]) -> Learnt | None:
    if "learnt" not in extra:
        return None
    said = extra["learnt"].only(("source", "columns", "label", "instead_of", "words"), ("source", "columns"))
    words = _words(said, "words") if "words" in said else _words(extra, "value_synonyms")
    named = {key: said[key].name() for key in ("label", "instead_of") if key in said}
    return Learnt(said["source"].name(), said["columns"].names(), **named, words=words)


def _given(entries: dict[str, Part], key: str) -> bool:
    return key in entries and entries[key].value is not None


def _guess(text: str, place: Part, name: str, table: Table, default: Dataset) -> Field:
    """Return the inferred field of the column that the expression is, else a guess from the field's own name."""
    plain = table.column(text.strip('"'))
    if plain is not None and text in {column_expression(plain.name), f'"{plain.name}"'}:
        return _of_column(plain.name, default)
    tree = check_field(place, text, table)
    column = table.column(tree.name) if isinstance(tree, exp.Column) else None
    return _of_column(column.name, default) if column else computed_field(name, text, default.label)


def _of_column(column: str, default: Dataset) -> Field:
    """Return the inferred field of a column, which a date dimension may call something else."""
    if default.has(column):
        return default.field(column)
    return next(item for item in default.fields if item.expression == column_expression(column))


def _kind(entries: dict[str, Part], extra: dict[str, Part], guess: ColumnType) -> ColumnType:
    if "type" in extra:
        extra["type"].one_of(own.TYPES)
        return next(kind for kind in own.TYPES if kind == extra["type"].value)
    if _given(entries, "datatype"):
        return own.PORTABLE_TYPES[entries["datatype"].one_of(tuple(own.PORTABLE_TYPES))]
    return guess


def _role(entries: dict[str, Part], extra: dict[str, Part], guess: Field, kind: ColumnType) -> FieldRole:
    is_time = None
    if _given(entries, "dimension"):
        dimension = entries["dimension"].only(("is_time",))
        is_time = dimension["is_time"].truth() if _given(dimension, "is_time") else None
    if "role" in extra:
        extra["role"].one_of(own.ROLES)
        return next(role for role in own.ROLES if role == extra["role"].value)
    if is_time and kind in _TIMES:
        return "time"
    if (is_time and guess.role == "measure") or (is_time is False and guess.role == "time"):
        return "category"
    return guess.role


def _aggregate(extra: dict[str, Part], guess: Field | None) -> Aggregate | None:
    if "default_aggregate" not in extra:
        return guess.default_aggregate if guess else None
    part = extra["default_aggregate"]
    if part.value is None:
        return None
    part.one_of(own.AGGREGATES)
    return next(aggregate for aggregate in own.AGGREGATES if aggregate == part.value)


def _words(said: dict[str, Part], key: str) -> dict[str, tuple[str, ...]]:
    return {value: words.names() for value, words in said[key].entries().items()} if key in said else {}
