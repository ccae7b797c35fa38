"""What a model may know of one database while it reads a question."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date

from ai_engine.catalogue import Catalogue
from ai_engine.semantics.infer.code_lists import CodeLists
from ai_engine.semantics.model import SemanticModel
from ai_engine.semantics.values import ValueIndex


@dataclass(frozen=True)
class Vocabulary:
    """Fixed for a run.

    Attributes:
        catalogue: the tables and columns that exist.
        model: what they mean.
        values: the values found in them.
        as_of: the day from which "last month" counts.
        code_lists: what codes mean by the tables that are lists of codes; empty where a file tells the meanings.
    """

    catalogue: Catalogue
    model: SemanticModel
    values: ValueIndex
    as_of: date
    code_lists: CodeLists = field(default_factory=dict)
