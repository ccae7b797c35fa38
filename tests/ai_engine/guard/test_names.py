"""No statement that passes tells anything about restricted columns or hidden tables, on any of the four engines.

The judge is a pair of banks that differ in nothing else (`twins.py`), asked directly: the guard stands alone here.
"""

from __future__ import annotations

import os
from datetime import UTC, datetime

import pytest

from ai_engine.errors import SqlRejected
from ai_engine.guard import check
from tests.ai_engine.guard.bank import DIALECTS
from tests.ai_engine.guard.collisions import Collisions
from tests.ai_engine.guard.grammar import Grammar
from tests.ai_engine.guard.layouts import LAYOUTS
from tests.ai_engine.guard.long_run import Tally, run
from tests.ai_engine.guard.twins import (
    IN_ONE_BANK,
    POLICY,
    catalogue_of_the_second,
    reachable_twins,
    tells_apart,
    twins_catalogue,
)

FUZZ_SECONDS = float(os.environ.get("FUZZ_SECONDS", "12"))
ENGINES = [
    pytest.param(dialect, marks=[pytest.mark.server] if dialect in {"postgres", "mysql"} else [])
    for dialect in DIALECTS
]
FEWEST_ACCEPTED = 0.5
FEWEST_VALID = 0.8

LEAKS = {
    "an alias called like a table, read as the whole row": [
        "SELECT 1 AS c, c FROM customers c",
        "SELECT '1' AS c, (SELECT c) AS d FROM customers c",
        "SELECT '1' AS c, CAST(c AS VARCHAR(90)) AS d FROM customers c",
        "SELECT (SELECT MAX(c) FROM customers c) FROM (SELECT 'a' AS c) AS z",
        "SELECT full_name, 'a' AS customers FROM customers ORDER BY UPPER(CAST(customers AS VARCHAR(90)))",
    ],
    "SEMI, ANTI and ASOF read as aliases": [
        "SELECT semi.phone FROM customers SEMI JOIN segment USING (segment)",
        "SELECT full_name FROM customers SEMI JOIN segment USING (segment)",
        "SELECT full_name FROM customers ANTI JOIN segment USING (phone)",
        "SELECT full_name FROM customers ASOF JOIN segment ON phone >= label",
        "SELECT COUNT(*) AS n FROM customers ASOF JOIN segment USING (phone)",
    ],
    "a derived table that sees its siblings": [
        "SELECT (SELECT MAX(z.v) FROM cards c, (SELECT pan AS v) z WHERE c.kind = z.v) FROM (SELECT 'a' AS pan) AS o",
        "SELECT z.v FROM cards c, (SELECT pan AS v) z WHERE c.kind = z.v",
        "SELECT z.v FROM cards c, (SELECT c.pan AS v) z WHERE c.kind = z.v",
    ],
    "an alias of the query around that the engine cannot see": [
        "SELECT z.q FROM customers c, LATERAL (SELECT 'a' AS national_id, (SELECT national_id) AS q) z",
        "SELECT 'a' AS national_id, (SELECT MAX(full_name) FROM segment s WHERE s.label = national_id) FROM customers",
        "SELECT 'a' AS phone, (SELECT phone) AS q FROM customers c ORDER BY q",
    ],
    "an alias in a window or WITHIN GROUP, read as the column": [
        "SELECT full_name, 'a' AS phone FROM customers ORDER BY ROW_NUMBER() OVER (ORDER BY phone)",
        "SELECT segment, customer_id AS phone FROM customers ORDER BY RANK() OVER (PARTITION BY city ORDER BY phone)",
        "SELECT segment, MAX(full_name) AS phone FROM customers GROUP BY segment "
        "ORDER BY PERCENTILE_DISC(0.5) WITHIN GROUP (ORDER BY phone)",
    ],
    "an inner alias against a restricted column around, in ORDER BY and GROUP BY expressions": [
        "SELECT full_name, (SELECT MIN(s.label) AS phone FROM segment s GROUP BY s.segment "
        "ORDER BY UPPER(phone) LIMIT 1) AS m FROM customers",
        "SELECT full_name FROM customers c WHERE EXISTS (SELECT kind AS national_id FROM cards k "
        "GROUP BY UPPER(national_id), kind)",
        "SELECT full_name, customer_id AS phone FROM customers ORDER BY UPPER(phone)",
        "SELECT MIN(full_name) AS phone FROM customers GROUP BY UPPER(phone)",
    ],
    "a restricted struct called like a derived table": [
        "SELECT (SELECT MAX(contact.email) FROM people) AS m FROM (SELECT 'a' AS email) AS contact",
        "SELECT MAX(contact.email) FROM people, (SELECT 'a' AS email, 'p' AS city) AS contact "
        "WHERE people.city = contact.city",
        "SELECT MAX(contact.email) FROM people",
    ],
    "a column called like a clock, which DuckDB reads first": [
        f"SELECT CAST({clock} AS VARCHAR(99)) <= 'a' AS c FROM clocks"
        for clock in ("CURRENT_DATE", "current_time", "CURRENT_TIMESTAMP", "localtime", "LOCALTIMESTAMP", "today()")
    ],
    "a column called like a truth value, which SQLite reads first": [
        "SELECT COUNT(*) FROM clocks WHERE CAST(TRUE AS VARCHAR(9)) = 'a'",
        "SELECT clock_id FROM clocks WHERE clock_id = '1' AND CAST(false AS VARCHAR(9)) = 'a'",
        "SELECT clock_id FROM clocks WHERE (SELECT COUNT(*) FROM segment WHERE CAST(TRUE AS VARCHAR(9)) = 'a') > 0",
    ],
    "a series called like a hidden table": [
        "SELECT seq FROM seq_1_to_3",
        "SELECT s.seq, c.city FROM seq_1_to_3 s LEFT JOIN cards c ON c.card_id = s.seq ORDER BY 1",
    ],
    "a common table expression called like a hidden table": [
        "WITH email AS (SELECT 'a' AS city) SELECT TRUE, city FROM email",
        "WITH q_2 AS (SELECT city FROM cards) SELECT city FROM q_2",
    ],
    "a word that DuckDB reads as all columns of FROM": [
        "SELECT customer_id, MODE() WITHIN GROUP (ORDER BY ALL) AS m FROM customers GROUP BY customer_id",
        "SELECT STRING_AGG(full_name, ',' ORDER BY ALL) AS m FROM customers",
        "SELECT LIST(customer_id ORDER BY ALL) OVER () AS m FROM customers",
        "SELECT LIST(customer_id ORDER BY 'all') AS m FROM customers",
        'SELECT LIST(c.city ORDER BY z."all") AS m FROM (SELECT \'a\' AS "all") z JOIN customers c ON c.city > z."all"',
        "SELECT RANK() OVER (ORDER BY ALL) AS m, full_name FROM customers",
    ],
    "names of the guard's own that a server would cut to one": [
        f"SELECT (SELECT b.phone FROM customers c WHERE c.customer_id = '3') AS v FROM segment b WHERE {taken}"
        for taken in (f"b.label <> '{'q' * 61}_'", f"b.label = 'a' -- {'q' * 70}_")
    ],
    "the row number of SQLite": [
        "SELECT '1' AS rowid, secret FROM vault",
        "SELECT '1' AS rowid, full_name FROM customers WHERE rowid = '3'",
        "SELECT 1 AS rowid, COUNT(*) FROM customers WHERE rowid = 3",
        "SELECT 1 AS oid, full_name FROM customers GROUP BY full_name HAVING oid = 2",
    ],
}


@pytest.mark.parametrize("dialect", ENGINES)
def test_no_name_is_read_by_the_engine_in_another_way_than_by_the_guard(dialect):
    with reachable_twins(dialect) as pair:
        for reason, statements in LEAKS.items():
            for sql in statements:
                try:
                    checked = check(sql, twins_catalogue(dialect), POLICY)
                except SqlRejected:
                    continue
                assert not tells_apart(pair, checked.run_sql), f"{reason}: {sql}"


@pytest.mark.parametrize("dialect", ENGINES)
def test_the_twins_themselves_tell_what_is_forbidden(dialect):
    with reachable_twins(dialect) as pair:
        assert tells_apart(pair, "SELECT phone FROM customers")
        assert tells_apart(pair, "SELECT customer_id FROM customers ORDER BY phone")
        assert tells_apart(pair, "SELECT COUNT(*) FROM customers WHERE phone = 'x' OR national_id = '2'")
        assert tells_apart(pair, "SELECT secret FROM vault")
        assert tells_apart(pair, "SELECT MAX(contact) FROM people")
        assert not tells_apart(pair, "SELECT customer_id, full_name, segment, city FROM customers")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_verdict_is_the_same_where_a_hidden_table_does_not_exist(dialect):
    whole, part = (make(dialect, LAYOUTS[dialect][0]) for make in (twins_catalogue, catalogue_of_the_second))
    statements = [sql for known in LEAKS.values() for sql in known]
    statements += [Collisions(seed, dialect).statement() for seed in range(400)]
    statements += [Grammar(seed).statement() for seed in range(100)]
    statements += [form.replace("{}", name) for form in NAMING for name in (*IN_ONE_BANK, "vaults", "vault", "grose")]
    for sql in statements:
        assert verdict(sql, whole) == verdict(sql, part), sql


NAMING = (
    "SELECT {} FROM cards",
    "SELECT * FROM {}",
    "SELECT seq FROM {} AS s",
    "SELECT city AS {} FROM cards",
    "WITH {} AS (SELECT 1 AS a) SELECT TRUE, a FROM {}",
    "SELECT city FROM cards {} WHERE {}.city = FALSE",
    "SELECT UPPER(c.{}) FROM cards c, {} d",
    "SELECT 'a' AS q_, {} AS b",
)


def verdict(sql, catalogue):
    try:
        return check(sql, catalogue, POLICY)
    except SqlRejected as refusal:
        return str(refusal), refusal.user_message, refusal.part, refusal.nearest


def seed_of_the_day() -> int:
    return int(datetime.now(UTC).strftime("%Y%m%d"))


@pytest.mark.timeout(FUZZ_SECONDS + 120)
@pytest.mark.parametrize("first", [0, seed_of_the_day()], ids=["a fixed seed", "the seed of the day"])
@pytest.mark.parametrize("dialect", ENGINES)
def test_a_random_run_of_colliding_names_tells_no_bank_from_its_twin(dialect, first):
    """FUZZ_SECONDS, shared by engines and seeds: every accepted statement gives the same rows or class of error."""
    tally = Tally(next_seed=first * 1_000_000)
    for layout in LAYOUTS[dialect]:
        with reachable_twins(dialect, layout) as pair:
            run(pair, tally, FUZZ_SECONDS / (2 * len(DIALECTS) * len(LAYOUTS[dialect])))
    assert tally.differences == []
    print(f"{dialect}: {tally.written} statements from {first}, {tally.accepted} accepted, {tally.valid} valid")
    assert tally.accepted > FEWEST_ACCEPTED * tally.written and tally.valid > FEWEST_VALID * tally.accepted
