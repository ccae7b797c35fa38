"""The parts of an intent in the words of one model."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, datetime
from decimal import Context, Decimal

from ai_engine.semantics.intent import (
    AnyOf,
    Condition,
    Dimension,
    FieldRef,
    Filter,
    Having,
    Measure,
    Membership,
    Order,
    Period,
    Transform,
    Value,
)
from ai_engine.semantics.model import Relationship, SemanticModel
from ai_engine.semantics.parties import is_agent, party_of
from ai_engine.semantics.period_words import covered_days, during, said_days
from ai_engine.semantics.stored_counts import rows_kept_count_of

GRAIN_WORDS: dict[str, str] = {
    "hour": "hour", "day": "day", "week": "week", "month": "month", "quarter": "quarter", "year": "year",
    "fiscal_quarter": "fiscal quarter", "fiscal_year": "fiscal year", "hour_of_day": "hour of day",
    "weekday": "weekday", "day_of_month": "day of month", "month_of_year": "month of year", "age_years": "age",
}  # fmt: skip
_AGGREGATE_WORDS = {
    "sum": "total", "avg": "average", "min": "lowest", "max": "highest", "median": "median",
    "stddev": "standard deviation of", "count": "number of known", "count_distinct": "number of distinct",
}  # fmt: skip
_DATE_AGGREGATE_WORDS = {"min": "earliest", "max": "latest"}
_TRANSFORM_WORDS = {
    "share_of_total": "share of {}", "running_total": "running total of {}", "change": "change in {}",
    "change_percent": "percent change in {}", "rank": "rank by {}", "rolling_average": "rolling average of {}",
    "rolling_sum": "rolling sum of {}",
}  # fmt: skip
_OPERATOR_WORDS = {
    "=": "is", "!=": "is not", "<": "is below", "<=": "is at most", ">": "is above", ">=": "is at least",
    "in": "is", "not in": "is not", "between": "is between", "is null": "is missing", "is not null": "is known",
    "contains": "contains", "not contains": "does not contain", "starts with": "starts with",
    "not starts with": "does not start with", "ends with": "ends with", "not ends with": "does not end with",
}  # fmt: skip
_DATE_OPERATOR_WORDS = {
    "<": "is before",
    "<=": "is on or before",
    ">": "is after",
    ">=": "is on or after",
    "=": "is on",
}
SCALES = {
    1_000: "thousand", 100_000: "lakh", 1_000_000: "million", 10_000_000: "crore", 1_000_000_000: "billion",
}  # fmt: skip
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_TEN_DIGITS = Context(prec=10)  # 60 for what was divided by a sixtieth
_INDIAN_SIZES = ((Decimal(10_000_000), "crore"), (Decimal(100_000), "lakh"))
_SIZES = ((Decimal(1_000_000_000), "billion"), (Decimal(1_000_000), "million"))
_PLAIN_WORDS = re.compile(r"(?!.*\b(?:or|and|is|by|showing|called)\b)[A-Za-z][\w .&/-]*")
_FEWEST_NAME_CHARS = 3

_BIRTH = re.compile(r"(?i)\b(birth|born)\b")
_CYCLE_WORDS = {
    "weekday": ("on a", ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")),
    "month_of_year": ("in", ("January", "February", "March", "April", "May", "June", "July", "August", "September",
                             "October", "November", "December")),
}  # fmt: skip
_OWN_PREPOSITION = re.compile(r"(?i)(since|until|till|from|between|before|after|up to|in|on|during|over)\b")


_ALIKE_IN_THE_PLURAL = frozenset("staff sheep deer reindeer fish cattle livestock poultry aircraft equipment".split())


def plural(noun: str) -> str:
    """Return the plural of an English noun by the regular rules; "staff" and one that ends in "s" already stay."""
    if noun.rpartition(" ")[2] in _ALIKE_IN_THE_PLURAL:
        return noun
    if noun.endswith("s") and not noun.endswith("ss"):
        return noun
    if re.search(r"(ss|x|z|ch|sh)$", noun):
        return f"{noun}es"
    if re.search(r"[^aeiou]y$", noun):
        return f"{noun[:-1]}ies"
    return f"{noun}s"


def ordinal(place: int) -> str:
    """Say a place in an order: "second", "11th"."""
    if place <= len(_ORDINALS):
        return _ORDINALS[place - 1]
    last = 0 if place % 100 in (11, 12, 13) else place % 10
    return f"{place}{('th', 'st', 'nd', 'rd')[last] if last <= 3 else 'th'}"


def scale_words(scale: Decimal) -> str:
    """Say what a figure is counted in: "lakh", "crore", else the number."""
    return SCALES.get(int(scale), _number(scale)) if scale == int(scale) else _number(scale)


def in_scale(scale: Decimal) -> str:
    """Say what becomes of a figure: "in lakh", "divided by 60", "times 1,000"."""
    if scale in SCALES:
        return f" in {scale_words(scale)}"
    return f" divided by {_number(scale)}" if scale > 1 else f" times {_number(_TEN_DIGITS.divide(1, scale))}"


def transformed(words: str, transform: Transform) -> str:
    """Say a figure after its transform: "share of total balance", "share of the number of customers"."""
    counts = transform == "share_of_total" and words.startswith("number of")
    return _TRANSFORM_WORDS[transform].format(f"the {words}" if counts else words)


class Words:
    """Says the parts of an intent in the words of one model."""

    def __init__(self, model: SemanticModel, *, spoken: bool = False) -> None:
        """Take the words of a model; `spoken` writes large numbers in lakh and crore, else in million and billion."""
        self.model = model
        self._spoken = spoken

    def _number(self, value: Decimal) -> str:
        """Write a number, a large one in words where that loses nothing."""
        if self._spoken:
            for size, word in _INDIAN_SIZES if self.model.currency == "INR" else _SIZES:
                scaled = value / size
                if abs(scaled) >= 1 and scaled == round(scaled, 2):
                    return f"{_number(scaled)} {word}"
        return _number(value)

    def _value(self, value: Value) -> str:
        if isinstance(value, bool) or not isinstance(value, (int, Decimal)):
            return _value(value)
        return self._number(Decimal(value))

    def _stored(self, ref: FieldRef, value: Value) -> str:
        """Say a stored code by the words that another table has for it, where no other code has the same."""
        found = self.model.dataset(ref.dataset).field(ref.field)
        if found.described_by is None or ref.grain is not None:
            return self._value(value)
        said = [meant[0] for meant in found.value_synonyms.values() if meant]
        own = next(iter(found.value_synonyms.get(str(value), ())), "")
        return self._value(own if said.count(own) == 1 else value)

    def field(self, ref: FieldRef) -> str:
        """Name a field; its dataset too where the label alone would be unclear."""
        if ref.since is not None:
            return f"days from {self.field(ref.since)} to {self.field(ref.model_copy(update={'since': None}))}"
        if ref.grain == "age_years" and self._is_the_age(ref):
            return f"age ({self._whose(ref.via)})" if ref.via else "age"
        dataset = self.model.dataset(ref.dataset)
        label = dataset.field(ref.field).label
        if self.model.fields_called(label) > 1 and not label.startswith(f"{dataset.label} "):
            label = f"{dataset.label} {label}"
        if len([item for item in dataset.fields if item.label == dataset.field(ref.field).label]) > 1:
            label = f"{label} [{ref.field}]"
        if rows_kept_count_of(self.model, dataset, dataset.field(ref.field)) is not None:
            label = f"stored {label}"  # counting the rows would be said in the same words
        if ref.grain is not None and not dataset.field(ref.field).is_year:
            label = f"{GRAIN_WORDS[ref.grain]} of {label}"
        return f"{label} ({self._whose(ref.via)})" if ref.via else label

    def _is_the_age(self, ref: FieldRef) -> bool:
        """Whether nothing else in the model could be meant by "age"."""
        fields = [(dataset.name, item) for dataset in self.model.datasets for item in dataset.fields]
        births = [(name, item.name) for name, item in fields if _BIRTH.search(item.label)]
        return births == [(ref.dataset, ref.field)] and all(item.label != "age" for _, item in fields)

    def way(self, via: Sequence[str]) -> str:
        """Say which relationships a field is reached by, or as which of two parties."""
        return self._role(via) or _by_way_of(via)

    def _whose(self, via: Sequence[str]) -> str:
        """Say whose field it is: "of the home branch" where the last step has a word of its own."""
        if told := self._role(via):
            return told
        last = self._link(via[-1:])
        if last is None or not last.synonyms:
            return _by_way_of(via)
        role, noun = last.synonyms[0], self.model.dataset(last.to_dataset).label
        return f"of the {role}" if noun in role else f"of the {role} {noun}"

    def _role(self, via: Sequence[str]) -> str:
        """Say as which of two parties, or of which code, one step leads; empty where it says neither."""
        link = self._link(via)
        if link is None:
            return ""
        role = next(iter(link.synonyms), "")
        if role and (party_of(role) or is_agent(role)):
            return f"as {role}"
        dataset, columns = self.model.dataset(link.from_dataset), link.from_columns
        coded = len(columns) == 1 and dataset.has(columns[0]) and dataset.field(columns[0]).role == "category"
        return f"of the {dataset.field(columns[0]).label}" if coded else ""

    def _link(self, via: Sequence[str]) -> Relationship | None:
        """Return the relationship that is the whole way, None where there are several or it is not known."""
        return next((item for item in self.model.relationships if [item.name] == list(via)), None)

    def dimension(self, item: Dimension) -> str:
        """Name what is grouped by, with the edges of its bands."""
        name = self.field(item.field)
        return f"{name} cut at {enumerated([_number(edge) for edge in item.edges])}" if item.edges else name

    def dimensions(self, items: Sequence[Dimension]) -> str:
        """Name all that is grouped by; a thing by its key and its names is said once: "branch"."""
        things = {field: item.field for item in items for field in self._named_with_key(item, items)}
        said = [self._thing(things[item.field]) if item.field in things else self.dimension(item) for item in items]
        return enumerated(list(dict.fromkeys(said)))

    def _named_with_key(self, item: Dimension, items: Sequence[Dimension]) -> tuple[FieldRef, ...]:
        """Return a thing's key and names where it is grouped by all of them, and nothing else is called like it."""
        ref, dataset = item.field, self.model.dataset(item.field.dataset)
        names = [name for name in dataset.display if dataset.has(name) and dataset.field(name).role == "name"]
        wanted = (ref, *(FieldRef(dataset=ref.dataset, field=name, via=ref.via) for name in names))
        is_key = (ref.field,) == dataset.primary_key and ref.grain is None and not item.edges
        twins = [other for other in self.model.datasets if other.label == dataset.label]
        alone = len(twins) == 1 and not self.model.fields_called(dataset.label)
        return wanted if is_key and names and alone and set(wanted) <= {other.field for other in items} else ()

    def _thing(self, ref: FieldRef) -> str:
        label = self.model.dataset(ref.dataset).label
        whose = self._whose(ref.via) if ref.via else ""
        if whose.startswith("of the ") and whose.endswith(f" {label}"):
            return whose.removeprefix("of the ")
        return f"{label} ({whose})" if whose else label

    def conditions(self, filters: Sequence[Filter]) -> list[str]:
        """Say filters with the words that lead to them: "where status is open", "with a loan"."""
        plain = self._bounded([item for item in filters if not isinstance(item, Membership)])
        members = [self.filter(item) for item in filters if isinstance(item, Membership)]
        text = [f"where {' and '.join(plain)}"] if plain else []
        return [*text, " and ".join(members)] if members else text

    def _bounded(self, filters: Sequence[Filter]) -> list[str]:
        """Say each filter; two that bound one date are the days between them: "opening date is in 2024"."""
        said, rest = [], list(filters)
        while rest:
            item = rest.pop(0)
            found = next(((other, days) for other in rest if (days := _bound_days(item, other))), None)
            if found is None or not isinstance(item, Condition):
                said.append(self.filter(item))
                continue
            rest.remove(found[0])
            covered = said_days(*found[1], self.model.fiscal_year_start_month)
            said.append(f"{self.field(item.field)} is {during(covered)}")
        return said

    def brief_conditions(self, filters: Sequence[Filter]) -> list[str]:
        """Say filters where there is little room: names that are demanded stand alone, "(ATM, Cash Withdrawal)"."""
        named = [item for item in filters if isinstance(item, Condition) and _demands_names(item)]
        values = [" or ".join(self._value(value) for value in item.values) for item in named]
        others = self.conditions([item for item in filters if item not in named])
        return [f"({', '.join(values)})", *others] if values else others

    def measure(self, item: Measure, *, named: bool = False) -> str:
        """Say a figure with all its parts; `named` adds the label it was given."""
        if _is_share_of_rows(item):
            return self._share_of_rows(item, named=named)
        words = self._aggregate(item)
        if item.weight is not None:
            words += f" weighted by {self.field(item.weight)}"
        if item.filters:
            words += f" ({' and '.join(self.conditions(item.filters))})"
        if item.minus is not None and item.denominator is not None:
            words = f"({words} minus {self._operand(item.minus)})"
        if item.denominator is not None:
            below = self._operand(item.denominator)
            words += f" as a percentage of {below}" if item.percent else f" divided by {below}"
        elif item.percent:
            words += " in percent"
        if item.minus is not None and item.denominator is None:
            words += f" minus {self._operand(item.minus)}"
        if item.shown_in is not None:
            words += in_scale(item.shown_in)
        if item.transform is not None:
            words = transformed(f"({words})" if item.minus else words, item.transform)
        if item.window is not None:
            words += f" over {item.window} rows"
        return f'{words} called "{item.label}"' if named and item.label else words

    def _share_of_rows(self, item: Measure, *, named: bool) -> str:
        """Say what part of a figure comes from some of its rows: "share of accounts where status is Dormant"."""
        whole = self._aggregate(item).removeprefix("number of ")
        words = f"share of {whole} {' and '.join(self.conditions(item.filters))}"
        return f'{words} called "{item.label}"' if named and item.label else words

    def _operand(self, item: Measure) -> str:
        words = self.measure(item)
        return f"({words})" if item.denominator or item.minus or item.transform else words

    def _aggregate(self, item: Measure) -> str:
        if item.metric is not None:
            label = self.model.metric(item.metric).label
            twins = [metric for metric in self.model.metrics if metric.label == label]
            return f"{label} [{item.metric}]" if len(twins) > 1 else label
        rows = plural(self.model.dataset(item.dataset).label) if item.dataset else ""
        if item.field is None:
            return f"number of {'distinct ' if item.aggregate == 'count_distinct' else ''}{rows}"
        found = self.model.dataset(item.field.dataset).field(item.field.field)
        aggregate = item.aggregate or found.default_aggregate or "sum"
        words = _AGGREGATE_WORDS[aggregate]
        if found.role == "time" and item.field.grain is None and item.field.since is None:
            words = _DATE_AGGREGATE_WORDS.get(aggregate, words)
        if item.quantile is not None:
            words = f"{item.quantile * 100:g}th percentile of"
        name = self.field(item.field)
        over = f" over {rows}" if rows and item.dataset != item.field.dataset else ""
        return f"{words} {plural(name) if aggregate in ('count', 'count_distinct') else name}{over}"

    def filter(self, item: Filter) -> str:
        """Say one condition, membership or choice of several."""
        if isinstance(item, AnyOf):
            return f"either ({' or '.join(self.filter(part) for part in item.filters)})"
        return self._membership(item) if isinstance(item, Membership) else self._condition(item)

    def _condition(self, item: Condition) -> str:
        name, words = self.field(item.field), _OPERATOR_WORDS[item.operator]
        if any(isinstance(value, date) for value in item.values):
            words = _DATE_OPERATOR_WORDS.get(item.operator, words)
        if item.other is not None:
            return f"{name} {words} {_times(item)}{self.field(item.other)}"
        if item.versus is not None:
            of_all = "" if item.versus.filters else " over all rows"
            of_all = f" over the rows with the same {self.field(item.alike)}" if item.alike else of_all
            return f"{name} {words} {_times(item)}the {self.measure(item.versus)}{of_all}"
        if item.field.grain in _CYCLE_WORDS and item.operator in ("=", "!=", "in", "not in"):
            link, names = _CYCLE_WORDS[item.field.grain]
            if all(isinstance(value, int) and 0 < value <= len(names) for value in item.values):
                found = " or ".join(names[int(str(value)) - 1] for value in item.values)
                return f"{self.field(item.field.model_copy(update={'grain': None}))} {words} {link} {found}"
        values = [self._stored(item.field, value) for value in item.values]
        link = " and " if item.operator == "between" else " or "
        return f"{name} {words} {link.join(values)}".rstrip()

    def _membership(self, item: Membership) -> str:
        rows = plural(self.model.dataset(item.dataset).label)
        bounds = [f"at least {item.at_least}"] if item.at_least is not None else []
        bounds += [f"at most {item.at_most}"] if item.at_most is not None else []
        count = f"exactly {item.at_least}" if item.at_least == item.at_most is not None else " and ".join(bounds)
        rows = self.model.dataset(item.dataset).label if bounds and bounds[-1].endswith(" 1") else rows
        text = f"with {count} {rows}" if count else f"with {rows}"
        if item.negated:
            text = f"not {text}" if count else f"without {rows}"
        text += f" {self.way(item.via)}" if item.via else ""
        return f"{text} (where {' and '.join(self._bounded(item.filters))})" if item.filters else text

    def period(self, item: Period) -> str:
        """Say a period by its label and the days of it that the data can cover, once where the label names them."""
        days = covered_days(item, self.model.fiscal_year_start_month) or "all days"
        text = item.label if item.label == days else f"{item.label} ({days})"
        text = text if _OWN_PREPOSITION.match(item.label) else f"for {text}"
        return f"{text} by {self.field(item.field)}" if item.field else text

    def having(self, item: Having, *, grouped: bool) -> str:
        """Say which groups stay, or which rows of a list where nothing is `grouped`."""
        return f"only {'groups' if grouped else 'those'} {self.whose(item)}"

    def whose(self, item: Having) -> str:
        """Say what is demanded of a group: "whose total balance is above 5"."""
        bound = "nothing" if item.value is None else self._number(item.value)
        if item.versus is not None:
            bound = f"{_times(item)}the overall {self.measure(item.versus)}"
        return f"whose {self.measure(item.measure)} {_OPERATOR_WORDS[item.operator]} {bound}"

    def order(self, item: Order) -> str:
        """Say what is sorted by, and which end comes first."""
        name = self.measure(item.measure) if item.measure else self.field(item.field) if item.field else "nothing"
        return f"sorted by {name}, {'highest' if item.descending else 'lowest'} first"


def _bound_days(first: Filter, second: Filter) -> tuple[date, date] | None:
    """Return the first day and the day after the last where two conditions bound the days of one field."""
    if not (isinstance(first, Condition) and isinstance(second, Condition) and first.field == second.field):
        return None
    if (first.operator, second.operator) != (">=", "<") or first.field.grain is not None:
        return None
    start, end = (one.values[0] if one.values else None for one in (first, second))
    if not (isinstance(start, date) and isinstance(end, date)) or datetime in {type(start), type(end)}:
        return None
    return start, end


def _demands_names(item: Condition) -> bool:
    """Whether a condition demands values that tell by themselves what they are; codes do not."""
    told = [isinstance(value, str) and len(value) >= _FEWEST_NAME_CHARS for value in item.values]
    return item.operator in ("=", "in") and item.field.grain is None and bool(told) and all(told)


def _is_share_of_rows(item: Measure) -> bool:
    """Whether a figure is divided by the same figure of all rows, as a percentage, and nothing more is done to it."""
    whole = {"filters": (), "denominator": None, "percent": False, "label": None}
    simple = (item.weight, item.minus, item.transform, item.window) == (None,) * 4
    return bool(item.percent and item.filters) and simple and item.denominator == item.model_copy(update=whole)


def _value(value: Value) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, datetime):
        return f"{day_words(value)} {value:%H:%M:%S}"
    if isinstance(value, date):
        return day_words(value)
    if isinstance(value, str):
        return value if _PLAIN_WORDS.fullmatch(value) and value not in ("yes", "no") else f'"{value}"'
    return _number(Decimal(value))


def _times(item: Condition | Having) -> str:
    """What of the other side it is compared with."""
    return f"{_number(item.times * 100)}% of " if item.times is not None else ""


def _number(value: Decimal) -> str:
    return f"{value.normalize():f}"


def day_words(day: date) -> str:
    """Write a day as "21 Nov 2026"."""
    return f"{day.day} {day:%b %Y}"


def enumerated(parts: Sequence[str]) -> str:
    """Join parts as "a, b and c"; nothing for no parts."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}" if parts else ""


def _by_way_of(via: Sequence[str]) -> str:
    return "by way of " + " then ".join(name.replace("_", " ") for name in via)
