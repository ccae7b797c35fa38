"""Types that a PostgreSQL bank has itself: a CHECK of a domain is asked of no text, and fields of rows have names."""

from __future__ import annotations

import pytest

from ai_engine.errors import SqlRejected
from ai_engine.guard import Policy, check
from ai_engine.semantics.infer import infer_vocabulary
from ai_engine.semantics.kept_back import kept_back
from backend.databases import open_database
from tests.backend.databases.servers.small_bank import administer_postgres, own_postgres, run

pytestmark = pytest.mark.server

BANK = """
    CREATE TABLE chest (secret TEXT);
    INSERT INTO chest VALUES ('held');
    CREATE FUNCTION is_known(TEXT) RETURNS BOOLEAN LANGUAGE sql AS $$
        SELECT $1 NOT SIMILAR TO '(h|:)%' OR EXISTS (SELECT FROM public.chest WHERE secret = $1) $$;
    CREATE DOMAIN code AS VARCHAR(9) CHECK (is_known(VALUE));
    CREATE DOMAIN short_code AS code CHECK (length(VALUE) < 5);
    CREATE DOMAIN small AS NUMERIC(9, 2) NOT NULL CHECK (VALUE < 100);
    CREATE DOMAIN address AS INET CHECK (is_known(VALUE::TEXT));
    CREATE DOMAIN codes AS code[];
    CREATE TYPE coded AS (code code, day DATE);
    CREATE TYPE code_span AS RANGE (SUBTYPE = code, SUBTYPE_OPCLASS = text_ops);
    CREATE TABLE cards (
        id INTEGER PRIMARY KEY, code code, short short_code, small small, address address, note TEXT,
        listed code[], twice codes, parts coded, span code_span, smalls small[]
    );
    INSERT INTO cards (id, code, short, small, address, note) VALUES
        (1, 'a', 'a', 1.5, '10.0.0.1', 'x'), (2, 'held', 'b', 2.25, NULL, 'y'), (3, NULL, NULL, 9, NULL, 'y');
    CREATE INDEX ON cards (code);
    CREATE FUNCTION by_chest(TEXT, TEXT) RETURNS INTEGER IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN
        IF 'hidden' IN ($1, $2) AND NOT EXISTS (SELECT FROM public.chest WHERE secret = 'hidden') THEN
            RAISE 'unknown'; END IF;
        RETURN bttextcmp($1, $2); END $$;
    CREATE OPERATOR CLASS own_ops FOR TYPE TEXT USING btree AS OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =,
        OPERATOR 4 >=, OPERATOR 5 >, FUNCTION 1 by_chest(TEXT, TEXT);
    CREATE TYPE own_span AS RANGE (SUBTYPE = TEXT, SUBTYPE_OPCLASS = own_ops);
    CREATE TYPE own_row AS (v TEXT);
    CREATE FUNCTION by_chest(own_row, own_row) RETURNS INTEGER IMMUTABLE LANGUAGE sql AS
        'SELECT public.by_chest(($1).v, ($2).v)';
    CREATE OPERATOR CLASS own_row_ops DEFAULT FOR TYPE own_row USING btree AS OPERATOR 1 < (RECORD, RECORD),
        OPERATOR 2 <= (RECORD, RECORD), OPERATOR 3 = (RECORD, RECORD), OPERATOR 4 >= (RECORD, RECORD),
        OPERATOR 5 > (RECORD, RECORD), FUNCTION 1 by_chest(own_row, own_row);
    CREATE DOMAIN own_domain AS own_span;
    CREATE EXTENSION citext;
    CREATE TABLE compared (
        id INTEGER, span own_span, spans own_span[], held own_domain, part own_row, named TEXT, note TEXT, sign CITEXT
    );
    CREATE INDEX ON compared (named own_ops);
    CREATE TABLE parted (id INTEGER, named TEXT) PARTITION BY RANGE (named own_ops);
    CREATE TABLE told (id INTEGER, named TEXT) PARTITION BY RANGE (id);
    CREATE TABLE told_0 PARTITION OF told FOR VALUES FROM (0) TO (9);
    CREATE INDEX ON told_0 (named own_ops);
    CREATE VIEW shown AS SELECT id, named AS called FROM parted;
    CREATE VIEW shown_again AS SELECT id AS place, called AS again, upper(called) AS loud FROM shown;
    CREATE VIEW shown_heir AS SELECT id, named FROM told;
    CREATE VIEW equal AS SELECT note, compared.id FROM compared JOIN parted ON note = parted.named;
    CREATE VIEW in_row AS SELECT id, ROW(called)::own_row AS part FROM shown;
    CREATE TABLE computed (id INTEGER, day DATE);
    CREATE INDEX ON computed (CAST(id AS TEXT) own_ops);
    CREATE VIEW spelled AS SELECT day, CAST(id AS TEXT) AS number FROM computed;
    CREATE VIEW counted AS SELECT count(*) AS rows, max(id) AS last FROM parted;
    INSERT INTO compared (id, span, part, sign) VALUES (1, '[a,b)', '(a)', 'X');
    CREATE TYPE reach AS (email TEXT, city TEXT);
    CREATE TYPE move AS (reach reach, day DATE);
    CREATE TYPE place AS (city TEXT, floor INTEGER);
    CREATE DOMAIN living AS reach[];
    CREATE TABLE people (id INTEGER, reach reach, moved move[], lived living, place place);
    CREATE FUNCTION of_chest(TEXT, TEXT) RETURNS TEXT LANGUAGE sql AS 'SELECT secret FROM public.chest';
    CREATE FUNCTION reverse(VARCHAR) RETURNS TEXT LANGUAGE sql AS 'SELECT secret FROM public.chest';
    CREATE AGGREGATE bool_or(TEXT) (SFUNC = of_chest, STYPE = TEXT);
    CREATE AGGREGATE var_samp(TEXT) (SFUNC = of_chest, STYPE = TEXT);
    CREATE FUNCTION lpad(VARCHAR, INTEGER) RETURNS TEXT LANGUAGE sql AS 'SELECT secret FROM public.chest';
    CREATE FUNCTION unnest(TEXT[]) RETURNS TEXT LANGUAGE sql AS 'SELECT secret FROM public.chest';
    CREATE FUNCTION generate_series(DATE, DATE, INTERVAL) RETURNS TEXT LANGUAGE sql
        AS 'SELECT secret FROM public.chest';
    CREATE DOMAIN initcap AS TEXT CHECK (is_known(VALUE));
    CREATE DOMAIN sign AS INTEGER;
"""
POLICY = Policy(hidden_tables=frozenset({"chest"}), allow_union=True)


@pytest.fixture(scope="module")
def bank(postgres_url):
    with own_postgres(postgres_url, "domains") as name:
        administer_postgres(postgres_url, BANK, database=name)
        with open_database(f"{postgres_url}/{name}") as opened:
            yield name, opened


@pytest.fixture
def database(bank):
    return bank[1]


def rows(database, sql):
    return list(run(database, check(sql, database.catalogue, POLICY).run_sql).rows)


@pytest.mark.parametrize(("column", "text"), [
    *((column, text) for column in ("code", "short") for text in ("held", "hidden")),
    ("small", "99"), ("small", "101"), ("address", "10.0.0.1"), ("address", "::1"),
])  # fmt: skip
@pytest.mark.parametrize("call", [
    "SELECT LAG({0}, 1, '{1}') OVER (ORDER BY id) FROM cards",
    "SELECT LEAD({0}, 1, '{1}') OVER (ORDER BY id) FROM (SELECT * FROM cards) AS c",
    "WITH c AS (SELECT id, {0} AS v FROM cards UNION SELECT id, {0} FROM cards) "
    "SELECT LEAD(v, 1, '{1}') OVER (ORDER BY id) FROM c",
    "SELECT id, LAG({0}, 1, '{1}') OVER (PARTITION BY note) FROM cards JOIN (SELECT id FROM cards) AS o USING (id)",
    "SELECT ARRAY_AGG({0}) = '{{{1}}}' FROM cards",
    "SELECT COUNT(*) FROM cards WHERE ARRAY[{0}] = '{{{1}}}'",
    "SELECT COUNT(*) FROM cards WHERE {0} IN ('{1}')",
])  # fmt: skip
def test_no_text_of_a_statement_is_asked_of_a_check(database, column, text, call):
    assert rows(database, call.format(column, text))


def test_a_column_of_a_domain_is_of_the_type_that_the_domain_is_of(database):
    columns = {column.name: (column.type, column.native_type) for column in database.catalogue.table("cards").columns}
    assert columns["code"] == columns["short"] == ("text", "CHARACTER VARYING(9)")
    assert columns["small"] == ("decimal", "NUMERIC(9,2)")


def test_columns_of_a_domain_keep_their_names_and_indexes(bank, postgres_url):
    name, database = bank
    sql = "SELECT code, address, code AS c FROM cards WHERE code = 'held' GROUP BY id ORDER BY code"
    checked = check(sql, database.catalogue, POLICY)
    found = run(database, checked.run_sql)
    assert found.columns == ("code", "address", "c")
    assert list(found.rows) == [("held", None, "held")]
    without_scans = "SET enable_seqscan = off; SET enable_bitmapscan = off"
    plan = administer_postgres(postgres_url, without_scans, f"EXPLAIN {checked.run_sql}", database=name)
    assert "Index Cond" in str(plan)


@pytest.mark.parametrize("column", ["listed", "twice", "parts", "span"])
def test_what_is_made_of_such_values_is_not_there(database, column):
    with pytest.raises(SqlRejected, match=column):
        check(f"SELECT {column} FROM cards", database.catalogue, POLICY)


@pytest.mark.parametrize("sql", [
    "SELECT COUNT(*) FROM compared WHERE span = '[hidden,z)'",
    "SELECT COUNT(*) FROM compared WHERE held = '[hidden,z)'",
    "SELECT COUNT(*) FROM compared WHERE spans = '{{\"[hidden,z)\"}}'",
    "SELECT COUNT(*) FROM compared WHERE GREATEST(part, '(hidden)') IS NOT NULL",
    "SELECT COUNT(*) FROM compared WHERE named = 'hidden'",
    "SELECT COUNT(*) FROM parted WHERE named = 'hidden'",
    "SELECT COUNT(*) FROM told WHERE named = 'hidden'",
    "SELECT COUNT(*) FROM shown WHERE called = 'hidden'",
    "SELECT COUNT(*) FROM shown_again WHERE again = 'hidden'",
    "SELECT COUNT(*) FROM shown_again WHERE loud = 'hidden'",
    "SELECT COUNT(*) FROM shown_heir WHERE named = 'hidden'",
    "SELECT COUNT(*) FROM equal WHERE note = 'hidden'",
    "SELECT COUNT(*) FROM in_row WHERE part = '(hidden)'",
    "SELECT COUNT(*) FROM spelled WHERE number = 'hidden'",
])  # fmt: skip
def test_no_text_of_a_statement_is_compared_by_a_function_of_the_banks_own(database, sql):
    with pytest.raises(SqlRejected, match="is restricted"):
        check(sql, database.catalogue, POLICY)


@pytest.mark.parametrize("sql", [
    "SELECT REVERSE(code) AS n FROM cards",
    "SELECT BOOL_OR(note) AS n FROM cards",
    "SELECT VARIANCE(note) AS n FROM cards",
    "SELECT LPAD(code, 5) AS n FROM cards",
    "SELECT n FROM UNNEST(ARRAY['a', 'b']) AS s (n)",
    "SELECT n FROM GENERATE_SERIES(DATE '2024-01-01', DATE '2024-01-09', INTERVAL '1 day') AS s (n)",
    "SELECT INITCAP('hidden') AS n FROM cards",
    "SELECT SIGN(-id) AS n FROM cards",
])  # fmt: skip
def test_what_a_bank_has_a_function_or_a_type_of_its_own_for_beside_the_servers_function_is_not_called(database, sql):
    with pytest.raises(SqlRejected, match=r"function \w+ may be one of the bank's own"):
        check(sql, database.catalogue, POLICY)


def test_what_postgresql_or_an_extension_compares_may_be_read(database):
    assert rows(database, "SELECT id, note FROM compared WHERE sign = 'x'") == [(1, None)]


@pytest.mark.parametrize("sql", [
    "SELECT id FROM shown", "SELECT place FROM shown_again", "SELECT id FROM equal", "SELECT rows, last FROM counted",
    "SELECT day FROM spelled",
])  # fmt: skip
def test_what_is_of_another_kind_may_be_read_of_a_view_over_what_such_a_function_compares(database, sql):
    rows(database, sql)


def test_fields_of_a_composite_type_that_are_personal_by_name_keep_its_columns_back(database):
    bank = database.catalogue
    assert bank.table("people").column("moved").native_type == "ROW(email text, city text, reach reach, day date)[]"
    assert kept_back(infer_vocabulary(bank), bank)["people"] == {"reach", "moved", "lived"}
