"""Evidence and metric definitions in plain English, read and added to a vocabulary."""

from ai_engine.semantics.hints.applying import apply_hints
from ai_engine.semantics.hints.formulas import Formula, Number, Operation, Phrase, parse_formula
from ai_engine.semantics.hints.groups import GroupHint
from ai_engine.semantics.hints.kinds import (
    CodesHint,
    ColumnHint,
    ColumnsHint,
    ConditionHint,
    DaysHint,
    FormulaHint,
    Hints,
    LinkHint,
    PhraseHint,
    TableHint,
    ValueHint,
)
from ai_engine.semantics.hints.reading import read_hints

__all__ = [
    "CodesHint",
    "ColumnHint",
    "ColumnsHint",
    "ConditionHint",
    "DaysHint",
    "Formula",
    "FormulaHint",
    "GroupHint",
    "Hints",
    "LinkHint",
    "Number",
    "Operation",
    "Phrase",
    "PhraseHint",
    "TableHint",
    "ValueHint",
    "apply_hints",
    "parse_formula",
    "read_hints",
]
