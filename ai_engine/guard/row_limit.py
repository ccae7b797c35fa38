"""The outermost LIMIT becomes a plain number; limits inside the query are the analyst's own and stay."""

from __future__ import annotations

from sqlglot import exp

from ai_engine.guard.parsing import text_of, tokens_of, tree_of
from ai_engine.guard.policy import Policy
from ai_engine.guard.refusal import refuse, written

_LARGEST_OFFSET_DIGITS = 9


def set_row_limit(tree: exp.Query, policy: Policy, *, whole_lists: bool) -> tuple[int, bool, tuple[str, ...]]:
    """Write the LIMIT that holds into the tree.

    Args:
        whole_lists: a list of rows without a LIMIT is given the largest one.

    Returns:
        Rows to keep, whether the limit is ours rather than the analyst's, and what was changed, one sentence each.
    """
    asked, clear = _asked(tree)
    _plain_offset(tree)
    notes: tuple[str, ...] = ()
    grouped = is_grouped(tree)
    most = policy.max_groups if grouped else policy.max_rows
    whole = grouped or (whole_lists and not _is_one_row(tree))
    default = most if whole else min(policy.default_limit_rows, most)
    if asked is None:
        notes = (f"LIMIT {default} was added",) if clear else (f"the limit was replaced by LIMIT {default}",)
        rows, ours = default, True
    elif asked > most:
        rows, ours = most, True
        notes = (f"LIMIT {asked} was lowered to {rows}",)
    else:
        rows, ours = asked, False
    write_limit(tree, rows)
    return rows, ours, notes


def write_limit(tree: exp.Query, rows: int) -> None:
    """Replace the outermost limit by a number."""
    tree.set("limit", exp.Limit(expression=exp.Literal.number(rows)))


def is_grouped(tree: exp.Query) -> bool:
    """Tell whether the rows are groups: by the statement itself, or by what it reads from."""
    origin = tree.args.get("from_") or tree.args.get("from")
    joined = [join.this for join in tree.args.get("joins") or ()]
    read = [*([origin.this] if origin else []), *joined, *(cte for cte in tree.ctes)]
    inner = [source.this for source in read if isinstance(source, (exp.Subquery, exp.CTE))]
    return any(query.args.get("group") for query in (tree, *inner) if isinstance(query, exp.Query))


def _is_one_row(tree: exp.Query) -> bool:
    """Tell whether every column is a figure over all rows."""
    return isinstance(tree, exp.Select) and all(
        any(not isinstance(found.parent, exp.Window) for found in item.find_all(exp.AggFunc)) for item in tree.selects
    )


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


def count_of(sql: str, dialect: str) -> str:
    """Return the statement that counts all rows of a checked one, also beyond its limit; to be checked itself."""
    tree = tree_of(tokens_of(sql, dialect), sql, dialect)
    for clause in ("limit", "offset", "order"):
        tree.set(clause, None)
    counted = exp.Subquery(this=tree, alias=exp.TableAlias(this=exp.to_identifier("listed")))
    return text_of(exp.Select().select(exp.Count(this=exp.Star())).from_(counted), dialect)
