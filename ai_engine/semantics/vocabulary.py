"""What a model may know of one database while it reads a question."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property

from ai_engine.catalogue import Catalogue, Column, Table
from ai_engine.semantics.date_spans import DateSpan
from ai_engine.semantics.intent import FieldRef
from ai_engine.semantics.model import SemanticModel
from ai_engine.semantics.values import ValueIndex


@dataclass(frozen=True)
class Vocabulary:
    """Fixed for a run.

    Attributes:
        catalogue: the tables and columns that exist.
        model: what they mean.
        values: the values found in them.
        as_of: the day from which "last month" counts.
        kept_back: table → columns of which nothing is read or told, in small letters; their fields are sensitive.
        spans: how far the dates of the data reach, by (dataset, field), as far as that is known.
    """

    catalogue: Catalogue
    model: SemanticModel
    values: ValueIndex
    as_of: date
    spans: Mapping[tuple[str, str], DateSpan] = field(default_factory=dict)
    kept_back: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def on(self, day: date | None) -> Vocabulary:
        """Return the vocabulary as of another day; as it is where none is named."""
        return self if day in (None, self.as_of) else replace(self, as_of=day)

    def told_columns(self, table: Table) -> tuple[Column, ...]:
        """Return a table's columns as they may be told: of one that is kept back its name and its kind.

        The type of an ENUM lists values, and what the bank wrote beside a column may name some.
        """
        closed = table.columns_among(self.kept_back)
        return tuple(
            replace(column, native_type="", comment="") if column.name.lower() in closed else column
            for column in table.columns
        )

    def span_of(self, ref: FieldRef | None) -> DateSpan | None:
        """Return how far a date reaches, None where that is not known."""
        return self.spans.get((ref.dataset, ref.field)) if ref is not None else None

    def ended_on(self, ref: FieldRef | None) -> date | None:
        """Return the last day that the rows of a date cover where they ended before the as-of day, else None.

        Where all data ended, rows that come seldom ended with it.
        """
        span = self.span_of(ref)
        if span is None or span.last > self.as_of:
            return None
        return span.ended_on(self.as_of) or self._all_ended_on

    @cached_property
    def _all_ended_on(self) -> date | None:
        past = [span for span in self.spans.values() if span.last <= self.as_of]
        ends = [span.ended_on(self.as_of) for span in past if span.last == max(item.last for item in past)]
        return max((end for end in ends if end is not None), default=None) if None not in ends else None

    def covered_until(self, ref: FieldRef | None) -> date | None:
        """Return the last day that the rows of a date cover; None where days to come are recorded or may be."""
        span = self.span_of(ref)
        if span is None:
            own = ref is not None and self.model.dataset(ref.dataset).default_time == ref.field
            return self.as_of if own else None
        return None if span.last > self.as_of else self.ended_on(ref) or self.as_of
