"""The formulas that are known by name; the first whose words are there is meant."""

from __future__ import annotations

from ai_engine.specialists.computation.formula import Formula
from ai_engine.specialists.computation.formulas_of_finance import FINANCE
from ai_engine.specialists.computation.formulas_of_numbers import NUMBERS

FORMULAS: tuple[Formula, ...] = (*FINANCE, *NUMBERS)
