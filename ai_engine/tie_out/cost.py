"""Would the check cost the database more than the question?"""

from __future__ import annotations

from collections.abc import Sequence

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from ai_engine.agents.running import expected_of
from ai_engine.ports import Services
from ai_engine.types import ScanEstimate

_SURELY = 1.5
"""Estimates for two plans that read the same rows differ by this much without meaning anything."""


def costs_more(statements: Sequence[str], question: str, expected: ScanEstimate, services: Services) -> bool:
    """Compare what the database expects of both; where it does not say, the tables that they read.

    Args:
        statements: of the check.
        question: the statement that was answered.
        expected: what the database says of that one.
        services: asked for the others.

    Raises:
        QueryStopped: nobody wants it any more.
    """
    limit, costs = expected.work, [expected_of(sql, services).work for sql in statements]
    if limit is not None and None not in costs:
        return sum(cost for cost in costs if cost is not None) > _SURELY * limit
    dialect = services.vocabulary.catalogue.dialect
    return sum(_tables(sql, dialect) for sql in statements) > _tables(question, dialect)


def _tables(sql: str, dialect: str) -> int:
    try:
        return len(list(sqlglot.parse_one(sql, dialect=dialect).find_all(exp.Table)))
    except (SqlglotError, RecursionError):
        return 0
