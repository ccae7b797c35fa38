"""What partial phrases mean: frozen values that constructions combine."""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import field as dataclass_field
from decimal import Decimal
from typing import Literal, TypeAlias

from ai_engine.built_in.meanings import Days, Number, Thing
from ai_engine.semantics.intent import Condition, FieldRef, Filter, Grain, Measure
from ai_engine.semantics.model import Relationship
from ai_engine.semantics.parties import Party


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of a dataset, narrowed. `filters` are as seen from the dataset; `bounds` compare figures over each row."""

    dataset: str
    via: tuple[str, ...] = ()
    filters: tuple[Filter, ...] = ()
    period: Days | None = None
    dated: FieldRef | None = None
    bounds: tuple[Bound, ...] = ()
    named: bool = True  # False where a value alone stands for its rows: "UPI in October"
    distinct: bool = False
    owner: str = ""  # whose memberships were carried over: "accounts of customers with a loan"
    alone: bool = False  # "savings accounts only", which is not said of what somebody has
    asked: bool = False  # people asked for by "who": they are nobody's
    fresh: bool = False  # "new customers", which are those of a period
    told: tuple[Filter, ...] = ()  # states that they are said to have come to
    said: str = dataclass_field(default="", compare=False)  # the noun
    beyond: str = ""  # what was understood and cannot be said in the structured question

    @property
    def narrowed(self) -> bool:
        """Anything was said of them."""
        return bool(self.filters or self.period or self.bounds)


@dataclass(frozen=True, slots=True)
class Fig:
    """One figure over rows; `over` divides it, `less` is taken off it."""

    core: Measure
    rows: Rows
    over: Fig | None = None
    less: Fig | None = None
    percent: bool = False
    part: bool = False  # a share of its own rows: `over` is the same figure of the wider rows
    implied: bool = False  # no aggregate was said
    extreme: bool = False  # "the highest balance", which may tell whose it is
    said_last: bool = dataclass_field(default=False, compare=False)  # "…, how many"
    unnamed: bool = dataclass_field(default=False, compare=False)  # the amount is that of its rows
    unsaid: bool = False  # divided by what stands behind "per", and nobody said that it is an average
    shared: bool = False  # shown as the share of its total: "deposits by region and their share"
    shown_in: Decimal | None = None  # "in lakh"


@dataclass(frozen=True, slots=True)
class Cmp:
    """A comparison with numbers, with a figure, with another field, or with "the average" of the same."""

    operator: str
    numbers: tuple[Number, ...] = ()
    fig: Fig | None = None
    other: FieldRef | None = None
    aggregate: str | None = None
    times: Decimal | None = None
    over: str | None = None  # the rows whose average it is, where they were named
    alike: FieldRef | None = None  # the average is that of the rows which have the same there
    scale: str = ""  # of what it is said: "longer than"


@dataclass(frozen=True, slots=True)
class Bound:
    """A figure of each row or group compared: "whose deposits exceed 25 crore"."""

    fig: Fig
    operator: str
    value: Decimal | None = None
    versus: Fig | None = None
    times: Decimal | None = None  # what it is held against is multiplied by first


@dataclass(frozen=True, slots=True)
class Cond:
    """A condition on a field, wherever that lies as seen from the rows it will narrow."""

    dataset: str
    filter: Filter
    own: bool = False  # only of rows of that very dataset: "over 60" is no age of a transaction
    told: bool = False  # said behind the noun: "accounts that went dormant"


@dataclass(frozen=True, slots=True)
class Related:
    """Related rows: possessed, lacked, counted, or belonged to (`of`)."""

    rows: Rows
    negated: bool = False
    at_least: int | None = None
    at_most: int | None = None
    of: bool = False


@dataclass(frozen=True, slots=True)
class When:
    """A period, of a date where one was named."""

    days: Days
    dated: FieldRef | None = None


@dataclass(frozen=True, slots=True)
class OnDays:
    """Days of the week, of whatever dates the rows."""

    numbers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Either:
    """One of several holds."""

    mods: tuple[Mod, ...]


@dataclass(frozen=True, slots=True)
class Amount:
    """A comparison whose figure nobody named: "loans over 5 lakh"."""

    cmp: Cmp


@dataclass(frozen=True, slots=True)
class Beyond:
    """Understood, but not to be said in the structured question: refused with this reason."""

    reason: str


@dataclass(frozen=True, slots=True)
class Unused:
    """No rows refer to it: "never used", "nobody"."""


@dataclass(frozen=True, slots=True)
class Standing:
    """Not ended yet, where rows keep the day of ending: "open complaints", "current doctors"."""

    said: str = "open"


@dataclass(frozen=True, slots=True)
class Who:
    """Said of people: "who", "whom"."""


@dataclass(frozen=True, slots=True)
class Did:
    """They play the role of one of these links for such rows: "who handled car loans"."""

    links: tuple[Relationship, ...]
    rows: Rows
    negated: bool = False


@dataclass(frozen=True, slots=True)
class DoneBy:
    """Such rows play the role of one of these links for them: "handled by Ann Lee"."""

    links: tuple[Relationship, ...]
    rows: Rows


@dataclass(frozen=True, slots=True)
class OfParty:
    """From or to such rows."""

    party: Party
    rows: Rows


@dataclass(frozen=True, slots=True)
class Alike:
    """A field of a kind is the same, or another one, as that of a thing; `own` where it was named itself."""

    operator: str
    field: FieldRef
    thing: Thing
    other: FieldRef | None = None
    first: Thing | None = None
    own: FieldRef | None = None


@dataclass(frozen=True, slots=True)
class Both:
    """Two values of a field are had at once; `each` where rows that have but one are of either."""

    one: Kind
    other: Kind
    each: Kind | None = None


Part: TypeAlias = (
    Both | Did | DoneBy | OfParty | Alike | Beyond | Standing | Who | Unused | Cond | Related | When | OnDays | Either
    | Amount | Bound
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Mod:
    """What narrows rows, figures or a whole question."""

    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Kind:
    """Values of one field: "savings", "Pune or Mumbai"."""

    dataset: str
    condition: Condition
    both: bool = False  # each of them, where one row cannot have more than one

    @property
    def mod(self) -> Mod:
        """Rows that are so."""
        return Mod((Cond(self.dataset, self.condition),))


@dataclass(frozen=True, slots=True)
class Group:
    """What figures are grouped by: a field, the rows of a thing, or a step of time."""

    field: FieldRef | None = None
    thing: str | None = None
    via: tuple[str, ...] = ()
    step: Grain | None = None
    edges: tuple[Decimal, ...] = ()
    mods: tuple[Part, ...] = ()
    filled: bool = True  # steps without data are shown
    plural: bool = dataclass_field(default=False, compare=False)
    of: str = ""  # "customer city"


@dataclass(frozen=True, slots=True)
class Best:
    """An end of a scale: of a figure, of a field, or not yet said of what."""

    descending: bool
    fig: Fig | None = None
    field: FieldRef | None = None
    kind: str = "high"
    limit: int | None = 1
    skip: int = 0
    scale: str = ""  # of what it is said: "the longest"


@dataclass(frozen=True, slots=True)
class Ask:
    """A whole question."""

    figs: tuple[Fig, ...] = ()
    rows: Rows | None = None
    groups: tuple[Group, ...] = ()
    columns: tuple[FieldRef, ...] = ()
    best: Best | None = None
    orders: tuple[Best, ...] = ()
    within: tuple[Group, ...] = ()
    bounds: tuple[Bound, ...] = ()
    transform: str | None = None
    window: int | None = None
    compare: str | None = None
    against: Days | None = None
    distinct: bool = False
    split: bool = False  # one row each for values listed
    listed: bool = False
    over: Literal["sum"] | None = None  # one figure over the groups that are left
    zeros: bool = False  # groups to which nothing belongs are shown too
    stage: Literal[0, 1] = 0  # 1 once it was narrowed as a whole

    @property
    def every_figure(self) -> tuple[Fig, ...]:
        """The figures that are shown, and those that only compare or rank."""
        ends = (self.best, *self.orders)
        others = (*(bound.fig for bound in self.bounds), *(end.fig for end in ends if end is not None and end.fig))
        return (*self.figs, *(fig for fig in others if fig not in self.figs))
