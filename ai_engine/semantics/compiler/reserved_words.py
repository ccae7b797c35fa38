"""Words that a database refuses as bare names of tables and columns."""

from __future__ import annotations

from collections.abc import Mapping

from ai_engine.catalogue import Dialect


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


# What at least one of DuckDB, SQLite, PostgreSQL and MySQL refuses; quoted everywhere.
_ANYWHERE = _words(
    """
    all alter analyse analyze and any array as asc asymmetric authorization before between bigint binary both by call
    cascade case cast change char check collate collation column commit condition constraint continue convert create
    cross current current_date current_role current_time current_timestamp current_user cursor database databases dec
    decimal declare default deferrable delayed delete desc describe deterministic distinct div do double drop each else
    elseif end escape except exists exit explain false fetch float for force foreign freeze from full fulltext function
    generated glob grant group grouping groups having if ignore ilike in index indexed infile initially inner inout
    insert int integer intersect interval into is isnull join key keys kill lateral leading leave left like limit linear
    lines load localtime localtimestamp lock long loop match maxvalue mod modifies natural not notnull null numeric of
    offset on only open optimize option or order out outer over overlaps partition pivot placing primary procedure
    purge qualify range rank read real recursive references regexp release rename repeat replace require restrict
    return returning revoke right rlike row row_number rows schema schemas select sensitive separator session_user set
    show similar smallint some spatial specific sql ssl starting straight_join summarize symmetric system table
    tablesample terminated then to trailing transaction trigger true undo union unique unlock unpivot unsigned update
    usage use user using values varchar variadic varying verbose virtual when where while window with write xor
    """
)
_NOTHING_MORE: frozenset[str] = frozenset()
_ALSO: Mapping[Dialect, frozenset[str]] = {
    "duckdb": _NOTHING_MORE,
    "sqlite": _NOTHING_MORE,
    "postgres": _NOTHING_MORE,
    "mysql": _NOTHING_MORE,
    "trino": _words(
        """
        constructor cube current_catalog current_path current_schema deallocate escape execute extract json_array
        json_exists json_object json_query json_table json_value listagg normalize prepare rollup skip trim
        uescape unnest
        """
    ),
    "spark": _words("anti minus semi"),
    "databricks": _words("anti minus semi"),
    "tsql": _words(
        """
        backup begin break browse bulk checkpoint close clustered coalesce compute contains containstable convert dbcc
        deny disk distributed dump errlvl exec execute external file fillfactor freetext freetexttable goto holdlock
        identity identity_insert identitycol merge national nocheck nonclustered nullif off offsets opendatasource
        openquery openrowset openxml percent plan print proc public raiserror readtext reconfigure replication restore
        revert rollback rowcount rowguidcol rule save securityaudit semantickeyphrasetable
        semanticsimilaritydetailstable semanticsimilaritytable setuser shutdown statistics textsize top tran truncate
        try_convert tsequal updatetext waitfor within writetext
        """
    ),
    "oracle": _words(
        """
        access add audit cluster comment compress date exclusive file identified immediate increment initial level
        maxextents minus mlslabel mode modify noaudit nocompress nowait number offline online pctfree prior public raw
        resource rowid rownum session share size start successful synonym sysdate uid validate varchar2 view whenever
        """
    ),
    "snowflake": _words(
        """
        account connection gscluster increment issue minus organization sample some start try_cast view
        """
    ),
    "bigquery": _words(
        """
        assert_rows_modified at contains cube enum escape extract hash lookup merge new no nulls over preceding proto
        respect rollup struct tablesample treat unbounded unnest within
        """
    ),
    "clickhouse": _words("anti asof final format global offset prewhere sample semi settings"),
}


def is_reserved(name: str, dialect: Dialect) -> bool:
    """Tell whether a database reads a name as a word of its own."""
    return name.lower() in _ANYWHERE or name.lower() in _ALSO[dialect]
