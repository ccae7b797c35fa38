"""What the guard takes for the longest value that a function may give is at least what each engine gives."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import replace
from itertools import product
from random import Random

import pytest

from ai_engine.errors import SqlRejected
from ai_engine.guard import check
from ai_engine.guard.allowed_functions import ALLOWED_FUNCTIONS
from ai_engine.guard.growth import growth_of
from tests.ai_engine.guard.bank import DIALECTS, POLICY, catalogue
from tests.ai_engine.guard.twins import reachable_twins
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
        "INSTR({wide}, u.p)", "POSITION(u.p IN {wide})",
    ),
    "duckdb": ("LEVENSHTEIN({wide}, u.p)",),
}  # fmt: skip
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


@pytest.mark.server
@pytest.mark.parametrize("search", SLOW["mysql"])
def test_the_widest_search_that_is_accepted_ends_in_a_moment_on_mariadb(search):
    accepted = ""
    for chars in (2_000, 4_000, 6_000, 8_000, 10_000, 14_000, 20_000, 40_000, 100_000):
        with suppress(SqlRejected):
            accepted = check(searching(search, chars), catalogue("mysql"), POLICY).run_sql
    with reachable_twins("mysql") as pair:
        begun = time.monotonic()
        assert pair.first.answer(accepted)[0] == "rows"
        assert time.monotonic() - begun < allowed_s(LONGEST_VALUE_S)
