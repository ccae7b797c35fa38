"""Settings of a PostgreSQL role or database change neither what a statement means nor how its answer is read."""

from __future__ import annotations

import contextlib
import threading
import uuid
from datetime import datetime, timedelta

import pytest
from sqlalchemy import Engine, event

from ai_engine.errors import QueryFailed
from ai_engine.guard import Policy, check
from backend.databases import DatabaseLimits, open_database
from backend.databases.limits import MEGABYTE
from backend.databases.postgres_session import HELD
from tests.backend.databases.servers.small_bank import administer_postgres, own_postgres, run

pytestmark = pytest.mark.server


@contextlib.contextmanager
def bank_in(url, encoding):
    name = f"encoded_{uuid.uuid4().hex[:12]}"
    made = f"CREATE DATABASE {name} ENCODING '{encoding}' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0"
    administer_postgres(url, made)
    try:
        yield name
    finally:
        administer_postgres(url, f"DROP DATABASE {name} WITH (FORCE)")


def answer(database, sql):
    return run(database, check(sql, database.catalogue, Policy()).run_sql)


@pytest.mark.parametrize(("encoding", "setting"), [("LATIN1", "LATIN1"), ("LATIN1", "UTF8"), ("UTF8", "LATIN1")])
def test_texts_and_names_are_read_and_compared_as_they_are_however_a_bank_is_kept(postgres_url, encoding, setting):
    with bank_in(postgres_url, encoding) as name:
        administer_postgres(
            postgres_url,
            "SET client_encoding = utf8",
            """CREATE TABLE "Ämter" (id INTEGER, "Größe" TEXT); INSERT INTO "Ämter" VALUES (1, 'café'), (2, 'Ã©')""",
            f"ALTER DATABASE {name} SET client_encoding = '{setting}'",
            database=name,
        )
        with open_database(f"{postgres_url}/{name}") as database:
            assert [column.name for column in database.catalogue.table("Ämter").columns] == ["id", "Größe"]
            found = answer(database, """SELECT "Größe" FROM "Ämter" WHERE "Größe" LIKE '%é' ORDER BY id""")
            assert (found.columns, found.rows) == (("Größe",), (("café",),))
            assert answer(database, """SELECT id FROM "Ämter" WHERE "Größe" = 'Ã©'""").rows == ((2,),)


def test_texts_of_a_bank_without_an_encoding_are_read_as_utf_8_or_not_at_all(postgres_url):
    with bank_in(postgres_url, "SQL_ASCII") as name:
        administer_postgres(
            postgres_url,
            "SET client_encoding = utf8",
            r"CREATE TABLE texts (id INTEGER, note TEXT); INSERT INTO texts VALUES (1, 'café'), (2, E'caf\xe9')",
            database=name,
        )
        with open_database(f"{postgres_url}/{name}") as database:
            assert answer(database, "SELECT id, note FROM texts WHERE note = 'café'").rows == ((1, "café"),)
            with pytest.raises(QueryFailed, match="cannot be converted"):
                answer(database, "SELECT note FROM texts")


@pytest.mark.parametrize("path", ["public, pg_catalog", "pg_catalog, public", '"$user", public, pg_catalog'])
def test_functions_and_operators_of_the_bank_take_no_place_of_the_servers_own(postgres_url, path):
    with own_postgres(postgres_url, "path") as name:
        administer_postgres(
            postgres_url,
            "CREATE TABLE notes (note TEXT); INSERT INTO notes VALUES ('a')",
            "CREATE FUNCTION public.upper(text) RETURNS text LANGUAGE sql AS 'SELECT $1 || $1'",
            "CREATE FUNCTION public.differs(text, text) RETURNS boolean LANGUAGE sql AS 'SELECT true'",
            "CREATE OPERATOR public.= (FUNCTION = public.differs, LEFTARG = text, RIGHTARG = text)",
            f"ALTER DATABASE {name} SET search_path = {path}",
            database=name,
        )
        with open_database(f"{postgres_url}/{name}") as database:
            assert [(table.schema, table.name) for table in database.catalogue.tables] == [(None, "notes")]
            for _ in range(2):
                assert answer(database, "SELECT UPPER(note) AS n FROM notes WHERE note = 'b'").rows == ()
                assert answer(database, "SELECT UPPER(note) AS n FROM notes").rows == (("A",),)


GATHERING = (
    "COUNT(*) FROM (SELECT UNNEST(ARRAY_AGG(t.n)) FROM {big} AS t) AS q",
    "LENGTH(STRING_AGG(t.note, ',')) FROM {big} AS t",
    "ARRAY_LENGTH(ARRAY_AGG(t.n), 1) + LENGTH(STRING_AGG(t.note, '')) FROM {big} AS t",
    "t.n % 2, STRING_AGG(t.note, ',') FROM {big} AS t GROUP BY 1",
    "CARDINALITY(ARRAY(SELECT t.note FROM {big} AS t))",
)


@pytest.mark.parametrize("values", GATHERING)
def test_more_values_than_fit_are_not_gathered(postgres_bank, values):
    with open_database(postgres_bank, DatabaseLimits(memory_mb=256)) as database:
        made = "(SELECT n, CONCAT('note ', n) AS note FROM generate_series(1, {}) AS s (n))"
        run(database, f"SELECT {values.format(big=made.format(1_000))}")
        with pytest.raises(QueryFailed, match="more memory than it may use"):
            run(database, f"SELECT {values.format(big=made.format(20_000_000))}")
        run(database, f"SELECT COUNT(DISTINCT t.n) FROM {made.format(100_000)} AS t")


@pytest.mark.parametrize("value", ["REPEAT('x', 990)", "LPAD(t.c, 990, 'x')", "t.made", "CONCAT({})"])
def test_what_is_computed_of_each_row_is_counted_as_wide_as_it_may_become(postgres_url, value):
    with own_postgres(postgres_url, "computed") as name:
        made = "CREATE TABLE t (id INTEGER, c CHAR(90)); INSERT INTO t SELECT n, 'c' FROM generate_series(1, 40000) n"
        administer_postgres(postgres_url, made, "VACUUM ANALYZE t", database=name)
        with open_database(f"{postgres_url}/{name}", DatabaseLimits(memory_mb=256)) as database:
            values = [value.format(", ".join(["t.c"] * (9 - place % 2))) for place in range(8)]
            source = "(SELECT id, c, REPLACE(c, 'c', REPEAT('y', 800)) AS made FROM t) AS t"
            gathered = ", ".join(f"LENGTH(STRING_AGG({one}, '{place}'))" for place, one in enumerate(values))
            assert run(database, f"SELECT {gathered} FROM {source} WHERE id <= 100").rows
            with pytest.raises(QueryFailed, match="more memory than it may use"):
                run(database, f"SELECT {gathered} FROM {source}")
            assert run(database, "SELECT LENGTH(STRING_AGG(c, ',')) FROM t").rows


def test_values_that_are_stored_apart_from_their_rows_are_not_gathered_either_where_they_are_more(postgres_url):
    with own_postgres(postgres_url, "apart") as name:
        administer_postgres(
            postgres_url,
            "CREATE TABLE letters (id INTEGER, body TEXT); ALTER TABLE letters ALTER body SET STORAGE EXTERNAL",
            "INSERT INTO letters SELECT n, repeat('x', 100000) FROM generate_series(1, 900) AS s (n)",
            "ANALYZE letters",
            database=name,
        )
        with open_database(f"{postgres_url}/{name}", DatabaseLimits(memory_mb=256)) as database:
            for gathered in ("STRING_AGG(body, '')", "ARRAY_AGG(body)"):
                with pytest.raises(QueryFailed, match="more memory than it may use"):
                    run(database, f"SELECT LENGTH(CAST({gathered} AS TEXT)) FROM letters")
            run(database, "SELECT LENGTH(STRING_AGG(body, '')) FROM letters WHERE id <= 50")
            run(database, "SELECT ARRAY_AGG(id) FROM letters")


@pytest.mark.parametrize(("operation", "left_over"), [("EXCEPT n < {0}", 1), ("INTERSECT ALL n <= {0}", 150_000)])
def test_rows_of_a_set_operation_are_held_in_bounds_however_few_are_expected(postgres_bank, operation, left_over):
    held = "(SELECT SUM(total_bytes) FROM pg_backend_memory_contexts)"
    rows = "SELECT n FROM generate_series(1, {0}) AS s (n) WHERE n + 0 = n AND n = n * 1"
    both = f"{rows} {operation.replace(' n', f' {rows} AND n')}"
    with open_database(postgres_bank) as database:
        (few, _), (many, count) = (
            run(database, f"SELECT {held}, COUNT(*) FROM ({both.format(most)}) AS q").rows[0] for most in (9, 150_000)
        )
    assert count == left_over
    assert many - few < 9 * MEGABYTE


def test_an_estimate_runs_nothing(postgres_bank):
    with open_database(postgres_bank) as database:
        with pytest.raises(QueryFailed):
            run(database, "SELECT 1; COMMIT; DROP TABLE accounts")
        with pytest.raises(QueryFailed):
            database.runner.cost("SELECT 1; COMMIT; DROP TABLE accounts", timeout_s=20, stop=threading.Event())
        assert run(database, "SELECT count(*) FROM accounts").rows == ((2,),)


def test_every_statement_is_asked_by_the_role_that_the_login_takes_on(postgres_url):
    with own_postgres(postgres_url, "taken") as name:
        login, reader = f"{name}_login", f"{name}_reader"
        administer_postgres(
            postgres_url,
            f"CREATE ROLE {reader}; CREATE ROLE {login} LOGIN PASSWORD 'x'; GRANT {reader} TO {login}",
            f"ALTER ROLE {login} SET role = {reader}",
            "CREATE TABLE notes (note TEXT); INSERT INTO notes VALUES ('open'), ('shut')",
            "ALTER TABLE notes ENABLE ROW LEVEL SECURITY",
            f"CREATE POLICY few ON notes USING (note = 'open' OR current_user = '{login}')",
            f"GRANT SELECT ON notes TO {reader}",
            database=name,
        )
        try:
            with open_database(f"{postgres_url.replace('postgres@', f'{login}:x@')}/{name}") as database:
                for _ in range(3):
                    assert answer(database, "SELECT note FROM notes").rows == (("open",),)
        finally:
            administer_postgres(postgres_url, f"DROP OWNED BY {reader}; DROP ROLE {login}, {reader}", database=name)


def test_settings_of_the_role_take_no_digits_and_change_no_condition(postgres_url):
    with own_postgres(postgres_url, "settings") as name:
        administer_postgres(
            postgres_url,
            "CREATE TABLE figures (x FLOAT, n INTEGER); INSERT INTO figures VALUES (0.1234567890123456, NULL)",
            "CREATE TABLE dates (d DATE, t TIMESTAMP, b BYTEA)",
            r"INSERT INTO dates VALUES ('2024-01-31', '2024-01-31 05:30', '\xc3a9')",
            f"ALTER DATABASE {name} SET extra_float_digits = -5",
            f"ALTER DATABASE {name} SET transform_null_equals = on",
            f"ALTER DATABASE {name} SET DateStyle = 'German'",
            f"ALTER DATABASE {name} SET IntervalStyle = 'iso_8601'",
            f"ALTER DATABASE {name} SET bytea_output = 'escape'",
            f"ALTER DATABASE {name} SET array_nulls = off",
            database=name,
        )
        with open_database(f"{postgres_url}/{name}") as database:
            assert answer(database, "SELECT x FROM figures").rows == ((0.1234567890123456,),)
            assert answer(database, "SELECT COUNT(*) AS c FROM figures WHERE n = NULL").rows == ((0,),)
            assert answer(database, "SELECT x FROM figures WHERE 'NULL' = ANY('{NULL,a}')").rows == ()
            told = answer(database, "SELECT t, t - d AS span, CONCAT(d, ' ', b) AS words FROM dates")
            assert told.rows == ((datetime(2024, 1, 31, 5, 30), timedelta(hours=5.5), "2024-01-31 \\xc3a9"),)  # noqa: DTZ001


def test_a_span_with_months_is_told_in_the_servers_words_and_not_in_days_that_nobody_counted(postgres_bank):
    with open_database(postgres_bank) as database:
        sql = "SELECT AGE(DATE '2024-03-01', DATE '{}') AS span FROM branches WHERE branch_id = 1"
        told = {day: answer(database, sql.format(day)).rows[0][0] for day in ("2024-02-01", "2023-01-20", "2024-02-27")}
        assert told == {"2024-02-01": "1 mon", "2023-01-20": "1 year 1 mon 12 days", "2024-02-27": timedelta(days=3)}


OF_NO_MEANING = (
    "Client Connection Defaults / Shared Library Preloading", "Connections and Authentication / ", "Error Handling",
    "File Locations", "Lock Management", "Query Tuning / ", "Replication / ", "Reporting and Logging / ",
    "Resource Usage / ", "Statistics / ", "Write-Ahead Log / ", "Customized Options", "Developer Options",
)  # fmt: skip
SET_FOR_EACH_STATEMENT = set(
    "statement_timeout lock_timeout idle_in_transaction_session_timeout search_path client_encoding "
    "default_transaction_isolation transaction_isolation default_transaction_read_only transaction_read_only".split()
)
LEFT_TO_THE_ROLE = set("TimeZone timezone_abbreviations lc_monetary lc_numeric row_security".split())
"""In which zone it is, how it spells figures, and whether row security keeps rows from it or fails."""
OF_NOTHING_THAT_MAY_RUN = set(
    # full text search, XML and large objects, writing, and what is only said or looked for
    """default_text_search_config xmlbinary xmloption lo_compat_privileges lc_time lc_messages client_min_messages
    check_function_bodies default_table_access_method default_tablespace temp_tablespaces default_toast_compression
    default_transaction_deferrable transaction_deferrable gin_pending_list_limit idle_session_timeout
    session_replication_role vacuum_failsafe_age vacuum_freeze_min_age vacuum_freeze_table_age
    vacuum_multixact_failsafe_age vacuum_multixact_freeze_min_age vacuum_multixact_freeze_table_age
    dynamic_library_path restrict_nonsystem_relation_kind backslash_quote escape_string_warning quote_all_identifiers
    createrole_self_grant event_triggers transaction_timeout extension_control_path""".split()
)


def test_every_setting_that_a_role_or_a_database_may_have_is_held_or_known_to_change_no_meaning(postgres_url):
    asked = "SELECT name, category FROM pg_settings WHERE context = 'user'"
    found = {name for name, category in administer_postgres(postgres_url, asked)
             if not category.startswith(OF_NO_MEANING)}  # fmt: skip
    known = SET_FOR_EACH_STATEMENT | LEFT_TO_THE_ROLE | OF_NOTHING_THAT_MAY_RUN | HELD.keys()
    assert found - known == set()


def test_what_the_catalogue_is_asked_is_not_compiled_which_takes_seconds(postgres_url):
    found = []

    def look(connection, _record) -> None:
        found.append(connection.execute("SHOW jit").fetchone()[0])

    with own_postgres(postgres_url, "compiled") as name:
        administer_postgres(postgres_url, f"ALTER DATABASE {name} SET jit = on")
        event.listen(Engine, "checkin", look)
        try:
            open_database(f"{postgres_url}/{name}", DatabaseLimits()).close()
        finally:
            event.remove(Engine, "checkin", look)
    assert found
    assert set(found) == {"off"}
