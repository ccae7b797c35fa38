"""Statements that fail over cells, and whose engines would quote these; `t` holds the marker in every kind of place."""

from __future__ import annotations

MARKER = "qzx7marker"
SCHEMA = f"""
    CREATE TABLE t (id INTEGER, note VARCHAR(60), pattern VARCHAR(60), huge BIGINT);
    INSERT INTO t VALUES (1, '{MARKER}', '({MARKER}', 9223372036854775807);
    INSERT INTO t VALUES (2, '{MARKER} 2', '[{MARKER}', 9223372036854775807);
"""
EXPRESSIONS = {
    "duckdb": (
        "CAST(note AS INTEGER)", "CAST(note AS DATE)", "CAST(note AS TIMESTAMP)", "CAST(note AS DECIMAL(10,2))",
        "CAST(note AS UUID)", "CAST(note AS INTERVAL)", "CAST(note AS JSON)", "note + 1", "STRPTIME(note, '%Y')",
        "STRFTIME(DATE '2024-01-01', note)", "REGEXP_MATCHES('x', pattern)", "REGEXP_REPLACE('x', pattern, '')",
        "CAST(t AS INTEGER)", "CAST(t AS DATE)", "(SELECT note FROM t)", "huge + huge",
        "DATE_PART(note, DATE '2024-01-01')",
        "DATE_TRUNC(note, DATE '2024-01-01')", "ERROR(note)", "FORMAT(pattern || '{', 1)", "note COLLATE note",
        "JSON_EXTRACT(note, '$.a')", "CAST([note] AS INTEGER[])", "CAST({'a': note} AS STRUCT(a INTEGER))",
        "note.note", "UNKNOWN_OF(note)", "SUM(note)", "note IN (1, 2)", "MAKE_DATE(id, 99, 99)", "CHR(huge)",
    ),
    "sqlite": (
        "ABS(-huge - 1)", "JSON_EXTRACT(note, '$')", "JSON_EXTRACT('{}', note)", "note MATCH note",
        "note LIKE 'a' ESCAPE note",
        "note REGEXP pattern", "(SELECT id, note FROM t)", "UNKNOWN_OF(note)", "SUM(SUM(huge))", "SUM(huge)",
        "note.note", "ROUND(note, note, note)", "JSON_OBJECT(note)", "PRINTF(note, note) COLLATE note",
    ),
    "postgres": (
        "CAST(note AS INTEGER)", "CAST(note AS DATE)", "CAST(note AS TIMESTAMP)", "CAST(note AS NUMERIC)",
        "CAST(note AS UUID)", "CAST(note AS INTERVAL)", "CAST(note AS JSON)", "CAST(note AS BOOLEAN)",
        "CAST(note AS MONEY)",
        "TO_DATE(note, 'YYYY')", "TO_TIMESTAMP(note, 'YYYY')", "TO_NUMBER(note, 'YY')", "'x' ~ pattern",
        "REGEXP_REPLACE('x', pattern, '')", "DATE_TRUNC(note, NOW())", "DATE_PART(note, NOW())",
        "NOW() AT TIME ZONE note",
        "CAST(CAST(t AS TEXT) AS INTEGER)", "CAST(t AS INTEGER)", "(SELECT note FROM t)", "huge + huge",
        "1 / (id - id)",
        "CAST(huge AS INTEGER)", "DECODE(note, 'hex')", "CAST(note AS REGCLASS)", "UNKNOWN_OF(note)", "SUM(note)",
        "note + 1", "note COLLATE note", "CAST(note AS INET)", "FORMAT(pattern || '%', 1)", "CURRENT_SETTING(note)",
    ),
    "mysql": (
        "'x' REGEXP pattern", "REGEXP_REPLACE('x', pattern, '')", "EXTRACTVALUE('<a/>', CONCAT('~', note))",
        "UPDATEXML('<a/>', CONCAT('~', note), '')", "huge + huge", "EXP(huge)", "(SELECT note FROM t)",
        "UNKNOWN_OF(note)", "note.note", "JSON_EXTRACT(note, note)", "ST_GEOMFROMTEXT(note)", "SUM(SUM(huge))",
        "CAST(note AS INTEGER)", "POW(huge, huge)", "CAST(note AS DATE) + huge + huge",
    ),
}  # fmt: skip
SHAPES = (
    "SELECT {} AS x FROM t",
    "SELECT id FROM t WHERE {} IS NOT NULL",
    "SELECT id FROM t ORDER BY {}",
    "SELECT COUNT(*) FROM t GROUP BY {}",
    "SELECT MAX(s.x) FROM (SELECT {} AS x FROM t) AS s",
    "SELECT CASE WHEN id = 1 THEN NULL ELSE {} END AS x FROM t",
    "SELECT id AS t, {} AS x FROM t",
)
