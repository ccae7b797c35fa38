"""Is everything that a structured question of a language model says also done by the statement it is compiled to?

The compiler takes from a part what has a meaning there; the restatement says all of it. What would be said and not
done is sent back to the model.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal

from ai_engine.semantics.intent import (
    Condition,
    Dimension,
    FieldRef,
    Having,
    Intent,
    Measure,
    Membership,
    Order,
    parts_of,
)
from ai_engine.semantics.model import Field
from ai_engine.semantics.spelled_days import stored_day
from ai_engine.semantics.vocabulary import Vocabulary
from ai_engine.semantics.wording import SCALES

_NUMBERS = frozenset({"integer", "decimal", "float"})
_OF_NUMBERS = frozenset({"sum", "avg", "stddev"})
_ONE_VALUE = frozenset({"<", "<=", ">", ">=", "starts with", "not starts with", "ends with", "not ends with"})
_NO_VALUE = frozenset({"is null", "is not null"})
_BETWEEN = 2


def unsound_parts(intent: Intent, vocabulary: Vocabulary) -> tuple[str, ...]:
    """Return what an intent says and no statement would do, each with a remedy.

    Args:
        intent: names and values settled.
        vocabulary: what the names mean.
    """

    def field_of(ref: FieldRef) -> Field:
        return vocabulary.model.dataset(ref.dataset).field(ref.field)

    found = list[tuple[bool, str]]()
    for ref in parts_of(intent, FieldRef):
        found += _of_field(ref, field_of(ref))
    for measure in parts_of(intent, Measure):
        found += _of_measure(measure, field_of)
    for condition in parts_of(intent, Condition):
        found += _of_condition(condition, field_of(condition.field))
    for dimension in parts_of(intent, Dimension):
        is_number = _is_number(dimension.field, field_of)
        found.append((bool(dimension.edges) and not is_number, "`edges` cut numbers only; leave them out"))
    for member in parts_of(intent, Membership):
        low, high = member.at_least, member.at_most
        found.append(
            (low is not None and high is not None and low > high, "`at_least` lies above `at_most`; swap them")
        )
    for having in parts_of(intent, Having):
        both = having.value is not None and having.versus is not None
        found.append((both, "`having` compares with `value` or with `versus`; give one"))
    for order in parts_of(intent, Order):
        both = order.measure is not None and order.field is not None
        found.append((both, "`order` is by a measure or by a field; write two of them for both"))
    found += _of_whole(intent)
    return tuple(dict.fromkeys(told for is_wrong, told in found if is_wrong))


def _of_field(ref: FieldRef, item: Field) -> list[tuple[bool, str]]:
    dated = item.role == "time" or item.type in {"date", "timestamp"} or stored_day(item.expression) is not None
    told = f"{ref.dataset}.{ref.field} is no date, so it has no grain and no days since; leave them out"
    return [((ref.grain is not None or ref.since is not None) and not dated, told)]


def _is_number(ref: FieldRef, field_of: Callable[[FieldRef], Field]) -> bool:
    return ref.grain is not None or ref.since is not None or field_of(ref).type in _NUMBERS


def _of_measure(one: Measure, field_of: Callable[[FieldRef], Field]) -> list[tuple[bool, str]]:
    texts = (
        one.field is not None
        and not _is_number(one.field, field_of)
        and field_of(one.field).role not in {"flag", "measure"}
    )
    scales = ", ".join(f"{scale} ({word})" for scale, word in SCALES.items())
    return [
        (one.shown_in is not None and one.shown_in not in map(Decimal, SCALES),
         f"`shown_in` is one of {scales}; leave it out, or divide by a `denominator`"),
        (one.weight is not None and (one.aggregate != "avg" or one.metric is not None),
         "`weight` goes with aggregate avg only; leave it out, or ask for an average"),
        (one.window is not None and one.transform not in {"rolling_average", "rolling_sum"},
         "`window` goes with rolling_average and rolling_sum only; leave it out, or name the transform"),
        (one.quantile is not None and (one.aggregate != "median" or one.metric is not None),
         "`quantile` goes with aggregate median only; leave it out, or write median"),
        (one.percent and one.denominator is None, "`percent` goes with a `denominator`; give one, or leave it out"),
        (one.aggregate in _OF_NUMBERS and texts and one.metric is None,
         f"aggregate {one.aggregate} is of numbers; take a field that is one, or count"),
    ]  # fmt: skip


def _of_condition(one: Condition, item: Field) -> list[tuple[bool, str]]:
    told, many = f"the condition on {one.field.field} with {one.operator!r}", len(one.values)
    against = [part for part in (one.other, one.versus) if part is not None]
    yes_or_no = any(isinstance(value, bool) for value in one.values)
    pairs = list(one.values) if one.operator == "between" and many == _BETWEEN else []
    return [
        (one.operator in _ONE_VALUE and many > 1, f"{told} takes one value; write one condition for each"),
        (one.operator in _NO_VALUE and bool(many or against), f"{told} takes no value; leave it out"),
        (one.operator == "between" and many != _BETWEEN, f"{told} takes two values, the lower one first"),
        (_is_falling(pairs), f"{told} takes the lower value first; swap them"),
        (len(against) + bool(many) > 1, f"{told} compares with values, `other` or `versus`; give one of them"),
        (one.times is not None and one.other is None, f"{told} has `times`, which multiplies `other`; leave it out"),
        (yes_or_no and item.type in {*_NUMBERS, "date", "timestamp"} and item.role != "flag",
         f"{told} takes values like those of the field, which is no yes or no"),
    ]  # fmt: skip


def _is_falling(pair: Sequence[object]) -> bool:
    try:
        return len(pair) == _BETWEEN and bool(pair[0] > pair[1])  # type: ignore[operator]
    except TypeError:
        return False


def _of_whole(intent: Intent) -> list[tuple[bool, str]]:
    groups, days = bool(intent.dimensions), intent.period
    turned = days is not None and days.start is not None and days.end is not None and days.start >= days.end
    return [
        (turned, "the period ends before it begins; `end` is the day after the last"),
        (bool(intent.measures and intent.columns), "`columns` list rows; leave them out beside measures, or group"),
        (bool(intent.measures) and intent.distinct, "`distinct` is of listed rows; use aggregate count_distinct"),
        (intent.fill_gaps and not groups, "`fill_gaps` goes with `dimensions`; leave it out, or group"),
        (bool(intent.skip) and intent.limit is None, "`skip` goes with `limit`; give both, or leave it out"),
        (intent.with_ties and intent.limit is None, "`with_ties` goes with `limit`; give both, or leave it out"),
        (bool(intent.measures and not groups and (intent.limit or intent.having)),
         "`limit` and `having` choose among groups; give `dimensions`, or leave them out"),
    ]  # fmt: skip
