"""What constructions ask the schema: what belongs to what, by which way, and the figures that rows have."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ai_engine.built_in.grammar.days_in_conditions import in_days
from ai_engine.built_in.grammar.phrases import Fig, Group, Rows
from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.meanings import Stored
from ai_engine.built_in.role_verbs import is_steward
from ai_engine.built_in.states import amount_called_after, day_of_figure, day_of_state, lacks_some, states_of
from ai_engine.built_in.stocks import date_of_whole, says
from ai_engine.semantics.intent import Condition, FieldRef, Filter, Measure
from ai_engine.semantics.join_paths import shares_a_parent
from ai_engine.semantics.model import Aggregate, Field, Relationship
from ai_engine.semantics.names import singular
from ai_engine.semantics.stored_counts import rows_kept_count_of
from ai_engine.semantics.words import stem, words

COMPARISONS = frozenset({"<", "<=", ">", ">=", "="})
_STATE_FIELDS = frozenset(map(stem, ("status", "state", "stage")))
_NO_MONEY = frozenset({"count", "percent", "fraction", "days", "weeks", "months", "years"})
_KINDS_OF_PRODUCTS = frozenset({"card", "account", "product", "loan"})  # debit and credit cards
_PLACES = frozenset("city town district region state country province county zone area village".split())
_MONEY_NOUNS = frozenset(
    "fee deposit balance payment repayment collection charge premium salary interest commission disbursement disbursal "
    "payout withdrawal remittance income expense revenue dividend penalty refund expenditure tax saving savings".split()
)
_PLAIN_MONEY = frozenset(
    "fee charge premium salary interest commission income expense revenue dividend penalty expenditure tax".split()
)
_AMOUNTS = frozenset({"price", "weight", "duration"})


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

    def linking(self, start: str, end: str) -> tuple[str, ...]:
        """Datasets with a date whose rows each belong to one row of both: the sales between buyers and goods."""
        names = (item.name for item in self.knows.model.datasets if item.name not in {start, end})
        both = (name for name in names if self.up(name, start) == 1 and self.up(name, end) is not None)
        return tuple(name for name in both if self.dated(Rows(name)) is not None)

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

    def is_of_staff(self, base: str, ref: FieldRef) -> bool:
        """Tell whether a place is that of whoever looks after rows, where they also have a place of their own."""
        if base == ref.dataset or not is_steward(self.knows.dataset(ref.dataset).label):
            return False
        said = words(self.field(ref).label)[-1:]
        others = (item for item in self.knows.model.datasets if item.name != ref.dataset and not is_steward(item.label))
        near = [item for item in others if self.up(base, item.name) is not None]
        return any(_PLACES.intersection(said) and words(item.label)[-1:] == said for one in near for item in one.fields)

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

    def due_day(self, dataset: str) -> FieldRef | None:
        """The day on which something is due, where rows keep one."""
        days = (item for item in self.knows.dataset(dataset).fields if item.role == "time" and not item.sensitive)
        due = [item.name for item in days if "due" in words(item.label)]
        return FieldRef(dataset=dataset, field=due[0]) if len(due) == 1 else None

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
        field = self.main_amount(rows, money_only=True)
        return Fig(Measure(aggregate=aggregate, field=field), rows, unnamed=True) if field else None

    def with_its_amount(self, fig: Fig) -> tuple[Fig, tuple[str, ...]]:
        """A figure whose amount nobody named, of its rows as they were said in the end, and what was assumed.

        The approved amount of "approved limits" is that of all which have one: they may have come farther since.
        """
        amount = self.main_amount(fig.rows, money_only=True) if fig.unnamed else None
        if amount is None:
            return fig, ()
        label, rows = self.field(amount).label, fig.rows
        notes: tuple[str, ...] = (f"The amount is the {label}.",)
        states = states_of(rows.dataset, rows.filters, self.knows) if lacks_some(amount, self.knows) else ()
        for item in states if len(states) == 1 else ():
            if amount_called_after(rows.dataset, states, None, self.knows) == amount:
                known = Condition(field=amount, operator="is not null")
                notes = (*notes, f"“{item.values[0]}” was read as: the {label} is known.")
                rows = replace(rows, filters=tuple(known if one == item else one for one in rows.filters))
        return replace(fig, core=fig.core.model_copy(update={"field": amount}), rows=rows), notes

    def main_amount(self, rows: Rows, *, money_only: bool = False) -> FieldRef | None:
        """The amount meant by "largest loan"; the amount of an order line is none of an order, called so elsewhere."""
        others = (each for each in self.knows.model.datasets if each.name != rows.dataset)
        if rows.said and any(words(each.label) == tuple(map(singular, words(rows.said))) for each in others):
            return None
        called = amount_called_after(rows.dataset, rows.filters, rows.dated, self.knows)
        return called or self.knows.main_measure(rows.dataset, money_only=money_only)

    def are_money(self, rows: Rows, *, plainly: bool = False) -> bool:
        """Tell whether rows are amounts by their noun or by the value that stands for it: "total fees".

        `plainly` where nobody would count them, as payments and deposits may be.
        """
        nouns = _PLAIN_MONEY if plainly else _MONEY_NOUNS
        said = [rows.said or self.knows.dataset(rows.dataset).label] if rows.named else []
        for item in rows.filters if not rows.named else ():
            said += map(str, item.values) if isinstance(item, Condition) else ()
        return any(nouns.intersection(map(singular, words(name)[-1:])) for name in said)

    def went_out(self, dataset: str) -> Condition | None:
        """The condition that rows are debits, where one column says debit or credit of each."""
        debits, credits = (self._held(dataset, word) for word in ("debit", "credit"))
        sides = [place for place in debits if place in credits]
        if len(sides) != 1 or not _KINDS_OF_PRODUCTS.isdisjoint(words(self.field(sides[0]).label)):
            return None
        return Condition(field=sides[0], operator="=", values=(debits[sides[0]],))

    def _held(self, dataset: str, word: str) -> dict[FieldRef, str]:
        found = (item.meaning for item in self.knows.lexicon.stored((word,)))
        held = (item for item in found if isinstance(item, Stored) and item.dataset == dataset and not item.via)
        return {FieldRef(dataset=item.dataset, field=item.field): str(item.value) for item in held}

    def is_state_of_others(self, state: FieldRef, rows: Rows) -> bool:
        """ "pending cases", where cases have a state of their own: customers are pending, and nobody spoke of them."""
        if not self.up(rows.dataset, state.dataset) or not says_state(self.field(state).label):
            return False
        return any(says_state(item.label) for item in self.knows.dataset(rows.dataset).fields)

    def is_money(self, fig: Fig) -> bool:
        """Tell whether a figure may be counted in lakhs: an amount, and no number of rows or percentage."""
        if fig.percent or fig.over is not None:
            return False
        if fig.core.metric is not None:
            return self.knows.model.metric(fig.core.metric).unit not in _NO_MONEY
        item = self.field(fig.core.field) if fig.core.field is not None else None
        counted = fig.core.aggregate in {"count", "count_distinct"}
        return not counted and item is not None and item.role == "measure" and item.unit not in _NO_MONEY

    def may_be_added(self, field: FieldRef) -> bool:
        """Tell whether a total may be asked for, also of what is averaged where nobody says so: a price, a weight."""
        item = self.field(field)
        return item.default_aggregate in {None, "sum"} or not _AMOUNTS.isdisjoint(words(item.label))

    def kept_count(self, owner: str, counted: str) -> FieldRef | None:
        """A column of one dataset that keeps how many rows of another there are."""
        dataset = self.knows.dataset(owner)
        kept = [f for f in dataset.fields if rows_kept_count_of(self.knows.model, dataset, f) == counted]
        return FieldRef(dataset=owner, field=kept[0].name) if len(kept) == 1 and not kept[0].sensitive else None

    def dated(self, rows: Rows) -> FieldRef | None:
        """The date by which rows are narrowed: that of the state they are in, where they keep it."""
        states = (item for item in rows.filters if isinstance(item, Condition) and item.field.dataset == rows.dataset)
        came = (day for item in states if not item.field.via and (day := day_of_state(item, self.knows)))
        own = rows.dated or next(came, None) or self.knows.time_field(rows.dataset)
        return own or date_of_whole(rows.dataset, self.knows)

    def date_of(self, fig: Fig) -> FieldRef | None:
        """The date of a figure, for steps of time."""
        if fig.rows.dated is not None:
            return fig.rows.dated
        if fig.core.metric is None:
            field = fig.core.field if fig.core.aggregate != "count" else None
            own = day_of_figure(field, self.knows) if field else None
            return own or self.dated(fig.rows)
        time = self.knows.model.metric(fig.core.metric).time_field
        if not time:
            plain = self.knows.plain_figure(fig.core)
            kept = any(
                s.snapshot_time and self.knows.is_parent(s.name, fig.rows.dataset) for s in self.knows.model.datasets
            )
            return (
                self.date_of(replace(fig, core=Measure(aggregate=plain[0], field=plain[1]))) if plain and kept else None
            )
        dataset, name = time.split(".", 1)
        return FieldRef(dataset=dataset, field=name)

    def grouped_by(self, fig: Fig, group: Group) -> bool:
        """Tell whether each row of a figure belongs to at most one group."""
        if fig.over is not None and not self.grouped_by(fig.over, group) and fig.over.core.aggregate != "count":
            return False
        base = fig.rows.dataset
        if group.step is not None:
            return self.date_of(fig) is not None
        if group.thing == base and fig.core.aggregate in {"max", "min", "avg", "median"}:
            return False  # each has its one
        if group.thing is not None and self._has_one_below(fig, group.thing):
            return False
        target = group.field.dataset if group.field else str(group.thing)
        if self.many_to_many(fig, target):
            return not self.is_within(group, fig)
        via = group.field.via if group.field else group.via
        return self.up(base, target) is not None and self.leads(base, via)

    def _has_one_below(self, fig: Fig, thing: str) -> bool:
        """Tell whether each thing has just one of what a figure is divided by: loans per branch, of a customer."""
        over = fig.over
        if over is None or fig.part or over.core.aggregate != "count" or over.rows.dataset == fig.rows.dataset:
            return False
        return self.up(thing, over.rows.dataset) is not None

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


def says_state(label: str) -> bool:
    """Tell whether a column is called the state of its rows."""
    return says(label, _STATE_FIELDS)
