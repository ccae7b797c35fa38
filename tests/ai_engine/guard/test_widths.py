"""What the guard takes for the longest value that a function may give is at least what each engine gives."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import replace
from itertools import product
from random import Random

import duckdb
import pytest

from ai_engine.catalogue_from_ddl import catalogue_from_ddl
from ai_engine.errors import SqlRejected
from ai_engine.guard import check
from ai_engine.guard.allowed_functions import ALLOWED_FUNCTIONS
from ai_engine.guard.growth import growth_of
from tests.ai_engine.guard.bank import DIALECTS, POLICY, catalogue
from tests.ai_engine.guard.twins import reachable_twins
from tests.backend.databases.servers.small_bank import administer_mariadb
from tests.patience import allowed_s

ENGINES = [
    pytest.param(dialect, marks=[pytest.mark.server] if dialect in {"postgres", "mysql"} else [])
    for dialect in DIALECTS
]
TEXTS = {"duckdb": "VARCHAR", "postgres": "TEXT", "sqlite": "TEXT", "mysql": "CHAR"}
LONG = ("a" * 300, "''" * 300, '"' * 300, "(" * 90 + "a*" + ")" * 90, "%c" * 99)
SHORT = ("''", "'%L'", "'%q'", "'g'", "'(a*)'", "'\\1\\1'", "'$1'", "1", "0", "2", "NULL", "1e30")
ARGUMENTS = tuple(f"'{text}'" for text in LONG) + SHORT
GROWING = {
    "duckdb": (
        "REGEXP_REPLACE({v}, '', 'a', 'g')", "REGEXP_REPLACE({v}, '(.*)', '\\1\\1', 'g')", "CONCAT_WS({v}, 1, 2, 3, 4)",
        "ARRAY_TO_STRING(STRING_SPLIT({v}, ''), {v})", "ARRAY_TO_STRING(['', '', ''], {v})", "PRINTF('%s%1$s', {v})",
        "FORMAT('{{0}}{{0}}{{0}}', {v})", "TRANSLATE({v}, 'a', {v})", "CAST(STRING_SPLIT({v}, '') AS VARCHAR)",
        "STRFTIME(DATE '2024-01-01', REPEAT('%c', 99))", "PRINTF('%.300f', 1e300)", "UPPER({v})",
    ),
    "postgres": (
        "ARRAY_TO_STRING(STRING_TO_ARRAY({v}, NULL), {v})", "OVERLAY({v} PLACING {v} FROM 1 FOR 0)",
        "FORMAT('%L', {v})",
        "FORMAT('%1$L%1$L%1$I', {v})", "REGEXP_REPLACE({v}, '', 'a', 'g')", "REGEXP_REPLACE({v}, '.*', '\\&\\&', 'g')",
        "CONCAT_WS({v}, 1, 2, 3, 4)", "ARRAY_TO_STRING(ARRAY['', '', ''], {v})",
        "CAST(STRING_TO_ARRAY({v}, NULL) AS TEXT)", "CAST(REGEXP_MATCH({v}, '(((.*)))') AS TEXT)",
        "ARRAY_TO_STRING(STRING_TO_ARRAY({v}, NULL), '', {v})", "ARRAY_TO_STRING(STRING_TO_ARRAY({v}, 'a'), 'a', {v})",
        "TO_CHAR(DATE '2024-01-01', REPEAT('J', 99))", "CAST(1e3000 AS TEXT)", "REPEAT(CAST(1e3000 AS TEXT), 9)",
        "CAST(POWER(7.7, 777.7) AS TEXT)", "CAST(EXP(3000.5) AS TEXT)",
        "REPEAT(CAST(POWER(7.7, 2999.5 + 0) AS TEXT), 4)",
        "ARRAY_TO_STRING(ARRAY(SELECT {v} FROM GENERATE_SERIES(1, 90)), '')",
        *(f"REPEAT(CAST({number} AS TEXT), 9)" for number in (
            "CAST('1e9999' AS NUMERIC)", "CAST('1e' || '9999' AS NUMERIC)", "CAST(REVERSE('9999e1') AS NUMERIC)",
            "(SELECT CAST(z.v AS NUMERIC) FROM (SELECT '1e' || 9999 AS v) AS z)", "(1.5 + '1e9999')",
            "ROUND(2.5, 9999)", "TRUNC(2.5, 9999 + 0)",
            "COALESCE(CAST(CASE WHEN 1 = 1 THEN LOWER('1E9999') END AS NUMERIC), 0)",
        )),
    ),
    "sqlite": (
        "PRINTF('%q', {v})", "PRINTF('%Q', {v})", "PRINTF('%w', {v})", "PRINTF('%.300f', 1e300)", "HEX({v})",
        "REPLACE({v}, 'a', {v})", "CONCAT_WS({v}, 1, 2, 3, 4)", "CHAR(65, 66, 67)",
    ),
    "mysql": (
        "INSERT({v}, 1, 0, {v})", "CONCAT_WS({v}, 1, 2, 3, 4)", "REGEXP_REPLACE({v}, '', 'a')", "FORMAT(1e300, 30)",
        "REGEXP_REPLACE({v}, '(?=(.*))', '\\\\1')", "DATE_FORMAT(NOW(), REPEAT('%W', 99))", "REPLACE({v}, 'a', {v})",
    ),
}  # fmt: skip
LEAST_CHARS = 400
"""Shorter results prove nothing: what has no function that grows is not looked at."""


def test_every_function_that_may_be_called_has_a_growth_of_its_own():
    unknown = {name for names in ALLOWED_FUNCTIONS.values() for name in names if growth_of(name) == "worst"}
    assert unknown == set()


def calls(dialect: str):
    """What is known to grow, over each long text, then calls of all functions."""
    values = [f"'{text}'" for text in LONG]
    for value in values:
        for call in GROWING[dialect]:
            text = call.replace("{{", "\0").replace("}}", "\1").format(v=value)
            yield text.replace("\0", "{").replace("\1", "}")
    random = Random(0)
    for name, count in product(sorted(ALLOWED_FUNCTIONS[dialect]), (1, 2, 3, 4)):
        for _ in range(2):
            arguments = ", ".join(random.choice(ARGUMENTS) for _ in range(count))
            yield f"{name}({arguments})"


@pytest.mark.parametrize("dialect", ENGINES)
def test_no_value_is_longer_than_it_is_taken_to_be(dialect):
    bank, compared = catalogue(dialect), 0
    with reachable_twins(dialect) as pair:
        for call in calls(dialect):
            sql = f"SELECT LENGTH(REPLACE(CAST({call} AS {TEXTS[dialect]}), '~', '~')) AS n"
            try:
                checked = check(sql, bank, POLICY)
            except SqlRejected:
                continue
            status, _, rows = pair.first.answer(checked.run_sql)
            chars = int(rows[0][0]) if status == "rows" and rows and rows[0][0] is not None else 0
            if chars < LEAST_CHARS:
                continue
            compared += 1
            with pytest.raises(SqlRejected):
                raise AssertionError(check(sql, bank, replace(POLICY, max_value_chars=chars - 1)).sql)
    assert compared >= len(GROWING[dialect])


A_MILLION = "REPEAT(REPEAT('{}', 1000), {})"
SLOW = {
    "mysql": (
        "LOCATE(CONCAT({half}, 'b'), {wide})", "REPLACE({wide}, CONCAT({half}, 'b'), '')", "REPLACE({wide}, 'é', 'bb')",
        "SUBSTRING_INDEX({wide}, CONCAT({half}, 'b'), 1)", "REGEXP_REPLACE({wide}, 'é', '')",
        "TRIM(TRAILING 'é' FROM {wide})", "TRIM(u.p FROM {wide})", "{wide} LIKE u.p", "{wide} NOT LIKE u.p ESCAPE '!'",
        "INSTR({wide}, u.p)", "POSITION(u.p IN {wide})", "REGEXP_INSTR({wide}, 'é+[0-9]')",
        "{wide} RLIKE '[aé]+?[0-9]'",
    ),
    "postgres": (
        "STRPOS({wide}, CONCAT('b', {half}))", "POSITION(u.p IN {wide})", "REPLACE({wide}, CONCAT('b', {half}), '')",
        "SPLIT_PART({wide}, u.p, 1)", "TRANSLATE({wide}, u.p, '')", "BTRIM({wide}, u.p)", "RTRIM({wide}, u.p)",
        "TRIM(LEADING u.p FROM {wide})", "CAST({wide} LIKE u.p AS INT)", "CAST({wide} NOT LIKE u.p ESCAPE '!' AS INT)",
        "CAST({wide} ILIKE u.p AS INT)",
    ),
    "duckdb": (
        "LEVENSHTEIN({wide}, u.p)", "JARO_WINKLER_SIMILARITY({wide}, u.p)", "CONTAINS({wide}, CONCAT({half}, 'b'))",
        "STRPOS({wide}, u.p)", "POSITION(u.p IN {wide})", "REPLACE({wide}, CONCAT({half}, 'b'), '')",
        "SPLIT_PART({wide}, u.p, 1)", "LTRIM({wide}, u.p)", "TRANSLATE({wide}, u.p, '')",
        "REGEXP_MATCHES(CONCAT({wide}, u.p), 'a.{{99}}b')", "LENGTH(REGEXP_EXTRACT({wide}, 'a[a-c]{{99}}b'))",
    ),
}  # fmt: skip
OF_A_WIDE_NUMBER = (
    "SQRT(w.n)", "LN(w.n)", "EXP(w.n)", "LOG(10.0, w.n)", "GCD(w.n, w.n)", "LCM(w.n, 7)", "WIDTH_BUCKET(w.n, 1, 9, 9)",
    "ABS(w.n)", "ROUND(w.n, 5)", "AVG(w.n)", "CBRT(w.n)", "TO_CHAR(w.n, '9')", "CAST(w.n AS TEXT)",
)  # fmt: skip
OF_A_WIDE_TEXT = (
    "UPPER(w.t)", "INITCAP(w.t)", "REVERSE(w.t)", "OVERLAY(w.t PLACING 'a' FROM 5)", "LENGTH(w.t)", "MD5(w.t)",
    "LEFT(w.t, 5)", "CONCAT(w.t, 'a')", "w.t || 'a'", "CAST(w.t < 'é' AS TEXT)", "GREATEST(w.t, 'é')", "w.t",
    "CAST(STARTS_WITH(w.t, 'a') AS TEXT)", "REPLACE(w.t, 'é', 'a')", "REPEAT(w.t, 1)",
)  # fmt: skip
WIDE = (
    "WITH w AS MATERIALIZED (SELECT CAST(REPLACE(REPEAT('9', 1000), '9', REPEAT('7', 130)) AS NUMERIC) AS n,"
    " REPLACE(REPEAT('9', 1000), '9', REPEAT('é', 900)) AS t)"
)
A_PRODUCT = "(1e65000 - 1) * (1e65000 - 1)"
OFTEN = {
    "mysql": ("LOCATE(CONCAT({half}, 'b'), {wide})",),
    "postgres": ("STRPOS({wide}, CONCAT('b', {half}))", A_PRODUCT, "(1e65000 - 1) * (1e65000 - 1) / (1e60000 + 7)"),
    "duckdb": ("LEVENSHTEIN({wide}, 'abcdefghij')", "CONTAINS({wide}, 'abc')"),
}
"""What takes a moment once, and for ever where its name is put in many times."""
QUICK = (
    "REPLACE(GROUP_CONCAT(city), ',', ', ')", "REGEXP_REPLACE(GROUP_CONCAT(city), '[0-9]', '')", "city LIKE '%na%'",
    "TRIM(',' FROM GROUP_CONCAT(city))", "LOCATE('na', REPEAT(city, 9))", "REPLACE(REPEAT('ab', 9000), 'a', 'b')",
)  # fmt: skip
LONGEST_VALUE_S = 5


def searching(search: str, chars: int) -> str:
    wide, half = A_MILLION.format("é", chars // 1000), A_MILLION.format("é", chars // 2000)
    value = search.format(wide=wide, half=half)
    return f"SELECT MAX({value}) AS n FROM (SELECT CONCAT('%', {half}, 'b%') AS p) AS u"


@pytest.mark.parametrize(("dialect", "search"), [(dialect, one) for dialect, found in SLOW.items() for one in found])
def test_a_search_of_wide_text_that_hears_nothing_while_it_runs_is_refused(dialect, search):
    with pytest.raises(SqlRejected, match="takes too long"):
        check(searching(search, 200_000), catalogue(dialect), POLICY)


def test_searches_as_people_write_them_are_accepted():
    for search in QUICK:
        check(f"SELECT {search} AS n FROM branches GROUP BY city", catalogue("mysql"), POLICY)


NOTES = catalogue_from_ddl(
    "CREATE TABLE notes (id INT, code VARCHAR(40), subject VARCHAR(255), note VARCHAR(1000), letter TEXT)", "mysql"
)
SHARED = {
    2: "[^0-9]+[^0-9]+[0-9]",
    3: "[^0-9]+[^0-9]+[^0-9]+[0-9]",
    4: "[^0-9]+[^0-9]+[^0-9]+[^0-9]+[0-9]",
}
IN_NOTES = (
    "SELECT id FROM notes WHERE {column} REGEXP '{pattern}'",
    "SELECT id FROM (SELECT id, LOWER({column}) AS t FROM notes) AS n WHERE t REGEXP '{pattern}'",
    "SELECT (SELECT {column} FROM notes LIMIT 1) RLIKE '{pattern}' AS n",
    "WITH n AS (SELECT 'a' AS t UNION ALL SELECT {column} FROM notes) SELECT REGEXP_REPLACE(t, '{pattern}', '') FROM n",
)


@pytest.mark.parametrize("sql", IN_NOTES)
@pytest.mark.parametrize(("column", "parts"), [("note", 4), ("note", 2), ("letter", 2), ("subject", 3)])
def test_a_pattern_whose_parts_share_a_column_that_may_be_wide_is_refused_on_mariadb(sql, column, parts):
    policy = replace(POLICY, allow_union=True)
    with pytest.raises(SqlRejected, match="takes too long"):
        check(sql.format(column=column, pattern=SHARED[parts]), NOTES, policy)


@pytest.mark.parametrize("sql", IN_NOTES)
@pytest.mark.parametrize(
    ("column", "pattern"),
    [
        *(("code", SHARED[3]), ("subject", SHARED[2]), ("letter", "(upi|neft).*refund"), ("letter", "^[A-M]")),
        *(("note", "[0-9]{3,4}[- ]?[0-9]{4}"), ("subject", r"^[A-Z0-9._%+-]+@[A-Z0-9.-]+\\.[A-Z]{2,}$")),
    ],
)
def test_patterns_as_people_write_them_are_accepted_over_such_columns(sql, column, pattern):
    check(sql.format(column=column, pattern=pattern), NOTES, replace(POLICY, allow_union=True))


@pytest.mark.server
@pytest.mark.parametrize(
    ("chars", "pattern"), [(8_000, "[^0-9]+[0-9]"), (840, SHARED[2]), (217, SHARED[3]), (840, f"^{SHARED[3]}")]
)
def test_the_widest_column_over_which_a_pattern_is_accepted_is_looked_through_in_a_moment(mariadb_url, chars, pattern):
    wide = catalogue_from_ddl(f"CREATE TABLE notes (note VARCHAR({chars}))", "mysql")
    checked = check(f"SELECT note REGEXP '{pattern}' AS n FROM notes", wide, POLICY).run_sql
    begun = time.monotonic()
    administer_mariadb(checked.replace("`notes`", f"(SELECT REPEAT('a', {chars}) AS note)"))
    assert time.monotonic() - begun < allowed_s(LONGEST_VALUE_S)


@pytest.mark.parametrize(("dialect", "search"), [(dialect, one) for dialect, found in OFTEN.items() for one in found])
def test_what_takes_a_moment_may_not_be_named_very_often(dialect, search):
    check(often(search, 1), catalogue(dialect), POLICY)
    for nested in (often(search, 500), often(f"GREATEST({', '.join([search] * 99)})", 1)):
        with pytest.raises(SqlRejected, match="too large"):
            check(nested, catalogue(dialect), POLICY)


def often(search: str, times: int) -> str:
    value = search.format(wide=A_MILLION.format("a", 6), half=A_MILLION.format("a", 3))
    return f"SELECT GREATEST({', '.join(['u.n'] * times)}, 1) AS n FROM (SELECT {value} AS n) AS u"


def test_instalments_of_loans_are_accepted():
    rate = "POWER(1 + amount / 1200.0, 240)"
    instalment = f"SUM(amount * amount / 1200.0 * {rate} / NULLIF({rate} - 1, 0))"
    check(f"SELECT {', '.join([instalment] * 9)} FROM transactions", catalogue("postgres"), POLICY)


def many(call: str, times: int) -> str:
    outputs = ", ".join(f"x.v AS c{place}" for place in range(times))
    return f"{WIDE} SELECT {outputs} FROM (SELECT {call} AS v FROM w) AS x"


@pytest.mark.parametrize("call", [*OF_A_WIDE_NUMBER, *OF_A_WIDE_TEXT])
def test_what_is_wide_may_be_looked_at_or_put_out_a_few_times_only(call):
    check(many(call, 2), catalogue("postgres"), POLICY)
    with pytest.raises(SqlRejected, match="too large"):
        check(many(call, 120), catalogue("postgres"), POLICY)


@pytest.mark.server
@pytest.mark.parametrize("call", ["SIGN(SQRT(w.n))", "LENGTH(INITCAP(w.t))", "w.t"])
def test_the_most_that_is_accepted_of_what_is_wide_is_over_in_a_moment(call):
    accepted = ""
    for times in (2, 4, 8, 16, 32, 64):
        with suppress(SqlRejected):
            accepted = check(many(call, times), catalogue("postgres"), POLICY).run_sql
    with reachable_twins("postgres") as pair:
        begun = time.monotonic()
        assert pair.first.answer(accepted)[0] == "rows"
        assert time.monotonic() - begun < allowed_s(LONGEST_VALUE_S)


SERVERS = [(dialect, search) for dialect in ("mysql", "postgres") for search in SLOW[dialect]]


@pytest.mark.server
@pytest.mark.parametrize(("dialect", "search"), [*SERVERS, ("postgres", f"GREATEST({', '.join([A_PRODUCT] * 15)})")])
def test_the_widest_search_that_is_accepted_ends_in_a_moment_on_servers(dialect, search):
    accepted = ""
    for chars in (2_000, 4_000, 6_000, 8_000, 10_000, 14_000, 20_000, 40_000, 100_000):
        with suppress(SqlRejected):
            accepted = check(searching(search, chars), catalogue(dialect), POLICY).run_sql
    with reachable_twins(dialect) as pair:
        begun = time.monotonic()
        assert pair.first.answer(accepted)[0] == "rows"
        assert time.monotonic() - begun < allowed_s(LONGEST_VALUE_S)


ROWS_OF_A_VECTOR = 2_048


@pytest.mark.parametrize("search", SLOW["duckdb"])
def test_the_widest_search_that_is_accepted_is_over_for_all_rows_of_a_vector_in_a_moment(search):
    accepted, varied = "", search.replace("u.p", "CONCAT(u.p, x.full_name)").replace("'b')", "x.full_name)")
    for chars in (1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 100_000):
        with suppress(SqlRejected):
            sql = searching(varied, chars).replace("AS u", "AS u CROSS JOIN customers AS x")
            accepted = check(sql, catalogue("duckdb"), POLICY).run_sql
    with duckdb.connect(":memory:", config={"threads": 1}) as bank:
        bank.execute(f"CREATE TABLE customers AS SELECT 'b' || i AS full_name FROM range({ROWS_OF_A_VECTOR}) AS r(i)")
        begun = time.monotonic()
        assert bank.execute(accepted).fetchall()
        assert time.monotonic() - begun < allowed_s(LONGEST_VALUE_S)
