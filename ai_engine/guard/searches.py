"""How long a search of text for text takes, where an engine hears nothing until it is done."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from ai_engine.guard.patterns import steps_of_search
from ai_engine.guard.refusal import refuse, written
from ai_engine.guard.vectors import SEARCHES_OF_DUCKDB, steps_of_rows

_MOST_STEPS = 10**8  # about a second
_CHARS_OF_A_MOVE = 8
BY_PATTERN = (exp.RegexpLike, exp.RegexpInstr, exp.RegexpSubstr, exp.RegexpReplace)
SEARCHES: dict[str, tuple[type[exp.Expr], ...]] = {
    "mysql": (exp.StrPosition, exp.SubstringIndex, exp.Replace, exp.Trim, exp.Like, *BY_PATTERN),
    "duckdb": SEARCHES_OF_DUCKDB,
    "postgres": (
        *(exp.StrPosition, exp.SplitPart, exp.StringToArray, exp.Replace, exp.Translate, exp.Trim, exp.Like, exp.ILike),
        *(exp.Mul, exp.Div, exp.IntDiv, exp.Mod, exp.Pow),
        *(exp.Stddev, exp.StddevPop, exp.StddevSamp, exp.Variance, exp.VariancePop),
    ),
}
"""What takes as many steps as the product of two widths, or more, and hears nothing until it is done."""
_COMPUTING = (exp.Mul, exp.Div, exp.IntDiv, exp.Mod, exp.Pow, exp.AggFunc)
_WIDE_NUMBER = 10_000
_STEPS_OF_WIDE_NUMBERS = 5 * 10**6  # two of 65,000 digits, the widest product there is, take 0.1 s


def require_few_steps(
    node: exp.Expr, made: int, chars: Callable[[exp.Expr], int], longest: Callable[[exp.Expr], int], dialect: str
) -> int:
    """Refuse a search of wide text for wide text, and a replacement that moves wide text very often.

    Args:
        node: one of `SEARCHES`, or a likeness of DuckDB.
        made: how wide its value is at most.
        chars: says how wide an operand is at most.
        longest: the same where texts of tables are as wide as they may be: a pattern of MySQL goes by that.
        dialect: whose engine is asked.

    Returns:
        How many steps it takes at most.
    """
    searched, sought = node.expressions[:2] if isinstance(node, exp.Anonymous) else (node.this, _sought(node))
    by_pattern = dialect == "mysql" and isinstance(node, BY_PATTERN)
    text, sought_chars = (longest if by_pattern else chars)(searched), chars(sought) if sought is not None else 1
    steps = text * sought_chars
    if isinstance(node, _COMPUTING):
        operands = [node.this] if isinstance(node, exp.Pow) else list(node.iter_expressions())
        steps = _STEPS_OF_WIDE_NUMBERS * all(chars(operand) > _WIDE_NUMBER for operand in operands)
    elif dialect == "mysql":
        steps = _steps_on_mysql(node, steps, made, text, chars)
    elif dialect == "duckdb":
        steps = steps_of_rows(node, text, sought, sought_chars)
    if steps > _MOST_STEPS:
        raise refuse(f"{node.key.upper()} takes too long over text of {text} characters", written(node))
    return steps


def _steps_on_mysql(node: exp.Expr, steps: int, made: int, text: int, chars: Callable[[exp.Expr], int]) -> int:
    """What also moves text, or reads it again for each of its characters, takes more than the product."""
    sought = _sought(node)
    if isinstance(node, BY_PATTERN):
        replaced = text * text // 4 if isinstance(node, exp.RegexpReplace) else 0
        return max(replaced, steps_of_search(node.expression.name, text))
    if isinstance(node, exp.Replace):
        return max(steps, text * made // _CHARS_OF_A_MOVE if made > text else 0)
    if isinstance(node, exp.Trim) and sought is not None and not _is_a_sign(sought):
        return 2 * text * text // (chars(sought) if isinstance(sought, exp.Literal) else 1)
    return steps


def _sought(search: exp.Expr) -> exp.Expr | None:
    """What a search looks for."""
    args = search.args
    names = ("expression", "substr", "delimiter", "from_")
    return next((args[name] for name in names if args.get(name) is not None), None)


def _is_a_sign(sought: exp.Expr) -> bool:
    """Whether this is a character of one byte."""
    return isinstance(sought, exp.Literal) and len(sought.this) == 1 and sought.this.isascii()
