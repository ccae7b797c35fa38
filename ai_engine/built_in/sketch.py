"""What a walk over the question gathers before it becomes a structured question."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal, TypeAlias, TypeVar

from ai_engine.built_in.knowledge import Knowledge
from ai_engine.built_in.meanings import Attribute, Cue, CueKind, Days, Meaning, Number, Step, Stored, Thing
from ai_engine.semantics.intent import (
    AnyOf,
    Comparison,
    Condition,
    FieldRef,
    Filter,
    Grain,
    Having,
    Measure,
    Membership,
    Transform,
)
from ai_engine.semantics.model import Aggregate

_M = TypeVar("_M")


@dataclass(frozen=True, slots=True)
class Item:
    """One span with the meaning that this reading gives it.

    `apart` when a word without meaning stands before it, `indefinite` when that is "a" or "any", `among` when it tells
    of which rows something is a part, `of_them` when it is "them" or "those", `of_all` behind "all" or "all their".
    `with_field` for a value that was said together with its field: "status closed".
    """

    text: str
    meaning: Meaning
    apart: bool = False
    indefinite: bool = False
    among: bool = False
    of_them: bool = False
    with_field: bool = False
    of_all: bool = False

    @property
    def is_plural(self) -> bool:
        """Whether it was said as several: "balances"."""
        return self.text.lower().endswith("s")


@dataclass(slots=True)
class Pending:
    """Aggregates that were said and wait for what they apply to.

    `of_amount`: "total value of", whose thing means its main figure. `implied`: "percentage of", which counts things
    and leaves figures their own aggregate.
    """

    aggregates: tuple[Aggregate, ...]
    distinct: bool
    text: str
    of_amount: bool = False
    quantile: float | None = None
    implied: bool = False


@dataclass(slots=True)
class Superlative:
    """A superlative that was said and waits for what it ranks."""

    kind: Literal["high", "low", "old", "new", "many", "few"]
    limit: int | None
    text: str
    skip: int = 0

    @property
    def descending(self) -> bool:
        """Largest, latest or most first."""
        return self.kind in {"high", "new", "many"}


@dataclass(slots=True)
class OrderWish:
    """What to sort by; `one_row` where a single row is meant and never a sum of several: "the largest loan"."""

    measure: Measure | None = None
    field: FieldRef | None = None
    descending: bool = False
    one_row: bool = False


@dataclass(frozen=True, slots=True)
class Place:
    """How much was said of which rows count, up to some word."""

    filters: int
    is_dated: bool


GroupTarget: TypeAlias = Attribute | Thing | Step


@dataclass
class Sketch:
    """Everything gathered; `things` leaves out those that only stand inside a membership."""

    things: list[Thing] = field(default_factory=list)
    owners: list[Thing] = field(default_factory=list)  # said only to tell whose: "by the customer's home branch"
    measures: list[Measure] = field(default_factory=list)
    groups: list[GroupTarget] = field(default_factory=list)
    attributes: list[Attribute] = field(default_factory=list)
    filters: list[Filter] = field(default_factory=list)
    havings: list[Having] = field(default_factory=list)
    period: Days | None = None
    period_field: FieldRef | None = None
    dated_by_verb: FieldRef | None = None  # "balance of accounts opened in 2025"
    other_period: Days | None = None  # what the period is held against, where the two are no neighbours
    counted_by: FieldRef | None = None  # "how many customers joined": rows counted, and dated by that
    keeps_empty: Literal["said", "meant"] | None = (
        None  # "each region with its number of blocked cards": also where there is none
    )
    within: list[Attribute | Thing] = field(default_factory=list)  # "top 3 in each region"
    orders: list[OrderWish] = field(default_factory=list)
    total_ranks: bool = False  # "the highest total of instalments": of their amount where that is shown
    limit: int | None = None
    skip: int = 0
    limit_descending: bool | None = None
    asks_list: bool = False
    asks_what: bool = False
    asks_when: bool = False
    listed_first: Thing | None = None  # "loans with their customers' names" lists the loans
    asked_first: Thing | None = None  # "who owns the account, and what is its balance": shown beside the second
    shown_with: Thing | None = None  # "customers with their total balance": each with its figure
    rows_listed: str | None = None  # "the largest loan - who" lists the loan, showing who took it
    after_ranking: list[Attribute] = field(default_factory=list)  # "10 customers with the highest ... with their city"
    beside: list[Thing] = field(default_factory=list)  # "with account number and branch": shown by what names them
    each_groups: list[Attribute | Thing] = field(default_factory=list)  # "for every state, the city with the highest"
    each_step: bool = False  # "the largest payment in each month"
    per_each: bool = False  # "average number of accounts per customer"
    weighted: bool = False
    extreme: bool = False  # "lowest credit score among customers" asks for the figure
    one_row_each: bool = False  # "compare Mumbai and Delhi"
    window: int | None = None
    distinct: bool = False
    transform: Transform | None = None
    ranked_by_change: bool | None = None  # "grew the most": whether the largest change comes first
    step: Grain | None = None  # "month over month growth" goes by months
    bands: dict[FieldRef, tuple[Decimal, ...]] = field(default_factory=dict)
    happened: list[Attribute] = field(default_factory=list)  # dates said by their verb: "portfolios that were closed"
    spent: str = ""  # "spend", "spending": a balance or a limit is none
    counts_too: bool = False
    counts_said: list[Place] = field(default_factory=list)  # where each "number of" was said
    counts_end: Place | None = None  # where the grouping after them was said
    counts_of_them: bool = False  # "and how many of them"
    second_as_share: bool = False  # "and what share of them"
    difference: bool = False  # said of two sides, where "change" is said of time
    share: bool = False
    part: Filter | None = None  # "share of repaid loans among the finished ones": the part, where others tell the whole
    each_part: bool = False  # "savings and current share of deposits": a share of each
    share_beside: Measure | None = None  # "total balance and its share of the total"
    share_of_groups: bool = (
        False  # "share of each segment in approved spend": of the whole, not of what meets a condition
    )
    ratio: bool = False
    in_percent: bool = False  # "interest as a percentage of balance": the ratio of two figures
    shown_in: Decimal | None = None  # "in lakh"
    narrowed_before: bool = False  # the first of the two figures alone has conditions
    compare: Literal["previous_period", "same_period_last_year"] | None = None
    assumptions: list[str] = field(default_factory=list)
    unplaced: list[str] = field(default_factory=list)
    meanings: list[tuple[str, str]] = field(default_factory=list)
    all_of: str | None = None  # "all their accounts are closed"
    cost: float = 0.0

    @property
    def here(self) -> Place:
        """What was said so far."""
        return Place(len(self.filters), self.period is not None)

    @property
    def groups_by_time(self) -> bool:
        """Whether the answer goes by steps of time."""
        return self.step is not None or any(isinstance(group, Step) for group in self.groups)


@dataclass
class Walk:
    """A position in the items, the sketch so far, and what was said but not yet applied."""

    items: tuple[Item, ...]
    knowledge: Knowledge
    sketch: Sketch = field(default_factory=Sketch)
    position: int = 0
    pending: Pending | None = None
    superlative: Superlative | None = None
    having: bool = False  # "with", "who made": a thing that follows is related to the subject
    negated: bool = False
    alternative: bool = False  # "or": the next filter joins the one before
    both: bool = False
    band_width: Number | None = None  # "5 year age bands": said before what is cut
    open_membership: bool = False  # the last filter is a membership that further filters may narrow

    def peek(self, ahead: int = 0) -> Meaning | None:
        """Meaning of the item `ahead` of the position, None past the end."""
        index = self.position + ahead
        return self.items[index].meaning if 0 <= index < len(self.items) else None

    def is_cue(self, ahead: int, *kinds: CueKind) -> bool:
        """Tell whether the item `ahead` is one of these cues."""
        meaning = self.peek(ahead)
        return isinstance(meaning, Cue) and meaning.kind in kinds

    def skip(self, ahead: int, *kinds: CueKind) -> int:
        """Return the first offset from `ahead` that is none of these cues."""
        while self.is_cue(ahead, *kinds):
            ahead += 1
        return ahead

    def text(self, count: int = 1) -> str:
        """Words of the next items."""
        return " ".join(item.text for item in self.items[self.position : self.position + count])

    def take(self, count: int = 1, meaning: str = "") -> None:
        """Move on; `meaning` tells what the words became."""
        if meaning:
            self.sketch.meanings.append((self.text(count), meaning))
        self.position += count

    def leave_over(self, count: int = 1) -> None:
        """Move on past words that could not be placed."""
        self.sketch.unplaced.append(self.text(count))
        self.position += count

    @property
    def subject(self) -> str | None:
        """Dataset the question is about, as far as it was read."""
        if self.sketch.things:
            return self.sketch.things[0].dataset
        if self.sketch.attributes:
            return self.sketch.attributes[0].dataset
        return self.knowledge.base(self.sketch.measures[0]) if self.sketch.measures else None

    def assume(self, sentence: str) -> None:
        """State a choice made on the analyst's behalf."""
        if sentence not in self.sketch.assumptions:
            self.sketch.assumptions.append(sentence)

    def use_negation(self) -> bool:
        """Return whether a negation waits, and use it up."""
        negated, self.negated = self.negated, False
        return negated

    def add_filter(self, new: Filter) -> None:
        """Add a filter: inside the open membership where it belongs there, beside the others, or as an alternative."""
        filters = self.sketch.filters
        if self.alternative and filters:
            self.alternative = False
            filters[-1] = _either(filters[-1], new)
            return
        if self.open_membership and not isinstance(new, Membership) and self._belongs_inside(new):
            last = filters[-1]
            assert isinstance(last, Membership)  # noqa: S101 - open_membership says so
            if (another := _said_of_another(last, new)) is not None:
                filters.append(another)
                return
            filters[-1] = last.model_copy(update={"filters": (*last.filters, new)})
            return
        self.open_membership = isinstance(new, Membership)
        filters.append(new)

    def _belongs_inside(self, new: Filter) -> bool:
        """A condition narrows the membership when its field is there, and not nearer to the subject."""
        last = self.sketch.filters[-1]
        if not isinstance(last, Membership):
            return False
        dataset = _dataset_of(new)
        if dataset is None or dataset == self.subject:
            return False
        knows = self.knowledge
        if dataset == last.dataset or self._is_said_of(last):
            return True
        return knows.is_parent(last.dataset, dataset) and not (
            self.subject is not None and knows.is_parent(self.subject, dataset)
        )

    def _is_said_of(self, last: Membership) -> bool:
        """ "with a loan at Pune branches": a value with its noun behind the thing that they have is said of that."""
        owner, value = self.peek(-2), self.peek(-1)
        if not isinstance(value, Stored) or self.peek() != Thing(value.dataset):
            return False
        held = isinstance(owner, Thing) and owner.dataset == last.dataset
        return held and self.knowledge.is_parent(last.dataset, value.dataset)


def _said_of_another(last: Membership, new: Filter) -> Membership | None:
    """ "who paid in cash as well as by cheque": no row is both, so a second one is meant."""
    if not isinstance(new, Condition) or (last.at_least or 1, last.at_most) != (1, None):
        return None
    rivals = [item for item in last.filters if isinstance(item, Condition) and item.field == new.field]
    if not any(item.operator == new.operator == "=" and item.values != new.values for item in rivals):
        return None
    kept = (item for item in last.filters if item not in rivals)
    return last.model_copy(update={"filters": (*kept, new)})


def _dataset_of(item: Filter) -> str | None:
    if item.kind == "condition":
        return item.field.dataset
    return _dataset_of(item.filters[0]) if item.kind == "any" and item.filters else None


def _either(first: Filter, second: Filter) -> Filter:
    earlier = first.filters if isinstance(first, AnyOf) else (first,)
    return AnyOf(filters=(*earlier, second))


COMPARISONS: dict[str, Comparison] = {"=": "=", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
OPPOSITE: dict[str, str] = {
    "=": "!=", "!=": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<",
    "contains": "not contains", "starts with": "not starts with", "ends with": "not ends with",
}  # fmt: skip
Rule: TypeAlias = Callable[[Walk], None]
