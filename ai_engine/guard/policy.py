"""What a bank allows a statement to read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Policy:
    """Names are compared without regard to case.

    Attributes:
        allowed_tables: only these may be read; None allows every table of the catalogue.
        hidden_tables: these do not exist as far as a statement is concerned.
        restricted_columns: table → columns that may not be read, in any clause.
        allow_union: permits UNION, INTERSECT and EXCEPT.
        max_rows: the largest LIMIT that stays as it is.
        default_limit_rows: the LIMIT given to a statement without one.
        max_sql_chars: longer text is refused before it is parsed.
    """

    allowed_tables: frozenset[str] | None = None
    hidden_tables: frozenset[str] = frozenset()
    restricted_columns: Mapping[str, frozenset[str]] = field(default_factory=dict)
    allow_union: bool = False
    max_rows: int = 1_000
    default_limit_rows: int = 100
    max_sql_chars: int = 20_000
