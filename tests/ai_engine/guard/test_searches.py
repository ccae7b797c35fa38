"""What MariaDB cannot be called back from within a row takes a moment, whatever function is called over wide texts."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import suppress
from random import Random

import pytest

from ai_engine.errors import SqlRejected
from ai_engine.guard import check
from ai_engine.guard.allowed_functions import ALLOWED_FUNCTIONS
from tests.ai_engine.guard.bank import POLICY, catalogue
from tests.ai_engine.guard.twins import reachable_twins
from tests.patience import allowed_s

BANK = catalogue("mysql")
WIDE = "SELECT MAX(REPEAT(REPEAT('é', 1000), 400)) AS t FROM customers"
LINEAR = (
    "REVERSE({})", "UPPER({})", "LOWER({})", "REPLACE({}, 'a', 'b')", "CONCAT({}, 'a')", "TRIM({})", "SUBSTRING({}, 2)",
    "LPAD({}, 10000, 'a')", "MD5({})", "SHA2({}, 512)", "SOUNDEX({})", "CHAR_LENGTH({})",
    "({} < 'é')", "({} LIKE 'é')", "({0} BETWEEN 'a' AND {0})", "({0} IN ('a', {0}))", "CAST({} AS CHAR)",
    "(CASE {0} WHEN 'a' THEN 1 WHEN {0} THEN 2 END)", "(CASE WHEN {} = 'é' THEN 1 END)", "NULLIF({}, 'é')",
    "STRCMP({0}, {0})", "FIND_IN_SET('a', {})", "SUBSTRING_INDEX({}, 'a', 1)", "({} RLIKE '^é')", "COALESCE({}, 'a')",
)  # fmt: skip
QUICK = (
    "UPPER(REPLACE(GROUP_CONCAT(city), ',', ';'))", "MD5(GROUP_CONCAT(CONCAT(city, branch_id)))",
    "CONCAT(LPAD(MAX(city), 200, ' '), RPAD(MAX(city), 200, ' '))", "TRIM(LOWER(REPEAT(MAX(city), 9)))",
)  # fmt: skip
MOST_S = 2


def in_a_row(call: str, times: int) -> str:
    """Have one row call something `times` times `times`."""
    called = " OR ".join(["LENGTH(x.v) < 0"] * times)
    return (
        f"SELECT {' OR '.join(['y.n'] * times)} AS n FROM (SELECT {called} AS n"
        f" FROM (SELECT {call.format('w.t')} AS v FROM ({WIDE}) AS w) AS x) AS y"
    )


def calls() -> Iterator[str]:
    """Each function over a wide text at each of its first places."""
    yield from LINEAR
    random = Random(0)
    for name in sorted(ALLOWED_FUNCTIONS["mysql"]):
        for count in (1, 2):
            others = [random.choice(("'a'", "2", "'%Y-%m'", "{0}")) for _ in range(count)]
            others[random.randrange(count)] = "{0}"
            yield f"{name}({', '.join(others)})"


@pytest.mark.parametrize("call", LINEAR)
def test_what_walks_a_wide_text_may_be_called_a_few_times_only(call):
    check(in_a_row(call, 1), BANK, POLICY)
    with pytest.raises(SqlRejected, match="too large"):
        check(in_a_row(call, 10), BANK, POLICY)


@pytest.mark.parametrize("value", QUICK)
def test_texts_as_people_put_them_together_are_shaped_often(value):
    outputs = ", ".join(f"{value} AS c{place}" for place in range(20))
    check(f"SELECT {outputs} FROM branches GROUP BY city", BANK, POLICY)


@pytest.mark.server
def test_the_most_calls_over_wide_texts_that_are_accepted_are_over_in_a_moment():
    asked = 0
    with reachable_twins("mysql") as pair:
        for call in calls():
            accepted = ""
            for times in (1, 2, 30):
                with suppress(SqlRejected):
                    accepted = check(in_a_row(call, times), BANK, POLICY).run_sql
            begun = time.monotonic()
            asked += bool(accepted) and pair.first.answer(accepted)[0] == "rows"
            assert time.monotonic() - begun < allowed_s(MOST_S), call
    assert asked > len(ALLOWED_FUNCTIONS["mysql"]) // 2
