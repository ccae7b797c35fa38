"""An intent said back in one plain sentence, and the names of its parts.

The sentence shows every part of the intent, so that two different questions never read the same.
"""

from __future__ import annotations

from datetime import date

from ai_engine.semantics.intent import Dimension, FieldRef, Filter, Intent, Measure, Membership, parts_of
from ai_engine.semantics.model import SemanticModel
from ai_engine.semantics.wording import GRAIN_WORDS, Words, day_words, enumerated, plural, transformed

COMPARE_WORDS = {
    "previous_period": "compared with the period before",
    "same_period_last_year": "compared with the same period a year earlier",
}
_TRANSFORM_STEMS = {
    "share_of_total": ("share", "percent", "%", "proportion"), "running_total": ("running", "cumulative", "to date"),
    "change": ("change", "growth", "difference"), "change_percent": ("change", "growth", "difference"),
    "rank": ("rank", "position"), "rolling_average": ("rolling", "moving"),
    "rolling_sum": ("rolling", "moving"),
}  # fmt: skip
_OVER_WORDS = {"sum": "Sum of", "avg": "Average of", "min": "Lowest", "max": "Highest"}


def dimension_label(dimension: Dimension, model: SemanticModel) -> str:
    """Head a dimension's column: "City", "Month", "Age band"."""
    ref = dimension.field
    words = GRAIN_WORDS[ref.grain] if ref.grain else model.dataset(ref.dataset).field(ref.field).label
    return _capital(f"{words} band" if dimension.edges else words)


def measure_label(measure: Measure, model: SemanticModel) -> str:
    """Head a measure's column: "Total balance", "Number of customers", "Share of total balance"."""
    label, transform = measure.label, measure.transform
    if label is None:
        return _capital(Words(model).measure(measure))
    if transform is None or any(stem in label.lower() for stem in _TRANSFORM_STEMS[transform]):
        return _capital(label)
    return _capital(transformed(label, transform))


def filter_label(item: Filter, model: SemanticModel) -> str:
    """Say one filter: "account type is Savings", "with no loans"."""
    return Words(model).filter(item)


def groups_label(intent: Intent, model: SemanticModel) -> str:
    """Name the groups of an intent as things: "branches", "different account types"."""
    return _groups(intent, Words(model))


def over_groups_label(intent: Intent, label: str, model: SemanticModel) -> str:
    """Head a figure taken over groups: "Average of number of accounts", "Share of deposits of the top 10 customers"."""
    over = f"{_OVER_WORDS[str(intent.over_groups)]} {label[:1].lower()}{label[1:]}"
    if intent.limit is None and not is_share_of_some(intent):
        return over
    top = f"top {intent.limit}" if intent.limit is not None and not intent.skip else "chosen"
    some = f"of the {top} {groups_label(intent, model).removeprefix('different ')}"
    said_already = intent.over_groups == "sum" or (intent.over_groups == "avg" and label.startswith("Average"))
    return f"{label if said_already else over} {some}"


def is_share_of_some(intent: Intent) -> bool:
    """The shares of some groups in all are added up."""
    return intent.over_groups == "sum" and all(item.transform == "share_of_total" for item in intent.measures)


def earlier_label(intent: Intent) -> tuple[str, str]:
    """Return how the columns of the period compared with end: in a column's name, and in its heading."""
    if intent.compare == "same_period_last_year":
        return "last_year", "a year earlier"
    return "before", "the period before"


def restate(intent: Intent, model: SemanticModel, as_of: date) -> str:
    """Say an intent in one sentence.

    Args:
        intent: the structured question.
        model: the words for its parts.
        as_of: the day at which ages are taken; said where an age occurs.
    """
    words = Words(model)
    parts = [_what(intent, words)]
    parts += words.conditions(intent.filters)
    parts += [words.period(intent.period)] if intent.period else []
    parts += [COMPARE_WORDS[intent.compare]] if intent.compare else []
    parts += [words.having(item, grouped=bool(intent.measures)) for item in intent.having if not intent.over_groups]
    parts += [words.order(item) for item in intent.order]
    parts += _limit(intent, words)
    along_time = any(item.field.grain for item in intent.dimensions)
    parts += [f"{'steps' if along_time else 'groups'} without data shown as zero"] if intent.fill_gaps else []
    if "age_years" in {ref.grain for ref in parts_of(intent, FieldRef)}:
        parts.append(f"ages as of {day_words(as_of)}")
    return _capital(", ".join(parts))


def _what(intent: Intent, words: Words) -> str:
    if intent.over_groups:
        return _over_groups(intent, words)
    return _figures(intent, words) if intent.measures else _list(intent, words)


def _over_groups(intent: Intent, words: Words) -> str:
    """Say what is asked about the groups, which ones, and what forms them where no condition does."""
    shown = [item for item in intent.measures if item not in [having.measure for having in intent.having]]
    whose = [words.whose(item) for item in intent.having]
    if intent.over_groups == "count":
        whose = [f"with a {words.measure(item)}" for item in shown] + whose
        text = f"number of {_groups(intent, words)}"
    else:
        figures = enumerated([words.measure(item, named=True) for item in intent.measures])
        text = f"{_OVER_WORDS[str(intent.over_groups)]} {figures} over {_groups(intent, words)}"
        if is_share_of_some(intent):
            text = f"{figures} of {_groups(intent, words)} taken together"
    text = f"{text} {' and '.join(whose)}" if whose else text
    return f"{text}{_for_subject(intent, words)}"


def _groups(intent: Intent, words: Words) -> str:
    dimension, ref = intent.dimensions[0], intent.dimensions[0].field
    dataset = words.model.dataset(ref.dataset)
    one_thing = (ref.field,) == dataset.primary_key and {item.field.dataset for item in intent.dimensions} == {
        ref.dataset
    }
    if (len(intent.dimensions) > 1 and not one_thing) or dimension.edges or ref.via:
        return f"groups by {words.dimensions(intent.dimensions)}"
    if ref.grain is None and (ref.field,) == dataset.primary_key:
        return plural(dataset.label)
    if ref.grain is None:
        return f"different {plural(words.dimension(dimension))}"
    grain = GRAIN_WORDS[ref.grain]
    return f"different {plural(grain)}{words.dimension(dimension).removeprefix(grain)}"


def _for_subject(intent: Intent, words: Words) -> str:
    if intent.subject is None or _says_its_subject(intent, words):
        return ""
    return f", for {plural(words.model.dataset(intent.subject).label)}"


def _figures(intent: Intent, words: Words) -> str:
    text = enumerated([words.measure(item, named=True) for item in intent.measures])
    if intent.dimensions:
        text += f" by {words.dimensions(intent.dimensions)}"
    if intent.columns:
        text += " showing " + enumerated([words.field(ref) for ref in intent.columns])
    text += _for_subject(intent, words)
    return f"distinct {text}" if intent.distinct else text


def _says_its_subject(intent: Intent, words: Words) -> bool:
    """Whether the dimensions name what the rows stand for ("by branch name"), and nothing is looked up by way of it.

    The subject decides which way leads to a third dataset and whose related rows are meant; with neither, it says
    nothing that the dimensions do not.
    """
    subject = words.model.dataset(intent.subject or "").label
    own = [words.dimension(item) for item in intent.dimensions if item.field.dataset == intent.subject]
    if not any(f"{name} ".startswith(f"{subject} ") for name in own) or parts_of(intent, Membership):
        return False
    bases = {item.dataset or (item.field.dataset if item.field else "") for item in parts_of(intent, Measure)}
    known = {intent.subject} | (bases if len(bases) == 1 else set())
    return {ref.dataset for ref in parts_of(intent, FieldRef)} <= known


def _list(intent: Intent, words: Words) -> str:
    base = intent.subject or next((ref.dataset for ref in intent.columns), "")
    rows = plural(words.model.dataset(base).label) if base else "nothing"
    text = f"distinct values of {rows}" if intent.distinct else f"list of {rows}"
    if intent.dimensions:
        text += f" by {words.dimensions(intent.dimensions)}"
    if intent.columns:
        text += " showing " + enumerated([words.field(ref) for ref in intent.columns])
    return text


def _limit(intent: Intent, words: Words) -> list[str]:
    within = words.dimensions([Dimension(field=ref) for ref in intent.limit_within])
    highest = any(order.descending for order in intent.order) or bool(intent.measures and not intent.order)
    text = [] if intent.limit is None else [f"{'top' if highest else 'first'} {intent.limit}"]
    if intent.limit is not None and intent.skip:
        text = [f"only number {intent.skip + 1} in this order"]
    text += [f"in each {within}"] if within else []
    text += ["with ties"] if intent.with_ties else []
    return [" ".join(text)] if text else []


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


__all__ = [
    "GRAIN_WORDS",
    "dimension_label",
    "earlier_label",
    "filter_label",
    "groups_label",
    "is_share_of_some",
    "measure_label",
    "over_groups_label",
    "plural",
    "restate",
]
