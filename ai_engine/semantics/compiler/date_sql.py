"""How each database says what is asked of dates: data, read by `grains`.

`x` stands for a date or a timestamp, of `days_between` also `y`, of `day_spelled` for a text. What stands in braces is
filled in by `grains`. Where a function of a database depends on a setting of its session (the first day of a week, the
language), it is not used.
"""

from __future__ import annotations

from collections.abc import Mapping

from ai_engine.catalogue import Dialect

_PARTS = {
    "year": "EXTRACT(YEAR FROM x)",
    "month_of_year": "EXTRACT(MONTH FROM x)",
    "day_of_month": "EXTRACT(DAY FROM x)",
    "hour_of_day": "EXTRACT(HOUR FROM x)",
}
_AGE = """
{year} - EXTRACT(YEAR FROM x)
- CASE WHEN EXTRACT(MONTH FROM x) * 100 + EXTRACT(DAY FROM x) > {month_and_day} THEN 1 ELSE 0 END
"""
_DUCKDB = {
    **_PARTS,
    "hour": "DATE_TRUNC('hour', x)",
    "day": "CAST(x AS DATE)",
    "week": "CAST(DATE_TRUNC('week', x) AS DATE)",
    "month": "CAST(DATE_TRUNC('month', x) AS DATE)",
    "quarter": "CAST(DATE_TRUNC('quarter', x) AS DATE)",
    "weekday": "EXTRACT(ISODOW FROM x)",
    "age_years": "EXTRACT(YEAR FROM AGE(CAST('{as_of}' AS DATE), x))",
    "fiscal_date": "x + INTERVAL '{months}' MONTH",
    "fiscal_year": "'FY' || EXTRACT(YEAR FROM x)",
    "fiscal_quarter": "'FY' || EXTRACT(YEAR FROM x) || '-Q' || EXTRACT(QUARTER FROM x)",
    "months_later": "CAST(x + INTERVAL '{amount}' month AS DATE)",
    "days_later": "CAST(x + INTERVAL '{amount}' day AS DATE)",
    "days_between": "DATE_DIFF('day', CAST(x AS DATE), CAST(y AS DATE))",
    "day_spelled": "CAST(TRY_STRPTIME(x, '%Y%m%d') AS DATE)",
}
_SPARK = {
    **_DUCKDB,
    "weekday": "WEEKDAY(x) + 1",
    "age_years": _AGE,
    "fiscal_date": "ADD_MONTHS(x, {months})",
    "fiscal_year": "CONCAT('FY', EXTRACT(YEAR FROM x))",
    "fiscal_quarter": "CONCAT('FY', EXTRACT(YEAR FROM x), '-Q', EXTRACT(QUARTER FROM x))",
    "months_later": "ADD_MONTHS(x, {amount})",
    "days_later": "DATE_ADD(x, {amount})",
    "days_between": "DATEDIFF(CAST(y AS DATE), CAST(x AS DATE))",
    "day_spelled": "CAST(TRY_TO_TIMESTAMP(x, 'yyyyMMdd') AS DATE)",
}
DATE_SQL: Mapping[Dialect, Mapping[str, str]] = {
    "duckdb": _DUCKDB,
    "postgres": {
        **_DUCKDB,
        **{part: f"CAST({sql} AS INT)" for part, sql in _PARTS.items()},
        "weekday": "CAST(EXTRACT(ISODOW FROM x) AS INT)",
        "age_years": "CAST(EXTRACT(YEAR FROM AGE(CAST('{as_of}' AS DATE), x)) AS INT)",
        "fiscal_date": "x + INTERVAL '{months} MONTHS'",
        "months_later": "CAST(x + INTERVAL '{amount} months' AS DATE)",
        "days_later": "CAST(x + INTERVAL '{amount} days' AS DATE)",
        "days_between": "CAST(y AS DATE) - CAST(x AS DATE)",
        "day_spelled": "CASE WHEN LENGTH(x) = 8 THEN TO_DATE(x, 'YYYYMMDD') END",
    },
    "sqlite": {
        "hour": "STRFTIME('%Y-%m-%d %H:00:00', x)",
        "day": "DATE(x)",
        "week": "DATE(x, 'weekday 0', '-6 days')",
        "month": "DATE(x, 'start of month')",
        "quarter": "DATE(x, 'start of month', '-' || ((STRFTIME('%m', x) + 2) % 3) || ' months')",
        "year": "CAST(STRFTIME('%Y', x) AS INTEGER)",
        "month_of_year": "CAST(STRFTIME('%m', x) AS INTEGER)",
        "day_of_month": "CAST(STRFTIME('%d', x) AS INTEGER)",
        "hour_of_day": "CAST(STRFTIME('%H', x) AS INTEGER)",
        "weekday": "(STRFTIME('%w', x) + 6) % 7 + 1",
        "age_years": "{year} - STRFTIME('%Y', x) - (STRFTIME('%m-%d', x) > '{month_day}')",
        # Without 'start of month', 31 December and nine months would be 1 October.
        "fiscal_date": "DATE(x, 'start of month', '+{months} months')",
        "fiscal_year": "'FY' || STRFTIME('%Y', x)",
        "fiscal_quarter": "'FY' || STRFTIME('%Y', x) || '-Q' || CAST((STRFTIME('%m', x) + 2) / 3 AS INTEGER)",
        "months_later": "DATE(x, '{amount:+d} months')",
        "days_later": "DATE(x, '{amount:+d} days')",
        "days_between": "CAST(JULIANDAY(DATE(y)) - JULIANDAY(DATE(x)) AS INTEGER)",
        "day_spelled": "DATE(SUBSTR(x, 1, 4) || '-' || SUBSTR(x, 5, 2) || '-' || SUBSTR(x, 7, 2))",
    },
    "mysql": {
        **_PARTS,
        "hour": "CAST(DATE_FORMAT(x, '%Y-%m-%d %H:00:00') AS DATETIME)",
        "day": "DATE(x)",
        "week": "DATE_SUB(DATE(x), INTERVAL ((DAYOFWEEK(x) + 5) % 7) DAY)",
        "month": "CAST(DATE_FORMAT(x, '%Y-%m-01') AS DATE)",
        "quarter": "DATE_ADD(MAKEDATE(YEAR(x), 1), INTERVAL (3 * QUARTER(x) - 3) MONTH)",
        "weekday": "(DAYOFWEEK(x) + 5) % 7 + 1",
        "age_years": "TIMESTAMPDIFF(YEAR, x, '{as_of}')",
        "fiscal_date": "DATE_ADD(x, INTERVAL {months} MONTH)",
        "fiscal_year": "CONCAT('FY', YEAR(x))",
        "fiscal_quarter": "CONCAT('FY', YEAR(x), '-Q', QUARTER(x))",
        "months_later": "DATE_ADD(x, INTERVAL {amount} MONTH)",
        "days_later": "DATE_ADD(x, INTERVAL {amount} DAY)",
        "days_between": "DATEDIFF(y, x)",
        "day_spelled": "STR_TO_DATE(x, '%Y%m%d')",
    },
    "trino": {
        **_DUCKDB,
        "weekday": "DAY_OF_WEEK(x)",
        "age_years": _AGE,
        "fiscal_date": "DATE_ADD('month', {months}, x)",
        "fiscal_year": "'FY' || CAST(EXTRACT(YEAR FROM x) AS VARCHAR)",
        "fiscal_quarter": """
            'FY' || CAST(EXTRACT(YEAR FROM x) AS VARCHAR) || '-Q' || CAST(EXTRACT(QUARTER FROM x) AS VARCHAR)
        """,
        "months_later": "CAST(DATE_ADD('month', {amount}, x) AS DATE)",
        "days_later": "CAST(DATE_ADD('day', {amount}, x) AS DATE)",
        "day_spelled": "TRY(CAST(DATE_PARSE(x, '%Y%m%d') AS DATE))",
    },
    "spark": _SPARK,
    "databricks": _SPARK,
    "tsql": {
        **_PARTS,
        "hour": "DATEADD(HOUR, DATEPART(HOUR, x), CAST(CAST(x AS DATE) AS DATETIME2))",
        "day": "CAST(x AS DATE)",
        # The first day of the calendar was a Monday, whatever SET DATEFIRST says.
        "week": "DATEADD(DAY, -(DATEDIFF(DAY, '0001-01-01', x) % 7), CAST(x AS DATE))",
        "month": "DATEFROMPARTS(DATEPART(YEAR, x), DATEPART(MONTH, x), 1)",
        "quarter": "DATEFROMPARTS(DATEPART(YEAR, x), 3 * DATEPART(QUARTER, x) - 2, 1)",
        "weekday": "DATEDIFF(DAY, '0001-01-01', x) % 7 + 1",
        "age_years": _AGE,
        "fiscal_date": "DATEADD(MONTH, {months}, x)",
        # CONCAT would make 'FY' of a missing date.
        "fiscal_year": "'FY' + CAST(DATEPART(YEAR, x) AS VARCHAR(4))",
        "fiscal_quarter": """
            'FY' + CAST(DATEPART(YEAR, x) AS VARCHAR(4)) + '-Q' + CAST(DATEPART(QUARTER, x) AS VARCHAR(1))
        """,
        "months_later": "DATEADD(MONTH, {amount}, x)",
        "days_later": "DATEADD(DAY, {amount}, x)",
        "days_between": "DATEDIFF(DAY, x, y)",
        "day_spelled": "TRY_CONVERT(DATE, x, 112)",
    },
    "oracle": {
        **_PARTS,
        "hour_of_day": "EXTRACT(HOUR FROM CAST(x AS TIMESTAMP))",
        "hour": "TRUNC(x, 'HH24')",
        "day": "TRUNC(x)",
        "week": "TRUNC(x, 'IW')",
        "month": "TRUNC(x, 'MM')",
        "quarter": "TRUNC(x, 'Q')",
        "weekday": "TRUNC(x) - TRUNC(x, 'IW') + 1",
        "age_years": _AGE,
        "fiscal_date": "ADD_MONTHS(x, {months})",
        # A missing date beside || is the empty text, and 'FY' would be left.
        "fiscal_year": "CASE WHEN x IS NOT NULL THEN 'FY' || TO_CHAR(x, 'YYYY') END",
        "fiscal_quarter": "CASE WHEN x IS NOT NULL THEN 'FY' || TO_CHAR(x, 'YYYY') || '-Q' || TO_CHAR(x, 'Q') END",
        "months_later": "ADD_MONTHS(x, {amount})",
        "days_later": "x + {amount}",
        "days_between": "TRUNC(y) - TRUNC(x)",
        "day_spelled": "CASE WHEN LENGTH(x) = 8 THEN TO_DATE(x, 'YYYYMMDD') END",
    },
    "snowflake": {
        **_DUCKDB,
        "week": "DATEADD(DAY, 1 - DAYOFWEEKISO(x), CAST(x AS DATE))",
        "weekday": "DAYOFWEEKISO(x)",
        "age_years": _AGE,
        "fiscal_date": "DATEADD(MONTH, {months}, x)",
        "months_later": "DATEADD(MONTH, {amount}, x)",
        "days_later": "DATEADD(DAY, {amount}, x)",
        "days_between": "DATEDIFF(DAY, x, y)",
        "day_spelled": "TRY_TO_DATE(x, 'YYYYMMDD')",
    },
    "bigquery": {
        **_PARTS,
        "hour": "TIMESTAMP_TRUNC(x, HOUR)",
        "day": "CAST(x AS DATE)",
        "week": "DATE_TRUNC(CAST(x AS DATE), WEEK(MONDAY))",
        "month": "DATE_TRUNC(CAST(x AS DATE), MONTH)",
        "quarter": "DATE_TRUNC(CAST(x AS DATE), QUARTER)",
        "weekday": "MOD(EXTRACT(DAYOFWEEK FROM x) + 5, 7) + 1",
        "age_years": _AGE,
        "fiscal_date": "DATE_ADD(CAST(x AS DATE), INTERVAL '{months}' MONTH)",
        "fiscal_year": "CONCAT('FY', CAST(EXTRACT(YEAR FROM x) AS STRING))",
        "fiscal_quarter": """
            CONCAT('FY', CAST(EXTRACT(YEAR FROM x) AS STRING), '-Q', CAST(EXTRACT(QUARTER FROM x) AS STRING))
        """,
        "months_later": "DATE_ADD(x, INTERVAL '{amount}' MONTH)",
        "days_later": "DATE_ADD(x, INTERVAL '{amount}' DAY)",
        "days_between": "DATE_DIFF(CAST(y AS DATE), CAST(x AS DATE), DAY)",
        "day_spelled": "SAFE.PARSE_DATE('%Y%m%d', x)",
    },
    "clickhouse": {
        **_PARTS,
        "hour": "toStartOfHour(x)",
        # Its type Date begins in 1970, and so do the results of toMonday and toStartOfMonth.
        "day": "toDate32(x)",
        "week": "addDays(toDate32(x), 1 - toDayOfWeek(x))",
        "month": "makeDate32(toYear(x), toMonth(x), 1)",
        "quarter": "makeDate32(toYear(x), 3 * toQuarter(x) - 2, 1)",
        "weekday": "toDayOfWeek(x)",
        "age_years": _AGE,
        "fiscal_date": "addMonths(toDate32(x), {months})",
        "fiscal_year": "CONCAT('FY', toString(toYear(x)))",
        "fiscal_quarter": "CONCAT('FY', toString(toYear(x)), '-Q', toString(toQuarter(x)))",
        "months_later": "addMonths(toDate32(x), {amount})",
        "days_later": "addDays(toDate32(x), {amount})",
        "days_between": "dateDiff('day', toDate32(x), toDate32(y))",
        "day_spelled": """
            toDate32OrNull(CONCAT(SUBSTRING(x, 1, 4), '-', SUBSTRING(x, 5, 2), '-', SUBSTRING(x, 7, 2)))
        """,
    },
}
