"""The outermost LIMIT becomes a plain number; limits inside the query are the analyst's own and stay."""

from __future__ import annotations

from sqlglot import exp

from ai_engine.guard.policy import Policy
from ai_engine.guard.refusal import refuse, written

_LARGEST_OFFSET_DIGITS = 9


def set_row_limit(tree: exp.Query, policy: Policy) -> tuple[int, bool, tuple[str, ...]]:
    """Write the LIMIT that holds into the tree.

    Returns:
        Rows to keep, whether the limit is ours rather than the analyst's, and what was changed, one sentence each.
    """
    asked, clear = _asked(tree)
    _plain_offset(tree)
    notes: tuple[str, ...] = ()
    default = min(policy.default_limit_rows, policy.max_rows)
    if asked is None:
        notes = (f"LIMIT {default} was added",) if clear else (f"the limit was replaced by LIMIT {default}",)
        rows, ours = default, True
    elif asked > policy.max_rows:
        rows, ours = policy.max_rows, True
        notes = (f"LIMIT {asked} was lowered to {rows}",)
    else:
        rows, ours = asked, False
    write_limit(tree, rows)
    return rows, ours, notes


def write_limit(tree: exp.Query, rows: int) -> None:
    """Replace the outermost limit by a number."""
    tree.set("limit", exp.Limit(expression=exp.Literal.number(rows)))


def _asked(tree: exp.Query) -> tuple[int | None, bool]:
    """The analyst's own limit if it is a plain number, and whether there was nothing else to read."""
    limit = tree.args.get("limit")
    if limit is None:
        return None, True
    options = limit.args.get("limit_options")
    special = options is not None and (options.args.get("percent") or options.args.get("with_ties"))
    if isinstance(limit, exp.Fetch):
        count = limit.args.get("count")
        if count is None and not special:
            return 1, True
    else:
        count = limit.expression
    if special or limit.args.get("offset") is not None:
        return None, False
    if isinstance(count, exp.Literal) and not count.is_string and count.this.isdecimal():
        return int(count.this[:18]), True
    return None, False


def _plain_offset(tree: exp.Query) -> None:
    offset = tree.args.get("offset")
    if offset is None:
        return
    value = offset.expression
    plain = isinstance(value, exp.Literal) and not value.is_string and value.this.isdecimal()
    if not plain or len(value.this) > _LARGEST_OFFSET_DIGITS:
        raise refuse("OFFSET must be a plain number", written(offset))
