"""What a question was understood to calculate: a plan in words and the program that does it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Literal, TypeAlias

from ai_engine.agent import TabularResult

Unit: TypeAlias = Literal["money", "percent", "number", "years", "table"]


@dataclass(frozen=True, slots=True)
class Calculation:
    """One calculation that was recognised.

    Attributes:
        name: what is calculated, as an answer names it: "EMI", "CAGR".
        steps: the plan, a sentence each.
        code: a program that leaves its outcome in `result`.
        unit: of the outcome; for a table, of the figures that it adds; "table" where they have none in common.
        given: what it was calculated from, in words.
        tail: what belongs behind the figure: "a month".
        assumptions: what was taken for granted.
        tables: tables that the program reads, as its variables name them.
        units: of columns that those tables bring along, by name.
        currency: code of the outcome's money where a table before says it; "" for that of the question.
        certainty: how surely this is what was asked, 0 to 1.
        is_ours: its program was made by rule, so that no reason which it gives was put there by a language model.
    """

    name: str
    steps: tuple[str, ...]
    code: str
    unit: Unit = "number"
    given: str = ""
    tail: str = ""
    assumptions: tuple[str, ...] = ()
    tables: dict[str, TabularResult] = field(default_factory=dict)
    units: dict[str, str] = field(default_factory=dict)
    currency: str = ""
    certainty: float = 1.0
    is_ours: bool = True


class NotRecognised(Exception):
    """No formula and no operation fits the question; says what could be asked."""


class InputMissing(Exception):
    """A formula was recognised, but not all it needs was said."""


class SeveralAsked(Exception):
    """More than one calculation was asked for in one part; says which."""


def in_words(identifier: str) -> str:
    """Write the name of a column or an agent as people do: total deposits for total_deposits."""
    return " ".join(identifier.replace("_", " ").split())


def literal(value: Decimal | date | int | str) -> str:
    """Write a value as a program does."""
    if isinstance(value, Decimal):
        return f'Decimal("{value.normalize():f}")'
    if isinstance(value, date):
        return f"date({value.year}, {value.month}, {value.day})"
    return repr(value)
