"""What a span of the question can mean."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Literal, TypeAlias

from ai_engine.semantics.intent import Grain
from ai_engine.types import Scalar

CueKind: TypeAlias = Literal[
    "aggregate",  # value: Aggregate
    "sign",  # value: "<" | ">"
    "ordinal",  # value: "2" and so on
    "superlative",  # value: "high" | "low" | "old" | "new" | "many" | "few"
    "limit",  # "top", "bottom": value "high" | "low"
    "compare",  # value: Operator
    "elapsed",  # "days between": value "to" where only the end is said, "within" before a number of days
    "older",  # "older than", "younger than": value operator on an age
    "group",  # by, per, for each
    "each",  # each, every: value None
    "wise",  # "-wise" after its noun
    "order",  # sorted by
    "direction",  # value: True when descending
    "not",
    "have",  # with, having, who made
    "same",  # "the same town", "a different town": value "=" | "!="
    "nobody",  # "nobody has joined", "bought nothing"
    "unused",
    "relative",  # who, which, that, whose
    "and",
    "or",
    "both",
    "list",  # show, list, give
    "what",  # what, which, who at the head
    "distinct",
    "share",  # percentage of, share of
    "change",  # growth, change: value "change" | "change_percent", and the step of time it is taken over
    "running",
    "ratio",
    "rate",  # "decline rate": the share of what the value before it describes
    "versus",  # compared with: value Comparison period or None
    "bands",  # "age group"
    "weekday",  # value: numbers of days, Monday 1
    "empty",  # missing, blank
    "amount",  # "amount of loans": their main figure
    "zeros",  # "including zeros": groups to which nothing belongs are shown
    "left_out",  # "dormant ones left out"
    "only",  # "with only savings accounts" excludes the rest; elsewhere it says nothing
    "unit",  # "in lakh": what the figures are counted in
    "ranked_by_harm",  # "worst first"
    "weak",  # "the number", said again: nothing of its own
    "who",  # asks for people
    "when",  # asks for a date
    "against",  # "UPI vs IMPS": one row each
    "rolling",  # moving average; value "sum", or "open" where the aggregate comes after the window
    "weighted",  # weighted average
    "percentile",  # value: the quantile
    "whatever",  # "whatever the status": named only to say that nothing is left out by it
    "included",  # "closed ones included"; value "before" where it stands before them: "including closed ones"
    "anybody",  # "everyone with a loan": people
    "filler",
    "stop",  # sentence end, comma
]


@dataclass(frozen=True, slots=True)
class Thing:
    """Rows of a dataset, and in which words they were said."""

    dataset: str
    via: tuple[str, ...] = ()
    said: str = field(default="", compare=False)

    @property
    def plural(self) -> bool:
        """Whether they were said in the plural."""
        return self.said.endswith("s")


@dataclass(frozen=True, slots=True)
class Attribute:
    """A field, seen at a grain where it is a time."""

    dataset: str
    field: str
    via: tuple[str, ...] = ()
    grain: Grain | None = None


@dataclass(frozen=True, slots=True)
class Figure:
    """A metric of the vocabulary."""

    metric: str


@dataclass(frozen=True, slots=True)
class Stored:
    """A value found in a field; `with_noun` when the words for it name its rows too ("savings accounts").

    `via` as in Thing: the way to its rows where it is said as which party, "to Ann Lee". `by_part` when one of its
    several words was said: "counter" for "Branch Counter".
    """

    dataset: str
    field: str
    value: Scalar
    with_noun: bool = False
    via: tuple[str, ...] = ()
    by_part: bool = False


@dataclass(frozen=True, slots=True)
class Number:
    """A number, with what was written around it.

    `unit` is "percent", "money", "days", "weeks", "months", "years" or one that names of figures end in, as "kg".
    """

    value: Decimal
    unit: str | None = None


@dataclass(frozen=True, slots=True)
class Days:
    """A stretch of days, `end` excluded; None leaves a side open.

    `moment` when the state at the end of a day is asked: "as on 31 March", "at the end of October". `each` is the
    length of the two periods that were named: "Q2 and Q3".
    """

    start: date | None
    end: date | None
    label: str
    moment: bool = False
    each: Grain | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """A step of time to group by: monthly, by year, per weekday."""

    grain: Grain
    adverb: bool = False


@dataclass(frozen=True, slots=True)
class Quote:
    """A text in quotation marks that is no known value."""

    text: str


@dataclass(frozen=True, slots=True)
class Cue:
    """A word that says how the others hang together."""

    kind: CueKind
    value: str | bool | None = None


@dataclass(frozen=True, slots=True)
class Unknown:
    """A word that means nothing here."""

    word: str


Meaning: TypeAlias = Thing | Attribute | Figure | Stored | Number | Days | Step | Quote | Cue | Unknown


@dataclass(frozen=True, slots=True)
class Candidate:
    """One meaning with the price of believing it; `note` is an assumption to state when it is believed."""

    meaning: Meaning
    cost: float
    note: str = ""


@dataclass(frozen=True, slots=True)
class Span:
    """Neighbouring tokens `start` up to but not including `end`, and everything they can mean together."""

    start: int
    end: int
    text: str
    candidates: tuple[Candidate, ...]


def dataset_of(candidate: Candidate) -> str | None:
    """The dataset that a candidate's meaning belongs to, None for one that belongs to none."""
    return dataset_of_meaning(candidate.meaning)


def dataset_of_meaning(meaning: Meaning) -> str | None:
    """The dataset that a meaning belongs to, None for one that belongs to none."""
    return getattr(meaning, "dataset", None)
