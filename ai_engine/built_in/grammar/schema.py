"""What constructions ask the schema: what belongs to what, by which way, and the figures that rows have."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta

from ai_engine.built_in.grammar.phrases import Bound, Cmp, Fig, Group, Rows
from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.meanings import Days
from ai_engine.semantics.intent import Condition, FieldRef, Filter, Measure
from ai_engine.semantics.join_paths import shares_a_parent
from ai_engine.semantics.model import Aggregate, Field, Relationship
from ai_engine.semantics.stored_counts import rows_kept_count_of

COMPARISONS = frozenset({"<", "<=", ">", ">=", "="})
_DAYS_BETWEEN_LENGTHS = 4  # of two months or quarters that follow each other


@dataclass(frozen=True)
class Schema:
    """One database's knowledge, as constructions see it."""

    knows: Knowledge

    # -- reach ---------------------------------------------------------------------------------------------------

    def up(self, start: str, end: str) -> int | None:
        """Steps from rows to the one row of another dataset that each belongs to; None where it belongs to none."""
        return 0 if start == end else self.knows.lexicon.reach.steps(start, end, to_many=False)

    def related(self, start: str, end: str) -> bool:
        """Tell whether rows have rows of another dataset, and do not merely share a parent with them."""
        if self.up(end, start) is not None:
            return True
        if self.knows.lexicon.reach.steps(start, end) is None:
            return False
        ways = self.knows.lexicon.reach.ways(start, end)
        return bool(ways) and not shares_a_parent(ways[0])

    def leads(self, start: str, via: tuple[str, ...]) -> bool:
        """Tell whether a named relationship can be walked from there to its one end."""
        return not via or self.up(start, self.knows.model.relationship(via[0]).from_dataset) is not None

    def optional(self, start: str, other: Rows) -> Relationship | None:
        """The relationship by which rows name one of the others, where a row may name none."""
        links = [
            link
            for link in self.knows.model.relationships_of(start)
            if (link.from_dataset, link.to_dataset) == (start, other.dataset) and other.via in {(), (link.name,)}
        ]
        missable = [link for link in links if self.knows.may_lack(FieldRef(dataset=start, field=link.from_columns[0]))]
        return missable[0] if len(links) == len(missable) == 1 else None

    def way_said(self, rows: Rows, end: str) -> tuple[str, ...]:
        """The way that a noun says leads from the rows to others: "incoming" payments to who received them."""
        link = self.knows.model.relationship(rows.via[0]) if len(rows.via) == 1 else None
        return rows.via if link is not None and (link.from_dataset, link.to_dataset) == (rows.dataset, end) else ()

    def has_parties(self, start: str, end: str) -> bool:
        """Tell whether rows name two of the others, who play different parts in them."""
        links = self.knows.model.relationships_of(start)
        return sum((link.from_dataset, link.to_dataset) == (start, end) for link in links) > 1

    def seen_from(self, owner: str, ref: FieldRef, base: str) -> FieldRef:
        """A field as the owner has it, where rows of the base would come to another: a customer's city."""
        if ref.via or ref.dataset in {owner, base} or self.up(owner, ref.dataset) is None:
            return ref
        way = self._last_step(owner, ref.dataset)
        return ref if way == self._last_step(base, ref.dataset) else ref.model_copy(update={"via": way})

    def _last_step(self, start: str, end: str) -> tuple[str, ...]:
        ways = self.knows.lexicon.reach.ways(start, end)
        return (ways[0][-1].relationship.name,) if ways and ways[0] else ()

    def reaches(self, base: str, fields: tuple[FieldRef, ...]) -> bool:
        """Tell whether each row has at most one value of every field."""
        return all(self.up(base, ref.dataset) is not None and self.leads(base, ref.via) for ref in fields)

    # -- fields and figures --------------------------------------------------------------------------------------

    def field(self, ref: FieldRef) -> Field:
        """The field behind a reference."""
        return self.knows.field(ref)

    def count(self, rows: Rows) -> Fig:
        """How many rows there are."""
        return Fig(Measure(aggregate="count", dataset=rows.dataset), rows)

    def main_figure(self, rows: Rows, aggregate: Aggregate = "sum") -> Fig | None:
        """The first amount of rows, aggregated."""
        field = self.knows.main_measure(rows.dataset, money_only=True)
        return Fig(Measure(aggregate=aggregate, field=field), rows) if field else None

    def kept_count(self, owner: str, counted: str) -> FieldRef | None:
        """A column of one dataset that keeps how many rows of another there are."""
        dataset = self.knows.dataset(owner)
        kept = [f for f in dataset.fields if rows_kept_count_of(self.knows.model, dataset, f) == counted]
        return FieldRef(dataset=owner, field=kept[0].name) if len(kept) == 1 and not kept[0].sensitive else None

    def dated(self, rows: Rows) -> FieldRef | None:
        """The date by which rows are narrowed."""
        return rows.dated or self.knows.time_field(rows.dataset)

    def date_of(self, fig: Fig) -> FieldRef | None:
        """The date of a figure, for steps of time."""
        if fig.rows.dated is not None:
            return fig.rows.dated
        if fig.core.metric is None:
            return self.knows.time_field(fig.rows.dataset)
        time = self.knows.model.metric(fig.core.metric).time_field
        if not time:
            return None
        dataset, name = time.split(".", 1)
        return FieldRef(dataset=dataset, field=name)

    def grouped_by(self, fig: Fig, group: Group) -> bool:
        """Tell whether each row of a figure belongs to at most one group."""
        if fig.over is not None and not self.grouped_by(fig.over, group) and fig.over.core.aggregate != "count":
            return False
        base = fig.rows.dataset
        if group.step is not None:
            return self.date_of(fig) is not None
        if group.thing == base and fig.core.aggregate in {"max", "min"}:
            return False  # each has its one
        target = group.field.dataset if group.field else str(group.thing)
        if self.many_to_many(fig, target):
            return not self.is_within(group, fig)
        via = group.field.via if group.field else group.via
        return self.up(base, target) is not None and self.leads(base, via)

    def many_to_many(self, fig: Fig, target: str) -> bool:
        """Tell whether things are counted that can belong to several groups: orders by product."""
        if fig.core.aggregate not in {"count", "count_distinct"} or fig.over is not None:
            return False
        return self.up(fig.rows.dataset, target) is None and self.related(fig.rows.dataset, target)

    def is_within(self, group: Group, fig: Fig) -> bool:
        """Tell whether a group is a single thing that belongs to what is counted: customers by account number."""
        named = group.field is None or self.field(group.field).role in {"name", "identifier"}
        target = group.field.dataset if group.field else group.thing
        return named and target is not None and (self.up(target, fig.rows.dataset) or 0) > 0

    def measure(self, fig: Fig, *, dropping: tuple[Filter, ...] = ()) -> Measure:
        """A figure with its own conditions inside."""
        filters = tuple(item for item in self.filters_of(fig.rows) if item not in dropping)
        found = fig.core.model_copy(update={"filters": (*fig.core.filters, *filters)})
        if fig.over is not None:
            over = self.measure(fig.over, dropping=dropping)
            found = found.model_copy(update={"denominator": over, "percent": fig.percent})
        if fig.less is not None:
            found = found.model_copy(update={"minus": self.measure(fig.less, dropping=dropping)})
        return found

    def filters_of(self, rows: Rows) -> tuple[Filter, ...]:
        """The conditions on rows with their period among them."""
        dated = self.dated(rows) if rows.period is not None else None
        return rows.filters if rows.period is None or dated is None else (*rows.filters, *in_days(rows.period, dated))


def in_days(days: Days, field: FieldRef) -> tuple[Filter, ...]:
    """A period as conditions on a date."""
    found = []
    if days.start is not None:
        found.append(Condition(field=field, operator=">=", values=(days.start,)))
    if days.end is not None:
        found.append(Condition(field=field, operator="<", values=(days.end,)))
    return tuple(found)


def bounds_of(fig: Fig, cmp: Cmp) -> tuple[Bound, ...]:
    """A figure of each group, compared; empty where that cannot be said."""
    if cmp.other or cmp.aggregate:
        return ()
    if cmp.fig is not None:
        return (Bound(fig, cmp.operator, versus=cmp.fig),) if cmp.operator in COMPARISONS else ()
    if cmp.operator == "between":
        low, high = (number.value for number in cmp.numbers)
        return (Bound(fig, ">=", low), Bound(fig, "<=", high))
    return (Bound(fig, cmp.operator, cmp.numbers[0].value),) if cmp.operator in COMPARISONS else ()


def next_to(first: Days, second: Days) -> str | None:
    """How one period precedes another: right before it, or a year earlier."""
    if first.start is None or first.end is None or second.start is None or second.end is None:
        return None
    lengths = abs((first.end - first.start) - (second.end - second.start))
    if second.end == first.start and lengths <= timedelta(days=_DAYS_BETWEEN_LENGTHS):
        return "previous_period"
    if _year_before(first.start) == second.start and _year_before(first.end) == second.end:
        return "same_period_last_year"
    return None


def _year_before(day: date) -> date:
    last = 28 if day.month == 2 else day.day
    return day.replace(year=day.year - 1, day=min(day.day, last))
