"""Tables that show each other's rows take over what a policy says of one of them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ai_engine.errors import SqlRejected
from ai_engine.guard import Policy, check
from ai_engine.guard.policy import unknown_names
from ai_engine.semantics.osi import dump_vocabulary
from backend.databases import excess_rights, open_database
from backend.databases.address import parse_address
from backend.databases.hidden_columns import hidden_columns
from backend.databases.limits import DatabaseLimits
from backend.databases.server_opening import open_server
from backend.mcp.shown import shown_tables
from backend.opening import open_assistant
from backend.settings import Settings
from tests.backend.databases.servers.small_bank import NAME, administer_mariadb, administer_postgres, own_postgres

pytestmark = pytest.mark.server

IN_POSTGRES = """
    CREATE SCHEMA kept;
    CREATE TABLE kept.parted (id INTEGER, phone TEXT, city TEXT) PARTITION BY LIST (city);
    CREATE TABLE kept.parted_p PARTITION OF kept.parted FOR VALUES IN ('p') PARTITION BY HASH (id);
    CREATE TABLE kept.parted_p_0 PARTITION OF kept.parted_p FOR VALUES WITH (MODULUS 1, REMAINDER 0);
    CREATE TABLE kept.kid (id INTEGER, phone TEXT);
    CREATE TABLE kept.kid_old (left_on DATE) INHERITS (kept.kid);
    CREATE TABLE kept.kid_oldest () INHERITS (kept.kid_old);
    CREATE TABLE kept.other (note TEXT, phone TEXT);
    CREATE TABLE kept.both () INHERITS (kept.kid, kept.other);
    CREATE TABLE kept.vault (id INTEGER, secret TEXT) PARTITION BY LIST (id);
    CREATE TABLE kept.vault_one PARTITION OF kept.vault FOR VALUES IN (1);
    CREATE TABLE kept.chest (id INTEGER, secret TEXT);
    CREATE TABLE kept.chest_old () INHERITS (kept.chest);
"""
COMPUTING = """
    CREATE TABLE cards (id INTEGER, shown TEXT {above}, city TEXT, pan TEXT);
    CREATE TABLE cards_old (shown TEXT GENERATED ALWAYS AS (upper(pan)) STORED) INHERITS (cards);
    CREATE TABLE parted (id INTEGER, shown TEXT {above}, city TEXT, pan TEXT) PARTITION BY LIST (id);
    CREATE TABLE parted_one (id INTEGER, shown TEXT GENERATED ALWAYS AS (upper(pan)) STORED, city TEXT, pan TEXT);
    ALTER TABLE parted ATTACH PARTITION parted_one FOR VALUES IN (1);
"""
IN_MARIADB = (
    "CREATE TABLE part_a (id INTEGER, phone VARCHAR(9)) ENGINE=MyISAM",
    "CREATE TABLE part_b (id INTEGER, phone VARCHAR(9)) ENGINE=MyISAM",
    "CREATE TABLE whole (id INTEGER, phone VARCHAR(9)) ENGINE=MERGE UNION=(part_a, part_b)",
)


@pytest.fixture(scope="module")
def catalogue(postgres_bank, postgres_url):
    administer_postgres(postgres_url, IN_POSTGRES, database=NAME)
    with open_database(postgres_bank) as database:
        yield database.catalogue
    administer_postgres(postgres_url, "DROP SCHEMA kept CASCADE", database=NAME)


@pytest.fixture(scope="module")
def merged(mariadb_bank):
    administer_mariadb(f"USE {NAME}", *IN_MARIADB)
    with open_database(mariadb_bank) as database:
        yield database.catalogue
    administer_mariadb(f"USE {NAME}", "DROP TABLE whole, part_a, part_b")


def refusal(sql, catalogue, **kept):
    with pytest.raises(SqlRejected) as caught:
        check(sql, catalogue, Policy(**kept))
    return str(caught.value)


def test_partitions_are_no_tables_of_their_own(catalogue):
    assert {"parted", "kid", "kid_old"} <= {table.name for table in catalogue.tables}
    assert not [table.name for table in catalogue.tables if table.name.startswith(("parted_", "vault_"))]
    assert set(catalogue.table("parted").kin) == {"parted_p", "parted_p_0"}
    assert set(catalogue.table("parted").parted_by) == {"city", "id"}
    assert catalogue.table("kid").parted_by == ("",)
    assert refusal("SELECT id FROM parted_p", catalogue).endswith("nearest: parted")


@pytest.mark.parametrize(
    ("restricted", "refused", "accepted"),
    [
        ("kid", ["kid", "kid_old", "kid_oldest", "both", "other"], ["chest"]),
        ("kid_old", ["kid", "kid_old", "kid_oldest"], ["both", "other"]),
        ("kid_oldest", ["kid", "kid_old", "kid_oldest"], ["both", "other"]),
        ("other", ["other", "both", "kid"], ["kid_old", "kid_oldest"]),
        ("parted_p_0", ["parted"], ["kid"]),
    ],
)
def test_a_column_is_restricted_wherever_the_rows_of_its_table_are_shown(catalogue, restricted, refused, accepted):
    kept = {"restricted_columns": {restricted: frozenset({"phone"})}}
    for table in refused:
        assert "phone" in refusal(f"SELECT phone FROM {table}", catalogue, **kept)
        assert "phone" not in check(f"SELECT * FROM {table}", catalogue, Policy(**kept)).sql
    for table in accepted:
        check(f"SELECT * FROM {table}", catalogue, Policy(**kept))


@pytest.mark.parametrize("granted", ["cards, parted, cards_old, parted_one", "cards, parted"])
def test_a_column_is_closed_where_a_heir_or_a_partition_computes_it_of_a_closed_one(postgres_url, granted):
    computes = int(administer_postgres(postgres_url, "SHOW server_version_num")[0][0]) >= 160_000  # both or none
    made = COMPUTING.format(above="GENERATED ALWAYS AS (lower(city)) STORED" if computes else "")
    with own_postgres(postgres_url, "computing") as name:
        role = f"{name}_reader"
        grants = f"CREATE ROLE {role} LOGIN PASSWORD 'x'; GRANT SELECT ON {granted} TO {role}"
        administer_postgres(postgres_url, made, grants, database=name)
        try:
            with open_database(f"{postgres_url.replace('postgres@', f'{role}:x@')}/{name}") as opened:
                for table in ("cards", "parted"):
                    closed = {"restricted_columns": {table: frozenset({"pan"})}}
                    assert "shown" in refusal(f"SELECT COUNT(shown) FROM {table}", opened.catalogue, **closed)
                    assert check(f"SELECT COUNT(shown) FROM {table}", opened.catalogue, Policy())
        finally:
            administer_postgres(postgres_url, f"DROP OWNED BY {role}; DROP ROLE {role}", database=name)


def test_a_column_of_the_same_name_is_restricted_further_down_only(catalogue):
    policy = Policy(restricted_columns={"kid_old": frozenset({"left_on"})})
    check("SELECT * FROM kid", catalogue, policy)
    assert "left_on" in refusal(
        "SELECT left_on FROM kid_oldest", catalogue, restricted_columns=policy.restricted_columns
    )


def test_no_sample_is_drawn_of_rows_of_an_heir_that_may_not_be_read_in_full(postgres_bank, postgres_url, catalogue):
    role, sample = f"{NAME}_sampler", "SELECT COUNT(*) FROM kept.{} TABLESAMPLE SYSTEM (5) REPEATABLE (1)"
    assert check(sample.format("kid"), catalogue, Policy())
    granted = (f"GRANT USAGE ON SCHEMA kept TO {role}", f"GRANT SELECT ON kept.kid, kept.parted TO {role}")
    administer_postgres(postgres_url, f"CREATE ROLE {role} LOGIN PASSWORD 'x'", *granted, database=NAME)
    try:
        in_part = f"GRANT SELECT (id, phone) ON kept.kid_old, kept.kid_oldest, kept.both TO {role}"
        for further in ((), (in_part, f"GRANT SELECT ON kept.other TO {role}")):
            administer_postgres(postgres_url, *further, database=NAME)
            with open_database(postgres_bank.replace("postgres@", f"{role}:x@")) as opened:
                assert check(sample.format("parted"), opened.catalogue, Policy())
                assert "sampled" in refusal(sample.format("kid"), opened.catalogue)
    finally:
        administer_postgres(postgres_url, f"DROP OWNED BY {role}; DROP ROLE {role}", database=NAME)


@pytest.mark.parametrize("heir", ["archive.customers", "archive.older"])
@pytest.mark.parametrize("further", ["", ", tax"])
def test_an_heir_in_another_schema_is_told_from_what_is_called_like_it(postgres_url, heir, further):
    with own_postgres(postgres_url, "namesakes") as name:
        role = f"{name}_reader"
        made = f"""CREATE SCHEMA archive; CREATE TABLE customers (id INTEGER); CREATE TABLE older (id INTEGER);
            CREATE TABLE {heir} (tax INTEGER) INHERITS (customers); CREATE ROLE {role} LOGIN PASSWORD 'x';
            GRANT USAGE ON SCHEMA archive TO {role}; GRANT SELECT ON customers, older TO {role};
            GRANT SELECT (id{further}) ON {heir} TO {role}"""
        administer_postgres(postgres_url, made, database=name)
        try:
            with open_database(f"{postgres_url.replace('postgres@', f'{role}:x@')}/{name}") as opened:
                found = check("SELECT id FROM customers", opened.catalogue, Policy()).run_sql
                assert ("ORDER BY" in found) == (not further)
        finally:
            administer_postgres(postgres_url, f"DROP OWNED BY {role}; DROP ROLE {role}", database=name)


@pytest.mark.parametrize("hidden", ["chest", "chest_old"])
def test_a_table_is_hidden_with_those_that_show_its_rows_and_those_whose_rows_it_shows(catalogue, hidden):
    for table in ("chest", "chest_old"):
        told = refusal(f"SELECT id FROM {table}", catalogue, hidden_tables=frozenset({hidden}))
        assert told.startswith(f"table {table} does not exist") and "nearest: chest" not in told


def test_a_partition_that_is_hidden_hides_what_it_is_a_part_of(catalogue):
    for hidden in ("vault", "vault_one"):
        for table in ("vault", "vault_one"):
            assert "does not exist" in refusal(f"SELECT id FROM {table}", catalogue, hidden_tables=frozenset({hidden}))
    assert unknown_names(Policy(hidden_tables=frozenset({"vault_one", "no_such"})), catalogue) == ["no_such"]


def test_what_the_database_is_told_names_the_kin_as_well(catalogue):
    found = hidden_columns(
        catalogue,
        allowed_tables=None,
        hidden_tables=frozenset({"vault"}),
        restricted_columns={"parted": frozenset({"phone"})},
    )
    assert {("vault", ""), ("vault_one", ""), ("parted_p_0", "phone")} <= found


def test_what_is_a_part_of_what_no_list_of_allowed_tables_has_is_not_allowed_either(catalogue):
    allowed = {"hidden_tables": (), "restricted_columns": {}, "allowed_tables": frozenset({"chest", "parted"})}
    found = {table for table, _ in hidden_columns(catalogue, **allowed)}
    assert {"vault", "vault_one", "kid_oldest"} <= found
    assert found.isdisjoint({"parted", "parted_p_0", "chest"})


def test_other_programs_are_shown_as_little(catalogue):
    policy = Policy(hidden_tables=frozenset({"chest_old"}), restricted_columns={"kid": frozenset({"phone"})})
    shown = {table.name: [column.name for column in table.columns] for table in shown_tables(catalogue, policy)}
    assert "chest" not in shown
    assert shown["kid_old"] == ["id", "left_on"]


def test_rights_on_the_kin_of_what_is_withheld_are_told(catalogue, postgres_bank):
    with open_database(postgres_bank) as database:
        found = excess_rights(database, frozenset({"chest"}), {"kid": frozenset({"phone"})})
    assert "the database role may SELECT chest_old, which the policy hides" in found
    assert "the database role may SELECT phone of kid_old, which the policy restricts" in found


def test_a_field_is_sensitive_in_all_tables_that_show_the_same_rows(catalogue, postgres_bank, tmp_path):
    settings = Settings(database_url=postgres_bank, cache_dir=tmp_path / "cache", database_workers=1)
    assistant = open_assistant(settings)
    text = dump_vocabulary(assistant.vocabulary.model)
    assistant.close()
    said = text.replace('"sensitive": true', '"sensitive": false')
    start = said.index("name: kid_old\n")
    place = said.index('"sensitive": false', start)
    file = tmp_path / "bank.yaml"
    file.write_text(said[:place] + '"sensitive": true' + said[place + len('"sensitive": false') :])
    assistant = open_assistant(Settings(**{**settings.__dict__, "vocabulary_file": file}))
    model = assistant.vocabulary.model
    assistant.close()
    held = {item.name for item in model.datasets if any(field.sensitive for field in item.fields)}
    assert held == {"kid", "kid_old", "kid_oldest"}


def test_a_merge_table_and_its_parts_are_kin(merged):
    assert merged.table("whole").kin == ("part_a", "part_b")
    for kept, asked in (("part_a", "whole"), ("whole", "part_b")):
        restricted = {kept: frozenset({"phone"})}
        assert "phone" in refusal(f"SELECT phone FROM {asked}", merged, restricted_columns=restricted)
    check("SELECT phone FROM part_b", merged, Policy(restricted_columns={"part_a": frozenset({"phone"})}))


@pytest.fixture(scope="module")
def odd_parts(mariadb_url):
    """A bank with a MERGE table over parts with odd names, one of them in another database; gives its address."""
    name = f"{NAME}_odd"
    places = ["`p``a)(1`", "part_a", f"{name}_2.`p'b`"]
    parts = [f"CREATE TABLE {place} (id INTEGER, phone VARCHAR(30)) ENGINE=MyISAM" for place in places]
    whole = (
        r"CREATE TABLE whole (id INTEGER COMMENT 'rows of '' UNION=(all)', phone VARCHAR(30) DEFAULT '`\\'')UNION=(x)')"
        f" ENGINE=MERGE UNION=({', '.join(places)}) COMMENT='UNION=(y)'"
    )
    nothing = "CREATE TABLE nothing (id INTEGER, phone VARCHAR(9)) ENGINE=MERGE"
    administer_mariadb(f"CREATE DATABASE {name}", f"CREATE DATABASE {name}_2")
    try:
        administer_mariadb(f"USE {name}", *parts, whole, nothing)
        yield f"{mariadb_url}/{name}"
    finally:
        administer_mariadb(f"DROP DATABASE {name}", f"DROP DATABASE {name}_2")


@pytest.mark.parametrize("settings", ["sql_notes = 1", "sql_mode = 'ANSI_QUOTES'", "sql_select_limit = 1"])
def test_the_parts_of_a_merge_table_are_known_whatever_they_are_called_and_the_server_is_set_to(odd_parts, settings):
    address = replace(parse_address(odd_parts), options=(("init_command", f"SET SESSION {settings}"),))
    with open_server(address, DatabaseLimits()) as opened:
        assert opened.catalogue.table("whole").kin == ("p'b", "p`a)(1", "part_a")
        for kept in (
            {"restricted_columns": {"part_a": frozenset({"phone"})}},
            {"hidden_tables": frozenset({"part_a"})},
        ):
            refusal("SELECT phone FROM whole", opened.catalogue, **kept)


@pytest.mark.parametrize(
    ("settings", "granted"),
    [("sql_notes = 1", "SELECT (phone) ON {}.whole"), ("sql_mode = 'NO_TABLE_OPTIONS'", "SELECT ON {}.nothing")],
)
def test_a_merge_table_whose_parts_nobody_tells_is_not_there(odd_parts, settings, granted):
    role, name = "merge_reader", odd_parts.rpartition("/")[2]
    administer_mariadb(f"CREATE USER '{role}'@'127.0.0.1'", f"GRANT SELECT ON {name}.part_a TO '{role}'@'127.0.0.1'")
    try:
        administer_mariadb(f"GRANT {granted.format(name)} TO '{role}'@'127.0.0.1'")
        address = replace(parse_address(odd_parts), user=role, options=(("init_command", f"SET SESSION {settings}"),))
        with open_server(address, DatabaseLimits()) as opened:
            assert [table.name for table in opened.catalogue.tables] == ["part_a"]
    finally:
        administer_mariadb(f"DROP USER '{role}'@'127.0.0.1'")
