"""What came of holding the figures of an answer against their totals."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Literal, TypeAlias

TieOutOutcome: TypeAlias = Literal["ties out", "differs", "not checked"]
CauseKind: TypeAlias = Literal["no key", "no such row", "several rows", "no date", "other dates"]


@dataclass(frozen=True, slots=True)
class TieOutCause:
    """Rows that stand in no group, or in a group several times.

    Attributes:
        kind: their key is empty; it names no row; it names several rows; their date is empty; it lies beyond the steps.
        rows: how many there are.
        amount: what the groups have more by them; negative where they are missing.
        said: the same in words.
    """

    kind: CauseKind
    rows: int
    amount: Decimal
    said: str


@dataclass(frozen=True, slots=True)
class TiedFigure:
    """One figure with its total.

    Attributes:
        column: its column in the result.
        shown: sum of the rows shown.
        total: the same figure without groups.
        causes: why the two differ, as far as that was found.
    """

    column: str
    shown: Decimal
    total: Decimal
    causes: tuple[TieOutCause, ...] = ()

    @property
    def difference(self) -> Decimal:
        """What the groups have more than the total."""
        return self.shown - self.total


@dataclass(frozen=True, slots=True)
class TieOut:
    """The finding for an answer.

    Attributes:
        said: in words, for people.
        figures: what was compared; empty when not checked.
        sql: the statements that computed the totals, as shown to people.
    """

    outcome: TieOutOutcome
    said: str
    figures: tuple[TiedFigure, ...] = ()
    sql: tuple[str, ...] = ()
