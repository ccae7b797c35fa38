"""What a session with PostgreSQL is held to, whatever settings its role or its database have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import psycopg

    Connection: TypeAlias = psycopg.Connection[Any]

ENCODING = {"client_encoding": "utf8"}
"""In which statements are sent and rows arrive; else it is what the database is kept in, where é may be two letters."""
HELD: dict[str, int | str] = {
    "cursor_tuple_fraction": 1,  # all rows are wanted, not the first ones soon
    "standard_conforming_strings": "on",  # as the guard read the statement
    "transform_null_equals": "off",  # the same
    "array_nulls": "on",  # the NULL of '{a,NULL}' is no text
    "DateStyle": "ISO",  # and what follows, in which values are read; the order of day and month stays the role's
    "IntervalStyle": "postgres",
    "bytea_output": "hex",
    "extra_float_digits": 3,  # every digit that a number has
    "gin_fuzzy_search_limit": 0,  # no part of the rows for all of them
    "synchronize_seqscans": "off",  # the same rows first, and sums in the same order, whoever else reads the table
}
_COSTS = ("seq_page_cost", "random_page_cost", "cpu_tuple_cost", "cpu_index_tuple_cost", "cpu_operator_cost")
_OF_NO_WEIGHT = 1e-250
PLAIN_COSTS = "; ".join(f"SET LOCAL {name} = DEFAULT" for name in _COSTS)
"""For what a statement would cost in PostgreSQL's own unit."""
_PATH = """
    SELECT pg_catalog.set_config('search_path', coalesce(pg_catalog.string_agg(pg_catalog.quote_ident(name), ', ')
        FILTER (WHERE name OPERATOR(pg_catalog.<>) 'pg_catalog'), ''), false)
    FROM pg_catalog.unnest(pg_catalog.current_schemas(false)) AS name
    HAVING pg_catalog.bool_or(name OPERATOR(pg_catalog.=) 'pg_catalog')"""


def own_names_first(connection: Connection) -> dict[str, int | str]:
    """Let PostgreSQL look for a name among its own functions, operators and types before it does in the bank's schemas.

    It does so where the search path does not name its own schema; where it does, another one may stand before that.

    Returns:
        The setting by which the session stays like that, if there is any need for it.
    """
    found = connection.execute(_PATH).fetchone()
    return {"search_path": found[0] or "''"} if found else {}


def without_indexes(connection: Connection) -> dict[str, int | str]:
    """Return settings with which rows come as they are stored, and never in the order of an index.

    Before version 18 an index that is switched off only costs 10^10 more than another one, so that a plan that costs
    more without it has it all the same. Everything else therefore costs next to nothing, in the same proportions.
    """
    costs = connection.execute("SELECT name, setting FROM pg_settings WHERE name = ANY (%s)", [list(_COSTS)])
    return {
        "enable_indexscan": "off",
        "enable_indexonlyscan": "off",
        "enable_seqscan": "on",  # else an index costs no more than they do
        "enable_sort": "on",
        **{name: repr(float(setting) * _OF_NO_WEIGHT) for name, setting in costs},
    }
