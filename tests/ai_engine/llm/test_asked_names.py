"""Of a statement over one customer, whatever it is chosen by, no more is told than whether one guess of the name holds.

Banks that differ in nothing but the first letter of the name are asked on the engine itself: the cells that would leave
with `aggregates` may tell two kinds of bank apart, those in which a guess is right and the others, and never three.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import duckdb
import pytest

from ai_engine.llm.aggregated import aggregated_columns
from tests.ai_engine.built_in.bank import DDL
from tests.ai_engine.llm.test_aggregated import in_duckdb, task

_LETTERS = "abcdef"
_ACCOUNTS = "JOIN accounts AS a ON a.branch_id = b.branch_id"
_BOTH = f"branches AS b {_ACCOUNTS} JOIN customers AS c ON c.customer_id = a.customer_id"
"""Every branch has an account of the one customer."""
_OTHERS = "branches AS x JOIN accounts AS a ON a.branch_id = x.branch_id JOIN customers AS c USING (customer_id)"
_FIRST = "SUBSTR(c.full_name, 1, 1)"
_NUMBER = f"(ASCII({_FIRST}) - 96)"
_ALIKE = f"SUBSTR(b.city, 1, 1) = {_FIRST}"
_EACH = " OR ".join(f"(b.city = '{one}ity' AND c.full_name LIKE '{one}%')" for one in _LETTERS)
_OUTPUTS = ("b.city, COUNT(*)", "COUNT(*)")
_OF_BRANCHES = (
    f"SUBSTR(b.city, 1, 1) IN (SELECT {_FIRST} FROM customers AS c)",
    f"SUBSTR(b.city, 1, 1) = (SELECT MAX({_FIRST}) FROM customers AS c)",
    f"SUBSTR(b.city, 1, 1) = ANY (SELECT {_FIRST} FROM customers AS c)",
    f"EXISTS (SELECT 1 FROM customers AS c WHERE {_ALIKE})",
    f"EXISTS (SELECT 1 FROM customers AS c WHERE {_EACH})",
    f"(SELECT COUNT(*) FROM customers AS c WHERE {_ALIKE}) = 1",
    f"b.city IN (SELECT x.city FROM {_OTHERS} WHERE SUBSTR(x.city, 1, 1) = {_FIRST})",
    f"b.branch_id <= (SELECT {_NUMBER} FROM customers AS c)",
    f"b.city IN (SELECT CASE {_FIRST} WHEN 'a' THEN 'aity' WHEN 'b' THEN 'bity' WHEN 'c' THEN 'city' END FROM"
    " customers AS c)",
    "b.city IN ("
    + " UNION ALL ".join(f"SELECT '{one}ity' FROM customers AS c WHERE {_FIRST} = '{one}'" for one in _LETTERS)
    + ")",
    f"b.city IN (SELECT x.city FROM {_OTHERS} GROUP BY x.city HAVING SUBSTR(x.city, 1, 1) = MAX({_FIRST}))",
)
_BESIDE = (
    "c.full_name LIKE 'a%'", _ALIKE, f"({_EACH})", f"b.branch_id = {_NUMBER}", f"b.branch_id < {_NUMBER}",
    f"b.city = CONCAT({_FIRST}, 'ity')", "c.full_name LIKE CONCAT(SUBSTR(b.city, 1, 1), '%')",
    f"NULLIF({_FIRST}, SUBSTR(b.city, 1, 1)) IS NULL",
)  # fmt: skip
_PAIRS = f"(SELECT b.city, b.branch_id, c.full_name FROM {_BOTH})"
_LISTED = ", ".join(f"('{one}', {number})" for number, one in enumerate(_LETTERS, 1))
_OTHER = (
    f"SELECT COUNT(*) AS n FROM (SELECT DISTINCT LEAST(b.branch_id, {_NUMBER}) AS x FROM {_BOTH}) AS t",
    f"SELECT COUNT(*) AS n FROM (SELECT LEAST(b.branch_id, {_NUMBER}) AS x FROM {_BOTH} GROUP BY 1) AS t",
    f"SELECT SUM(n) AS n FROM (SELECT l, n FROM (VALUES {_LISTED}) AS v(l, n) UNION ALL SELECT {_FIRST}, 0 FROM"
    " customers AS c) AS t GROUP BY l HAVING COUNT(*) > 1",
    f"SELECT l, COUNT(*) AS n FROM (SELECT l FROM (VALUES {_LISTED}) AS v(l, n) INTERSECT SELECT {_FIRST} FROM"
    " customers AS c) AS t GROUP BY l",
    f"SELECT COUNT(*) AS n FROM (SELECT l, n FROM (VALUES {_LISTED}) AS v(l, n) EXCEPT SELECT {_FIRST}, {_NUMBER} FROM"
    " customers AS c) AS t",
    "SELECT l, COUNT(*) AS n FROM ("
    + " UNION ALL ".join(f"SELECT '{one}' AS l FROM customers AS c WHERE {_FIRST} = '{one}'" for one in _LETTERS)
    + ") AS t GROUP BY l",
    " UNION ALL ".join(f"SELECT COUNT(*) AS n FROM customers AS c WHERE {_FIRST} = '{one}'" for one in _LETTERS),
    "SELECT "
    + ", ".join(f"(SELECT COUNT(*) FROM customers AS c WHERE {_FIRST} = '{one}') AS n{one}" for one in _LETTERS),
    "SELECT COUNT(*) AS n FROM customers AS c "
    + " ".join(
        f"LEFT JOIN (SELECT customer_id FROM accounts WHERE account_id <= {number + 1}) AS a{one}"
        f" ON a{one}.customer_id = c.customer_id AND c.full_name LIKE '{one}%'"
        for number, one in enumerate(_LETTERS, 1)
    ),
    f"SELECT b.city, COUNT(*) AS n FROM {_BOTH} GROUP BY b.city QUALIFY SUBSTR(b.city, 1, 1) ="
    f" MAX(MAX({_FIRST})) OVER ()",
    f"WITH f AS (SELECT c.customer_id FROM customers AS c WHERE {_FIRST} = 'a') SELECT COUNT(*) AS n FROM customers AS"
    f" c WHERE {_FIRST} = 'b' OR EXISTS (SELECT 1 FROM f WHERE f.customer_id = c.customer_id)",
)


def _statements() -> Iterator[str]:
    chosen = [f"FROM branches AS b WHERE {one}" for one in (*_OF_BRANCHES, f"NOT ({_OF_BRANCHES[0]})")]
    chosen += [
        f"FROM branches AS b {_ACCOUNTS} JOIN customers AS c ON c.customer_id = a.customer_id AND {one}"
        for one in _BESIDE
    ]
    chosen += [
        f"FROM branches AS b {_ACCOUNTS} LEFT JOIN customers AS c ON c.customer_id = a.customer_id AND {one}"
        f" WHERE c.customer_id IS NULL"
        for one in _BESIDE
    ]
    chosen += [f"FROM {_BOTH} WHERE {one}" for one in _BESIDE]
    chosen += [f"FROM {_PAIRS} AS b WHERE {one.replace('c.', 'b.')}" for one in _BESIDE]
    for rows, output in product(chosen, _OUTPUTS):
        grouped = "GROUP BY b.city" if output.startswith("b.city") else ""
        yield f"SELECT {output} {rows} {grouped}"
        yield f"SELECT {output} FROM branches AS b WHERE b.city IN (SELECT b.city {rows}) {grouped}"
        yield f"WITH f AS (SELECT b.city, b.branch_id {rows}) SELECT {output} FROM f AS b {grouped}"
        inside = f"(SELECT b.city, b.branch_id {rows}) AS b"
        yield f"SELECT {output} FROM branches AS o LEFT JOIN {inside} ON b.city = o.city {grouped}"
    for one in (*_OF_BRANCHES, f"b.city = (SELECT MAX(CONCAT({_FIRST}, 'ity')) FROM customers AS c)"):
        yield f"SELECT b.city, COUNT(*) FILTER (WHERE {one}) AS n FROM branches AS b GROUP BY b.city"
        yield f"SELECT b.city, SUM(CASE WHEN {one} THEN 1 ELSE 0 END) AS n FROM branches AS b GROUP BY b.city"
        yield f"SELECT b.city, COUNT(*) AS n FROM branches AS b GROUP BY b.city, b.branch_id HAVING {one}"
    for one in _BESIDE:
        yield f"SELECT b.city, COUNT(*) AS n FROM {_BOTH} GROUP BY b.city HAVING BOOL_OR({one})"
        yield (f"SELECT b.city, COUNT(*) AS n FROM {_BOTH} GROUP BY b.city HAVING COUNT(*) FILTER (WHERE {one}) > 0")
    yield from _OTHER


@pytest.fixture(scope="module")
def banks() -> Iterator[list[duckdb.DuckDBPyConnection]]:
    made = []
    for letter in _LETTERS:
        bank = duckdb.connect()
        bank.execute(DDL)
        customer = "INSERT INTO customers (customer_id, full_name, segment) VALUES (5, ?, 'Retail')"
        bank.execute(customer, [f"{letter}sha"])
        for number, one in enumerate(_LETTERS, 1):
            bank.execute("INSERT INTO branches VALUES (?, ?, ?, 'West')", [number, f"branch {one}", f"{one}ity"])
            account = "INSERT INTO accounts (account_id, account_type, customer_id, branch_id) VALUES (?, 'x', 5, ?)"
            bank.execute(account, [number, number])
        made.append(bank)
    yield made
    for bank in made:
        bank.close()


def test_no_statement_tells_more_of_a_name_than_whether_one_guess_holds(banks: list[duckdb.DuckDBPyConnection]):
    told_of, vocabulary = [], in_duckdb()
    for sql in _statements():
        kinds = "".join("t" if one == "VARCHAR" else "n" for one in map(str, banks[0].sql(sql).types))
        shown = sorted(aggregated_columns(task(sql, kinds), vocabulary))
        if shown:
            told = {str(sorted([row[one] for one in shown] for row in bank.sql(sql).fetchall())) for bank in banks}
            told_of.append((len(told), sql))
    assert [sql for kinds_of_bank, sql in told_of if kinds_of_bank > 2] == []
    assert any(kinds_of_bank == 2 for kinds_of_bank, _ in told_of)  # a guess may be asked for: see SECURITY.md


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT segment, COUNT(*) AS n FROM customers WHERE full_name LIKE 'A%' OR full_name = 'Bo' GROUP BY segment",
        "WITH c AS (SELECT customer_id FROM customers WHERE full_name = 'Asha Rao') SELECT a.status,"
        " SUM(a.balance) AS s FROM accounts AS a JOIN c ON c.customer_id = a.customer_id GROUP BY a.status",
        "SELECT c.segment, COUNT(*) AS n FROM customers AS c WHERE c.customer_id NOT IN (SELECT customer_id FROM loans)"
        " GROUP BY c.segment",
        "SELECT c.segment, COUNT(*) AS n FROM customers AS c WHERE NOT EXISTS (SELECT 1 FROM accounts AS a WHERE"
        " a.customer_id = c.customer_id AND a.status = 'Dormant') GROUP BY c.segment",
        "SELECT c.segment, COUNT(*) AS n FROM customers AS c WHERE c.customer_id IN (SELECT customer_id FROM loans)"
        " OR c.customer_id IN (SELECT customer_id FROM accounts GROUP BY customer_id HAVING SUM(balance) > 100000)"
        " GROUP BY c.segment HAVING COUNT(DISTINCT c.customer_id) > 3",
        "SELECT a.account_type, COUNT(*) AS n FROM accounts AS a JOIN accounts AS b ON b.customer_id = a.customer_id"
        " AND NOT b.account_id = a.account_id WHERE a.opened_on = (SELECT MAX(opened_on) FROM accounts) GROUP BY 1",
        "SELECT segment, COUNT(*) AS n FROM customers WHERE email IS NULL AND segment IN (SELECT segment FROM customers"
        " GROUP BY segment ORDER BY COUNT(*) DESC LIMIT 3) GROUP BY segment",
        "SELECT c.segment, COUNT(*) AS n FROM customers AS c JOIN (SELECT customer_id FROM customers EXCEPT SELECT"
        " customer_id FROM loans) AS t ON t.customer_id = c.customer_id GROUP BY c.segment",
        "SELECT segment, AVG(n) AS a FROM (SELECT c.segment, c.full_name, COUNT(*) AS n FROM customers AS c JOIN"
        " accounts AS a ON a.customer_id = c.customer_id GROUP BY 1, 2) AS t GROUP BY segment",
        "SELECT segment, COUNT(*) AS n FROM (SELECT DISTINCT segment, LEFT(full_name, 1) AS l FROM customers) AS t"
        " GROUP BY segment",
        "SELECT t.segment, SUM(t.balance) AS s FROM (SELECT c.segment, a.balance, ROW_NUMBER() OVER (PARTITION BY"
        " a.customer_id ORDER BY a.opened_on DESC) AS r FROM accounts AS a JOIN customers AS c ON c.customer_id ="
        " a.customer_id) AS t WHERE t.r = 1 GROUP BY t.segment",
    ],
)
def test_what_is_asked_by_names_once_and_by_keys_that_join_is_told(sql: str):
    assert aggregated_columns(task(sql, "tn"), in_duckdb()) == {0, 1}


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT status, COUNT(*) AS n FROM accounts WHERE EXTRACT(day FROM opened_on) = ASCII(account_number) - 64"
        " GROUP BY status",
        "SELECT opened_on AS d, COUNT(*) AS n FROM accounts WHERE EXTRACT(day FROM opened_on) = ASCII(account_number)"
        " GROUP BY 1",
        "SELECT segment, COUNT(*) AS n FROM customers WHERE (full_name LIKE 'A%' AND segment = 'Retail') OR (full_name"
        " LIKE 'B%' AND segment = 'Premium') GROUP BY segment",
        "SELECT status, COUNT(*) AS n FROM accounts WHERE branch_id = ASCII(account_number) GROUP BY status",
        "SELECT status, COUNT(*) AS n FROM (SELECT status, balance - ASCII(account_number) AS d FROM accounts) AS t"
        " WHERE d < 0 GROUP BY status",
        "SELECT 'all' AS g, COUNT(*) AS n FROM (SELECT DISTINCT LEAST(balance, ASCII(account_number)) AS x FROM"
        " accounts) AS t",
    ],
)
def test_a_name_that_many_rows_have_is_held_against_no_other_column_of_theirs(sql: str):
    assert aggregated_columns(task(sql, "tn"), in_duckdb()) == set()
