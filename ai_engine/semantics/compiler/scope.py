"""The FROM clause of one SELECT, growing as fields are asked of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date

import sqlglot
from sqlglot import exp

from ai_engine.catalogue import Dialect, names_in
from ai_engine.errors import IntentNotCovered
from ai_engine.semantics.compiler.dialects import PLAIN_NAME, identifier, literal
from ai_engine.semantics.compiler.grains import at_grain, day_spelled, days_between, year_seen_at
from ai_engine.semantics.intent import FieldRef
from ai_engine.semantics.join_paths import Path, many_to_one_path
from ai_engine.semantics.model import Dataset, Field, SemanticModel, Step
from ai_engine.semantics.model import days_between as days_between_fields
from ai_engine.semantics.spelled_days import stored_day


@dataclass(frozen=True)
class Setting:
    """What is fixed while one intent is compiled; `notes` collects the choices made on the way, in order.

    `level_too` fetches, behind the first rows of each group, those that are level with the last, and each row's place.
    """

    model: SemanticModel
    dialect: Dialect
    as_of: date
    level_too: bool = False
    notes: dict[str, None] = field(default_factory=dict)

    def note(self, sentence: str) -> None:
        """Record a choice once."""
        self.notes[sentence] = None

    def dataset(self, name: str) -> Dataset:
        """Return a dataset; IntentNotCovered when the vocabulary has none of this name."""
        try:
            return self.model.dataset(name)
        except KeyError:
            raise IntentNotCovered(f"there is no dataset {name!r}") from None

    def field(self, ref: FieldRef) -> Field:
        """Return the field meant; IntentNotCovered when the vocabulary has none of this name."""
        dataset = self.dataset(ref.dataset)
        if not dataset.has(ref.field):
            raise IntentNotCovered(f"{ref.dataset!r} has no field {ref.field!r}")
        found = dataset.field(ref.field)
        return found if ref.since is None else days_between_fields(self.field(ref.since), found)

    def key(self, name: str) -> tuple[str, ...]:
        """Return the columns that tell the rows of a dataset apart; IntentNotCovered when none are known."""
        dataset = self.dataset(name)
        key = dataset.primary_key or next(iter(dataset.unique_keys), ())
        if not key:
            raise IntentNotCovered(f"nothing tells two rows of {dataset.name!r} apart, so they cannot be counted once")
        return key


@dataclass
class _Join:
    alias: str
    parent: str
    step: Step
    required: bool


class Scope:
    """Tables of one SELECT: a base, and what is joined to it step by step.

    A join that only shows or tests a value is a LEFT JOIN; `required` makes it an inner one. Names of tables are given
    out through `taken`, of which nested selects get a copy so that a correlated column means one table only.
    """

    def __init__(self, setting: Setting, base: str, taken: set[str] | None = None) -> None:
        self.setting = setting
        self.base = base
        self.taken: set[str] = set() if taken is None else taken
        self.alias = self._name(base, None)
        self._joins: dict[tuple[tuple[str, bool], ...], _Join] = {}

    def holds(self, path: Path) -> bool:
        """Tell whether this walk is part of the FROM clause already."""
        return _key(path) in self._joins

    def join(self, path: Path, *, required: bool) -> str:
        """Return the name of the table at the end of a walk from the base, joining what is missing."""
        alias = self.alias
        for end in range(1, len(path) + 1):
            key = _key(path[:end])
            if key not in self._joins:
                self._joins[key] = _Join(
                    self._name(path[end - 1].target, path[end - 1]), alias, path[end - 1], required
                )
            self._joins[key].required |= required
            alias = self._joins[key].alias
        return alias

    def value(self, ref: FieldRef, path: Path, *, required: bool) -> exp.Expr:
        """Return a field at its grain, at the end of a walk from the base."""
        if ref.since is not None:
            end = self.value(ref.model_copy(update={"since": None}), path, required=required)
            return days_between(self._start(ref, ref.since, path, required=required), end, self.setting.dialect)
        found = self.setting.field(ref)
        if found.behind is not None:
            step = Step(self.setting.model.relationship(found.behind[0]), to_one=True)
            there = ref.model_copy(update={"dataset": step.target, "field": found.behind[1], "via": ()})
            return self.value(there, (*path, step), required=required)
        column = field_expression(found, self.join(path, required=required), self.setting.dialect)
        return seen_at(column, ref, found, self.setting)

    def shown(self, ref: FieldRef, path: Path, *, required: bool) -> exp.Expr:
        """Return a field as people read it: a code by its description, by itself where the list lacks it."""
        value = self.value(ref, path, required=required)
        described_by = self.setting.field(ref).described_by
        if described_by is None or ref.since is not None:
            return value
        link, name = self.setting.model.relationship(described_by[0]), described_by[1]
        there = self.setting.model.dataset(link.to_dataset).field(name)
        alias = self.join((*path, Step(link, to_one=True)), required=False)
        return exp.func("COALESCE", field_expression(there, alias, self.setting.dialect), value)

    def _start(self, ref: FieldRef, since: FieldRef, path: Path, *, required: bool) -> exp.Expr:
        """Return the date from which days are counted: of the row that holds the other, or of one it belongs to."""
        way: Path | None = ()
        if since.dataset != ref.dataset or since.via:
            way = many_to_one_path(self.setting.model, ref.dataset, since.dataset, since.via)
        if way is None:
            raise IntentNotCovered(f"a row of {ref.dataset!r} has no single {since.field!r} to count days from")
        return self.value(since, (*path, *way), required=required)

    def column(self, name: str, path: Path = ()) -> exp.Column:
        """Return a plain column, of the base or of a table at the end of a walk."""
        return table_column(self.join(path, required=True) if path else self.alias, name, self.setting.dialect)

    def select(self) -> exp.Select:
        """Return `FROM ... JOIN ...` with nothing selected yet."""
        query = exp.Select().from_(table(self.setting, self.base, self.alias))
        for join in self._joins.values():
            pairs = zip(join.step.target_columns, join.step.source_columns, strict=True)
            matches = [
                exp.EQ(
                    this=table_column(join.alias, target, self.setting.dialect),
                    expression=table_column(join.parent, source, self.setting.dialect),
                )
                for target, source in pairs
            ]
            matches += [
                exp.EQ(this=table_column(join.alias, name, self.setting.dialect), expression=literal(text))
                for name, text in join.step.relationship.only_where
            ]
            source_table = table(self.setting, join.step.target, join.alias)
            query = query.join(source_table, on=exp.and_(*matches), join_type="" if join.required else "left")
        return query

    def _name(self, dataset: str, step: Step | None) -> str:
        """Name a table by its dataset, and a second one of the same dataset by what it is for."""
        wanted = [self.setting.dataset(dataset).table_name, dataset]
        if step is not None:
            role = "_".join(step.relationship.synonyms[:1]).replace(" ", "_")
            wanted += [f"{role}_{dataset}" if role else "", step.relationship.name]
        wanted += [f"{dataset}_{number}" for number in range(2, 100)]
        wanted += [f"t{number}" for number in range(1, 100)]
        name = next(name for name in wanted if PLAIN_NAME.fullmatch(name) and name.lower() not in self.taken)
        self.taken.add(name.lower())
        return name


def _key(path: Path) -> tuple[tuple[str, bool], ...]:
    return tuple((step.relationship.name, step.to_one) for step in path)


def table(setting: Setting, dataset: str, alias: str) -> exp.Table:
    """Return a dataset's table under a name."""
    parts = names_in(setting.dataset(dataset).source)
    names = [identifier(part, setting.dialect) for part in parts]
    found = exp.Table(**dict(zip(("this", "db", "catalog"), reversed(names), strict=False)))
    if parts[-1] != alias or len(parts) > 1:
        found.set("alias", exp.TableAlias(this=identifier(alias, setting.dialect)))
    return found


def table_column(alias: str, name: str, dialect: Dialect) -> exp.Column:
    """Return `alias.name`, quoted where needed."""
    return exp.Column(this=identifier(name, dialect), table=identifier(alias, dialect))


def field_expression(item: Field, alias: str, dialect: Dialect) -> exp.Expr:
    """Return a field as SQL over the columns of a table called `alias`."""
    if PLAIN_NAME.fullmatch(item.expression):
        return table_column(alias, item.expression, dialect)
    try:
        tree = sqlglot.parse_one(item.expression)
    except sqlglot.ParseError:
        return table_column(alias, item.expression, dialect)
    if isinstance(tree, exp.Alias):  # a bare column name with a space in it
        return table_column(alias, item.expression, dialect)
    written = tree.transform(
        lambda node: table_column(alias, node.name, dialect) if isinstance(node, exp.Column) else node
    )
    return day_spelled(written.this, dialect) if stored_day(item.expression) else written


def seen_at(column: exp.Expr, ref: FieldRef, item: Field, setting: Setting) -> exp.Expr:
    """Return a time column at the grain a reference asks for; any other column as it is."""
    if ref.grain is None:
        return column
    if item.is_year:
        if ref.grain == "age_years":
            setting.note(f"Ages are those reached in the course of {setting.as_of.year}: only the year is kept.")
        return year_seen_at(column, ref.grain, setting.as_of)
    if item.type not in ("date", "timestamp") and setting.dialect in ("duckdb", "postgres"):
        column = exp.cast(column, "timestamp")
    start = setting.model.fiscal_year_start_month
    is_date = item.type == "date"
    return at_grain(column, ref.grain, setting.dialect, fiscal_start=start, as_of=setting.as_of, is_date=is_date)


def bare_when_alone(query: exp.Select) -> exp.Select:
    """Drop the table's name before its columns where only one table is read."""
    if query.args.get("joins") or len(list(query.find_all(exp.Select))) > 1:
        return query
    for column in query.find_all(exp.Column):
        column.set("table", None)
    return query


def named(value: exp.Expr, name: str, dialect: Dialect) -> exp.Expr:
    """Return a select item under a name, without repeating a column's own."""
    if isinstance(value, exp.Column) and value.name == name:
        return value
    return exp.Alias(this=value, alias=identifier(name, dialect))
