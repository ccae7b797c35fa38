"""How long DuckDB takes for the rows that it works on together, between which alone it hears an interruption.

Measured over texts that are alike but for their ends: a search reads a character of the text in 10 ns, and once more
for each 128 that are sought; LEVENSHTEIN compares two in 1.6 ns. A regular expression takes a nanosecond, but 7 for
each part of it where it has so many that may match the same that it can be in too many states to keep them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from sqlglot import exp

from ai_engine.guard.refusal import refuse, written
from ai_engine.guard.scopes import Reference, Scope, local_nodes

_ROWS = 2_048
_SOUGHT_AT_ONCE = 128
_STEP_NS = 20  # all steps that a statement may take are two seconds
_READ_NS = 10
_MATCHED_NS = 7
_COMPARED_IN_A_STEP = 12
_FEW_STATES = 40
_BY_PATTERN = (exp.RegexpLike, exp.RegexpFullMatch, exp.RegexpReplace, exp.RegexpExtract, exp.SimilarTo)
SEARCHES_OF_DUCKDB: tuple[type[exp.Expr], ...] = (
    *(exp.Levenshtein, exp.Contains, exp.StrPosition, exp.Replace, exp.SplitPart, exp.Split, exp.Translate, exp.Trim),
    *(exp.JarowinklerSimilarity, *_BY_PATTERN),
)
_MAY_SEARCH = (exp.Func, exp.SimilarTo)
_GATHERED_CHARS = 10_000  # of a text or a list of the values of many rows, as it is estimated
_OF_LISTS = ("list_", "array_", "sort_array")
_WITHOUT_LOOKING = frozenset({"array_size", "array_length", "array_to_string", "array_agg", "list_value"})
_MATCHING_MANY = re.compile(r"\\[wWdDsSpP]|\[\^?\]?(?:\\.|[^\]\\])*\]|(?<!\\)\.")
_COUNTS = re.compile(r"\{(?:\d*,)?(\d+),?\}")


def is_likeness(node: exp.Expr) -> bool:
    """Whether this is JARO_WINKLER_SIMILARITY, which is a search that is known by its name only."""
    return isinstance(node, exp.Anonymous) and node.name.lower().startswith("jaro") and len(node.expressions) > 1


def steps_of_rows(search: exp.Expr, text: int, sought: exp.Expr | None, sought_chars: int) -> int:
    """Return how often 20 ns go by for the rows of one vector.

    Args:
        search: one of `SEARCHES_OF_DUCKDB`, or what `is_likeness`.
        text: characters of the text at most.
        sought: what is looked for; None for blanks.
        sought_chars: characters of that at most.
    """
    if isinstance(search, _BY_PATTERN):
        states = _states(sought.name) if sought is not None else 0
        return _ROWS * text * max(1, states * _MATCHED_NS) // _STEP_NS
    if isinstance(search, exp.Levenshtein):
        return _ROWS * text * sought_chars // _COMPARED_IN_A_STEP
    return _ROWS * text * max(1, sought_chars // _SOUGHT_AT_ONCE) * _READ_NS // _STEP_NS


def _states(pattern: str) -> int:
    """Parts that match more than one character, counted ones as often as they may stand; 0 for few."""
    states = len(_MATCHING_MANY.findall(pattern)) * max((int(count) for count in _COUNTS.findall(pattern)), default=1)
    return states if states > _FEW_STATES else 0


def require_looked_into_once(
    nodes: Iterable[exp.Expr],
    scope: Scope,
    found: Mapping[int, Reference],
    tied: Mapping[int, frozenset[str]],
    chars: Callable[[exp.Expr], int],
) -> None:
    """Refuse to search what is gathered of a whole table, or to sort it, anew for each row of another one.

    Args:
        nodes: of expressions of one SELECT.
        scope: what that sees.
        found: id of a column reference → what it means.
        tied: id of a subquery → sources of this SELECT that its rows are tied to.
        chars: how wide a value is at most.
    """
    around = scope if scope.sources or scope.outer is None else scope.outer
    if all(source.most_rows == 1 for source in around.sources.values()):
        return
    for node in nodes:
        if not isinstance(node, _MAY_SEARCH):
            continue
        if isinstance(node, SEARCHES_OF_DUCKDB) or is_likeness(node) or _is_of_lists(node):
            for value in _of_one_row(node, found, tied):
                if chars(value) >= _GATHERED_CHARS:
                    reason = (
                        f"{written(value)} would be looked into for each row: join what it is gathered of, or use IN"
                    )
                    raise refuse(reason, written(node))


def _is_of_lists(node: exp.Expr) -> bool:
    if not isinstance(node, exp.Func) or isinstance(node, exp.AggFunc):
        return False
    name = (node.name if isinstance(node, exp.Anonymous) else node.sql_names()[0]).lower()
    return name.startswith(_OF_LISTS) and name not in _WITHOUT_LOOKING


def _of_one_row(
    node: exp.Expr, found: Mapping[int, Reference], tied: Mapping[int, frozenset[str]]
) -> Iterator[exp.Expr]:
    """The parts of an expression that are the same for all rows: subqueries, and columns of what has one row."""
    for part in local_nodes(node):
        reference = found.get(id(part))
        if isinstance(part, exp.Query):
            if not tied.get(id(part)):
                yield part
        elif reference is not None and reference.scope is not None:
            source = reference.scope.sources.get(reference.source)
            if source is not None and source.most_rows == 1:
                yield part
