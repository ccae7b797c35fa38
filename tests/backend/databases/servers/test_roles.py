"""What the database role may do beyond asking questions, and roles that may ask of a part only."""

from __future__ import annotations

import contextlib
import dataclasses
from decimal import Decimal

import pytest

from ai_engine.errors import QueryFailed, QueryTimedOut, SqlRejected
from ai_engine.guard import Policy, check
from backend.databases import excess_rights, open_database
from backend.opening import open_assistant
from backend.settings import read_settings
from tests.backend.databases.servers.small_bank import NAME, administer_mariadb, administer_postgres, run

pytestmark = pytest.mark.server


def test_the_excess_rights_of_an_administrator_are_named(bank):
    rights = " ".join(excess_rights(bank, {"accounts"}))
    expected = ["superuser", "INSERT accounts"] if bank.dialect == "postgres" else ["INSERT everywhere", "FILE"]
    assert all(right in rights for right in [*expected, "may SELECT accounts, which the policy hides"])


def test_a_role_made_for_reading_has_no_excess_rights(bank, bank_url, postgres_url):
    if bank.dialect == "postgres":
        administer_postgres(
            postgres_url,
            f"CREATE ROLE {NAME} LOGIN PASSWORD 'x'",
            "REVOKE CREATE ON SCHEMA public FROM PUBLIC",
            f"GRANT SELECT ON branches TO {NAME}",
            database=NAME,
        )
        url = bank_url.replace("postgres@", f"{NAME}:x@")
        drop = [f"DROP OWNED BY {NAME}", f"DROP ROLE {NAME}"]
    else:
        administer_mariadb(
            f"CREATE USER {NAME}@'127.0.0.1' IDENTIFIED BY 'x'",
            f"GRANT SELECT ON {NAME}.branches TO {NAME}@'127.0.0.1'",
        )
        url = bank_url.replace("root@", f"{NAME}:x@")
        drop = [f"DROP USER {NAME}@'127.0.0.1'"]
    try:
        with open_database(url) as database:
            assert excess_rights(database, {"accounts"}) == ()
            assert run(database, "SELECT count(*) FROM branches").rows == ((2,),)
    finally:
        if bank.dialect == "postgres":
            administer_postgres(postgres_url, *drop, database=NAME)
        else:
            administer_mariadb(*drop)


EXCESSES = {
    "postgres": [
        ("GRANT INSERT, TRUNCATE ON branches TO {role}", ["may INSERT branches", "may TRUNCATE branches"]),
        ("GRANT UPDATE (balance) ON accounts TO {role}", ["may UPDATE single columns of accounts"]),
        ("GRANT USAGE ON SEQUENCE numbers TO {role}", ["may change sequence numbers"]),
        ("GRANT CREATE ON SCHEMA public TO {role}", ["may create tables in schema public"]),
        ("GRANT CREATE ON DATABASE {name} TO {role}", ["may create schemas in this database"]),
        (
            "CREATE FUNCTION public.upper(varchar) RETURNS text LANGUAGE sql AS 'SELECT $1::text';"
            "CREATE FUNCTION public.shout(varchar) RETURNS text LANGUAGE sql AS 'SELECT $1::text';"
            "ALTER FUNCTION public.upper(varchar) OWNER TO {role};"
            "ALTER FUNCTION public.shout(varchar) OWNER TO {role}",
            ["calls the function upper of schema public where its types fit better than those of PostgreSQL's own"],
        ),
        (
            "CREATE TYPE reference AS (id int); CREATE FUNCTION public.spelled(reference) RETURNS text LANGUAGE sql"
            " AS 'SELECT note FROM accounts WHERE account_id = $1.id' SECURITY DEFINER;"
            "CREATE CAST (reference AS text) WITH FUNCTION public.spelled(reference);"
            "ALTER TYPE reference OWNER TO {role}; ALTER FUNCTION public.spelled(reference) OWNER TO {role}",
            ["calls the function spelled of schema public where reference becomes text"],
        ),
        (
            "CREATE TYPE signed AS (v text); CREATE FUNCTION public.signed_cmp(signed, signed) RETURNS int IMMUTABLE"
            " LANGUAGE sql AS 'SELECT bttextcmp(($1).v, ($2).v)'; CREATE OPERATOR CLASS signed_ops FOR TYPE signed"
            " USING btree AS OPERATOR 3 = (record, record), FUNCTION 1 public.signed_cmp(signed, signed);"
            "ALTER TYPE signed OWNER TO {role}; ALTER FUNCTION public.signed_cmp(signed, signed) OWNER TO {role}",
            ["calls functions of the operator class signed_ops of schema public where signed is compared by it"],
        ),
        ("GRANT pg_read_server_files TO {role}", ["is a member of pg_read_server_files"]),
        ("ALTER ROLE {role} CREATEROLE", ["is allowed to create roles"]),
        ("GRANT SELECT ON accounts TO {role}", ["may SELECT accounts, which the policy hides"]),
        ("GRANT SELECT (balance) ON accounts TO {role}", ["may SELECT accounts, which the policy hides"]),
    ],
    "mysql": [
        ("GRANT INSERT, DROP ON {name}.branches TO {role}", ["may DROP {name}.branches", "may INSERT {name}.branches"]),
        ("GRANT UPDATE (city) ON {name}.branches TO {role}", ["may UPDATE column {name}.branches.city"]),
        ("GRANT CREATE ON {name}.* TO {role}", ["may CREATE in {name}"]),
        ("GRANT FILE ON *.* TO {role}", ["may FILE everywhere"]),
        ("GRANT SELECT ON {name}.accounts TO {role}", ["may SELECT accounts, which the policy hides"]),
        ("GRANT SELECT (balance) ON {name}.accounts TO {role}", ["may SELECT accounts, which the policy hides"]),
    ],
}


@contextlib.contextmanager
def reading_role(dialect, url, postgres_url):
    """A role that may read the table branches and nothing else: its URL, its name, and a way to grant it more."""
    if dialect == "postgres":

        def administer(statement):
            administer_postgres(postgres_url, statement, database=NAME)

        role, user = NAME, "postgres@"
        makes = [f"CREATE ROLE {role} LOGIN PASSWORD 'x'", "REVOKE CREATE ON SCHEMA public FROM PUBLIC",
                 f"GRANT SELECT ON branches TO {role}", "CREATE SEQUENCE numbers"]  # fmt: skip
        drops = [f"DROP OWNED BY {role} CASCADE", f"DROP ROLE {role}", "DROP SEQUENCE numbers"]
    else:
        administer = administer_mariadb
        role, user = f"{NAME}@'127.0.0.1'", "root@"
        makes = [f"CREATE USER {role} IDENTIFIED BY 'x'", f"GRANT SELECT ON {NAME}.branches TO {role}"]
        drops = [f"DROP USER {role}"]
    for statement in makes:
        administer(statement)
    try:
        yield url.replace(user, f"{NAME}:x@"), role, administer
    finally:
        for statement in drops:
            administer(statement)


def test_each_excess_right_is_named_and_no_other(bank, bank_url, postgres_url):
    tables = bank.catalogue
    for grant, expected in EXCESSES[bank.dialect]:
        with reading_role(bank.dialect, bank_url, postgres_url) as (url, role, administer):
            administer(grant.format(role=role, name=NAME))
            with open_database(url) as database:
                found = excess_rights(dataclasses.replace(database, catalogue=tables), {"accounts"})
        assert found == tuple(f"the database role {right.format(name=NAME)}" for right in expected), grant


@pytest.mark.parametrize(
    ("grant", "expected"),
    [
        ("INSERT ON {name}.* TO {held}", "may INSERT in {name}"),
        ("SELECT (city), UPDATE (city) ON {name}.branches TO {held}", "may UPDATE column {name}.branches.city"),
        ("FILE ON *.* TO {held}", "may FILE everywhere"),
        ("SELECT ON {name}.branches TO {held} WITH GRANT OPTION", "may GRANT OPTION {name}.branches"),
        ("ALL PRIVILEGES ON {name}.branches TO {held}", "may ALL PRIVILEGES {name}.branches"),
        ("EXECUTE ON FUNCTION {name}.one TO {held}", "may EXECUTE FUNCTION {name}.one"),
        ("DELETE, SELECT ON {name}.branches TO PUBLIC", "may, as everybody may: DELETE {name}.branches"),
    ],
)
def test_a_right_that_comes_by_a_role_in_use_is_named(mariadb_bank, postgres_url, grant, expected):
    held = f"{NAME}_held"
    made = [f"CREATE ROLE {held}", f"CREATE FUNCTION {NAME}.one() RETURNS INT DETERMINISTIC RETURN 1"]
    administer_mariadb(*made, "GRANT " + grant.format(name=NAME, held=held))
    try:
        with reading_role("mysql", mariadb_bank, postgres_url) as (url, role, administer):
            administer(f"GRANT {held} TO {role}")
            administer(f"SET DEFAULT ROLE {held} FOR {role}")
            with open_database(url) as database:
                found = excess_rights(database)
        assert found == (f"the database role {expected.format(name=NAME)}",)
    finally:
        administer_mariadb(f"DROP FUNCTION {NAME}.one", f"DROP ROLE {held}")
        if "PUBLIC" in grant:
            administer_mariadb(f"REVOKE DELETE, SELECT ON {NAME}.branches FROM PUBLIC")


def test_a_key_to_what_a_role_may_not_read_is_not_there(bank, bank_url, postgres_url):
    with reading_role(bank.dialect, bank_url, postgres_url) as (url, role, administer):
        place = "" if bank.dialect == "postgres" else f"{NAME}."
        administer(f"GRANT SELECT ON {place}accounts TO {role}")
        for granted, links in (("branches", 1), ("branches (city)", 0)):
            with open_database(url) as database:
                assert len(database.catalogue.table("accounts").foreign_keys) == links, granted
            if links:
                administer(f"REVOKE SELECT ON {place}branches FROM {role}")
                administer(f"GRANT SELECT (city) ON {place}branches TO {role}")


def test_a_role_that_may_read_some_columns_of_a_table_sees_those(bank, bank_url, postgres_url):
    with reading_role(bank.dialect, bank_url, postgres_url) as (url, role, administer):
        table = "accounts" if bank.dialect == "postgres" else f"{NAME}.accounts"
        administer(f"GRANT SELECT (account_id, balance) ON {table} TO {role}")
        with open_database(url) as database:
            assert database.catalogue.table("branches").primary_key == ("branch_id",)
            readable = {column.name: column.type for column in database.catalogue.table("accounts").columns}
            assert (readable["account_id"], readable["balance"]) == ("integer", "decimal")
            assert len(readable) == 2
            assert run(database, "SELECT sum(balance) FROM accounts").rows == ((Decimal("1200.60"),),)
            with pytest.raises(QueryFailed):
                run(database, "SELECT note FROM accounts")


def test_a_role_that_is_looked_at_too_long_is_told_so(bank):
    with pytest.raises(QueryTimedOut):
        excess_rights(bank, timeout_s=0.0001)


def test_the_start_warns_of_each_excess_right(bank_url, tmp_path, caplog):
    settings = read_settings(database_url=bank_url, cache_dir=tmp_path, openai_api_key=None, openai_base_url=None)
    with contextlib.closing(open_assistant(settings)) as assistant:
        assert assistant.warnings == excess_rights(assistant.database)
        assert assistant.warnings
        assert set(assistant.warnings) <= {record.getMessage() for record in caplog.records}


def granted_columns(dialect, role, administer):
    table = "accounts" if dialect == "postgres" else f"{NAME}.accounts"
    administer(f"GRANT SELECT (account_id, branch_id, balance) ON {table} TO {role}")


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        ("SELECT count(*) FROM accounts", ((2,),)),
        ("SELECT * FROM accounts ORDER BY account_id", ((1, 1, Decimal("1200.50")), (2, 2, Decimal("0.10")))),
        ("SELECT a.* FROM accounts AS a WHERE a.account_id = 2", ((2, 2, Decimal("0.10")),)),
        ("SELECT b.*, a.balance FROM accounts AS a JOIN branches AS b ON a.branch_id = b.branch_id"
         " ORDER BY a.account_id LIMIT 1", ((1, "Pune", Decimal("1200.50")),)),
        ("SELECT SUM(s.balance) FROM (SELECT * FROM accounts) AS s", ((Decimal("1200.60"),),)),
    ],
)  # fmt: skip
def test_a_role_with_grants_on_columns_is_asked_for_those_alone(bank, bank_url, postgres_url, sql, rows):
    with reading_role(bank.dialect, bank_url, postgres_url) as (url, role, administer):
        granted_columns(bank.dialect, role, administer)
        with open_database(url) as database:
            statement = check(sql, database.catalogue, Policy())
            assert run(database, statement.run_sql).rows == rows
            with pytest.raises(SqlRejected):
                check("SELECT note FROM accounts", database.catalogue, Policy())


def test_a_restricted_column_that_the_role_can_read_is_named(bank, bank_url, postgres_url):
    restricted = {"accounts": {"note", "balance"}, "branches": {"city"}}
    with reading_role(bank.dialect, bank_url, postgres_url) as (url, role, administer):
        granted_columns(bank.dialect, role, administer)
        with open_database(url) as database:
            found = excess_rights(database, (), restricted)
    assert sorted(found) == [
        "the database role may SELECT balance of accounts, which the policy restricts",
        "the database role may SELECT city of branches, which the policy restricts",
    ]


VOCABULARY = """
version: "1.0"
semantic_model:
  - name: bank
    datasets:
      - name: accounts
        source: accounts
        primary_key: [account_id]
        fields:
          - {name: account_id, expression: {dialects: [{dialect: ANSI_SQL, expression: account_id}]}}
          - {name: balance, expression: {dialects: [{dialect: ANSI_SQL, expression: balance}]}}
          - name: note
            expression: {dialects: [{dialect: ANSI_SQL, expression: lower(note)}]}
            custom_extensions: [{vendor_name: BANKING_ASSISTANT, data: '{"sensitive": true}'}]
"""


def test_a_vocabulary_may_describe_a_sensitive_column_that_the_role_cannot_read(bank, bank_url, postgres_url, tmp_path):
    file = tmp_path / "bank.yaml"
    file.write_text(VOCABULARY)
    with reading_role(bank.dialect, bank_url, postgres_url) as (url, role, administer):
        granted_columns(bank.dialect, role, administer)
        settings = read_settings(
            database_url=url, cache_dir=tmp_path, vocabulary_file=file, openai_api_key=None, openai_base_url=None
        )
        with contextlib.closing(open_assistant(settings)) as assistant:
            assert assistant.warnings == ()
            assert [item.name for item in assistant.vocabulary.model.dataset("accounts").fields] == [
                "account_id", "balance",
            ]  # fmt: skip
            assert assistant.ask("What is the total balance?").result.rows == ((Decimal("1200.60"),),)


def test_what_a_view_reads_and_the_role_may_not_is_not_named_by_whoever_guesses_it(postgres_bank, postgres_url):
    administer_postgres(
        postgres_url,
        f"CREATE ROLE {NAME}_guesser LOGIN PASSWORD 'x'",
        """CREATE TABLE vault (id INTEGER);
           CREATE FUNCTION counts() RETURNS BIGINT LANGUAGE plpgsql AS 'BEGIN RETURN (SELECT COUNT(*) FROM vault); END';
           CREATE VIEW seen AS SELECT branch_id, counts() AS n FROM branches""",
        f"GRANT SELECT ON seen TO {NAME}_guesser",
        database=NAME,
    )
    try:
        with open_database(postgres_bank.replace("postgres@", f"{NAME}_guesser:x@")) as opened:
            told = set()
            for guess in ("vault", "vaults"):
                with pytest.raises(QueryFailed) as failed:
                    run(opened, check(f"SELECT n AS {guess} FROM seen", opened.catalogue, Policy()).run_sql)
                told.add(str(failed.value))
        assert told == {"this may not be read"}
    finally:
        administer_postgres(
            postgres_url,
            "DROP VIEW seen; DROP FUNCTION counts; DROP TABLE vault",
            f"DROP OWNED BY {NAME}_guesser; DROP ROLE {NAME}_guesser",
            database=NAME,
        )
