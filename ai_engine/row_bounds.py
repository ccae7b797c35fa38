"""How many rows a statement lets through, however its dialect says so."""

from __future__ import annotations

from sqlglot import exp


def most_rows(clause: exp.Expr | None) -> exp.Expr | None:
    """Return the number of LIMIT, TOP or FETCH FIRST; None where it is not one of rows, or lets more through."""
    if clause is None or clause.args.get("percent"):
        return None
    options = clause.args.get("limit_options")
    if options is not None and (options.args.get("percent") or options.args.get("with_ties")):
        return None
    if isinstance(clause, exp.Fetch):
        count: exp.Expr | None = clause.args.get("count")
        return count if count is not None else exp.Literal.number(1)
    return clause.expression if clause.args.get("expression") is not None else None
