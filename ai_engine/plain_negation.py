"""`x IS NOT NULL` in printed SQL, where sqlglot's own printer says `NOT x IS NULL`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqlglot import exp

_WHOLE_CONDITIONS = (exp.Connector, exp.Paren, exp.Where, exp.Having, exp.Join, exp.If, exp.Select, exp.Alias)
"""What a condition stands in as a whole: beside another operator, `NOT x IS NULL` binds differently."""


@contextmanager
def plain_negation(tree: exp.Expr) -> Iterator[None]:
    """Let `tree` print `x IS NOT NULL` meanwhile; afterwards it is as it was, unless printing failed.

    For single values the two mean the same; for PostgreSQL's rows as values they do not, so whoever prints what
    somebody else wrote for PostgreSQL leaves it as it was written.
    """
    turned: list[tuple[exp.Not, exp.Is]] = []
    for negation in list(tree.find_all(exp.Not)):
        test = negation.this
        if isinstance(test, exp.Is) and _says_the_same(negation, test):
            negation.replace(test)
            test.set("negate", True)
            turned.append((negation, test))
    yield
    for negation, test in reversed(turned):
        test.set("negate", None)
        test.replace(negation)
        negation.set("this", test)


def _says_the_same(negation: exp.Not, test: exp.Is) -> bool:
    whole = isinstance(negation.parent, _WHOLE_CONDITIONS)
    return whole and isinstance(test.expression, exp.Null) and not isinstance(test.this.unnest(), exp.Tuple)
