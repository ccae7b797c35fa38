"""Which tables show each other's rows, so that what a policy says of one is said of the others."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace

from ai_engine.catalogue import Place, Table


def with_kin(
    tables: Iterable[Table],
    shown_by: Mapping[Place, Collection[Place]],
    parted_by: Mapping[Place, Collection[str]],
    *,
    parts: Collection[Place] = (),
    inherited: Collection[Place] = (),
) -> Iterator[Table]:
    """Give tables their kin, and what their rows are kept apart by.

    Args:
        shown_by: table → the tables that show its rows as their own: what it is a partition of, or inherits from.
        parted_by: table → the columns by which it is divided itself; "" for what is computed or not known.
        parts: tables that are left out where one that shows their rows is there.
        inherited: tables that others inherit from, which may have further columns.
    """
    tables = tuple(tables)
    there = {(table.schema, table.name) for table in tables}
    shows: dict[Place, set[Place]] = {}
    for place in shown_by:
        for above in _reached(place, shown_by):
            shows.setdefault(above, set()).add(place)
    for table in tables:
        place = (table.schema, table.name)
        below = shows.get(place, set())
        if place in parts and not there.isdisjoint(_reached(place, shown_by)):
            continue
        kin = {one for part in (place, *below) for one in (part, *_reached(part, shown_by))}
        columns = {column.lower() for part in (place, *below) for column in parted_by.get(part, ())}
        names = {name.lower() for _, name in kin - {place}}
        heirs = below if not {place, *below}.isdisjoint(inherited) else ()
        yield replace(table, kin=tuple(sorted(names)), parted_by=tuple(sorted(columns)), heirs=frozenset(heirs))


def with_made_of_below(tables: Iterable[Table], shown_by: Mapping[Place, Collection[Place]]) -> Iterator[Table]:
    """Say of columns what they are made of in the tables whose rows are shown, too: an heir may compute its own."""
    tables = tuple(tables)
    made_of: dict[tuple[Place, str], dict[str, None]] = {}
    for table in tables:
        place = (table.schema, table.name)
        for column in table.columns:
            for above in (place, *_reached(place, shown_by)) if column.made_of else ():
                made_of.setdefault((above, column.name), {}).update(dict.fromkeys(column.made_of))
    for table in tables:
        place = (table.schema, table.name)
        columns = (replace(column, made_of=tuple(made_of.get((place, column.name), ()))) for column in table.columns)
        yield replace(table, columns=tuple(columns))


def _reached(place: Place, shown_by: Mapping[Place, Collection[Place]]) -> set[Place]:
    """All that show the rows of a table, however far up."""
    found: set[Place] = set()
    waiting = [place]
    while waiting:
        new = set(shown_by.get(waiting.pop(), ())) - found
        found |= new
        waiting += new
    return found
