"""The functions a statement may call; what is not listed is refused, whatever it does."""

from __future__ import annotations

from sqlglot import exp

from ai_engine.guard.refusal import refuse, unknown
from ai_engine.guard.statement import Statement

_EVERYWHERE: dict[str, str] = {
    "count, sum and describe": "count sum avg min max stddev stddevpop stddevsamp variance variancepop groupconcat median",
    "rank and look around": "rownumber rank denserank percentrank cumedist ntile lag lead firstvalue lastvalue nthvalue",
    "choose": "coalesce nullif case if greatest least cast trycast and or exists nvl2",
    "compute": "abs ceil floor round sqrt pow exp ln log sign trunc mod pi degrees radians",
    "shape text": "lower upper length trim concat concatws substring replace left right lpad rpad pad reverse strposition "
    "initcap repeat splitpart chr unicode startswith endswith contains space instr",
    "read dates": "extract year month day hour minute second quarter week dayofweek dayofmonth dayofyear lastday "
    "currentdate currenttimestamp currenttime date timestamp time datediff dateadd datesub datetrunc timestamptrunc "
    "timetostr strtotime strtodate tsordstodate tsordsadd tsordsdiff tsordstotimestamp timestampdiff timestampadd "
    "makedate age julianday strftime datetime weekofyear dayname monthname",
}
_ONLY: dict[str, dict[str, str]] = {
    "duckdb": {"analyse": "percentilecont percentiledisc quantile mode arrayagg anyvalue argmax argmin approxdistinct corr regrslope"},
    "postgres": {"analyse": "percentilecont percentiledisc mode arrayagg corr regrslope tochar"},
    "sqlite": {"analyse": "total iif printf format ifnull"},
    "mysql": {"analyse": "ifnull dateformat format anyvalue"},
}


def _allowed(dialect: str) -> frozenset[str]:
    groups = [*_EVERYWHERE.values(), *_ONLY[dialect].values()]
    return frozenset(name for group in groups for name in group.split())


ALLOWED = {dialect: _allowed(dialect) for dialect in _ONLY}


def functions_are_allowed(statement: Statement) -> None:
    """Refuse a function that is not listed for the dialect, and one with a quoted or qualified name."""
    allowed = ALLOWED[statement.dialect]
    for node in statement.nodes:
        if not isinstance(node, exp.Func):
            continue
        if isinstance(node, exp.Anonymous):
            if not isinstance(node.this, str):
                raise refuse(f"function names may not be quoted: {node.name}", node.name)
            name = key = node.this.lower()
        else:
            key, name = node.key, node.sql_name().lower()
        if key not in allowed:
            raise unknown("function", name, allowed, "is not allowed")
