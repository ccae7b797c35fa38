"""What a structured question can hold is bounded at its edge, and whatever it holds compiles or is refused as such."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from ai_engine.errors import IntentNotCovered
from ai_engine.semantics.compiler import compile_intent
from ai_engine.semantics.intent import (
    AnyOf,
    Comparison,
    Condition,
    Dimension,
    FieldRef,
    Grain,
    Having,
    Intent,
    Measure,
    Membership,
    Operator,
    Order,
    Period,
    Transform,
    parts_of,
)
from ai_engine.semantics.model import Aggregate
from ai_engine.semantics.restatement import restate

from .bank import AS_OF, MODEL
from .intents import AMOUNT, BALANCE, by

DIALECTS = ("duckdb", "sqlite", "postgres", "mysql")


@pytest.mark.parametrize(
    ("part", "given_values", "said"),
    [
        ("quantile", (9e99, -0.1, 1.0001, float("nan"), float("inf")), "a percentile lies between 0 and 1"),
        ("shown_in", (0, -1, "-0.0", "1e-50", "NaN"), "above 0|digits|finite"),
        ("window", (-1, 0, 10**10), "a number of rows lies between 1 and 1,000,000,000"),
    ],
)
def test_a_measure_beyond_all_bounds_is_complained_about_in_words(part, given_values, said):
    for value in given_values:
        with pytest.raises(ValidationError, match=said):
            Measure(aggregate="sum", field=BALANCE.field, **{part: value})


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ({"limit": 0}, "lies between 1 and"),
        ({"skip": -1}, "lies between 0 and"),
        ({"filters": (("accounts", {"at_least": -1}),)}, "lies between 0 and"),
        ({"period": ("0001-01-01", "0002-01-01")}, "a period lies in the years 1000 to 9998"),
        ({"period": ("2026-01-01", "9999-12-31")}, "a period lies in the years 1000 to 9998"),
        ({"edges": (5, 5)}, "the edges of bands rise"),
        ({"edges": (7, 5)}, "the edges of bands rise"),
        ({"any_of": ()}, "one of several conditions has to be given"),
    ],
)
def test_a_question_beyond_all_bounds_is_complained_about_in_words(parts, said):
    with pytest.raises(ValidationError, match=said):
        if "period" in parts:
            start, end = map(date.fromisoformat, parts["period"])
            parts = {"period": Period(start=start, end=end, label="then")}
        if "filters" in parts:
            parts = {"filters": tuple(Membership(dataset=name, **more) for name, more in parts["filters"])}
        if "any_of" in parts:
            parts = {"filters": (AnyOf(filters=parts["any_of"]),)}
        if "edges" in parts:
            parts = {"dimensions": (by("accounts.balance", None, *parts["edges"]),)}
        Intent(measures=(BALANCE,), **parts)


def test_a_comparison_with_days_before_the_first_is_not_covered():
    for compare, start, end in (("previous_period", 1000, 9000), ("previous_period", 1000, 1999)):
        period = Period(start=date(start, 1, 1), end=date(end, 1, 1), label="very long")
        with pytest.raises(IntentNotCovered, match="no days as far back"):
            compile_intent(Intent(measures=(AMOUNT,), period=period, compare=compare), MODEL, "duckdb", AS_OF)


FIELDS = [(dataset.name, field.name) for dataset in MODEL.datasets for field in dataset.fields]
NAMES = st.sampled_from(FIELDS) | st.sampled_from([("accounts", "no such"), ("nowhere", "x"), ("branches", "balance")])
LINKS = {link.name for link in MODEL.relationships}
WAYS = st.sampled_from([(), (), (), *((link.name,) for link in MODEL.relationships), ("no such way",)])
DATASETS = st.sampled_from([*(dataset.name for dataset in MODEL.datasets), "nowhere"])
WHOLE = st.integers(-3, 12) | st.sampled_from([10**9, 10**9 + 1, 10**40, -(10**41), 2**63])
NUMBERS = st.one_of(
    WHOLE.map(Decimal), st.decimals(allow_nan=True, allow_infinity=True), st.sampled_from(["1e40", "1e-40", "0", "-0"])
)
DAYS = st.dates() | st.dates(date(2026, 1, 1), date(2026, 12, 31)) | st.sampled_from([date.min, date.max])
VALUES = st.one_of(st.booleans(), WHOLE, NUMBERS, DAYS, st.datetimes(), st.text(max_size=6))


def maybe(strategy):
    return st.none() | strategy


def few(strategy, most=2):
    return st.lists(strategy, max_size=most).map(tuple)


def literals(alias):
    return st.sampled_from(get_args(alias))


@st.composite
def refs(draw, since=True):
    dataset, field = draw(NAMES)
    grain = draw(maybe(literals(Grain))) if draw(st.booleans()) else None
    other = draw(refs(since=False)) if since and draw(st.integers(0, 5)) == 0 else None
    return FieldRef(dataset=dataset, field=field, via=draw(WAYS), grain=grain, since=other)


@st.composite
def measures(draw, depth=1):
    given_parts = {}
    kind = draw(st.sampled_from(["metric", "aggregate", "count", "anything"]))
    if kind in ("metric", "anything"):
        given_parts["metric"] = draw(st.sampled_from([*(metric.name for metric in MODEL.metrics), "no such"]))
    if kind in ("aggregate", "anything"):
        given_parts |= {"aggregate": draw(literals(Aggregate)), "field": draw(maybe(refs()))}
    if kind in ("count", "anything"):
        given_parts |= {"aggregate": "count", "dataset": draw(DATASETS)}
    rare = {
        "quantile": st.floats(),
        "weight": refs(),
        "percent": st.booleans(),
        "shown_in": NUMBERS,
        "transform": literals(Transform),
        "window": WHOLE,
        "label": st.text(max_size=5),
    }
    if depth:
        rare |= {"denominator": measures(0), "minus": measures(0), "filters": few(filters(0), 1)}
    chosen = draw(st.sets(st.sampled_from(sorted(rare)), max_size=3))
    return Measure(**given_parts, **{name: draw(rare[name]) for name in sorted(chosen)})


@st.composite
def filters(draw, depth=1):
    kind = draw(st.sampled_from(["condition", "condition", "membership", "any"])) if depth else "condition"
    if kind == "membership":
        bounds = {"at_least": draw(maybe(WHOLE)), "at_most": draw(maybe(WHOLE))}
        inside, via = draw(few(filters(0), 1)), draw(WAYS)
        return Membership(dataset=draw(DATASETS), negated=draw(st.booleans()), filters=inside, via=via, **bounds)
    if kind == "any":
        return AnyOf(filters=draw(few(filters(0), 3)))
    more = {"other": draw(refs()), "times": draw(maybe(NUMBERS))} if draw(st.integers(0, 4)) == 0 else {}
    if depth and draw(st.integers(0, 4)) == 0:
        more = {"versus": draw(measures(0))}
    return Condition(field=draw(refs()), operator=draw(literals(Operator)), values=draw(few(VALUES, 3)), **more)


@st.composite
def periods(draw):
    start, end = draw(maybe(DAYS)), draw(maybe(DAYS))
    return Period(start=start, end=end, label="then", field=draw(maybe(refs())), until=draw(maybe(DAYS)))


@st.composite
def intents(draw):
    """Any question; a part that cannot be made is left out, as its maker is told so."""
    rare = {
        "subject": DATASETS,
        "measures": few(measures()),
        "dimensions": few(st.builds(Dimension, field=refs(), edges=few(NUMBERS, 3))),
        "columns": few(refs()),
        "distinct": st.booleans(),
        "filters": few(filters()),
        "period": periods(),
        "compare": st.sampled_from(["previous_period", "same_period_last_year"]),
        "having": few(
            st.builds(
                Having,
                measure=measures(),
                operator=literals(Comparison),
                value=maybe(NUMBERS),
                versus=maybe(measures(0)),
            ),
            1,
        ),
        "order": few(st.builds(Order, measure=maybe(measures(0)), field=maybe(refs()), descending=st.booleans())),
        "limit": WHOLE,
        "skip": WHOLE,
        "limit_within": few(refs(), 1),
        "with_ties": st.booleans(),
        "fill_gaps": st.booleans(),
        "over_groups": st.sampled_from(["count", "sum", "avg", "min", "max"]),
    }
    parts = {}
    for name in draw(st.sets(st.sampled_from(sorted(rare)), min_size=1, max_size=7)) | {"measures", "dimensions"}:
        try:
            parts[name] = draw(rare[name])
            Intent(**parts)
        except ValidationError:
            parts.pop(name, None)
    return Intent(**parts)


def names_are_known(intent):
    refs, asked, related = (parts_of(intent, kind) for kind in (FieldRef, Measure, Membership))
    named = {intent.subject, *(part.dataset for part in (*asked, *related)), *(measure.metric for measure in asked)}
    ways = {way for part in (*refs, *related) for way in part.via}
    return not named & {"nowhere", "no such"} and ways <= LINKS and {(r.dataset, r.field) for r in refs} <= {*FIELDS}


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(intents(), st.sampled_from(DIALECTS))
def test_whatever_is_asked_compiles_or_is_not_covered(intent, dialect):
    try:
        draft = compile_intent(intent, MODEL, dialect, AS_OF)
    except IntentNotCovered:
        return
    assert draft.sql
    if names_are_known(intent):
        assert restate(intent, MODEL, AS_OF)


@pytest.mark.parametrize(
    ("counted_in", "told"),
    [("1E-40", f"times 1{'0' * 40}"), ("0.0166666666666666666667", "times 60"), ("1E+40", f"divided by 1{'0' * 40}")],
)
def test_the_smallest_number_that_a_figure_may_be_counted_in_is_told_as_the_largest_is(counted_in: str, told: str):
    intent = Intent(measures=(Measure(metric="deposits", shown_in=Decimal(counted_in)),))
    assert restate(intent, MODEL, AS_OF).endswith(told)
