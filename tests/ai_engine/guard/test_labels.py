"""Two banks of DuckDB whose ENUM has another label, which no row holds, are told apart by no statement that passes."""

from __future__ import annotations

import contextlib
import re
from collections import Counter
from itertools import chain, product

import duckdb
import pytest
from sqlglot import exp

from ai_engine.catalogue_from_ddl import catalogue_from_ddl
from ai_engine.errors import SqlRejected
from ai_engine.guard import Policy, check
from ai_engine.guard.allowed_functions import ALLOWED_FUNCTIONS
from ai_engine.guard.functions import ALLOWED_TYPES
from backend.databases.duckdb_engine import GROUPS_AS_THEY_COME
from tests.ai_engine.guard.bank import POLICY, cases, require_same_result, setup_statements

TABLE = "CREATE TABLE cases (id INTEGER, state ENUM('open', 'shut', '{}'), note VARCHAR)"
ROWS = "INSERT INTO cases VALUES (1, 'open', 'a'), (2, 'shut', 'b')"
TRYING = (
    *("TYPEOF(state)", "TYPEOF([state])", "pg_typeof(state)", "stats(state)", "enum_range(state)", "enum_last(state)"),
    *("LAG(state, 1, 'fraud') OVER (ORDER BY id)", "LEAD(state, 1, UPPER('FRAUD')) OVER (ORDER BY id)"),
    *("LAG(state, 1, note) OVER (ORDER BY id)", "LAG(COALESCE(state), 1, 'fraud') OVER (ORDER BY id)"),
    *("state = 'fraud'", "state < 'fraud'", "state IN ('fraud', 'open')", "COALESCE(state, 'fraud')"),
    *("CASE WHEN id = 1 THEN state ELSE 'fraud' END", "NULLIF(state, 'fraud')", "GREATEST(state, 'fraud')"),
    *("[state, 'fraud']", "LIST_CONTAINS([state], 'fraud')", "CAST(state AS INTEGER)", "MAX(state) || 'fraud'"),
    *("state = ANY (SELECT 'fraud')", "state BETWEEN 'fraud' AND 'shut'", "QUANTILE_DISC(state, 0.5)"),
    *("(state, 1) > ('fraud', 1)", "('fraud', note) <= (state, note)", "(state, 1) BETWEEN ('a', 1) AND ('fraud', 1)"),
    *("[state] > ['fraud']", "[MAX(state)] > LIST_VALUE('fraud')", "LIST_SORT([state]) < ANY (SELECT ['fraud'])"),
    *("(state, 1) = ('fraud', 1)", "[state] IN (['fraud'])", "(id, (state, 1)) < (id, ('fraud', 1))"),
)
ASKING = (
    *(
        "SELECT state, ROW_NUMBER() OVER (PARTITION BY state) AS n FROM {0}",
        "SELECT APPROX_COUNT_DISTINCT(state) FROM {0}",
    ),
    *("SELECT id, COUNT(*) OVER w AS n FROM {0} WINDOW w AS (PARTITION BY state ORDER BY id)",),
    *("SELECT APPROX_COUNT_DISTINCT([state]), APPROX_COUNT_DISTINCT((state, 1)) FROM {0}",),
    *("SELECT ARRAY_DISTINCT(LIST(state)) AS v FROM {0}", "SELECT LIST_DISTINCT(LIST([state])) AS v FROM {0}"),
    *("SELECT a.id, b.id AS n FROM {0} ASOF JOIN cases b ON a.state = b.state AND a.id >= b.id",),
    *("SELECT state FROM {0} INTERSECT ALL SELECT state FROM cases", "SELECT state FROM {0} EXCEPT ALL SELECT 'a'"),
    *("SELECT s, ROW_NUMBER() OVER (PARTITION BY s) AS n FROM (SELECT COALESCE(state, state) AS s FROM {0}) AS q",),
    "WITH q AS (SELECT id, MAX(state) AS s FROM {0} GROUP BY id) SELECT id, SUM(id) OVER (PARTITION BY s) AS n FROM q",
    "WITH RECURSIVE r(s, n) AS (SELECT state, 1 FROM {0} WHERE id = 1 UNION ALL SELECT q.s, q.n + ROW_NUMBER() OVER "
    "(PARTITION BY q.s) FROM (SELECT s, n FROM r WHERE n < 3) AS q) SELECT s, n FROM r",
    "SELECT state FROM {0} GROUP BY state",
    "SELECT state, id, COUNT(*) AS n FROM {0} GROUP BY state, id LIMIT 9",
    "SELECT state, id FROM {0} GROUP BY ROLLUP (state, id) LIMIT 9",
    "SELECT ENTROPY((state, 1)), ENTROPY(DISTINCT state), ENTROPY(state ORDER BY id) FROM {0} WHERE id < 50",
    "SELECT id, ENTROPY(COALESCE(state)) OVER (PARTITION BY note) AS e FROM cases WHERE id < 50",
    "SELECT APPROX_COUNT_DISTINCT(DISTINCT state) FILTER (WHERE id > 1) FROM {0}",
    "SELECT DISTINCT state, id FROM {0}",
    "SELECT MODE(state), ENTROPY(state) FROM {0}",
    "SELECT b.id, b.state FROM {0} RIGHT JOIN cases b ON a.state = b.state AND a.id = 1",
    "SELECT state FROM {0} UNION SELECT state FROM cases",
    "SELECT state FROM {0} EXCEPT SELECT 'a'",
)
RECURSIONS = (
    "SELECT state, 1 FROM cases WHERE id = 1 UNION ALL SELECT 'fraud', n + 1 FROM r WHERE n < 2",
    "SELECT [state], 1 FROM cases WHERE id = 1 UNION ALL SELECT ['fraud'], n + 1 FROM r WHERE n < 2",
    "SELECT (state, 1), 1 FROM cases WHERE id = 1 UNION ALL SELECT ('fraud', 1), n + 1 FROM r WHERE n < 2",
    "SELECT q.v, 1 FROM (SELECT MAX(state) AS v FROM cases) AS q UNION ALL SELECT LOWER('FRAUD'), 2 FROM r WHERE n < 2",
    "SELECT state, 1 FROM cases WHERE id = 1 UNION ALL SELECT COALESCE('fraud', s), n + 1 FROM r WHERE n < 2",
)
GOING_ON = (
    "SELECT state, 1 FROM cases WHERE id = 1 UNION ALL SELECT s, n + 1 FROM r WHERE n < 2",
    "SELECT state, id FROM cases WHERE id = 1 UNION ALL SELECT c.state, c.id FROM cases c JOIN r ON c.id = r.n + 1",
    "SELECT CAST(state AS VARCHAR), 1 FROM cases WHERE id = 1 UNION ALL SELECT 'fraud', n + 1 FROM r WHERE n < 2",
    "SELECT state = 'open', 1 FROM cases WHERE id = 1 UNION ALL SELECT FALSE, n + 1 FROM r WHERE n < 2",
)
HONEST = (
    *("LAG(state) OVER (ORDER BY id)", "LAG(state, 1, state) OVER (ORDER BY id)", "LAG(id, 1, 0) OVER (ORDER BY id)"),
    *("LAG(CAST(state AS VARCHAR), 1, 'none') OVER (ORDER BY id)", "LEAD(note, 1, 'none') OVER (ORDER BY id)"),
    *("LEAD(state, 1, NULL) OVER (ORDER BY id)", "COALESCE(LEAD(state) OVER (ORDER BY id), 'none')"),
    *("(CAST(state AS VARCHAR), id) > ('none', 1)", "(note, id) > ('none', 1)", "(state, id) IN (('none', 1))"),
    *("LAG(CAST(COALESCE(state) AS VARCHAR), 1, 'none') OVER (ORDER BY id)", "(state, id) > (state, 1)"),
)

MATCHING = (
    *("SELECT c.id FROM {0} c {1} JOIN more m ON c.state = m.state", "SELECT id FROM {0} {1} JOIN more USING (state)"),
    *("SELECT c.id FROM {0} c {1} JOIN more m ON c.state = m.state AND m.id < 9",),
    *("SELECT c.id FROM {0} c {1} JOIN more m ON c.state IS NOT DISTINCT FROM m.state AND c.id < m.id",),
    *("SELECT c.id FROM {0} c {1} JOIN (SELECT MAX(state) AS s FROM more GROUP BY id) m ON COALESCE(c.state) = m.s",),
    *("SELECT c.id FROM more m {1} JOIN {0} c ON c.state = m.state AND c.id = m.id",),
    *("SELECT id FROM {0} c WHERE {1} EXISTS (SELECT 1 FROM more m WHERE m.state = c.state AND m.note = '1')",),
    *("SELECT id FROM {0} c WHERE {1} EXISTS (SELECT 1 FROM more m WHERE m.id = c.id AND m.state <> c.state)",),
    "SELECT id FROM {0} c WHERE {1} EXISTS (SELECT 1 FROM more m WHERE CAST(m.state AS TEXT) = CAST(c.state AS TEXT))",
    "SELECT id FROM {0} c WHERE {1} EXISTS (SELECT 1 FROM more m WHERE m.state = c.state AND EXISTS "
    "(SELECT 1 FROM more n WHERE n.state = c.state AND n.state = m.state AND n.id < 7))",
    *("SELECT id FROM {0} WHERE state {1} IN (SELECT state FROM more WHERE note = '1')",),
    *("SELECT id FROM {0} WHERE state {1} IN (SELECT MAX(state) FROM more GROUP BY id UNION SELECT state FROM more)",),
    *("SELECT id FROM {0} WHERE (state, id) {1} IN (SELECT DISTINCT state, id FROM more ORDER BY 1 LIMIT 9)",),
    *("SELECT id FROM {0} GROUP BY id HAVING MAX(state) {1} IN (SELECT state FROM more)",),
    *("SELECT id, (SELECT MAX(m.id) FROM more m WHERE m.state = c.state) AS n FROM {0} c",),
    "SELECT id, n FROM {0} c LEFT JOIN LATERAL (SELECT MAX(m.id) AS n FROM more m WHERE m.state = c.state) m ON TRUE",
    *("SELECT id FROM {0} WHERE state = ANY (SELECT state FROM more)", "SELECT id FROM {0} NATURAL LEFT JOIN more"),
    *("SELECT c.id, m.id FROM {0} c, more m WHERE c.state = m.state AND m.note = '1'",),
    "WITH q AS (SELECT state, id FROM {0}) SELECT a.id FROM q a {1} JOIN more b ON a.state = b.state",
    "SELECT state, COUNT(*) AS n FROM {0} c GROUP BY state HAVING {1} EXISTS "
    "(SELECT 1 FROM more m WHERE m.state = c.state AND m.id < 9)",
    "SELECT state, (SELECT COUNT(*) FROM more m WHERE m.state = c.state AND m.id < 9) AS n FROM {0} c GROUP BY state",
    "SELECT c.state, (SELECT COUNT(*) FROM more m WHERE m.state = c.state AND m.id < 9) AS n "
    "FROM {0} c {1} JOIN more d ON d.id = c.id GROUP BY c.state, d.state",
    "SELECT id % 3 AS k, COUNT(*) AS n FROM {0} c WHERE {1} EXISTS "
    "(SELECT 1 FROM more m WHERE m.state = c.state AND m.id < 9) GROUP BY ROLLUP (id % 3)",
    "SELECT state FROM {0} EXCEPT SELECT state FROM more WHERE note = '1'",
    "SELECT state FROM {0} INTERSECT SELECT state FROM more",
)
HOW = ("", "LEFT", "RIGHT", "FULL", "SEMI", "ANTI", "NOT")
GIVEN = ("state", "[state]", "(state, 1)", "state, id", "id, state", "state, 0.5", "LIST(state)", "DISTINCT state")
WINDOWS = ("", " OVER (ORDER BY id % 3)", " OVER (ORDER BY id ROWS BETWEEN 9 PRECEDING AND 20 FOLLOWING)")


TABLES = (TABLE, TABLE.replace("'open', 'shut', '{}'", "'{}', 'open', 'shut'"))
OTHERWISE = ("fraud", "legal")
HELD = (2, 5, 13, 20, 40)
UNHELD = range(8)
UNBOUND = ("BinderException", "CatalogException")  # said of the type, before there is a row or a label


def _bank(*setup):
    bank = duckdb.connect(":memory:", config={"threads": 1, **GROUPS_AS_THEY_COME})
    for one in setup:
        bank.execute(one)
    return bank


def _closed_at_the_end(banks):
    yield banks
    for bank, *_ in banks:
        bank.close()


def _answer(bank, sql):
    try:
        return str(bank.execute(sql).fetchall())
    except duckdb.Error as error:
        return type(error).__name__


@pytest.fixture(scope="module")
def banks_with_another_label():
    """Where the label that no row holds stands, twice two banks with what is known of them."""
    tables = [table.format(label) for table in TABLES for label in OTHERWISE]
    yield from _closed_at_the_end([(_bank(table, ROWS), catalogue_from_ddl(table, "duckdb")) for table in tables])


@pytest.fixture(scope="module")
def banks_of_few_and_of_many_labels():
    """For each number of labels that rows hold, banks with ever more before and between those."""
    banks = []
    for held in HELD:
        rows = f"INSERT INTO cases SELECT range, 's' || range * 7 % {held}, 'a' FROM range({held} * 2)"
        for unheld in UNHELD:
            between = [[*(f"x{one}_{n}" for n in range(unheld * (one % 3))), f"s{one}"] for one in range(held)]
            labels = [*"xyz"[:unheld], *chain.from_iterable(between)]
            banks.append((_bank(TABLE.replace("'open', 'shut', '{}'", str(labels)[1:-1]), rows), held))
    yield from _closed_at_the_end(banks)


@pytest.fixture(scope="module")
def banks_with_labels_between():
    """Banks of the same rows, whose ENUM lists ever more labels that none of them holds."""
    banks = []
    for unheld in (0, 1, 3, 20):
        labels = [f"{letter}{one}" for one in range(40) for letter in (*"abcdefg"[: one * unheld % 7], "s")]
        table = TABLE.replace("'open', 'shut', '{}'", str([*"xyz"[:unheld], *labels])[1:-1])
        bank = _bank(
            f"{table}; {table.replace('cases', 'more')}",
            "INSERT INTO cases SELECT range, 's' || range * range % 40, 'a' FROM range(150)",
            "INSERT INTO more SELECT range, 's' || range * range % 39, range % 3 FROM range(5000)",
        )
        banks.append((bank, catalogue_from_ddl(f"{table}; {table.replace('cases', 'more')}", "duckdb")))
    yield from _closed_at_the_end(banks)


@pytest.mark.parametrize("value", TRYING)
@pytest.mark.parametrize("source", ["cases", "(SELECT id, state, note FROM cases) AS c"])
def test_no_statement_tells_a_label_that_no_row_holds(value, source, banks_with_another_label):
    answers = []
    for bank, known in banks_with_another_label:
        try:
            checked = check(f"SELECT {value} AS v FROM {source}", known, Policy())
            answers.append(_answer(bank, checked.run_sql))
        except SqlRejected:
            answers.append("refused")
    assert answers[0] == answers[1]
    assert answers[2] == answers[3]


@pytest.mark.parametrize("statement", ASKING)
@pytest.mark.parametrize("source", ["cases a", "(SELECT id, state FROM cases) AS a"])
def test_no_order_and_no_figure_tells_how_many_labels_stand_before_and_between_those_of_rows(
    statement, source, banks_with_another_label, banks_of_few_and_of_many_labels
):
    policy = Policy(allow_union=True, allow_recursive=True)
    written = set()
    for _, known in banks_with_another_label:
        try:
            written.add(check(statement.format(source), known, policy).run_sql)
        except SqlRejected:
            written.add("")
    (sql,) = written
    if sql:
        answers = {(held, str(bank.execute(sql).fetchall())) for bank, held in banks_of_few_and_of_many_labels}
        assert len(answers) == len(HELD)


@pytest.fixture(scope="module")
def of_one_row():
    """Functions that DuckDB takes over no window, with any arguments, in the words in which they are written."""
    kinds = "SELECT function_name FROM duckdb_functions() GROUP BY ALL HAVING bool_and(function_type = 'scalar')"
    with _bank() as bank:
        return {name for (name,) in bank.execute(kinds).fetchall()} - {"ceil", "floor", "log2", "log10"}


@pytest.mark.parametrize("name", sorted(ALLOWED_FUNCTIONS["duckdb"]))
def test_no_function_that_may_be_called_tells_how_many_labels_stand_between(
    name, banks_with_labels_between, of_one_row
):
    (first, known), *others = banks_with_labels_between
    for given, window in product(GIVEN, WINDOWS[:1] if name in of_one_row else WINDOWS):
        asked = f"SELECT {name}({given}){window} AS v FROM cases"
        with contextlib.suppress(SqlRejected):
            sql = check(asked, known, Policy()).run_sql
            answer = _answer(first, sql)
            if answer not in UNBOUND:
                assert {_answer(bank, sql) for bank, _ in others} == {answer}, asked


@pytest.mark.parametrize("statement", MATCHING)
@pytest.mark.parametrize("source", ["cases", "(SELECT id, state FROM cases)"])
def test_no_order_of_matched_rows_tells_how_many_labels_stand_between(statement, source, banks_with_labels_between):
    bank, known = banks_with_labels_between[0]
    asked = {}
    for sql in dict.fromkeys(statement.format(source, how) for how in HOW if "{1}" in statement or not how):
        with contextlib.suppress(SqlRejected, duckdb.Error):
            run_sql = check(sql, known, Policy(allow_union=True)).run_sql.rpartition(" LIMIT ")[0]
            asked[run_sql] = Counter(bank.execute(sql).fetchall())
    assert asked
    for sql, rows in asked.items():
        answers = [one.execute(sql).fetchall() for one, _ in banks_with_labels_between]
        assert all(answer == answers[0] for answer in answers), sql
        assert Counter(answers[0]) == rows


@pytest.mark.parametrize("steps", RECURSIONS)
def test_a_recursion_makes_no_label_of_a_text(steps):
    known = catalogue_from_ddl(TABLE.format("fraud"), "duckdb")
    with pytest.raises(SqlRejected, match=r"write CAST\(state AS VARCHAR\)"):
        check(
            f"WITH RECURSIVE r(s, n) AS ({steps}) SELECT s FROM r",
            known,
            Policy(allow_union=True, allow_recursive=True),
        )


@pytest.mark.parametrize("steps", GOING_ON)
def test_a_recursion_goes_on_with_the_labels_that_it_began_with_or_with_texts(steps):
    known = catalogue_from_ddl(TABLE.format("fraud"), "duckdb")
    policy = Policy(allow_union=True, allow_recursive=True)
    with duckdb.connect(":memory:") as bank:
        bank.execute(TABLE.format("fraud"))
        bank.execute(ROWS)
        sql = check(f"WITH RECURSIVE r(s, n) AS ({steps}) SELECT s FROM r", known, policy).run_sql
        assert len(bank.execute(sql).fetchall()) == 2


@pytest.mark.parametrize("value", HONEST)
def test_a_row_before_or_after_is_looked_at_where_there_are_labels(value):
    known = catalogue_from_ddl(TABLE.format("fraud"), "duckdb")
    with duckdb.connect(":memory:") as bank:
        bank.execute(TABLE.format("fraud"))
        assert bank.execute(check(f"SELECT {value} AS v FROM cases", known, Policy()).run_sql).description


def test_honest_statements_pass_and_give_their_rows_where_every_text_is_a_label():
    script = ";".join(setup_statements())
    texts = sorted({text.replace("''", "'") for text in re.findall(r"'((?:[^']|'')*)'", script)})
    kind = f"ENUM({', '.join(exp.Literal.string(text).sql() for text in texts)})"
    labelled = [re.sub(r"\b(?:VARCHAR|TEXT)\b(?:\(\d+\))?", lambda _: kind, one) for one in setup_statements()]
    known = catalogue_from_ddl(";".join(one for one in labelled if "INSERT" not in one), "duckdb")
    assert len(known.listing_labels) > 20
    with duckdb.connect(":memory:", config={"threads": 1}) as bank:
        for one in labelled:
            bank.execute(one)
        for case in [*cases("accepted", ["duckdb"]), *cases("analyst", ["duckdb"])]:
            require_same_result(bank, case, check(case.sql, known, POLICY))


@pytest.mark.parametrize(
    "groups", ["ROLLUP (state)", "CUBE (state)", "GROUPING SETS ((state), ())", "state, CUBE (id)"]
)
def test_no_total_is_parted_by_the_text_that_a_subquery_names(groups):
    known = catalogue_from_ddl(TABLE.format("fraud"), "duckdb")
    inner = "SELECT COUNT(*) FROM cases b WHERE b.state = a.state"
    with pytest.raises(SqlRejected, match=r"CAST\(state AS VARCHAR\)"):
        check(f"SELECT COUNT(*) AS n, ({inner}) AS k FROM cases a GROUP BY {groups}", known, Policy())


def test_a_default_that_is_no_label_is_refused_with_what_to_write_instead():
    known = catalogue_from_ddl(TABLE.format("fraud"), "duckdb")
    with pytest.raises(SqlRejected, match=r"write CAST\(state AS VARCHAR\)"):
        check("SELECT LAG(state, 1, 'none') OVER (ORDER BY id) AS v FROM cases", known, Policy())


def test_no_cast_reaches_a_type_of_the_bank_s_own():
    known = catalogue_from_ddl("CREATE TABLE t (id INTEGER, note VARCHAR)", "duckdb")
    casts = []
    for kind in sorted({*ALLOWED_TYPES, "INTEGER", "HUGEINT", "NUMERIC", "REAL", "STRING", "BLOB"}):
        with contextlib.suppress(SqlRejected):
            casts.append(check(f"SELECT TRY_CAST('fraud' AS {kind}) AS v", known, Policy()).run_sql)
    answers = []
    for label in OTHERWISE:
        with _bank() as bank:
            for word in sorted(set(re.findall(r"\w+", " ".join(casts)))):
                with contextlib.suppress(duckdb.CatalogException):
                    bank.execute(f"CREATE TYPE \"{word}\" AS ENUM ('{label}')")
            answers.append([_answer(bank, sql) for sql in casts])
    assert casts
    assert answers[0] == answers[1]
