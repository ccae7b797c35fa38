"""What the rules of the reader ask the vocabulary: keys, defaults, directions of joins."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import cached_property, lru_cache

import sqlglot
from sqlglot import exp

from ai_engine.built_in.deeds import KindsByVerb, kinds_by_verb, told_by_participles
from ai_engine.built_in.lexicon import Lexicon
from ai_engine.built_in.meanings import Attribute, Number, Thing
from ai_engine.semantics.infer.events import tell_one_event, words_of_event
from ai_engine.semantics.intent import FieldRef, Grain, Measure, Value
from ai_engine.semantics.model import Aggregate, Dataset, Field, SemanticModel, days_between
from ai_engine.semantics.people import as_age, holds_people, is_birth_date
from ai_engine.semantics.values import StoredValue
from ai_engine.semantics.vocabulary import Vocabulary
from ai_engine.semantics.words import stem, words

_MAIN_AMOUNTS = ("amount", "balance", "principal", "value", "total", "price", "outstanding")
BESIDE_AMOUNTS = frozenset("discount rebate refund tax vat tip shipping surcharge".split())
"""What is taken off an amount or comes on top of it: an order of 25 is none with a discount of 25."""
_FAR = 9
LONG_NUMBER = 10**8  # nine digits: numbers of accounts and cards have as many, keys that a system counts hardly ever
_NUMBERS = ("number", "iban")

_PLAIN_METRIC = re.compile(r"(SUM|AVG|MIN|MAX)\((\w+)\.(\w+)\)", re.IGNORECASE)


@dataclass(frozen=True)
class Knowledge:
    """The vocabulary of one database, with the answers the rules need again and again kept at hand."""

    vocabulary: Vocabulary

    @property
    def model(self) -> SemanticModel:
        """The semantic model."""
        return self.vocabulary.model

    @property
    def as_of(self) -> date:
        """The day from which periods count."""
        return self.vocabulary.as_of

    @cached_property
    def holding_people(self) -> tuple[str, ...]:
        """The datasets whose rows are people."""
        return tuple(dataset.name for dataset in self.model.datasets if holds_people(dataset))

    @cached_property
    def lexicon(self) -> Lexicon:
        """Names and values by the words for them."""
        return Lexicon(self.model, self.vocabulary.values)

    @cached_property
    def kinds_by_verb(self) -> KindsByVerb:
        """Kinds of rows that have an amount, by the verb for what leaves them."""
        named = (dataset.name for dataset in self.model.datasets)
        amounts = {name for name in named if self.main_measure(name, money_only=True) is not None}
        return kinds_by_verb(self.model, self.vocabulary.values, amounts)

    @cached_property
    def participles(self) -> Mapping[str, tuple[FieldRef, ...]]:
        """Fields by the stem of the participle of those which have one: "rated"."""
        return told_by_participles(self.model, self.may_lack)

    def also_knowing(self, found: Iterable[StoredValue]) -> Knowledge:
        """The same knowledge with values that were looked up for one question."""
        knowing = copy(self)
        vars(knowing)["lexicon"] = self.lexicon.also_knowing(found)
        return knowing

    def distance(self, start: str, end: str) -> int:
        """Relationships to walk between two datasets; a large number when there is no way."""
        steps = self.lexicon.reach.steps(start, end)
        return _FAR if steps is None else steps

    def is_parent(self, dataset: str, parent: str) -> bool:
        """Tell whether each row of `dataset` belongs to at most one row of `parent`."""
        return dataset != parent and self.lexicon.reach.steps(dataset, parent, to_many=False) is not None

    def referring(self, dataset: str) -> tuple[str, ...]:
        """Other datasets whose rows point at a row of this one."""
        links = self.model.relationships_of(dataset)
        found = (link.from_dataset for link in links if link.to_dataset == dataset != link.from_dataset)
        return tuple(dict.fromkeys(found))

    def dataset(self, name: str) -> Dataset:
        """Return a dataset by name."""
        return self.model.dataset(name)

    def field(self, attribute: Attribute | FieldRef) -> Field:
        """Return the field behind an attribute; a date of birth seen as an age is a measure of years."""
        found = self.model.dataset(attribute.dataset).field(attribute.field)
        since = attribute.since if isinstance(attribute, FieldRef) else None
        if since is not None:
            return days_between(self.field(since), found)
        return as_age(found) if attribute.grain == "age_years" else found

    def entity_fields(self, thing: Thing) -> tuple[FieldRef, ...]:
        """Fields that stand for one row where things are grouped or listed: a unique name, else key and name."""
        dataset = self.dataset(thing.dataset)
        shown = tuple(name for name in dataset.display if dataset.has(name) and not dataset.field(name).sensitive)
        names = tuple(name for name in shown if dataset.field(name).role == "name") or shown[:1]
        if len(names) == 1 and (names in dataset.unique_keys or names == dataset.primary_key):
            chosen: tuple[str, ...] = names
        else:
            number = tuple(name for name in shown[:1] if (name,) in dataset.unique_keys)
            keys = filter(dataset.has, number or dataset.primary_key)
            chosen = tuple(dict.fromkeys((*keys, *names))) or (dataset.fields[0].name,)
        return tuple(FieldRef(dataset=thing.dataset, field=name, via=thing.via) for name in chosen)

    def naming_fields(self, thing: Thing) -> tuple[FieldRef, ...]:
        """Fields by which a person calls a row, its key only where it has no name."""
        fields = self.entity_fields(thing)
        return tuple(item for item in fields if self.field(item).role == "name") or fields

    def list_fields(self, dataset_name: str) -> tuple[FieldRef, ...]:
        """Fields that show a row of a list to a person, the key only where none of them is a name or a number."""
        dataset = self.dataset(dataset_name)
        telling = self._names_and_numbers(dataset)
        chosen = tuple(dict.fromkeys((*(() if telling else dataset.primary_key), *dataset.display))) or tuple(
            item.name for item in dataset.fields if not item.sensitive
        )
        return tuple(
            FieldRef(dataset=dataset_name, field=name)
            for name in chosen
            if dataset.has(name) and not dataset.field(name).sensitive
        )

    def telling_fields(self, thing: Thing) -> tuple[FieldRef, ...]:
        """Fields by which a list tells its rows apart, beside columns that were named."""
        names = self._names_and_numbers(self.dataset(thing.dataset))
        return tuple(FieldRef(dataset=thing.dataset, field=name, via=thing.via) for name in names) or (
            self.entity_fields(thing)
        )

    def _names_and_numbers(self, dataset: Dataset) -> tuple[str, ...]:
        """What a row is called, of the fields that show it."""
        links = self.model.relationships_of(dataset.name)
        others = {name for link in links if link.from_dataset == dataset.name for name in link.from_columns}
        shown = (dataset.field(name) for name in dataset.display if dataset.has(name) and name not in others)
        return tuple(item.name for item in shown if item.role in {"name", "identifier"} and not item.sensitive)

    def base(self, measure: Measure) -> str | None:
        """The dataset whose rows a figure is taken over; the first one where a metric combines several."""
        if measure.dataset or measure.field:
            return measure.dataset or (measure.field.dataset if measure.field else None)
        if measure.metric is None:
            return None
        expression = self.model.metric(measure.metric).expression
        named = _tables_of_first_call(expression)
        return next((name for name in named if not any(self.is_parent(other, name) for other in named)), None)

    def plain_figure(self, measure: Measure) -> tuple[Aggregate, FieldRef] | None:
        """The aggregate and field of a figure that is nothing more, a metric's too; None for any other figure."""
        if measure.metric is None:
            return (measure.aggregate or "sum", measure.field) if measure.field is not None else None
        plain = _PLAIN_METRIC.fullmatch(self.model.metric(measure.metric).expression)
        if plain is None:
            return None
        return plain[1].lower(), FieldRef(dataset=plain[2], field=plain[3])  # type: ignore[return-value]

    def adds_up(self, measure: Measure) -> bool:
        """Tell whether the figure of a whole is the sum of those of its parts: a count or a sum, a metric's too."""
        if measure.metric is None:
            return measure.aggregate in {"sum", "count"}
        return _is_sum(self.model.metric(measure.metric).expression)

    @cached_property
    def people(self) -> str | None:
        """The dataset of people, None unless there is exactly one."""
        found = self.holding_people
        return found[0] if len(found) == 1 else None

    def key(self, dataset_name: str) -> FieldRef | None:
        """The single-column key of a dataset, None when it has none."""
        dataset = self.dataset(dataset_name)
        if len(dataset.primary_key) != 1 or not dataset.has(dataset.primary_key[0]):
            return None
        return FieldRef(dataset=dataset_name, field=dataset.primary_key[0])

    def numbered_by(self, dataset_name: str, number: Decimal) -> FieldRef | None:
        """What a number behind the noun tells its row by: the key, or of a long one a number that is kept back."""
        kept = self.kept_number(dataset_name) if number >= LONG_NUMBER else None
        return kept or self.key(dataset_name)

    def kept_number(self, dataset_name: str) -> FieldRef | None:
        """The number by which people outside know a row, where it is kept back: of an account, a card, a customer."""
        for item in self.dataset(dataset_name).fields:
            if item.sensitive and item.role in {"identifier", "text"} and item.label.endswith(_NUMBERS):
                return FieldRef(dataset=dataset_name, field=item.name)
        return None

    def main_measure(self, dataset_name: str, *, money_only: bool = False) -> FieldRef | None:
        """The figure meant by "loans over 5 lakh" or "largest loan": the first amount of the dataset.

        `money_only` leaves out figures that are not said to be an amount.
        """
        of = set(words(self.dataset(dataset_name).label))
        measures = [
            item
            for item in self.dataset(dataset_name).fields
            if item.role == "measure" and not (BESIDE_AMOUNTS - of).intersection(words(item.label))
        ]
        if money_only:
            measures = [item for item in measures if _amount_rank(item) < len(_MAIN_AMOUNTS)]
        deed = words_of_event(words(self.dataset(dataset_name).label))  # a settlement's amount is the one settled
        measures.sort(key=lambda item: (_amount_rank(item), deed.isdisjoint(words(item.label))))
        return FieldRef(dataset=dataset_name, field=measures[0].name) if measures else None

    def time_field(self, dataset_name: str) -> FieldRef | None:
        """The date that dates a row of the dataset."""
        dataset = self.dataset(dataset_name)
        return FieldRef(dataset=dataset_name, field=dataset.default_time) if dataset.default_time else None

    def date_of_figure(self, figure: FieldRef) -> FieldRef | None:
        """The date of the event that a figure is called after: the sanctioned amount is of the day of sanction."""
        item = self.field(figure)
        own = [
            field.name
            for field in self.dataset(figure.dataset).fields
            if field.role == "time" and tell_one_event(words(item.label), words(field.label))
        ]
        return FieldRef(dataset=figure.dataset, field=own[0]) if item.role == "measure" and len(own) == 1 else None

    def birth_field(self, dataset_name: str) -> FieldRef | None:
        """The date of birth of the people a dataset holds."""
        for item in self.dataset(dataset_name).fields:
            if is_birth_date(item):
                return FieldRef(dataset=dataset_name, field=item.name)
        return None

    def age_field(self, dataset_name: str) -> FieldRef | None:
        """Age in years: a stored column, or the date of birth seen as an age."""
        for item in self.dataset(dataset_name).fields:
            if item.role == "measure" and "age" in words(item.label):
                return FieldRef(dataset=dataset_name, field=item.name)
        born = self.birth_field(dataset_name)
        return born.model_copy(update={"grain": "age_years"}) if born else None

    def may_lack(self, place: FieldRef) -> bool:
        """Tell whether rows may be without a value of a field, as the database declares its column."""
        table = self.vocabulary.catalogue.table(self.dataset(place.dataset).table_name)
        column = table.column(self.field(place).expression) if table is not None else None
        return column is not None and column.nullable

    def flag_value(self, attribute: Attribute, *, yes: bool) -> Value:
        """What a yes-or-no field stores for yes or for no."""
        item = self.field(attribute)
        if item.type == "boolean":
            return yes
        if item.type == "integer":
            return int(yes)
        known = self.vocabulary.values.values_of(attribute.dataset, attribute.field)
        wanted = ("y", "yes", "true", "t", "1") if yes else ("n", "no", "false", "f", "0")
        stored = [value for value in (known.values if known else ()) if str(value).lower() in wanted]
        return str(stored[0]) if stored else ("Y" if yes else "N")

    def typed(self, ref: FieldRef, number: Number | Decimal) -> Value:
        """A number as the field stores it: digits where the column holds text."""
        value = number.value if isinstance(number, Number) else number
        if ref.grain is None and self.field(ref).type == "text":
            return f"{value:f}"
        return int(value) if value == value.to_integral_value() else value


@lru_cache(maxsize=4_096)
def _tables_of_first_call(expression: str) -> tuple[str, ...]:
    calls = sorted(sqlglot.parse_one(expression).find_all(exp.AggFunc), key=lambda call: expression.find(call.sql()))
    named = (
        tuple(dict.fromkeys(column.table for column in call.find_all(exp.Column) if column.table)) for call in calls
    )
    return next((tables for tables in named if tables), ())


def _amount_rank(item: Field) -> int:
    said = {stem(word) for word in words(item.label)}
    return next((i for i, word in enumerate(_MAIN_AMOUNTS) if stem(word) in said), len(_MAIN_AMOUNTS))


@lru_cache(maxsize=1024)
def _is_sum(expression: str) -> bool:
    return isinstance(sqlglot.parse_one(expression), exp.Sum | exp.Count)


def ref(attribute: Attribute, grain: Grain | None = None) -> FieldRef:
    """Return an attribute as the structured question names it."""
    return FieldRef(dataset=attribute.dataset, field=attribute.field, via=attribute.via, grain=grain or attribute.grain)
