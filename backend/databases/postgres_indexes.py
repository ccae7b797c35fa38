"""Which of a PostgreSQL bank's indexes could tell of what may not be read, by the order of rows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import Any

import psycopg

OF_THE_BANK = 16_384  # the first number that PostgreSQL gives to what is not its own
_ANYTHING = 0
_COLUMNS = f"""
    SELECT c.oid::bigint, c.relname::text, a.attname::text,
        has_column_privilege(c.oid, a.attnum, 'SELECT') AND has_schema_privilege(c.relnamespace, 'USAGE')
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
    WHERE c.oid >= {OF_THE_BANK} AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND a.attnum > 0 AND NOT a.attisdropped"""
_HEIRS = "SELECT inhparent::bigint, inhrelid::bigint FROM pg_inherits"
_READ_BY_RULES = f"""
    WITH rule (relation, kind, oid) AS (
        SELECT r.ev_class, 'pg_rewrite'::regclass, r.oid FROM pg_rewrite r JOIN pg_class v ON v.oid = r.ev_class
        WHERE v.relkind = 'v' AND v.oid >= {OF_THE_BANK}
        UNION ALL SELECT polrelid, 'pg_policy'::regclass, oid FROM pg_policy)
    SELECT r.relation::bigint,
        CASE WHEN d.refclassid = 'pg_class'::regclass THEN d.refobjid::bigint ELSE {_ANYTHING} END
    FROM rule r JOIN pg_depend d ON d.classid = r.kind AND d.objid = r.oid
    WHERE d.refclassid IN ('pg_proc'::regclass, 'pg_operator'::regclass)
        OR d.refclassid = 'pg_class'::regclass AND (d.refobjid <> r.relation OR r.kind = 'pg_policy'::regclass)"""
"""What views read, and tables with row security under its conditions; a function of the bank's may read anything."""
MADE_BY_THE_BANK = f"""EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = {{}}
        AND d.refclassid IN ('pg_proc'::regclass, 'pg_operator'::regclass, 'pg_opclass'::regclass)
        AND d.refobjid >= {OF_THE_BANK} AND NOT EXISTS (SELECT FROM pg_depend e
            WHERE (e.classid, e.objid) = (d.refclassid, d.refobjid) AND e.deptype = 'e'))"""
"""Of an index or a table that is parted: whether a function of the bank's own, which may read anything, decides it."""
_INDEXES = f"""
    SELECT i.indrelid::bigint, i.indexprs IS NOT NULL, i.indnatts > 1 OR i.indpred IS NOT NULL,
        ARRAY(SELECT attname::text FROM pg_attribute WHERE attrelid = i.indrelid AND attnum = ANY (i.indkey)),
        {MADE_BY_THE_BANK.format("i.indexrelid")}
    FROM pg_index i WHERE i.indrelid >= {OF_THE_BANK}"""


def has_telling_index(connection: psycopg.Connection[Any], hidden: Collection[tuple[str, str]]) -> bool:
    """Whether rows may come in the order of what is hidden, through an index.

    That is one over a column that may not be read, by the policy or by the role's rights, where there are others in it
    or it has a condition, which a statement may fulfil; a function of the bank's own in it may read anything. Views,
    row security and functions in them have conditions of their own, so that rows may come through every index over such
    a column; of a table that may be read in no other way that is each of its columns, whatever is shown of it.
    """
    kept = frozenset(hidden)
    names: dict[int, str] = {}
    columns: defaultdict[int, set[str]] = defaultdict(set)
    readable: defaultdict[int, set[str]] = defaultdict(set)
    for table, name, column, is_granted in connection.execute(_COLUMNS):
        names[table] = name.lower()
        columns[table].add(column)
        if is_granted and not {(name.lower(), ""), (name.lower(), column.lower())} & kept:
            readable[table].add(column)
    heirs = _by_first(connection.execute(_HEIRS))
    for table in _reached(readable, heirs):
        for heir in heirs.get(table, ()):
            readable[heir] |= {column for column in readable[table] if (names[heir], column.lower()) not in kept}
    rules = _by_first(connection.execute(_READ_BY_RULES))
    below = {table: names.keys() if _ANYTHING in read else read for table, read in rules.items()}
    ruled = _reached({table for start in _reached(readable, heirs, below) for table in below.get(start, ())}, heirs)
    for table, is_computed, may_serve, indexed, is_of_the_bank in connection.execute(_INDEXES):
        of_what = columns[table] if is_computed else set(indexed)
        may_be_followed = table in ruled or (may_serve and table in readable)
        if may_be_followed and (is_of_the_bank or not of_what <= readable[table]):
            return True
    return False


def _by_first(pairs: Iterable[tuple[int, int]]) -> dict[int, set[int]]:
    found: defaultdict[int, set[int]] = defaultdict(set)
    for first, second in pairs:
        found[first].add(second)
    return found


def _reached(start: Iterable[int], *ways: Mapping[int, Collection[int]]) -> list[int]:
    """All to which the ways lead, however far, the start among them, each behind one that leads to it."""
    found = dict.fromkeys(start)
    waiting = list(found)
    for one in waiting:
        new = [other for way in ways for other in way.get(one, ()) if other not in found]
        found |= dict.fromkeys(new)
        waiting += new
    return waiting
