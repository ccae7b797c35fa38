"""How long a search of text for text takes, where an engine hears nothing until it is done."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from ai_engine.guard.growth import CALLED_BY_NAME
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
        *(exp.Mul, exp.Div, exp.IntDiv, exp.Mod, exp.Pow, exp.Sqrt),
        *(exp.Stddev, exp.StddevPop, exp.StddevSamp, exp.Variance, exp.VariancePop),
    ),
}
"""What takes as many steps as the product of two widths, or more, and hears nothing until it is done."""
_COMPUTING = (exp.Mul, exp.Div, exp.IntDiv, exp.Mod, exp.Pow, exp.Sqrt, exp.AggFunc)
_STEPS_OF_A_CHAR = 10  # a letter that INITCAP looks at; MariaDB takes 35 ns at most, ten texts of the widest are held
_CHOOSING = (exp.Coalesce, exp.Case, exp.If, exp.Connector, exp.Not, exp.Count, exp.Min, exp.Max, exp.Lag, exp.Lead)
_LOOKING = (exp.Func, exp.Binary, exp.Neg, exp.In, exp.Between)
_OF_EACH_DIGIT = (exp.Add, exp.Sub, exp.Neg, exp.Abs, exp.Sum)
_READING_ONCE = frozenset(
    """cast try_cast greatest least nullif lower upper initcap reverse length char_length octet_length bit_length left
    right substring pad repeat concat concat_ws overlay replace translate trim ltrim rtrim btrim split_part str_position
    strpos starts_with string_to_array array_to_string array array_agg group_concat array_length array_size cardinality
    md5 ascii unicode chr format to_char to_number time_to_str str_to_date str_to_time to_date to_timestamp collate
    regexp_like regexp_i_like regexp_replace regexp_match regexp_substr regexp_count avg ceil floor round trunc sign
    scale first_value last_value nth_value mode percentile_disc num_nulls num_nonnulls""".split()
)
"""Calls that look once at each character or digit; any other may take as long as a product of wide numbers."""
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
        operands = [node.this] if isinstance(node, (exp.Pow, exp.Sqrt)) else list(node.iter_expressions())
        steps = _STEPS_OF_WIDE_NUMBERS * all(chars(operand) > _WIDE_NUMBER for operand in operands)
    elif dialect == "mysql":
        steps = _steps_on_mysql(node, steps, made, text, chars)
    elif dialect == "duckdb":
        steps = steps_of_rows(node, text, sought, sought_chars)
    if steps > _MOST_STEPS:
        raise refuse(f"{node.key.upper()} takes too long over text of {text} characters", written(node))
    return steps


def steps_of_a_call(node: exp.Expr, chars: int, dialect: str) -> int:
    """How many steps a server takes, while it hears nothing, to look at its operands and to put down their value.

    Args:
        node: any expression.
        chars: how wide its operands are together, or its value where that is wider.
        dialect: whose engine is asked; MariaDB has no number of more than 65 digits, and looks once at each character.
    """
    is_choosing = isinstance(node, _CHOOSING) and not (isinstance(node, exp.Case) and node.this)
    if is_choosing or not isinstance(node, _LOOKING):
        return 0
    if isinstance(node, _OF_EACH_DIGIT):
        return chars
    name = (node.name if isinstance(node, CALLED_BY_NAME) else _name_of(type(node))).lower()
    is_cheap = dialect == "mysql" or isinstance(node, exp.Binary) or name in _READING_ONCE or chars <= _WIDE_NUMBER
    return _STEPS_OF_A_CHAR * chars if is_cheap else max(_STEPS_OF_A_CHAR * chars, _STEPS_OF_WIDE_NUMBERS)


def _name_of(kind: type[exp.Expr]) -> str:
    return kind.sql_names()[0] if issubclass(kind, exp.Func) else ""


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
