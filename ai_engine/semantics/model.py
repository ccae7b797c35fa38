"""The bank's vocabulary as typed values: what the tables, columns and figures are called and how they hang together.

Its files keep to the Open Semantic Interchange 1.0; what that lacks (roles, units, ...) is in `custom_extensions`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property
from typing import Literal, TypeAlias

from ai_engine.catalogue import names_in
from ai_engine.semantics.learnt import Learnt
from ai_engine.semantics.partitions import Partition
from ai_engine.types import ColumnType

Aggregate: TypeAlias = Literal["count", "count_distinct", "sum", "avg", "min", "max", "median", "stddev"]
GuessedBy: TypeAlias = Literal["name", "values"]
FieldRole: TypeAlias = Literal["identifier", "name", "category", "flag", "measure", "time", "text"]


@dataclass(frozen=True)
class Field:
    """One column, or an expression over the columns of its dataset.

    Attributes:
        expression: SQL over the dataset's own columns; for most fields just the column.
        role: identifier (keys, numbers that name a row), name (what people call a row), category (few values, groups),
            flag (yes or no), measure (adds up or averages), time (a date or timestamp), text (free text).
        unit: currency code, "percent", "fraction" (0.95 is 95 percent), "days", "months", "years", "count" or None.
        default_aggregate: what "balance by branch" means; balances sum, rates and scores average.
        value_synonyms: stored value → other words for it.
        sensitive: personal or secret; shown only where the policy allows.
        behind: (relationship of this dataset, field at its other end) where the value stands in the row that the column
            leads to, as the day behind the key of a date dimension; `expression` is then that column.
        described_by: (relationship, field at its other end) where a list of codes says what the stored code stands for;
            groups and lists show that, conditions ask for the code.
        learnt: the list of codes from which its words are.
    """

    name: str
    expression: str
    type: ColumnType
    role: FieldRole
    label: str
    description: str = ""
    synonyms: tuple[str, ...] = ()
    unit: str | None = None
    default_aggregate: Aggregate | None = None
    value_synonyms: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    sensitive: bool = False
    behind: tuple[str, str] | None = None
    described_by: tuple[str, str] | None = None
    learnt: Learnt | None = None

    @property
    def is_year(self) -> bool:
        """Tell whether the field keeps calendar years: no day, month or quarter can be asked of it."""
        return self.role == "time" and self.type == "integer"

    @property
    def is_mark(self) -> bool:
        """Tell whether the field is a condition with a name, which is said by the words for its yes."""
        return self.role == "flag" and "true" in self.value_synonyms


def days_between(start: Field, end: Field) -> Field:
    """The number of days from one date to another, as a field of its own."""
    label = f"days from {start.label} to {end.label}"
    return replace(
        end, label=label, expression=label, type="integer", role="measure", unit="days", default_aggregate="avg"
    )


@dataclass(frozen=True)
class Dataset:
    """One table with a meaning.

    Attributes:
        source: the table, with its schema where there is one.
        label: singular noun a person uses for one row ("customer").
        default_time: field that dates a row when the question names no other.
        snapshot_time: field that tells the dates on which every row is taken anew, for a table with a row per thing and
            date ("closing balance of each account at each month end"): figures are then as of the latest of those dates
            unless the question says otherwise. None for all other tables.
        flows: figures of such a table that do add up over its dates (interest paid in the month).
        display: fields that show a row to a person in a list, in order.
        partitions: columns computed from a date, by which a warehouse keeps rows apart.
    """

    name: str
    source: str
    fields: tuple[Field, ...]
    label: str
    primary_key: tuple[str, ...] = ()
    unique_keys: tuple[tuple[str, ...], ...] = ()
    description: str = ""
    synonyms: tuple[str, ...] = ()
    default_time: str | None = None
    display: tuple[str, ...] = ()
    snapshot_time: str | None = None
    flows: tuple[str, ...] = ()
    partitions: tuple[Partition, ...] = ()

    @cached_property
    def _by_name(self) -> dict[str, Field]:
        return {item.name: item for item in self.fields}

    @property
    def table_name(self) -> str:
        """The table's own name, without schema and quotes."""
        return names_in(self.source)[-1]

    def field(self, name: str) -> Field:
        """Return a field by exact name; KeyError when there is none."""
        return self._by_name[name]

    def has(self, name: str) -> bool:
        """Tell whether a field of this name exists."""
        return name in self._by_name


@dataclass(frozen=True)
class Relationship:
    """Many rows of `from_dataset` point at one row of `to_dataset`.

    Attributes:
        synonyms: words that choose this path when several lead to the same dataset ("home" for a customer's branch).
        preferred: chosen when no word decides; the choice is then stated as an assumption.
        only_where: columns of `to_dataset` with the text that its row must have there, as the kind of a code; such a
            link is no path between datasets and serves only the field that is described by it.
        guessed_by: what stands for it where the database declares no such key: the name of its column, or that its
            values are among those of the key. None when it is declared, or when a person has said so.
    """

    name: str
    from_dataset: str
    from_columns: tuple[str, ...]
    to_dataset: str
    to_columns: tuple[str, ...]
    synonyms: tuple[str, ...] = ()
    preferred: bool = False
    only_where: tuple[tuple[str, str], ...] = ()
    guessed_by: GuessedBy | None = None


@dataclass(frozen=True)
class Step:
    """One relationship walked; `to_one` tells that it was walked from its many side."""

    relationship: Relationship
    to_one: bool

    @property
    def source(self) -> str:
        """Dataset the step leaves."""
        return self.relationship.from_dataset if self.to_one else self.relationship.to_dataset

    @property
    def target(self) -> str:
        """Dataset the step reaches."""
        return self.relationship.to_dataset if self.to_one else self.relationship.from_dataset

    @property
    def source_columns(self) -> tuple[str, ...]:
        """Columns of `source` that meet `target_columns`."""
        return self.relationship.from_columns if self.to_one else self.relationship.to_columns

    @property
    def target_columns(self) -> tuple[str, ...]:
        """Columns of `target` that meet `source_columns`."""
        return self.relationship.to_columns if self.to_one else self.relationship.from_columns


@dataclass(frozen=True)
class Metric:
    """A named figure.

    Attributes:
        expression: a scalar expression over aggregate calls, columns written `dataset.field`; each aggregate call stays
            within one dataset, the whole may combine several: `SUM(loans.outstanding) / SUM(accounts.balance)`.
        time_field: `dataset.field` that dates it, None for a figure as of now.
    """

    name: str
    expression: str
    label: str
    description: str = ""
    synonyms: tuple[str, ...] = ()
    unit: str | None = None
    time_field: str | None = None


@dataclass(frozen=True)
class VerifiedQuestion:
    """A question whose SQL a person has checked.

    Attributes:
        restatement: as it was understood; empty where nobody wrote it.
        intent: the structured question as `intent_to_text` writes it; empty where there is none.
        as_of: the day from which "last month" counted in it.
    """

    question: str
    sql: str
    restatement: str = ""
    intent: str = ""
    as_of: date | None = None


@dataclass(frozen=True)
class SemanticModel:
    """Everything the reader and the compiler know about one database.

    Attributes:
        currency: ISO code in which unmarked amounts are.
        fiscal_year_start_month: 1-12; April is 4.
        plain_year: what "this year" and "by quarter" are of where nobody says which year is meant.
        as_of: `dataset.field` that holds the data's own date, None when the data does not say.
        glossary: abbreviation or word in lower case → the phrase it stands for in a question.
        unseen: fields that are sensitive because their values could not be looked at.
    """

    name: str
    datasets: tuple[Dataset, ...]
    relationships: tuple[Relationship, ...] = ()
    metrics: tuple[Metric, ...] = ()
    description: str = ""
    instructions: str = ""
    currency: str | None = None
    fiscal_year_start_month: int = 4
    plain_year: Literal["calendar", "fiscal"] = "calendar"
    as_of: str | None = None
    verified_questions: tuple[VerifiedQuestion, ...] = ()
    inferred: bool = False
    glossary: Mapping[str, str] = field(default_factory=dict)
    unseen: tuple[str, ...] = ()

    @cached_property
    def _datasets_by_name(self) -> dict[str, Dataset]:
        return {item.name: item for item in self.datasets}

    @cached_property
    def _metrics_by_name(self) -> dict[str, Metric]:
        return {item.name: item for item in self.metrics}

    @cached_property
    def _relationships_by_dataset(self) -> dict[str, list[Relationship]]:
        touching: dict[str, list[Relationship]] = {item.name: [] for item in self.datasets}
        for item in (link for link in self.relationships if not link.only_where):
            for name in dict.fromkeys((item.from_dataset, item.to_dataset)):
                touching.setdefault(name, []).append(item)
        return touching

    @cached_property
    def _steps_by_dataset(self) -> dict[str, tuple[Step, ...]]:
        return {name: tuple(_steps(name, links)) for name, links in self._relationships_by_dataset.items()}

    @cached_property
    def _relationships_by_name(self) -> dict[str, Relationship]:
        return {item.name: item for item in self.relationships}

    @cached_property
    def _fields_by_label(self) -> Counter[str]:
        return Counter(item.label for dataset in self.datasets for item in dataset.fields)

    def fields_called(self, label: str) -> int:
        """Return how many fields of all datasets have this label."""
        return self._fields_by_label[label]

    def relationship(self, name: str) -> Relationship:
        """Return a relationship by exact name; KeyError when there is none."""
        return self._relationships_by_name[name]

    def relationships_of(self, dataset: str) -> tuple[Relationship, ...]:
        """Return the relationships that start or end at a dataset, in the model's order."""
        return tuple(self._relationships_by_dataset.get(dataset, ()))

    def steps_of(self, dataset: str) -> tuple[Step, ...]:
        """Return the steps that lead away from a dataset, in the model's order."""
        return self._steps_by_dataset.get(dataset, ())

    def dataset(self, name: str) -> Dataset:
        """Return a dataset by exact name; KeyError when there is none."""
        return self._datasets_by_name[name]

    def metric(self, name: str) -> Metric:
        """Return a metric by exact name; KeyError when there is none."""
        return self._metrics_by_name[name]


def _steps(dataset: str, relationships: Iterable[Relationship]) -> Iterator[Step]:
    for relationship in relationships:
        if relationship.from_dataset == dataset:
            yield Step(relationship, to_one=True)
        if relationship.to_dataset == dataset:
            yield Step(relationship, to_one=False)
